"""A piece that is not understood among the steps of a plan, in every notation, and plans that are cut off."""

from __future__ import annotations

import json

import pytest

from tests.reading.test_printed_forms import Form, group
from tests.support.depth import some
from validator import check
from validator.checking.prepared import Prepared, prepare

DOMAIN = """(define (domain depot) (:requirements :typing) (:types box spot arm)
  (:predicates (at ?b - box ?s - spot) (held ?b - box ?a - arm) (free ?a - arm))
  (:action grab :parameters (?a - arm ?b - box ?s - spot) :precondition (and (free ?a) (at ?b ?s))
    :effect (and (held ?b ?a) (not (free ?a)) (not (at ?b ?s))))
  (:action put-down :parameters (?a - arm ?b - box ?s - spot) :precondition (held ?b ?a)
    :effect (and (free ?a) (at ?b ?s) (not (held ?b ?a)))))"""
PROBLEM = """(define (problem p) (:domain depot) (:objects crate1 crate2 - box shelf floor - spot lefty - arm)
  (:init (free lefty) (at crate1 floor) (at crate2 floor)) (:goal (and (at crate1 shelf) (at crate2 shelf))))"""
HEAT = """(define (domain t) (:requirements :typing :durative-actions) (:types pot)
  (:predicates (cold ?p - pot) (hot ?p - pot))
  (:durative-action heat :parameters (?p - pot) :duration (= ?duration 5) :condition (at start (cold ?p))
    :effect (at end (hot ?p))))"""
COLD = "(define (problem t) (:domain t) (:objects p1 - pot) (:init (cold p1)) (:goal (hot p1)))"
Names = tuple[str, ...]
PLAN: list[Names] = [
    (action, "lefty", crate, spot)
    for crate in ("crate1", "crate2")
    for action, spot in (("grab", "floor"), ("put-down", "shelf"))
]


NOTATIONS = {
    "PDDL": Form("{g}"),
    "numbers": Form("{n}. {g}"),
    "bullets": Form("- {g}"),
    "paragraphs": Form("{g}", "\n\n"),
    "one line": Form("{g}", " "),
    "commas": Form("{g}", ", "),
    "arrows": Form("{g}", " -> "),
    "calls": Form("{c}"),
    "calls and arrows": Form("{c}", " -> "),
    "calls and semicolons": Form("{c}", "; "),
    "words": Form("{w}"),
    "words in a row": Form("{w}", ", "),
    "words and then": Form("{w}", ", then "),
    "numbered words": Form("{n}. {w}"),
    "labels": Form("Step {n}: {w}"),
    "Fast Downward": Form("{w} (1)", before="Solution found!\n", behind="\nPlan cost: 4\n"),
    "FF": Form("    {n}: {w}", "\n", "ff: found legal plan as follows\n\nstep", "\n\ntime spent: 0.0\n"),
    "fence": Form("{g}", "\n", "Here is the plan:\n```\n", "\n```\nLet me know if you need more.\n"),
    "answer": Form("{g}", "\n", "<answer>\n", "\n</answer>\n"),
    "elements": Form("<step>{w}</step>", "\n", "<plan>\n", "\n</plan>\n"),
    "list": Form('"{g}"', ", ", "[", "]\n"),
    "records": Form('{{"action": "{s[0]}", "args": {a}}}', ",\n", "[\n", "\n]\n"),
    "table": Form("| {n} | {g} |", "\n", "| Step | Action |\n|---|---|\n"),
}
BY_LINES = [
    name
    for name, notation in NOTATIONS.items()
    if notation.between.startswith("\n") and name not in ("records", "Fast Downward")
]
FOREIGN: list[Names] = [("zork",), ("open", "gate"), ("zork", "shelf", "floor"), ("pu",), ("grab", "lefty", "cra")]


@pytest.fixture(scope="module")
def depot() -> Prepared:
    return prepare(DOMAIN, PROBLEM)


@pytest.mark.parametrize("name", NOTATIONS)
def test_a_foreign_step_leaves_no_plan_valid(depot: Prepared, name: str) -> None:
    texts = [
        NOTATIONS[name]([*PLAN[:place], foreign, *PLAN[place:]]) for foreign in FOREIGN for place in range(1, len(PLAN))
    ]
    assert not [text for text in texts if check(depot, plan=text, repair=False).determination is True]


@pytest.mark.parametrize("name", some(BY_LINES, 6))
@pytest.mark.parametrize(
    "line",
    ["zork", "Open the gate.", "(open the gate)", "zork(floor)", "(zork floor)", "grab lef", "        grab lefty cra"],
)
def test_a_foreign_line_between_steps_leaves_no_plan_valid(depot: Prepared, name: str, line: str) -> None:
    notation = NOTATIONS[name]
    steps = notation.each(PLAN)
    for place in range(1, len(steps)):
        text = notation.before + notation.between.join([*steps[:place], line, *steps[place:]]) + notation.behind
        assert check(depot, plan=text, repair=False).determination is not True


@pytest.mark.parametrize("name", [name for name in NOTATIONS if name != "answer"])
def test_a_plan_that_ends_inside_of_a_step_is_not_wrong(depot: Prepared, name: str) -> None:
    text, step = NOTATIONS[name](PLAN), NOTATIONS[name].each(PLAN)[2]
    start = text.index(step) + min(step.lower().index(each) for each in ("grab", "lefty"))
    for end in range(start + 1, start + len(step)):
        if text[end - 1].isalnum() and text[end].isalnum():
            assert check(depot, plan=text[:end], repair=False).determination is not False, text[:end]


@pytest.mark.parametrize("name", ["numbers", "bullets", "labels", "words and then", "calls and arrows"])
def test_a_plan_that_ends_before_a_step_that_is_begun_is_not_wrong(depot: Prepared, name: str) -> None:
    text = NOTATIONS[name](PLAN[:3]).rstrip()
    begun = {"numbers": "\n4. (", "bullets": "\n-", "labels": "\nSte", "words and then": ", th"}.get(name, " ->")
    assert check(depot, plan=text + begun, repair=False).determination is None
    assert check(depot, plan=text, repair=False).determination is False


ALL = "\n".join(map(group, PLAN))


@pytest.mark.parametrize(
    "text",
    [
        f"{ALL}\n\n```\n{ALL}\n```",
        json.dumps({"steps": ALL.split("\n"), "plan": ALL.split("\n")}),
        f"First I use `{group(PLAN[0])}` to lift it.\n```\n{ALL}\n```",
    ],
)
def test_a_plan_that_is_said_twice_is_one(depot: Prepared, text: str) -> None:
    assert check(depot, plan=text, repair=False).determination is True


@pytest.mark.parametrize(
    ("text", "determination"),
    [
        ("0: (heat p1) [5]", True),
        ("0s: (heat p1) [5]", True),
        ("0: (heat p1) [5s]", True),
        ("t=0: (heat p1) [5 s]", True),
        ("- 0s: (heat p1) [5s]", True),
        ("0s: (heat p1) [4s]", False),
        ("0: heat(p1, duration=5)", True),
        ("0: heat(p=p1, duration=5)", True),
        ("0: heat(p1, duration=4)", False),
        ("0: heat(p1, speed=5)", None),
        ("0: (heat p1) ; duration 4", None),
        ("0: (heat p1) [5] ; duration 4", None),
        ("0: (heat p1) [5] ; duration 5", True),
        ("0: (heat p1) [5] ; step 1", True),
    ],
)
def test_what_says_how_long_a_step_takes_is_read_or_not_understood(text: str, determination: bool | None) -> None:
    assert check(HEAT, COLD, f"{text}\n", repair=False).determination is determination
