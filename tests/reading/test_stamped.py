"""Plans over time: every notation, with stamps alone, with durations, and as starts and ends, is the same plan."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from validator import check
from validator.checking.prepared import prepare
from validator.reading.plan import Dialect, Step
from validator.reading.tokens import Vocabulary, tokenize

DOMAIN = """(define (domain d) (:requirements :typing :durative-actions) (:types o)
(:predicates (p ?x - o) (q ?x - o))
(:durative-action load-up :parameters (?x - o) :duration (= ?duration 4) :condition (at start (p ?x)) :effect ())
(:durative-action rest :parameters () :duration (= ?duration 4) :condition () :effect ())
(:action z :parameters (?x - o) :precondition (q ?x) :effect (p ?x)))
"""
PROBLEM = "(define (problem x) (:domain d) (:objects k m - o) (:init (p k)) (:goal (p k)))\n"
FORMS = {
    Dialect.PDDL: ("(load-up k)", "(rest)", "(z m)"),
    Dialect.FUNCTIONAL: ("load-up(k)", "rest()", "z(m)"),
    Dialect.WORDS: ("load-up k", "rest", "z m"),
}
PLAN = [("load-up", ("k",), "0", "4"), ("rest", (), "1", "4"), ("z", ("m",), "5.1", None)]


@pytest.fixture(scope="module")
def known() -> Vocabulary:
    return prepare(DOMAIN, PROBLEM).vocabulary


def _steps(text: str, known: Vocabulary, dialect: Dialect | None = None) -> list[object]:
    parts = tokenize(text, known, dialect)
    assert "".join(text[slice(*part.span)] for part in parts.parts) == text
    return [
        (step.name, step.args, step.time, step.duration) if isinstance(step, Step) else step for step in parts.tokens
    ]


def _expected(*, with_durations: bool) -> list[object]:
    return [
        (name, args, Fraction(time), None if last is None or not with_durations else Fraction(last))
        for name, args, time, last in PLAN
    ]


@pytest.mark.parametrize("dialect", FORMS)
@pytest.mark.parametrize("form", ["{0} {1}", "{1} {0}", "inside", "joined"])
@pytest.mark.parametrize("sides", [("start", "end"), ("begin", "end"), ("START", "END")])
def test_a_start_and_an_end_are_one_step(
    dialect: Dialect, form: str, sides: tuple[str, str], known: Vocabulary
) -> None:
    load, rest, last = FORMS[dialect]

    def side(step: str, which: str) -> str:
        if form in ("inside", "joined"):
            mark, glue = ("(" if step.startswith("(") else ""), " " if form == "inside" and "()" not in step else "_"
            return step.replace(mark, f"{mark}{which}{glue}", 1) if mark else f"{which}{glue}{step}"
        return form.format(which, step)

    begin, end = sides
    text = f"0: {side(load, begin)}\n1: {side(rest, begin)}\n4: {side(load, end)}\n5: {side(rest, end)}\n5.1: {last}"
    assert _steps(text, known) == _expected(with_durations=True)


@pytest.mark.parametrize(
    "line",
    [
        *(
            "- **{0}**: `{2}` [{1}]",
            "- At time {0}: {2} for {1} seconds",
            "At {0} s: {2} (duration: {1} s).",
            "{0}:\n{2} [{1}]",
        ),
        *("t={0}: {2} [duration: {1}]", "{0}s: {2} ({1}s)", "{0} {2} {1}", "{0} - {1}: {2}", "{2} [{0}, {1}]"),
        *("[{0}, {1}] {2}", "from {0} to {1}: {2}", "1. [{0} - {1}]: {2}", "{0}: {2} {1}", "{2} at {0} for {1}"),
    ],
)
@pytest.mark.parametrize("times", [("0", "4", "4.1", "4"), ("0.0", "4.0", "4.1", "8.1"), ("1", "2", "2", "4")])
def test_times_in_other_forms_are_never_called_wrong(line: str, times: tuple[str, ...]) -> None:
    text = "\n".join(line.format(time, last, "(load-up k)") for time, last in (times[:2], times[2:]))
    assert check(DOMAIN, PROBLEM, f"{text}\n", repair=False).determination is not False


LOAD = ["0: (load-up k)", "5: (rest)"]
ROWS = [{"start": 0, "action": "load-up", "args": ["k"]}, {"start": 5, "action": "rest"}]


def _table(heading: str, last: str) -> str:
    return f"| Time (s) | Action | Object | {heading} |\n|---|---|---|---|\n| 0 | load-up | k | {last} |\n"


@pytest.mark.parametrize(
    "said",
    [
        *("duration={}", "for {}", "{}", "({})", "{{{}}}", "lasts {}s", "[{} m]", "[duration: {}]", "-> {}"),
        *("for four minutes", "\n  duration: {}", "\n  - Duration: {} s", "\n{}: done"),
    ],
)
def test_what_may_be_a_duration_beside_a_step_is_not_passed_over(said: str) -> None:
    first, second = LOAD
    for last in ("3", "4"):
        assert check(DOMAIN, PROBLEM, f"{first} {said.format(last)}\n{second}\n", repair=False).determination is None
    assert check(DOMAIN, PROBLEM, f"[3] {first}\n{second}\n", repair=False).determination is None


@pytest.mark.parametrize("key", ["duration", "Duration (s)", "duration_s", "dur [sec]", "end", "stop", "finish_time"])
def test_a_duration_under_any_of_its_names_is_read(key: str) -> None:
    for last in (3, 4):
        assert check(DOMAIN, PROBLEM, _table(key, str(last)), repair=False).determination is (last == 4)
        for rows in ([{**ROWS[0], key: last}, ROWS[1]], [{"start": 0, "action": {**ROWS[0], key: last}}, ROWS[1]]):
            assert check(DOMAIN, PROBLEM, json.dumps(rows), repair=False).determination is (last == 4)


@pytest.mark.parametrize(("key", "value"), [("needs", 4), ("duration", "4 min"), ("duration", "four"), ("end", "noon")])
def test_a_number_that_may_be_a_duration_is_not_passed_over(key: str, value: object) -> None:
    assert check(DOMAIN, PROBLEM, _table(key, str(value)), repair=False).determination is None
    assert check(DOMAIN, PROBLEM, json.dumps([{**ROWS[0], key: value}, ROWS[1]]), repair=False).determination is None
    both = json.dumps([{**ROWS[0], "duration": 4, "end": 3}, ROWS[1]])
    assert check(DOMAIN, PROBLEM, both, repair=False).determination is None
