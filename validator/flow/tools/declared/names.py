"""Names as people write them: how far two differ, which words one has, whether a user can say what it names."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

__all__ = ["is_misspelt", "is_said", "unlike", "words"]

_UNSAID = frozenset(("id", "ids", "uuid", "guid", "key", "token", "hash", "coordinates"))
_UNSAID |= {"lat", "latitude", "lon", "lng", "long", "longitude"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_said(name: str) -> bool:
    """Return whether a user can say a value of this name; ids and coordinates other calls yield."""
    words = _WORD.findall(name)
    return not words or words[-1].casefold() not in _UNSAID


def unlike(one: str, other: str) -> float:
    """Return from 0 to 1 how far two names differ; parts of the one that the other has count as alike."""
    one, other = one.casefold(), other.casefold()
    if one == other:
        return 0.0
    if len(one) + len(other) > 400:
        return 1.0
    rest = 1 - SequenceMatcher(None, one, other).ratio()
    return rest / 2 if one in other or other in one else rest


def words(name: str) -> set[str]:
    return {word.casefold().rstrip("s") for word in _WORD.findall(name)}


def is_misspelt(one: str, other: str) -> bool:
    """Return whether two labels are the same word, though not the same; other numbers are other words."""
    letters = ["".join(filter(str.isalpha, each.casefold())) for each in (one, other)]
    digits = ["".join(filter(str.isdigit, each)) for each in (one, other)]
    return digits[0] == digits[1] and unlike(*letters) <= 0.25
