"""Each kind of difference between our verdict on an answer and PlanBench's, on a model of two actions."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.support.models import HANDS, HANDS_ON
from validator.cli import main
from validator.grading.batch.worker import Settings
from validator.grading.planbench import Answer, Grade, Question, grade_answers
from validator.grading.planbench.grades import Difference
from validator.grading.planbench.report import corrected

pytestmark = pytest.mark.usefixtures("in_threads")

UNSOLVABLE = HANDS_ON.replace("(lies a)", "")
GOOD = "(grasp a)\n(stack a b)\n"


def answer(raw: str | None = GOOD, extracted: str | None = GOOD, theirs: bool | None = False, **more: object) -> Answer:
    values = {"id": "x", "question": Question.PLAN, "domain": HANDS, "problem": HANDS_ON, **more}
    return Answer(raw=raw, extracted=extracted, theirs=theirs, **values)  # type: ignore[arg-type]


def grade(*answers: Answer) -> list[Grade]:
    named = [replace(each, id=f"{each.id}{place}") for place, each in enumerate(answers)]
    return grade_answers(named, settings=Settings(repair=False), workers=1)


# --- grades --------------------------------------------------------------------------------------


DIFFERENCES: list[tuple[Answer, bool | None, Difference, str]] = [
    (answer(extracted=""), True, Difference.EMPTY, "nothing was extracted"),
    (answer(extracted=None), True, Difference.EMPTY, "nothing was extracted"),
    (answer(extracted="(stack a b)"), True, Difference.LOST, "2 steps here, 1 extracted: (grasp a) lost"),
    (answer(extracted=GOOD + GOOD), True, Difference.DOUBLED, "2 steps here, 4 extracted"),
    (answer(extracted=f"(stack b a)\n{GOOD}"), True, Difference.ADDED, "(stack b a) added"),
    (
        answer(extracted="(grasp b)\n(stack b a)"),
        True,
        Difference.CHANGED,
        "step 1 is (grasp a) here and (grasp b)",
    ),
    (answer(extracted=f"({GOOD})"), True, Difference.GRADER, "parentheses around the whole plan"),
    (answer(extracted="1. (grasp a)\n2. (stack a b)", raw=None), True, Difference.GRADER, "markdown around"),
    (answer(said="crash_signal_11"), True, Difference.GRADER, "PlanBench's validator said: crash_signal_11"),
    (answer(theirs=True), True, Difference.NONE, ""),
    (answer("(stack a b)", "(stack a b)", True), False, Difference.GRADER, "Step 1 (stack a b)"),
    (answer("(stack a c)", "(stack a c)", True), False, Difference.MALFORMED, "unknown object 'c'"),
    (answer("(stack a b)\n(stack a b)", GOOD, True), False, Difference.CHANGED, "made another plan of the answer"),
    (answer("(stack b a)\n" + GOOD, GOOD, True), False, Difference.LOST, "(stack b a) lost"),
    (answer("(stack a b)", None, True), False, Difference.EMPTY, "nothing was extracted"),
    (answer("There is some hope.", GOOD, True), None, Difference.NOT_UNDERSTOOD, "no step could be read"),
    (answer("I am sorry, I cannot help with that.", GOOD, True), False, Difference.CLAIM, "none to give"),
    (answer("(grasp a)", "(grasp a)"), False, Difference.NONE, ""),
    (answer(unread="no PDDL"), None, Difference.NO_ANSWER, "no answer: no PDDL"),
    # PlanBench's verdict is not in the file: beside ours on its extraction.
    (answer(extracted="(stack a b)", theirs=None), True, Difference.LOST, "(grasp a) lost"),
    (answer(theirs=None), True, Difference.NONE, ""),
    (answer(extracted=None, theirs=None), True, Difference.NONE, ""),
]


@cache
def graded() -> list[Grade]:
    return grade(*(given for given, *_ in DIFFERENCES))


@pytest.mark.parametrize("place", range(len(DIFFERENCES)), ids=[f"{row[2]}: {row[3]}" for row in DIFFERENCES])
def test_a_difference_is_named(place: int) -> None:
    _, ours, kind, why = DIFFERENCES[place]
    found = graded()[place]
    assert (found.ours, found.difference) == (ours, kind), found
    assert why in found.why and bool(found.why) is bool(kind)


@pytest.mark.planner
def test_a_difference_that_a_planner_decides_is_named() -> None:
    longer = f"{GOOD}(grasp b)\n"
    found = grade(
        answer("There is no plan.", "", question=Question.NO_PLAN, problem=UNSOLVABLE),
        answer("There is no plan.", GOOD, True),
        answer(longer, longer, True, question=Question.CHEAPEST),
    )
    assert [(each.ours, each.difference) for each in found] == [
        (True, Difference.CLAIM),
        (False, Difference.CLAIM),
        (False, Difference.COST),
    ]


# --- tables --------------------------------------------------------------------------------------


@cache
def several() -> list[Grade]:
    good = answer(benchmark="d", model="m", task="t")
    return grade(
        good,
        replace(good, theirs=True),
        replace(good, raw="(grasp a)"),
        replace(good, raw="There is some hope.", model="n"),
        replace(good, raw="I am sorry, I cannot help with that.", model="n"),
        replace(good, unread="no PDDL", model="n", theirs=None),
    )


def test_the_corrected_table_counts_what_was_not_understood_apart() -> None:
    table = corrected(several())
    assert table.columns[3:9] == ("answers", "right", "wrong", "no plan", "not understood", "no answer")
    assert table.rows == (
        ("t", "d", "m", 3, 2, 1, 0, 0, 0, 3, 1, 3, 1, 0),
        ("t", "d", "n", 3, 0, 0, 1, 1, 1, 2, 0, 2, 0, 0),
        ("total", "", "", 6, 2, 1, 1, 1, 1, 5, 1, 5, 1, 0),
    )
    assert [row[0] for row in corrected(several(), ["model"]).rows] == ["m", "n", "total"]
    assert corrected(several(), ["domain"]).rows == (("d", 6, 2, 1, 1, 1, 1, 5, 1, 5, 1, 0),)


def test_the_table_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.pddl").write_text(HANDS, encoding="utf-8")
    (tmp_path / "p.pddl").write_text(HANDS_ON, encoding="utf-8")
    row = {"domain_file": "d.pddl", "problem_file": "p.pddl", "raw_response": GOOD, "extracted_plan": ["(stack a b)"]}
    (tmp_path / "rows.jsonl").write_text(json.dumps({**row, "benchmark_domain": "hands"}) + "\n")
    arguments = ["eval", "planbench", str(tmp_path / "rows.jsonl"), "--workers", "1", "--table", "--by", "domain"]
    assert main(arguments) == 0
    said, hint = capsys.readouterr()
    assert hint.startswith("plan-validator: without --configs or --templates, answers to prompts in English (1 of 1)")
    assert "1 without its verdict, beside ours on what it extracted, 1 otherwise than we do" in said
    assert "steps lost" in said
    assert main([*arguments, "--format", "csv"]) == 2
