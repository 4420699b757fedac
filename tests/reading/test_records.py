"""Records with more than a name and arguments: levels, runs, lists of lists, programs that build a list."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest

from tests.support.places import ROOT
from validator import Report, check, prepare

CREW = prepare(
    """(define (domain crew) (:requirements :typing) (:types hand room crate)
    (:predicates (at ?h - hand ?r - room) (in ?c - crate ?r - room) (has ?h - hand ?c - crate))
    (:action walk :parameters (?agent - hand ?from ?to - room)
      :precondition (at ?agent ?from) :effect (and (at ?agent ?to) (not (at ?agent ?from))))
    (:action grab :parameters (?agent - hand ?object - crate ?from - room)
      :precondition (and (at ?agent ?from) (in ?object ?from))
      :effect (and (has ?agent ?object) (not (in ?object ?from)))))
    """,
    """(define (problem fetch) (:domain crew) (:objects ann bob - hand hall attic - room trunk - crate)
    (:init (at ann hall) (at bob hall) (in trunk attic)) (:goal (has ann trunk)))
    """,
)
BLOCKS = prepare(ROOT / "domains/blocks/domain.pddl", ROOT / "domains/blocks/problem.pddl")
PLAN = [
    line.strip()[1:-1].split() for line in (ROOT / "domains/blocks/good.plan").read_text().splitlines() if "(" in line
]


def judged(text: str) -> Report:
    return check(CREW, plan=text + "\n", repair=False)


def blocks(text: str) -> Report:
    return check(BLOCKS, plan=text + "\n", repair=False)


def shown(report: Report) -> list[str]:
    assert report.reading is not None
    return [str(token) for token in report.reading.plan.tokens]


@pytest.mark.parametrize(
    "value",
    [
        [{"action": "grab", "object": "trunk", "where": "attic", "who": "ann"}],
        [{"who": "ann", "action": "grab", "args": ["trunk", "attic"]}],
        [{"who": "ann", "action": "grab", "args": {"object": "trunk", "from": "attic"}}],
        {"ann": [{"action": "walk", "args": ["hall", "attic"]}, {"action": "grab", "args": ["trunk", "attic"]}]},
    ],
    ids=["other keys", "beside a list", "beside names", "around"],
)
def test_what_may_be_an_argument_elsewhere_is_not_a_missing_one(value: object) -> None:
    assert judged(json.dumps(value)).determination is None


def test_too_few_arguments_and_nothing_else_are_a_fault() -> None:
    records = [{"action": "walk", "args": ["ann", "hall"], "status": "pending", "id": "s1"}]
    assert judged(json.dumps(records)).determination is False


def record(step: Sequence[str]) -> dict[str, object]:
    return {"action": step[0], "args": list(step[1:])}


@pytest.mark.parametrize(
    "form",
    [
        lambda rows: "\n".join(json.dumps({"episode": n, **record(s)}) for n, s in rows),
        lambda rows: json.dumps([{"episode": n, **record(s)} for n, s in rows]),
        lambda rows: (
            "| episode | action | args |\n|---|---|---|\n"
            + "".join(f"| {n} | {s[0]} | {', '.join(s[1:])} |\n" for n, s in rows)
        ),
    ],
    ids=["JSON a line", "JSON", "Markdown"],
)
def test_rows_of_two_runs_are_no_sequence(form: Callable[[list[tuple[int, list[str]]]], str]) -> None:
    first = [(1, step) for step in PLAN]
    assert blocks(form(first)).determination is True
    assert blocks(form([*first, (2, PLAN[0])])).determination is None


WRITTEN = [f"({' '.join(step)})" for step in PLAN]


def test_a_text_of_several_steps_in_a_list_of_lists_is_a_sequence() -> None:
    assert blocks(json.dumps([["\n".join(WRITTEN), ""]])).determination is True
    assert blocks(json.dumps([["\n".join(WRITTEN[:3]), WRITTEN[3]], WRITTEN[4:]])).determination is None


def test_lists_in_a_list_may_be_stretches_of_one_sequence() -> None:
    assert blocks(json.dumps([WRITTEN[:4], WRITTEN[4:]])).determination is None  # at once they disturb each other
    assert blocks(json.dumps([WRITTEN[4:], WRITTEN[:4]])).determination is False


def test_keywords_in_a_step_are_not_understood() -> None:
    lines = [f"({s[0]} :top {s[1]} :below {s[2]})" if len(s) > 2 else f"({s[0]} {s[1]})" for s in PLAN]
    assert blocks("\n".join(lines)).determination is None


SAID = ["walk ann from hall to attic", "grab ann trunk from attic"]


def test_what_is_thought_at_the_beginning_of_a_text_of_json_is_no_step() -> None:
    turns = "\n".join(f"Think: I must {said} first.\nInstruction: {said}" for said in SAID)
    report = judged(json.dumps(["My goal is that ann has the trunk.\nLet's think.", turns]))
    assert shown(report) == ["(walk ann hall attic)", "(grab ann trunk attic)"]
    assert report.determination is True


ONCE = """(define (domain once) (:predicates (p) (q)) (:action aa :effect (p)) (:action cc :effect (not (p)))
    (:action bb :precondition (p) :effect (and (q) (not (p)))))"""
TO_Q = "(define (problem to-q) (:domain once) (:init) (:goal (q)))"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"cancelled": True}, True),
        ({"removed": True}, True),
        ({"enabled": False}, True),
        ({"cancelled": False}, False),
        ({"state": "FAILED"}, True),
        ({"outcome": "failure"}, True),
        ({"error": "no"}, False),
        ({"error": "not possible"}, True),
        ({"error": {"code": 1}}, True),
        ({"result": {"isError": True}}, True),
        ({"observation": "Error: not possible"}, True),
        ({"exit_code": 1}, True),
        ({"exit_code": 0}, False),
        ({"errors": ["no"]}, True),
        ({"reverted": True}, None),
        ({"undone": True}, None),
        ({"notes": "failed, to be tried again"}, None),
        ({"notes": "as planned"}, False),
        ({"done": False}, None),
        ({"status": "rolled back"}, None),
        ({"status": {"code": "skipped"}}, None),
        ({"status": "pending"}, False),
        ({"active": False}, None),
        ({"optional": True}, None),
        ({"optional": False}, False),
        ({"condition": "(q)"}, None),
        ({"condition": None}, False),
        ({"when": ["(q)"]}, None),
        ({"status": "deleted"}, None),
        ({"repeat": 2}, None),
        ({"repeat": 1}, False),
    ],
)
def test_what_a_record_says_of_whether_its_step_is_done(said: dict[str, object], expected: bool | None) -> None:
    records: list[dict[str, object]] = [{"action": "aa"}, {"action": "cc", **said}, {"action": "bb"}]
    heads = ("action", *said)
    cells = [[str(record.get(head) or "-") for head in heads] for record in records]
    table = "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *cells))
    lines = "\n".join(map(json.dumps, records))
    texts = [json.dumps(records), lines, *([table] if all(isinstance(each, str) for each in said.values()) else [])]
    for text in texts:
        assert check(ONCE, TO_Q, text + "\n", repair=False).determination is expected, text


def test_what_is_true_of_most_records_or_of_the_last_one_tells_nothing_of_a_step() -> None:
    first = {"action": "aa", "checked": True, "done": False}
    every = [first, first, {"action": "bb", "checked": True, "done": True}]
    assert check(ONCE, TO_Q, json.dumps(every), repair=False).determination is True
    rows = "| aa | ❌ |\n| aa | ✅ |\n| bb | ✅ |"
    assert check(ONCE, TO_Q, f"| Action | Done? |\n|---|---|\n{rows}\n", repair=False).determination is None


@pytest.mark.parametrize("key", ["repeat", "times", "count", "iterations"])
def test_a_step_that_a_record_repeats_is_not_read_as_one(key: str) -> None:
    once = "(define (problem to-q) (:domain once) (:init (p)) (:goal (q)))"
    for number, expected in ((1, True), (2, None)):
        for text in (f'[{{"action": "bb", "{key}": {number}}}]', f"| action | {key} |\n|---|---|\n| bb | {number} |\n"):
            assert check(ONCE, once, text, repair=False).determination is expected


@pytest.mark.parametrize("key", ["time", "start", "timestamp"])
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (1, 5, True),
        (5, 1, None),
        (1, 1, None),
        ("2024-01-01T09:59:00Z", "2024-01-01T10:01:00Z", True),
        ("2024-01-01T10:01:00Z", "2024-01-01T09:59:00Z", None),
        ("9:59", "10:01", True),
    ],
)
def test_times_of_records_that_are_not_in_order_leave_a_plan_open(
    key: str, first: object, second: object, expected: bool | None
) -> None:
    text = json.dumps([{key: first, "action": "aa"}, {key: second, "action": "bb"}])
    assert check(ONCE, TO_Q, text, repair=False).determination is expected


@pytest.mark.parametrize("line", ["(bb) x2", "(bb)*2", "(bb) twice", "bb() * 2", "2. bb (repeat 2 times)", "(bb) ×2"])
def test_a_step_on_a_line_that_is_told_to_be_repeated_leaves_a_plan_open(line: str) -> None:
    first = "aa()" if "()" in line else "1. aa" if "2." in line else "(aa)"
    assert check(ONCE, TO_Q, f"{first}\n{line}\n", repair=False).determination is None
    assert (
        check(ONCE, TO_Q, f"{first}\n{line.split(')')[0].split(' (')[0]}{')' * ('(' in first)}\n").determination is True
    )


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ({"then": "zork"}, None),
        ({"finally": ["zork"]}, None),
        ({"next": {"action": "zork"}}, None),
        ({"remaining_steps": "zork"}, None),
        ({"step 9": "zork"}, None),
        ({"repeat": 2}, None),
        ({"then": ""}, True),
        ({"next": None}, True),
        ({"steps": 8}, True),
        ({"repeat": 1}, True),
        ({"cost": 8, "explanation": "The rest is easy.", "model": "m-1"}, True),
    ],
)
def test_a_key_beside_a_list_of_steps_that_may_tell_a_further_step(
    beside: dict[str, object], expected: bool | None
) -> None:
    for plan in (WRITTEN, list(map(record, PLAN))):
        for value in ({"plan": plan, **beside}, {**beside, "plan": plan}, {"answer": {"plan": plan}, **beside}):
            assert blocks(json.dumps(value)).determination is expected, value


def test_a_key_of_a_step_that_may_tell_a_further_step() -> None:
    *steps, last = map(record, PLAN)
    assert blocks(json.dumps([*steps, {**last, "then": "zork"}])).determination is None
    assert blocks(json.dumps([*steps, {**last, "next": 9}])).determination is True


def test_a_step_on_a_line_beside_values_is_not_dropped() -> None:
    said = json.dumps({"plan": WRITTEN})
    assert blocks(f"{said}\n(take b c)").determination is None
    assert blocks(f"{said}\n{WRITTEN[0]}").determination is True


def test_a_record_of_a_step_that_was_not_done_is_no_step() -> None:
    records = list(map(record, PLAN))
    tried = {**record(["lift", "a"]), "status": "failed"}
    report = blocks(json.dumps([tried, *records[:-1]]))
    assert (report.determination, len(report.reference)) == (False, len(PLAN) - 1)
    assert report.reading is not None
    assert report.reading.passed_over == ("1 record of steps that were not done",)
