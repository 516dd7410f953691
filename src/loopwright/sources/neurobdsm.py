"""NeuroBDSM's `cfg.py` as a role cycle that makes the calls which the original makes.

The file is never run, and no key is read: of a key only the name of a variable is taken.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from loopwright.documents.document import Document, Path, inside, leads
from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms.role_cycle import RoleCycleSpec
from loopwright.hints import did_you_mean
from loopwright.nodes.models.addresses import proxy_address
from loopwright.nodes.prompts import placeholders
from loopwright.sources.conversion import Conversion
from loopwright.sources.python_literals import Assigned, read_literals
from loopwright.sources.specs import validated
from loopwright.state.values import Json, JsonObject

VARIABLES = ("roles", "llms", "tasks", "min_iterations", "max_iterations", "stop_word")
"""What a `cfg.py` must have; `proxy` is optional here."""

_SHAPES: Mapping[Path, tuple[Any, str]] = {
    ("roles",): (dict, "a dictionary, from the names of the roles to their texts"),
    ("roles", "*"): (dict, "a dictionary with 'title' and 'role'"),
    ("roles", "*", "title"): (str, "a text"),
    ("roles", "*", "role"): (str, "a text"),
    ("llms",): (dict, "a dictionary, from the names of the roles to their models"),
    ("llms", "*"): (dict, "a dictionary with 'apikey', 'model' and 'base_url'"),
    ("llms", "*", "model"): (str, "a text"),
    ("llms", "*", "base_url"): (str | None, "a text"),
    ("tasks",): (list, "a list of texts"),
    ("tasks", "*"): (str, "a text"),
    ("min_iterations",): (int, "a whole number"),
    ("max_iterations",): (int, "a whole number"),
    ("stop_word",): (str, "a text"),
}
_TASK = "\nTask:\n<{task}>"
_HEAD = "Made of {file} by: loopwright convert neurobdsm. It makes the calls that NeuroBDSM makes, message by message."
_STOP = "As in the original, the word stops wherever it stands, also denied or quoted. `match: word` wants it alone."
_LABELS = "As in the original, roles are not told who said what. `true` puts titles before what others said."


def convert_neurobdsm(text: str, file: str = "cfg.py") -> Conversion:
    """Read the text of a `cfg.py`.

    Args:
        text: The code. It is not run.
        file: The file's name, for what is wrong.

    Raises:
        SourceError: Something is missing, is no literal, or makes no role cycle; all of it, each with its line.

    Example:
        >>> code = '''
        ... roles = {'solver': {'title': 'S', 'role': 'Solve.'}, 'boss': {'title': 'B', 'role': 'Say END.'}}
        ... llms = {'solver': llm(1), 'boss': {'apikey': unpwdkeys.key, 'model': 'gpt-4o-mini', 'base_url': None}}
        ... tasks = ['Bridge?']
        ... min_iterations = 1
        ... max_iterations = 3
        ... stop_word = 'END'
        ... '''
        >>> try:
        ...     convert_neurobdsm(code)
        ... except SourceError as error:
        ...     error.faults[0].line, error.faults[0].key, error.faults[0].message
        (3, 'llms.solver', 'this is a call')
        >>> literal = "{'apikey': key, 'model': 'gpt-4o-mini', 'base_url': None}"
        >>> convert_neurobdsm(code.replace("llm(1)", literal)).data["models"]
        {'default': {'model': 'gpt-4o-mini', 'api_key_env': 'KEY'}}
    """
    notes: list[Fault] = []
    try:
        read = read_literals(text, {*VARIABLES, "proxy"}, {("llms", "*", "apikey"): _KeyVariables(notes)})
    except SourceError as error:
        raise SourceError(Document(None, file=file).located(error.faults)) from error
    config: Any = read.document.data
    document = replace(read.document, file=file)
    told = {fault.path for fault in read.faults}
    faults = [*read.faults, *_missing(read), *_misshapen(config, told)]
    if not faults:
        faults += _faults_of(config)
    if faults:
        raise SourceError(document.located(faults))
    return _converted(config, document, notes)


class _KeyVariables:
    """What stands for a key: the name of the environment variable that is to hold it, or "" for a server without one.

    Args:
        notes: Takes a note where a key itself stands in the file.
    """

    def __init__(self, notes: list[Fault]) -> None:
        self._notes = notes

    def __call__(self, path: Path, node: ast.expr) -> Json:
        match node:
            case ast.Constant(value=""):
                return ""
            case ast.Constant(value=None):
                return "OPENAI_API_KEY"
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return _variable(name)
            case ast.Subscript(slice=ast.Constant(value=str() as name)) if ast.unparse(node.value) == "os.environ":
                return name
            case ast.Call(func=func, args=[ast.Constant(value=str() as name), *others]) if ast.unparse(func) in (
                "os.getenv",
                "os.environ.get",
            ):
                if any(not isinstance(other, ast.Constant) or other.value for other in others):
                    self._note(name, path, node)
                return name
        name = _variable(f"{path[1]}_apikey")
        self._note(name, path, node)
        return name

    def _note(self, name: str, path: Path, node: ast.expr) -> None:
        hint = f"set {name} in the environment; a key that stood in a file is best replaced"
        self._notes.append(Fault("a key stands here, and was not copied", path, hint, line=node.lineno))


def _variable(name: str) -> str:
    """The environment variable for a name of the key file.

    Example:
        >>> _variable("solver_apikey"), _variable("2nd role_apikey")
        ('SOLVER_APIKEY', '_2ND_ROLE_APIKEY')
    """
    made = re.sub(r"\W", "_", name, flags=re.ASCII).upper()
    return f"_{made}" if made[:1].isdigit() else made


def _missing(read: Assigned) -> Iterator[Fault]:
    for name in VARIABLES:
        if not leads(read.document.data, name):
            near = get_close_matches(name, read.others, n=1)
            hint = f"did you mean {near[0]!r}, in line {read.others[near[0]]}?" if near else ""
            yield Fault(f"the variable {name!r} is missing", hint=hint, line=1)


def _misshapen(config: Any, told: set[Path]) -> Iterator[Fault]:
    """Values of another type than NeuroBDSM takes; of what could not be read that is told already."""
    for pattern, (type_, words) in _SHAPES.items():
        for path in _places(config, pattern):
            value = _at(config, path)
            if path not in told and (not isinstance(value, type_) or isinstance(value, bool)):
                yield Fault(f"expected {words}", path)


def _places(config: Any, pattern: Path) -> Iterator[Path]:
    """The places of a configuration that a pattern stands for."""
    found: list[Path] = [()]
    for part in pattern:
        nearer: list[Path] = []
        for path in found:
            held = _at(config, path)
            names = list(held) if isinstance(held, dict) else list(range(len(held))) if isinstance(held, list) else []
            nearer += [(*path, name) for name in names if part in ("*", name)]
        found = nearer
    yield from found


def _at(config: Any, path: Path) -> Any:
    for part in path:
        config = inside(config, part)
    return config


def _faults_of(config: Any) -> Iterator[Fault]:
    """What NeuroBDSM itself would fail at, or take otherwise than it was meant."""
    for name, role in config["roles"].items():
        path = ("roles", name)
        if "role" not in role:
            yield Fault("the key 'role' is missing", path)
        for found in placeholders(role.get("role", "")):
            hint = "there is no way to have it in a brief as it is: write it otherwise"
            yield Fault(f"<{{{found}}}> is a placeholder in loopwright", (*path, "role"), hint)
        if name not in config["llms"]:
            yield Fault(f"there is no model for the role {name!r}", ("llms",), did_you_mean(name, config["llms"]))
    for name, model in config["llms"].items():
        yield from (
            Fault(f"the key {key!r} is missing", ("llms", name))
            for key in ("apikey", "model", "base_url")
            if key not in model
        )
    if not config["roles"]:
        yield Fault("there are no roles", ("roles",))
    if not config["tasks"]:
        yield Fault("there are no tasks", ("tasks",), "NeuroBDSM would do nothing")
    if config["stop_word"] == "":
        yield Fault("the stop word is empty", ("stop_word",), "every reply holds it, so NeuroBDSM would always stop")
    if config["max_iterations"] < 1:
        said = f"{config['max_iterations']} is less than 1"
        yield Fault(said, ("max_iterations",), "NeuroBDSM would ask nobody; a role cycle has at least one round")


def _converted(config: Any, document: Document, notes: list[Fault]) -> Conversion:
    """The role cycle of a configuration that was read."""
    names = list(config["roles"])
    models, model_of = _models(config, notes)
    comments: dict[Path, str] = {(): _HEAD.format(file=document.file.rpartition("/")[2]), ("labels",): _LABELS}
    comments["stop",] = _STOP
    comments["rounds",] = _said_of_rounds(config["min_iterations"], config["max_iterations"])
    variables = dict.fromkeys(str(model["api_key_env"]) for model in models.values() if model["api_key_env"])
    if variables:
        comments["models",] = f"Keys stand in the environment, never here: {', '.join(variables)}."
    tasks = config["tasks"]
    least, most = config["min_iterations"] + 1, config["max_iterations"]
    data: JsonObject = {
        "kind": "role_cycle",
        "name": "neurobdsm",
        **({"task": tasks[0]} if len(tasks) == 1 else {"tasks": tasks}),
        "rounds": {"min": max(1, min(least, most)), "max": most},
        "stop": {"role": names[-1], "word": config["stop_word"], "match": "contains"},
        "labels": False,
        "models": dict(models),
        "roles": {name: _role(config["roles"][name], model_of[name]) for name in names},
    }
    notes += _left_out(config)
    _require_valid(data, document, model_of)
    return Conversion(data, comments, tuple(document.located(notes)))


def _said_of_rounds(least: int, most: int) -> str:
    heard = f"min_iterations was {least}, counted from 0, so the stop word is heard from round {max(least, 0) + 1} on"
    if least < most:
        return f"{heard}."
    return f"{heard}: never, as there are {most} of them. Here it is heard in the last one, after the same calls."


def _models(config: Any, notes: list[Fault]) -> tuple[dict[str, JsonObject], dict[str, str]]:
    """The model references by name, those that are the same once; and the name of each role's."""
    refs = {name: _model(config["llms"][name], config.get("proxy")) for name in config["roles"]}
    named: dict[str, JsonObject] = {}
    names: dict[str, str] = {}
    for role, ref in refs.items():
        names[role] = next((name for name, other in named.items() if other == ref), role)
        named.setdefault(names[role], ref)
    if config.get("proxy"):
        notes.append(_said_of_proxy(refs.values()))
    if len(named) == 1:
        return {"default": next(iter(named.values()))}, dict.fromkeys(names, "default")
    return named, names


def _model(llm: Mapping[str, Any], proxy: Any) -> JsonObject:
    ref: JsonObject = {"model": llm["model"], "api_key_env": llm["apikey"]}
    if llm["base_url"] is not None:
        ref["base_url"] = llm["base_url"]
    if isinstance(proxy, dict):
        scheme = urlsplit(str(llm["base_url"] or "https:")).scheme
        proxy = proxy.get(scheme) or proxy.get("all") or next(iter(proxy.values()), None)
    try:
        return {**ref, "proxy": proxy_address(proxy)} if isinstance(proxy, str) and proxy else ref
    except ValueError:
        return ref


def _said_of_proxy(refs: Any) -> Fault:
    if any("proxy" in ref for ref in refs):
        return Fault("calls go through the proxy now", ("proxy",), "with openai 1.0 or later it had no effect")
    hint = "set HTTPS_PROXY or HTTP_PROXY in the environment, where user and password may stand"
    return Fault("the proxy was left out, as it holds a password or is no address", ("proxy",), hint)


def _role(role: Mapping[str, str], model: str) -> JsonObject:
    return {
        **({"title": role["title"]} if role.get("title") else {}),
        **({"model": model} if model != "default" else {}),
        "brief": role["role"] + _TASK,
    }


def _left_out(config: Any) -> Iterator[Fault]:
    """What NeuroBDSM never looks at, and what a role cycle sees otherwise."""
    for name in config["llms"]:
        if name not in config["roles"]:
            yield Fault("no role has this model, so it was left out", ("llms", name))
    for place, known in (("roles", ("title", "role")), ("llms", ("apikey", "model", "base_url"))):
        for name, entry in config[place].items():
            for key in entry:
                if key not in known:
                    yield Fault("NeuroBDSM does not look at this, so it was left out", (place, name, key))
    for name, role in config["roles"].items():
        if role["role"][:1].isspace():
            yield Fault("the text begins with blank space, which was left out", ("roles", name, "role"))
    if config["stop_word"] != config["stop_word"].strip():
        yield Fault("blank space around the stop word does not count any more", ("stop_word",))


def _require_valid(data: JsonObject, document: Document, model_of: Mapping[str, str]) -> None:
    """Whatever else keeps it from being a role cycle, told at its place in the configuration.

    Raises:
        SourceError: It is none.
    """
    try:
        validated(RoleCycleSpec, data)
    except SourceError as error:
        faults = [replace(fault, path=_place_in_config(fault.path, model_of)) for fault in error.faults]
        raise SourceError(document.located(faults)) from error


def _place_in_config(path: Path, model_of: Mapping[str, str]) -> Path:
    """Where a part of the role cycle stands in the configuration."""
    match path:
        case ("task", *_):
            return ("tasks", 0)
        case ("rounds", "max" | "min" as end):
            return (f"{end}_iterations",)
        case ("stop", "word"):
            return ("stop_word",)
        case ("roles", name, "brief"):
            return ("roles", name, "role")
        case ("models", name, *field):
            role = next((role for role, model in model_of.items() if model == name), str(name))
            return ("llms", role, *("apikey" if part == "api_key_env" else part for part in field))
    return path
