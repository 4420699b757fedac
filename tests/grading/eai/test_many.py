"""Many answers: grades as lines, runs that go on where they were cut off, processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from validator.cli import main
from validator.errors import InputError
from validator.grading.eai.answers import Answer
from validator.grading.eai.output import llm_results, sequencing_summary
from validator.grading.eai.run import Graded, Kept, Settings, grade_all, grader, key_of

BLOCKS = Settings(dataset="pddl", data=Path("domains/blocks"), taxonomy="proven")
ANSWERS = {
    "short": Answer(identifier="problem", text="(take b d)"),
    "wrong": Answer(identifier="problem", text="(take b d)\n(lower b)\n(take c a)\n(place c d)\n(place b c)"),
    "strange": Answer(identifier="problem", text="(take moon sun)"),
    "none": Answer(identifier="problem", text="no idea"),
}


@pytest.fixture(scope="module")
def graded() -> list[Graded]:
    grading = grader(BLOCKS, ["problem"])
    return [Graded(key_of(model, answer), grading.grade(answer)) for model, answer in ANSWERS.items()]


def test_a_grade_comes_back_from_its_line(graded: list[Graded]) -> None:
    again = [Graded.of(each.line()) for each in graded]
    assert [each.key for each in again] == [each.key for each in graded]
    before, after = [each.grade for each in graded], [each.grade for each in again]
    assert llm_results(after) == llm_results(before)
    assert sequencing_summary(after) == sequencing_summary(before)
    assert [each.nearest for each in after] == [each.nearest for each in before]


def test_a_run_goes_on_behind_a_torn_line(graded: list[Graded], tmp_path: Path) -> None:
    path = tmp_path / "grades.jsonl"
    with Kept(path, BLOCKS, resume=False) as kept:
        kept.write(each.line() for each in graded[:3])
    path.write_bytes(path.read_bytes()[:-20])
    with Kept(path, BLOCKS, resume=True) as kept:
        assert set(kept.grades) == {each.key for each in graded[:2]}
        kept.write([graded[3].line()])
    with Kept(path, BLOCKS, resume=True) as kept:
        assert set(kept.grades) == {each.key for each in (*graded[:2], graded[3])}


@pytest.mark.parametrize("change", [{"taxonomy": "eai"}, {"budget": 3}, {"data": Path("domains/ferry")}])
def test_grades_of_other_settings_are_not_taken_over(tmp_path: Path, change: dict[str, Any]) -> None:
    from validator.records import replace

    Kept(tmp_path / "grades.jsonl", BLOCKS, resume=False).__exit__(None, None, None)
    with pytest.raises(InputError, match="other settings"):
        Kept(tmp_path / "grades.jsonl", replace(BLOCKS, **change), resume=True)


def test_what_is_graded_already_is_not_graded_again(tmp_path: Path) -> None:
    asked = {model: [answer] for model, answer in ANSWERS.items()}
    with Kept(tmp_path / "grades.jsonl", BLOCKS, resume=False) as kept:
        grade_all(BLOCKS, {"short": asked["short"]}, kept=kept)
    with Kept(tmp_path / "grades.jsonl", BLOCKS, resume=True) as kept:
        found = grade_all(BLOCKS, asked, kept=kept)
    assert {model: len(grades) for model, grades in found.items()} == dict.fromkeys(ANSWERS, 1)
    lines = (tmp_path / "grades.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"][0] for line in lines[1:]] == ["short", "none", "strange", "wrong"]


def test_resume_needs_a_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"identifier": "problem", "llm_output": ""}')
    options = ["--dataset", "pddl", "--data", "domains/blocks", "--answers", str(tmp_path / "m.jsonl"), "--resume"]
    assert main(["eval", "action-sequencing", *options]) == 2
    assert "--output" in capsys.readouterr().err


@pytest.mark.deep
def test_processes_grade_as_one_does(tmp_path: Path) -> None:
    for number in range(130):
        (tmp_path / f"p{number}").mkdir()
        (tmp_path / f"p{number}" / "problem.pddl").write_text(Path("domains/blocks/problem.pddl").read_text())
    (tmp_path / "domain.pddl").write_text(Path("domains/blocks/domain.pddl").read_text())
    texts = [answer.text for answer in ANSWERS.values()]
    asked = {"m": [Answer(identifier=f"p{number}", text=texts[number % 4]) for number in range(130)]}
    settings = Settings(dataset="pddl", data=tmp_path)
    one, several = grade_all(settings, asked), grade_all(settings, asked, workers=2)
    assert llm_results(several["m"]) == llm_results(one["m"])


def test_goals_about_both_kinds_are_counted_apart(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(
        "(define (domain d) (:predicates (p ?x) (q ?x ?y)) (:action a :parameters (?x) :effect (p ?x)))"
    )
    (tmp_path / "one.pddl").write_text(
        "(define (problem one) (:domain d) (:objects a b) (:init)"
        " (:goal (and (p b) (q a b) (or (p a) (q b a)) (not (p b)))))"
    )
    grading = grader(Settings(dataset="pddl", data=tmp_path), ["one"])
    graded = Graded(("m", "one", ""), grading.grade(Answer(identifier="one", text="(a a)")))
    goals = llm_results([Graded.of(graded.line()).grade])[0]["llm_rst"]["goal_rst"]
    kinds = ("pure_edge_predicates", "pure_node_predicates", "mixed_predicates")
    assert [goals[kind] for kind in kinds] == [1, 2, 1]
    assert [goals[f"satisfied_{kind}"] for kind in kinds] == [0, 1, 1]
