"""StepDiffs, and the git-style text that shows them and is applied again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from validator.errors import PlanError
from validator.reading.plan import Token
from validator.records import dataclass
from validator.repair.alignment import common_pairs
from validator.repair.edit import Edit, Move

if TYPE_CHECKING:
    from validator.reading.tokens import Vocabulary

__all__ = ["CONTEXT", "DiffAction", "StepDiff", "apply_diff", "line_diffs", "step_diffs", "unified"]

CONTEXT = 3
"""unchanged lines around a change, as git has them"""


class DiffAction(StrEnum):
    """What a diff does with a step; a step that stays has none."""

    ADD = "+"
    DELETE = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDiff:
    """A step that is added, deleted, or (``diff_type`` None) stays."""

    diff_type: DiffAction | None
    step: Token

    def __str__(self) -> str:
        return f"{self.diff_type.value if self.diff_type else ' '}{self.step}"


_ACTIONS = {Move.KEEP: None, Move.SKIP: DiffAction.DELETE, Move.INSERT: DiffAction.ADD}


def step_diffs(edits: Iterable[Edit]) -> tuple[StepDiff, ...]:
    """Return the edits as StepDiffs; between two steps that stay, deletions come before additions, as in git."""
    found: list[StepDiff] = []
    for kept, group in groupby(edits, key=lambda edit: edit.move is Move.KEEP):
        diffs = [StepDiff(diff_type=_ACTIONS[edit.move], step=edit.token) for edit in group]
        found += diffs if kept else sorted(diffs, key=lambda diff: diff.diff_type is DiffAction.ADD)
    return tuple(found)


def line_diffs(
    written: Sequence[Token], repaired: Sequence[Token], line: Callable[[Token], str] = str
) -> Iterator[StepDiff]:
    """Yield the diffs of two plans as they are printed, by a longest common subsequence of their lines."""
    common = common_pairs([line(token) for token in written], [line(token) for token in repaired])
    i = j = 0
    for old, new in (*common, (len(written), len(repaired))):
        yield from (StepDiff(diff_type=DiffAction.DELETE, step=step) for step in written[i:old])
        yield from (StepDiff(diff_type=DiffAction.ADD, step=step) for step in repaired[j:new])
        if new < len(repaired):
            yield StepDiff(diff_type=None, step=repaired[new])
        i, j = old + 1, new + 1


def unified(diffs: Sequence[StepDiff], context: int | None = None, name: str = "plan", after: str | None = None) -> str:
    """Return the diff as text in the unified format; empty when nothing changes.

    ``context`` is the number of unchanged lines around a change; None shows the whole plan. Lines are steps,
    numbered from 1 as in git. ``after`` names the new side; it is the repaired plan without.
    """
    if all(diff.diff_type is None for diff in diffs):
        return ""
    lines = [f"--- {name}", f"+++ {after or f'{name} (repaired)'}"]
    for start, end in _hunks(diffs, len(diffs) if context is None else context):
        before, inside = diffs[:start], diffs[start:end]
        old, new = _count(before, DiffAction.DELETE), _count(before, DiffAction.ADD)
        old_length, new_length = _count(inside, DiffAction.DELETE), _count(inside, DiffAction.ADD)
        lines.append(f"@@ -{_range(old, old_length)} +{_range(new, new_length)} @@")
        lines += map(str, inside)
    return "\n".join(lines) + "\n"


def _range(before: int, length: int) -> str:
    """Return ``first,length``; an empty range names the line before it, as in git."""
    return f"{before + bool(length)},{length}"


def _count(diffs: Iterable[StepDiff], action: DiffAction) -> int:
    """Return how many lines the side has on which ``action`` happens."""
    return sum(diff.diff_type in (None, action) for diff in diffs)


def _hunks(diffs: Sequence[StepDiff], context: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of changes with their context; ranges that touch are one."""
    start = end = -1
    for index, diff in enumerate(diffs):
        if diff.diff_type is None:
            continue
        first, last = max(0, index - context), min(len(diffs), index + context + 1)
        if start >= 0 and first <= end:
            end = last
            continue
        if start >= 0:
            yield start, end
        start, end = first, last
    if start >= 0:
        yield start, end


# --- applying ------------------------------------------------------------------------------------

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class _Hunk:
    start: int
    """index of the first old line"""
    lines: tuple[str, ...]


def apply_diff(diff: str, plan: str, vocabulary: Vocabulary | None = None) -> tuple[str, ...]:
    """Return the steps of the repaired plan, one line each.

    ``plan`` is a plan text in any dialect. Without a vocabulary its steps are recognised by their shape and,
    if that does not fit the diff, by the names in the diff. Raises PlanError when the diff is none, or was
    made for another plan.
    """
    hunks = _parse(diff)
    for earlier, later in pairwise(hunks):
        if later.start < earlier.start + len(_old(earlier)):
            raise PlanError(f"the hunk at step {later.start + 1} of the diff overlaps the one before it")
    vocabularies = [vocabulary] if vocabulary is not None else [None, _vocabulary(hunks)]
    for attempt in vocabularies:
        lines = _lines(plan, attempt)
        if all(_fits(hunk, lines) for hunk in hunks):
            return tuple(_patched(lines, hunks))
    bad = next(hunk for hunk in hunks if not _fits(hunk, lines))
    raise PlanError(f"the diff does not fit the plan at step {bad.start + 1}; it was made for another plan")


def _lines(plan: str, vocabulary: Vocabulary | None) -> list[str]:
    from validator.reading.tokens import tokenize  # which loads all notations, and reports need none

    read = tokenize(plan, vocabulary)
    return [str(token) for token in (read.tokens or read.unread)]


def _parse(diff: str) -> list[_Hunk]:
    hunks: list[_Hunk] = []
    wanted = (0, 0)
    for number, line in enumerate(diff.splitlines(), start=1):
        match = _HUNK.fullmatch(line.rstrip())
        if match:
            start, old, _, new = (1 if number is None else int(number) for number in match.groups())
            hunks.append(_Hunk(start - bool(old), ()))
            wanted = (old, new)
        elif any(wanted):
            if line[:1] not in ("+", "-", " "):
                raise PlanError(f"line {number} of the diff begins with none of '+', '-' and ' ': {line!r}")
            wanted = (wanted[0] - (line[0] != "+"), wanted[1] - (line[0] != "-"))
            hunks[-1] = _Hunk(hunks[-1].start, (*hunks[-1].lines, line))
    if not hunks or any(wanted):
        raise PlanError(
            "the diff has no hunk '@@ -a,b +c,d @@'" if not hunks else "the last hunk of the diff is cut off"
        )
    return hunks


def _vocabulary(hunks: Sequence[_Hunk]) -> Vocabulary:
    """Return the names of the steps in a diff."""
    from validator.reading.tokens import Vocabulary

    steps = [line[2:-1].split() for hunk in hunks for line in hunk.lines if line[1:2] == "(" and line.endswith(")")]
    named = [step for step in steps if step]
    return Vocabulary(
        actions={step[0]: len(step) - 1 for step in named},
        objects=frozenset(arg for step in named for arg in step[1:]),
    )


def _old(hunk: _Hunk) -> list[str]:
    return [line[1:] for line in hunk.lines if line[0] != "+"]


def _fits(hunk: _Hunk, lines: Sequence[str]) -> bool:
    old = _old(hunk)
    return hunk.start <= len(lines) and list(lines[hunk.start : hunk.start + len(old)]) == old


def _patched(lines: Sequence[str], hunks: Sequence[_Hunk]) -> Iterator[str]:
    place = 0
    for hunk in hunks:
        yield from lines[place : hunk.start]
        yield from (line[1:] for line in hunk.lines if line[0] != "-")
        place = hunk.start + len(_old(hunk))
    yield from lines[place:]
