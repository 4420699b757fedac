"""Attacks on what is proven of constraints and preferences, completed observations, rules about calls, and domains."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

from benchmarks.attacks.kind import Kind, has_solver, outcome
from tests.support.edit_oracle import CHEAP, DEAR, DEARER, random_case
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.model_repairs import agree
from tests.support.naive_reference import Reference
from tests.support.policy_runs import RULES, TOOLS, fewest_edits, keeps
from tests.support.random_beyond import sequential
from tests.support.random_models import Sample
from tests.support.recognition_oracle import RecognitionOracle, random_problem
from validator import Report, check
from validator.checking.prepared import Prepared, prepare
from validator.checking.solve import solve
from validator.model.pddl import read_model
from validator.policies import conform
from validator.recognize import Method, Settings, complete
from validator.repair.sequences import lcs_length

__all__ = ["KINDS", "completions"]

_SECONDS = 1.0
"""for a search of random models, of which many have endlessly many states"""

_STEPS = 3
"""of the longest plans that are tried, where there are few"""

Plans = dict[tuple[str, ...], Fraction | None]


def _constrained(seed: int) -> Iterator[str]:
    """Repair a plan of a model with numbers, constraints and preferences, compare its cost, and plan."""
    case = sequential(seed)
    prepared = prepare(read_model(case.domain, case.problem))
    plans, observed = _valid(prepared, case), [line for line in case.plan.splitlines() if line[0] == "("]
    for policy in ("edits", "keep"):
        report = check(prepared, None, case.plan, policy=policy, time_limit=_SECONDS)
        yield _nearest(case, plans, observed, report, policy)
    report = check(prepared, None, case.plan, quality="optimal", time_limit=_SECONDS)
    least = min((cost for cost in plans.values() if cost is not None), default=None)
    own, interval = plans.get(tuple(observed)), report.optimal_cost
    assert interval is None or least is None or interval.lower <= least, (case, interval, least)
    assert not report.determination or own is None or own == least, (case, own, least)
    assert not (report.planner_response.no_solution and plans), case
    yield outcome(report.proven)
    found = solve(prepared, time_limit=_SECONDS)
    assert not (found.proven and found.plan is None and plans), (case, found)
    assert least is None or found.lower_bound is None or found.lower_bound <= least, (case, found, least)
    yield outcome(found.proven)


def _valid(prepared: Prepared, case: Sample) -> Plans:
    """Return the valid plans of few steps, with what they cost where that is known."""
    steps = [
        f"({' '.join((action.name, *args))})"
        for action in prepared.model.domain.actions.values()
        for args in product(*(prepared.model.objects_of(one.types) for one in action.parameters))
    ]
    found: Plans = {}
    for size in range(_STEPS + 1 if len(steps) < 6 else _STEPS):
        for plan in product(steps, repeat=size):
            verdict = Reference(case.domain, case.problem).verdict("\n".join(plan) or "; empty plan")
            if verdict is not None and verdict[0]:
                found[plan] = verdict[1]
    return found


def _nearest(case: Sample, plans: Plans, observed: list[str], report: Report, policy: str) -> str:
    if report.repaired_plan is not None:
        repaired = tuple(map(str, report.repaired_plan))
        verdict = Reference(case.domain, case.problem).verdict("\n".join(repaired) or "; empty plan")
        assert verdict is None or verdict[0], (case, repaired)

        def changes(plan: tuple[str, ...]) -> int:
            kept = lcs_length(observed, plan)
            return len(observed) - kept + (len(plan) - kept if policy == "edits" else 0)

        nearest = min(map(changes, plans), default=None)
        assert not report.proven or nearest is None or changes(repaired) <= nearest, (case, repaired, nearest)
    elif report.determination is False and report.proven:
        assert not plans, (case, plans, report.reason)
    return outcome(report.proven)


def completions(seed: int, seconds: float = 30.0) -> Iterator[str]:
    """Complete observations: all of them, as many as can be, and as many as are worth it."""
    case = MODELS[seed % 4], seed // 4, (CHEAP, DEAR, DEARER)[seed // 4 % 3]
    problem, oracle = random_problem(*case), RecognitionOracle(*random_case(*case)[:2])
    price, dear = Fraction(1 + seed % 5, 2), Fraction(10**12)
    for number, hypothesis in enumerate(problem.hypotheses):
        for method, own in ((Method.AUTO, dear), (Method.EXACT, None), (Method.SOFT, price)):
            found = complete(problem, Settings(method=method, discard_cost=price, time_limit=seconds), number)
            least = oracle.explaining(hypothesis.goal, problem.observations, own, Fraction(0))
            if found.plan is None:
                assert not found.proven or least is None, (method, least)
            else:
                assert found.cost is not None and least is not None, (method, found)
                cost = found.cost + found.unexplained * (own or 0)
                assert cost == least or (cost > least and not found.proven), (method, cost, least)
            yield outcome(found.proven)


def _rules(seed: int) -> Iterator[str]:
    """Repair a run that breaks rules."""
    draw = Random(f"rules {seed}")
    policy = "\n".join(draw.sample(RULES, draw.randint(1, 3)))
    run = tuple(draw.choice(TOOLS) for _ in range(draw.randint(0, 4)))
    found = conform(policy, [{"name": name, "arguments": {}} for name in run])
    assert found.kept is keeps(policy, run), (policy, run)
    if found.repair is None:
        yield outcome(found.kept is not None)
    elif found.repair.edits is None or found.repair.cost is None:
        assert not found.repair.proven or fewest_edits(policy, run, 2) is None, (policy, run)
        yield outcome(found.repair.proven)
    else:
        assert keeps(policy, tuple(event.name for event in found.repair.run)), (policy, run)
        least = fewest_edits(policy, run, min(found.repair.cost, 3))
        assert not found.repair.proven or least in (found.repair.cost, None), (policy, run, least)
        assert found.repair.cost > 3 or least is not None, (policy, run)
        yield outcome(found.repair.proven)


def _domains(seed: int) -> Iterator[str]:
    """Repair a domain; without the solver of the extra ``model-repair`` nothing is claimed."""
    if has_solver():
        agree(seed, must_fail=bool(seed % 2))
    yield outcome(has_solver())


KINDS = (
    Kind(
        name="repair, cheapest: constraints, preferences",
        against="a second executor, all plans of up to three steps",
        attack=_constrained,
    ),
    Kind(
        name="observations completed",
        against="Dijkstra over states and observations",
        attack=completions,
        share=5,
    ),
    Kind(name="rules: repair", against="all runs, nearest first", attack=_rules, share=5),
    Kind(name="domains: repair", against="all sets of up to two edits", attack=_domains, share=4),
)
