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
from contextlib import suppress
from math import inf

from validator.alarms import OutOfTime
from validator.execution.simulator import Simulator
from validator.grounding.limits import HEAD_START, Limits, Outcome, Status
from validator.grounding.planner import optimal_strategy, prover_of, search
from validator.grounding.task import Task
from validator.reading.plan import Step, Token
from validator.records import dataclass, replace
from validator.repair.edit import Automaton, Edge, Edit, EditTask, Move, Weighting, compile_edit, modified
from validator.repair.proved import Proved, executed

_WAITING, _LATE, _EARLY, _DONE = range(4)


def repair_with_moves(
    task: Task,
    simulator: Simulator,
    tokens: Sequence[Token],
    limits: Limits,
    *,
    with_goal: bool,
    keep: Callable[[Limits], Proved],
) -> Proved:
    """Find the nearest plan in which lines may stand at other places. Raises as ``validator.repair.nearest.repair``.

    ``keep`` repairs the plan without moves.
    """
    moving = _Moving(compile_edit(task, tokens, Weighting.keeping(len(tokens)), with_goal=with_goal), with_goal)
    outcome, kept = _searched(moving, limits, keep)
    if outcome.status is Status.UNSOLVABLE:
        return Proved(status=Status.UNSOLVABLE, proven=True, by=moving.by)
    found = moving.found(outcome, kept)
    if found.edits is None:
        return found
    executed(simulator, found.plan or (), with_goal=with_goal)
    try:
        return replace(found, proven=found.proven and moving.loses_least(found, limits))
    except OutOfTime:  # in what does not look at the clock
        return replace(found, status=Status.TIME_LIMIT, proven=False)


def _searched(moving: _Moving, limits: Limits, keep: Callable[[Limits], Proved]) -> tuple[Outcome, Proved | None]:
    """Search with moves; before what takes long, the plan is repaired without, which may already be the nearest one."""
    edit_task = moving.edit_task
    text, strategy = moving.text(edit_task.weighting, 1), optimal_strategy(edit_task.task)
    outcome = search(text, strategy, limits.within(HEAD_START))
    if outcome.status is not Status.TIME_LIMIT or limits.is_over():
        return outcome, None
    kept = keep(limits.half)
    most = inf if kept.upper is None else kept.upper - edit_task.forced_cost
    with suppress(OutOfTime):  # in what does not look at the clock
        outcome = search(text, strategy, limits, lambda bound: bound >= most)
    return outcome, kept


@dataclass(frozen=True)
class _Moving:
    """The modified problem with moves, on the one without."""

    edit_task: EditTask
    with_goal: bool

    @property
    def by(self) -> str:
        return prover_of(optimal_strategy(self.edit_task.task))

    def text(self, weighting: Weighting, move: int) -> str:
        """Return the task: each token that can be kept has a counter of its own, behind the one of the place."""
        task, kept = self.edit_task.task, self.edit_task.kept
        first, last = len(task.variables), len(kept)
        seen = Automaton(
            counters=(last + 1, *(4 for _ in kept)),
            edges=[edge for place in range(last) for edge in self._edges(place, first, weighting.skip, move)],
            ends=tuple((first + number, _DONE if number else last) for number in range(last + 1)),
        )
        return modified(task, seen, weighting, *(task.wanted if self.with_goal else ()))

    def _edges(self, place: int, first: int, skip: int, move: int) -> Iterator[Edge]:
        """Yield the edges by which one token is kept, lost or moved."""
        passed = (first, place, place + 1)

        def becomes(before: int, after: int) -> tuple[int, int, int]:
            return first + 1 + place, before, after

        yield Edge(name=f"s {place}", moves=(passed, becomes(_WAITING, _DONE)), extra=skip)
        yield Edge(name=f"l {place}", moves=(passed, becomes(_WAITING, _LATE)), extra=move)
        yield Edge(name=f"p {place}", moves=(passed, becomes(_EARLY, _DONE)))
        operators = self._operators(place)
        yield Edge(name=f"k {place}", moves=(passed, becomes(_WAITING, _DONE)), operators=operators)
        yield Edge(name=f"e {place}", moves=(becomes(_WAITING, _EARLY),), operators=operators, extra=move)
        yield Edge(name=f"d {place}", moves=(becomes(_LATE, _DONE),), operators=operators)

    def _operators(self, place: int) -> Sequence[int]:
        token = self.edit_task.tokens[self.edit_task.kept[place]]
        assert isinstance(token, Step)
        return self.edit_task.task.numbers(token)

    def found(self, outcome: Outcome, kept: Proved | None) -> Proved:
        """Return the better of what the search with moves found and the repair without."""
        forced = self.edit_task.forced_cost
        if outcome.status is Status.SOLVED:
            cost = (outcome.cost or 0) + forced
            edits, proven = self.edit_task.edits(outcome.plan), self.edit_task.fits(cost)
            return Proved(status=Status.SOLVED, edits=edits, upper=cost, lower=cost, proven=proven, by=self.by)
        lower = outcome.lower_bound + forced
        if kept is None or kept.edits is None or kept.upper is None:
            return Proved(status=outcome.status, lower=lower, by=self.by)
        met = lower >= kept.upper
        status = Status.SOLVED if met else outcome.status
        by = self.by if met else kept.by
        return replace(kept, status=status, proven=met, lower=min(lower, kept.upper), by=by)

    def loses_least(self, found: Proved, limits: Limits) -> bool:
        """Return whether no plan loses fewer lines than a cheapest one, whatever it costs otherwise."""
        lost = self.lost(found.edits or ()) - (len(self.edit_task.tokens) - len(self.edit_task.kept))
        if not lost:
            return True
        text = self.text(Weighting.fewest_skips(), 0)
        outcome = search(text, optimal_strategy(self.edit_task.task), limits, lambda bound: bound >= lost)
        return outcome.least >= lost

    def lost(self, edits: Sequence[Edit]) -> int:
        """Return how many lines are deleted and stand nowhere else."""
        gone = Counter(edit.token for edit in edits if edit.move is Move.SKIP)
        return (gone - Counter(edit.token for edit in edits if edit.move is Move.INSERT)).total()
