"""How deep a comparison goes: a few cases in every run, and all of them in ``pytest -m deep``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def deep(*values: Any, id: str | None = None) -> Any:
    """Return a parameter set that only ``pytest -m deep`` runs."""
    return pytest.param(*values, id=id, marks=pytest.mark.deep)


def some(values: Iterable[Any], few: int) -> list[Any]:
    """Return all values as parameters: so many of them, spread evenly, for every run, the others for the deep one.

    A tuple is the values of several arguments.
    """
    found = list(values)
    quick = range(0, len(found), max(1, len(found) // few))[:few]
    return [value if place in quick else _deepened(value) for place, value in enumerate(found)]


def _deepened(value: Any) -> Any:
    if hasattr(value, "marks"):  # it is a parameter set already
        return pytest.param(*value.values, id=value.id, marks=(*value.marks, pytest.mark.deep))
    return deep(*value) if isinstance(value, tuple) else deep(value)
