"""What a model call costs on our side, beside the plain OpenAI client, against a server that answers at once.

The same body goes over the wire in both; ours reads and validates the answer too. Calls are made in turn in one
process, so that the ratio stands even where the machine is noisy. Then the same calls as visits of a run in memory:
what is above the call is the run's.

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
from functools import partial
from typing import Any

import openai

import loopwright as lw
from loopwright.nodes.models.client import connect
from loopwright.nodes.structured import read_value

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

message = {"role": "assistant", "content": '{"outcome": "revise"}'}
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
    messages: list[Any] = [{"role": "user", "content": "Is this good enough? A bridge of wood."}] * history
    model = connect(lw.ModelRef("m", base_url=url, api_key_env=""))
    options: Any = {"base_url": url, "api_key": "none", "max_retries": 0}
    times = []

    def ask(call: lw.ModelCall) -> object:
        return read_value(model.ask(call).content, call.schema)

    async def aask(call: lw.ModelCall) -> object:
        return read_value((await model.aask(call)).content, call.schema)

    asked = [
        (lw.ModelCall("rate", messages), {}),
        (lw.ModelCall("rate", messages, SCHEMA), {"response_format": FORMAT}),
    ]
    with openai.OpenAI(**options) as plain:
        for call, extra in asked:
            theirs = partial(plain.chat.completions.create, model="m", messages=messages, **extra)
            in_turn(5, theirs, partial(ask, call))
            times.append(in_turn(calls, theirs, partial(ask, call)))

    async def awaited() -> None:
        async with openai.AsyncOpenAI(**options) as client:
            for call, extra in asked:
                theirs = partial(client.chat.completions.create, model="m", messages=messages, **extra)
                await awaited_in_turn(5, theirs, partial(aask, call))
                times.append(await awaited_in_turn(calls, theirs, partial(aask, call)))

    asyncio.run(awaited())
    return dict(zip(WAYS, times, strict=True))


VISITS = 30


def visits(url: str, calls: int) -> dict[str, dict[str, float]]:
    """Milliseconds of a call, of a whole visit of a run that nothing keeps, and the median of what lies between.

    The run judges again and again, each time by one call; the same question is asked as many times without it.
    """
    plan = lw.PlanBuilder("judge", [lw.Channel("draft", {"type": "string"}, input=True)])
    judge = lw.Judge("review", prompt="Is this good enough? <{draft}>", outcomes=["pass", "revise"])
    plan.node(judge).edge("review", "pass", lw.End("finished"))
    plan.edge("review", "revise", "review", at_most=VISITS - 1, bound="rounds", then=lw.End("max_rounds", ok=False))
    ref = lw.ModelRef("m", base_url=url, api_key_env="")
    graph, given, model = plan.loop(model=ref).compile(), {"draft": "A bridge of wood."}, connect(ref)
    call = lw.ModelCall("review", judge.messages(given), judge.schema)
    limit: Any = {"recursion_limit": VISITS + 10}
    pairs = max(3, calls // VISITS)

    def asked() -> None:
        for _ in range(VISITS):
            model.ask(call)

    async def awaited() -> list[tuple[float, float]]:
        async def aasked() -> None:
            for _ in range(VISITS):
                await model.aask(call)

        async def run() -> None:
            await graph.ainvoke(given, limit)

        await run()
        return [(await aclocked(aasked), await aclocked(run)) for _ in range(pairs)]

    graph.invoke(given, limit)
    taken = {"sync": [(clocked(asked), clocked(lambda: graph.invoke(given, limit))) for _ in range(pairs)]}
    taken["async"] = asyncio.run(awaited())
    return {
        way: {
            "call_ms": round(statistics.median(call for call, _ in times), 3),
            "visit_ms": round(statistics.median(visit for _, visit in times), 3),
            "above_ms": round(statistics.median(visit - call for call, visit in times), 3),
        }
        for way, times in taken.items()
    }


def clocked(function: Callable[[], object]) -> float:
    """Milliseconds a visit."""
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) / VISITS * 1000


async def aclocked(function: Callable[[], Awaitable[None]]) -> float:
    start = time.perf_counter()
    await function()
    return (time.perf_counter() - start) / VISITS * 1000


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
        whole = visits(url, options.calls)
    if options.json:
        print(json.dumps({"calls": calls, "visits": whole}, indent=2))
        return
    for row in calls:
        bound = f"at most {MILLISECONDS_AT_MOST:g} ms" if row["history"] >= LONG else f"ratio at most {AT_MOST}"
        print(
            f"{row['history']:5} messages, {row['way']:18} openai {row['openai_ms']:8.2f} ms  "
            f"loopwright {row['loopwright_ms']:6.2f} ms  ratio {row['ratio']:.2f} ({bound})"
        )
    for way, row in whole.items():
        told = "  ".join(f"{name.removesuffix('_ms')} {spent:.2f} ms" for name, spent in row.items())
        print(f"a visit with its call, {way:6} {told}")


if __name__ == "__main__":
    main()
