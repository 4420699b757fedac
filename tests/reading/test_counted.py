"""Words of other languages before steps, plans that are chosen in a sentence, and plans that branch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.reading.test_candidates import MODEL, RIGHT, WRONG, lines
from validator import check, prepare

STEPS = [step[1:-1].split() for step in RIGHT]


def plain(step: list[str]) -> str:
    return f"({' '.join(step)})"


def call(step: list[str]) -> str:
    return f"{step[0]}({', '.join(step[1:])})"


@pytest.mark.parametrize(
    "form",
    [
        *("Schritt {n}: {s}", "Paso {n} - {s}", "Paso {n}. {s}"),
        *("Étape {n} : {s}", "Etape {n}. {s}", "第{n}步：{s}"),
        "Passo {n} – {s}",
        *(
            "{n}. {de} {s}",
            "{es} {s}",
            "- {fr} {s}",
            "{zh}{s}",
            "{n}. {zh}{s}",
            "Passo {n} – {s}",
            "**Schritt {n}.** {s}",
        ),
    ],
)
@pytest.mark.parametrize("written", [plain, call, " ".join])
def test_words_of_other_languages_before_steps_are_never_called_wrong(
    form: str, written: Callable[[list[str]], str]
) -> None:
    words = {"de": ("Zuerst", "Dann"), "es": ("Primero,", "Luego"), "fr": ("D'abord,", "puis"), "zh": ("首先", "然后")}
    text = "\n".join(
        form.format(n=n, s=written(step), **{key: both[n - 1] for key, both in words.items()})
        for n, step in enumerate(STEPS, 1)
    )
    assert check(MODEL, plan=f"{text}\n", repair=False).determination is not False


def test_a_word_of_another_language_that_the_model_has_is_the_models() -> None:
    domain = "(define (domain d) (:predicates (done ?x)) (:action dann :parameters (?x) :effect (done ?x)))"
    model = prepare(domain, "(define (problem p) (:domain d) (:objects puis) (:init) (:goal (done puis)))")
    assert check(model, plan="1. dann puis\n", repair=False).determination is True


CHOICES = [
    *("I choose {}.", "I'll go with {}.", "My choice: {}", "**Selected: {}**", "The best is {}, as it is whole."),
    *(
        "{} is better, so I take it.",
        "Therefore, {} is the one I recommend.",
        "Final answer: {}",
        "{} is my final answer.",
    ),
]


@pytest.mark.parametrize("choice", CHOICES)
def test_which_of_several_plans_an_author_chooses_in_a_sentence_is_left_open(choice: str) -> None:
    text = f"Plan A:\n{lines(WRONG)}\n\nPlan B:\n{lines(RIGHT)}\n\n{choice.format('Plan B')}\n"
    assert check(MODEL, plan=text, repair=False).determination is None


@pytest.mark.parametrize(
    "form",
    [
        "1) {0}\nbranching...\n\t2) {1}\n)goal\n\t3) {0}\n)connect to 1\n",
        "{0}\nbranching...\n{1}\nelse\n{0}\n",
    ],
)
@pytest.mark.parametrize("written", ["_", " "])
def test_a_plan_that_branches_is_no_sequence(form: str, written: str) -> None:
    text = form.format(*(written.join(step) for step in STEPS))
    assert check(MODEL, plan=text, repair=False).determination is None
