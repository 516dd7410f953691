"""Where one run is in a recording: which of its calls come next."""

import secrets
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

from loopwright.state.values import JsonObject


class Track:
    """How many calls each node of a run has made, and which recorded run is followed.

    The calls of a node in a run have numbers. A call whose visit was not completed, as in a process that was killed, is
    made again under the same number, and the later one counts.

    Args:
        run: What the run is called in the recording; a new name where it is left out.
    """

    def __init__(self, run: str = "") -> None:
        self.run = run or secrets.token_hex(4)
        self.follows = ""
        self.used: set[int] = set()
        self._taken: Counter[str] = Counter()
        self._began = 0
        self._lock = threading.Lock()

    def take(self, node: str) -> int:
        """The number of a node's next call, which is taken by this."""
        with self._lock:
            self._taken[node] += 1
            return self._taken[node] - 1

    def give_back(self, node: str) -> None:
        """Take no number after all: what came of the call could not be written."""
        with self._lock:
            self._taken[node] -= 1

    def next_of(self, node: str) -> int:
        """The number of a node's next call."""
        with self._lock:
            return self._taken[node]

    def go_on(self, run: str, mark: Mapping[str, Any], taken: Mapping[str, int]) -> None:
        """Go on where another process stopped.

        Args:
            run: The run's id.
            mark: What the store holds of the recording.
            taken: The calls that each node has made.
        """
        began = mark.get("began", 0)
        with self._lock:
            self.run = f"{run} from visit {began}" if began else run
            self.follows, self._began = mark.get("follows", ""), began
            self._taken, self.used = Counter(taken), set()

    def mark(self, visits: int) -> JsonObject:
        """Where it is, as the store keeps it.

        Args:
            visits: How many visits the run has completed.
        """
        with self._lock:
            return {"taken": dict(self._taken), "follows": self.follows, "began": self._began, "since": visits}


def first_mark(visits: int) -> JsonObject:
    """The mark of a recording that begins when a run has completed so many visits."""
    return {"taken": {}, "follows": "", "began": visits, "since": visits}
