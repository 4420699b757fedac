"""Answers that want more reward than they earn: none gets it."""

from __future__ import annotations

import sys

import pytest

from validator import Quality, Report, prepare
from validator.checking.prepared import Prepared
from validator.model.bundled import bundle
from validator.reward import Score, score

BLOCKS = bundle("blocks")
GOOD = BLOCKS.plans[0].read_text(encoding="utf-8")
STEPS = [line for line in GOOD.splitlines() if line.startswith("(")]
LONG = 60.0


@pytest.fixture(scope="module")
def blocks() -> Prepared:
    return prepare(BLOCKS.domain, BLOCKS.problem)


def one(blocks: Prepared, text: str) -> Score:
    (found,) = score(blocks, [text], time_limit=LONG)
    assert 0 <= found.value <= 1
    return found


@pytest.mark.parametrize("text", ["", " \n\n", "()", "; nothing", "There is no plan."])
def test_an_empty_answer_earns_nothing(blocks: Prepared, text: str) -> None:
    assert one(blocks, text).value == 0


@pytest.mark.parametrize("text", ["I cannot find a plan.", "No plan was found.", "Sorry, I can't help with that."])
@pytest.mark.parametrize("goal", ["(and (on a b) (on b c) (on c d))", "(and (on a b) (on b a))"])
def test_who_gives_up_claims_nothing_and_earns_nothing(text: str, goal: str) -> None:
    problem = BLOCKS.problem.read_text(encoding="utf-8").replace("(and (on a b) (on b c) (on c d))", goal)
    found, claimed = score((BLOCKS.domain, problem), [text, "There is no plan."], unknown=0.3, time_limit=LONG)
    assert (found.valid, found.value) == (None, 0.0)
    assert claimed.value == ("b a" in goal)


def test_a_plan_told_again_earns_less_than_the_plan(blocks: Prepared) -> None:
    values = [one(blocks, GOOD * times).value for times in (1, 2, 3, 20)]
    assert values[0] == 1 and values == sorted(values, reverse=True) and values[1] < 0.5
    assert values[-1] == 0


@pytest.mark.parametrize("joint", ["", "\n", "\nOr rather:\n", "\n---\n", "\nIf that fails:\n"])
def test_a_good_plan_behind_a_wrong_one_is_not_valid(blocks: Prepared, joint: str) -> None:
    wrong = "(take b d)\n(place b c)\n(take b c)\n(place b c)\n"
    assert one(blocks, f"{wrong}{joint}{GOOD}").value < 0.5


TWO_PLANS = [
    *("{a}\n{b}", "{a}\n---\n{b}", "{a}\nor\n{b}", "{a}\nIf that fails:\n{b}", "Plan A:\n{a}\nPlan B:\n{b}"),
    *("```\n{a}```\n```\n{b}```", "{a}\n```\n{b}```", "```\n{a}```\nAlternatively:\n```\n{b}```"),
    *("<plan>\n{a}</plan>\n<plan>\n{b}</plan>", "<plan>\n{a}</plan>\n<answer>\n{b}</answer>", "<!--\n{a}-->\n{b}"),
    *("<think>\n{a}</think>\n{b}", "{a}\n<think>\n{b}</think>", "Draft:\n{a}\nAnswer:\n{b}"),
    *("Final plan:\n{a}\nFinal plan:\n{b}", "Final plan:\n{a}\nAnother plan:\n{b}", "{a}\nVerification:\n{b}"),
    *("[PLAN]\n{a}[PLAN END]\n[PLAN]\n{b}[PLAN END]", "[PLAN]\n{a}[PLAN END]\n{b}", "Not this:\n{a}\nBut this:\n{b}"),
    *("# Plan\n{a}\n# Alternative\n{b}", "{a}\nFor instance:\n{b}", "{a}; cost = 4\n{b}; cost = 8\n"),
]


@pytest.mark.parametrize("text", TWO_PLANS)
def test_which_of_two_plans_counts_is_said_by_its_place_alone(blocks: Prepared, text: str) -> None:
    wrong = "(take b d)\n(place b c)\n(take b c)\n(place b c)\n"
    values = [one(blocks, text.format(a=a, b=b)).value for a, b in ((GOOD, wrong), (wrong, GOOD))]
    assert min(values) < 0.5


@pytest.mark.parametrize("text", ["<think>\n{}</think>\n", "<think>\n{}", "<think>" * 1_000 + "{}", "{}</thinking>"])
def test_a_plan_in_a_thought_is_no_answer(blocks: Prepared, text: str) -> None:
    (found,) = score(blocks, [text.format(GOOD)], unknown=0.3, time_limit=LONG)
    assert (found.valid, found.value) == (None, 0.0)


def test_a_plan_that_is_not_decided_in_time_is_not_known(blocks: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    late = Report(report_type=Quality.VALID, determination=None, reason="the time limit was met", reference=())
    monkeypatch.setattr(sys.modules[Score.__module__], "check", lambda *_, **__: late)
    (found,) = score(blocks, ["Take b off d. Put it on c."], unknown=0.3, time_limit=LONG)
    assert (found.valid, found.value) == (None, 0.3)


@pytest.mark.parametrize(
    "text",
    [
        "{}\nActually, do not do any of this.",
        "{}\nThis plan is wrong.",
        "{}\nThere is no plan.",
        "There is no plan.\n{}",
        "Never do this:\n{}",
    ],
)
def test_a_plan_and_its_denial_are_not_known(blocks: Prepared, text: str) -> None:
    assert one(blocks, text.format(GOOD)).valid is None


@pytest.mark.parametrize("text", ["Do not {}", "Maybe {}", "Should I {}?", "If possible, {}", "{} or (take a b)"])
def test_steps_that_nobody_says_are_done_are_not_known(blocks: Prepared, text: str) -> None:
    assert one(blocks, "\n".join(map(text.format, STEPS))).valid is None


@pytest.mark.parametrize(
    ("name", "like"), [("(lift a)", "(lift \u0430)"), ("lift", "l\u0456ft"), ("lift", "li\u200bft"), ("(", "\uff08")]
)
def test_names_in_signs_that_look_alike_are_others(blocks: Prepared, name: str, like: str) -> None:
    assert one(blocks, GOOD.replace(name, like)).value < 0.5


@pytest.mark.parametrize("text", ["(take ?x ?y)", "(take * *)", "(take <block> <block>)", "... until the goal holds"])
def test_what_stands_for_steps_earns_nothing(blocks: Prepared, text: str) -> None:
    assert one(blocks, f"{text}\n" * 8).value == 0


def test_all_actions_in_a_row_earn_nothing(blocks: Prepared) -> None:
    assert blocks.small is not None
    steps = list(map(str, blocks.small.steps))
    assert one(blocks, "\n".join(steps)).value == 0
    prose = ", then ".join(step.strip("()") for step in steps)
    assert one(blocks, f"First {prose}.").value == 0


@pytest.mark.parametrize(
    "text", ["(on a b) (on b c) (on c d)", "The goal is reached: a on b, b on c, c on d.", "valid"]
)
def test_a_copied_goal_earns_nothing(blocks: Prepared, text: str) -> None:
    assert one(blocks, text).value == 0


def test_a_path_is_no_plan(blocks: Prepared) -> None:
    assert one(blocks, str(BLOCKS.plans[0])).value == 0


@pytest.mark.parametrize("text", ["(take b d)\n" * 20_000, "x" * 2_000_000, "(" * 50_000, "\0\ud800" * 1_000])
def test_a_huge_text_earns_nothing_and_ends(blocks: Prepared, text: str) -> None:
    found = one(blocks, text)
    assert found.value == 0 and "time limit" not in found.reason


def test_padding_never_pays(blocks: Prepared) -> None:
    lines = GOOD.splitlines()
    part = one(blocks, "\n".join(lines[:4]))
    padded = one(blocks, "\n".join([*lines[:4], "(take b d)", "(take b d)"]))
    assert padded.value <= part.value < 0.5
