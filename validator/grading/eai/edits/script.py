"""Scripts of edits between an answer and a plan, and the class of each edit.

A script is the edited plan itself: its items are the answer's own lines, each with its place there, and inserted steps.
What it costs is the fewest edits that explain it, each of cost 1:

- *move*: a line of the answer stands elsewhere; *wrong order*;
- *replace*: a line that can never run gives way to a step with its action or with its objects; *affordance*, or
  *hallucination* when it names what is not there;
- *delete*: *additional step*; of a line that can never run, the class is the same as if it were replaced;
- *insert*: *missing step*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TypeAlias

from validator.records import dataclass

__all__ = ["INSERTED", "Edit", "Fault", "Item", "Line", "Script", "edits_of", "faults"]

Line: TypeAlias = tuple[str, ...]
"""A step: the action, then its objects."""

Item: TypeAlias = tuple[int, Line]
"""A line of the answer with its place there, or an inserted step with ``INSERTED``."""

Script: TypeAlias = tuple[Item, ...]

INSERTED = -1


class Fault(StrEnum):
    """What an edit shows to be wrong; in the order in which one is preferred when several scripts are nearest."""

    WRONG_ORDER = "wrong_order"
    MISSING_STEP = "missing_step"
    AFFORDANCE = "affordance"
    HALLUCINATION = "hallucination"
    ADDITIONAL_STEP = "additional_step"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One edit: ``old`` is the place of a line in the answer, ``new`` that of a step in the edited plan, from 0."""

    fault: Fault
    old: int | None = None
    new: int | None = None

    @property
    def kind(self) -> str:
        if self.old is None:
            return "insert"
        if self.new is None:
            return "delete"
        return "move" if self.fault is Fault.WRONG_ORDER else "replace"


def edits_of(lines: Sequence[Line], script: Script, never: Callable[[int], Fault | None]) -> tuple[Edit, ...]:
    """Return the fewest edits that a script stands for, in the order of the edited plan.

    ``never`` gives of a line that can never run the class that this is, else None.
    """
    kept = {origin for origin, _ in script}
    deleted = [place for place in range(len(lines)) if place not in kept]
    inserted = [place for place, (origin, _) in enumerate(script) if origin == INSERTED]
    moved = _pairs(deleted, inserted, lambda old, new: lines[old] == script[new][1])
    left = [old for old in deleted if old not in moved and never(old) is not None]
    free = [new for new in inserted if new not in moved.values()]
    swapped = _pairs(left, free, lambda old, new: _replaces(lines, script, old, new))
    found = [Edit(fault=Fault.WRONG_ORDER, old=old, new=new) for old, new in moved.items()]
    found += [
        Edit(fault=never(old) or Fault.ADDITIONAL_STEP, old=old, new=swapped.get(old))
        for old in deleted
        if old not in moved
    ]
    found += [Edit(fault=Fault.MISSING_STEP, new=new) for new in free if new not in swapped.values()]
    return tuple(sorted(found, key=lambda edit: _position(script, edit)))


def faults(edits: Sequence[Edit]) -> tuple[Fault, ...]:
    """Return the classes of a script, sorted: what two scripts may differ in."""
    return tuple(sorted(edit.fault for edit in edits))


def _pairs(olds: Sequence[int], news: Sequence[int], fits: Callable[[int, int], bool]) -> dict[int, int]:
    """Pair deleted lines with inserted steps, as many as can be (augmenting paths)."""
    mate: dict[int, int] = {}

    def placed(old: int, seen: set[int]) -> bool:
        for new in news:
            if new not in seen and fits(old, new):
                seen.add(new)
                if new not in mate or placed(mate[new], seen):
                    mate[new] = old
                    return True
        return False

    for old in olds:
        placed(old, set())
    return {old: new for new, old in mate.items()}


def _replaces(lines: Sequence[Line], script: Script, old: int, new: int) -> bool:
    """Return whether an inserted step stands where a line stood, with its action or with its objects."""
    before = max((origin for origin, _ in script[:new]), default=INSERTED)
    after = min((origin for origin, _ in script[new:] if origin != INSERTED), default=len(lines))
    line, step = lines[old], script[new][1]
    return before < old < after and (line[0] == step[0] or line[1:] == step[1:])


def _position(script: Script, edit: Edit) -> tuple[int, int]:
    if edit.new is not None:
        return edit.new, 0
    before = (place + 1 for place, (origin, _) in enumerate(script) if origin != INSERTED and origin < (edit.old or 0))
    return max(before, default=0), -1
