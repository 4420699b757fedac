"""Templates and words on all ways in: prepared models, checks, commands, batches, observations, service, agents."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from lexicon_models import COLOURS

from validator.checking.check import check, prepare
from validator.checking.explain import in_words
from validator.checking.prepared import words_of
from validator.cli import main
from validator.errors import InputError

DOMAIN = """(define (domain blocks) (:predicates (clear ?x) (ontable ?x) (handempty) (holding ?x) (on ?x ?y))
  (:action pick-up :parameters (?ob) :precondition (and (clear ?ob) (ontable ?ob) (handempty))
    :effect (and (holding ?ob) (not (clear ?ob)) (not (ontable ?ob)) (not (handempty))))
  (:action stack :parameters (?ob ?underob) :precondition (and (clear ?underob) (holding ?ob))
    :effect (and (handempty) (clear ?ob) (on ?ob ?underob) (not (clear ?underob)) (not (holding ?ob)))))"""
PROBLEM = """(define (problem p) (:domain blocks) (:objects a b)
  (:init (handempty) (ontable a) (clear a) (ontable b) (clear b)) (:goal (on a b)))"""
WORDS = """actions: {pick-up: "pick up the {}", stack: "stack the {} on top of the {}"}
predicates: {"on": "the {} is on top of the {}", holding: "the hand is holding the {}"}
objects: {a: red block, b: blue block}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {"d.pddl": DOMAIN, "p.pddl": PROBLEM, "w.yaml": WORDS, "bad.plan": "(stack a b)\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "")
    return tmp_path


def test_a_prepared_model_carries_its_words() -> None:
    plain, worded = prepare(DOMAIN, PROBLEM), prepare(DOMAIN, PROBLEM, templates=WORDS)
    assert (plain.lexicon.object("red block"), worded.lexicon.object("red block")) == ((), ("a",))
    assert prepare(DOMAIN, PROBLEM, templates=WORDS) is worded
    assert prepare(plain, templates=WORDS).lexicon.object("red block") == ("a",)
    assert worded.simulator is plain.simulator


def test_templates_of_another_model_are_refused() -> None:
    with pytest.raises(InputError, match="the model has no action 'put-down'"):
        check(DOMAIN, PROBLEM, "(pick-up a)", templates=COLOURS)


@pytest.mark.planner
def test_check_prints_a_diff_in_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "d.pddl", "p.pddl", "bad.plan", "--templates", "w.yaml", "--words", "--explain"]) == 1
    shown = capsys.readouterr().out
    assert "\n+pick up the red block\n stack the red block on top of the blue block\n" in shown
    assert "+1 'pick up the red block' is needed" in shown


@pytest.mark.planner
def test_the_diff_of_a_plan_in_words_is_one_of_its_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = "Well:\n\n- Pick up the blue block.\n- Stack the red block on top of the blue block.\nDone.\n"
    (folder / "said.txt").write_text(said, encoding="utf-8")
    assert main(["check", "d.pddl", "p.pddl", "said.txt", "--templates", "w.yaml", "--words"]) == 1
    shown = capsys.readouterr().out
    assert "Step 2 'Stack the red block on top of the blue block', line 4: " in shown
    diff = shown[shown.index("--- ") :].split("\n\nThe nearest")[0]
    assert diff.splitlines() == [
        "--- plan",
        "+++ plan (repaired)",
        "@@ -1,5 +1,5 @@",
        " Well:",
        " ",
        "-- Pick up the blue block.",
        "+pick up the red block",
        " - Stack the red block on top of the blue block.",
        " Done.",
    ]
    assert main(["check", "d.pddl", "p.pddl", "said.txt", "--templates", "w.yaml", "--words", "--unified", "0"]) == 1
    shown = capsys.readouterr().out
    assert "\n@@ -3,1 +3,1 @@\n-- Pick up the blue block.\n+pick up the red block\n\n" in shown


@pytest.mark.planner
def test_a_line_of_several_steps_is_said_anew_where_one_of_them_changes() -> None:
    prepared = prepare(DOMAIN, PROBLEM, templates=WORDS)
    said = "First pick up the blue block and then stack the red block on top of the blue block.\n"
    told = in_words(check(prepared, plan=said), prepared.lexicon)
    assert told.plan_diff_str.splitlines()[3:] == [
        f"-{said.rstrip()}",
        "+pick up the red block",
        "+stack the red block on top of the blue block",
    ]


@pytest.mark.planner
def test_plan_prints_steps_in_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "d.pddl", "p.pddl", "--templates", "w.yaml", "--words"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["pick up the red block", "stack the red block on top of the blue block"]
    assert main(["plan", "d.pddl", "p.pddl", "--words", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["plan"] == ["pick up a", "stack a on b"]


def test_words_are_for_texts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "d.pddl", "p.pddl", "bad.plan", "--words", "--format", "json"]) == 2
    assert "--words is for the formats text and markdown" in capsys.readouterr().err


def test_a_batch_takes_templates_for_all_records_and_for_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"id": 1, "domain": "d.pddl", "problem": "p.pddl", "plan": "(pick-up a) (stack a b)"}
    wrong = {**record, "id": 2, "templates": {"actions": {"grab": "grab {}"}}}
    lines = [record, {**record, "id": 3, "templates": "w.yaml"}, wrong]
    (folder / "records.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    assert main(["batch", "records.jsonl", "--templates", "w.yaml", "--no-repair", "--workers", "1"]) == 0
    found = {line["id"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    assert [found[number]["verdict"] for number in (1, 3, 2)] == ["valid", "valid", "error"]
    assert found[2]["error"]["kind"] == "input"


def test_observations_are_read_in_words(folder: Path) -> None:
    from validator.reading.lexicon import read_templates
    from validator.recognize import read_files

    seen = "pick up the red block\nI stack the red block onto the blue block\n(stack b a)\nstack _ b\n"
    problem = read_files(Path("d.pddl"), Path("p.pddl"), None, (seen, "<seen>"), read_templates(Path("w.yaml")))
    assert [one.text for one in problem.observations] == ["(pick-up a)", "(stack a b)", "(stack b a)", "(stack _ b)"]
    assert not any(one.fault for one in problem.observations)


def test_adherence_takes_templates_with_a_pddl_model(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = [{"name": "pick-up", "arguments": {"ob": "a"}}, {"name": "stack", "arguments": {"ob": "a", "underob": "b"}}]
    (folder / "t.json").write_text(json.dumps(trace), encoding="utf-8")
    (folder / "good.plan").write_text("(pick-up a)\n(stack a b)\n", encoding="utf-8")
    given = ["good.plan", "t.json", "--templates", "w.yaml"]
    assert main(["adhere", "d.pddl", "p.pddl", *given]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert main(["adhere", *given]) == 2
    assert "'templates' say how a model is worded, and no model is given" in capsys.readouterr().err


@pytest.mark.parametrize("deep", ["[" * 100_000 + "]" * 100_000, '{"a": ' * 20_000 + "1" + "}" * 20_000])
def test_templates_that_are_nested_too_deeply_are_refused(deep: str) -> None:
    for is_text in (True, False):
        with pytest.raises(InputError, match="nested too deeply"):
            words_of(f"\n{deep}", is_text=is_text)
