"""Goals that are actions: which of them a sequence of actions reaches."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["matched_actions"]


def matched_actions(goals: Sequence[Sequence[str]], names: Sequence[str]) -> int:
    """Return how many action goals the executed actions reach, each behind the one before it.

    A goal is its alternatives, of which the first that occurs later is taken. ``LOOKAT`` is also reached by
    ``LOOKAT_SHORT``.
    """
    place = count = 0
    for goal in goals:
        found = [_find(choice, names, place) for choice in goal]
        first = next((index for index in found if index is not None), None)
        if first is None:
            break
        place, count = first + 1, count + 1
    return count


def _find(choice: str, names: Sequence[str], place: int) -> int | None:
    for index in range(place, len(names)):
        if names[index] == choice or names[index].startswith(f"{choice}_"):
            return index
    return None
