"""Attacks on what is told where this program is part of another one: an engine of unified-planning, a guard,
traces; of metrics; and where a text in words leaves something out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, DEARER, Oracle, State
from tests.support.naive_reference import parse
from tests.support.random_schemas import Style, Texts, random_schema
from tests.support.random_worlds import states_of, wrong_walk
from validator import ModelError
from validator.adherence import Adherence, Effect, RowKind, adhere
from validator.guard import PlanGuard, Rest
from validator.metrics import same_order
from validator.model.pddl import read_model
from validator.reading.plan import LEFT_OUT, Step
from validator.repair.sequences import lcs_length

__all__ = ["KINDS"]

_PRICES = (CHEAP, DEAR, DEARER)

_MOST_STATES, _MOST_CALLS = 400, 5


def _case(seed: int) -> tuple[Texts, Oracle] | None:
    texts = random_schema(seed, _PRICES[seed % 3])
    oracle = Oracle(*texts)
    return None if states_of(oracle, _MOST_STATES) is None else (texts, oracle)


# --- unified-planning ------------------------------------------------------------------------------


def _engine(seed: int) -> Iterator[str]:
    """Validate and repair plans of problems as unified-planning reads them, some with hardly any time."""
    from unified_planning.environment import get_environment
    from unified_planning.plans import SequentialPlan

    from validator.integrations.unified_planning import PlanValidatorEngine, register
    from validator.up.pddl import read_up

    case, draw = _case(seed), Random(f"engine {seed}")
    if case is None or "(:derived" in case[0][0]:  # which unified-planning does not read
        return
    (domain, text), oracle = case
    texts = domain.replace(" :derived-predicates", "").replace("(d ?v)", ""), text
    environment = get_environment()
    environment.credits_stream = None
    register(environment)
    try:
        problem = read_up(*texts)
    except ModelError:  # quantified over a type without objects, which unified-planning reads otherwise
        yield outcome(False)
        return
    if not PlanValidatorEngine.supports(problem.kind):
        yield outcome(False)
        return
    known = set(map(str, oracle.steps))
    lines = [line for line in wrong_walk(oracle, draw, draw.randint(0, 5), draw.choice((0, 0, 1, 2))) if line in known]
    actions = [problem.action(name)(*map(problem.object, args)) for name, *args in map(_words, lines)]
    plan = SequentialPlan(actions, environment)
    end = oracle.run(lines)
    is_valid = end is not None and oracle.is_goal(end[0])
    with environment.factory.PlanValidator(name="plan-validator") as validator:
        found = validator.validate(problem, plan)
    told = (texts, lines, found)
    assert found.status.name == ("VALID" if is_valid else "INVALID"), told
    if is_valid and end is not None and found.metric_evaluations:
        (value,) = found.metric_evaluations.values()
        assert Fraction(str(value)) in (sum(end[1]), oracle.begun + sum(end[1])), told
    if not is_valid:
        at_fault = next((place for place in range(len(lines)) if oracle.run(lines[: place + 1]) is None), None)
        blamed = found.inapplicable_action
        assert (at_fault is None) is (found.reason.name == "UNSATISFIED_GOALS"), told
        assert at_fault is None or str(blamed) == str(actions[at_fault]), (told, at_fault)
    yield outcome(True)
    yield _repair(environment, problem, plan, oracle, lines, draw)


def _repair(environment: Any, problem: Any, plan: Any, oracle: Oracle, lines: Sequence[str], draw: Random) -> str:
    seconds = draw.choice((30.0, 30.0, 10 ** draw.uniform(-2.5, -0.5)))
    with environment.factory.PlanRepairer(name="plan-validator", params={"time_limit": seconds}) as repairer:
        found = repairer.repair(problem, plan)
    least, told = oracle.nearest(lines, "valid", "edits", 1), (lines, seconds, found)
    if found.plan is None:
        is_proven = found.status.name == "UNSOLVABLE_PROVEN"
        assert least is None or (not is_proven and seconds < 1), told
        return outcome(is_proven)
    repaired = [f"({' '.join((each.action.name, *map(str, each.actual_parameters)))})" for each in found.plan.actions]
    end = oracle.run(repaired)
    assert end is not None and oracle.is_goal(end[0]) and least is not None, told
    assert found.status.name == "SOLVED_SATISFICING", told
    changed = len(lines) + len(repaired) - 2 * lcs_length(lines, repaired)
    assert int(found.metrics["lower_bound"]) <= least[0] <= changed <= int(found.metrics["changed_lines"]), (
        told,
        least,
    )
    is_proven = found.metrics["proven"] == "True"
    assert not is_proven or int(found.metrics["changed_lines"]) == least[0], (told, least)
    return outcome(is_proven)


def _words(line: str) -> list[str]:
    return line.strip("()").split()


# --- guards ----------------------------------------------------------------------------------------


def _guarded(seed: int) -> Iterator[str]:
    """Guard calls by a model whose steps cost something, with a plan or without, and ask for the rest of the run."""
    case, draw = _case(seed), Random(f"guarded {seed}")
    if case is None:
        return
    texts, oracle = case
    guard, state = PlanGuard(texts, time_limit=draw.choice((20.0, 20.0, 0.05))), oracle.init
    for _ in range(_MOST_CALLS):
        step = _any_step(oracle, state, draw)
        if step is None:
            return
        after = next((after for each, after, _ in oracle.successors(state) if each == step), None)
        decision = guard.before(step.name, _arguments(texts, step))
        told = (texts, step, decision)
        assert decision.allowed is (after is not None), told
        if after is None:
            rest = decision.repaired(60)
            yield outcome(rest is not None and _compared(oracle, state, rest, told))
        else:
            guard.after(decision, "done")
            state = after
        assert (not guard.finish()) is oracle.is_goal(state), (told, guard.finish())


def _any_step(oracle: Oracle, state: State, draw: Random) -> Step | None:
    able = [step for step, _, _ in oracle.successors(state)]
    some = able if able and draw.random() < 0.7 else oracle.steps
    return draw.choice(some) if some else None


def _arguments(texts: Texts, step: Step) -> dict[str, object]:
    """Return the arguments of a call by the names of the parameters, which are numbered."""
    return {f"x{place}": name for place, name in enumerate(step.args)}


def _compared(oracle: Oracle, state: State, rest: Rest, told: object) -> bool:
    """Compare the rest of a run without rules and plans, which is a cheapest plan from here."""
    cheapest = _from(oracle, state).nearest((), "optimal", "edits", 1)
    if rest.steps is None:
        assert cheapest is None or not rest.proven, (told, rest, cheapest)
        return rest.proven
    end = _from(oracle, state).run(rest.steps)
    assert end is not None and oracle.is_goal(end[0]) and cheapest is not None, (told, rest)
    least = cheapest[0] - oracle.begun
    assert sum(end[1]) == least or (not rest.proven and sum(end[1]) > least), (told, rest, cheapest)
    return rest.proven


def _from(oracle: Oracle, state: State) -> Oracle:
    """Return the same oracle with another beginning: what it knows of states is kept."""
    other = object.__new__(Oracle)
    other.__dict__.update(oracle.__dict__)
    other.init = state
    return other


# --- rows of traces --------------------------------------------------------------------------------


def _rows(seed: int) -> Iterator[str]:
    """Judge each deviation of calls from a plan, and execute anew what its proof says."""
    case, draw = _case(seed), Random(f"rows {seed}")
    if case is None or not (case[1].steps):
        return
    texts, oracle = case
    known = set(map(str, oracle.steps))
    planned = [line for line in wrong_walk(oracle, draw, draw.randint(1, 4), 0, to_goal=True) if line in known]
    made = list(planned)
    for _ in range(draw.randint(1, 3)):
        place = draw.randint(0, len(made))
        made[place : place + draw.randint(0, 1)] = [str(draw.choice(oracle.steps))] * draw.randint(0, 1)
    calls = [
        {"name": name, "arguments": {f"x{at}": arg for at, arg in enumerate(args)}} for name, *args in map(_words, made)
    ]
    found = adhere("".join(f"{line}\n" for line in planned) or "; empty plan", calls, model=texts, time_limit=20)
    result, told = found.execution, (texts, planned, made, found.reason)
    assert result is not None, told
    run, own = _Run(oracle, made), _Run(oracle, planned)
    assert result.sound in (not run.at_fault, None) and result.reaches_goal in (oracle.is_goal(run.end), None), told
    assert result.cost in (None, run.cost) and result.plan_cost in (None, own.cost), (told, result, run.cost, own.cost)
    assert result.plan_is_valid in (None, not own.at_fault and oracle.is_goal(own.end)), told
    if result.recovery is not None:
        end = _from(oracle, run.end).run(map(str, result.recovery))
        assert end is not None and oracle.is_goal(end[0]), (told, result.recovery)
    for number, row in enumerate(found.rows):
        if row.is_deviation:
            _judged(found, number, oracle, planned, made, told)
            yield outcome(row.effect is not Effect.UNKNOWN)


class _Run:
    """Steps executed one after the other, of which one that cannot be executed changes nothing."""

    def __init__(self, oracle: Oracle, lines: Sequence[str]) -> None:
        self.at_fault, self.end, self.cost = list[int](), oracle.init, oracle.begun
        for place, line in enumerate(lines):
            ways = [(after, price) for step, after, price in oracle.successors(self.end) if str(step) == line]
            if ways:
                self.end, self.cost = ways[0][0], self.cost + ways[0][1]
            else:
                self.at_fault.append(place)


def _judged(
    found: Adherence, number: int, oracle: Oracle, planned: Sequence[str], made: Sequence[str], told: object
) -> None:
    row, run = found.rows[number], _Run(oracle, made)
    told = (told, row)
    at = None if row.executed is None else row.executed.index
    if row.proof.startswith("the call could not be executed"):
        assert at in run.at_fault, told
    elif row.effect is not Effect.UNKNOWN:
        assert at not in run.at_fault, told
    if amount := re.search(r"for ([\d.]+) (more|less) than the plan|(at the cost of the plan)", row.proof):
        more = Fraction(0) if amount[3] else Fraction(amount[1]) * (1 if amount[2] == "more" else -1)
        assert run.cost - _Run(oracle, planned).cost == more, (told, run.cost)
    if row.proof.startswith("the planned step could not be executed"):
        due = next(place for place, (other, is_planned, _) in enumerate(found.layout) if other == number and is_planned)
        before = [_call(found, other) for other, _, is_executed in found.layout[:due] if is_executed]
        lines = [made[each] for each in before]
        assert row.planned is not None and len(lines) in _Run(oracle, [*lines, planned[row.planned.index]]).at_fault, (
            told
        )
    if row.kind is not RowKind.EXTRA or at is None:
        return
    without = [line for place, line in enumerate(made) if place != at]
    undone = _Run(oracle, without)
    still = {place + (place >= at) for place in undone.at_fault}
    if lacks := re.match(r"undone, call (\d+) has .*, though not yet all$", row.proof):
        assert int(lacks[1]) - 1 in still and int(lacks[1]) - 1 in run.at_fault, told
    if able := re.match(r"undone, call (\d+) could be executed", row.proof):
        assert int(able[1]) - 1 not in still and int(able[1]) - 1 in run.at_fault, told
    if reached := re.match(r"undone, the goal (.*) is reached$", row.proof):
        assert oracle.has(parse(reached[1]), undone.end) and not oracle.has(parse(reached[1]), run.end), told
    if row.effect is Effect.HARMLESS:
        assert set(run.at_fault) - {at} <= still, told
        assert oracle.is_goal(run.end) or not oracle.is_goal(undone.end), told


def _call(found: Adherence, number: int) -> int:
    call = found.rows[number].executed
    assert call is not None
    return call.index


# --- what a text leaves out --------------------------------------------------------------------------


def _opened(step: Step, draw: Random) -> Step:
    return Step(name=step.name, args=tuple(LEFT_OUT if draw.random() < 0.5 else arg for arg in step.args))


def _may_be(said: Step, step: Step) -> bool:
    if said.name != step.name:
        return False
    return all(arg in (LEFT_OUT, own) for arg, own in zip(said.args, step.args, strict=True))


# --- metrics -----------------------------------------------------------------------------------------


def _orders(seed: int) -> Iterator[str]:
    """Say whether two plans are one partially ordered plan, and execute all orders that both allow."""
    texts, draw = random_schema(seed, CHEAP, _style(seed)), Random(f"orders {seed}")
    oracle = Oracle(*texts)
    if states_of(oracle, _MOST_STATES) is None:
        return
    one = wrong_walk(oracle, draw, draw.randint(2, 5), 0)
    model = read_model(*texts)
    for _ in range(3):
        other = list(one)
        for _ in range(draw.randint(1, 3)):
            place = draw.randrange(max(1, len(other) - 1))
            other[place : place + 2] = other[place : place + 2][::-1]
        score, ends = same_order("\n".join(one), "\n".join(other), model), [oracle.run(one), oracle.run(other)]
        told = (texts, one, other, score)
        reached = [end is not None and oracle.is_goal(end[0]) for end in ends]
        if one == other:
            assert score.value is True, told
        elif None in ends or reached[0] is not reached[1]:
            assert score.value is False, told
        else:
            orders = [oracle.run(lines) for lines in _linearisations(one, other)]
            is_same = all(end is not None and (oracle.is_goal(end[0]) or not reached[0]) for end in orders)
            assert score.value in (is_same, None), (told, is_same)
        yield outcome(score.value is not None)


def _style(seed: int) -> Style:
    return ("plain", "all", "conditional")[seed % 3]  # type: ignore[return-value]


def _linearisations(one: Sequence[str], other: Sequence[str]) -> Iterator[list[str]]:
    """Yield all orders of steps in which what comes first in both plans comes first; equal steps are numbered."""
    first, second = (list(zip(lines, _occurrences(lines), strict=True)) for lines in (one, other))
    for order in permutations(first):
        pairs = combinations(order, 2)
        if not any(first.index(b) < first.index(a) and second.index(b) < second.index(a) for a, b in pairs):
            yield [line for line, _ in order]


def _occurrences(lines: Sequence[str]) -> list[int]:
    return [lines[:place].count(line) for place, line in enumerate(lines)]


_DIJKSTRA = "Dijkstra over states and places of the plan"

KINDS = (
    Kind(name="engine of unified-planning", against=_DIJKSTRA, attack=_engine, share=5),
    Kind(name="metrics: one plan in two orders", against="all orders, executed", attack=_orders, share=6),
    Kind(name="traces: rows", against="execution", attack=_rows, share=6),
    Kind(name="guards: costs", against="Dijkstra from each state", attack=_guarded, share=5),
)
