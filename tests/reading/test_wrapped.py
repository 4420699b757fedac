"""Steps inside of something else: calls of calls, names joined to one, logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.support.places import ROOT
from validator import Report, check, prepare

DELIVERY = prepare(ROOT / "domains/delivery/domain.pddl", ROOT / "domains/delivery/problem.pddl")
STEPS = [
    line.strip()[1:-1].split() for line in (ROOT / "domains/delivery/good.plan").read_text().splitlines() if "(" in line
]


def call(step: Sequence[str]) -> str:
    return f"{step[0]}({','.join(step[1:])})"


IN_ORDER: dict[str, Callable[[list[list[str]]], str]] = {
    "await": lambda steps: "\n".join(f"await {call(step)}" for step in steps),
    "a result awaited": lambda steps: "\n".join(f"r{n} = await {call(step)}" for n, step in enumerate(steps)),
    "done": lambda steps: "\n".join(map(call, steps)) + "\ndone()\n",
    "finished": lambda steps: "\n".join(f"({' '.join(step)})" for step in steps) + "\n(finish)",
    "lists behind a label": lambda steps: "\n".join(
        f"action: {step!r}\naction (in words): the robot does a thing at a place.\nit is executed!\n" for step in steps
    ),
    "terminal": lambda steps: "\n".join(f"⏺ {call(step)}\n  ⎿  ok" for step in steps),
    "ticked off": lambda steps: "\n".join(f"✅ {' '.join(step)}" for step in steps),
    "log": lambda steps: "\n".join(f"2024-05-01T10:00:{n:02d}Z INFO run: {call(step)}" for n, step in enumerate(steps)),
    "log in words": lambda steps: "\n".join(
        f"[2024-05-01 10:00:{n:02d},123] INFO run: action {' '.join(step)}" for n, step in enumerate(steps)
    ),
}


def checked(text: str) -> Report:
    return check(DELIVERY, plan=text, repair=False)


@pytest.mark.parametrize("form", IN_ORDER)
def test_steps_are_taken_out_of_what_stands_around_them(form: str) -> None:
    assert checked(IN_ORDER[form](STEPS)).determination is True
    wrong = checked(IN_ORDER[form]([*STEPS[1:], STEPS[0]]))
    assert wrong.determination is False and wrong.failures[0].step == 3


@pytest.mark.parametrize(
    "text",
    [
        f"occurs({call(STEPS[0])},1) not occurs({call(STEPS[1])},2)",
        f"occurs({call(STEPS[0])},1) -occurs({call(STEPS[1])},2)",
        "```tool_code\n" + "\n".join(f"print({call(step)})" for step in STEPS) + "\n```",
        f"plan([{', '.join(map(call, STEPS))}]).",
        f"do([{', '.join(map(call, STEPS))}], s0)",
        ", ".join(f"Action(name='{step[0]}', args={tuple(step[1:])!r})" for step in STEPS),
        "\n".join(f"{n} {'_'.join(step).upper()}" for n, step in enumerate(STEPS, 1)),
        "\n".join("_".join(step).replace("-", "_") for step in STEPS),
    ],
)
def test_what_is_not_read_is_not_called_done(text: str) -> None:
    assert checked(text).determination is None


def test_a_name_alone_in_parentheses_is_a_step_without_arguments() -> None:
    assert checked("\n".join(f"({'_'.join(step)})" for step in STEPS)).determination is not True


@pytest.mark.parametrize("number", ["5", "0.5", "-1"])
def test_numbers_that_do_not_count_the_steps_are_arguments_too_many(number: str) -> None:
    text = "\n".join(call([*step, number]) for step in STEPS)
    assert checked(text).determination is False


@pytest.mark.parametrize("text", ["do(" * 40_000, "a_" * 200_000, "plan([" + "x(y)," * 40_000, "await " * 100_000])
def test_long_texts_take_linear_time(text: str) -> None:
    assert checked(f"{text}\n{call(STEPS[0])}").determination is not True
