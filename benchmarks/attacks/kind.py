"""One kind of claims that is attacked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

__all__ = ["Attack", "Kind", "has_solver", "outcome"]

Attack: TypeAlias = Callable[[int], Iterator[str]]
"""Takes a seed and yields for each check "proven" or "open"; raises AssertionError for a wrong answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """``against`` names the brute force, ``share`` is how many of all checks are of this kind, in parts."""

    name: str
    against: str
    attack: Attack
    share: int = 1


@cache
def has_solver() -> bool:
    """Return whether the solver of the extra ``model-repair`` is there."""
    try:
        import pysat  # noqa: F401
    except ImportError:
        return False
    return True


def outcome(proven: bool) -> str:
    return "proven" if proven else "open"
