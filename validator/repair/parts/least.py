"""What any repair changes at least, told by a projection of the whole model, and a repair where that is one of the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import inf

from validator.grounding.task import Task
from validator.reading.plan import Step, Token
from validator.records import dataclass, replace
from validator.repair.edit import Edit, EditTask, Move, Weighting, compile_edit
from validator.repair.parts.projected import is_image
from validator.repair.search.backward.proof import MOST_LOOKS, Proof
from validator.repair.search.backward.regression import Regression
from validator.repair.search.backward.search import Found

__all__ = ["Least", "least_changes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Least:
    """What any repair changes at least, and edits of that cost that are not about forgotten objects, if found."""

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
    found = _search(edit_task, inf if best is None else best - forced, memory, has_time, with_goal=with_goal)
    own = None if found.names is None else _concrete(edit_task, found.names, tokens)
    return Least(lower=found.lower + forced, edits=own)


def _search(
    edit_task: EditTask, bound: float, memory: int, has_time: Callable[[], bool], *, with_goal: bool
) -> Found:
    """Prove as of long plans: by windows, by the sweep where these do not suffice, then by the whole."""
    from validator.repair.search.sweep.proof import prove, suits

    lower = 0

    def go_on(proven: int) -> bool:
        nonlocal lower
        lower = max(lower, proven)
        return has_time()

    def searches(proof: Proof) -> Iterator[Found]:
        yield proof.add_up(lambda: bound, go_on, memory, most_looks=MOST_LOOKS)
        yield proof.whole(lambda: bound, go_on, memory, MOST_LOOKS)
        if suits(proof.regression, memory):
            yield prove(proof.regression, lambda: bound, go_on, memory)
        yield proof.run(lambda: bound, go_on, memory)

    with suppress(TimeoutError):
        regression = Regression(edit_task, with_goal=with_goal, is_over=lambda: not has_time())
        for found in searches(Proof(regression)):
            lower = max(lower, found.lower)
            if found.names is not None or lower >= bound or not has_time():
                return replace(found, lower=lower)
    return Found(lower=lower)


def _concrete(edit_task: EditTask, names: Sequence[str], tokens: Sequence[Token]) -> tuple[Edit, ...] | None:
    """Return edits to the plan itself; None where a step is inserted that is about a forgotten object."""
    edits = replace(edit_task, tokens=tuple(tokens)).edits(names)
    inserted = [edit.token for edit in edits if edit.move is Move.INSERT]
    return None if any(isinstance(step, Step) and any(map(is_image, step.args)) for step in inserted) else edits
