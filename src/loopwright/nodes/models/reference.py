"""A reference to a model: what a plan and a store hold of it. It never holds a key, only the name of a variable."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, fields
from typing import Annotated, Any, ClassVar, Literal, get_type_hints

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from loopwright.nodes.budget import Budget
from loopwright.nodes.models.addresses import api_address, model_name, proxy_address, variable_name
from loopwright.nodes.models.price import Price

_Count = Annotated[int, Field(ge=1, strict=True)]


def _of_calls(budget: Budget) -> Budget:
    if budget.seconds is not None:
        raise ValueError("seconds are counted for a run as a whole: they stand in the budget of the run")
    return budget


Structured = Literal["auto", "json_schema", "tool_call", "text"]
"""How structured answers are asked for; see `ladder`."""


@dataclass(frozen=True, slots=True)
class ModelRef:
    """Which chat model to ask, and how.

    Args:
        model: The model's name, as the provider has it.
        base_url: Address of an OpenAI-compatible API, without user, password or key; the provider's own when None.
        api_key_env: The environment variable that holds the key. It is read when the model is asked, and never
            stored.
        proxy: Address of a proxy that calls go through, without user or password, or None. One that needs them is
            named in the environment, as HTTPS_PROXY.
        temperature: Passed on when it is given, 0 to 2.
        timeout: Seconds that one call may take, more than 0 and at most a day.
        retries: How often a call that failed in a way that may pass is made again, 0 to 100.
        structured: How structured answers are asked for: `json_schema`, `tool_call` or `text`; `auto` begins with the
            first of them and goes on to the next where the server refuses one.
        repairs: How often the model is asked again when an answer is unreadable, 0 to 10.
        max_tokens: The most tokens of one answer, from 1 on; the provider cuts it there. The provider's own when None.
        budget: What its calls may take in one run, all together, or None; a `Budget` without `seconds`.
        price: What its tokens cost; the list of prices says it when None, where it knows the model.
        requests_per_minute: The most calls that begin within a minute, from 1 on; None for no limit. This and the next
            two hold for all runs of a process that use an equal reference, and a call waits for its turn.
        tokens_per_minute: The most tokens within a minute, from 1 on, or None.
        max_concurrency: The most calls at the same time, from 1 on, or None.

    In a file or in a stored plan, a field that is not one of these is refused.

    Raises:
        ValueError: Fields hold what they cannot; all of them are told.

    Example:
        >>> ModelRef("gpt-4o-mini", temperature=0.7).api_key_env
        'OPENAI_API_KEY'
        >>> ModelRef("gpt-4o-mini", timeout=-1)
        Traceback (most recent call last):
        ValueError: this ModelRef is not valid: timeout: input should be greater than 0, got -1
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    model: Annotated[str, AfterValidator(model_name)]
    _: KW_ONLY
    base_url: Annotated[str, AfterValidator(api_address)] | None = None
    api_key_env: Annotated[str, AfterValidator(variable_name)] = "OPENAI_API_KEY"
    proxy: Annotated[str, AfterValidator(proxy_address)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2, strict=True)] | None = None
    timeout: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False, strict=True)] = 60.0
    retries: Annotated[int, Field(ge=0, le=100, strict=True)] = 3
    structured: Structured = "auto"
    repairs: Annotated[int, Field(ge=0, le=10, strict=True)] = 1
    max_tokens: _Count | None = None
    budget: Annotated[Budget, AfterValidator(_of_calls)] | None = None
    price: Price | None = None
    requests_per_minute: _Count | None = None
    tokens_per_minute: _Count | None = None
    max_concurrency: _Count | None = None

    def __post_init__(self) -> None:
        if faults := [fault for name in _TYPES for fault in _faults(name, getattr(self, name))]:
            raise ValueError(f"this ModelRef is not valid: {'; '.join(faults)}")


_HINTS = get_type_hints(ModelRef, include_extras=True)
_TYPES: Mapping[str, TypeAdapter[Any]] = {field.name: TypeAdapter(_HINTS[field.name]) for field in fields(ModelRef)}


def _faults(name: str, value: object) -> list[str]:
    """What is wrong with the value of a field. Of values only numbers are shown: a text may hold a password."""
    try:
        _TYPES[name].validate_python(value, strict=True)
    except ValidationError as error:
        said = [detail["msg"].removeprefix("Value error, ") for detail in error.errors()]
        got = f", got {value!r}" if isinstance(value, int | float) else ""
        return [f"{name}: {words[:1].lower()}{words[1:]}{got}" for words in said]
    return []
