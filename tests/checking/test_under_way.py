"""Plans under way: whole states, changes, numbers and time, causal links, the stream; beside plain execution."""

from __future__ import annotations

import io
import json
import random
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.checking.test_monitor import PLAN, PREPARED
from tests.support.models import FUEL, FUEL_TRIP, WALK, WALK_PROBLEM
from validator import check, prepare, tokenize
from validator.checking.monitoring.follow import Event, Follower, Happened
from validator.checking.monitoring.monitor import check_rest
from validator.checking.monitoring.stream import events
from validator.cli import main
from validator.errors import ModelError, UnsupportedError
from validator.reading.plan import Plan, Step

FIXED = "the 4 facts of 'next' are the problem's, as the state has none that no action changes"


@pytest.mark.parametrize(
    ("changes", "valid", "said"),
    [
        ("(not (next b a))", False, "(next b a) is false"),
        ("(not (next b c)) (seen c)", True, "(next b c) is false, (seen c) is true"),
        ("(seen b)", True, "(seen b) is true"),
        ("", True, None),
    ],
)
def test_changes_are_told_alone(changes: str, valid: bool, said: str | None) -> None:
    report = check_rest(PREPARED, PLAN, executed=1, changes=changes, repair=False)
    assert report.determination is valid
    assert report.warnings == (() if said is None else (f"after step 1, not as planned: {said}",))


def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(ModelError, match="is said to be true and false"):
        check_rest(PREPARED, PLAN, executed=1, changes="(seen b) (not (seen b))")
    with pytest.raises(ModelError, match="a state lists what holds"):
        check_rest(PREPARED, PLAN, executed=1, state="(at b) (not (seen b))")
    with pytest.raises(ValueError, match="give one of them"):
        check_rest(PREPARED, PLAN, executed=1, state="(at b)", changes="(seen b)")


# --- numbers and time ------------------------------------------------------------------------------

THERE = "(go a b)\n(go b c)\n"


def test_the_rest_of_a_plan_with_numbers() -> None:
    prepared = prepare(FUEL, FUEL_TRIP)
    report = check_rest(prepared, THERE, executed=1, repair=False)
    assert (report.determination, report.cost) == (True, 1)
    report = check_rest(prepared, THERE, executed=1, changes="(= (fuel) 0)", repair=False)
    assert report.determination is False and report.failures[0].step == 1
    assert report.warnings == ("after step 1, not as planned: (fuel) is 0",)
    report = check_rest(prepared, THERE, executed=1, state="(at b) (road a b) (road b c)", repair=False)
    assert report.determination is True
    assert "as planned, since the state does not tell: (fuel) = 1" in report.warnings
    report = check_rest(prepared, THERE, executed=1, state="(at b) (road b c)", is_complete=True, repair=False)
    assert report.determination is not True  # no value, no step that compares it
    report = check_rest(prepared, "(go a c)\n(go b c)\n", executed=1, repair=False)
    assert report.determination is None and "not possible in the model" in report.reason


TIMED = """(define (domain t) (:requirements :typing :durative-actions) (:types loc)
  (:predicates (at ?x - loc) (open ?x - loc) (lit))
  (:durative-action go :parameters (?x ?y - loc) :duration (= ?duration 5)
    :condition (and (at start (at ?x)) (at start (open ?y)))
    :effect (and (at start (not (at ?x))) (at end (at ?y))))
  (:durative-action light :parameters () :duration (= ?duration 2) :effect (at end (lit))))"""
WAY = """(define (problem p) (:domain t) (:objects a b c - loc)
  (:init (at a) (open b) (open c)) (:goal (and (at c) (lit))) (:metric minimize (total-time)))"""
DAY = "0: (go a b) [5]\n5.01: (go b c) [5]\n6: (light) [2]\n"


def test_the_rest_of_a_plan_over_time() -> None:
    prepared = prepare(TIMED, WAY)
    report = check_rest(prepared, DAY, executed=1, repair=False)
    assert (report.determination, report.cost) == (True, Fraction("5.01"))  # what is to come begins at 5
    report = check_rest(prepared, DAY, executed=1, changes="(not (open c))", repair=False)
    assert report.determination is False
    assert (report.failures[0].step, report.failures[0].time) == (1, Fraction("5.01"))
    assert [step.time for step in report.reference] == [0, Fraction("5.01"), 6]  # type: ignore[union-attr]


def test_what_is_still_under_way_is_in_no_state() -> None:
    prepared = prepare(TIMED, WAY)
    why = "step 2 is still under way when step 3 begins"
    report = check_rest(prepared, DAY, executed=2, repair=False)
    assert report.determination is True and why in report.warnings[0]
    report = check_rest(prepared, DAY, executed=2, state="(at b) (lit)", repair=False)
    assert report.determination is None and why in report.reason


# --- the stream --------------------------------------------------------------------------------------


def follower(**options: object) -> Follower:
    return Follower(PREPARED, tokenize(PLAN).tokens, **options)  # type: ignore[arg-type]


def go(one: str, other: str) -> Step:
    return Step(name="go", args=(one, other))


def test_an_impossible_step_until_the_state_is_told() -> None:
    stream = follower()
    stream.begin()
    event = stream.step(go("c", "b"))
    assert (event.happened, event.determination) == (Happened.IMPOSSIBLE, None)
    assert stream.change("(seen c)").determination is None
    event = stream.state("(at a)")
    assert event.determination is True and event.warnings == (FIXED,)
    assert stream.state("(at a)", is_complete=True).determination is False


def told(*lines: str) -> list[Event]:
    return list(events(follower(), PREPARED, lines))


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("INFO: on the way", "line 1, column 1: a step such as"),
        ("  now (seen d)", "line 1, column 13: undeclared object 'd'"),
        ("now", "line 1, column 4: facts were expected"),
        ("state", "line 1, column 6: facts were expected"),
        ("(og a b)", "line 1, column 1: unknown action 'og'"),
        ("(go a)", "line 1, column 1: wrong number of arguments"),
    ],
)
def test_what_is_not_understood_is_told_and_the_stream_goes_on(line: str, place: str) -> None:
    _, event, after, seen = told(line, "(go a b)", "state (at b)")
    assert (event.happened, event.determination, event.unread) == (Happened.UNREAD, None, 1)
    assert event.reason.startswith(place)
    assert (after.happened, after.determination) == (Happened.AS_PLANNED, None)
    assert (seen.determination, seen.unread, [str(step) for step in seen.rest]) == (True, 1, ["(look b)", "(go b a)"])


@pytest.mark.parametrize(
    "line", ["go from a to b; then look at b", "(go a b);(look b)", "(go a b) (look b) ; a remark"]
)
def test_a_line_may_tell_several_steps(line: str) -> None:
    found = told(line)
    assert [event.happened for event in found[1:]] == [Happened.AS_PLANNED] * 2
    assert [event.executed for event in found] == [0, 1, 2]
    assert [str(step) for step in found[-1].rest] == ["(go b a)"]


def test_what_stands_behind_a_step_of_the_model_is_a_remark() -> None:
    assert [event.executed for event in told("(go a b) ; then look at b")] == [0, 1]


def test_what_was_not_understood_may_have_been_a_step_of_the_plan() -> None:
    *_, seen = told("(goo a b)", "state (at b)")
    assert (seen.determination, [str(step) for step in seen.rest]) == (True, ["(look b)", "(go b a)"])
    assert seen.warnings[0] == "what was not understood is taken for (go a b)"
    *_, later, seen = told("(goo a b)", "(look b)", "state (at b) (seen b)")
    assert (later.happened, seen.determination, [str(step) for step in seen.rest]) == (
        Happened.AS_PLANNED,
        True,
        ["(go b a)"],
    )
    *_, seen = told("(goo a b)", "state (at c)")  # whatever it was
    assert seen.determination is False


@pytest.mark.parametrize(
    "lines",
    [
        (
            "((:init (at a))",
            "(operator: (go a b))",
            "(:state (at b))",
            "(operator: (look b))",
            "(:state (at b) (seen b)))",
        ),
        ("(:trajectory", "(:state (at a))", "(:action (go a b))", "(:state (at b))", "(:action look b)", ")"),
    ],
)
def test_a_recorded_trajectory_is_followed(lines: tuple[str, ...]) -> None:
    found = told(*lines)
    assert [event.determination for event in found] == [True] * len(found)
    assert [event.happened for event in found].count(Happened.AS_PLANNED) == 2
    assert (found[-1].unread, [str(step) for step in found[-1].rest]) == (0, ["(go b a)"])


def test_what_a_stream_does_not_follow_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="durative-actions"):
        Follower(prepare(TIMED, WAY), ())


def test_a_stream_with_numbers_says_what_the_rest_by_itself_says() -> None:
    draw, prepared = random.Random(5), prepare(FUEL, FUEL_TRIP)
    for _ in range(30):
        steps = [draw.choice((go("a", "b"), go("b", "c"), go("b", "a"), Step(name="refuel"))) for _ in range(4)]
        stream = Follower(prepared, steps)
        stream.begin()
        executed = 0
        for step in steps[: draw.randrange(3)]:
            executed += 1
            if stream.step(step).determination is None:
                break
        changes = f"(= (fuel) {draw.randrange(4)})" + draw.choice(("", " (not (road b c))", " (road a c)"))
        said = stream.change(changes).determination
        if said is not None:
            alone = check_rest(prepared, Plan(parts=tuple(steps)), executed=executed, changes=changes, repair=False)
            assert said is alone.determination, (steps, executed, changes)


@pytest.mark.planner
def test_the_repair_is_followed() -> None:
    stream = follower(repair=lambda here, rest: check(here, None, rest))
    stream.begin()
    event = stream.step(go("a", "b"))
    event = stream.step(go("b", "c"))
    assert (event.happened, event.determination, event.repaired) == (Happened.UNPLANNED, False, True)
    assert [str(step) for step in event.rest] == ["(go c b)", "(look b)", "(go b a)"]
    assert (event.kept, event.distance, event.proven) == (2, 1, True)
    assert stream.step(go("c", "b")).determination is True


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--quality", "sound"), "--quality is for a plan by itself, not for a stream"),
        (("--explain",), "--explain is for a plan by itself, not for a stream"),
        (("--epsilon", "0"), "--epsilon is for a plan by itself, not for a stream"),
        (("--unified", "0"), "--unified is for a plan by itself, not for a stream"),
    ],
)
def test_what_a_stream_has_no_use_for_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: tuple[str, ...], said: str
) -> None:
    for name, text in (("d.pddl", WALK), ("p.pddl", WALK_PROBLEM), ("plan", PLAN)):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("d.pddl", "p.pddl", "plan")]
    assert main(["check", *files, "--follow", *given]) == 2
    assert said in capsys.readouterr().err


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("d.pddl", WALK), ("p.pddl", WALK_PROBLEM), ("plan", PLAN)):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("d.pddl", "p.pddl", "plan")]
    with patch("sys.stdin", io.StringIO("go from a to b\nnow (seen c)\n; a comment\nnow (not (next b a))\n")):
        assert main(["check", *files, "--follow", "--no-repair", "--format", "json"]) == 1
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["determination"] for event in events] == [True, True, True, False]
    with patch("sys.stdin", io.StringIO("what is this\n")):
        assert main(["check", *files, "--follow", "--no-repair"]) == 3
    assert "; line 1, column 1: a step such as" in capsys.readouterr().out
    (tmp_path / "changes").write_text("(not (next b a))")
    assert main(["check", *files, "--executed", "1", "--changes", str(tmp_path / "changes"), "--no-repair"]) == 1
