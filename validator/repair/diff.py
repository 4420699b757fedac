"""StepDiffs, and the git-style text that shows them and is applied again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from validator.errors import PlanError
from validator.reading.plan import Step, TimedStep, Token
from validator.records import dataclass
from validator.repair.alignment import common_pairs
from validator.repair.edit import Edit, Move

if TYPE_CHECKING:
    from validator.reading.tokens import Vocabulary


CONTEXT = 3
"""unchanged lines around a change, as git has them"""

_STAMP = re.compile(r"\d[\d.]*: \(")
"""the time before a step of a plan over time"""


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

Hunk: TypeAlias = tuple[int, tuple[list[str], list[str]]]
"""The index of the first old line; the old lines and the new ones, each with its end."""

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*")
_SIDES: Mapping[str, tuple[int, ...]] = {" ": (0, 1), "-": (0,), "+": (1,)}
"""on which side a line is, the old one or the new one, by the sign that it begins with"""


def apply_diff(diff: str, plan: str | Sequence[Token]) -> tuple[str, ...]:
    """Return the steps of the repaired plan, one line each.

    ``plan`` is a plan text in any dialect, or its steps: those of a plan in words are known from a report only, as its
    ``reference``. The steps of a text are recognised by their shape and, if that does not fit the diff, by the names in
    the diff; a diff in words is one of the lines of the text. Raises PlanError when the diff is none, or was made for
    another plan.
    """
    hunks = hunks_of(diff.replace("\r\n", "\n"))
    if not isinstance(plan, str):
        return _applied(hunks, _printed(plan, hunks))
    with suppress(PlanError):
        return _applied(hunks, _lines(plan, None, hunks))
    try:
        return _applied(hunks, _lines(plan, _vocabulary(hunks), hunks))
    except PlanError as error:
        return _in_words(hunks, plan, error)


def _applied(hunks: Iterable[Hunk], lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line.removesuffix("\n") for line in patched(hunks, lines, "plan at step"))


def _in_words(hunks: Sequence[Hunk], plan: str, error: PlanError) -> tuple[str, ...]:
    """Return the lines of a plan with a diff of its lines applied. Raises PlanError where they do not fit either."""
    from validator.reading.plan import Dialect
    from validator.reading.tokens import tokenize

    try:
        return _applied(hunks, [f"{line}\n" for line in plan.splitlines()])
    except PlanError:
        if tokenize(plan, _vocabulary(hunks)).dialect is not Dialect.WORDS:
            raise error from None
        way = "give its model, too: apply DIFF DOMAIN PROBLEM PLAN"
        raise PlanError(f"a diff of steps cannot be applied to a plan in words alone: {way}") from None


def _lines(plan: str, vocabulary: Vocabulary | None, hunks: Sequence[Hunk]) -> list[str]:
    from validator.reading.tokens import tokenize  # which loads all notations, and reports need none

    read = tokenize(plan, vocabulary)
    return _printed(read.tokens or read.unread, hunks)


def _printed(tokens: Iterable[Token], hunks: Sequence[Hunk]) -> list[str]:
    """Return the lines of steps as the diff has them: with their times in a diff of a plan over time."""
    is_timed = any(_STAMP.match(line) for _, sides in hunks for side in sides for line in side)
    return [f"{TimedStep.of(token) if is_timed and isinstance(token, Step) else token}\n" for token in tokens]


def _vocabulary(hunks: Iterable[Hunk]) -> Vocabulary:
    """Return the names of the steps in a diff."""
    from validator.reading.tokens import Vocabulary

    lines = (line.strip() for _, sides in hunks for side in sides for line in side)
    steps = [line[1:-1].split() for line in lines if line.startswith("(") and line.endswith(")")]
    named = [step for step in steps if step]
    return Vocabulary(
        actions={step[0]: len(step) - 1 for step in named},
        objects=frozenset(arg for step in named for arg in step[1:]),
    )


def patched(hunks: Iterable[Hunk], lines: Sequence[str], place: str) -> list[str]:
    """Return lines with hunks applied. Raises PlanError where they do not fit; ``place`` is what a line is called."""
    found, behind = list[str](), 0
    for start, (old, new) in hunks:
        if not behind <= start <= len(lines) or lines[start : start + len(old)] != old:
            what = place.split()[0]
            raise PlanError(f"the diff does not fit the {place} {start + 1}; it was made for another {what}")
        found += (*lines[behind:start], *new)
        behind = start + len(old)
    return [*found, *lines[behind:]]


_NO_HUNK = "the diff has no hunk '@@ -a,b +c,d @@': reports without a repair, and of flows and tool calls, have none"


def hunks_of(diff: str) -> list[Hunk]:
    """Return the hunks of the first file of a diff. Raises PlanError for a diff without any, or with a part of one."""
    hunks, missing, touched = list[Hunk](), [0, 0], list[list[str]]()
    for number, line in enumerate(lines_of(diff), start=1):
        header = _HUNK.fullmatch(line.rstrip("\r\n"))
        if line.startswith("\\") and hunks:  # no line end behind the line before
            for side in touched:
                side[-1] = side[-1].removesuffix("\n")
        elif any(missing):
            if line[0] not in _SIDES:
                raise PlanError(f"line {number} of the diff begins with none of '+', '-' and ' ': {line.rstrip()!r}")
            touched = [hunks[-1][1][side] for side in _SIDES[line[0]]]
            for side in touched:
                side.append(line[1:] if line.endswith("\n") else f"{line[1:]}\n")
            missing = [number - (side in _SIDES[line[0]]) for side, number in enumerate(missing)]
        elif header is not None:
            start, old, _, new = (1 if number is None else int(number) for number in header.groups())
            hunks.append((start - bool(old), ([], [])))
            missing = [old, new]
        elif hunks and line.startswith("--- "):  # the diff of another file
            break
    if not hunks or any(missing):
        raise PlanError("the last hunk of the diff is cut off" if hunks else _NO_HUNK)
    return hunks


def lines_of(text: str) -> list[str]:
    """Return lines with their ends; only a line feed ends one, as in git."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
