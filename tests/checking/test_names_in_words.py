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


SERVERS = (
    """(define (domain servers) (:requirements :strips :typing) (:types host cable dataset)
    (:predicates (running ?h - host) (loose ?c - cable) (linked ?c - cable ?x ?y - host)
     (stored ?f - dataset ?h - host))
    (:action plugIn :parameters (?c - cable ?x ?y - host) :precondition (loose ?c)
     :effect (and (linked ?c ?x ?y) (linked ?c ?y ?x) (not (loose ?c))))
    (:action boot :parameters (?h - host) :precondition () :effect (running ?h))
    (:action copyData :parameters (?f - dataset ?dst ?src - host ?c - cable)
     :precondition (and (stored ?f ?src) (linked ?c ?src ?dst) (running ?src)) :effect (stored ?f ?dst)))""",
    """(define (problem backup) (:domain servers)
    (:objects alpha beta gamma - host fibre copper - cable payroll - dataset)
    (:init (loose fibre) (loose copper) (stored payroll alpha)) (:goal (stored payroll beta)))""",
)
STEPS = (
    "Plug the fibre in between beta and alpha.",
    "Boot alpha.",
    "Copy the payroll data from alpha to beta over the fibre.",
)


@pytest.mark.parametrize(
    "remark", ["Nothing special here.", "No hurry here.", "(Nothing to add here.)", "Shall I go on?"]
)
def test_a_remark_that_says_nothing_of_a_step_is_none(remark: str) -> None:
    text = f"1. {STEPS[0]}\n2. {STEPS[1]} {remark}\n3. {STEPS[2]}"
    assert check(*SERVERS, text).determination is True
    assert check(*SERVERS, f"1. {STEPS[0]} {remark}\n2. {STEPS[2]}").determination is False


@pytest.mark.parametrize("said", ["Alpha is busy now", "So alpha has come alive", "Alpha is occupied again"])
def test_how_things_are_by_then_hides_no_verdict(said: str) -> None:
    assert check(*SERVERS, f"1. {STEPS[0]}\n2. {STEPS[1]} {said}.\n3. {STEPS[2]}").determination is True
    assert check(*SERVERS, f"1. {STEPS[0]} {said}.\n2. {STEPS[2]}").determination is not True


@pytest.mark.parametrize(
    "steps",
    [
        ("Connect alpha and beta with the fibre.", "Start alpha.", "Copy payroll from alpha to beta over the fibre."),
        (f"{STEPS[0][:-1]}, and after that boot alpha.", "", STEPS[2]),
        (f"{STEPS[0][:-1]}, after that have alpha booted.", "", STEPS[2]),
        ("Get the fibre plugged in between alpha and beta.", "Boot alpha.", f"{STEPS[2]} No step follows."),
        ("Plug in the fibre between alpha and beta.", "Start up alpha.", "Copy payroll straight from alpha to beta."),
        (
            "### 1. First block\nPlug in the fibre between alpha and beta.",
            "Boot alpha.",
            f"### Second block\n{STEPS[2]}",
        ),
    ],
)
def test_words_that_stand_in_no_name(steps: tuple[str, ...]) -> None:
    assert check(*SERVERS, "\n".join(steps)).determination is True
    if steps[1]:
        assert check(*SERVERS, "\n".join((steps[0], steps[2]))).determination is not True
