"""The texts of the suite free_texts: the same for a seed, and true by the package's own execution of their plans."""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest

from benchmarks.free_texts.generate import LEVELS, MUTATIONS, Told, texts
from benchmarks.free_texts.questions import CASES, Case, asked_of, of_questions
from benchmarks.free_texts.telling import STYLES
from tests.support.depth import some
from validator import check
from validator.errors import InputError
from validator.foils.language.read import read_question


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
