"""What may be said of a plan, by how far its text was understood."""

from __future__ import annotations

import json

import pytest

from tests.reading.test_candidates import MODEL, RIGHT, WRONG, lines
from validator import check, prepare, tokenize

LONGER = [*RIGHT, "(pick-up c1 ramp)", "(set-down c1 ramp)"]
EMPTY_HALF = "1. (pick-up c1 dock)\n2. Put the blue thing somewhere nice\n3. (set-down c1 ramp)\n"


@pytest.mark.parametrize(
    ("text", "determination"),
    [
        (lines(RIGHT), True),
        (lines(WRONG), False),
        (f"Try:\n{lines(WRONG)}\nThat fails. Corrected plan:\n{lines(RIGHT)}", True),
        (f"Plan:\n{lines(RIGHT)}\nCorrected plan:\n{lines(WRONG)}", False),
        ("I'm sorry, I can't help with that.", None),
        ("Pick up the red block and set it down.", None),
        (EMPTY_HALF, None),
        (f"{lines(RIGHT, numbered=True)}\n\nor\n\n{lines(WRONG, numbered=True)}", None),
    ],
)
def test_not_understood_is_not_wrong(text: str, determination: bool | None) -> None:
    report = check(MODEL, plan=text, repair=False)
    assert report.determination is determination
    assert report.proven is (determination is not None)
    if determination is None:
        assert report.failures == ()
        assert report.reason


@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_item_that_cannot_be_read_is_a_fault_of_a_literal_plan(place: int) -> None:
    items = lines(RIGHT).splitlines()
    items.insert(place, "put the thing over there")
    text = "".join(f"{number}. {item}\n" for number, item in enumerate(items, 1))
    vocabulary = prepare(MODEL).vocabulary
    assert check(MODEL, plan=text, repair=False).determination is None
    for plan in (text, tokenize(text, vocabulary)):
        report = check(MODEL, plan=plan, repair=False, strict=True)
        assert report.determination is False
        assert [failure.detail.split(":")[0] for failure in report.failures] == [
            f"{place + 1}. put the thing over there"
        ]
    parts = tokenize(text, vocabulary, strict=True).parts
    assert "".join(text[slice(*part.span)] for part in parts) == text


@pytest.mark.parametrize(
    "sign", ["[INFO] ", "1 ", "T1> ", "[x] ", "Executed: ", "a) ", "→", "#1 ", "<b>", "(1) ", "@0 ", "cmd> ", ")"]
)
@pytest.mark.parametrize("form", ["({} {} {})", "{}({}, {})"])
def test_a_step_behind_a_sign_that_is_not_known_is_never_left_out_of_a_plan_that_is_wrong_without(
    sign: str, form: str
) -> None:
    first, second = (form.format(*step.strip("()").split()) for step in RIGHT)
    for text in (f"{sign}{first}\n{second}", f"{first}\n{sign}{second}"):
        assert check(MODEL, plan=text, repair=False).determination is not False, text


FENCED = "```\n{}\n```\n"
FIRST = ["(pick-up c2 ramp)", "(set-down c2 dock)", "(pick-up c1 dock)"]
LAST = ["(set-down c1 ramp)", "(pick-up c2 dock)"]


@pytest.mark.parametrize("between", ["", "\n", "\nThe robot is strong.\n"])
@pytest.mark.parametrize(
    ("blocks", "determination"),
    [
        ([RIGHT, RIGHT], True),
        ([RIGHT, LONGER], True),  # each is right, and one behind the other is not
        ([RIGHT, WRONG], None),
        ([WRONG, RIGHT], None),
        ([WRONG, list(reversed(WRONG))], False),
        ([FIRST, LAST], True),  # the parts of one plan
        ([FIRST, list(reversed(LAST))], False),
        ([RIGHT, LONGER[2:]], True),
        ([[step] for step in RIGHT], True),
    ],
)
def test_code_fences_in_a_row_may_be_parts_or_several_plans(
    blocks: list[list[str]], determination: bool | None, between: str
) -> None:
    text = between.join(FENCED.format(lines(block)) for block in blocks)
    assert check(MODEL, plan=text, repair=False).determination is determination


@pytest.mark.parametrize(
    "form", ["```\n{}\n```\n```\n{}\n```\n", "Plan A:\n{}\nPlan B:\n{}", "1. {}\n\n1. {}", '{{"plans": [[{}], [{}]]}}']
)
def test_of_several_right_plans_all_have_to_cost_as_much_as_the_cheapest(form: str) -> None:
    """Which of them is meant is not known, and so is what it costs."""
    plans = [lines(RIGHT, numbered="1." in form), lines(LONGER, numbered="1." in form)]
    plans = [plan.removeprefix("1. ") for plan in plans]
    if "{{" in form:
        plans = [", ".join(f'"{step}"' for step in plan.split("\n") if step) for plan in plans]
    for text in (form.format(*plans), form.format(*reversed(plans))):
        assert check(MODEL, plan=text, repair=False).determination is True
        assert check(MODEL, plan=text, repair=False, quality="optimal").determination is None
    same = form.format(plans[0], plans[0].replace("dock", "DOCK"))
    assert check(MODEL, plan=same, repair=False, quality="optimal").determination is True


@pytest.mark.parametrize(
    "heads", [("Plan A:", "Plan B:"), ("First:", "Alternatively:"), ("### Option 1", "### Option 2")]
)
def test_plans_that_headings_call_several_are_no_parts_of_one(heads: tuple[str, str]) -> None:
    """That one can be done behind the other says nothing of it by itself."""
    for other, determination in ((LONGER[2:], None), (["(pick-up c2 ramp)"], None), (LONGER, True), (RIGHT, True)):
        text = f"{heads[0]}\n{lines(RIGHT)}\n\n{heads[1]}\n{lines(other)}\n"
        assert check(MODEL, plan=text, repair=False).determination is determination


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("move", {"to": "v", "from": "u"}, "(move u v)"),
        ("move", {"to": "v", "start": "u"}, "(move u v)"),
        ("move", {"start": "u", "goal": "v"}, "(move u v)"),
        ("shift", {"x_1": "v", "x-1": "u"}, "(shift u v)"),
        ("shift", {"x-1": "u", "x_1": "v"}, "(shift u v)"),
        ("shift", {"x-1": "v", "x_1": "u"}, "(shift v u)"),
    ],
)
@pytest.mark.parametrize("form", ["json", "call", "list"])
def test_arguments_take_the_places_that_they_name(
    name: str, arguments: dict[str, str], expected: str, form: str
) -> None:
    """Of two names that are alike both were given the last one's value; beside a strange name the order counted."""
    domain = """(define (domain d) (:predicates (p ?a ?b)) (:action move :parameters (?from ?to) :effect (p ?from ?to))
      (:action shift :parameters (?x-1 ?x_1) :effect (p ?x-1 ?x_1)))"""
    problem = "(define (problem x) (:domain d) (:objects u v) (:init) (:goal (p u v)))"
    said = ", ".join(f"{key}={value}" for key, value in arguments.items())
    text = {
        "json": json.dumps([{"name": name, "arguments": arguments}]),
        "call": f"{name}({said})",
        "list": f"1. {name}({said.replace('=', ': ')})",
    }[form]
    report = check(domain, problem, text, repair=False)
    assert [str(step) for step in report.reference] == [expected]
    assert report.determination is (expected.endswith("u v)"))
