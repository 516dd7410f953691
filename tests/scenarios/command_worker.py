"""A process that makes processes for commands: loopwright is imported once, so that many are ready at the same moment.

It reads one line of JSON: for each command its words, and the file that takes what it says. It forks a process for
each, writes their ids as a line, lets all begin at once, and writes a line `ID CODE` for each as it ends.
"""

import json
import os
import sys

import loopwright.graphs.run.session  # noqa: F401 - the engine is loaded before anything begins
from loopwright.cli.main import main


def obey(words: list[str], out: str, start: int) -> int:
    """Wait for the start, and be the command."""
    for name, stream in ((out, 1), (f"{out}.errors", 2)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT, 0o600), stream)
    os.read(start, 1)
    code = main(words)
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def work() -> None:
    """Fork, start all, and tell how they end."""
    orders = json.loads(sys.stdin.readline())
    start, go = os.pipe()
    children = []
    for words, out in orders:
        child = os.fork()
        if child == 0:
            os.close(go)
            os._exit(obey(words, out, start))
        children.append(child)
    sys.stdout.write(f"{json.dumps(children)}\n")
    sys.stdout.flush()
    os.close(go)
    for _ in children:
        child, status = os.wait()
        sys.stdout.write(f"{child} {os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    work()
