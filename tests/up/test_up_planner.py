"""Other planners in the place of our own search: what they prove, what they do not, and how they fail."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from unified_planning.environment import Environment
from unified_planning.model import InstantaneousAction, MinimizeActionCosts, Problem
from unified_planning.plans import SequentialPlan

from tests.support.depth import deep
from tests.support.processes import wait_for
from validator import PlannerError, Quality, Report, check, cli
from validator.errors import ModelError
from validator.grounding.limits import Status
from validator.up.edit_problem import edit_problem
from validator.up.planner import installed, solve_with

pytestmark = [pytest.mark.up, pytest.mark.planner]

OPTIMAL, SATISFICING = "fast-downward-opt", "fast-downward"
PATIENT = 300.0
"""seconds, for machines that are busy"""

DOMAIN = """
(define (domain Walk) (:requirements :typing :action-costs)
  (:types place)
  (:predicates (at ?p - place) (go ?a ?b - place))
  (:functions (total-cost) (toll ?a ?b - place))
  (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (go ?a ?b))
    :effect (and (not (at ?a)) (at ?b) (increase (total-cost) (toll ?a ?b)))))
"""
"""the predicate and the action have one name, which unified-planning's reader refuses unless it is told otherwise"""

PROBLEM = """
(define (problem w) (:domain walk) (:objects A B C - place)
  (:init (at A) (go A B) (go B C) (go A C) (= (total-cost) 0) (= (toll A B) 1.5) (= (toll B C) 1) (= (toll A C) 4))
  (:goal (at C)) (:metric minimize (total-cost)))
"""

CHEAP, DEAR, BROKEN = "(go A B)\n(go B C)\n", "(go A C)\n", "(go B C)\n"


def checked(plan: str, planner: str, quality: Quality = Quality.OPTIMAL, **options: Any) -> Report:
    return check(DOMAIN, PROBLEM, plan, quality=quality, planner=planner, **{"time_limit": PATIENT, **options})


# --- qualities -----------------------------------------------------------------------------------


@pytest.mark.deep
def test_an_engine_that_proves_disproves_and_repairs() -> None:
    report = checked(DEAR, OPTIMAL)
    assert (report.determination, report.proven) == (False, True)
    assert report.reason == "a plan of cost 2.5 exists"
    assert list(map(str, report.repaired_plan or ())) == ["(go a b)", "(go b c)"]
    assert report.repaired_cost == Fraction(5, 2)
    assert report.planner_response.engine == OPTIMAL


@pytest.mark.deep
def test_an_engine_that_proves_nothing_leaves_it_unknown() -> None:
    report = checked(CHEAP, SATISFICING)
    assert (report.determination, report.proven) == (None, False)
    assert report.reason == "the engine 'fast-downward' does not prove that its plans are cheapest"
    assert report.optimal_cost is not None
    assert (report.optimal_cost.lower, report.optimal_cost.upper) == (0, Fraction(5, 2))


def test_a_limit_leaves_it_unknown() -> None:
    report = checked(CHEAP, OPTIMAL, time_limit=0.05)
    assert report.determination is None
    assert report.reason.startswith("the time limit was met")


# --- what cannot be answered ---------------------------------------------------------------------


def test_what_an_engine_does_not_support_is_said_beside_the_faults() -> None:
    domain = DOMAIN.replace("(at ?b)", "(at ?b) (forall (?c - place) (when (= ?c ?b) (go ?c ?c)))")
    report = check(domain, PROBLEM, BROKEN, planner=OPTIMAL, time_limit=PATIENT)
    assert (report.determination, report.planner_response.status) == (False, "unsupported")
    assert "does not support the problem: CONDITIONAL_EFFECTS, FORALL_EFFECTS" in report.reason
    assert report.failures
    assert report.repaired_plan is None
    unknown = check(domain, PROBLEM, CHEAP, quality=Quality.OPTIMAL, planner=OPTIMAL, time_limit=PATIENT)
    assert unknown.determination is None
    assert "does not support the problem" in unknown.reason


def test_a_model_that_unified_planning_cannot_read_is_refused() -> None:
    domain = DOMAIN.replace("(at ?p - place) ", "(at ?p - place) (lost) ")
    domain = domain.replace("(:action", "(:derived (lost) (not (exists (?p - place) (at ?p)))) (:action", 1)
    with pytest.raises(ModelError, match="unified-planning cannot read the model"):
        check(domain, PROBLEM, BROKEN, planner=OPTIMAL, time_limit=PATIENT)


def test_values_read_before_are_refused() -> None:
    from validator.model.pddl import read_model

    with pytest.raises(ValueError, match="needs a unified-planning problem, or a domain and a problem as PDDL"):
        check(read_model(DOMAIN, PROBLEM), None, BROKEN, planner=OPTIMAL, time_limit=PATIENT)


def test_an_unknown_engine_is_an_error_even_when_none_is_needed() -> None:
    with pytest.raises(PlannerError, match=r"no planner 'fast-downwards' .*did you mean 'fast-downward'.*there are"):
        checked(CHEAP, "fast-downwards", Quality.VALID)


@pytest.mark.deep
def test_the_command_asks_another_planner_for_the_cheapest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = written(tmp_path)
    dump = tmp_path / "dump"
    arguments = ["--quality", "optimal", "--planner", OPTIMAL, "--dump-problem", str(dump), "--format", "json"]
    assert cli.main(["check", *files, *arguments]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["planner_response"]["engine"], report["proven"]) == (OPTIMAL, True)
    assert report["reason"] == "a plan of cost 2.5 exists"
    assert sorted(path.name for path in dump.iterdir()) == ["domain.pddl", "problem.pddl"]
    written_costs = (dump / "problem.pddl").read_text(encoding="utf-8")
    assert "(= (price_go a b) 13)" in written_costs, "four lines at most change: five times three halves times two"


def written(folder: Path) -> list[str]:
    found = []
    for name, text in (("domain.pddl", DOMAIN), ("problem.pddl", PROBLEM), ("dear.plan", DEAR)):
        (folder / name).write_text(text, encoding="utf-8")
        found.append(str(folder / name))
    return found


# --- engines that misbehave ----------------------------------------------------------------------


FAKES = """
    import os, signal, time
    from unified_planning.engines import Engine, LogLevel, LogMessage, PlanGenerationResult
    from unified_planning.engines import PlanGenerationResultStatus as Status
    from unified_planning.engines.mixins import OneshotPlannerMixin
    from unified_planning.model import ProblemKind
    from unified_planning.plans import SequentialPlan

    class Fake(Engine, OneshotPlannerMixin):
        def __init__(self, **options):
            Engine.__init__(self)
            OneshotPlannerMixin.__init__(self)
        name = property(lambda self: "fake")
        @staticmethod
        def supported_kind():
            return ProblemKind({"ACTION_BASED", "ACTIONS_COST", "INT_NUMBERS_IN_ACTIONS_COST"}, version=2)
        @classmethod
        def supports(cls, kind):
            return kind <= cls.supported_kind()
        @staticmethod
        def satisfies(guarantee):
            return True
        def plan(self, problem, *names, status=Status.SOLVED_OPTIMALLY):
            steps = [problem.action(name)() for name in names]
            return PlanGenerationResult(status, SequentialPlan(steps), self.name)
        def none(self, status, *said):
            log = [LogMessage(LogLevel.ERROR, each) for each in said]
            return PlanGenerationResult(status, None, self.name, log_messages=log)
"""
SOLVE = {
    "Crash": 'raise RuntimeError("out of ideas")',
    "Killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "Greedy": "raise MemoryError",
    "Resigns": r"return self.none(Status.INTERNAL_ERROR, 'first line\nnothing works')",
    "Wrong": 'return self.plan(problem, "insert_long")',
    "Liar": 'return self.plan(problem, "insert_short", "insert_short")',
    "Sleeper": 'open("asleep", "w").close(); time.sleep(600)',
    "Gone": "os._exit(0)",
    "Silent": "return None",
    "Coy": "return self.none(Status.SOLVED_OPTIMALLY)",
    "Denier": "return self.none(Status.UNSOLVABLE_PROVEN)",
}
"""fake engine -> what it does when it is asked for a plan"""


@pytest.fixture
def short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Problem, Any]]:
    """Return a problem that one step solves, in an environment that has the fakes; only this process can find them."""
    fakes = (
        f"class {name}(Fake):\n    def _solve(self, problem, *rest):\n        {does}\n" for name, does in SOLVE.items()
    )
    (tmp_path / "fakes_for_planners.py").write_text(dedent(FAKES) + "".join(fakes), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    environment = Environment()
    for name in SOLVE:
        environment.factory.add_engine(name.lower(), "fakes_for_planners", name)
    problem = Problem("short", environment)
    begun, done = (problem.add_fluent(name, default_initial_value=False) for name in ("begun", "done"))
    step, long = (InstantaneousAction(name, _env=environment) for name in ("short", "long"))
    step.add_effect(done, True)
    step.add_effect(begun, False)
    long.add_precondition(begun)
    long.add_effect(done, True)
    problem.add_actions([step, long])
    problem.add_goal(done)
    problem.add_quality_metric(MinimizeActionCosts({step: 1, long: 1}, environment=environment))
    yield problem, step


@pytest.mark.deep
@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("crash", "the engine 'crash' failed: RuntimeError: out of ideas"),
        deep("killed", "the engine 'killed' was ended by signal 9"),
        deep("resigns", r"the engine 'resigns' has no answer: INTERNAL_ERROR .nothing works."),
        deep("wrong", r"the planner's answer does not execute: Step 1 \(insert_long\): \(begun\) is false"),
        deep("gone", "the engine 'gone' ended without an answer"),
        deep("silent", "the engine 'silent' ended without an answer"),
        deep("coy", "the engine 'coy' says that it has a plan, and gives none"),
    ],
)
def test_an_engine_that_fails_is_named_with_its_last_words(short: tuple[Problem, Any], engine: str, said: str) -> None:
    with pytest.raises(PlannerError, match=said):
        solve_with(engine, edit_problem(short[0], SequentialPlan([], short[0].environment)), 60)


@pytest.mark.deep
def test_memory_that_runs_out_is_a_limit(short: tuple[Problem, Any]) -> None:
    answer = solve_with("greedy", edit_problem(short[0], SequentialPlan([], short[0].environment)), 60)
    assert (answer.status, answer.edits) == (Status.MEMORY_LIMIT, None)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("engine", "said"),
    [("liar", "no plan is cheaper than 2, but a plan of cost 1"), deep("denier", "there is no plan, but")],
)
def test_an_engine_that_the_plan_proves_wrong_is_not_believed(
    short: tuple[Problem, Any], engine: str, said: str
) -> None:
    problem, step = short
    plan = SequentialPlan([step()], problem.environment)
    with pytest.raises(PlannerError, match=said):
        check(problem, None, plan, quality=Quality.OPTIMAL, planner=engine, time_limit=PATIENT)


@pytest.mark.deep
def test_ctrl_c_ends_the_engine_and_keeps_the_faults(
    short: tuple[Problem, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", os.fspath(tmp_path))

    def interrupt() -> None:
        wait_for(lambda: list(tmp_path.glob("plan-validator-*/asleep")))
        signal.raise_signal(signal.SIGINT)

    hand = threading.Thread(target=interrupt)
    hand.start()
    report = check(short[0], None, SequentialPlan([], short[0].environment), planner="sleeper", time_limit=PATIENT)
    hand.join()
    assert report.determination is False
    assert report.planner_response.status == "interrupt"
    assert "the interrupt was met before a repaired plan was found" in report.reason
    assert [path.name for path in tmp_path.glob("plan-validator-*")] == []


def test_an_engine_is_installed_where_it_was_added(short: tuple[Problem, Any]) -> None:
    assert installed("crash", short[0].environment).__module__ == "fakes_for_planners"
    with pytest.raises(PlannerError, match="no planner 'crash'"):
        installed("crash")
