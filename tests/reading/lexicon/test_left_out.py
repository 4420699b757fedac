"""Sentences that leave arguments out: which actions and which places the words that are there allow."""

from __future__ import annotations

import pytest

from validator import check
from validator.model.pddl import read_domain, read_problem
from validator.model.values import Model
from validator.reading.lexicon import Lexicon, Said, Unclear

TEA = read_domain("""
(define (domain tea) (:requirements :typing)
  (:types jug cup - vessel hand level leaf spot rack)
  (:predicates (held ?h - hand ?v - vessel) (free ?h - hand) (clean ?c - cup) (used ?c - cup) (full ?j - jug ?l - leaf)
               (high ?c - cup ?l - level) (next ?l ?m - level) (brewed ?c - cup ?l - leaf)
               (stands ?v - vessel ?s - spot) (near ?h - hand ?s - spot) (beside ?s ?t - spot) (of ?s - spot ?r - rack))
  (:action grab :parameters (?h - hand ?v - vessel ?s ?t - spot ?r - rack)
    :precondition (and (near ?h ?t) (beside ?t ?s) (stands ?v ?s) (of ?s ?r) (free ?h))
    :effect (and (held ?h ?v) (not (stands ?v ?s)) (not (free ?h))))
  (:action pour-jug-to-clean-cup :parameters (?j - jug ?l - leaf ?c - cup ?h - hand ?n ?m - level)
    :precondition (and (held ?h ?j) (full ?j ?l) (clean ?c) (high ?c ?n) (next ?n ?m))
    :effect (and (not (clean ?c)) (used ?c) (not (high ?c ?n)) (high ?c ?m) (brewed ?c ?l)))
  (:action pour-jug-to-used-cup :parameters (?j - jug ?l - leaf ?c - cup ?h - hand ?n ?m - level)
    :precondition (and (held ?h ?j) (full ?j ?l) (used ?c) (high ?c ?n) (next ?n ?m))
    :effect (and (not (high ?c ?n)) (high ?c ?m) (brewed ?c ?l)))
  (:action rinse-jug :parameters (?j - jug ?l - leaf ?h ?g - hand)
    :precondition (and (held ?h ?j) (free ?g) (full ?j ?l)) :effect (not (full ?j ?l)))
  (:action rinse-cup :parameters (?c - cup ?h ?g - hand) :precondition (and (held ?h ?c) (free ?g)) :effect (clean ?c))
  (:action set-bowl :parameters (?s ?t - spot) :precondition (beside ?s ?t) :effect (beside ?t ?s)))
""")
MODEL = Model(
    domain=TEA,
    problem=read_problem(
        """
(define (problem one) (:domain tea)
  (:objects j1 j2 - jug c1 c2 - cup left right - hand l0 l1 l2 - level mint sage - leaf
            s1 s2 s3 the-bay1 - spot r1 - rack)
  (:init (free left) (free right) (clean c1) (full j1 mint) (high c1 l0) (next l0 l1) (next l1 l2)
         (stands j1 s1) (near left s2) (near right s3) (beside s2 s1) (of s1 r1))
  (:goal (and (brewed c1 mint) (high c1 l2))))
""",
        TEA,
    ),
)
TONGUE = Lexicon.of(MODEL)


def ways(text: str) -> set[str]:
    found = TONGUE.sentence(text)
    assert isinstance(found, Unclear), found
    return {str(way) for way in found.ways}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pour j1 with mint into clean c1 using left", {"(pour-jug-to-clean-cup j1 mint c1 left ? ?)"}),
        ("Pour j1 with mint into the used c1 using left", {"(pour-jug-to-used-cup j1 mint c1 left ? ?)"}),
        (
            "pour j1 with mint into c1 using left",
            {"(pour-jug-to-clean-cup j1 mint c1 left ? ?)", "(pour-jug-to-used-cup j1 mint c1 left ? ?)"},
        ),
        ("rinse j1 with left and right", {"(rinse-jug j1 ? left right)"}),
        ("rinse j1 and j2", set()),
        (
            "pour j1 with mint into clean c1 using the hand",
            {"(pour-jug-to-clean-cup j1 mint c1 left ? ?)", "(pour-jug-to-clean-cup j1 mint c1 right ? ?)"},
        ),
    ],
)
def test_words_of_names_and_kinds_tell_the_action(text: str, expected: set[str]) -> None:
    assert ways(text) == expected


def test_an_article_may_stand_in_the_name_of_an_action() -> None:
    for text in ("set a bowl at s1 beside s2", "set the bowl at s1 beside s2"):
        said = TONGUE.sentence(text)
        assert isinstance(said, Said) and str(said.step) == "(set-bowl s1 s2)"


def test_a_name_with_an_article_is_said_without_it() -> None:
    assert TONGUE.object("bay1") == TONGUE.object("the bay1") == ("the-bay1",)


def test_at_may_be_where_it_is_done_or_who_does_it() -> None:
    assert ways("set bowl at s1") == {"(set-bowl s1 ?)", "(set-bowl ? s1)"}


def test_from_may_be_where_it_is_or_where_what_takes_it_is() -> None:
    found = TONGUE.sentence("Grab j1 in s1 in r1 with left from s2")
    assert isinstance(found, Unclear) and "does not say which argument" in found.reason
    assert {str(way) for way in found.ways} == {"(grab left j1 s1 s2 r1)", "(grab left j1 s2 s1 r1)"}
    said = TONGUE.sentence("Grab j1 from s1 in r1 with left near s2")
    assert isinstance(said, Said) and str(said.step) == "(grab left j1 s1 s2 r1)"


def test_the_state_fills_in_what_is_left_out() -> None:
    text = """Grab j1 in s1 in r1 with left from s2,
pour j1 with mint into clean c1 using left,
pour j1 with mint into used c1 using left.
"""
    assert check(MODEL, None, text, repair=False).determination is None
    assert check(MODEL, None, text, repair=False, fill_in=True).determination is True
