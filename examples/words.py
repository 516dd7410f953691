"""What card.yaml calls. The parameters are the names of its channels."""


def count(text: str) -> int:
    """The number of words, which goes to the channel `words`."""
    return len(text.split())


def fits(words: int) -> str:
    """One of the outcomes of the route."""
    return "fits" if words <= 25 else "too_long"
