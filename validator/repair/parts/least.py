"""What any repair changes at least, told by a projection of the whole model, and edits of that cost there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING

from validator.grounding.task import Task
from validator.reading.plan import Token
from validator.records import dataclass, replace
from validator.repair.edit import Edit, EditTask, Weighting, compile_edit
from validator.repair.search.backward.regression import Regression
from validator.resources import loading

if TYPE_CHECKING:
    from validator.repair.search.backward.proof import Proof
    from validator.repair.search.backward.search import Found

__all__ = ["Least", "least_changes"]


_LOOKS_STEP = 20
"""nodes and insertions more, for each step of the plan, that a search of the whole may look at before the sweep"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Least:
    """What any repair changes at least, and the cheapest edits of the projection that were found."""

    lower: int
    edits: tuple[Edit, ...] | None = None


def least_changes(
    task: Task,
    images: Sequence[Token],
    tokens: Sequence[Token],
    best: int | None,
    memory: int,
    has_time: Callable[[], bool],
    *,
    with_goal: bool,
) -> Least:
    """Return what is known when there is no more time; ``images`` of the tokens are as the task names them.

    ``best`` is the cost of the best repair by now: a bound that meets it is all that is asked for. What is proven is
    for the policy ``edits``.
    """
    edit_task = compile_edit(task, images, Weighting.edits(), with_goal=with_goal)
    forced = edit_task.forced_cost
    near: tuple[str, ...] = ()

    def take(names: tuple[str, ...]) -> None:
        nonlocal near
        near = names

    found = _search(edit_task, inf if best is None else best - forced, memory, has_time, take, with_goal=with_goal)
    own = replace(edit_task, tokens=tuple(tokens))
    names = found.names or near
    return Least(lower=found.lower + forced, edits=own.edits(names) if names else None)


def _search(
    edit_task: EditTask,
    bound: float,
    memory: int,
    has_time: Callable[[], bool],
    take: Callable[[tuple[str, ...]], None],
    *,
    with_goal: bool,
) -> Found:
    """Prove as of long plans: by windows, by the sweep where these do not suffice, then by the whole."""
    with loading("numpy"):
        from validator.repair.search.backward.proof import MOST_LOOKS, Proof  # NumPy, which most checks never need
        from validator.repair.search.backward.search import Found
        from validator.repair.search.sweep.proof import prove, suits

    lower = 0

    def go_on(proven: int) -> bool:
        nonlocal lower
        lower = max(lower, proven)
        return has_time()

    def searches(proof: Proof) -> Iterator[Found]:
        yield proof.add_up(lambda: bound, go_on, memory, most_looks=MOST_LOOKS)
        yield proof.whole(lambda: bound, go_on, memory, MOST_LOOKS + _LOOKS_STEP * len(edit_task.kept))
        if suits(proof.regression, memory):
            yield prove(proof.regression, lambda: bound, go_on, memory, take)
        yield proof.run(lambda: bound, go_on, memory)

    with suppress(TimeoutError):
        regression = Regression(edit_task, with_goal=with_goal, is_over=lambda: not has_time())
        for found in searches(Proof(regression)):
            lower = max(lower, found.lower)
            if found.names is not None or lower >= bound or not has_time():
                return replace(found, lower=lower)
    return Found(lower=lower)
