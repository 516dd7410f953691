// The picture of a page, to walk through: zoom, move, find a node, show its ways. It asks nothing of any network.
"use strict";
(() => {
  const figure = document.querySelector("figure");
  const svg = figure.querySelector("svg");
  const form = document.querySelector("form");
  const find = document.getElementById("find");
  const said = form.querySelector("output");
  const ways = document.getElementById("ways");
  const whole = svg.viewBox.baseVal;
  const [WIDTH, HEIGHT] = [whole.width, whole.height];
  const boxes = [...svg.querySelectorAll("g[data-box]")];
  const title = (part) => part.querySelector(":scope > title").textContent;
  const name = (box) => title(box).replace(/ \([^()]*\)$/, "");
  const beside = (part, kind) => [...part.parentNode.children].filter((one) => kind in one.dataset);
  let view = { x: 0, y: 0, width: WIDTH, height: HEIGHT };

  function show(next) {
    view = next;
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  }

  // The whole picture; one that is small stays as large as it is.
  function showAll() {
    const room = figure.getBoundingClientRect();
    const scale = Math.max(WIDTH / room.width, HEIGHT / room.height, 1);
    const [width, height] = [room.width * scale, room.height * scale];
    show({ x: (WIDTH - width) / 2, y: (HEIGHT - height) / 2, width, height });
  }

  // The top of the picture in its own size, where the whole of it could not be read.
  function showStart() {
    showAll();
    const room = figure.getBoundingClientRect();
    const box = boxes[0] && boxes[0].getBBox();
    if (!box || view.width < room.width * 1.8) return;
    const [width, height] = [room.width * 1.2, room.height * 1.2];
    show({ x: box.x + box.width / 2 - width / 2, y: Math.max(0, box.y - 30), width, height });
  }

  function zoom(factor, x = view.x + view.width / 2, y = view.y + view.height / 2) {
    const width = Math.min(Math.max(view.width * factor, 80), 4 * Math.max(WIDTH, HEIGHT));
    const share = width / view.width;
    show({ x: x - (x - view.x) * share, y: y - (y - view.y) * share, width, height: view.height * share });
  }

  function at(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [place.x, place.y];
  }

  function centre(box) {
    const room = figure.getBoundingClientRect();
    const area = box.getBoundingClientRect();
    const [left, top] = at({ clientX: area.x, clientY: area.y });
    const [right, bottom] = at({ clientX: area.right, clientY: area.bottom });
    const width = Math.min(view.width, Math.max(room.width * 1.1, (right - left) * 1.5));
    const height = (width * room.height) / room.width;
    show({ x: (left + right - width) / 2, y: (top + bottom - height) / 2, width, height });
  }

  function clear() {
    svg.classList.remove("chosen");
    for (const part of svg.querySelectorAll(".lit, .here")) part.classList.remove("lit", "here");
    ways.replaceChildren();
    said.textContent = "";
  }

  function choose(box) {
    clear();
    svg.classList.add("chosen");
    const place = box.dataset.box;
    const leading = beside(box, "arrow").filter(({ dataset }) => dataset.from === place || dataset.to === place);
    const near = new Set(leading.flatMap(({ dataset }) => [dataset.from, dataset.to]));
    const lines = new Set(leading.map(({ dataset }) => dataset.arrow));
    const lit = [
      box,
      ...leading,
      ...beside(box, "box").filter(({ dataset }) => near.has(dataset.box)),
      ...beside(box, "label").filter(({ dataset }) => lines.has(dataset.label)),
    ];
    for (let around = box.parentNode.closest("g[data-box]"); around; around = around.parentNode.closest("g[data-box]")) lit.push(around);
    for (const part of lit) part.classList.add("lit");
    box.classList.add("here");
    const out = leading.filter(({ dataset }) => dataset.from === place).length;
    const into = leading.filter(({ dataset }) => dataset.to === place).length;
    said.textContent = `${title(box)}: ${into} in, ${out} out`;
    for (const arrow of leading) {
      const other = arrow.dataset.from === place ? arrow.dataset.to : arrow.dataset.from;
      const button = document.createElement("button");
      button.textContent = title(arrow);
      button.addEventListener("click", () => go(beside(box, "box").find(({ dataset }) => dataset.box === other)));
      const item = document.createElement("li");
      item.append(button);
      ways.append(item);
    }
  }

  function go(box) {
    choose(box);
    centre(box);
    box.focus({ preventScroll: true });
  }

  // Found by its beginning, else by any part; again for the next one.
  function search() {
    const words = find.value.trim().toLowerCase();
    if (!words) return clear();
    const starts = boxes.filter((box) => name(box).toLowerCase().startsWith(words));
    const found = starts.length ? starts : boxes.filter((box) => name(box).toLowerCase().includes(words));
    if (!found.length) {
      clear();
      said.textContent = "no such node";
      return undefined;
    }
    const next = (found.findIndex((box) => box.classList.contains("here")) + 1) % found.length;
    choose(found[next]);
    centre(found[next]);
    if (found.length > 1) said.textContent += ` (${next + 1} of ${found.length}; Enter for the next)`;
    return undefined;
  }

  const held = new Map();
  let moved = false;
  svg.addEventListener("pointerdown", (event) => {
    held.set(event.pointerId, event);
    moved = false;
  });
  window.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    if (!moved && Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) < 4) return;
    moved = true;
    const other = [...held.values()].find(({ pointerId }) => pointerId !== event.pointerId);
    const [x, y] = at(event);
    const [oldX, oldY] = at(before);
    if (other) {
      const [otherX, otherY] = at(other);
      zoom(Math.hypot(oldX - otherX, oldY - otherY) / (Math.hypot(x - otherX, y - otherY) || 1), otherX, otherY);
    } else {
      show({ ...view, x: view.x + oldX - x, y: view.y + oldY - y });
    }
    held.set(event.pointerId, event);
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    window.addEventListener(kind, (event) => held.delete(event.pointerId));
  }
  svg.addEventListener("click", (event) => {
    if (moved) return;
    const box = event.target.closest("g[data-box]");
    if (box) choose(box);
    else clear();
  });
  svg.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode ? 30 : 1;
      if (event.ctrlKey || !event.shiftKey) zoom(Math.exp((event.deltaY * lines) / 500), ...at(event));
      else show({ ...view, x: view.x + ((event.deltaX + event.deltaY) * view.width) / 1000 });
    },
    { passive: false },
  );
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  figure.addEventListener("keydown", (event) => {
    const box = event.target.closest("g[data-box]");
    if (box && (event.key === "Enter" || event.key === " ")) choose(box);
    else if (event.key === "+" || event.key === "=") zoom(0.8);
    else if (event.key === "-") zoom(1.25);
    else if (event.key === "0") showAll();
    else if (event.key === "Escape") clear();
    else if (event.key in moves) {
      const [x, y] = moves[event.key];
      show({ ...view, x: view.x + (x * view.width) / 8, y: view.y + (y * view.height) / 8 });
    } else return;
    event.preventDefault();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
  form.addEventListener("click", (event) => {
    const wanted = event.target.dataset.do;
    if (wanted === "in") zoom(0.7);
    else if (wanted === "out") zoom(1 / 0.7);
    else if (wanted === "all") showAll();
  });
  window.addEventListener("resize", () => {
    const room = figure.getBoundingClientRect();
    show({ ...view, height: (view.width * room.height) / room.width });
  });

  for (const box of boxes) {
    box.setAttribute("tabindex", "0");
    box.setAttribute("role", "button");
    box.setAttribute("aria-label", title(box));
    box.addEventListener("focus", () => {
      if (box.matches(":focus-visible")) {
        const [area, room] = [box.getBoundingClientRect(), figure.getBoundingClientRect()];
        if (area.x < room.x || area.right > room.right || area.y < room.y || area.bottom > room.bottom) centre(box);
      }
    });
  }
  const names = document.getElementById("names");
  for (const found of new Set(boxes.map(name))) names.append(new Option(found, found));
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", document.title);
  document.body.classList.add("walk");
  form.hidden = false;
  showStart();
})();
