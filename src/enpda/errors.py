"""The one exception a caller needs to know; the compiled core raises it too."""


class InputError(ValueError):
    """Something given to enpda cannot be used; the message says what was given and what is accepted."""


def brief(value: object, limit: int = 60) -> str:
    """Show a value in an error message without flooding it."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
