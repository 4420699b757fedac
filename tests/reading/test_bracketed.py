"""Sentences with a step in parentheses behind them."""

from __future__ import annotations

import pytest

from validator import check, prepare

TEA = prepare(
    """(define (domain tea) (:requirements :typing) (:types bag vessel)
      (:predicates (in ?b - bag ?m - vessel) (hot ?k - vessel) (full ?m - vessel))
      (:action put-bag :parameters (?b - bag ?m - vessel) :effect (in ?b ?m))
      (:action boil-water :parameters (?k - vessel) :effect (hot ?k))
      (:action pour-water :parameters (?k ?m - vessel) :precondition (hot ?k) :effect (full ?m)))""",
    """(define (problem t) (:domain tea) (:objects green black - bag mug pot kettle - vessel)
      (:init) (:goal (and (in green mug) (full mug))))""",
)
STEPS = ["(boil-water kettle)", "(put-bag green mug)", "(pour-water kettle mug)"]
SENTENCES = ["Boil the water in the kettle", "Put a bag into the mug", "Pour the water into the mug"]
CLOSED = {
    "steps": STEPS,
    "calls": ["(boil-water(kettle))", "(put-bag(green, mug))", "(pour-water(kettle, mug))"],
}
LISTED = {"1.": "{0}. {1} {2}.", "-": "- {1} {2}", "none": "{1} {2}.", "bold": "{0}. **{1}** {2}"}


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("listed", LISTED)
def test_what_stands_in_parentheses_behind_a_sentence_is_its_step(closed: str, listed: str) -> None:
    lines = enumerate(zip(SENTENCES, CLOSED[closed], strict=True), 1)
    report = check(TEA, plan="\n".join(LISTED[listed].format(n, *both) for n, both in lines), repair=False)
    assert report.reading is not None and report.determination is True
    assert [str(step) for step in report.reading.plan.tokens] == STEPS


@pytest.mark.parametrize("form", ["1. {0}\n2. {1}\n3. {2}\n", "{0}.\n{1}.\n{2}.\n"])
@pytest.mark.parametrize(
    "other",
    [
        "Put a bag into the pot (put-bag green mug)",  # another object
        "Put the black bag into the mug (put-bag green mug)",
        "Put black into the mug: (put-bag green mug)",
        "Put the green bag into the mug (pour-water kettle mug)",  # another action
    ],
)
def test_where_a_sentence_contradicts_its_parentheses_nothing_is_said(form: str, other: str) -> None:
    told = [f"{SENTENCES[0]} {STEPS[0]}", other, f"{SENTENCES[2]} {STEPS[2]}"]
    report = check(TEA, plan=form.format(*told), repair=False)
    assert report.determination is None and report.reading is not None
    assert [piece.line for piece in report.reading.missed] == [2]


def test_a_line_without_parentheses_among_sentences_with_them_may_be_a_step() -> None:
    text = f"{SENTENCES[0]} {STEPS[0]}.\nPut green into the mug.\n{SENTENCES[2]} {STEPS[2]}.\n"
    report = check(TEA, plan=text, repair=False)
    assert report.determination is None and report.reading is not None
    assert [piece.line for piece in report.reading.missed] == [2]
    again = f"{SENTENCES[0]} {STEPS[0]}.\n{SENTENCES[1]} {STEPS[1]}.\n{SENTENCES[2]} {STEPS[2]}.\nBoil kettle.\n"
    assert check(TEA, plan=again, repair=False).determination is True


@pytest.mark.parametrize("remark", ["(it is hot now)", "(mug)", "(in green mug)", "(step 2 of 3)", "(see above)"])
def test_a_remark_in_parentheses_is_none(remark: str) -> None:
    text = f"1. boil-water kettle\n2. Put the green bag into the mug {remark}\n3. pour-water kettle mug\n"
    report = check(TEA, plan=text, repair=False)
    assert report.determination is True and report.reading is not None
    assert [str(step) for step in report.reading.plan.tokens] == STEPS


def test_a_call_may_have_a_blank_before_its_named_arguments() -> None:
    text = "boil-water (k=kettle)\nput-bag (b=green, m=mug)\npour-water (m=mug, k=kettle)\n"
    assert check(TEA, plan=text, repair=False).determination is True


@pytest.mark.parametrize("given", ["(green mug)", "(green, mug)", "(b=green, m=mug)"])
def test_arguments_alone_in_parentheses_are_never_called_wrong(given: str) -> None:
    text = f"1. boil-water kettle\n2. Put a bag into the mug {given}\n3. pour-water kettle mug\n"
    assert check(TEA, plan=text, repair=False).determination is not False
