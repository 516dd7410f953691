"""A reference to a model: what a plan and a store hold of it. It never holds a key, only the name of a variable."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field


@dataclass(frozen=True, slots=True)
class ModelRef:
    """Which chat model to ask, and how.

    Args:
        model: The model's name, as the provider has it.
        base_url: Address of an OpenAI-compatible API; the provider's own when None.
        api_key_env: The environment variable that holds the key. It is read when the model is first asked, and never
            stored.
        proxy: Address of a proxy that calls go through, or None.
        temperature: Passed on when it is given.
        timeout: Seconds that one call may take, more than 0.
        retries: How often a call that failed in a way that may pass is made again, 0 or more.

    In a file or in a stored plan, a field that is not one of these is refused.

    Example:
        >>> ModelRef("gpt-4o-mini", temperature=0.7).api_key_env
        'OPENAI_API_KEY'
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    model: str
    _: KW_ONLY
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    proxy: str | None = None
    temperature: float | None = None
    timeout: Annotated[float, Field(gt=0)] = 60.0
    retries: Annotated[int, Field(ge=0)] = 3
