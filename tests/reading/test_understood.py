"""What may be said of a plan, by how far its text was understood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.reading.test_candidates import MODEL, RIGHT, WRONG, lines
from validator import check, prepare, tokenize
from validator.reading.plan import Completeness

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


def test_what_fails_before_the_first_gap_fails_whatever_the_gap_means() -> None:
    text = "1. (set-down c1 ramp)\n2. Put the blue thing somewhere nice\n3. (pick-up c1 ramp)\n"
    report = check(MODEL, plan=text)
    assert report.determination is False
    assert not report.proven
    assert report.repaired_plan is None
    assert report.reading is not None and report.reading.completeness is Completeness.PARTIAL


def test_a_plan_that_is_asked_for_literally_is_wrong_where_it_cannot_be_read() -> None:
    text = "(pick-up c1 dock)\n(set-down c1\n"
    assert check(MODEL, plan=text, repair=False).determination is None
    assert check(MODEL, plan=text, repair=False, strict=True).determination is False
    assert check(MODEL, plan=text, repair=False, dialect="pddl").determination is False


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


@pytest.mark.parametrize("head", ["Another plan:", "Alternatively:", "or", "Option 2:", "### Plan B", "The other way:"])
def test_a_heading_may_say_that_another_plan_follows(head: str) -> None:
    is_said = head != "The other way:"
    text = f"(pick-up c1 dock)\n\n{head}\n\n(pick-up c1 dock)\n(set-down c1 shelf)\n"
    candidates = tokenize(text, prepare(MODEL).vocabulary).reading.candidates  # type: ignore[union-attr]
    assert [len(candidate.plan.steps) for candidate in candidates] == ([1, 2] if is_said else [3])


def test_candidates_that_agree_decide() -> None:
    text = f"{lines(WRONG, numbered=True)}\n\nor\n\n{lines(list(reversed(WRONG)), numbered=True)}"
    assert check(MODEL, plan=text, repair=False).determination is False


@pytest.mark.planner
def test_the_claim_that_there_is_no_plan_is_decided() -> None:
    wrong = check(MODEL, plan="No plan exists.")
    assert wrong.determination is False and wrong.proven and wrong.repaired_plan is not None
    blocks = Path("domains/blocks")
    domain = (blocks / "domain.pddl").read_text(encoding="utf-8")
    problem = (blocks / "problem.pddl").read_text(encoding="utf-8")
    head, _, _ = problem.partition("(:goal")
    right = check(domain, f"{head}(:goal (and (on a b) (on b a))))", "No plan exists.")
    assert right.determination is True and right.proven
    assert "right" in right.reason


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


def test_of_steps_that_are_named_beside_a_wrong_plan_it_is_not_known_whether_they_are_part_of_it() -> None:
    text = f"{RIGHT[0]}\nNow (set-down c2 ramp) cannot be done.\n(set-down c1 dock)"
    assert check(MODEL, plan=text, repair=False).determination is None
    helped = check(MODEL, plan=f"{RIGHT[0]}\nNow do {RIGHT[1]} and rest.", repair=False)
    assert helped.determination is None and "line 2" in str(helped.reason)


@pytest.mark.parametrize("remark", ["(done)", "(at c1 ramp)", "(cost 1)", "(see above)", "(1.0)", "(by crane)"])
@pytest.mark.parametrize("form", ["{} {}", "1. {} {}", "{}{}"])
def test_what_stands_beside_a_step_like_one_may_be_a_remark(remark: str, form: str) -> None:
    for text in (f"{form.format(RIGHT[0], remark)}\n{RIGHT[1]}", f"{remark} {RIGHT[0]}\n{RIGHT[1]}"):
        assert check(MODEL, plan=text, repair=False).determination is not False, text
    assert check(MODEL, plan=f"{RIGHT[0]}\n{remark}\n{RIGHT[1]}", repair=False).determination is False
    assert check(MODEL, plan=f"{RIGHT[0]} {remark}\n{RIGHT[0]}", repair=False).determination is not True


def test_signs_that_nobody_sees_are_blanks() -> None:
    colored = f"\x1b[1m{RIGHT[0]}\x1b[0m\n\ufeff\x1b[38;5;12m{RIGHT[1]}\x1b[0m\u200b\n"
    report = check(MODEL, plan=colored, repair=False)
    assert report.determination is True
    assert report.reading is not None and report.reading.plan.text == colored


@pytest.mark.parametrize("form", ["{}.{}", "{}){}", "{}. {}", "{}.{}."])
def test_items_need_no_blank_behind_their_number(form: str) -> None:
    bare = [step.strip("()") for step in RIGHT]
    said = ["Pick up c1 at the dock", "Set down c1 at the ramp"]
    for steps in (RIGHT, bare, said):
        text = "\n".join(form.format(number, step) for number, step in enumerate(steps, 1))
        assert check(MODEL, plan=text, repair=False).determination is True, text


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


def test_one_of_several_plans_may_have_headings_of_its_own() -> None:
    halves = f"Fetch the crate:\n1. {FIRST[0]}\n2. {FIRST[1]}\n3. {FIRST[2]}\n\nBring it:\n4. {LAST[0]}\n5. {LAST[1]}\n"
    text = f"## Option 1\n{lines(RIGHT, numbered=True)}\n\n## Option 2\n{halves}"
    assert check(MODEL, plan=text, repair=False).determination is True


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(go-on)", True),
        ("(go_on)", False),
        ("1. GO-ON", True),
        ("1. go on", None),
        ("(go on)", None),
        ("go on()", None),
        ('["go on"]', None),
        ("GoOn()", None),
    ],
)
def test_the_words_of_two_actions_are_neither(text: str, expected: bool | None) -> None:
    domain = """(define (domain d) (:predicates (p) (q)) (:action go-on :parameters () :effect (p))
      (:action go_on :parameters () :effect (q)))"""
    report = check(domain, "(define (problem x) (:domain d) (:init) (:goal (p)))", text, repair=False)
    assert report.determination is expected and report.is_understood is (expected is not None)


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
