"""Which plan a text means: thoughts, drafts, corrections, plans said twice, and what is left open."""

from __future__ import annotations

import pytest

from validator.model.pddl import read_model
from validator.reading.plan import Completeness
from validator.reading.tokens import Vocabulary, read, tokenize

MODEL = read_model(
    """(define (domain yard) (:requirements :typing) (:types crate place)
      (:predicates (at ?c - crate ?p - place) (held ?c - crate) (free))
      (:action pick-up :parameters (?c - crate ?p - place) :precondition (and (at ?c ?p) (free))
        :effect (and (held ?c) (not (at ?c ?p)) (not (free))))
      (:action set-down :parameters (?c - crate ?p - place) :precondition (held ?c)
        :effect (and (at ?c ?p) (free) (not (held ?c)))))""",
    """(define (problem p) (:domain yard) (:objects c1 c2 - crate dock ramp - place)
      (:init (at c1 dock) (at c2 ramp) (free)) (:goal (at c1 ramp)))""",
)
YARD = Vocabulary.of(MODEL)
RIGHT = ["(pick-up c1 dock)", "(set-down c1 ramp)"]
WRONG = ["(pick-up c2 dock)", "(set-down c2 ramp)"]


def lines(steps: list[str], *, numbered: bool = False) -> str:
    return "\n".join(f"{number}. {step}" if numbered else step for number, step in enumerate(steps, 1))


def steps(text: str) -> list[str]:
    return [str(step) for step in tokenize(text, YARD).tokens]


IN_WORDS = "1. Pick up c1 from the dock.\n2. Set down c1 on the ramp.\n"
AS_JSON = '[{"name": "pick-up", "arguments": ["c1", "dock"]}, {"name": "set-down", "arguments": ["c1", "ramp"]}]'
MEANT = {
    **{
        f"a thought in {tag}": f"<{tag}>\nMaybe\n{lines(WRONG)}\n</{tag}>\n{lines(RIGHT)}"
        for tag in ("think", "thinking", "reasoning", "scratchpad")
    },
    "a thought that the prompt has opened": f"Try:\n{lines(WRONG)}\n</think>\n{lines(RIGHT)}",
    "one thought": f"<think>{lines(RIGHT)}",
    **{
        f"again, {times} times, {between}": lines(RIGHT, numbered=True) + f"\n\n{between}\n{lines(RIGHT)}" * times
        for between in (
            "**Explanation:**",
            "In PDDL syntax:",
            "To summarize:",
            "**Action Breakdown:**",
            "### Verification",
        )
        for times in (1, 2)
    },
    "again in another notation": f"{lines(RIGHT, numbered=True)}\n\nAs JSON:\n\n{AS_JSON}\n",
    "parts under headings": f"**Phase 1: take it**\n1. {RIGHT[0]}\n\n**Phase 2: bring it**\n1. {RIGHT[1]}\n",
    "the execution": f"#------ basic plan! ------\n{lines(RIGHT)}\n\n#------ executing plan! ------\n{RIGHT[0]}\n",
    "facts": f"{lines(RIGHT, numbered=True)}\n\nThe goal holds:\n- (at c1 ramp)\n",
    "objects": f"1. Take the crate (c1) from the dock.\n\n{lines(RIGHT)}",
    "effects": f"1. {RIGHT[0]} -> (held c1)\n2. {RIGHT[1]} -> (at c1 ramp)",
    "numbers in parentheses": f"(1) {RIGHT[0]}\n(2) {RIGHT[1]}",
    "numbers with dashes": f"1- {RIGHT[0]}\n2- {RIGHT[1]}",
    "how many there are": f"(1/2) {RIGHT[0]}\n(2/2) {RIGHT[1]}\n",
    "remarks": f"1. {RIGHT[0]} (You are now holding the crate.)\n2. {RIGHT[1]} (this is the goal)",
    **{
        remark: "".join(f"{step} {remark}\n" for step in RIGHT) for remark in ("(cost: 1)", "(cost=1)", "(time: 0.5 s)")
    },
    "a block": f"[PLAN]\n{lines(RIGHT)}\n[PLAN END]\n{lines(WRONG)}",
    "an answer in tags": f"<answer>\n{lines(RIGHT)}\n</answer>\n",
    "a summary behind a step that was taken back": (
        "1. Pick up c1 from the dock.\n2. Pick up c2 from the ramp.\n   - Wait, the hand is full.\n"
        f"3. Set down c1 on the ramp.\n\n**Summary of actions:**\n\n{IN_WORDS}"
    ),
}


@pytest.mark.parametrize("text", MEANT.values(), ids=MEANT)
def test_the_steps_are_those_of_the_plan_that_is_meant(text: str) -> None:
    assert steps(text) == RIGHT


IN_OTHER_WORDS = "1. Pick up c2 from the ramp.\n2. Set down c2 on the dock.\n"
TWICE = [
    (f"Plan:\n{lines(WRONG)}", lines(RIGHT)),
    (f"Plan:\n{lines(WRONG, numbered=True)}", lines(RIGHT, numbered=True)),
    (IN_OTHER_WORDS, IN_WORDS),
]


@pytest.mark.parametrize(
    "between",
    [
        "Wait, that is wrong. Corrected plan:",
        "**Final plan:**",
        "### Revised Plan",
        "That fails because c2 is not there. Instead:",
        "Final answer:",
        "The actual sequence of actions is as follows. Final list of steps:",
        "However, this can be shortened. Here is the optimized plan:",
        "The most efficient plan is:",
        "So that c1 gets there, the corrected plan is",
        "So, the plan is:",
    ],
)
@pytest.mark.parametrize(("before", "behind"), TWICE)
def test_the_answer_is_what_the_author_calls_so(before: str, between: str, behind: str) -> None:
    reading = read(f"{before}\n\n{between}\n\n{behind}", YARD)
    assert [str(step) for step in reading.plan.tokens] == RIGHT
    assert [one.is_marked for one in reading.candidates] == [True]
    assert any("2 steps before" in warning for warning in reading.plan.warnings)


@pytest.mark.parametrize(
    "between", ["", "This plan is not valid. A valid plan:", "Shorter:", "Here's why:\n1. It fails.\n"]
)
def test_each_of_several_blocks_may_be_the_plan(between: str) -> None:
    block = "[PLAN]\n{}\n[PLAN END]"
    text = f"{block.format(lines(WRONG))}\n\n{between}\n\n{block.format(lines(RIGHT))}\n"
    found = read(text, YARD).candidates
    assert [[str(step) for step in one.plan.tokens] for one in found] == [WRONG, RIGHT]
    assert not any(one.is_marked for one in found)
    problem = f"{block.format(lines(RIGHT))}\n\n[STATEMENT]\nAnother one.\n{block.format(lines(WRONG))}\n"
    assert steps(problem) == RIGHT


@pytest.mark.parametrize(
    "text",
    [
        "2. Pick up c2 from the ramp (which is not wise). Wait, no: this step is not allowed.",
        "2. Pick up c2 from the ramp.\n3. No, that is not possible, so:",
        "2. Pick up c2 from the ramp.\n**Adjusted step 2:**",
        "2. Pick up c2 from the ramp.\n3. Pick up c1 from the dock.\n**Adjusted steps 2 and 3:**",
        "2. Pick up c2 from the ramp and the blue one (No, this action is not allowed).",
        "2. Pick up c2 from the ramp.\n   However, the hand is full, so you cannot perform it yet.",
        "2. Pick up c2 from the ramp. Scratch that.",
        "2. Pick up c2 from the ramp, which was a mistake.",
    ],
)
def test_a_step_that_its_author_takes_back_is_not_understood(text: str) -> None:
    reading = read(f"1. Pick up c1 from the dock.\n{text}\n4. Set down c1 on the ramp.", YARD)
    assert reading.completeness is Completeness.PARTIAL
    assert reading.missed[0].text.startswith("Pick up c2 from the ramp")
    assert any("may take it back" in missed.reason for missed in reading.missed)


@pytest.mark.parametrize("why", ["is not necessary", "(no, this action is not allowed)"])
def test_a_step_that_is_said_not_to_be_needed_is_not_understood(why: str) -> None:
    text = f"1. Pick up c1 from the dock.\n2. Pick up c2 from the ramp {why}.\n3. Set down c1 on the ramp.\n"
    assert [step for step in steps(text) if step.startswith("(")] == RIGHT and read(text, YARD).missed


@pytest.mark.parametrize(
    "text",
    [
        "Do not do the following:\n{}",
        "Wrong plan:\n{}",
        "There is no plan.\n{}",
        "{}\nActually, do not execute any of these steps.",
        "{}\nThis plan is wrong.",
        "{}\nThe plan above is not valid.",
        "{}\nThis does not reach the goal.",
        "{}\nDisregard all steps above.",
        "{}\nThe problem is unsolvable.",
    ],
)
def test_a_plan_that_its_author_denies_is_not_understood(text: str) -> None:
    reading = read(text.format(lines(RIGHT)), YARD)
    assert any("may take the plan back" in missed.reason for missed in reading.missed)


@pytest.mark.parametrize(
    "text",
    [
        "Do not {}",
        "Never {}",
        "Instead of {}",
        "Maybe {}",
        "If possible, {}",
        "Should we {}?",
        "{}?",
        "{} if needed",
        "!{}",
    ],
)
def test_a_step_that_is_denied_or_asked_for_is_not_understood(text: str) -> None:
    reading = read("\n".join(text.format(step) for step in RIGHT), YARD)
    assert [missed.line for missed in reading.missed] == [1, 2]


def test_what_may_be_done_besides_is_no_part_of_the_plan() -> None:
    note = "**Note:** If you want to move the other one as well, you can do this:\n3. Pick up c2 from the ramp.\n"
    assert steps(f"{IN_WORDS}\n{note}") == RIGHT


def test_sentences_in_parentheses_below_their_steps_are_remarks() -> None:
    text = (
        "1. **Pick up c1 from the dock**\n   (Pick up c1, which is free there)\n"
        "2. **Set down c1 on the ramp**\n   (Set c1 down, where it belongs for good.)\n"
    )
    assert (steps(text), read(text, YARD).missed) == (RIGHT, ())


@pytest.mark.parametrize("place", ["harbour", "there"])
def test_a_line_in_words_with_a_name_that_the_model_lacks_is_not_understood(place: str) -> None:
    assert read(f"pick-up c1 dock\nset-down c1 {place}\n", YARD).completeness is Completeness.PARTIAL


# --- what is taken out, has failed, or belongs elsewhere --------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f"{lines(RIGHT)}\n\nProblem 2:\nPlan:\n{lines(WRONG)}\n",
        "".join(f"> {step}\n" for step in WRONG) + f"\nYour step 2 is wrong. It should be:\n\n{lines(RIGHT)}\n",
    ],
)
def test_plans_of_others_and_of_other_problems_are_plans_by_themselves(text: str) -> None:
    found = {tuple(map(str, candidate.plan.steps)): candidate.is_marked for candidate in read(text, YARD).candidates}
    assert found == {tuple(RIGHT): False, tuple(WRONG): False}
