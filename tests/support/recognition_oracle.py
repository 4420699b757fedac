"""A small oracle for recognition: Dijkstra over states and explained observations, in plain Python.

It knows nothing of Fast Downward and of the compilation, and executes by itself; the goals and observations are those
that the validator read.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tests.support.dijkstra import cheapest
from tests.support.edit_oracle import CHEAP, Oracle, State, random_case
from tests.support.naive_reference import parse
from validator.model.pddl import read_domain, read_problem
from validator.model.pddl.write import formula_text
from validator.model.values import TRUE, Formula, Model
from validator.recognize import RecognitionProblem
from validator.recognize.reading import read_goals, read_observations

Moves = Iterator[tuple[Hashable, Fraction]]


def random_goals(names: Sequence[str], rng: random.Random) -> str:
    """Return some lines of candidate goals over predicates without arguments."""
    lines = []
    for _ in range(rng.randint(2, 3)):
        some = [
            f"({name})" if rng.random() < 0.7 else f"(not ({name}))" for name in rng.sample(names, rng.randint(1, 2))
        ]
        lines.append(f"(or {' '.join(some)})" if rng.random() < 0.2 else ", ".join(some))
    return "\n".join(lines)


def random_observations(names: Sequence[str], actions: int, rng: random.Random) -> str:
    """Return some lines of observed steps, of which some may not exist, and of observed facts."""
    lines = []
    for _ in range(rng.randint(1, 4)):
        if rng.random() < 0.25:
            lines.append(f"holds ({rng.choice(names)})")
        else:
            lines.append(f"(a{rng.randint(0, actions)})")
    return "\n".join(lines)


def random_problem(kind: str, seed: int, prices: Sequence[str] = CHEAP) -> RecognitionProblem:
    """Return a random model with some goals and observations."""
    rng = random.Random(f"recognition {kind} {seed}")
    domain_text, problem_text, _ = random_case(kind, seed, prices)
    domain = read_domain(domain_text)
    model = Model(domain=domain, problem=replace(read_problem(problem_text, domain), goal=TRUE))
    names = list(domain.predicates)
    goals = random_goals(names, rng)
    return asked_of(goals, random_observations(names, len(domain.actions), rng), model)


def asked_of(goals: str, seen: str, model: Model) -> RecognitionProblem:
    """Return the question which of the goals these observations speak for, each a line."""
    return RecognitionProblem(
        model=model, hypotheses=read_goals(goals, "goals", model), observations=read_observations(seen, "obs", model)
    )


class RecognitionOracle(Oracle):
    """Least costs for goals of one model, with and without observations; None where there is no plan."""

    def without(self, goal: Formula) -> Fraction | None:
        def moves(state: State, seen: Hashable) -> Moves:
            for _, after, cost in self.successors(state):
                yield (after, seen), cost

        return self._cheapest((), moves, lambda state, _: self.meets(goal, state))

    def with_all(
        self,
        goal: Any,
        seen: Sequence[Any],
        before: Sequence[frozenset[int]],
        prices: Sequence[Fraction | None],
    ) -> Fraction | None:
        """Return the least cost of a plan and of what it leaves unexplained; a price None allows that not to be.

        An observation is explained once all before it are explained or paid for.
        """
        every = frozenset(range(len(seen)))

        def moves(state: State, behind: Hashable) -> Moves:
            assert isinstance(behind, frozenset)
            ready = [place for place in every - behind if before[place] <= behind]
            for step, after, cost in self.successors(state):
                yield (after, behind), cost
                for place in ready:
                    if self.explains(seen[place], step):
                        yield (after, behind | {place}), cost
            for place in every - behind:
                price, fact = prices[place], seen[place].fact
                if place in ready and fact is not None and self.meets(fact, state):
                    yield (state, behind | {place}), Fraction(0)
                if price is not None:
                    yield (state, behind | {place}), price

        return self._cheapest(frozenset(), moves, lambda state, behind: behind == every and self.meets(goal, state))

    def explains(self, observation: Any, step: Any) -> bool:
        """Return whether a step is what was observed."""
        return observation.step is not None and observation.step.name == step.name

    def meets(self, condition: Any, state: State) -> bool:
        """Return whether a condition that was read holds in a state."""
        return self.has(parse(formula_text(condition, {})), state)

    def _cheapest(self, start: Hashable, moves: Callable[..., Moves], is_end: Callable[..., bool]) -> Fraction | None:
        found = cheapest(
            (self.init, start),
            lambda node: ((target, (cost, 0)) for target, cost in moves(*node)),
            lambda node: is_end(*node),
        )
        return None if found is None else Fraction(found[0])
