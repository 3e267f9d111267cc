"""What to say where a package is missing that a row needs."""

from __future__ import annotations

TORCH = "needs PyTorch: pip install 'enpda[train]'"


def needed(error: ModuleNotFoundError) -> str:
    """Say which package to install."""
    if (error.name or "").partition(".")[0] == "torch":
        return TORCH
    return f"{error}; pip install 'enpda[bench,train]'"


def without_torch() -> str:
    """Say what to install where PyTorch is missing; nothing where it is there."""
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        return needed(error)
    return ""
