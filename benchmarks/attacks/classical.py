"""Attacks on what is proven of plans of classical models: Dijkstra over states and places of the plan."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, DEARER, Oracle, State, cost_of, random_case
from tests.support.edit_oracle import KINDS as MODELS
from validator import Quality, Report, check
from validator.checking.about.redundant import redundant_steps
from validator.checking.monitor import check_rest
from validator.checking.prepared import Prepared, prepare
from validator.checking.solve import solve
from validator.grounding.limits import Limits
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Plan, Step

__all__ = ["KINDS", "judged", "repaired", "scale_of", "text_of", "with_start"]

_PRICES = {"cheap": CHEAP, "dear": DEAR, "dearer": DEARER}


def _repairs(model: str, seed: int) -> Iterator[str]:
    """Repair a plan to each quality under each policy; costs are decimals, of 0, of 10^7."""
    domain, problem, plan = random_case(model, seed, list(_PRICES.values())[seed % 3])
    prepared = prepare(read_model(domain, problem))
    oracle = Oracle(domain, problem)
    for quality in Quality:
        for policy in ("edits", "keep"):
            yield repaired(prepared, oracle, plan, quality, policy)


def repaired(prepared: Prepared, oracle: Oracle, plan: list[str], quality: Quality, policy: str) -> str:
    report = check(prepared, None, text_of(plan), quality=quality, policy=policy)
    return judged(report, oracle, plan, policy, scale_of(prepared))


def judged(
    report: Report, oracle: Oracle, plan: Sequence[str], policy: str, scale: int, *, is_limited: bool = False
) -> str:
    """Compare all that a report claims. With limits so small that they are met, it may leave open whatever it is."""
    quality = report.report_type
    expected = oracle.nearest(plan, quality.value, policy, scale)
    found = cost_of(report, policy, oracle, scale)
    told = (quality, policy, found, expected)
    is_unknown = report.determination is None or (found is None and not report.proven)
    assert is_unknown or found == expected or (not report.proven and expected is not None and found > expected), told
    assert not (report.proven and report.determination is None), told
    assert not (report.planner_response.no_solution and expected is not None), told
    if quality is not Quality.OPTIMAL:
        nothing = (Fraction(0), Fraction(0))
        is_right = report.determination is (expected == nothing)
        assert is_right or (is_limited and report.determination is None), (quality, report.determination)
        bound = report.planner_response.lower_bound
        assert bound is None or policy != "edits" or expected is None or bound <= expected[0], (told, bound)
    else:
        is_cheapest = expected is not None and not expected[1]  # no edits are the nearest way to a cheapest plan
        assert report.determination in (is_cheapest, None), (policy, report.determination, expected)
        if (cheapest := report.optimal_cost) is not None and expected is not None:
            assert cheapest.lower <= expected[0], cheapest
            assert cheapest.upper is None or cheapest.upper >= expected[0], cheapest
    return outcome(report.proven)


def text_of(plan: list[str]) -> str:
    return "".join(f"{step}\n" for step in plan)


def scale_of(prepared: Prepared) -> int:
    task = prepared.task(Limits(deadline=float("inf"), memory=4 * 2**30))
    assert isinstance(task, Task)
    return task.encoding.scale


def _optima(seed: int) -> Iterator[str]:
    """Find a cheapest plan, or prove that there is none."""
    model, prices = MODELS[seed % 4], list(_PRICES.values())[seed // 4 % 3]
    oracle = Oracle(*(texts := random_case(model, seed, prices)[:2]))
    prepared = prepare(read_model(*texts))
    expected, found = oracle.nearest((), "optimal", "edits", 1), solve(prepared)
    if expected is None:
        assert found.plan is None, found
    elif found.plan is None:
        assert not found.proven, found
    else:
        end = oracle.run(map(str, found.plan))
        assert end is not None and oracle.is_goal(end[0]) and sum(end[1]) == found.cost, found
        assert found.cost == expected[0] if found.proven else found.lower_bound <= expected[0], (found, expected)
    yield outcome(found.proven)


def _rests(seed: int) -> Iterator[str]:
    """Check the rest of a plan from a random state, given as a section of facts."""
    draw = random.Random(f"rest {seed}")
    domain, problem, plan = random_case(MODELS[seed % 4], seed)
    prepared = prepare(read_model(domain, problem))
    executed = draw.randint(0, len(plan))
    names = [name for name in prepared.model.domain.predicates if name != "d"]
    now = frozenset((name,) for name in names if draw.random() < 0.4)
    state = f"(:init {' '.join(f'({name})' for (name,) in sorted(now))})"
    oracle, scale = Oracle(domain, problem, now), scale_of(prepared)
    for quality in Quality:
        report = check_rest(prepared, text_of(plan), executed=executed, state=state, quality=quality, strict=True)
        expected = oracle.nearest(plan[executed:], quality.value, "edits", scale)
        if quality is not Quality.OPTIMAL:
            assert report.determination is (expected == (0, 0)), (quality, report.determination, expected)
        else:
            is_cheapest = expected is not None and not expected[1]
            assert report.determination in (is_cheapest, None), (report.determination, expected)
        found = cost_of(report, "edits", oracle, scale, executed)
        assert not report.proven or found == expected, (quality, found, expected)
        yield outcome(report.proven)


def with_start(prepared: Prepared, state: State) -> Prepared:
    """Return a model that begins in another state."""
    return prepare(replace(prepared.model, problem=replace(prepared.model.problem, init=state)))


def _redundancies(seed: int) -> Iterator[str]:
    """Leave out every set of the steps of a valid plan: a walk to the goal."""
    draw = random.Random(f"redundant {seed}")
    oracle = Oracle(*(texts := random_case(MODELS[seed % 4], seed)[:2]))
    prepared, walk, state = prepare(read_model(*texts)), list[Step](), oracle.init

    def is_valid(steps: Iterable[Step]) -> bool:
        end = oracle.run(map(str, steps))
        return end is not None and oracle.is_goal(end[0])

    while len(walk) < 8 and (ways := oracle.successors(state)):
        step, state, _ = draw.choice(ways)
        walk.append(step)
    ends = [size for size in range(len(walk) + 1) if is_valid(walk[:size])]
    if not ends:
        return
    steps = walk[: ends[-1]]
    found = redundant_steps(prepared, Plan(parts=tuple(steps)))
    kept = [step for place, step in enumerate(steps) if place not in found.steps]
    assert is_valid(kept), found
    fewest = next(size for size in range(len(steps) + 1) for part in combinations(steps, size) if is_valid(part))
    assert len(kept) == fewest or (not found.proven and len(kept) > fewest), (found, fewest)
    yield outcome(found.proven)


_DIJKSTRA = "Dijkstra over states and places of the plan"

KINDS = (
    *(
        Kind(name=f"repair: {model}", against=_DIJKSTRA, attack=partial(_repairs, model), share=12)
        for model in MODELS
    ),
    Kind(name="cheapest plans", against="Dijkstra over states", attack=_optima, share=7),
    Kind(name="monitoring", against=f"{_DIJKSTRA}, from any state", attack=_rests, share=8),
    Kind(name="redundant steps", against="every set of steps left out", attack=_redundancies, share=4),
)  # fmt: skip
