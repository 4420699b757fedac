"""A better repair out of a repair: each neighbourhood of changes solved again, to optimality, with the rest kept.

The steps around a group of changes become a modified problem of their own, from the state before them to what the
rest of the repaired plan needs as it stands (large neighbourhood search, Shaw 1998; for plans: Siddiqui and Haslum
2015). Groups that stand near each other are taken together, in larger and larger windows, until none gets better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from validator.grounding.limits import Limits, Status
from validator.grounding.operators import Operator, Value
from validator.grounding.planner import search
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass
from validator.repair.edit import Edit, EditTask, Move, compile_edit

__all__ = ["polish"]

_WINDOWS = ((1, 4), (1, 12), (2, 12), (3, 24), (5, 40), (8, 80))
"""groups of changes in one window, and unchanged steps around them"""

_SECONDS = 1.0
"""for the search of one window"""


@dataclass(frozen=True, slots=True)
class _Line:
    """An edit with the operator that it executes, if any."""

    edit: Edit
    operator: Operator | None


def polish(
    edit_task: EditTask,
    edits: Sequence[Edit],
    strategy: str,
    limits: Limits,
    better: Callable[[tuple[Edit, ...]], None],
    is_over: Callable[[], bool],
    *,
    with_goal: bool,
    nice: int = 0,
) -> None:
    """Call ``better`` with each cheaper repair that is found.

    Only for tasks without axioms and conditional effects, whose goal is a conjunction.
    """
    task = edit_task.task
    if task.has_axioms or task.has_conditional_effects or (with_goal and task.goal is None):
        return
    walk = _Polish(edit_task, strategy, limits, is_over, task.goal if with_goal and task.goal else (), nice)
    walk.run(edits, better)


class _Polish:
    def __init__(
        self,
        edit_task: EditTask,
        strategy: str,
        limits: Limits,
        is_over: Callable[[], bool],
        goal: Sequence[Value],
        nice: int,
    ) -> None:
        self.edit_task = edit_task
        self.task = edit_task.task
        self.strategy = strategy
        self.limits = limits
        self.is_over = is_over
        self.goal = goal
        self.nice = nice
        self.tried: set[tuple[tuple[int, ...], tuple[Value, ...], tuple[Edit, ...]]] = set()

    def run(self, edits: Sequence[Edit], better: Callable[[tuple[Edit, ...]], None]) -> None:
        """Go through the windows from small to large; after something got better, begin again with the small ones."""
        size = 0
        while size < len(_WINDOWS):
            improved = False
            lines, states = self._executed(edits)
            for start, end in _windows(edits, *_WINDOWS[size]):
                if self.is_over() or self.limits.seconds == 0:
                    return
                found = self._solved(lines, states, start, end)
                if found is not None:
                    edits = (*edits[:start], *found, *edits[end:])
                    better(tuple(edits))
                    improved = True
                    break
            size = size if improved else size + 1

    def _executed(self, edits: Sequence[Edit]) -> tuple[list[_Line], list[list[int]]]:
        """Return the edits with their operators, and the state before each of them and at the end."""
        state = list(self.task.init)
        lines, states = [], [state]
        for edit in edits:
            operator = None
            if edit.move is not Move.SKIP:
                assert isinstance(edit.token, Step)
                variants = [self.task.operators[number] for number in self.task.by_step[bare(edit.token)]]
                operator = next(variant for variant in variants if variant.applies(state))
                state = operator.after(state)
            lines.append(_Line(edit, operator))
            states.append(state)
        return lines, states

    def _solved(
        self, lines: Sequence[_Line], states: Sequence[list[int]], start: int, end: int
    ) -> tuple[Edit, ...] | None:
        """Return cheaper edits of a window, if there are any and they are found in time."""
        window = tuple(line.edit for line in lines[start:end])
        needs = self._needs(lines[end:])
        key = (tuple(states[start]), needs, window)
        if key in self.tried:
            return None
        self.tried.add(key)
        tokens = [edit.token for edit in window if edit.move is not Move.INSERT]
        nearby = self._nearby(tokens, window)
        for within in (nearby, None):
            task = compile_edit(
                self.task,
                tokens,
                self.edit_task.weighting,
                with_goal=False,
                state=states[start],
                needs=needs,
                within=within,
            )
            known = self.edit_task.cost(window) - task.forced_cost
            enough, limits = partial(self._enough, known), self.limits.within(_SECONDS)
            outcome = search(task.text, self.strategy, limits, enough, nice=self.nice)
            if outcome.status is Status.SOLVED:
                found = task.edits(outcome.plan)
                if self.edit_task.cost(found) < self.edit_task.cost(window):
                    return found
            elif outcome.status is not Status.STOPPED:
                break
        return None

    def _enough(self, known: int, bound: int) -> bool:
        """Return whether a search with this lower bound has no reason to go on."""
        return bound >= known or self.is_over()

    def _nearby(self, tokens: Sequence[Token], window: Sequence[Edit]) -> set[int]:
        """Return the variables that the steps of a window change."""
        steps = [bare(token) for token in (*tokens, *(edit.token for edit in window)) if isinstance(token, Step)]
        numbers = {number for step in steps for number in self.task.by_step.get(step, ())}
        return {variable for number in numbers for variable in self.task.operators[number].effect}

    def _needs(self, lines: Sequence[_Line]) -> tuple[Value, ...]:
        """Return what the rest of the repaired plan needs."""
        needs = dict(self.goal)
        for line in reversed(lines):
            if line.operator is not None:
                for variable in line.operator.effect:
                    needs.pop(variable, None)
                needs |= line.operator.needed
        return tuple(sorted(needs.items()))


def _windows(edits: Sequence[Edit], groups: int, around: int) -> Iterator[tuple[int, int]]:
    """Yield the windows that hold some groups of changes each, and the unchanged lines around them."""
    changed = [index for index, edit in enumerate(edits) if edit.move is not Move.KEEP]
    found: list[tuple[int, int]] = []
    for index in changed:
        if found and index - found[-1][1] <= 2:
            found[-1] = (found[-1][0], index + 1)
        else:
            found.append((index, index + 1))
    for first in range(max(1, len(found) - groups + 1)):
        chosen = found[first : first + groups]
        if chosen:
            yield max(0, chosen[0][0] - around), min(len(edits), chosen[-1][1] + around)
