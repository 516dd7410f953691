"""What all of AutoGen's shapes are made of: agents, ends, and what has no counterpart here."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.state.values import Json, JsonObject

_UNFIT = re.compile(r"[/|:]|\s+")
_HUMAN = {"ALWAYS": "always", "TERMINATE": "at_termination", "NEVER": "never"}
_AGENT = {"name", "system_message", "description", "human_input_mode", "max_consecutive_auto_reply"}
_SILENT = ("model_context", "metadata", "model_client_stream")
"""Fields of an agent's component that say nothing of what it does."""

TERMINATE = "TERMINATE"


@dataclass
class Reading:
    """A configuration that is being read: what is wrong with it, and what is told of it."""

    faults: list[Fault] = field(default_factory=list)
    notes: list[Fault] = field(default_factory=list)

    def wrong(self, message: str, path: Path, hint: str = "") -> None:
        """Something that keeps it from being read."""
        self.faults.append(Fault(message, path, hint))

    def note(self, message: str, path: Path, hint: str = "") -> None:
        """Something that was left out, or is otherwise than it was."""
        self.notes.append(Fault(message, path, hint))

    def left_out(self, entry: Mapping[str, Any], known: Iterable[str], path: Path) -> None:
        """Tell each key that is not among those that are read."""
        for key in entry:
            if key not in known:
                self.note("it has no counterpart here, and was left out", (*path, key))

    def number(self, value: Any, path: Path) -> int | None:
        """A whole number of at least 1; None where nothing is given, or something else, which is told."""
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        self.wrong(f"{value!r} is no whole number of at least 1", path)
        return None

    def text(self, value: Any, path: Path) -> str:
        """A text that is not blank; "" where it is none, which is told."""
        if isinstance(value, str) and value.strip():
            return value
        self.wrong("it is a text", path)
        return ""

    def mapping(self, value: Any, path: Path) -> Mapping[str, Any]:
        """A mapping; an empty one where nothing is given, or something else, which is told."""
        if value is not None and not isinstance(value, Mapping):
            self.wrong("it is a mapping", path)
        return value if isinstance(value, Mapping) else {}

    def items(self, value: Any, path: Path) -> list[Any]:
        """A list; an empty one where nothing is given, or something else, which is told."""
        if value is not None and not isinstance(value, list):
            self.wrong("it is a list", path)
        return value if isinstance(value, list) else []

    def agent(self, entry: Any, path: Path) -> JsonObject:
        """An agent as a conversation has it: a name alone, an agent's fields, or a component."""
        if isinstance(entry, str):
            return {"name": named(self.text(entry, path))}
        if not isinstance(entry, Mapping):
            self.wrong("an agent is a name or a mapping with one", path)
            return {"name": "agent"}
        if isinstance(entry.get("config"), Mapping):
            return self.agent(entry["config"], (*path, "config"))
        found: JsonObject = {"name": named(self.text(entry.get("name"), (*path, "name")))}
        if prompt := str(entry.get("system_message") or "").strip():
            found["prompt"] = prompt
        if about := str(entry.get("description") or "").strip():
            found["about"] = about
        if (mode := entry.get("human_input_mode")) is not None:
            if mode not in _HUMAN:
                self.wrong(f"{mode!r} is no mode: they are {', '.join(_HUMAN)}", (*path, "human_input_mode"))
            elif mode != "NEVER":
                found["human"] = _HUMAN[mode]
        replies = self.number(entry.get("max_consecutive_auto_reply"), (*path, "max_consecutive_auto_reply"))
        if replies is not None:
            found["max_replies"] = replies
        self._told(entry, path)
        return found

    def _told(self, entry: Mapping[str, Any], path: Path) -> None:
        for key, value in entry.items():
            if key in ("llm_config", "model_client") and value:
                self.note("models are named under models, and their keys stand in the environment", (*path, key))
            elif key not in (*_AGENT, *_SILENT) and value:
                self.note("it has no counterpart here, and was left out", (*path, key))


def named(name: str) -> str:
    """A name that can be one of a node.

    Example:
        >>> named("User proxy"), named("a/b")
        ('User_proxy', 'a_b')
    """
    return _UNFIT.sub("_", name.strip())


def stops(word: str, match: str = "contains") -> Json:
    """A stop rule."""
    return {"word": word, "match": match}
