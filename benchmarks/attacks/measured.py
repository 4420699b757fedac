"""Attacks on recognition in models with numbers: the same questions, and an interpreter of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind
from benchmarks.attacks.ordered import Ordered, compared, completed, varied
from tests.support.random_numbers import Generator, Puzzle, after, pddl, text, truth
from validator.model.pddl import read_domain, read_problem
from validator.model.values import TRUE, Formula, Model
from validator.reading.plan import Step
from validator.recognize import Method, Order, RecognitionProblem, Settings
from validator.recognize.given.reading import read_goals, read_observations

__all__ = ["KINDS", "TooManyStatesError", "measured_case"]

_MOST = 6_000
"""states, with the observations that are behind them; a case with more is left out"""


class TooManyStatesError(Exception):
    pass


class _Oracle(Ordered):
    """The same for a puzzle; a state is what holds and the numbers, without what was paid."""

    def __init__(self, puzzle: Puzzle, conditions: dict[Formula, Any]) -> None:
        self.init: Any = _without_cost(puzzle.start)
        self._puzzle, self._conditions = puzzle, conditions
        self._behind: dict[Any, list[tuple[Step, Any, Fraction]]] = {}

    def successors(self, state: Any) -> list[tuple[Step, Any, Fraction]]:
        if state not in self._behind:
            here = {**dict(state), "cost": Fraction(0)}
            ends = ((name, after(action, here)) for name, action in self._puzzle.actions.items())
            self._behind[state] = [
                (Step(name=name), _without_cost(end), end["cost"]) for name, end in ends if end is not None
            ]
            if len(self._behind) > _MOST:
                raise TooManyStatesError
        return self._behind[state]

    def meets(self, condition: Formula, state: Any) -> bool:
        return truth(self._conditions[condition], dict(state)) is True

    def run(self, plan: Any) -> tuple[Any, list[Fraction]] | None:
        state, costs = self.init, []
        for line in plan:
            found = next((each for each in self.successors(state) if str(each[0]) == line), None)
            if found is None:
                return None
            state, costs = found[1], [*costs, found[2]]
        return state, costs


def _without_cost(state: Any) -> frozenset[tuple[str, Any]]:
    return frozenset((name, it) for name, it in state.items() if name != "cost")


def measured_case(seed: int, draw: Random) -> tuple[RecognitionProblem, Settings, Ordered, Order] | None:
    """Return a question about a model with numbers, how it is asked, and the oracle; None for goals that are alike."""
    generator = Generator(seed)
    puzzle = generator.puzzle()
    domain_text, problem_text = pddl(puzzle)
    domain = read_domain(domain_text)
    model = Model(domain=domain, problem=replace(read_problem(problem_text, domain), goal=TRUE))
    goals = [puzzle.goal, *(generator.condition() for _ in range(draw.randint(1, 2)))]
    seen = [_seen(draw, generator) for _ in range(draw.randint(0, 3))]
    problem = RecognitionProblem(
        model=model,
        hypotheses=read_goals("\n".join(map(text, goals)), "goals", model),
        observations=read_observations("\n".join(line for line, _ in seen), "seen", model),
    )
    if len(problem.hypotheses) != len(goals):
        return None
    conditions = {one.goal: goal for one, goal in zip(problem.hypotheses, goals, strict=True)}
    for observation, (_, fact) in zip(problem.observations, seen, strict=True):
        if observation.fact is not None:
            conditions[observation.fact] = fact
    problem, settings, order = varied(problem, draw)
    settings = replace(settings, method=draw.choice((Method.SOFT, Method.EXACT, Method.AUTO)))
    return problem, settings, _Oracle(puzzle, conditions), order


def _attack(seed: int) -> Iterator[str]:
    draw = Random(f"measured {seed}")
    if (case := measured_case(seed, draw)) is None:
        return
    problem, settings, oracle, order = case
    try:
        yield compared(problem, settings, oracle, order)
        if settings.method is not Method.AUTO:
            yield completed(problem, settings, oracle, order, draw.randrange(len(problem.hypotheses)))
    except TooManyStatesError:
        return


def _seen(draw: Random, generator: Generator) -> tuple[str, Any]:
    if draw.random() < 0.7:
        return f"({draw.choice('abcd')})", None  # there is no d
    fact = generator.condition()
    return f"holds {text(fact)}", fact


KINDS = (
    Kind(
        name="recognition: numbers",
        against="an interpreter of its own, all states and sets of observations",
        attack=_attack,
        share=6,
    ),
)
