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


def test_a_call_may_have_a_blank_before_its_named_arguments() -> None:
    text = "boil-water (k=kettle)\nput-bag (b=green, m=mug)\npour-water (m=mug, k=kettle)\n"
    assert check(TEA, plan=text, repair=False).determination is True


@pytest.mark.parametrize("given", ["(green mug)", "(green, mug)", "(b=green, m=mug)"])
def test_arguments_alone_in_parentheses_are_never_called_wrong(given: str) -> None:
    text = f"1. boil-water kettle\n2. Put a bag into the mug {given}\n3. pour-water kettle mug\n"
    assert check(TEA, plan=text, repair=False).determination is not False
