"""Sentences to steps: what is read, what is unclear, what is no step."""

from __future__ import annotations

import pytest
from lexicon_models import CARGO, COLOURED, PACKED, PLAIN

from validator.reading.lexicon import Lexicon, Said, Unclear


def _said(lexicon: Lexicon, text: str) -> Said:
    said = lexicon.sentence(text, 0)
    assert isinstance(said, Said), said
    return said


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("pick up the block b", "(pick-up b)"),
        ("picks up b", "(pick-up b)"),
        ("Picking up block_b.", "(pick-up b)"),
        ("pick the block b up", "(pick-up b)"),
        ("PickUp(b)", "(pick-up b)"),
        ("PICK-UP B", "(pick-up b)"),
        ("pickup b", "(pick-up b)"),
        ("**pick_up** `a`", "(pick-up a)"),
        (r"\text{pick-up}(a)", "(pick-up a)"),
        ("Put down a", "(put-down a)"),
        ("put the block b down on the table", "(put-down b)"),
        ("stack a on top of b", "(stack a b)"),
        ("stack(a, b)", "(stack a b)"),
        ("stack(a, a)", "(stack a a)"),
        ("Then, unstack the block a from the block b.", "(unstack a b)"),
        ("I stack b onto a", "(stack b a)"),
        ("Perform unstack on b and a", "(unstack b a)"),
        ("Step 3: unstack the block (b) from a", "(unstack b a)"),
        ("Action C: stack b a", "(stack b a)"),
        ("After that, pick up c (it is clear)", "(pick-up c)"),
        ("The robot picks up c", "(pick-up c)"),
        ("We need to pick up c", "(pick-up c)"),
        ("(stack a b)", "(stack a b)"),
        ("unstack b -> put down", None),
    ],
)
def test_a_step_is_read_by_the_names_of_the_model(text: str, step: str | None) -> None:
    if step is None:
        assert not isinstance(PLAIN.sentence(text, 0), Said)
        return
    said = _said(PLAIN, text)
    assert (str(said.step), said.exact, said.warnings) == (step, True, ())


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("Unstack the blue block from on top of the red block", "(unstack b a)"),
        ("unstack blue from red", "(unstack b a)"),
        ("unstack the blue one from the red block", "(unstack b a)"),
        ("Pick up the orange block (it is clear)", "(pick-up c)"),
        ("put down the yellow block", "(put-down d)"),
        ("**Stack** the *red block* **on** the *blue block*.", "(stack a b)"),
        ("stack on top of the blue block the red block", "(stack a b)"),
    ],
)
def test_templates_name_the_objects(text: str, step: str | None) -> None:
    said = COLOURED.sentence(text, 0)
    assert (str(said.step) if isinstance(said, Said) else None) == step


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("Pick up the now clear orange block", "(pick-up c)"),
        ("Unstack blue from red: this is possible because blue is clear", "(unstack b a)"),
        ("Unstack the blue block from the red block (to free it), so that it becomes clear", "(unstack b a)"),
    ],
)
def test_what_is_said_besides_is_a_remark(text: str, step: str) -> None:
    said = _said(COLOURED, text)
    assert str(said.step) == step


@pytest.mark.parametrize(
    "text",
    [
        "The red block is on top of the blue block",
        "red block on top of blue block",
        "Goal: the blue block is on the table",
        "Result: the orange block is clear",
        "Here is the plan:",
        "Do not pick up the red block",
        "You can't pick up the red block",
        "",
        "...",
    ],
)
def test_what_tells_no_step_is_no_step(text: str) -> None:
    assert COLOURED.sentence(text, 0) is None


@pytest.mark.parametrize(
    "text",
    [
        "Pick up the red block is not necessary",
        "Stack the red block on the blue block - not possible, as blue is not clear",
        "Pick up the red block requires a free hand",
        "Pick up the red block (No, this is not allowed)",
        "Should we pick up the red block?",
        "I can pick up a block only if my hand is empty",
        "After unstacking the blue block from the red block, red is clear",
        "stack the red block that is being held onto the clear orange block",
        "Put down the red block to free the hand",
        "If the hand is empty, pick up the red block",
        "Put down the red block on the blue block",
        "fly airplane_0 from location_0_0 to location_1_0 in city_1",
    ],
)
def test_what_is_denied_asked_or_said_besides_is_not_understood(text: str) -> None:
    for lexicon in (COLOURED, PACKED):
        assert not any(isinstance(said, Said) for said in lexicon.sentences(text))
    assert any(isinstance(said, Unclear) for lexicon in (COLOURED, PACKED) for said in lexicon.sentences(text))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pick up the purple block", "'purple' was not understood"),
        ("pick up the dark red block", "'dark' was not understood"),
        ("stack the red block", "'stack' takes 2 arguments, 1 was understood"),
        ("put down the red block on the blue block", "'put-down' takes 1 argument, 2 were understood"),
        ("put down the red block on the purple block", "'purple' was not understood"),
        ("pick up the block", "'pick-up' takes 1 argument, 0 were understood"),
        ("stack it on the red block", "'stack' takes 2 arguments, 1 was understood"),
        ("juggle the red block", "no action is called 'juggle'"),
    ],
)
def test_what_is_not_clear_is_said(text: str, reason: str) -> None:
    unclear = COLOURED.sentence(text, 0)
    assert isinstance(unclear, Unclear)
    assert unclear.reason == reason


def test_what_is_no_object_is_not_clear() -> None:
    assert isinstance(COLOURED.sentence("stack the red and blue block tower on the orange block", 0), Unclear)


@pytest.mark.parametrize(
    ("text", "step", "warnings"),
    [
        ("load package_1 into truck_0 at location_0_0", "(load-truck p1 t0 l0-0)", 0),
        ("Load package 1 into airplane 0 at location 0-0", "(load-airplane p1 a0 l0-0)", 0),
        ("load the package (p0) into the truck (t0) at l0-0", "(load-truck p0 t0 l0-0)", 0),
        ("load truck 0 with package_1 at location_0_0", "(load-truck p1 t0 l0-0)", 0),
        ("at location_0_0, load package_1 into truck_0", "(load-truck p1 t0 l0-0)", 0),
        ("drive truck_0 to location_0_1 from location_0_0 in city_0", "(drive-truck t0 l0-0 l0-1 c0)", 0),
        ("drive truck_0 from location_0_0 to location_0_1", "(drive-truck t0 l0-0 l0-1 c0)", 1),
        ("truck_0 drives from location_0_0 to location_0_1 in city_0", "(drive-truck t0 l0-0 l0-1 c0)", 0),
        ("fly airplane_0 from city_0 to city_1", "(fly-airplane a0 c0 c1)", 0),
    ],
)
def test_kinds_and_prepositions_tell_the_action_and_the_order(text: str, step: str, warnings: int) -> None:
    for lexicon in (CARGO, PACKED):
        said = _said(lexicon, text)
        assert (str(said.step), len(said.warnings)) == (step, warnings)


def test_an_argument_that_no_value_fits_is_left_out() -> None:
    assert isinstance(PACKED.sentence("drive truck_0 from location_0_0 to location_1_0", 0), Unclear)


def test_an_object_that_the_model_lacks_is_read_where_its_family_tells_its_name() -> None:
    assert str(_said(PACKED, "load package_7 into truck_0 at location_0_0").step) == "(load-truck p7 t0 l0-0)"
    assert isinstance(CARGO.sentence("load package_7 into truck_0 at location_0_0", 0), Unclear)


def test_spans_are_offsets_in_the_whole_text() -> None:
    text = "1. **Unstack** the blue block from the red block. (clear)"
    said = COLOURED.sentence(text[3:], 3)
    assert isinstance(said, Said)
    assert text[slice(*said.span)] == "Unstack** the blue block from the red block"
    assert said.step.span == said.span


def test_a_line_may_tell_several_steps() -> None:
    found = COLOURED.sentences("Unstack blue from red, then put it down and pick up the red block.", 0)
    assert [str(read.step) for read in found if isinstance(read, Said)] == [
        "(unstack b a)",
        "(put-down b)",
        "(pick-up a)",
    ]


@pytest.mark.parametrize(
    "piece",
    ["pick up the red block ", "(", "a ", "to ", "x", "stack that is ", "\\_", "PickUp", "stack red, ", "a-"],
)
def test_a_line_is_read_up_to_a_fixed_length(piece: str) -> None:
    shorter, longer = (piece * (size // len(piece)) for size in (100_000, 1_000_000))
    said = COLOURED.sentences(longer, 0)
    steps = [read for read in said if isinstance(read, Said)]
    assert steps == [read for read in COLOURED.sentences(shorter, 0) if isinstance(read, Said)]
    assert all(read.span[1] <= 100_000 for read in steps)
    assert COLOURED.object(longer) == COLOURED.object(shorter)
    assert COLOURED.action(longer) == COLOURED.action(shorter)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Load package_0 and package_1 into truck_0 at location_0_0.", ["p0 t0 l0-0", "p1 t0 l0-0"]),
        ("load p0, p1 into t0 at l0-0", ["p0 t0 l0-0", "p1 t0 l0-0"]),
        ("load p0 into t0 and t1 at l0-0", ["p0 t0 l0-0", "p0 t1 l0-0"]),
    ],
)
def test_a_sentence_may_tell_the_same_of_several_objects(text: str, steps: list[str]) -> None:
    found = CARGO.sentences(text, 0)
    assert [" ".join(read.step.args) for read in found if isinstance(read, Said)] == steps
