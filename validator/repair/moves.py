"""The nearest plan when a step may be kept at another place: out of order is what plans most often are.

The modified problem of ``edit`` with two more ways for each token t_i, which a variable of its own keeps apart:

- early: t_i is done before its place, for 1, and its place is then passed for nothing;
- late: its place is passed for 1, and t_i is done later for nothing.

A line is kept at its place for nothing, deleted for more than all else together, inserted for its own cost: first as
few lines as can be are lost, then the total cost of moves and insertions is least. Without moves that is the policy
KEEP, so that its repair is a plan to be beaten here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from validator.alarms import OutOfTime
from validator.grounding.limits import HEAD_START, Limits, Status
from validator.grounding.planner import optimal_strategy, search
from validator.grounding.task import Task
from validator.reading.plan import Step, Token
from validator.records import replace
from validator.repair.edit import Automaton, Edge, Edit, EditTask, Move, Weighting, compile_edit, modified
from validator.repair.incumbent import Incumbent
from validator.repair.proved import Proved
from validator.repair.provers import prove_by_a_star

_WAITING, _LATE, _EARLY, _DONE = range(4)


def compile_moves(task: Task, tokens: Sequence[Token], *, with_goal: bool) -> EditTask:
    """Compile the modified task with moves. Raises OverflowError as ``compile_edit`` does."""
    plain = compile_edit(task, tokens, Weighting.keeping(len(tokens)), with_goal=with_goal)
    return replace(plain, written=lambda: _text(plain, plain.weighting, 1, with_goal=with_goal), move=1)


def repair_with_moves(incumbent: Incumbent, limits: Limits, keep: Callable[[Limits], Proved]) -> Proved:
    """Find the nearest plan in which lines may stand at other places. Raises as ``validator.repair.nearest.repair``.

    ``keep`` repairs the plan without moves, before what takes long: that may already be the nearest one.
    """
    try:
        status = prove_by_a_star(incumbent, limits.within(HEAD_START))
        if not incumbent.is_proven() and not limits.is_over():
            kept = keep(limits.half)
            if kept.edits is not None:
                incumbent.take(kept.edits, kept.by)
            status = prove_by_a_star(incumbent, limits)
        found = incumbent.result(status)
        return replace(found, proven=found.proven and _loses_least(incumbent, found, limits))
    except OutOfTime:  # in what does not look at the clock
        return replace(incumbent.result(Status.TIME_LIMIT), proven=False)


def _loses_least(incumbent: Incumbent, found: Proved, limits: Limits) -> bool:
    """Return whether no plan loses fewer lines than a cheapest one, whatever it costs otherwise."""
    edit_task = incumbent.edit_task
    lost = _lost(found.edits or ()) - (len(edit_task.tokens) - len(edit_task.kept))
    if lost <= 0:
        return True
    text = _text(edit_task, Weighting.fewest_skips(), 0, with_goal=incumbent.with_goal)
    outcome = search(text, optimal_strategy(edit_task.task), limits, lambda bound: bound >= lost)
    return outcome.least >= lost


def _lost(edits: Sequence[Edit]) -> int:
    """Return how many lines are deleted and stand nowhere else."""
    gone = Counter(edit.token for edit in edits if edit.move is Move.SKIP)
    return (gone - Counter(edit.token for edit in edits if edit.move is Move.INSERT)).total()


def _text(edit_task: EditTask, weighting: Weighting, move: int, *, with_goal: bool) -> str:
    """Return the task: each token that can be kept has a counter of its own, behind the one of the place."""
    task, kept = edit_task.task, edit_task.kept
    first, last = len(task.variables), len(kept)
    seen = Automaton(
        counters=(last + 1, *(4 for _ in kept)),
        edges=[edge for place in range(last) for edge in _edges(edit_task, place, weighting.skip, move)],
        ends=tuple((first + number, _DONE if number else last) for number in range(last + 1)),
    )
    return modified(task, seen, weighting, *(task.wanted if with_goal else ()))


def _edges(edit_task: EditTask, place: int, skip: int, move: int) -> Iterator[Edge]:
    """Yield the edges by which one token is kept, lost or moved."""
    token, first = edit_task.tokens[edit_task.kept[place]], len(edit_task.task.variables)
    assert isinstance(token, Step)
    operators, passed = edit_task.task.numbers(token), (first, place, place + 1)

    def becomes(before: int, after: int) -> tuple[int, int, int]:
        return first + 1 + place, before, after

    yield Edge(name=f"s {place}", moves=(passed, becomes(_WAITING, _DONE)), extra=skip)
    yield Edge(name=f"l {place}", moves=(passed, becomes(_WAITING, _LATE)), extra=move)
    yield Edge(name=f"p {place}", moves=(passed, becomes(_EARLY, _DONE)))
    yield Edge(name=f"k {place}", moves=(passed, becomes(_WAITING, _DONE)), operators=operators)
    yield Edge(name=f"e {place}", moves=(becomes(_WAITING, _EARLY),), operators=operators, extra=move)
    yield Edge(name=f"d {place}", moves=(becomes(_LATE, _DONE),), operators=operators)
