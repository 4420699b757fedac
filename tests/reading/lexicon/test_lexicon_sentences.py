"""Sentences to steps: what is read, what is unclear, what is no step."""

from __future__ import annotations

import pytest

from validator.model.pddl import read_model
from validator.reading.lexicon import Lexicon, Said, Unclear, read_templates

BLOCKS = """(define (domain blocks) (:predicates (clear ?x) (ontable ?x) (handempty) (holding ?x) (on ?x ?y))
  (:action pick-up :parameters (?ob) :precondition (and (clear ?ob) (ontable ?ob) (handempty))
    :effect (and (holding ?ob) (not (clear ?ob)) (not (ontable ?ob)) (not (handempty))))
  (:action put-down :parameters (?ob) :precondition (holding ?ob)
    :effect (and (clear ?ob) (handempty) (ontable ?ob) (not (holding ?ob))))
  (:action stack :parameters (?ob ?underob) :precondition (and (clear ?underob) (holding ?ob))
    :effect (and (handempty) (clear ?ob) (on ?ob ?underob) (not (clear ?underob)) (not (holding ?ob))))
  (:action unstack :parameters (?ob ?underob) :precondition (and (on ?ob ?underob) (clear ?ob) (handempty))
    :effect (and (holding ?ob) (clear ?underob) (not (on ?ob ?underob)) (not (clear ?ob)) (not (handempty)))))"""
PROBLEM = """(define (problem p) (:domain blocks) (:objects a b c)
  (:init (handempty) (ontable a) (clear b) (on b a) (ontable c) (clear c)) (:goal (on a b)))"""
MODEL = read_model(BLOCKS, PROBLEM)
COLOURS = {
    "actions": {
        "pick-up": "pick up the {}",
        "put-down": "put down the {}",
        "stack": "stack the {} on top of the {}",
        "unstack": "unstack the {} from on top of the {}",
    },
    "encoded_objects": {"a": "red block", "b": "blue block", "c": "orange block", "d": "yellow block"},
}
PLAIN = Lexicon.of(MODEL)
COLOURED = Lexicon.of(MODEL, read_templates(COLOURS))


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("pick up the block b", "(pick-up b)"),
        ("picks up b", "(pick-up b)"),
        ("Picking up block_b.", "(pick-up b)"),
        ("pick the block b up", "(pick-up b)"),
        ("PickUp(b)", "(pick-up b)"),
        ("**pick_up** `a`", "(pick-up a)"),
        ("Put down a", "(put-down a)"),
        ("stack a on top of b", "(stack a b)"),
        ("Then, unstack the block a from the block b.", "(unstack a b)"),
        ("I stack b onto a", "(stack b a)"),
    ],
)
def test_a_step_is_read_by_the_names_of_the_model(text: str, step: str) -> None:
    said = PLAIN.sentence(text, 0)
    assert isinstance(said, Said)
    assert (str(said.step), said.exact, said.begins, said.warnings) == (step, True, True, ())


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("Unstack the blue block from on top of the red block", "(unstack b a)"),
        ("unstack blue from red", "(unstack b a)"),
        ("Pick up the orange block (it is clear)", "(pick-up c)"),
        ("put down the yellow block", "(put-down d)"),
    ],
)
def test_templates_name_the_objects(text: str, step: str) -> None:
    said = COLOURED.sentence(text, 0)
    assert isinstance(said, Said)
    assert (str(said.step), said.exact) == (step, True)


@pytest.mark.parametrize(
    "text",
    [
        "The red block is on top of the blue block",
        "Do not pick up the red block",
        "Pick up the red block is not necessary",
        "Should we pick up the red block?",
        "Goal: the blue block is on the table",
        "",
    ],
)
def test_what_tells_no_step_is_no_step(text: str) -> None:
    assert COLOURED.sentence(text, 0) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pick up the purple block", "no object of the model is called 'purple block'"),
        ("stack the red block", "'stack' takes 2 arguments, 1 were understood"),
        ("put down the red block on the blue block", "'put-down' takes 1 argument, 2 were understood"),
        ("grab the red block", "no action is called 'grab'"),
    ],
)
def test_what_is_not_clear_is_said(text: str, reason: str) -> None:
    unclear = COLOURED.sentence(text, 0)
    assert isinstance(unclear, Unclear)
    assert unclear.reason == reason
