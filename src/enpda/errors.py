"""The one exception and the one warning a caller needs to know; the compiled core raises the exception too."""

import os
import sys
import warnings
from types import FrameType

HERE = os.path.dirname(__file__) + os.sep


class InputError(ValueError):
    """Something given to enpda cannot be used; the message says what was given and what is accepted."""


class WriteError(OSError, InputError):
    """A file could not be written, and what was there before still is; an `OSError` too, with its `errno`."""

    what: str = "the file"
    """What the file was to hold, in words."""

    def __str__(self) -> str:
        return f"cannot write {self.what} {self.filename}: {self.strerror}"


class InputWarning(UserWarning):
    """Something given to enpda is odd, such as a molecule that RDKit cannot sanitise, and is used all the same."""


def warn(message: str, kind: type[Warning] = InputWarning) -> None:
    """Warn at the line outside of this package that led here."""
    level = 2
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(HERE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, kind, stacklevel=level)


def brief(value: object, limit: int = 60) -> str:
    """Show a value in an error message without flooding it, whatever the value is."""
    try:
        text = repr(value)
    except Exception:  # nested too deeply, an integer of thousands of digits, or a class that cannot show itself
        text = f"<{type(value).__name__} that cannot be shown>"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def unicode_text(what: str, value: object) -> str:
    """Return a string that can be written as UTF-8; raises InputError for all else, such as half a surrogate pair."""
    if not isinstance(value, str):
        raise InputError(f"{what} must be a string; got {brief(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} must be Unicode text, which has no lone surrogates; got {brief(value)}") from None
    return value
