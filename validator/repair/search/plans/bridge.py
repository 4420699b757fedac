"""A first repair of a long plan: executed from left to right, each fault repaired in its neighbourhood.

Where a step cannot be executed, a window of steps around it becomes a modified problem of its own: from the state
before the window to what the steps behind it need (the regression of their preconditions), which is searched like the
whole one and is much smaller: to what all of them need, or only those before the next fault, and what leaves less to
be done is taken. What comes out is a plan, not a proof: the nearest plan may change steps far from the
fault. Compare local plan repair (Gerevini and Serina 2010, windows of plan adaptation).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from validator.grounding.limits import Limits, Status
from validator.grounding.operators import Operator, Value
from validator.grounding.planner import search
from validator.grounding.task import Task
from validator.reading.plan import Step, Token, bare
from validator.repair.edit import Edit, EditTask, Move, compile_edit

__all__ = ["bridge"]

_BEFORE, _BEHIND = 4, 8
"""steps of a window before and behind the one that fails"""

_ALL, _HORIZONS = 10**9, (64, 24, 8, 0)
"""Numbers of steps behind a window whose needs it must meet: of all, and of fewer than there are before the next fault,
where those fail."""

_FEW = 1
"""changes of a window with which no other repair of it is looked for"""

_GREEDY = "let(h, ff(), lazy_wastar([h], preferred=[h], w=2, max_time=1))"

_BUSY = 5.0
"""times the CPU seconds of a search, by the clock: a machine that does other things takes longer, and finds the same"""

_Try: TypeAlias = tuple[str, float, bool]
"""A search, its CPU seconds, and whether only operators are inserted that change what the window's own steps change."""


def bridge(
    edit_task: EditTask, strategy: str, limits: Limits, is_over: Callable[[], bool], *, with_goal: bool
) -> tuple[Edit, ...] | None:
    """Return edits of the whole plan, or None when a window could not be repaired, or it is over.

    Only for tasks without axioms and conditional effects, whose goal is a conjunction.
    """
    task = edit_task.task
    if task.has_axioms or task.has_conditional_effects or (with_goal and task.goal is None):
        return None
    for does_compare in (True, False):  # what leaves less to be done may end where no window can be repaired
        walk = _Walk(edit_task, strategy, limits, is_over, task.goal if with_goal and task.goal else (), does_compare)
        if (found := walk.run()) is not None:
            return found
    return None


class _Walk:
    """The walk through the tokens: the state, the edits so far, and the states before each token."""

    def __init__(
        self,
        edit_task: EditTask,
        strategy: str,
        limits: Limits,
        is_over: Callable[[], bool],
        goal: tuple[Value, ...],
        does_compare: bool,
    ) -> None:
        self.edit_task = edit_task
        self.task: Task = edit_task.task
        soon = f"{strategy.removesuffix(')')}, max_time=0.3)"
        self.tries: tuple[_Try, ...] = ((soon, 0.3, True), (soon, 0.3, False), (_GREEDY, 1.0, False))
        self.limits = limits
        self.is_over = is_over
        self.goal, self.does_compare = goal, does_compare
        self.tokens = edit_task.tokens
        kept = set(edit_task.kept)
        self.variants = [self._variants(token) if index in kept else [] for index, token in enumerate(self.tokens)]
        self.states: list[list[int]] = [list(self.task.init)]
        self.edits: list[list[Edit]] = []

    def _variants(self, token: Token) -> list[Operator]:
        assert isinstance(token, Step)
        return [self.task.operators[number] for number in self.task.by_step[bare(token)]]

    def run(self) -> tuple[Edit, ...] | None:
        """Walk to the end; a repaired window counts as one stretch of edits."""
        place = 0
        while True:
            place = self._execute(place)
            if place == len(self.tokens) and all(self.states[-1][variable] == value for variable, value in self.goal):
                return tuple(edit for stretch in self.edits for edit in stretch)
            if self.limits.seconds == 0 or self.is_over():
                return None
            behind = self._repair(place)
            if behind is None:
                return None
            place = behind

    def _execute(self, place: int) -> int:
        """Execute from a place as far as the tokens go; tokens that can only be skipped are skipped."""
        while place < len(self.tokens):
            state = self.states[-1]
            if self.variants[place]:
                operator = next((variant for variant in self.variants[place] if variant.applies(state)), None)
                if operator is None:
                    return place
                state = operator.after(state)
                self.edits.append([Edit(move=Move.KEEP, token=self.tokens[place])])
            else:
                self.edits.append([Edit(move=Move.SKIP, token=self.tokens[place])])
            self.states.append(state)
            place += 1
        return place

    def _repair(self, place: int) -> int | None:
        """Repair the window around a place, drop what stood there, and return the place behind it."""
        back = 0
        while back < _BEFORE and back < len(self.edits) and len(self.edits[-1 - back]) == 1:
            back += 1
        start, end = place - back, min(len(self.tokens), place + _BEHIND)
        if start == end:
            return None
        states = self.states[: len(self.states) - back]
        next_fault, best = self._next_fault(end), None
        horizons = (_ALL, next_fault, *(number for number in _HORIZONS if number < next_fault))
        for horizon in dict.fromkeys(horizons if self.does_compare else (_ALL, *_HORIZONS)):
            needs, is_certain = self._needs(end, horizon)
            if not is_certain and horizon != _ALL:
                continue
            tries = self.tries[: 2 if best is not None else None] if is_certain else self.tries[:1]
            found = self._search(start, end, states[-1], needs, tries)
            if found is None:
                continue
            cost, left = self.edit_task.cost(found[0]), self._left(end, found[1])
            if best is None or cost + left < best[0]:
                best = cost + left, *found
            if cost <= _FEW or left == 0 or not self.does_compare or horizon not in (_ALL, next_fault):
                break
        if best is None:
            return None
        _, edits, state = best
        self.edits = [*self.edits[: len(self.edits) - back], edits]
        self.states = [*states, state]
        return end

    def _next_fault(self, end: int) -> int:
        """Return how many steps behind a place can be executed one after the other from some state."""
        known: dict[int, int] = {}
        for number, variants in enumerate(self.variants[end:]):
            if variants:
                step = variants[0]
                if any(known.get(variable, value) != value for variable, value in step.needed.items()):
                    return number
                known |= step.needed | step.effect
        return len(self.variants) - end

    def _left(self, place: int, state: list[int]) -> int:
        """Return how many steps behind a place then fail, and how many facts of the goal are missing at the end."""
        failing = 0
        for variants in filter(None, self.variants[place:]):
            operator = next((variant for variant in variants if variant.applies(state)), None)
            if operator is None:
                failing += 1
            else:
                state = operator.after(state)
        return failing + sum(state[variable] != value for variable, value in self.goal)

    def _needs(self, end: int, horizon: int) -> tuple[tuple[Value, ...], bool]:
        """Return what the steps behind a place need, each value until the first of them that changes it.

        Where they contradict each other there is another fault, to be repaired later: then what comes first counts,
        and the answer is not certain (False).
        """
        last = min(len(self.tokens), end + horizon)
        needs = dict(self.goal) if last == len(self.tokens) else {}
        certain = True
        for variants in reversed(self.variants[end:last]):
            if variants:
                step = variants[0]
                certain &= all(needs.pop(variable, value) == value for variable, value in step.effect.items())
                certain &= all(needs.get(variable, value) == value for variable, value in step.needed.items())
                needs |= step.needed
        return tuple(sorted(needs.items())), certain

    def _search(
        self, start: int, end: int, state: list[int], needs: tuple[Value, ...], tries: Sequence[_Try]
    ) -> tuple[list[Edit], list[int]] | None:
        """Repair a window by what its own steps change, and by anything when that is not enough."""
        nearby = {variable for variants in self.variants[start:end] for step in variants for variable in step.effect}
        nearby |= {variable for variable, value in needs if state[variable] != value}
        for strategy, seconds, is_near in tries:
            if self.limits.seconds == 0 or self.is_over():
                return None
            within = nearby if is_near else None
            window = compile_edit(
                self.task,
                self.tokens[start:end],
                self.edit_task.weighting,
                with_goal=False,
                state=state,
                needs=needs,
                within=within,
            )
            limits = self.limits.within(_BUSY * seconds)
            outcome = search(window.text, strategy, limits, lambda _: self.is_over())
            if outcome.status is Status.SOLVED:
                edits = list(window.edits(outcome.plan))
                behind = self._after(state, edits)
                return None if behind is None else (edits, behind)
            if outcome.status is Status.UNSOLVABLE and within is None:
                return None
        return None

    def _after(self, state: list[int], edits: Sequence[Edit]) -> list[int] | None:
        """Return the state behind edits; None where others of the operators that a step may be were planned with."""
        for edit in edits:
            if edit.move is not Move.SKIP:
                operator = next((variant for variant in self._variants(edit.token) if variant.applies(state)), None)
                if operator is None:
                    return None
                state = operator.after(state)
        return state
