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

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from validator.records import dataclass

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


class Changes(NamedTuple):
    """What a script does to the lines of an answer: ``moved`` and ``replaced`` give their new places.

    ``dropped`` are the other lines that it lacks, ``added`` the places of the other inserted steps.
    """

    moved: Mapping[int, int]
    replaced: Mapping[int, int]
    dropped: Sequence[int]
    added: Sequence[int]

    @property
    def cost(self) -> int:
        return len(self.moved) + len(self.replaced) + len(self.dropped) + len(self.added)

    def faults(self, never: Callable[[int], Fault | None]) -> tuple[Fault, ...]:
        """Return the classes of the edits, sorted: what two scripts may differ in."""
        lost = (never(old) or Fault.ADDITIONAL_STEP for old in (*self.replaced, *self.dropped))
        order, missing = [Fault.WRONG_ORDER] * len(self.moved), [Fault.MISSING_STEP] * len(self.added)
        return tuple(sorted((*order, *missing, *lost)))

    def edits(self, script: Script, never: Callable[[int], Fault | None]) -> tuple[Edit, ...]:
        """Return the edits, in the order of the edited plan."""
        lost = {**self.replaced, **dict.fromkeys(self.dropped)}
        found = [Edit(fault=Fault.WRONG_ORDER, old=old, new=new) for old, new in self.moved.items()]
        found += [Edit(fault=never(old) or Fault.ADDITIONAL_STEP, old=old, new=new) for old, new in lost.items()]
        found += [Edit(fault=Fault.MISSING_STEP, new=new) for new in self.added]
        return tuple(sorted(found, key=lambda edit: _position(script, edit)))


def changes_of(lines: Sequence[Line], script: Script, never: Callable[[int], Fault | None]) -> Changes:
    """Return the fewest changes that a script stands for.

    ``never`` gives of a line that can never run the class that this is, else None.
    """
    dropped, added = _gaps(len(lines), script)
    if not dropped or not added:
        return Changes({}, {}, [*dropped], [*added])
    moved: dict[int, int] = {}
    free = dict(added)
    for old in dropped:
        new = next((new for new in free if script[new][1] == lines[old]), None)
        if new is not None:
            moved[old] = new
            del free[new]
    replaced: dict[int, int] = {}
    left = [old for old in dropped if old not in moved and never(old) is not None] if free else []
    if left:

        def fits(old: int, new: int) -> bool:
            line, step = lines[old], script[new][1]
            return dropped[old] == free[new] and (line[0] == step[0] or line[1:] == step[1:])

        replaced = _pairs(left, [*free], fits)
    taken = set(replaced.values())
    lost = [old for old in dropped if old not in moved and old not in replaced]
    return Changes(moved, replaced, lost, [new for new in free if new not in taken])


def _gaps(size: int, script: Script) -> tuple[dict[int, int], dict[int, int]]:
    """Return the lines of an answer that a script lacks, and where it has others, each with the kept line before it."""
    dropped: dict[int, int] = {}
    added: dict[int, int] = {}
    kept = INSERTED
    for place, (origin, _) in enumerate(script):
        if origin == INSERTED:
            added[place] = kept
            continue
        if origin > kept + 1:
            dropped.update(dict.fromkeys(range(kept + 1, origin), kept))
        kept = origin
    dropped.update(dict.fromkeys(range(kept + 1, size), kept))
    return dropped, added


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


def _position(script: Script, edit: Edit) -> tuple[int, int]:
    if edit.new is not None:
        return edit.new, 0
    before = (place + 1 for place, (origin, _) in enumerate(script) if origin != INSERTED and origin < (edit.old or 0))
    return max(before, default=0), -1
