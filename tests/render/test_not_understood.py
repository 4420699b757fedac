"""Not understood is not wrong: every output tells a text that was not understood from a plan that is at fault."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.output_schemas import read_github, read_junit, read_sarif
from tests.support.pages import report_body
from validator import Report, check
from validator.cli import main
from validator.commands.formats import FORMATS, Shown
from validator.reading.plan import NoPlan
from validator.render.text import report_text
from validator.render.tools.findings import Level, Source, findings

DOMAIN = """(define (domain d) (:predicates (p) (q) (r ?x))
  (:action a :parameters () :effect (p))
  (:action b :parameters () :precondition (p) :effect (q))
  (:action c :parameters (?x ?y) :effect (r ?x)))
"""
PROBLEM = "(define (problem x) (:domain d) (:objects one two) (:init) (:goal (q)))"
NEVER = PROBLEM.replace("(:goal (q))", "(:goal (and (q) (not (q))))")

PARTIAL = "Here it is:\n(a)\n(b <one>\n(b)\n"
AMBIGUOUS = "Plan A:\n1. (b)\n2. (b)\n\nPlan B:\n1. (a)\n2. (b)\n"


def of(text: str, problem: str = PROBLEM, **options: object) -> Report:
    return check(DOMAIN, problem, f"{text}\n", repair=False, **options)  # type: ignore[arg-type]


# --- the report ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [PARTIAL, AMBIGUOUS, "(b <one>", "Well, well.", "(a) (b) (("])
def test_nothing_is_said_of_a_plan_that_was_not_understood(text: str) -> None:
    report = of(text)
    assert (report.determination, report.is_understood, report.proven) == (None, False, False)
    assert report.failures == () and report.repaired_plan is None and not report.plan_diff_str
    assert report.reason.startswith("not understood: ")


def test_a_plan_of_another_model_is_called_so() -> None:
    assert of("0: (heat m1) [3]\n3: (brew m1 c1) [2]\n").reason == "not understood: none of the 2 steps fits the model"
    assert of("(heat m1)\n").reason == "not understood: the step does not fit the model"


# --- texts without a plan ------------------------------------------------------------------------


@pytest.mark.planner
@pytest.mark.parametrize(("problem", "right", "word"), [(PROBLEM, False, "WRONG"), (NEVER, True, "RIGHT")])
@pytest.mark.parametrize("repair", [True, False])
def test_a_claim_that_there_is_no_plan_is_decided(problem: str, right: bool, word: str, repair: bool) -> None:
    report = check(DOMAIN, problem, "No plan exists.\n", repair=repair)
    assert (report.determination, report.no_plan, report.proven) == (right, NoPlan.CLAIM, True)
    assert report_text(report).startswith(f"{word}: the text says that there is no plan, and ")
    assert f"{'✓' if right else '✗'}</span> {word}<" in report_body(report)
    assert (report.repaired_plan is not None) is (repair and not right)
    assert report.feedback().startswith("The text says that there is no plan, and ")


# --- for people ----------------------------------------------------------------------------------


def test_the_page_tells_it_by_words_and_signs() -> None:
    for text in (PARTIAL, AMBIGUOUS):
        body = report_body(of(text))
        assert "UNKNOWN" in body and "What is wrong" not in body and "<h2>Steps</h2>" not in body
        assert "<script" not in body and "<one>" not in body
    assert "line 3, column 1: <code>(b &lt;one&gt;</code>" in report_body(of(PARTIAL))
    assert "Which plan is meant?" in body
    assert "What was not understood" in of(PARTIAL)._repr_html_()


def test_feedback_helps_to_say_it_again() -> None:
    said = of("(a)\n(b <one>\n(b\n").feedback()
    assert "is not valid" not in said
    lines = said.splitlines()
    assert lines[1:3] == [
        "Line 2 was not understood: '(b <one>': ')' was expected",
        "Line 3 was not understood: '(b': ')' was expected",
    ]
    assert lines[3] == "The plan is valid if line 2 means no step and line 3 means (b)."
    assert lines[4].startswith("Write each step on a line of its own as (action object ...)")
    assert "Write each step" in of("I'm sorry, I can't help.").feedback()
    assert of(AMBIGUOUS).feedback().endswith("Write one plan only, or call the one that is meant 'Final plan'.\n")


# --- for programs --------------------------------------------------------------------------------


def test_findings_are_notes_at_the_pieces() -> None:
    source = Source(name="x.plan", text=PARTIAL)
    (found,) = findings(of(PARTIAL), source)
    assert (found.rule, found.level, found.place.line, found.place.column) == ("not_understood", Level.NOTE, 3, 1)
    (whole,) = (each for each in findings(of(AMBIGUOUS), Source(name="x", text=AMBIGUOUS)) if each.rule != "warning")
    assert (whole.rule, whole.place.line) == ("not_understood", 1)
    mixed = findings(of("(b)\n(b <one>"), Source(name="x", text="(b)\n(b <one>\n"))
    assert [(each.rule, each.level) for each in mixed] == [
        ("precondition", Level.ERROR),
        ("not_understood", Level.NOTE),
    ]


@pytest.mark.parametrize(("text", "rule"), [(PARTIAL, "not_understood"), ("I'm sorry, I can't help.", "no_plan")])
def test_other_tools_are_told_no_fault(text: str, rule: str) -> None:
    report, shown = of(text), Shown(name="x.plan", text=text, model="d p", execution=dict)
    (result,) = read_sarif(FORMATS["sarif"](report, shown))
    assert (result["ruleId"], result["level"]) == (rule, "note")
    ((level, _, _),) = read_github(FORMATS["github"](report, shown))
    assert level == "notice"
    suite = read_junit(FORMATS["junit"](report, shown))
    assert (suite.attrib["failures"], suite.attrib["errors"]) == ("0", "1")
    error = ElementTree.ElementTree(suite).find(".//error")
    assert error is not None and error.attrib["type"] == rule


def test_the_command_says_it_and_exits_with_three(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("d.pddl", DOMAIN), ("p.pddl", PROBLEM), ("x.plan", PARTIAL)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    words = ["check", *(str(tmp_path / name) for name in ("d.pddl", "p.pddl", "x.plan")), "--no-repair"]
    assert main(words) == 3
    assert capsys.readouterr().out.startswith("UNKNOWN: not understood: ")
    assert main([*words, "--strict"]) == 1
    assert capsys.readouterr().out.startswith("NOT VALID: ")
    assert main([*words, "--format", "html"]) == 3
    assert "How the text was read" in capsys.readouterr().out
    (tmp_path / "f.yaml").write_text("{flow: f, operators: [{name: a, outputs: [x]}], goals: [{operator: a}]}")
    assert main(["check", str(tmp_path / "f.yaml"), words[3], "--no-repair"]) == 3
    assert main(["check", str(tmp_path / "f.yaml"), words[3], "--no-repair", "--strict"]) == 1
