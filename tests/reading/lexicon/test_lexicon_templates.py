"""Templates: PlanBench's files as they are, several ways to say one thing, and what is wrong with a file."""

from __future__ import annotations

import pytest
from lexicon_models import BLOCKS, COLOURS, LOGISTICS

from validator.checking.prepared import prepare
from validator.errors import InputError
from validator.model.pddl import read_model
from validator.reading.lexicon import Lexicon, Said, read_templates
from validator.reading.plan import Step


def _read(templates: object, text: str) -> str | None:
    said = Lexicon.of(BLOCKS, read_templates(templates)).sentence(text, 0)  # type: ignore[arg-type]
    return str(said.step) if isinstance(said, Said) else None


@pytest.mark.parametrize(
    ("templates", "text", "step"),
    [
        ({"actions": {"stack": ["stack {1} on {2}", "under {2} goes {1}"]}}, "stack a on b", "(stack a b)"),
        ({"actions": {"unstack": "from {2} take {1}"}}, "From b take a", "(unstack a b)"),
        ({"actions": {"stack": "place {} upon {}"}}, "Placing the block a onto b", "(stack a b)"),
        ({"actions": {"stack": "{} goes on {}"}}, "The block a goes on block b", "(stack a b)"),
        ({"actions": {"stack": "use {2} to seat {1}", "pick-up": "use {}"}}, "use a", "(pick-up a)"),
        ({"actions": {"pick-up": "grab"}}, "grab a", "(pick-up a)"),
        ({"objects": {"a": ["red block", "crimson one"]}}, "pick up the crimson one", "(pick-up a)"),
        ({"objects": {"a": "the big old crate"}}, "pick up big old crate", "(pick-up a)"),
        (COLOURS, "unstack red from on top of blue", "(unstack a b)"),
    ],
)
def test_templates_say_actions_and_objects_in_other_words(templates: object, text: str, step: str | None) -> None:
    assert _read(templates, text) == step


_TURNS = {"actions": {"stack": "turn on the {2} next to {1}", "unstack": "turn on {1} using {2}"}}
_LIFTS = {"actions": {"stack": "lift {1} on {2}", "pick-up": "lift {}"}, "objects": {"b": "on"}}
_FETCHES = {"actions": {"stack": "fetch {1} onto {2}", "unstack": "fetch the {} and {}"}}
_AGAIN = {"actions": {"pick-up": "lift {} again", "put-down": "lift the {}"}}
_SAME = {"actions": {"pick-up": "take {}", "put-down": "take {}"}}


@pytest.mark.parametrize(
    ("templates", "text", "step"),
    [
        (_TURNS, "Turn on the a  next to b.", "(stack b a)"),
        (_LIFTS, "lift a on on", "(stack a b)"),
        (_FETCHES, "fetch the a and b", "(unstack a b)"),
        (_AGAIN, "lift a again", "(pick-up a)"),
        (_AGAIN, "lift the a", "(put-down a)"),
        (_SAME, "take a", None),
    ],
)
def test_a_sentence_that_is_a_template_word_for_word_is_its_step(
    templates: object, text: str, step: str | None
) -> None:
    assert _read(templates, text) == step


def test_facts_are_said_by_their_templates() -> None:
    lexicon = Lexicon.of(BLOCKS, read_templates(COLOURS))
    assert lexicon.say_fact(("on", "a", "b")) == "the red block is on top of the blue block"
    assert lexicon.say_fact(("handempty",)) == "the hand is empty"
    assert Lexicon.of(BLOCKS).say_fact(("on", "a", "b")) == "a is on b"
    assert Lexicon.of(LOGISTICS).say_fact(("in-city", "l0-0", "c0")) == "l0-0 is in city c0"


@pytest.mark.parametrize(
    ("templates", "message", "place"),
    [
        ("actions:\n  pickup: pick up {}\n", "the model has no action 'pickup' (did you mean 'pick-up'?)", (2, 3)),
        ("predicates: {onn: '{} {}'}", "the model has no predicate 'onn' (did you mean 'on'?)", (1, 14)),
        (
            "actions: {stack: 'stack {}'}",
            "action 'stack' has 2 arguments, and its template 1 holes: 'stack {}'",
            (1, 11),
        ),
        ("actions: {stack: '{1} on {1}'}", "action 'stack' has 2 arguments, and its template 2 holes", (1, 11)),
        ("actions: {pick-up: {a: b}}", "pick-up: a text or a list of texts was expected", (1, 11)),
        ("actions: [pick-up]", "actions are a mapping of names to texts", (1, 1)),
        ("actions: {pick-up", "not YAML", (1, 18)),
        ("just: [a\nb: c", "not YAML", (2, 2)),
        ("- a: b", "templates are a mapping: actions, predicates, objects", (1, 1)),
    ],
)
def test_what_is_wrong_with_templates_is_said_with_its_place(
    templates: str, message: str, place: tuple[int, int]
) -> None:
    with pytest.raises(InputError) as error:
        Lexicon.of(BLOCKS, read_templates(templates))
    assert message in error.value.message
    assert (error.value.line, error.value.column) == place


def test_templates_without_a_known_key_are_an_error() -> None:
    with pytest.raises(InputError, match="'actions', 'predicates' or 'objects' was expected at the top"):
        prepare(BLOCKS, templates="pick-up: lift the {}\n")


def test_a_hole_too_many_is_told_without_a_place_for_a_value() -> None:
    with pytest.raises(InputError, match="its template 2 holes"):
        Lexicon.of(BLOCKS, read_templates({"actions": {"pick-up": "pick {} {}"}}))


def test_objects_may_be_called_like_small_words() -> None:
    model = read_model(
        "(define (domain d) (:predicates (p ?x)) (:action get :parameters (?x) :precondition (p ?x) :effect (p ?x)))",
        "(define (problem p) (:domain d) (:objects a i can to the is top) (:init (p a)) (:goal (p a)))",
    )
    lexicon = Lexicon.of(model)
    for name in model.problem.objects:
        assert lexicon.sentence(lexicon.say(Step(name="get", args=(name,))), 0) == Said(
            step=Step(name="get", args=(name,)), span=(0, 4 + len(name))
        )
