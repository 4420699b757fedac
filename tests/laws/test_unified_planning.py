"""Problems and plans of unified-planning, beside executors that look at all plans, worlds and times."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import assume

from tests.support import branches, hierarchies
from tests.support.edit_oracle import CHEAP, Oracle
from tests.support.laws import case_of, law, text_of
from tests.support.naive_reference import distance
from tests.support.random_triggered import makespan, problem_of, quicker, sample, verdict
from tests.support.random_worlds import SIMPLE, random_world, states_of
from tests.support.short_plans import Numbers, Short
from validator import ModelError, Quality, Report, check, prepare
from validator.reading.plan import Step
from validator.reading.tokens import tokenize
from validator.up.edit_problem import dump, edit_problem
from validator.up.pddl import read_up

PLANS = 3_000
"""at halves of time, that are tried"""


# --- classical problems ----------------------------------------------------------------------------


@law(2)
def test_the_engine_validates_and_repairs_as_dijkstra_says(seed: int) -> None:
    from unified_planning.environment import get_environment
    from unified_planning.plans import SequentialPlan

    from validator.integrations.unified_planning import PlanValidatorEngine, register

    (domain, text), oracle, _, draw = case = case_of(seed, "s")
    assume("(:derived" not in domain)  # which unified-planning does not read
    environment = get_environment()
    environment.credits_stream = None
    register(environment)
    try:
        problem = read_up(domain.replace(" :derived-predicates", ""), text)
    except ModelError:  # quantified over a type without objects, which unified-planning reads otherwise
        return
    assume(PlanValidatorEngine.supports(problem.kind))
    lines = case.walk(5, (0, 0, 1, 2))
    named = [line.strip("()").split() for line in lines]
    actions = [problem.action(name)(*map(problem.object, args)) for name, *args in named]
    plan, end = SequentialPlan(actions, environment), oracle.run(lines)
    is_valid = end is not None and oracle.is_goal(end[0])
    with environment.factory.PlanValidator(name="plan-validator") as validator:
        found = validator.validate(problem, plan)
    told = (domain, text, lines, found)
    assert found.status.name == ("VALID" if is_valid else "INVALID"), told
    if is_valid and end is not None and found.metric_evaluations:
        (value,) = found.metric_evaluations.values()
        assert Fraction(str(value)) in (sum(end[1]), oracle.begun + sum(end[1])), told
    if not is_valid:
        at_fault = next((place for place in range(len(lines)) if oracle.run(lines[: place + 1]) is None), None)
        assert (at_fault is None) is (found.reason.name == "UNSATISFIED_GOALS"), told
        assert at_fault is None or str(found.inapplicable_action) == str(actions[at_fault]), (told, at_fault)
    seconds = draw.choice((60.0, 60.0, 10 ** draw.uniform(-2.5, -0.5)))
    with environment.factory.PlanRepairer(name="plan-validator", params={"time_limit": seconds}) as repairer:
        repair = repairer.repair(problem, plan)
    least, told = oracle.nearest(lines, "valid", "edits", 1), (*told, seconds, repair)  # type: ignore[assignment]
    if repair.plan is None:
        assert least is None or (repair.status.name != "UNSOLVABLE_PROVEN" and seconds < 1), told
        return
    fixed = [f"({' '.join((each.action.name, *map(str, each.actual_parameters)))})" for each in repair.plan.actions]
    end, said = oracle.run(fixed), int(repair.metrics["changed_lines"])
    assert end is not None and oracle.is_goal(end[0]) and least is not None, told
    assert repair.status.name == "SOLVED_SATISFICING", told
    assert int(repair.metrics["lower_bound"]) <= least[0] <= distance(lines, fixed) <= said, (told, least)
    assert repair.metrics["proven"] != "True" or said == least[0], (told, least)


@law(4)
def test_the_cheapest_plan_of_the_modified_problem_in_pddl_costs_what_the_nearest_plan_does(seed: int) -> None:
    draw = Random(f"dumped {seed}")
    texts = random_world(draw.randrange(10**6), CHEAP, SIMPLE)
    oracle, with_goal = Oracle(*texts), draw.random() < 0.6
    assume("(:derived" not in texts[0] and oracle.steps and states_of(oracle, 60) is not None)
    texts = texts[0].replace(" :derived-predicates", ""), texts[1]  # of which unified-planning reads nothing
    plan = [str(draw.choice(oracle.steps)) for _ in range(draw.randint(0, 3))]
    with TemporaryDirectory() as name:
        files = [Path(name) / f"{each}.pddl" for each in ("d", "p")]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text, encoding="utf-8")
        try:
            problem = read_up(*files)
            known = prepare(*texts)
            read = tokenize(text_of(plan), known.vocabulary)
            modified = edit_problem(problem, read, with_goal=with_goal, policy="edits", model=known.model)
            dump(modified, Path(name))
        except (ModelError, ValueError):
            return
        dumped = [(Path(name) / f"{each}.pddl").read_text(encoding="utf-8") for each in ("domain", "problem")]
    least = oracle.nearest(plan, "valid" if with_goal else "sound", "edits", 1)
    found = Oracle(*dumped).nearest((), "optimal", "edits", 1)
    assert (None if found is None else found[0]) == (None if least is None else least[0]), (texts, plan, dumped)


# --- numbers ---------------------------------------------------------------------------------------


@law(2)
def test_problems_with_numbers_are_judged_and_repaired_as_all_short_plans_say(seed: int) -> None:
    model = Numbers(seed).model()
    problem, plans = read_in_up(model), model.valid()
    assume(problem is not None)
    costs = [cost for cost in plans.values() if cost is not None]
    for quality in ("valid", "optimal"):
        report = check(problem, None, model.text, quality=quality, time_limit=2)
        told = (model, quality, report)
        if quality == "valid":
            assert report.determination in (model.plan in plans, None), told
        elif report.determination:
            assert plans.get(model.plan) == min(costs), told
        if report.repaired_plan is None:
            assert not (report.determination is False and report.proven and plans), told
            continue
        names = tuple(step.name for step in report.repaired_plan if isinstance(step, Step))
        is_valid, cost = model.verdict(names)
        assert is_valid and cost is not None, (told, names)
        if report.proven and plans and report.report_type is Quality.VALID:
            assert distance(model.plan, names) <= min(distance(model.plan, other) for other in plans), (told, names)
        elif report.proven and plans:
            assert cost <= min(costs), (told, names)


def read_in_up(model: Short) -> Any:
    """Return a model as unified-planning reads it; None where it refuses it."""
    from unified_planning.exceptions import UPException
    from unified_planning.io import PDDLReader

    if "(= (y)" not in model.problem.partition("(:goal")[0]:
        return None  # all values are defined there
    try:
        return PDDLReader().parse_problem_string(model.domain, model.problem)
    except UPException:
        return None


# --- times -----------------------------------------------------------------------------------------


@law(3)
def test_time_triggered_plans_are_judged_and_repaired_as_all_plans_at_halves_of_time_say(seed: int) -> None:
    from unified_planning.plans import ActionInstance, TimeTriggeredPlan

    from validator.integrations.unified_planning import PlanValidatorEngine

    draw, model = Random(f"time-triggered {seed}"), sample(seed)
    problem = problem_of(model)
    entries = [
        (time, ActionInstance(problem.action(name)), None if model.acts[name].durations is None else duration)
        for time, name, duration in model.plan
    ]
    plan = TimeTriggeredPlan(entries, problem.environment)
    own, quality = verdict(model, model.plan), draw.choice(("valid", "valid", "optimal"))
    report = check(problem, plan=plan, quality=quality, time_limit=2)
    told = (model, quality, own, report)
    if quality == "valid":
        engine = PlanValidatorEngine()
        engine.skip_checks = True
        by_engine = {"VALID": True, "INVALID": False, "UNKNOWN": None}[engine.validate(problem, plan).status.name]
        assert report.determination in (False if own is None else own, None), told
        assert by_engine in (report.determination, None), told
    elif report.determination:
        assert own is not False and quicker(model, makespan(model, model.plan), 2, PLANS) is None, told
    assert not report.determination or report.cost in (None, makespan(model, model.plan)), told
    if report.up_plan is not None and report.repaired_plan is not None:
        timed = report.up_plan.timed_actions
        steps = [(Fraction(start), each.action.name, Fraction(length or 0)) for start, each, length in timed]
        assert verdict(model, steps) and report.repaired_cost in (None, makespan(model, steps)), (told, steps)
    if report.planner_response.no_solution:
        assert quicker(model, None, 2, PLANS) is None, told
    elif report.optimal_cost is not None:
        assert quicker(model, report.optimal_cost.lower, 2, PLANS) is None, told


# --- hierarchies, branches -------------------------------------------------------------------------


@law(6)
def test_a_decomposition_is_judged_by_all_moments_of_all_methods(seed: int) -> None:
    case = hierarchies.decomposed(seed)
    problem, plan = hierarchies.in_unified_planning(case)
    compare(case, check(problem, plan=plan, repair=False), hierarchies.expected(case))


@law(6)
def test_a_plan_that_branches_is_judged_in_all_worlds(seed: int) -> None:
    case, own = branches.branching(seed)
    problem, plan = branches.in_unified_planning(case, own)
    for quality in ("sound", "valid"):
        report = check(problem, plan=plan, quality=quality, repair=False)
        compare((case, own), report, branches.expected(case, own, quality))


def compare(case: object, report: Report, is_right: bool | None) -> None:
    assert report.determination in (is_right, None), (case, is_right, report)
    assert report.determination is not False or report.failures, (case, report)
