"""Many answers: grades as lines, runs that go on where they were cut off, processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from validator.grading.eai.answers import Answer
from validator.grading.eai.output import llm_results, sequencing_summary
from validator.grading.eai.sequencing import Grade
from validator.grading.eai.suites import Settings, grade_all, grades

BLOCKS = Settings(module="action-sequencing", dataset="pddl", data=Path("domains/blocks"))
ANSWERS = {
    "short": "(take b d)",
    "wrong": "(take b d)\n(lower b)\n(take c a)\n(place c d)\n(place b c)",
    "strange": "(take moon sun)",
    "none": "no idea",
}
ASKED = {model: Answer(identifier="problem", text=text, model=model) for model, text in ANSWERS.items()}


def graded(models: str = " ".join(ANSWERS), settings: Settings = BLOCKS, **more: Any) -> dict[str, list[Grade]]:
    return grade_all(settings, [ASKED[model] for model in models.split()], **more)


def test_a_grade_comes_back_from_its_line(tmp_path: Path) -> None:
    direct = [next(iter(grades(BLOCKS, [answer]))) for answer in ASKED.values()]
    made = [found for [found] in graded(place=tmp_path / "grades.jsonl").values()]
    again = [found for [found] in graded(place=tmp_path / "grades.jsonl", resume=True).values()]
    for found in (made, again):
        assert llm_results(found) == llm_results(direct)  # type: ignore[arg-type]
        assert sequencing_summary(found) == sequencing_summary(direct)  # type: ignore[arg-type]


def test_what_could_not_be_graded_is_tried_again(tmp_path: Path) -> None:
    place, model, problem = tmp_path / "grades.jsonl", tmp_path / "domain.pddl", tmp_path / "late.pddl"
    (tmp_path / "there.pddl").write_text(Path("domains/blocks/problem.pddl").read_text())
    model.write_text(Path("domains/blocks/domain.pddl").read_text())
    problem.write_text("(define (problem late)")
    settings = Settings(module="action-sequencing", dataset="pddl", data=tmp_path)
    asked = [Answer(identifier=name, text="(take b d)", model="m") for name in ("late", "there")]
    said: list[str] = []
    found = [grade_all(settings, asked, place=place, report=said.append)]
    problem.write_text((tmp_path / "there.pddl").read_text())
    found.append(grade_all(settings, asked, place=place, resume=True, report=said.append))
    assert [[grade.identifier for grade in each["m"]] for each in found] == [["there"], ["late", "there"]]
    assert len(said) == 1 and "late" in said[0]


@pytest.mark.deep
def test_processes_grade_as_one_does(tmp_path: Path) -> None:
    for number in range(130):
        (tmp_path / f"p{number}").mkdir()
        (tmp_path / f"p{number}" / "problem.pddl").write_text(Path("domains/blocks/problem.pddl").read_text())
    (tmp_path / "domain.pddl").write_text(Path("domains/blocks/domain.pddl").read_text())
    texts = list(ANSWERS.values())
    asked = [Answer(identifier=f"p{number}", text=texts[number % 4], model="m") for number in range(130)]
    settings = Settings(module="action-sequencing", dataset="pddl", data=tmp_path)
    one = grade_all(settings, asked)
    several = grade_all(settings, asked, workers=2)
    assert llm_results(several["m"]) == llm_results(one["m"])
