"""Steps inside of something else: answer sets, calls of calls, times as arguments, names joined to one, logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest

from tests.support.places import ROOT
from validator import Report, check, prepare

DELIVERY = prepare(ROOT / "domains/delivery/domain.pddl", ROOT / "domains/delivery/problem.pddl")
STEPS = [
    line.strip()[1:-1].split() for line in (ROOT / "domains/delivery/good.plan").read_text().splitlines() if "(" in line
]


def call(step: Sequence[str]) -> str:
    return f"{step[0]}({','.join(step[1:])})"


FORMS: dict[str, Callable[[list[tuple[int, list[str]]]], str]] = {
    "occurs": lambda steps: " ".join(f"occurs({call(step)},{time})" for time, step in steps),
    "do, time first": lambda steps: "\n".join(f"do({time}, {call(step)})." for time, step in steps),
    "facts without blanks": lambda steps: "".join(f"occurs({call(step)},{time})." for time, step in steps),
    "happens": lambda steps: ", ".join(f"Happens({call(step).capitalize()}, {time})" for time, step in steps),
    "time behind": lambda steps: " ".join(call([*step, str(time)]) for time, step in steps),
    "time before": lambda steps: " ".join(call([step[0], str(time), *step[1:]]) for time, step in steps),
}
"""Ways to say when a step happens, so that the order of the text says nothing."""

IN_ORDER: dict[str, Callable[[list[list[str]]], str]] = {
    "print": lambda steps: "```tool_code\n" + "\n".join(f"print({call(step)})" for step in steps) + "\n```",
    "await": lambda steps: "\n".join(f"await {call(step)}" for step in steps),
    "a result awaited": lambda steps: "\n".join(f"r{n} = await {call(step)}" for n, step in enumerate(steps)),
    "records": lambda steps: ", ".join(f"Action(name='{step[0]}', args={tuple(step[1:])!r})" for step in steps),
    "wide signs": lambda steps: "\n".join(
        f"第{n}步：{step[0]}（{'，'.join(step[1:])}）" for n, step in enumerate(steps, 1)
    ),
    "a list of Prolog": lambda steps: f"plan([{', '.join(map(call, steps))}]).",
    "done": lambda steps: "\n".join(map(call, steps)) + "\ndone()\n",
    "finished": lambda steps: "\n".join(f"({' '.join(step)})" for step in steps) + "\n(finish)",
    "a situation of Golog": lambda steps: f"do([{', '.join(map(call, steps))}], s0)",
    "Graphplan": lambda steps: "\n".join(f"{n} {'_'.join(step).upper()}" for n, step in enumerate(steps, 1)),
    "joined": lambda steps: "\n".join("_".join(step).replace("-", "_") for step in steps),
    "joined in a list": lambda steps: f"[{', '.join('_'.join(step) for step in steps)}]",
    "Julia": lambda steps: "\n".join(f' var"{step[0]}"({", ".join(step[1:])})' for step in steps),
    "outcomes compiled away": lambda steps: "\n".join(
        f"({step[0]}_DETDUP_{n % 2} {' '.join(step[1:])})" for n, step in enumerate(steps)
    ),
    "PANDA": lambda steps: "\n".join(
        f"{2 * n}: SHOP_methodm_get_{n}_precondition({step[1]})\n{2 * n + 1}: {call(step)}"
        for n, step in enumerate(steps)
    ),
    "pandaPI": lambda steps: "\n".join(
        f"{37 * n + 4} __method_precondition_m-get[{step[1]}]\n{37 * n + 9} {step[0]}|instance_1[{','.join(step[1:])}]"
        for n, step in enumerate(steps)
    ),
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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_times_tell_the_order(form: str, first: int, seed: int) -> None:
    timed = list(enumerate(STEPS, first))
    Random(seed).shuffle(timed)
    assert checked(FORMS[form](timed)).determination is True
    swapped = [(time + (time == first) - (time == first + 1), step) for time, step in timed]
    assert checked(FORMS[form](swapped)).determination is False


@pytest.mark.parametrize("form", IN_ORDER)
def test_steps_are_taken_out_of_what_stands_around_them(form: str) -> None:
    assert checked(IN_ORDER[form](STEPS)).determination is True
    wrong = checked(IN_ORDER[form]([*STEPS[1:], STEPS[0]]))
    assert wrong.determination is False and wrong.failures[0].step == 3


CLINGO = """clingo version 5.4.0
Reading from delivery.lp
Solving...
Answer: 1
{first}
{between}Answer: 2
{last}
{behind}
Models       : 2
"""


def test_of_answer_sets_the_last_one_counts_where_each_is_better_than_the_one_before() -> None:
    good = FORMS["occurs"](list(enumerate(STEPS, 1)))
    wrong = FORMS["occurs"](list(enumerate(STEPS[1:], 1)))
    facts = "holds(at(van1,depot),0) -holds(at(van1,pier),0)"
    text = CLINGO.format(
        first=wrong, between="Optimization: 9\n", last=f"{facts} {good}", behind="Optimization: 8\nOPTIMUM FOUND"
    )
    assert checked(text).determination is True
    several = checked(CLINGO.format(first=wrong, between="", last=good, behind="SATISFIABLE"))
    assert several.determination is None and "one of 2 answers" in several.reason + str(several)
    only_wrong = checked(CLINGO.format(first=wrong, between="", last=wrong, behind="SATISFIABLE"))
    assert only_wrong.determination is None


@pytest.mark.parametrize(
    "text",
    [
        f"occurs({call(STEPS[0])},1) not occurs({call(STEPS[1])},2)",
        f"occurs({call(STEPS[0])},1) -occurs({call(STEPS[1])},2)",
        f"print('then', {call(STEPS[0])})",
    ],
)
def test_what_is_not_done_is_not_read_as_done(text: str) -> None:
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


def test_the_constants_of_an_action_are_no_arguments_where_panda_makes_parameters_of_them() -> None:
    domain = """(define (domain home) (:constants depot - object) (:predicates (at ?x) (full ?x))
      (:action fill :parameters (?x) :precondition (at depot) :effect (full ?x)))"""
    problem = "(define (problem p) (:domain home) (:objects a) (:init (at depot)) (:goal (full a)))"
    assert check(domain, problem, "SOLUTION SEQUENCE\n0: fill(a,depot)\n", repair=False).determination is True
    assert check(domain, problem, "SOLUTION SEQUENCE\n0: fill(a,a)\n", repair=False).determination is not True
    assert check(domain, problem, "0: fill(a,depot)\n", repair=False).determination is not True
