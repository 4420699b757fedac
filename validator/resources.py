"""Where the grammars and the bundled models are: beside the package in a wheel, above it in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["resource"]


@cache
def resource(folder: str) -> Path:
    """Return the directory of ``grammars`` or ``domains``.

    A wheel carries them inside the package; an editable install reads them from the checkout.
    Raises FileNotFoundError when neither holds them.
    """
    here = Path(__file__).parent
    for candidate in (here / folder, here.parent / folder):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"plan-validator is not installed completely: no folder {folder!r} beside {here}")
