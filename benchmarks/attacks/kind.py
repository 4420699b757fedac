"""One kind of claims that is attacked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Attack", "Kind", "outcome"]

Attack: TypeAlias = Callable[[int], Iterator[str]]
"""Takes a seed and yields for each check "proven" or "open"; raises AssertionError for a wrong answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """``against`` names the brute force, ``share`` is how many of all checks are of this kind, in parts."""

    name: str
    against: str
    attack: Attack
    share: int = 1


def outcome(proven: bool) -> str:
    return "proven" if proven else "open"
