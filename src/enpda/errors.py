"""The one exception and the one warning a caller needs to know; the compiled core raises the exception too."""


class InputError(ValueError):
    """Something given to enpda cannot be used; the message says what was given and what is accepted."""


class InputWarning(UserWarning):
    """Something given to enpda is odd, such as a molecule that RDKit cannot sanitise, and is used all the same."""


def brief(value: object, limit: int = 60) -> str:
    """Show a value in an error message without flooding it."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
