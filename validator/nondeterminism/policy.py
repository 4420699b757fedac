"""What tells the next step: a sequence, a table of states and actions, or a tree that branches on what is seen."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from enum import StrEnum
from typing import Protocol

from validator.model.pddl.write import atom_text, formula_text
from validator.model.values import Formula, GroundAtom
from validator.nondeterminism.transitions import State
from validator.reading.plan import Step
from validator.records import dataclass

__all__ = ["Branch", "Entry", "PlanTree", "PolicyTable", "RunEnd", "Steps", "Strategy"]


class RunEnd(StrEnum):
    """Why a run ends."""

    GOAL = "the goal is reached"
    SHORT = "the plan ends before the goal"
    FAULT = "the step cannot be executed"
    UNHANDLED = "nothing says what to do next"
    OPEN = "what comes next is not decided"


class Strategy(Protocol):
    """What tells the next step, by a state and by what it remembers: any value, at first ``start``."""

    @property
    def stops_at_goal(self) -> bool: ...

    @property
    def start(self) -> Hashable: ...

    def next(self, memory: Hashable, state: State) -> Step | RunEnd: ...

    def remembered(self, memory: Hashable, before: State, after: State) -> Hashable:
        """Return what is remembered after the step.

        That is ``RunEnd.UNHANDLED`` where nothing says what comes next, and a text where that is not decided.
        """


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps one after the other, whatever happens."""

    steps: tuple[Step, ...]
    stops_at_goal: bool = False
    start: int = 0

    def next(self, memory: Hashable, state: State) -> Step | RunEnd:
        assert isinstance(memory, int)
        return self.steps[memory] if memory < len(self.steps) else RunEnd.SHORT

    def remembered(self, memory: Hashable, before: State, after: State) -> Hashable:
        assert isinstance(memory, int)
        return memory + 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table: the step where atoms hold and others do not."""

    true: frozenset[GroundAtom]
    false: frozenset[GroundAtom]
    step: Step | None
    """None where the goal is said to hold"""

    def holds(self, state: Set[GroundAtom]) -> bool:
        return self.true <= state and self.false.isdisjoint(state)

    def __str__(self) -> str:
        atoms = [*map(atom_text, sorted(self.true)), *(f"(not {atom_text(atom)})" for atom in sorted(self.false))]
        return f"{' '.join(atoms) or 'always'}: {self.step or 'the goal holds'}"


@dataclass(frozen=True, slots=True)
class PolicyTable:
    """A table of states and actions: the first entry counts that holds and is not forbidden.

    ``states`` are entries for one whole state each, which come first.
    """

    entries: tuple[Entry, ...]
    forbidden: tuple[Entry, ...] = ()
    states: tuple[tuple[State, Step], ...] = ()
    stops_at_goal: bool = True
    start: None = None

    def place(self, state: State) -> int | None:
        """Return the place of the entry that counts in a state."""
        for place, entry in enumerate(self.entries):
            if entry.holds(state) and not any(one.step == entry.step and one.holds(state) for one in self.forbidden):
                return place
        return None

    def next(self, memory: Hashable, state: State) -> Step | RunEnd:
        for known, step in self.states:
            if known == state:
                return step
        place = self.place(state)
        return RunEnd.UNHANDLED if place is None else self.entries[place].step or RunEnd.UNHANDLED

    def remembered(self, memory: Hashable, before: State, after: State) -> Hashable:
        return None

    @property
    def steps(self) -> Iterator[Step]:
        yield from (entry.step for entry in self.entries if entry.step is not None)


@dataclass(frozen=True, slots=True)
class Branch:
    """A step of a tree, what it tells the truth of, and what comes next where conditions hold after it."""

    step: Step
    observed: tuple[Formula, ...] = ()
    following: tuple[tuple[tuple[tuple[Formula, bool], ...], int], ...] = ()
    """what is seen to be true or false -> the number of the next step, below 0 for none"""


@dataclass(frozen=True, slots=True)
class PlanTree:
    """A plan that branches on what its steps observe; it ends at a step that nothing follows."""

    holds: Callable[[Formula, State], bool]
    branches: Sequence[Branch]
    stops_at_goal: bool = False
    start: int | None = 0
    """None for a plan without steps"""

    def next(self, memory: Hashable, state: State) -> Step | RunEnd:
        if memory is None:
            return RunEnd.SHORT
        if not isinstance(memory, int):
            return RunEnd.UNHANDLED if memory is RunEnd.UNHANDLED else RunEnd.OPEN
        return self.branches[memory].step

    def remembered(self, memory: Hashable, before: State, after: State) -> Hashable:
        """Nothing says whether the world before the effects of a step is seen or that after: it must be the same."""
        assert isinstance(memory, int)
        branch = self.branches[memory]
        if not branch.following:
            return None
        for seen, _ in branch.following:
            for formula, _ in seen:
                if formula not in branch.observed:
                    return f"a branch is for {formula_text(formula, {})}, which {branch.step} does not observe"
                if self.holds(formula, before) is not self.holds(formula, after):
                    return f"{branch.step} changes what it observes"
        found = [
            number
            for seen, number in branch.following
            if all(self.holds(formula, after) is value for formula, value in seen)
        ]
        if len(found) > 1:
            return f"several branches are for what {branch.step} observes"
        return next((number if number >= 0 else None for number in found), RunEnd.UNHANDLED)
