"""The StepDiffs of a flow's plan, in the steps that people see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from validator.flow.plans.tokens import Call
from validator.reading.plan import Token
from validator.repair.diff import DiffAction, StepDiff
from validator.repair.sequences import common_pairs

if TYPE_CHECKING:
    from validator.flow.plans.shape import Expanded

__all__ = ["by_calls", "by_lines", "by_steps"]


def by_steps(diffs: Iterable[StepDiff], written: Sequence[Token], repaired: Sequence[Token]) -> Iterator[StepDiff]:
    """Yield the diffs of the model's steps in the steps that people see, one for one."""
    old, new = iter(written), iter(repaired)
    for diff in diffs:
        before = next(old) if diff.diff_type is not DiffAction.ADD else None
        after = next(new) if diff.diff_type is not DiffAction.DELETE else None
        step = after or before
        assert step is not None
        yield StepDiff(diff_type=diff.diff_type, step=step)


def by_lines(written: Sequence[Token], repaired: Sequence[Token], line: Callable[[Token], str]) -> Iterator[StepDiff]:
    """Yield the diffs of two plans as they are printed, by a longest common subsequence of their lines."""
    common = common_pairs([line(token) for token in written], [line(token) for token in repaired])
    i = j = 0
    for old, new in (*common, (len(written), len(repaired))):
        yield from (StepDiff(diff_type=DiffAction.DELETE, step=step) for step in written[i:old])
        yield from (StepDiff(diff_type=DiffAction.ADD, step=step) for step in repaired[j:new])
        if new < len(repaired):
            yield StepDiff(diff_type=None, step=repaired[new])
        i, j = old + 1, new + 1


def by_calls(
    diffs: Iterable[StepDiff], written: Sequence[Token], expanded: Expanded, repaired: Sequence[Token]
) -> Iterator[StepDiff]:
    """Yield the diffs of calls that were expanded to mappings and a call; mappings are not shown."""
    origins, new = iter(expanded.origins), iter(repaired)
    for diff in diffs:
        origin = next(origins) if diff.diff_type is not DiffAction.ADD else None
        after = next(new) if diff.diff_type is not DiffAction.DELETE else None
        step = diff.step if after is None else after
        if (isinstance(step, Call) and step.name == "map") or _is_map(diff.step):
            continue
        if origin is not None:
            yield StepDiff(diff_type=diff.diff_type, step=written[origin])
        elif after is not None:
            yield StepDiff(diff_type=diff.diff_type, step=after)


def _is_map(step: Token) -> bool:
    return getattr(step, "name", "") == "map"
