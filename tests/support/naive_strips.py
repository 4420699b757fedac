"""A planner's view of small models: all states, each with a shortest way, by the second executor alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from itertools import product

from tests.support.edit_oracle import Oracle, State
from tests.support.naive_reference import typed

Fact = tuple[str, ...]


class Naive:
    def __init__(self, domain: str, problem: str) -> None:
        self.oracle = Oracle(domain, problem)
        self.init = self.oracle.init
        self.actions: list[Fact] = [(step.name, *step.args) for step in self.oracle.steps]

    @cached_property
    def goal(self) -> State:
        """Return the facts that the goal, a conjunction, says to be true."""
        return frozenset(tuple(part) for part in self.oracle.reference.goal()[1:] if part[0] != "not")

    @cached_property
    def changing(self) -> list[Fact]:
        """Return every fact of a predicate that some action changes."""
        names = {fact[0] for state in self.ways(self.init) for fact in state ^ self.init}
        (declared,) = (part[1:] for part in self.oracle.reference.domain if part[0] == ":predicates")
        sizes = {name: len(typed(words)) for name, *words in declared}
        objects = self.oracle.reference.objects
        return [(name, *args) for name in sorted(names) for args in product(objects, repeat=sizes[name])]

    def following(self, state: State) -> dict[Fact, State]:
        """Return the state behind each step that can be executed."""
        return {(step.name, *step.args): after for step, after, _ in self.oracle.successors(state)}

    @cache  # noqa: B019
    def ways(self, start: State, avoiding: Fact = ()) -> dict[State, list[Fact]]:
        """Return all states that can be reached, each by a shortest way; none of them has a fact to be avoided."""
        found = self.oracle.ways(start, avoiding=avoiding)
        return {state: [(step.name, *step.args) for step in way] for state, way in found.items()}

    def shortest(self, start: State, goal: State | None = None, avoiding: Fact = ()) -> list[Fact] | None:
        """Return a shortest plan for a goal, by default the model's own."""
        return next((way for state, way in self.ways(start, avoiding).items() if self._is_end(state, goal)), None)

    def _is_end(self, state: State, goal: State | None) -> bool:
        return self.oracle.is_goal(state) if goal is None else goal <= state

    def run(self, steps: Iterable[Fact]) -> tuple[int, State]:
        """Return the place of the first step that cannot be executed, -1 for none, and the state then."""
        state = self.init
        for place, step in enumerate(steps):
            if step not in (ways := self.following(state)):
                return place, state
            state = ways[step]
        return -1, state

    def is_plan(self, steps: Iterable[Fact], goal: State | None = None) -> bool:
        place, state = self.run(steps)
        return place == -1 and self._is_end(state, goal)
