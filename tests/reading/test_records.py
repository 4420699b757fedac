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
    "records",
    [
        [
            {"agent": "ann", "action": "walk", "from": "hall", "to": "attic"},
            {"agent": "ann", "action": "grab", "object": "trunk", "from": "attic"},
        ],
        [
            {"agent": "ann", "action": "walk", "parameters": {"to": "attic", "from": "hall"}},
            {"agent": "ann", "action": "grab", "parameters": {"from": "attic", "object": "trunk"}},
        ],
        [
            {"action": {"name": "walk", "agent": "ann", "from": "hall", "to": "attic"}},
            {"action": {"name": "grab", "agent": "ann", "object": "trunk", "from": "attic"}},
        ],
        [
            {"action": "walk", "args": ["ann", "hall", "attic"], "status": "pending", "id": "s1"},
            {"action": "grab", "object": "ann, trunk, attic", "comment": "heavy"},
        ],
    ],
    ids=["beside an object", "one of them outside", "inside of the action", "all under one key"],
)
def test_arguments_stand_beside_the_name_and_beside_other_arguments(records: object) -> None:
    report = judged(json.dumps(records))
    assert shown(report) == ["(walk ann hall attic)", "(grab ann trunk attic)"]
    assert report.determination is True


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


def test_records_of_two_levels_are_two_plans() -> None:
    levels = {
        "coarse": [{"what": record(step), "index": index} for index, step in enumerate(PLAN)],
        "fine": [{"what": record(PLAN[0]), "index": index} for index in range(3)],
    }
    report = blocks(json.dumps({"plan": levels}))
    assert report.reading is not None
    assert [len(one.plan.steps) for one in report.reading.candidates] == [len(PLAN), 3]
    assert report.determination is None


@pytest.mark.parametrize(
    "form",
    [
        lambda rows: "\n".join(json.dumps({"episode": n, **record(s)}) for n, s in rows),
        lambda rows: json.dumps([{"episode": n, **record(s)} for n, s in rows]),
        lambda rows: "\n".join(
            [
                "| episode | action | args |",
                "|---|---|---|",
                *(f"| {n} | {s[0]} | {', '.join(s[1:])} |" for n, s in rows),
            ]
        ),
    ],
    ids=["JSON a line", "JSON", "Markdown"],
)
def test_rows_of_two_runs_are_no_sequence(form: Callable[[list[tuple[int, list[str]]]], str]) -> None:
    first = [(1, step) for step in PLAN]
    assert blocks(form(first)).determination is True
    assert blocks(form([*first, (2, PLAN[0])])).determination is None


@pytest.mark.parametrize("sign", ["}", "(", '"', ": "])
@pytest.mark.parametrize("place", [0, 3, len(PLAN) - 1])
def test_a_record_that_is_broken_may_be_a_step(sign: str, place: int) -> None:
    rows = [json.dumps(record(step)) for step in PLAN]
    rows[place] = rows[place].replace('": [', f'": {sign}[')
    report = blocks(f"[{', '.join(rows)}]")
    assert report.determination is None


WRITTEN = [f"({' '.join(step)})" for step in PLAN]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([record(step) for step in PLAN]),
        json.dumps({"plan": [record(step) for step in PLAN]}, indent=1),
        "\n".join(json.dumps(record(step)) for step in PLAN),
        json.dumps(PLAN),
        repr([tuple(step) for step in PLAN]),
        "```json\n" + json.dumps([record(step) for step in PLAN]),
    ],
    ids=["records", "in an object", "a line each", "lists", "Python", "a fence"],
)
def test_a_text_that_ends_inside_of_a_value_may_lack_steps(text: str) -> None:
    assert blocks(text).determination is True
    for cut in (5, 9, 20, 60):
        report = blocks(text[:-cut])
        assert report.determination is None, cut
        assert report.reading is not None and report.reading.missed


def test_a_text_of_several_steps_in_a_list_of_lists_is_a_sequence() -> None:
    assert blocks(json.dumps([["\n".join(WRITTEN), ""]])).determination is True
    assert blocks(json.dumps([["\n".join(WRITTEN[:3]), WRITTEN[3]], WRITTEN[4:]])).determination is None


def test_lists_in_a_list_may_be_stretches_of_one_sequence() -> None:
    assert blocks(json.dumps([WRITTEN[:4], WRITTEN[4:]])).determination is None  # at once they disturb each other
    assert blocks(json.dumps([WRITTEN[4:], WRITTEN[:4]])).determination is False


@pytest.mark.parametrize("quoted", ["(:objects a b c d - block)", "(:init (on b d) (free))\n(:goal (and (on a b)))"])
def test_parts_of_a_model_that_a_lesson_quotes_are_no_steps(quoted: str) -> None:
    fences = "\n\n".join(f"```pddl\n{part}\n```" for part in quoted.split("\n"))
    assert blocks(f"## The problem\n\n{fences}\n\nEach block has a name.").determination is None
    assert blocks(f"{quoted}\n" + "\n".join(WRITTEN)).determination is True


SHORT = [{"action": step[0], "object": step[1], **({"under": step[2]} if len(step) > 2 else {})} for step in PLAN]
"""records of which those of two objects are not understood, and those of one are"""


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(SHORT),
        "\n".join(map(json.dumps, SHORT)),
        "\n".join(json.dumps({"index": number, "call": each}) for number, each in enumerate(SHORT)),
    ],
    ids=["a list", "JSON a line", "one inside of another"],
)
def test_records_that_are_not_understood_stay_in_their_list(text: str) -> None:
    report = blocks(text)
    assert report.determination is None
    assert len(shown(report)) == len(PLAN)


@pytest.mark.parametrize(
    "walk",
    [
        {"from": "hall", "to": "attic", "who": "ann"},
        {"to": "attic", "from": "hall", "who": "ann"},
        {"who": "ann", "from": "hall", "to": "attic"},
        {"source": "hall", "destination": "attic", "who": "ann"},
    ],
)
def test_kinds_and_names_place_arguments_with_names_of_their_own(walk: dict[str, str]) -> None:
    grab = {"crate": "trunk", "from": "attic", "who": "ann"}
    records = [{"action": "walk", "args": walk}, {"action": "grab", "args": grab}]
    assert judged(json.dumps(records)).determination is True


def test_an_order_of_other_names_is_not_known_to_be_the_plan() -> None:
    grab = {"action": "grab", "args": {"agent": "ann", "object": "trunk", "from": "attic"}}
    walk = {"action": "walk", "args": {"agent": "ann", "destination": "attic", "source": "hall"}}
    report = judged(json.dumps([walk, grab]))
    assert report.determination is None
    assert "may be meant in another order" in report.reason
    counted = {"action": "walk", "args": {"agent": "ann", "place1": "attic", "place2": "hall"}}
    assert judged(json.dumps([counted, grab])).determination is None
    counted = {"action": "walk", "args": {"arg1": "ann", "arg2": "attic", "arg3": "hall"}}
    assert judged(json.dumps([counted, grab])).determination is False


def test_calls_with_names_of_their_own_are_doubted_as_well() -> None:
    calls = [f"{s[0]}({f'under={s[2]}, ' if len(s) > 2 else ''}block={s[1]})" for s in PLAN]
    assert blocks("\n".join(calls)).determination is None


def test_keywords_in_a_step_are_not_understood() -> None:
    lines = [f"({s[0]} :top {s[1]} :below {s[2]})" if len(s) > 2 else f"({s[0]} {s[1]})" for s in PLAN]
    assert blocks("\n".join(lines)).determination is None


SAID = ["walk ann from hall to attic", "grab ann trunk from attic"]


def test_texts_of_a_list_are_sentences_as_those_of_items_are() -> None:
    said = SAID
    assert (
        judged(json.dumps(said)).determination is judged("\n".join(f"- {each}" for each in said)).determination is True
    )
    short = ["walk ann from hall", "grab trunk"]
    assert judged(json.dumps(short)).determination is judged("\n".join(short)).determination is True


@pytest.mark.parametrize("text", ['["walk", "grab"]', "walk, grab", "walk -> grab", "- walk\n- grab"])
def test_names_of_actions_alone_leave_out_what_they_are_done_to(text: str) -> None:
    assert judged(text).determination is None


def test_a_talk_in_a_text_of_json_is_a_talk() -> None:
    turns = [f"You:\n\tThink: I could walk bob.\n\tInstruction: As the next step, {said}" for said in SAID]
    talk = "".join(f"{turn}\nI: I {said}.\n" for turn, said in zip(turns, SAID, strict=True)) + "You: You're finished"
    assert judged(talk).determination is True
    report = judged(json.dumps({"examples": [[talk, ""]]}, indent=1))
    assert shown(report) == ["(walk ann hall attic)", "(grab ann trunk attic)"]
    assert report.determination is True


def test_what_is_thought_at_the_beginning_of_a_text_of_json_is_no_step() -> None:
    turns = "\n".join(f"Think: I must {said} first.\nInstruction: {said}" for said in SAID)
    report = judged(json.dumps(["My goal is that ann has the trunk.\nLet's think.", turns]))
    assert shown(report) == ["(walk ann hall attic)", "(grab ann trunk attic)"]
    assert report.determination is True


def test_records_of_which_none_has_enough_arguments_are_of_another_signature() -> None:
    levels = [{"what": {"action": "walk", "args": ["attic"]}}, {"what": {"action": "grab", "args": ["trunk"]}}]
    assert judged(json.dumps({"plan": levels})).determination is None
    levels[0]["what"]["args"] = ["ann", "hall", "attic"]
    assert judged(json.dumps({"plan": levels})).determination is False


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


@pytest.mark.parametrize("form", ["at {}: ({})", "[{}.0] ({})", "{1}@{0}"])
def test_times_of_lines_that_are_not_in_order_leave_a_plan_open(form: str) -> None:
    for times, expected in (((1, 5), True), ((5, 1), None), ((1, 1), None)):
        text = "\n".join(form.format(time, name) for time, name in zip(times, ("aa", "bb"), strict=True))
        assert check(ONCE, TO_Q, text + "\n", repair=False).determination is expected
