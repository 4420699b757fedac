"""Plans in XML, in records of lines and in chains of steps, as language models and programs write them."""

from __future__ import annotations

import pytest

from tests.reading.test_printed_forms import Form
from tests.support.places import ROOT
from validator import check
from validator.checking.prepared import Prepared, prepare
from validator.reading.plan import Step

BLOCKS = ROOT / "domains/blocks"
STEPS = [
    tuple(line.strip("()\n").split())
    for line in (BLOCKS / "good.plan").read_text().splitlines()
    if line.startswith("(")
]


@pytest.fixture(scope="module")
def blocks() -> Prepared:
    return prepare(BLOCKS / "domain.pddl", BLOCKS / "problem.pddl")


_JOINTS = (
    ", and right away ",
    ", and without delay ",
    " followed by ",
    ", then I do the action ",
    " → now ",
    "; thereafter ",
)


@pytest.mark.parametrize("joint", _JOINTS)
@pytest.mark.parametrize("label", ["{0}. ", "Step {0}: ", "- "])
@pytest.mark.parametrize("form", ["{g}", "{w}", "`{c}`"])
def test_two_steps_in_one_item_are_two_steps_or_not_understood(
    blocks: Prepared, joint: str, label: str, form: str
) -> None:
    steps = Form(form).each(STEPS)
    lines = [label.format(number + 1) + joint.join(steps[2 * number :][:2]) for number in range(len(steps) // 2)]
    report = check(blocks, plan="\n".join(lines), repair=False)
    assert report.determination is not False
    if joint == ", and right away ":
        assert report.determination is True, report.reason
        assert [(token.name, *token.args) for token in report.reference if isinstance(token, Step)] == STEPS


def test_commands_that_the_world_refuses_are_no_steps_in_elements(blocks: Prepared) -> None:
    refused = "<action>(take a d)</action><observation>Nothing happens.</observation>"
    text = refused + Form("<action>{g}</action><observation>Done.</observation>")(STEPS)
    assert check(blocks, plan=text, repair=False).determination is True


_TAKE, _OTHER = '{"action": "take", "args": ["c", "a"]}', '{"action": "take", "args": ["b", "d"]}'


@pytest.mark.parametrize(
    "text",
    [
        f"Plan: [{_TAKE}]\n\nFinal answer: [{_TAKE}]",
        f"Option A: [{_OTHER}] Option B: [{_TAKE}]",
        f'{{"plan_a": [{_TAKE}], "plan_b": [{_OTHER}]}}',
        "1. (take c a) — (lower c) would undo it\n2. (lower c)",
        "1. (take c a), after that (lower c)\n2. (lower c)",
        "1. (take c a), and right away (lower c)\n\n2. (lower c)",
        "1. (take c a) so that (lower c) is next\n2. (lower c)",
        "(take b d) ; (cost 1)",
        "1. (take b d) before (lower b)",
        "(take c a) <!-- (lower a) -->",
    ],
)
def test_what_is_said_twice_or_besides_is_no_part_of_the_plan(blocks: Prepared, text: str) -> None:
    assert check(blocks, plan=text, quality="sound", repair=False).determination is True
