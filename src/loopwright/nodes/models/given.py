"""What a user may give for a model, and what becomes of it."""

from loopwright.errors import RunError
from loopwright.nodes.models.contract import Model
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.runnable import Runnable, RunnableModel


def as_model(given: Model | ModelRef | Runnable | str) -> Model | ModelRef:
    """The model that is meant.

    Args:
        given: A model or a reference, which stay as they are; a name; or a LangChain chat model.

    Raises:
        RunError: It is none of these.

    Example:
        >>> as_model("gpt-4o-mini").model
        'gpt-4o-mini'
        >>> as_model(3)
        Traceback (most recent call last):
        loopwright.errors.RunError: an int is no model: give a name, a ModelRef, a ScriptedModel, a LangChain chat \
model, or a Model of your own
    """
    if isinstance(given, str):
        try:
            return ModelRef(given)
        except ValueError as error:
            raise RunError(str(error)) from error
    if isinstance(given, type):
        raise RunError(f"{given.__name__} is a class, and no model: give an instance, {given.__name__}(...)")
    if isinstance(given, ModelRef | Model):
        return given
    if isinstance(given, Runnable):
        return RunnableModel(given)
    kind = type(given).__name__
    article = "an" if kind[0].lower() in "aeiou" else "a"
    raise RunError(
        f"{article} {kind} is no model: give a name, a ModelRef, a ScriptedModel, a LangChain chat model, "
        "or a Model of your own"
    )
