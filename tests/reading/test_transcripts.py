"""Transcripts of an agent and its world: the commands are the steps, what is thought and answered is not."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from tests.reading.lexicon.lexicon_models import BLOCKS
from validator import check
from validator.reading.tokens import tokenize
from validator.reading.tokens.transcripts import transcript

STEPS = ["(unstack b a)", "(put-down b)", "(pick-up a)", "(stack a b)"]
WORDS = ["unstack b from a", "put down b", "pick up a", "stack a on b"]
CALLS = ["unstack(b, a)", "put-down(b)", "pick-up(a)", "stack(a, b)"]


def _turns(form: str, said: list[str] | None = None) -> str:
    """Return a form filled once for each step: ``{n}`` its number, ``{s}`` the step."""
    return "".join(form.format(n=number, s=step) for number, step in enumerate(said or WORDS, 1))


PARTS = [step.strip("()").split() for step in STEPS]
GIVEN = [("put-down", "b"), ("pick-up", '["a"]'), ("stack", "a, b")]

FORMS = {
    "ReAct, numbered": _turns(
        "Thought {n}: I should {s}, then pick up c.\nAction {n}: {s}\nObservation {n}: You {s}.\n"
    ),
    "ReAct, calls": _turns("Thought: {s}\nAction: {s}\nObservation: {s} succeeded, holding(b)\n", CALLS),
    "ReAct, PDDL in Markdown": _turns("**Thought:** {s}\n**Action:** `{s}`\n**Observation:** {s} was done\n\n", STEPS),
    "ReAct, JSON": _turns(
        'Thought: x\nAction: {{"name": {s}}}\nObservation: {{"name": {s}, "ok": true}}\n',
        [f'"{name}", "args": {json.dumps(args)}' for name, *args in PARTS],
    ),
    "ReAct, input": _turns(
        "Thought: now\nAction: {s}\nObservation: done\n",
        ['unstack\nAction Input: {"ob": "b", "underob": "a"}', *(f"{s}\nAction Input: {args}" for s, args in GIVEN)],
    ),
    "capitals": _turns("THOUGHT: {s}\nACTION: {s}\nOBSERVATION: OK, {s}\n", [step.upper() for step in STEPS]),
    "observation of several lines": _turns("Action: {s}\nObservation:\npick up c\nstack c on b\n"),
    "short labels": _turns("Act {n}: {s}\nObs {n}: You {s}.\n"),
    "brackets": _turns("[Thought] I {s}\n[Action] {s}\n[Observation] you {s}\n"),
    "states": _turns("Action: {s}\nState: (holding b) (pick-up c)\n", STEPS),
    "robot": "Human: Please stack a on b.\n" + _turns("Robot: {s}\nEnvironment: You {s}.\n"),
    "inner monologue": _turns("Robot thought: I have to {s}\nRobot action: {s}\nScene: pick up c\nSuccess: True\n"),
    "nested": _turns("You:\n\tThink: Now {s}.\n\tInstruction: {s}\nI: I {s}\n"),
    "text game": "Your task is to: stack c on b.\n" + _turns("> think: I {s}\nOK.\n> {s}\nYou {s}.\n"),
    "interpreter": _turns(">>> {s}\nTrue\n", CALLS),
    "observation first": _turns("Observation {n}: You could {s}.\nAction {n}: {s}\n"),
    "numbered steps": _turns("Step {n}: {s}\nObservation: you {s}, and pick up c\n"),
    "tags": _turns("<thought>{s}</thought>\n<action>{s}</action>\n<observation>you {s}</observation>\n"),
    "a final plan": _turns("Thought: x\nAction: {s}\nObservation: {s}\n", ["pick up c", "put down c"])
    + "\nFinal plan:\n"
    + _turns("{n}. {s}\n"),
    "reasoning before actions": "Reasoning: pick up c, and put down c.\nActions:\n" + _turns("{n}. {s}\n"),
    "label before each step": _turns("Executing: {s}\n[INFO] action {s} finished\n", STEPS),
    "table": "| Thought | Action | Observation |\n|---|---|---|\n" + _turns("| I {s} | {s} | ok |\n"),
    "carriage returns": _turns("Thought: {s}\r\nAction: {s}\r\nObservation: {s}\r\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_commands_are_the_plan(form: str) -> None:
    report = check(BLOCKS, None, FORMS[form])
    assert [str(step) for step in report.reference] == STEPS
    assert report.determination is True and report.is_understood


@pytest.mark.parametrize(
    "answer",
    [
        "You can't pick up c while you hold b.",
        "Nothing happens.",
        "Failed: the hand is not empty",
        "Invalid action.",
        "The action is not possible.",
        "I cannot do that",
    ],
)
@pytest.mark.parametrize(
    "form", ["Action: {}\nObservation: {}\n", "> {}\n{}\n", "<action>{}</action><result>{}</result>"]
)
def test_a_command_that_the_world_refuses_is_no_step_and_is_told(form: str, answer: str) -> None:
    said = [(WORDS[0], "ok"), ("pick up c", answer), *((words, "ok") for words in WORDS[1:])]
    report = check(BLOCKS, None, "".join(form.format(*turn) for turn in said))
    assert [str(step) for step in report.reference] == STEPS and report.determination is True
    assert report.reading is not None
    assert "1 command refused by the world: no change comes of that" in report.reading.passed_over


@pytest.mark.parametrize("end", ["done", "You are finished.", "Finish[goal reached]", "stop", "Task completed."])
def test_a_command_that_ends_is_no_step(end: str) -> None:
    text = "".join(f"Action: {words}\nObservation: ok\n" for words in [*WORDS, end])
    assert check(BLOCKS, None, text).determination is True


@pytest.mark.parametrize(
    "text",
    [
        "> As you said, first this\n> and then that\n\n(unstack b a)\n(put-down b)\n",
        "Goal: stack a on b\nPlan:\n(unstack b a)\n",
        "1. unstack b from a\n   - *Action*: unstack b from a\n   - *Result*: b is held\n2. put down b\n",
        "1. unstack b from a\n\n   *Action:*\n   - unstack b from a\n\n   *Effects:*\n   - b is held\n",
        "- action: unstack\n  args: [b, a]\n  reason: clear a\n",
        "",
        "Action: unstack b from a\n",
    ],
)
def test_what_nobody_says_in_turn_is_no_transcript(text: str) -> None:
    assert transcript(text) is None


@pytest.mark.parametrize(
    "text",
    ["<observation>" * 4000, "<action>a</action>" * 2000, "Observation: x\n" * 2000, "> " * 20000, "> a\nb\n" * 2000],
    ids=["open tags", "tags", "observations", "prompts in a line", "prompts"],
)
def test_hostile_transcripts_lose_nothing(text: str) -> None:
    plan = tokenize(text)
    assert "".join(text[slice(*part.span)] for part in plan.parts) == text
    assert all(step.time is None or isinstance(step.time, Fraction) for step in plan.steps)


# --- other ways to write steps one behind the other ----------------------------------

IN_ORDER = {
    "receiver": "robot.unstack('b', 'a')\nrobot.put_down('b')\nself.arm.pick_up('a')\nawait_me.stack('a', 'b')\n",
    "receiver is an argument": "b.unstack(a)\nb.put_down()\na.pick_up()\na.stack(b)\n",
    "letters": "a) unstack b from a\nb) put down b\nc) pick up a\nd) stack a on b\n",
    "Roman": "I. unstack b from a\nII. put down b\nIII. pick up a\nIV. stack a on b\n",
    "nested": "1. Clear the first\n   a. unstack b from a\n   b. put down b\n"
    "2. Build\n   a. pick up a\n   b. stack a on b\n",
    "HTML": "<ol><li>unstack b from a</li><li>put down b</li><li>pick up a</li><li>stack a on b</li></ol>",
    "states between": "s0 --(unstack b a)--> s1 --(put-down b)--> s2 --(pick-up a)--> s3 --(stack a b)--> s4",
    "pairs": "[('unstack', ['b', 'a']), ('put-down', ['b']), ('pick-up', ['a']), ('stack', ['a', 'b'])]",
    "sentences": "You will unstack b from a. That frees it. Next, you'll put down b. Pick up a. Finally, stack a on b.",
}


@pytest.mark.parametrize("form", IN_ORDER)
def test_steps_one_behind_the_other(form: str) -> None:
    report = check(BLOCKS, None, IN_ORDER[form])
    assert [str(step) for step in report.reference] == STEPS
    assert report.determination is True and report.is_understood


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("unstack('b', 'a')\nfor x in ['b']:\n    put_down(x)\npick_up('a')\nstack('a', 'b')\n", 2),
        ("if on('b', 'a'):\n    unstack('b', 'a')\nput_down('b')\npick_up('a')\nstack('a', 'b')\n", 1),
        ("unstack('b', 'a')\nput_down('b')\nassert('a' is 'clear')\n    else: unstack('b', 'a')\npick_up('a')\n", 3),
        ("def move(x):\n    pick_up(x)\n\nunstack('b', 'a')\nput_down('b')\nmove('a')\n", 1),
        ("def plan():\n    unstack('b', 'a')\n    put_down('b')\n\nplan()\n", 1),
        ("2. put down b\n1. unstack b from a\n", 1),
    ],
    ids=["loop", "condition", "else", "parameter", "function", "backwards"],
)
def test_what_may_or_may_not_be_done_is_not_understood(text: str, line: int) -> None:
    report = check(BLOCKS, None, text)
    assert report.determination is None and not report.is_understood
    assert report.reading is not None and report.reading.missed[0].line == line


def test_what_is_missed_of_a_lettered_list_is_told_as_it_is_written() -> None:
    report = check(BLOCKS, None, "a) unstack b from a\nb) wiggle around happily\nc) pick up a\n")
    assert report.reading is not None
    assert [piece.text for piece in report.reading.missed] == ["wiggle around happily"]


_REFUSED = ("pick-up", "a"), "Observation: Error: not possible"


@pytest.mark.parametrize("item", ["{i}. ({n} {a})", "({i}) {n} {a}", "- `({n} {a})`", "{i}: {n}({c})", "{i}. {j}"])
@pytest.mark.parametrize("between", ["", "\nResult: success", "\n\nThought: go on.\n"])
@pytest.mark.parametrize("place", range(4))
def test_a_step_of_a_list_that_the_world_refuses_is_not_done(item: str, between: str, place: int) -> None:
    steps = [(name, *args) for name, *args in PARTS]
    lines: list[str] = []
    for number, (name, *args) in enumerate([*steps[:place], _REFUSED[0], *steps[place:]], 1):
        said = json.dumps({"action": name, "args": args})
        line = item.format(i=number, n=name, a=" ".join(args), c=", ".join(args), j=said)
        lines.append(f"{line}\n{_REFUSED[1]}" if number == place + 1 else line + between)
    assert check(BLOCKS, None, "\n".join(lines), repair=False).determination is not False
