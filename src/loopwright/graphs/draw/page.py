"""The page: one HTML file with the picture and its legend, to walk through. It asks for nothing else, from anywhere.

Its script is `page.js`, beside this file: zoom, move, find a node, show its ways. Without scripts it is the picture.
"""

import base64
import hashlib
from functools import cache
from html import escape
from importlib.resources import files

from loopwright.graphs.draw.legend import legend_of
from loopwright.graphs.draw.lettering import visible
from loopwright.graphs.draw.scene import Scene
from loopwright.graphs.draw.svg import FONT, markup, svg_of
from loopwright.graphs.draw.theme import Theme


def page_of(scene: Scene, theme: Theme) -> str:
    """A scene as one HTML page that can be sent to anybody.

    Args:
        scene: The scene.
        theme: The colours.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.graphs.draw.scene import scene_of
        >>> from loopwright.graphs.draw.theme import LIGHT
        >>> from loopwright.nodes.think import Think
        >>> plan = one_node_plan(Think("greet", prompt="Hello"))
        >>> "<h1>greet</h1>" in page_of(scene_of(plan), LIGHT)
        True
    """
    legend = "\n".join(
        f"<dt>{markup(sample, '', theme)}</dt><dd>{escape(words)}</dd>" for sample, words in legend_of(scene)
    )
    script, digest = _script()
    return _PAGE.format(
        name=escape(visible(scene.name)),
        font=FONT,
        background=theme.background,
        text=theme.text,
        muted=theme.muted,
        picture=svg_of(scene, theme),
        legend=legend,
        line=theme.label_edge,
        field=theme.label_fill,
        mark=theme.pending,
        script=script,
        hash=digest,
    )


@cache
def _script() -> tuple[str, str]:
    """The script of every page, and the hash by which a browser lets this one run and no other."""
    script = (files("loopwright.graphs.draw") / "page.js").read_text(encoding="utf-8")
    return script, base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'">
<title>{name}</title>
<style>
body {{ margin: 1.2rem 1.5rem; background: {background}; color: {text}; font: 15px/1.5 {font}; }}
h1 {{ font-size: 1.3rem; font-weight: 600; margin: 0 0 0.6rem; overflow-wrap: anywhere; }}
figure {{ margin: 0 0 1rem; overflow: auto; max-width: 100%; }}
dl {{ display: grid; grid-template-columns: auto 1fr; gap: 0.1rem 1rem; align-items: center; max-width: 36rem; }}
dt {{ justify-self: center; line-height: 0; }}
dd {{ margin: 0; color: {muted}; }}
summary {{ cursor: pointer; color: {muted}; }}
form {{ display: flex; flex-wrap: wrap; gap: 0.4rem; align-items: center; margin-bottom: 0.5rem; }}
form[hidden] {{ display: none; }}
input, button {{ font: inherit; color: inherit; background: {field}; border: 1px solid {muted}; border-radius: 5px; }}
input {{ padding: 0.15rem 0.5rem; width: 15rem; max-width: 60vw; }}
button {{ padding: 0.15rem 0.7rem; cursor: pointer; }}
output {{ color: {muted}; }}
.walk figure {{ height: 72vh; min-height: 18rem; overflow: hidden; border: 1px solid {line}; border-radius: 6px; }}
.walk figure > svg {{ width: 100%; height: 100%; cursor: grab; touch-action: none; }}
.walk figure > svg > g[data-box], .walk g g[data-box] {{ cursor: pointer; }}
.chosen [data-box], .chosen [data-arrow], .chosen [data-label] {{ opacity: 0.16; }}
.chosen .lit, .chosen .lit g {{ opacity: 1; }}
.here > title + *, g[data-box]:focus-visible > title + * {{ stroke: {mark}; stroke-width: 4; }}
g[data-box]:focus {{ outline: none; }}
#ways {{ margin: 0 0 1rem; padding-left: 1.2rem; color: {muted}; }}
#ways button {{ border: 0; padding: 0; background: none; text-decoration: underline; text-align: left; }}
</style>
</head>
<body>
<h1>{name}</h1>
<form role="search" hidden>
<label for="find">Find a node</label>
<input id="find" type="search" list="names" autocomplete="off">
<datalist id="names"></datalist>
<button type="button" data-do="in" aria-label="Zoom in">+</button>
<button type="button" data-do="out" aria-label="Zoom out">&minus;</button>
<button type="button" data-do="all">Show all</button>
<output aria-live="polite"></output>
</form>
<main>
<figure>
{picture}</figure>
<ul id="ways"></ul>
<details open>
<summary>What the signs mean</summary>
<dl>
{legend}
</dl>
</details>
</main>
<script>{script}</script>
</body>
</html>
"""
