"""Attacks on recognition on flows: which goals calls speak for, and what plans cost with them and without."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from json import dumps
from random import Random
from statistics import median_low

from benchmarks.attacks.kind import Kind, outcome
from tests.support.flow_attack import flow_with_goals, move_of
from tests.support.flow_interpreter import Interpreter, Move, World, line
from validator.flow.model import Flow, Goal, GoalKind
from validator.recognize import Method, Recognition, Settings, Standing, complete, recognize
from validator.recognize.flows import flow_problem

__all__ = ["KINDS"]

_WIDE = 10.0**9
"""a margin that cuts nothing off"""

_WORLDS = 1_200
"""a case with more is left out"""


@dataclass(frozen=True)
class _Seen:
    """A line with the moves that explain it, or the goal that holds where it is a fact; ``price`` is its own."""

    text: str
    explains: Callable[[Move], object]
    fact: Goal | None = None
    price: Fraction | None = None
    tool: str | None = None
    """that was called"""


@dataclass(frozen=True)
class _Case:
    own: Interpreter
    wanted: tuple[tuple[Goal, ...], ...]
    seen: tuple[_Seen, ...]
    discard: Fraction | None
    """in the flow's costs, of what is left unexplained; None where nothing may be"""


class _TooManyError(Exception):
    """There are more worlds than are looked at."""


def _attack(seed: int) -> Iterator[str]:
    draw = Random(f"noticed {seed}")
    flow = flow_with_goals(draw)
    goals = [goal for group in flow.goals for goal in group]
    wanted = [tuple(draw.sample(goals, min(len(goals), draw.choice((1, 1, 2))))) for _ in range(draw.randint(2, 3))]
    wanted = list({frozenset(group): tuple(dict.fromkeys(group)) for group in wanted}.values())
    own = Interpreter(flow)
    unit = _unit(flow)
    settings = Settings(
        method=draw.choice((Method.SOFT, Method.SOFT, Method.EXACT)),
        discard_cost=Fraction(draw.choice((0, 1, 4, 60)), 2),
        margin=_WIDE,
    )
    is_exact = settings.method is Method.EXACT
    case = _Case(own, tuple(wanted), tuple(_observed(draw, own)), None if is_exact else settings.discard_cost * unit)
    documents = [[_document(goal) for goal in group] for group in wanted]
    text = _written(draw, case.seen)
    bare = replace(flow, goals=(), options=replace(flow.options, goal_logic=type(flow.options.goal_logic)("and-and")))
    try:
        costs = [(_cheapest(case, group, ()), _cheapest(case, group, case.seen, unit)) for group in wanted]
    except _TooManyError:
        return
    problem = flow_problem(bare, text, documents)
    found = recognize(problem, settings)
    told = (flow, documents, text, settings, costs, found)
    assert problem.unit == unit and len(found.candidates) == len(wanted), told
    yield _compared(found, costs, told)
    if len(wanted) > 1 and costs[0][1] is not None:
        yield _completed(case, flow_problem(bare, text, documents[:1]), settings, costs[0], told)


def _unit(flow: Flow) -> int:
    """Return what the first call of a middling operator costs."""
    more = 5_000 if flow.options.retries else 0
    return max(1, median_low(operator.cost + more for operator in flow.operators))


def _document(goal: Goal) -> dict[str, object]:
    if goal.kind is GoalKind.CONSTRAINT:
        assert goal.claim is not None
        return {"constraint": goal.claim.text, "holds": goal.claim.holds}
    return {"operator" if goal.kind is GoalKind.OPERATOR else "known": goal.subject}


def _observed(draw: Random, own: Interpreter) -> Iterator[_Seen]:
    """Yield some lines: of a walk, of which some are left out, and of what has not happened."""
    world, walk = own.start, list[Move]()
    for _ in range(draw.randint(1, 6)):
        ways = sorted(own.moves(world), key=lambda way: (way[2], way[0]))
        if not ways:
            break
        move, world, _ = draw.choice(ways[:4])
        walk.append(move)
    for move in walk[: draw.randint(1, 4)]:
        if draw.random() < 0.3:
            continue
        price = draw.choice((None, None, None, Fraction(1), Fraction(5, 2)))
        if draw.random() < 0.2:
            move = ("call", draw.choice(own.flow.operators).name)
        tool = move[1] if move[0] == "call" else None
        text = line(own.flow, move)
        if tool is not None and draw.random() < 0.5:
            text = draw.choice((tool, f"{tool}(_)"))
        yield _Seen(text, move.__eq__, price=None if move[0] == "assert" else price, tool=tool)
    if draw.random() < 0.2:
        item = draw.choice(own.flow.memory).item
        fact = Goal(kind=GoalKind.KNOWN, subject=item)
        yield _Seen(f"holds known: {item}", lambda made: False, fact=fact)
    if draw.random() < 0.15:
        yield _Seen("search(_)", lambda made: False)


def _written(draw: Random, seen: Sequence[_Seen]) -> str:
    """Return what was seen as lines, or calls of operators as a trace, in which some failed and were made again."""
    if any(one.tool is None or one.price is not None for one in seen) or draw.random() < 0.3:
        return "\n".join(one.text if one.price is None else f"{one.text} {float(one.price)}" for one in seen)
    made = list[dict[str, object]]()
    for one in seen:
        record = {"name": one.tool, "arguments": {"x": len(made)}}
        made += [{**record, "error": "busy"}] if draw.random() < 0.3 else []
        made.append({**record, "result": "done"})
    return dumps(made)


def _cheapest(case: _Case, wanted: Sequence[Goal], seen: Sequence[_Seen], unit: int = 1) -> Fraction | None:
    """Return what the cheapest plan costs, with what it leaves unexplained; None where there is none."""
    own, numbers, zero = case.own, count(), Fraction(0)
    start = (own.start, 0)
    best: dict[tuple[World, int], Fraction] = {start: zero}
    heap = [(zero, next(numbers), start)]
    while heap:
        cost, _, node = heapq.heappop(heap)
        if cost > best[node]:
            continue
        if len(best) > _WORLDS * (len(seen) + 1):
            raise _TooManyError
        world, place = node
        if place == len(seen) and all(_is_met(own, goal, world) for goal in wanted):
            return cost
        ways = list[tuple[Fraction, tuple[World, int]]]()
        one = seen[place] if place < len(seen) else None
        if one is not None and case.discard is not None:
            ways.append((case.discard if one.price is None else one.price * unit, (world, place + 1)))
        if one is not None and one.fact is not None and _is_met(own, one.fact, world):
            ways.append((zero, (world, place + 1)))
        for move, after, price in own.moves(world):
            ways.append((Fraction(price), (after, place)))
            if one is not None and one.explains(move):
                ways.append((Fraction(price), (after, place + 1)))
        for more, target in ways:
            if target not in best or cost + more < best[target]:
                best[target] = cost + more
                heapq.heappush(heap, (cost + more, next(numbers), target))
    return None


def _is_met(own: Interpreter, goal: Goal, world: World) -> bool:
    if goal.kind is GoalKind.CONSTRAINT:
        assert goal.claim is not None
        return (goal.claim.text, goal.claim.holds) in world.decided
    return goal.subject in (world.done if goal.kind is GoalKind.OPERATOR else world.known)


def _compared(found: Recognition, costs: Sequence[tuple[Fraction | None, Fraction | None]], told: object) -> str:
    for one, (base, total) in zip(found.candidates, costs, strict=True):
        assert one.standing is not Standing.UNSOLVABLE or base is None, (told, one)
        assert one.standing is not Standing.UNEXPLAINED or total is None, (told, one)
        if base is not None:
            for bounds, cost in ((one.base, base), (one.delta, None if total is None else total - base)):
                is_in = bounds is None or cost is None or (
                    bounds.lower <= cost and (bounds.upper is None or cost <= bounds.upper)
                )  # fmt: skip
                assert is_in, (told, one)
        assert one.standing is not Standing.EXACT or (one.delta is not None and one.delta.is_exact), (told, one)
    deltas = [total - base for base, total in costs if base is not None and total is not None]
    if found.exact and deltas:
        nearest = tuple(
            at for at, (base, total) in enumerate(costs)
            if base is not None and total is not None and total - base == min(deltas)
        )  # fmt: skip
        assert set(found.best) <= set(nearest), (told, nearest)
    return outcome(found.exact)


def _completed(
    case: _Case, problem: object, settings: Settings, costs: tuple[Fraction | None, Fraction | None], told: object
) -> str:
    """Compare the plan that the observations are completed to: it can be made, and reaches the goal at its cost."""
    completion = complete(problem, settings)  # type: ignore[arg-type]
    told = (told, completion)
    assert completion.plan is not None or not completion.proven, told
    if completion.plan is not None:
        end = case.own.run(map(move_of, completion.plan))  # type: ignore[arg-type]
        assert end is not None and all(_is_met(case.own, goal, end[0]) for goal in case.wanted[0]), told
        assert completion.cost == sum(end[1]), (told, end)
    return outcome(completion.proven)


KINDS = (
    Kind(
        name="recognition: calls of a flow",
        against="a second executor of flows, Dijkstra over worlds and observations",
        attack=_attack,
        share=6,
    ),
)
