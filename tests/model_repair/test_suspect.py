"""One edit of the domain that makes plans valid, mentioned beside what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.places import ROOT
from validator.cli import main
from validator.model_repair.suspect import suspicion

pytest.importorskip("pysat")

BLOCKS = ROOT / "domains" / "blocks"
FLAWED = (BLOCKS / "domain.pddl").read_text().replace("(held ?top) (clear ?below)\n", "(held ?top)\n")
PROBLEM, GOOD = BLOCKS / "problem.pddl", BLOCKS / "good.plan"
SAID = "take: the effect (clear ?below) is missing"


def test_the_edit_that_serves_most_plans_is_named() -> None:
    short = "(take b d)\n(lower b)\n"
    assert suspicion(FLAWED, PROBLEM, [GOOD]).endswith(f"makes the plan valid: {SAID}")
    found = suspicion(FLAWED, PROBLEM, [GOOD, short, "no step at all", GOOD])
    assert found.endswith(f"makes 2 of 4 plans valid: {SAID}")


def test_nothing_is_said_of_a_plan_that_takes_more() -> None:
    assert suspicion(FLAWED, PROBLEM, ["(take b d)\n(lower b)\n"]) == ""


@pytest.mark.parametrize("option", [[], ["--suspect-model"]])
def test_a_check_mentions_it_where_it_is_asked_for(
    option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text(FLAWED)
    assert main(["check", "--no-repair", *option, str(domain), str(PROBLEM), str(GOOD)]) == 1
    assert (SAID in capsys.readouterr().out) is bool(option)


def test_nothing_is_said_where_steps_of_one_action_have_different_numbers_of_arguments() -> None:
    domain = (
        "(define (domain d) (:requirements :typing) (:types s t) (:predicates (p ?x))"
        " (:action a :parameters (?x - s ?y - t) :precondition (p ?x) :effect (p ?y)))"
    )
    problem = "(define (problem p) (:domain d) (:objects b - s c - t) (:init (p b)) (:goal (p c)))"
    for plan in ("(a c b)\n(a b c c)\n", "(a b b)\n(a b c c)\n", "(a c c)\n(a b)\n"):
        assert suspicion(domain, problem, [plan]) == ""


@pytest.mark.planner
def test_a_loop_mentions_it_for_its_drafts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text(FLAWED)
    asked = ["--rounds", "1", "--llm", f"cat {GOOD}"]
    assert main(["repair-loop", str(domain), str(PROBLEM), "--suspect-model", *asked]) == 1
    assert SAID in capsys.readouterr().err
