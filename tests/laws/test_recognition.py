"""Recognition: goals, costs and odds with orders, prices and priors of their own, under limits, understood in part."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp
from random import Random
from statistics import median_low
from typing import Any

import pytest
from hypothesis import assume

from tests.support.edit_oracle import CHEAP, DEAR, KINDS, random_case
from tests.support.flow_attack import flow_with_goals, move_of
from tests.support.flow_interpreter import Interpreter, Move, line
from tests.support.laws import is_in, law
from tests.support.random_numbers import Generator, Puzzle, after, pddl, text, truth
from tests.support.recognition_oracle import RecognitionOracle, random_problem
from validator.flow.model import Goal, GoalKind
from validator.model.pddl import read_domain, read_problem
from validator.model.values import TRUE, Formula, Model
from validator.reading.plan import Step
from validator.recognize import (
    Method,
    Observation,
    Order,
    Posterior,
    Recognition,
    RecognitionProblem,
    Settings,
    Standing,
    Verdict,
    complete,
    follow,
    recognize,
)
from validator.recognize.flows import flow_problem
from validator.recognize.inputs.reading import read_goals, read_observations

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # alarms in destructors

NEAR = 1e-9  # what is computed with logarithms may be off by
METHODS = (Method.SOFT, Method.SOFT, Method.EXACT, Method.AUTO, Method.LINEAR, Method.LANDMARKS)

Costs = tuple[Fraction | None, Fraction | None]
"""of the cheapest plan without the observations, and with them"""


@dataclass(frozen=True)
class Asked:
    """What is asked, the order that observations truly have, and the oracle."""

    problem: RecognitionProblem
    settings: Settings
    order: Order
    oracle: RecognitionOracle

    def costs(self, method: Method, problem: RecognitionProblem | None = None) -> list[Costs]:
        seen = (problem or self.problem).observations
        if self.order is Order.TOTAL:
            before = [frozenset(range(at)) for at in range(len(seen))]
        else:
            before = [one.after if self.order is Order.PARTIAL else frozenset() for one in seen]
            for _ in seen:
                before = [own.union(*(before[place] for place in own)) for own in before]
        paid = [self.settings.discard_cost if one.price is None else one.price for one in seen]
        prices = [None if method is Method.EXACT else price for price in paid]
        return [
            (
                self.oracle.without(one.goal),
                self.oracle.with_all(one.goal, seen, before, prices),
            )
            for one in self.problem.hypotheses
        ]


# --- what is asked ---------------------------------------------------------------------------------


def classical(seed: int) -> tuple[RecognitionProblem, RecognitionOracle, Random]:
    draw = Random(f"recognition {seed}")
    case = draw.choice(KINDS), draw.randrange(10**6), draw.choice((CHEAP, DEAR))
    return random_problem(*case), RecognitionOracle(*random_case(*case)[:2]), draw


class PuzzleOracle(RecognitionOracle):
    """The same for a model with numbers; a state is what holds and the numbers, without what was paid."""

    def __init__(self, puzzle: Puzzle, conditions: dict[Formula, Any]) -> None:
        self.init: Any = self._without_cost(puzzle.start)
        self._puzzle, self._conditions = puzzle, conditions
        self._behind: dict[Any, list[tuple[Step, Any, Fraction]]] = {}

    @staticmethod
    def _without_cost(state: Any) -> frozenset[tuple[str, Any]]:
        return frozenset((name, it) for name, it in state.items() if name != "cost")

    def successors(self, state: Any) -> list[tuple[Step, Any, Fraction]]:
        if state not in self._behind:
            here = {**dict(state), "cost": Fraction(0)}
            ends = ((name, after(action, here)) for name, action in self._puzzle.actions.items())
            found = [(Step(name=name), self._without_cost(end), end["cost"]) for name, end in ends if end is not None]
            self._behind[state] = found
            assume(len(self._behind) < 3_000)
        return self._behind[state]

    def meets(self, condition: Formula, state: Any) -> bool:
        return truth(self._conditions[condition], dict(state)) is True


def numeric(seed: int) -> tuple[RecognitionProblem, RecognitionOracle, Random]:
    draw, generator = Random(f"recognition with numbers {seed}"), Generator(seed)
    puzzle = generator.puzzle()
    domain_text, problem_text = pddl(puzzle)
    domain = read_domain(domain_text)
    model = Model(domain=domain, problem=replace(read_problem(problem_text, domain), goal=TRUE))
    goals = [puzzle.goal, *(generator.condition() for _ in range(draw.randint(1, 2)))]
    facts = [None if draw.random() < 0.7 else generator.condition() for _ in range(draw.randint(0, 3))]
    lines = [f"({draw.choice('abcd')})" if fact is None else f"holds {text(fact)}" for fact in facts]  # there is no d
    problem = RecognitionProblem(
        model=model,
        hypotheses=read_goals("\n".join(map(text, goals)), "goals", model),
        observations=read_observations("\n".join(lines), "seen", model),
    )
    assume(len(problem.hypotheses) == len(goals))
    conditions = {one.goal: goal for one, goal in zip(problem.hypotheses, goals, strict=True)}
    conditions |= {
        one.fact: fact for one, fact in zip(problem.observations, facts, strict=True) if one.fact is not None
    }
    return problem, PuzzleOracle(puzzle, conditions), draw


def drawn(seed: int) -> tuple[Asked, Random]:
    """Return a question: observations with an order and prices of their own, goals with priors, any settings."""
    is_numeric = seed % 3 == 0
    problem, oracle, draw = (numeric if is_numeric else classical)(seed)
    if draw.random() < 0.5 and not is_numeric:
        priors = [Fraction(1), *(Fraction(draw.choice((1, 1, 0, 3, 40, 1000)), 7) for _ in problem.hypotheses[1:])]
        hypotheses = zip(problem.hypotheses, priors, strict=True)
        problem = replace(problem, hypotheses=tuple(replace(one, prior=prior) for one, prior in hypotheses))
    settings = Settings(
        discard_cost=Fraction(draw.choice((0, 1, 2, 4)), 2),
        beta=draw.choice((0.25, 1.0, 4.0)),
        margin=draw.choice((None, 0.0, 1.0)),
        workers=draw.choice((1, 2)),
    )
    limit = draw.choice(
        ({}, {}, {"time_limit": 10 ** draw.uniform(-2.5, -0.3)}, {"cpu_limit": 10 ** draw.uniform(-3, -1)})
    )
    settings = replace(settings, **limit)
    if not is_numeric and draw.random() < 0.25:  # the posterior of 2010
        steps = tuple(one for one in problem.observations if one.fact is None)
        method = draw.choice((Method.AUTO, Method.EXACT))
        settings = replace(settings, posterior=Posterior.RG2010, method=method)
        return Asked(replace(problem, observations=steps), settings, Order.TOTAL, oracle), draw
    seen, order = ordered(problem, draw)
    method = draw.choice((Method.SOFT, Method.EXACT, Method.AUTO) if is_numeric else METHODS)
    said = Order.NONE if order is Order.PARTIAL and draw.random() < 0.5 else order
    return Asked(replace(problem, observations=seen), replace(settings, method=method, order=said), order, oracle), draw


def ordered(problem: RecognitionProblem, draw: Random) -> tuple[tuple[Observation, ...], Order]:
    """Return observations, one perhaps twice, with an order, of which what comes first need not stand first."""
    more = draw.sample(problem.observations, draw.choice((0, 0, 1)) if problem.observations else 0)
    seen = tuple(
        replace(one, price=Fraction(draw.choice((0, 1, 3)), 2) if draw.random() < 0.25 else None)
        for one in (*problem.observations, *more)
    )
    order = draw.choice((Order.TOTAL, Order.NONE, Order.PARTIAL, Order.PARTIAL))
    if order is Order.PARTIAL:
        places = draw.sample(range(len(seen)), len(seen))
        earlier = {place: places[:at] for at, place in enumerate(places)}
        chosen = [draw.sample(earlier[at], draw.randint(0, min(2, len(earlier[at])))) for at in range(len(seen))]
        seen = tuple(replace(one, after=frozenset(some)) for one, some in zip(seen, chosen, strict=True))
        order = Order.PARTIAL if any(chosen) else Order.NONE
    return seen, order


# --- what is said ----------------------------------------------------------------------------------


@law(6, quick=3)
def test_goals_costs_and_odds_are_those_of_every_plan(seed: int) -> None:
    asked, draw = drawn(seed)
    found = recognize(asked.problem, asked.settings)
    compare(asked, asked.problem, found, asked.costs(found.method))
    if asked.settings.method in (Method.SOFT, Method.EXACT) and asked.settings.posterior is Posterior.DIFFERENCE:
        compare_completion(asked, asked.problem, asked.problem, draw)


@law(4)
def test_what_is_said_of_what_was_understood_in_part_holds_whatever_the_rest_means(seed: int) -> None:
    asked, draw = drawn(seed)
    assume(asked.settings.posterior is Posterior.DIFFERENCE)
    problem, settings = asked.problem, asked.settings
    if asked.order is not Order.PARTIAL and problem.observations and draw.random() < 0.2:
        place = draw.randrange(len(problem.observations))
        arriving = [*problem.observations[:place], "a piece", *problem.observations[place:]]
        *_, found = follow(replace(problem, observations=()), arriving, settings)
    else:
        found = recognize(replace(problem, missed=("a piece",)), settings)
    meant = list(problem.observations)  # what the piece means stands anywhere, or last where an order is said
    for _ in range(draw.choice((0, 1, 1, 2))):
        name = draw.choice(list(problem.model.domain.actions))
        known = [replace(one, after=frozenset(), price=None) for one in problem.observations]
        new = draw.choice([*known, *[Observation(text=f"({name})", step=Step(name=name))] * 3])
        meant.insert(len(meant) if asked.order is Order.PARTIAL else draw.randint(0, len(meant)), new)
    whole = replace(problem, observations=tuple(meant))
    compare(asked, whole, found, asked.costs(found.method, whole))
    if settings.method in (Method.SOFT, Method.EXACT):
        compare_completion(asked, replace(problem, missed=("a piece",)), whole, draw)


def compare(asked: Asked, problem: RecognitionProblem, found: Recognition, costs: Sequence[Costs]) -> None:
    """Compare each goal's standing and bounds, the best goals, and what their odds lie between."""
    seen = [(str(one), one.after, one.price) for one in problem.observations]
    told = (asked.settings, asked.order, seen, costs, found)
    compare_bounds(problem, found, costs, told)
    assert found.verdict is not Verdict.NO_HYPOTHESIS_EXPLAINS or not any(
        None not in pair and one.prior for pair, one in zip(costs, problem.hypotheses, strict=True)
    ), told
    if found.verdict is Verdict.NO_ANSWER or any(part is not None and part > 300 for pair in costs for part in pair):
        return  # too far apart for the exponents here
    weights = [weight(asked, problem, at, *pair) for at, pair in enumerate(costs)]
    if not any(weights):
        return
    if found.exact and found.verdict is Verdict.RANKED:
        best = tuple(at for at, one in enumerate(weights) if one >= max(weights) * (1 - NEAR))
        assert found.best == best, (told, weights)
    for one, true in zip(found.candidates, weights, strict=True):
        if one.least is not None and one.most is not None:
            assert one.least - NEAR <= true / sum(weights) <= one.most + NEAR, (told, weights, one)


def compare_bounds(problem: RecognitionProblem, found: Recognition, costs: Sequence[Costs], told: object) -> None:
    for hypothesis, one, (base, total) in zip(problem.hypotheses, found.candidates, costs, strict=True):
        assert one.standing is not Standing.UNSOLVABLE or base is None, told
        assert one.standing is not Standing.UNEXPLAINED or total is None, told
        assert one.standing is not Standing.EXCLUDED or not hypothesis.prior, told
        assert base is None or is_in(one.base, base), (told, one, base)
        assert base is None or total is None or is_in(one.delta, total - base), (told, one)
        assert one.standing is not Standing.EXACT or (one.delta is not None and one.delta.is_exact), (told, one)


def weight(asked: Asked, problem: RecognitionProblem, at: int, base: Fraction | None, total: Fraction | None) -> float:
    """Return how probable a goal is by the definition, before all are made to sum to 1."""
    one, beta = problem.hypotheses[at], asked.settings.beta
    if base is None or total is None:
        return 0.0
    if asked.settings.posterior is Posterior.DIFFERENCE:
        return float(one.prior) * exp(beta * float(base - total))
    other = asked.oracle.avoiding(one.goal, problem.observations)
    return float(one.prior) * (1.0 if other is None else 1 / (1 + exp(beta * float(total - other))))


def compare_completion(asked: Asked, part: RecognitionProblem, whole: RecognitionProblem, draw: Random) -> None:
    """Complete observations to a plan for one goal."""
    at = draw.randrange(len(part.hypotheses))
    part, whole = (
        replace(one, observations=tuple(replace(seen, price=None) for seen in one.observations))
        for one in (part, whole)
    )
    found, (_, least) = complete(part, asked.settings, at), asked.costs(asked.settings.method, whole)[at]
    told = (asked.settings, asked.order, list(map(str, whole.observations)), found, least)
    if found.plan is None:
        assert not found.proven or least is None, told
        return
    state, paid = asked.oracle.init, Fraction(0)
    for step in found.plan:
        state, price = next(way[1:] for way in asked.oracle.successors(state) if str(way[0]) == str(step))
        paid += price
    assert asked.oracle.meets(part.hypotheses[at].goal, state), told
    cost = paid + found.unexplained * (asked.settings.discard_cost if asked.settings.method is Method.SOFT else 0)
    if whole.observations == part.observations:
        assert found.cost == paid and least is not None and cost >= least, told
    assert cost == least or not found.proven, told


# --- flows -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sighting:
    """A line with the moves that explain it, or the goal that holds where it is a fact; ``price`` is its own."""

    text: str
    explains: Callable[[Move], object] = lambda move: False
    fact: tuple[Goal, ...] | None = None
    price: Fraction | None = None
    tool: str | None = None


class FlowOracle(RecognitionOracle):
    """The same for a flow, by an interpreter of its own; a goal is several of a flow's goals."""

    def __init__(self, own: Interpreter) -> None:
        self.own, self.init, self.looked = own, own.start, 0  # type: ignore[assignment]

    def successors(self, state: Any) -> Any:
        self.looked += 1
        assume(self.looked < 20_000)
        return [(move, end, Fraction(cost)) for move, end, cost in self.own.moves(state)]

    def explains(self, observation: Sighting, step: Any) -> bool:
        return bool(observation.explains(step))

    def meets(self, condition: Any, state: Any) -> bool:
        return all(
            (goal.claim.text, goal.claim.holds) in state.decided
            if goal.kind is GoalKind.CONSTRAINT
            else goal.subject in (state.done if goal.kind is GoalKind.OPERATOR else state.known)
            for goal in condition
        )


@law(3, quick=1)
def test_goals_of_a_flow_cost_what_every_world_says(seed: int) -> None:
    draw = Random(f"recognition of flows {seed}")
    flow = flow_with_goals(draw)
    own, goals = Interpreter(flow), [goal for group in flow.goals for goal in group]
    groups = [tuple(draw.sample(goals, min(len(goals), draw.choice((1, 1, 2))))) for _ in range(draw.randint(2, 3))]
    wanted = list({frozenset(group): tuple(dict.fromkeys(group)) for group in groups}.values())
    method = draw.choice((Method.SOFT, Method.SOFT, Method.EXACT))
    settings = Settings(method=method, discard_cost=Fraction(draw.choice((0, 1, 4, 60)), 2), margin=10.0**9)
    seen = list(sightings(draw, own))
    unit = max(1, median_low(operator.cost + 5_000 * flow.options.retries for operator in flow.operators))
    paid = [settings.discard_cost if one.price is None else one.price for one in seen]
    prices = [None if method is Method.EXACT else price * unit for price in paid]
    before, oracle = [frozenset(range(at)) for at in range(len(seen))], FlowOracle(own)
    costs = [(oracle.without(group), oracle.with_all(group, seen, before, prices)) for group in wanted]
    logic = type(flow.options.goal_logic)("and-and")
    bare = replace(flow, goals=(), options=replace(flow.options, goal_logic=logic))
    documents, said = [[document(goal) for goal in group] for group in wanted], written(draw, seen)
    problem = flow_problem(bare, said, documents)
    found, told = recognize(problem, settings), (flow, documents, said, settings, costs)
    assert problem.unit == unit and len(found.candidates) == len(wanted), told
    compare_bounds(problem, found, costs, told)
    deltas = [None if base is None or total is None else total - base for base, total in costs]
    if found.exact and any(delta is not None for delta in deltas):
        least = min(delta for delta in deltas if delta is not None)
        assert all(deltas[at] == least for at in found.best), told
    if costs[0][1] is not None:
        completion = complete(flow_problem(bare, said, documents[:1]), settings)
        assert completion.plan is not None or not completion.proven, told
        if completion.plan is not None:
            end = own.run(list(map(move_of, completion.plan)))
            assert end is not None and oracle.meets(wanted[0], end[0]) and completion.cost == sum(end[1]), told


def document(goal: Goal) -> dict[str, object]:
    if goal.claim is not None:
        return {"constraint": goal.claim.text, "holds": goal.claim.holds}
    return {"operator" if goal.kind is GoalKind.OPERATOR else "known": goal.subject}


def sightings(draw: Random, own: Interpreter) -> Iterator[Sighting]:
    """Yield some lines: of a walk, of which some are left out, and of what has not happened."""
    world, walk = own.start, list[Move]()
    while len(walk) < 5 and (ways := sorted(own.moves(world), key=lambda way: (way[2], way[0]))):
        move, world, _ = draw.choice(ways[:4])
        walk.append(move)
    for move in walk[: draw.randint(1, 4)]:
        if draw.random() < 0.3:
            continue
        if draw.random() < 0.2:
            move = ("call", draw.choice(own.flow.operators).name)
        price = None if move[0] == "assert" else draw.choice((None, None, None, Fraction(1), Fraction(5, 2)))
        tool = move[1] if move[0] == "call" else None
        said = draw.choice((line(own.flow, move), *([] if tool is None else [tool, f"{tool}(_)"])))
        yield Sighting(said, move.__eq__, price=price, tool=tool)
    if draw.random() < 0.2:
        item = draw.choice(own.flow.memory).item
        yield Sighting(f"holds known: {item}", fact=(Goal(kind=GoalKind.KNOWN, subject=item),))
    if draw.random() < 0.15:
        yield Sighting("search(_)")


def written(draw: Random, seen: Sequence[Sighting]) -> str:
    """Return what was seen as lines, or calls of operators as a trace, in which some failed and were made again."""
    if any(one.tool is None or one.price is not None for one in seen) or draw.random() < 0.3:
        return "\n".join(one.text if one.price is None else f"{one.text} {float(one.price)}" for one in seen)
    made = list[dict[str, object]]()
    for one in seen:
        record = {"name": one.tool, "arguments": {"x": len(made)}}
        made += [{**record, "error": "busy"}] if draw.random() < 0.3 else []
        made.append({**record, "result": "done"})
    return json.dumps(made)
