"""What names can mean, and steps in formal notations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from lexicon_models import BLOCKS, CARGO, COLOURED, PACKED, PLAIN

from validator.model.pddl import read_model
from validator.reading.lexicon import Lexicon, Unclear, read_templates

SPAN = (3, 7)


@pytest.mark.parametrize(
    "name", ["pick-up", "PICK-UP", "pick_up", "PickUp", "pickup", "pick up", "picks up", "picking up", "picked-up"]
)
def test_an_action_is_known_by_its_name_in_any_form(name: str) -> None:
    assert PLAIN.action(name) == ("pick-up",)


@pytest.mark.parametrize(
    ("lexicon", "name", "objects"),
    [
        (PLAIN, "b", ("b",)),
        (PLAIN, "B", ("b",)),
        (PLAIN, "block_b", ("b",)),
        (PLAIN, "the block b", ("b",)),
        (PLAIN, "red block", ()),
        (PLAIN, "table", ()),
        (COLOURED, "the red block", ("a",)),
        (COLOURED, "red", ("a",)),
        (COLOURED, "block", ()),
        (CARGO, "package_0", ("p0",)),
        (CARGO, "package 0", ("p0",)),
        (CARGO, "the package p0", ("p0",)),
        (CARGO, "location_1_0", ("l1-0",)),
        (CARGO, "location 1-0", ("l1-0",)),
        (CARGO, "l1_0", ("l1-0",)),
        (CARGO, r"location\_1\_0", ("l1-0",)),
        (CARGO, "package_10", ()),
        (PACKED, "package_0", ("p0",)),
        (PACKED, "package_10", ("p10",)),
    ],
)
def test_an_object_is_known_by_its_names(lexicon: Lexicon, name: str, objects: tuple[str, ...]) -> None:
    assert lexicon.object(name) == objects


def test_a_letter_and_a_number_are_no_name_where_two_objects_fit() -> None:
    domain = (
        "(define (domain d) (:predicates (p ?x)) (:action go :parameters (?x) :precondition (p ?x) :effect (p ?x)))"
    )
    problem = "(define (problem p) (:domain d) (:objects {}) (:init) (:goal (p {})))"
    one = Lexicon.of(read_model(domain, problem.format("truck1 box2", "box2")))
    two = Lexicon.of(read_model(domain, problem.format("truck1 tower1", "tower1")))
    assert (one.object("t1"), two.object("t1")) == (("truck1",), ())


@pytest.mark.parametrize(
    ("name", "args", "step"),
    [
        ("LOAD-TRUCK", ("package_0", "Truck_0", "location_0_0"), "(load-truck p0 t0 l0-0)"),
        ("load", ("p0", "a0", "l0-0"), "(load-airplane p0 a0 l0-0)"),
        (
            "drive_truck",
            {"truck": "t0", "loc_to": "l0-1", "loc_from": "l0-0", "city": "c0"},
            "(drive-truck t0 l0-0 l0-1 c0)",
        ),
        ("teleport", ("p9", "Nowhere"), "(teleport p9 Nowhere)"),
    ],
)
def test_a_step_of_a_formal_notation_keeps_what_it_names(
    name: str, args: Sequence[str] | Mapping[str, str], step: str
) -> None:
    assert str(CARGO.step(name, args, SPAN)) == step


def test_a_formal_step_that_can_be_two_is_not_chosen() -> None:
    unclear = CARGO.step("load", ("p0", "c0", "l0-0"), SPAN)
    assert isinstance(unclear, Unclear)
    assert unclear.reason == "'load' can be load-truck or load-airplane"
    twins = Lexicon.of(BLOCKS, read_templates({"objects": {"a": "red one", "b": "red one"}}))
    assert isinstance(twins.step("pick-up", ("red one",), SPAN), Unclear)
