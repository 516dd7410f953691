"""What a model call costs on our side, beside the plain OpenAI client, against a server on loopback that answers at once.

The same body goes over the wire in both. Calls are made in turn in one process, so that the ratio stands even where the
machine is noisy. Then the same calls as visits of a run in memory: what is above the call is the run's.

    python benchmarks/model_call.py [--calls 300] [--history 1 10 1000] [--json]
"""

import argparse
import asyncio
import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import openai

import loopwright as lw
from loopwright.nodes.models.client import connect

AT_MOST, MILLISECONDS_AT_MOST, LONG = 1.6, 15.0, 1000
WAYS = ("plain", "structured", "plain, async", "structured, async")

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"outcome": {"type": "string", "enum": ["pass", "revise"]}},
    "required": ["outcome"],
    "additionalProperties": False,
}
FORMAT: Any = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}

SERVER = """
import asyncio, json

message = {"role": "assistant", "content": '{"outcome": "revise", "reason": "too short"}'}
usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
choice = {"index": 0, "message": message, "finish_reason": "stop"}
about = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
body = json.dumps({**about, "choices": [choice], "usage": usage}).encode()
head = f"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n"


class Instant(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.heard = transport, b""

    def data_received(self, data):
        self.heard += data
        head_, found, rest = self.heard.partition(b"\\r\\n\\r\\n")
        if found and len(rest) >= int(head_.lower().partition(b"content-length:")[2].split(b"\\r\\n")[0]):
            self.heard = b""
            self.transport.write(head.encode() + body)


async def main():
    server = await asyncio.get_running_loop().create_server(Instant, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
"""
"""A server in a process of its own: it takes nothing of the time of the client's."""


@contextmanager
def instant_server() -> Iterator[str]:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.terminate()


def in_turn(calls: int, *functions: Callable[[], object]) -> list[float]:
    """Milliseconds a call, the median of each."""
    taken: list[list[float]] = [[] for _ in functions]
    gc.collect()
    for _ in range(calls):
        for function, times in zip(functions, taken, strict=True):
            start = time.perf_counter()
            function()
            times.append((time.perf_counter() - start) * 1000)
    return [statistics.median(times) for times in taken]


async def awaited_in_turn(calls: int, *functions: Callable[[], Awaitable[object]]) -> list[float]:
    taken: list[list[float]] = [[] for _ in functions]
    gc.collect()
    for _ in range(calls):
        for function, times in zip(functions, taken, strict=True):
            start = time.perf_counter()
            await function()
            times.append((time.perf_counter() - start) * 1000)
    return [statistics.median(times) for times in taken]


def measured(url: str, history: int, calls: int) -> dict[str, list[float]]:
    """Of each way: milliseconds of the plain client, and of ours."""
    messages: Any = [{"role": "user", "content": "Is this good enough? A bridge of wood."}] * history
    model = connect(lw.ModelRef("m", base_url=url, api_key_env=""))
    options: Any = {"base_url": url, "api_key": "none", "max_retries": 0}
    schemas: tuple[dict[str, Any] | None, ...] = (None, SCHEMA)
    asked = [lw.ModelCall("rate", messages, schema) for schema in schemas]
    more: list[Any] = [{}, {"response_format": FORMAT}]
    times = []
    with openai.OpenAI(**options) as plain:
        for call, extra in zip(asked, more, strict=True):
            ours, theirs = (
                lambda: model.ask(call),
                lambda: plain.chat.completions.create(model="m", messages=messages, **extra),
            )
            in_turn(5, theirs, ours)
            times.append(in_turn(calls, theirs, ours))

    async def awaited() -> None:
        async with openai.AsyncOpenAI(**options) as client:
            for call, extra in zip(asked, more, strict=True):
                ours, theirs = (
                    lambda: model.aask(call),
                    lambda: client.chat.completions.create(model="m", messages=messages, **extra),
                )
                await awaited_in_turn(5, theirs, ours)
                times.append(await awaited_in_turn(calls, theirs, ours))

    asyncio.run(awaited())
    return dict(zip(WAYS, times, strict=True))


def visits(url: str, calls: int) -> dict[str, float]:
    """Milliseconds a visit of a run that nothing keeps: judging again and again, each time by one call."""
    text = {"type": "string"}
    plan = lw.PlanBuilder("judge", [lw.Channel("draft", text, input=True)])
    plan.node(lw.Judge("review", prompt="Is this good enough? <{draft}>", outcomes=["pass", "revise"]))
    plan.edge("review", "pass", lw.End("finished"))
    plan.edge("review", "revise", "review", at_most=calls, bound="rounds", then=lw.End("max_rounds", ok=False))
    loop = plan.loop(model=lw.ModelRef("m", base_url=url, api_key_env=""))
    graph, given = loop.compile(), {"draft": "A bridge of wood."}
    limit: Any = {"recursion_limit": calls + 10}

    async def awaited() -> None:
        await graph.ainvoke(given, limit)

    report = {}
    for name, run in (("sync", lambda: graph.invoke(given, limit)), ("async", lambda: asyncio.run(awaited()))):
        run()
        gc.collect()
        start = time.perf_counter()
        run()
        report[name] = (time.perf_counter() - start) / (calls + 1) * 1000
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--history", type=int, nargs="+", default=[1, 10, LONG])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    calls: list[dict[str, Any]] = []
    with instant_server() as url:
        for history in options.history:
            count = max(3, options.calls // (10 if history >= LONG else 1))
            for way, (theirs, ours) in measured(url, history, count).items():
                row = {"history": history, "way": way, "openai_ms": round(theirs, 3), "loopwright_ms": round(ours, 3)}
                calls.append({**row, "ratio": round(ours / theirs, 3)})
        whole = {way: round(spent, 3) for way, spent in visits(url, options.calls).items()}
    if options.json:
        print(json.dumps({"calls": calls, "visit_ms": whole}, indent=2))
        return
    for row in calls:
        bound = f"at most {MILLISECONDS_AT_MOST:g} ms" if row["history"] >= LONG else f"ratio at most {AT_MOST}"
        print(
            f"{row['history']:5} messages, {row['way']:18} openai {row['openai_ms']:8.2f} ms  "
            f"loopwright {row['loopwright_ms']:6.2f} ms  ratio {row['ratio']:.2f} ({bound})"
        )
    for way, spent in whole.items():
        print(f"a whole visit with its call, {way:6} {spent:.2f} ms")


if __name__ == "__main__":
    main()
