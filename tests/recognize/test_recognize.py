"""Recognition as people use it: answers, completions, the command, and problems of the public data set."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.support.depth import some
from tests.support.places import SHARED
from validator import recognize_goals
from validator.cli import main
from validator.grounding.limits import Status
from validator.recognize import (
    Method,
    RecognitionProblem,
    Settings,
    Standing,
    Verdict,
    complete,
    read_files,
    read_problem_set,
    recognize,
)

pytestmark = pytest.mark.planner

DATA = SHARED / "data" / "recognition"

DOMAIN = """
(define (domain rooms) (:requirements :strips :action-costs)
  (:constants b c) (:predicates (at ?x) (door ?x ?y) (lamp)) (:functions (total-cost))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (door ?x ?y))
    :effect (and (at ?y) (not (at ?x)) (increase (total-cost) 1)))
  (:action light :parameters () :precondition (at b) :effect (and (lamp) (increase (total-cost) 0.5)))
  (:action light :parameters () :precondition (at c) :effect (and (lamp) (increase (total-cost) 2))))
"""
TEMPLATE = """
(define (problem p) (:domain rooms) (:objects a d e)
  (:init (at a) (door a b) (door b a) (door b c) (door b d) (door c d)) (:goal (and <HYPOTHESIS>))
  (:metric minimize (total-cost)))
"""
FILES = {
    "domain.pddl": DOMAIN,
    "template.pddl": TEMPLATE,
    "hyps.dat": "(at c)\n(at d)\n(lamp)\n(at e)\n(at d)\n",
    "obs.dat": "(GO A B)\n(go b c)\n",
    "real_hyp.dat": "(at c)\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "one.dat").write_text("(at c), (lamp)\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def problem(folder: Path) -> RecognitionProblem:
    return read_problem_set(folder)


def run(*arguments: str) -> int:
    return main(("recognize", *arguments))


# --- answers ---------------------------------------------------------------------------------------


def test_the_goal_that_the_observations_lead_to(problem: RecognitionProblem) -> None:
    """From a over b to c: a detour of 1 on the way to d, and of 1 for who only wanted to light the lamp in b."""
    found = recognize(problem, Settings(method=Method.EXACT))
    assert [one.standing for one in found.candidates] == [Standing.EXACT] * 3 + [Standing.UNSOLVABLE]
    deltas = [one.delta.lower for one in found.candidates[:3] if one.delta is not None]
    assert deltas == [0, 1, 1]
    assert (found.best, found.exact, found.verdict) == ((0,), True, Verdict.RANKED)
    assert problem.true_goals == {0}
    assert [one.rank for one in found.candidates] == [1, 2, 2, 4]
    assert found.candidates[3].probability == 0


def test_the_limit_is_kept_and_said(problem: RecognitionProblem) -> None:
    found = recognize(problem, Settings(time_limit=0.001))
    assert (found.verdict, found.best) == (Verdict.NO_ANSWER, ())
    assert "time limit" in found.reason


@pytest.mark.parametrize("price", [Fraction(1, 10**9 + 7), Fraction(2**30)])
def test_costs_that_the_planner_cannot_hold_are_refused(problem: RecognitionProblem, price: Fraction) -> None:
    with pytest.raises(ValueError, match="30 bits"):
        recognize(problem, Settings(method=Method.SOFT, discard_cost=price))


# --- completion ------------------------------------------------------------------------------------


def one_goal(folder: Path, seen: str) -> RecognitionProblem:
    return read_files(folder / "domain.pddl", folder / "template.pddl", folder / "one.dat", (seen, "obs"))


@pytest.mark.parametrize(
    ("seen", "lines", "cost"),
    [
        ("", ["+(go a b)", "+(light)", "+(go b c)"], Fraction(5, 2)),
        ("(go b c)", ["+(go a b)", "+(light)", " (go b c)"], Fraction(5, 2)),
        ("(go _ c)\n(light)", ["+(go a b)", " (go b c)", " (light)"], 4),
        ("holds (at c)\n(light)", ["+(go a b)", "+(go b c)", " assert (at c)", " (light)"], 4),
        ("(go c d)\n(light)", ["+(go a b)", "-(go c d)", " (light)", "+(go b c)"], Fraction(5, 2)),
        ("(fly)\n(go b c)", ["+(go a b)", "+(light)", "-(fly)", " (go b c)"], Fraction(5, 2)),
    ],
)
def test_the_observed_steps_are_completed(folder: Path, seen: str, lines: list[str], cost: Fraction) -> None:
    found = complete(one_goal(folder, seen))
    assert sorted(map(str, found.diffs)) == sorted(lines)
    assert (found.status, found.proven, found.cost) == (Status.SOLVED, True, cost)


def test_a_text_that_names_a_file_is_the_file(folder: Path) -> None:
    found = recognize_goals("domain.pddl", "template.pddl", "obs.dat", "hyps.dat")
    assert [found.candidates[goal].hypothesis.text for goal in found.best] == ["(at c)"]


def test_every_observation_has_to_be_explained_where_that_is_asked(folder: Path) -> None:
    found = complete(one_goal(folder, "(go c d)\n(light)"), Settings(method=Method.EXACT))
    assert (found.status, found.plan, found.proven) == (Status.UNSOLVABLE, None, True)


# --- the command -----------------------------------------------------------------------------------


def test_no_goal_explains(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "obs.dat").write_text("(go b c)\n(go a b)\n")
    assert run(str(folder), "--method", "exact") == 1
    assert capsys.readouterr().out.startswith("None of the goals can be reached")


def test_one_goal_gives_a_diff(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = ("domain.pddl", "template.pddl", "obs.dat", "--goals", "one.dat")
    assert run(*inputs) == 0
    out = capsys.readouterr().out
    assert out.startswith("A plan for (at c), (lamp) (proven): cost 2.5, 2 of 2 observations explained.")
    assert "+(light)" in out.splitlines()
    assert run(*inputs, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["cost"] == 2.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("domain.pddl", "template.pddl", "obs.dat"), "--goals FILE"),
        ((".", "--goals", "hyps.dat"), "has its own hyps.dat"),
        (("nowhere",), "No such file"),
    ],
)
def test_what_cannot_be_understood_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    assert run(*arguments) == 2
    assert message in capsys.readouterr().err


# --- the public data set ---------------------------------------------------------------------------

SAMPLE = (
    "blocks-world/70/block-words_p02_hyp-5_70_2",
    "campus-noisy/25/RG-10-goal-1_plan_d0.5_20.SOL_25_1",
    "easy-ipc-grid-noisy/75/easy-ipc-grid_p5-5-5_noisy_hyp-4_75_2",
    "kitchen/50/kitchen_generic_hyp-0_50_3",
    "sokoban-noisy/25/sokoban_noisy_pb2_hyp-4_25_2",
)


@pytest.mark.deep
@pytest.mark.skipif(not DATA.is_dir(), reason="the sample of the data set is not there")
@pytest.mark.parametrize("path", some(SAMPLE, 1))
def test_the_costs_are_those_that_were_proven_before(path: str) -> None:
    expected = json.loads((DATA / "expected.json").read_text())[path]
    settings = Settings(method=Method.SOFT, discard_cost=Fraction(2), search_limit=5.0)
    found = recognize(read_problem_set(DATA / path), settings)
    for one, base, delta in zip(found.candidates, expected["base"], expected["delta_soft2"], strict=True):
        if base == "inf":
            assert one.standing is Standing.UNSOLVABLE
            continue
        assert one.base is not None and one.delta is not None
        assert one.base.lower == one.base.upper == base
        if one.standing is Standing.EXACT and isinstance(delta, int):
            assert one.delta.lower == delta
        else:
            least = delta if isinstance(delta, int) else delta["ge"]
            assert one.delta.upper is None or one.delta.upper >= least
