"""Steps that are marked as not done, commented out, out of order or misspelt, in what machines write."""

from __future__ import annotations

import json

import pytest

from validator import check, prepare

MOTORS = prepare(
    """(define (domain motors) (:predicates (on ?m) (warm ?m) (tested ?m) (linked ?m ?n))
    (:action start-motor :parameters (?m) :effect (on ?m))
    (:action stop-motor :parameters (?m) :precondition (on ?m) :effect (and (warm ?m) (not (on ?m))))
    (:action test-motor :parameters (?m ?n) :precondition (and (warm ?m) (linked ?m ?n)) :effect (tested ?m)))
    """,
    """(define (problem p) (:domain motors) (:objects m1 m2 hub) (:init (linked m1 hub) (linked m2 hub))
    (:goal (tested m1)))""",
)
STEPS = ("start-motor m1", "stop-motor m1", "test-motor m1 hub")
OTHER = "stop-motor m2"
"""a step that cannot be executed"""
CALLS = {step: f"{step.split()[0]}({', '.join(step.split()[1:])})" for step in (*STEPS, OTHER)}


def verdict(text: str) -> bool | None:
    return check(MOTORS, plan=text + "\n", repair=False).determination


@pytest.mark.parametrize(
    "mark",
    [
        "({}) ; FAILED",
        "({}) ; failed: not on",
        "({}) - failed",
        "1. skipped: ({})",
        "[CANCELLED] ({})",
        "- [-] ({})",
        "TODO ({})",
        "⏭ ({})",
    ],
)
def test_a_step_that_is_marked_as_not_done_leaves_the_plan_open(mark: str) -> None:
    for place in range(4):
        lines = [f"({step})" for step in STEPS]
        assert verdict("\n".join((*lines[:place], mark.format(OTHER), *lines[place:]))) is not False
    assert verdict("\n".join((lines[0], mark.format(STEPS[1]), lines[2]))) is None


def test_a_comment_on_its_own_line_says_nothing_of_the_step_above() -> None:
    assert verdict(f"({STEPS[0]})\n({STEPS[1]})\n; no error so far\n({STEPS[2]}) ; ok") is True


COMMENTS = {
    "python": ("plan = [\n{}\n]", '  "{}",', '  # "{}",'),
    "tuples": ("plan = [\n{}\n]", "  ({!r}),", "  # ({!r}),"),
    "calls": ("```js\n{}\n```", "await {};", "// await {};"),
    "yaml": ("plan:\n{}", "  - {}", "  # - {}"),
    "latex": ("\\begin{{enumerate}}\n{}\n\\end{{enumerate}}", "\\item ({})", "% \\item ({})"),
    "lines": ("{}", "({})", "# ({})"),
    "markup": ("<ol>\n{}\n</ol>", "<li>({})</li>", "<!-- <li>({})</li> -->"),
}


@pytest.mark.parametrize("form", COMMENTS)
def test_a_step_in_a_comment_is_none(form: str) -> None:
    around, line, comment = COMMENTS[form]
    said = CALLS if form == "calls" else {step: step for step in CALLS}
    lines = [line.format(said[step]) for step in STEPS]
    assert verdict(around.format("\n".join((*lines[:1], comment.format(said[OTHER]), *lines[1:])))) is True
    assert verdict(around.format("\n".join((lines[0], comment.format(said[STEPS[1]]), lines[2])))) is not True


def test_a_heading_in_words_above_a_call_is_no_comment() -> None:
    assert verdict("\n".join(f"# {step.replace('-', ' ')}\n{CALLS[step]}" for step in STEPS)) is True


def test_an_answer_that_says_that_a_call_failed_leaves_the_plan_open() -> None:
    calls = [
        {
            "id": place,
            "method": "tools/call",
            "params": {"name": name, "arguments": dict(zip("mn", given, strict=False))},
        }
        for place, (name, *given) in enumerate(map(str.split, STEPS))
    ]
    for answer, expected in (
        ({"result": {"isError": False}}, True),
        ({"result": {"isError": True}}, None),
        ({"error": {"code": -1, "message": "no"}}, None),
    ):
        lines: list[object] = [line for call in calls for line in (call, {"id": call["id"], "result": {}})]
        lines[3] = {"id": 1, **answer}
        assert verdict("\n".join(map(json.dumps, lines))) is expected


@pytest.mark.parametrize(
    ("turn", "good", "bad"),
    [
        ("Action: {}\nObservation: {}", '{"success": true}', '{"success": false}'),
        ("Agent: {}\nEnv: {}", "OK", "Precondition violated"),
        ("$ {}\nexit code: {}", "0", "1"),
    ],
)
def test_a_command_that_the_world_answers_with_a_failure_is_no_step(turn: str, good: str, bad: str) -> None:
    turns = [turn.format(step, good) for step in STEPS]
    assert verdict("\n".join((*turns[:2], turn.format(OTHER, bad), turns[2]))) is True
    assert verdict("\n".join((turns[0], turn.format(STEPS[1], bad), turns[2]))) is not True


def test_an_error_below_a_step_and_an_assertion_that_may_be_one_leave_the_plan_open() -> None:
    lines = [f"INFO: ({step})" for step in STEPS]
    for error in ("ERROR: not possible", "[ERROR] not possible", "Traceback (most recent call last):"):
        assert verdict("\n".join((*lines[:2], error, lines[2]))) is None
    assert verdict("\n".join(f"assert {step.replace('-', '_')}" for step in CALLS.values())) is None


def test_steps_whose_numbers_are_not_in_order_leave_the_plan_open() -> None:
    told = [f"Step {number}: ({step})" for number, step in enumerate(STEPS, 1)]
    assert verdict("\n".join(told)) is True
    assert verdict("\n".join((told[2], told[0], told[1]))) is None
    rows = [f"| {number} | ({step}) |" for number, step in enumerate(STEPS, 1)]
    assert verdict("\n".join(("| # | Action |", "|---|---|", *reversed(rows)))) is None


def test_a_command_that_begins_as_an_action_does_not_end_a_transcript() -> None:
    turns = (f'Action: {step.split()[0]}\nAction Input: {{"m": "m1", "n": "hub"}}\nObservation: ok' for step in STEPS)
    assert verdict("\n".join(turns).replace(', "n": "hub"', "", 2)) is True


@pytest.mark.parametrize("form", ["（{}）", "- [ ] ({})", "1;({})"])
def test_brackets_are_those_of_steps_and_lack_no_argument(form: str) -> None:
    assert verdict("\n".join(map(form.format, STEPS))) is True
    assert verdict("\n".join(map(form.format, (*STEPS[:2], "test-motor m1")))) is not True


def test_arguments_in_columns_stand_in_their_order() -> None:
    rows = [f"| {' | '.join((*step.split(), '-')[:3])} |" for step in STEPS]
    table = "| Action | Arg 1 | Arg 2 |\n|---|---|---|\n"
    assert verdict(table + "\n".join(rows)) is True
    assert verdict(table + "\n".join((*rows[:2], "| test-motor | hub | m1 |"))) is False
    assert verdict(table + "\n".join((*rows[:2], "| test-motor | m1 | - |"))) is None


@pytest.mark.parametrize("name", ["strat-motor", "start-mtoor", "start-engine", "sttart-motor"])
@pytest.mark.parametrize("form", ["{}", '["{}"],', "- {}", '"{}",'])
def test_a_misspelt_name_in_a_list_of_names_is_not_understood(name: str, form: str) -> None:
    lines = [form.format(step) for step in (f"{name} m1", *STEPS[1:])]
    text = "\n".join(lines)
    assert verdict(f"[{text}]" if '"' in form else text) is not True
