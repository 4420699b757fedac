"""The suites of texts: answers in two formats, and free texts that are true by executing their plans."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from benchmarks.answers import run
from benchmarks.free_texts.generate import LEVELS, MUTATIONS, Told, texts
from benchmarks.free_texts.questions import CASES, Case, asked_of, of_questions
from benchmarks.free_texts.telling import STYLES
from benchmarks.options import Options
from benchmarks.table import Table, as_data
from tests.support.depth import some
from tests.support.models import HANDS, HANDS_ON
from validator import check
from validator.errors import InputError
from validator.foils.language.read import read_question

WORDS = """
actions: {grasp: "pick up the {}", stack: "stack the {} on top of the {}"}
encoded_objects: {a: red block, b: blue block}
"""
GOOD, BAD = ["(grasp a)", "(stack a b)"], ["(grasp b)", "(stack b a)"]
SAID = {
    "words": ("1. Pick up the red block.\n2. Stack the red block on top of the blue block.", GOOD, "valid"),
    "pddl": ("(grasp a)\n(stack a b)", GOOD, "valid"),
    "wrong": ("(grasp b)\n(stack b a)", BAD, "goal_not_satisfied"),
    "open": ("(grasp a)\n(stack a b)", None, None),
}


def folder(path: Path, name: str) -> Path:
    (path / "pddl").mkdir(parents=True)
    (path / "templates").mkdir()
    (path / "pddl" / "d.pddl").write_text(HANDS, encoding="utf-8")
    (path / "pddl" / "p.pddl").write_text(HANDS_ON, encoding="utf-8")
    (path / "templates" / "hands.yaml").write_text(WORDS, encoding="utf-8")
    files = {"domain_file": "pddl/d.pddl", "problem_file": "pddl/p.pddl", "benchmark_domain": "hands", "model": "m"}
    verdicts = ("verdict", "extracted_verdict", "referee_verdict")
    rows = [
        {"id": key, **files, "raw_response": text, "plan": plan, **dict.fromkeys(verdicts, verdict)}
        for key, (text, plan, verdict) in SAID.items()
    ]
    (path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def tables(path: Path) -> dict[str, Table]:
    return {table.title: table for table in run(Options(folder=path))}


def rows(table: Table) -> list[dict[str, object]]:
    found = as_data(table)["rows"]
    assert isinstance(found, list)
    return found


def test_answers_in_words_are_measured_with_templates_and_without(tmp_path: Path) -> None:
    found = tables(folder(tmp_path, "answers.jsonl"))
    with_them, without = rows(found["answers"])
    assert (with_them["recall %"], with_them["precision %"], with_them["same steps %"]) == (100.0, 100.0, 100.0)
    assert (without["recall %"], without["precision %"], without["UNKNOWN %"]) == (50.0, 100.0, 25.0)
    assert not found["answers"].notes


def test_answers_in_pddl_are_measured_beside_the_simulator(tmp_path: Path) -> None:
    found = tables(folder(tmp_path, "plans.jsonl"))
    answers, extractions = rows(found["answers in PDDL"])
    assert (answers["answers"], answers["UNKNOWN"], answers["valid, called NOT VALID"]) == (3, 1, 0)
    assert (extractions["same verdict %"], extractions["same steps %"]) == (100.0, 100.0)


# --- free texts ----------------------------------------------------------------------------------


@cache
def made() -> list[Told]:
    return list(texts(120, 3))


def test_texts_of_a_seed_are_the_same() -> None:
    assert list(islice(texts(300, 3), 20)) == made()[:20]
    assert list(texts(3, 4)) != made()[:3]


def test_every_level_mutation_and_style_is_told() -> None:
    assert {told.level for told in made()} == {*LEVELS, *MUTATIONS}
    assert {told.style for told in made()} == {*STYLES}


def test_truth_is_what_executing_the_plan_says() -> None:
    known = [told for told in made() if told.truth != "open"][::4]
    assert len(known) > 15
    for told in known:
        report = check(told.domain, told.problem, "\n".join(told.plan), dialect="pddl", repair=False)
        assert report.determination is (told.truth == "valid"), told


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_plans_that_questions_are_asked_of_are_valid(case: Case) -> None:
    assert check(case.domain, case.problem, "\n".join(case.plan), repair=False).determination is True
    assert len(case.questions) >= 15


def test_questions_are_answered_and_none_is_misread() -> None:
    table = of_questions()
    assert table.wrong == ()
    *_, total = table.rows
    _, questions, answered, refused, misread = map(str, total)
    assert int(questions) == sum(len(case.questions) for case in CASES) == int(answered) + int(refused)
    assert int(answered) > 0.85 * int(questions) and misread == "0"


@pytest.mark.parametrize("case", some(CASES, 2), ids=lambda case: case.name)
def test_no_question_is_answered_past_a_word_that_is_not_understood(case: Case) -> None:
    asked = asked_of(case)
    for number, question in enumerate(case.questions):
        words = question.split()
        words.insert(number % (len(words) + 1), "zorg")
        with pytest.raises(InputError):
            read_question(" ".join(words), asked)
