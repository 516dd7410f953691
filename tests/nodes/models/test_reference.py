"""What a reference to a model may hold, in Python and in data, and that nothing secret is quoted."""

from dataclasses import asdict
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from loopwright.errors import SourceError
from loopwright.graphs.forms.role_cycle import RoleCycleSpec
from loopwright.nodes.models.reference import ModelRef
from loopwright.sources.specs import validated

INVALID = "this ModelRef is not valid: "
BLANK = "a model's name must not be blank"
NO_VARIABLE = (
    "this is no name of an environment variable, which has letters, digits and _; "
    "the key itself stands in that variable, never here"
)
NO_API = "this is no address: one begins with http:// or https://, and a host follows, without any space"
NO_PROXY = (
    "this is no address: one begins with http://, https://, socks5:// or socks5h://, and a host follows, "
    "without any space"
)
STORED = "this address is stored, so it has no user, no password, and nothing after ? or #; "
API_SECRET = f"{STORED}a key goes into the variable that api_key_env names"
PROXY_SECRET = (
    f"{STORED}leave it out, and set HTTPS_PROXY or HTTP_PROXY in the environment, where user and password may stand"
)

READ: TypeAdapter[ModelRef] = TypeAdapter(ModelRef)

REFUSED = [
    ("model", "", BLANK),
    ("model", " \t", BLANK),
    ("api_key_env", "A B", NO_VARIABLE),
    ("api_key_env", "1A", NO_VARIABLE),
    ("api_key_env", "sk-secret", NO_VARIABLE),
    ("api_key_env", "KEY\n", NO_VARIABLE),
    ("base_url", "", NO_API),
    ("base_url", "file:///etc/passwd", NO_API),
    ("base_url", "127.0.0.1:8080/v1", NO_API),
    ("base_url", "http://", NO_API),
    ("base_url", "http://:80/v1", NO_API),
    ("base_url", "http://h:port/v1", NO_API),
    ("base_url", "http://h:99999/v1", NO_API),
    ("base_url", "http://[::1/v1", NO_API),
    ("base_url", "http://h/v 1", NO_API),
    ("base_url", "http://h/v1\n", NO_API),
    ("base_url", "socks5://h/v1", NO_API),
    ("base_url", "http://me:secret@h/v1", API_SECRET),
    ("base_url", "http://secret@h/v1", API_SECRET),
    ("base_url", "http://h/v1?key=secret", API_SECRET),
    ("base_url", "http://h/v1#secret", API_SECRET),
    ("proxy", "127.0.0.1:3128", NO_PROXY),
    ("proxy", "ftp://h", NO_PROXY),
    ("proxy", "http://me:secret@h:3128", PROXY_SECRET),
    ("proxy", "http://h:3128?token=secret", PROXY_SECRET),
]


def test_only_the_name_must_be_given() -> None:
    assert asdict(READ.validate_python({"model": "gpt-4o-mini"})) == {
        "model": "gpt-4o-mini",
        "base_url": None,
        "api_key_env": "OPENAI_API_KEY",
        "proxy": None,
        "temperature": None,
        "timeout": 60.0,
        "retries": 3,
        "structured": "auto",
        "repairs": 1,
        "max_tokens": None,
        "budget": None,
        "price": None,
        "requests_per_minute": None,
        "tokens_per_minute": None,
        "max_concurrency": None,
    }


def test_a_reference_and_its_json_are_one() -> None:
    ref = ModelRef("m", base_url="http://localhost:1/v1", api_key_env="", temperature=0.0, timeout=0.5, retries=0)
    assert READ.validate_json(READ.dump_json(ref)) == ref
    assert READ.validate_python(asdict(ref)) == ref


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("api_key", "sk-1", "Unexpected keyword argument"),
        ("timeout", 0, "greater than 0"),
        ("structured", "json", "Input should be 'auto', 'json_schema', 'tool_call' or 'text'"),
        ("repairs", 11, "less than or equal to 10"),
        ("repairs", -1, "greater than or equal to 0"),
        ("timeout", -1, "greater than 0"),
        ("retries", -1, "greater than or equal to 0"),
        ("retries", 1.5, "valid integer"),
        ("temperature", "hot", "valid number"),
    ],
)
def test_what_a_file_may_not_say(field: str, value: Any, words: str) -> None:
    with pytest.raises(ValidationError, match=words) as caught:
        READ.validate_python({"model": "m", field: value})
    assert [error["loc"] for error in caught.value.errors()] == [(field,)]


def test_equal_references_share_a_client() -> None:
    assert len({ModelRef("m"), ModelRef("m"), ModelRef("m", retries=1)}) == 2


@pytest.mark.parametrize(("name", "text", "words"), REFUSED)
def test_texts_that_are_refused_are_not_quoted(name: str, text: str, words: str) -> None:
    fields: dict[str, Any] = {"model": "m", name: text}
    with pytest.raises(ValueError, match=INVALID) as caught:
        ModelRef(**fields)
    assert str(caught.value) == f"{INVALID}{name}: {words}"
    with pytest.raises(SourceError) as told:
        validated(RoleCycleSpec, {"task": "x", "models": {"default": fields}})
    assert [(fault.path, fault.message) for fault in told.value.faults] == [(("models", "default", name), words)]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("temperature", -0.1, "input should be greater than or equal to 0, got -0.1"),
        ("temperature", 99, "input should be less than or equal to 2, got 99"),
        ("temperature", float("inf"), "input should be less than or equal to 2, got inf"),
        ("timeout", 0, "input should be greater than 0, got 0"),
        ("timeout", float("inf"), "input should be a finite number, got inf"),
        ("timeout", float("nan"), "input should be a finite number, got nan"),
        ("timeout", 86_401, "input should be less than or equal to 86400, got 86401"),
        ("timeout", "60", "input should be a valid number"),
        ("retries", -1, "input should be greater than or equal to 0, got -1"),
        ("retries", 1_000_000, "input should be less than or equal to 100, got 1000000"),
        ("retries", True, "input should be a valid integer, got True"),
        ("model", None, "input should be a valid string"),
        ("base_url", b"http://me:secret@h", "input should be a valid string"),
    ],
)
def test_values_that_are_refused(name: str, value: Any, words: str) -> None:
    fields: dict[str, Any] = {"model": "m", name: value}
    with pytest.raises(ValueError, match=INVALID) as caught:
        ModelRef(**fields)
    assert str(caught.value) == f"{INVALID}{name}: {words}"


def test_all_that_is_wrong_is_told_at_once() -> None:
    fields: dict[str, Any] = {"model": "", "base_url": "file:///x", "api_key_env": "A B", "retries": -1, "timeout": -1}
    with pytest.raises(ValueError, match=INVALID) as caught:
        ModelRef(**fields)
    assert str(caught.value) == (
        f"{INVALID}model: {BLANK}; base_url: {NO_API}; api_key_env: {NO_VARIABLE}; "
        "timeout: input should be greater than 0, got -1; retries: input should be greater than or equal to 0, got -1"
    )
    with pytest.raises(SourceError) as told:
        validated(RoleCycleSpec, {"task": "x", "models": {"a": fields}})
    assert [fault.path[-1] for fault in told.value.faults] == ["model", "base_url", "api_key_env", "timeout", "retries"]


@pytest.mark.parametrize(
    "fields",
    [
        {"base_url": "https://api.example.com/v1/", "api_key_env": "_K1"},
        {"base_url": "HTTP://[::1]:8080"},
        {"base_url": "http://h/a@b", "api_key_env": ""},
        {"proxy": "socks5://127.0.0.1:1080"},
        {"temperature": 0, "timeout": 0.001, "retries": 0},
        {"temperature": 2.0, "timeout": 86_400, "retries": 100},
    ],
)
def test_what_may_stand_there_stays_as_it_is(fields: dict[str, Any]) -> None:
    ref = ModelRef("m", **fields)
    assert {name: getattr(ref, name) for name in fields} == fields
    assert READ.validate_python({"model": "m", **fields}) == ref
