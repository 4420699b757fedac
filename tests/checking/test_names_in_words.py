"""Names of a model in plans in words: capitals inside of names, kinds that are parts of names, where a step begins."""

from __future__ import annotations

import pytest

from validator import check

SHED = (
    """(define (domain garden) (:requirements :strips :typing) (:types tool shed bed - object spade can - tool)
    (:predicates (storedIn ?t - tool ?s - shed) (carrying ?t - tool) (handsFree) (dug ?b - bed))
    (:action takeTool :parameters (?t - tool ?s - shed) :precondition (and (storedIn ?t ?s) (handsFree))
     :effect (and (carrying ?t) (not (storedIn ?t ?s)) (not (handsFree))))
    (:action putBack :parameters (?s - shed ?t - tool) :precondition (carrying ?t)
     :effect (and (storedIn ?t ?s) (handsFree) (not (carrying ?t))))
    (:action digBed :parameters (?b - bed ?s - spade) :precondition (carrying ?s) :effect (dug ?b)))""",
    """(define (problem weekend) (:domain garden)
    (:objects oldSpade - spade green_can - can tool_shed bikeShed - shed east_bed - bed)
    (:init (storedIn oldSpade bikeShed) (carrying green_can))
    (:goal (and (dug east_bed) (storedIn oldSpade tool_shed))))""",
)
ARCHIVE = (
    """(define (domain archive) (:requirements :strips :typing) (:types person room door)
    (:predicates (at ?p - person ?r - room) (joins ?d - door ?a ?b - room))
    (:action pass_through :parameters (?d - door ?p - person ?to ?from - room)
     :precondition (and (at ?p ?from) (joins ?d ?from ?to)) :effect (and (at ?p ?to) (not (at ?p ?from)))))""",
    """(define (problem one) (:domain archive)
    (:objects olga - person hall vault cellar - room iron-door oak-door - door)
    (:init (at olga hall) (joins iron-door hall vault) (joins iron-door vault hall) (joins oak-door hall cellar))
    (:goal (at olga vault)))""",
)


@pytest.mark.parametrize(
    "text",
    [
        "1. Put the can back in the tool shed.\n2. Take the old spade from the bike shed.\n"
        "3. Dig the east bed with the old spade.\n4. Put the tool back in the tool shed.",
        "The gardener puts the tool back in the bike shed. Then the gardener takes oldSpade out of bikeShed, "
        "digs the east bed, and puts the old spade back in the tool shed.",
    ],
)
def test_capitals_begin_words_and_a_kind_is_no_part_of_a_name(text: str) -> None:
    assert check(*SHED, text).determination is True


def test_a_step_that_is_left_out_is_found_in_such_names() -> None:
    text = "1. Put the can back in the tool shed.\n2. Dig the east bed with the old spade."
    assert check(*SHED, text).determination is False


@pytest.mark.parametrize(
    "text",
    [
        "From the hall, Olga passes through the iron door into the vault.",
        "Olga passes from the hall through the iron door into the vault.",
        "Olga passes through the iron door to the vault.",
    ],
)
def test_what_is_passed_is_no_stop_on_the_way(text: str) -> None:
    assert check(*ARCHIVE, text).determination is True
