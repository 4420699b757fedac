"""Deviations judged by a model: each kind, each proof, and what stays unknown."""

from __future__ import annotations

import pytest

from validator.adherence import Adherence, Call, Effect, Planned, adhere
from validator.adherence.model import pddl_steps
from validator.checking.check import check
from validator.model.pddl import read_model
from validator.reading.plan import Step

DOMAIN = """
(define (domain errand) (:requirements :strips :typing :negative-preconditions)
  (:types item)
  (:constants oven - item)
  (:predicates (open) (have ?i - item) (baked ?i - item) (burnt))
  (:action unlock :parameters () :precondition (not (open)) :effect (open))
  (:action look :parameters () :effect ())
  (:action buy :parameters (?i - item) :precondition (and (open) (not (have ?i))) :effect (have ?i))
  (:action bake :parameters (?i - item) :precondition (and (have ?i) (not (burnt))) :effect (baked ?i))
  (:action overheat :parameters () :effect (burnt)))
"""
PROBLEM = """
(define (problem two) (:domain errand) (:objects bread Pie - item) (:init)
  (:goal (and (baked bread) (baked pie))))
"""
PLAN = ["unlock()", "buy(bread)", "buy(pie)", "bake(bread)", "bake(pie)"]


def _calls(*texts: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for text in texts:
        name, *args = text.split()
        found.append({"name": name, "arguments": {"i": args[0]} if args else {}})
    return found


def _judged(*texts: str, plan: list[str] | None = None, time_limit: float = 0) -> Adherence:
    return adhere(plan or PLAN, _calls(*texts), model=(DOMAIN, PROBLEM), time_limit=time_limit)


def _effects(result: Adherence) -> list[tuple[str, str]]:
    return [(row.kind.value, row.effect.value if row.effect else "") for row in result.deviations]


def _proof(result: Adherence) -> str:
    (row,) = result.deviations
    return row.proof


GOOD = ("unlock", "buy bread", "buy pie", "bake bread", "bake pie")


@pytest.mark.parametrize(
    ("texts", "kind", "proof"),
    [
        (("unlock", "buy pie", "buy bread", "bake bread", "bake pie"), "moved", "the plan in another order"),
        (("unlock", "look", "buy bread", "buy pie", "bake bread", "bake pie"), "extra", "for 1 more than the plan"),
    ],
)
def test_a_deviation_that_leaves_the_execution_valid_is_harmless(texts: tuple[str, ...], kind: str, proof: str) -> None:
    result = _judged(*texts)
    assert _effects(result) == [(kind, "harmless")]
    assert proof in _proof(result)


@pytest.mark.parametrize(
    ("texts", "kind", "proof"),
    [
        (
            "unlock, buy bread, bake bread, bake pie",
            "missing",
            "undone, call 4 could be executed, which needs (have pie)",
        ),
        ("unlock, buy bread, buy pie, bake bread", "missing", "undone, the goal (baked pie) is reached"),
        (
            "unlock, buy bread, buy pie, overheat, bake bread, bake pie",
            "extra",
            "undone, call 5 could be executed, which needs (not (burnt))",
        ),
        (
            "unlock, buy bread, bake bread, bake pie, buy pie",
            "moved",
            "undone, call 4 could be executed, which needs (have pie)",
        ),
        ("buy bread, unlock, buy pie, bake bread, bake pie", "moved", "the call could not be executed: (open)"),
        (
            "unlock, buy bread, buy bread, bake bread, bake pie",
            "changed",
            "the call could not be executed: (not (have bread))",
        ),
    ],
)
def test_a_deviation_that_breaks_the_execution_is_harmful(texts: str, kind: str, proof: str) -> None:
    result = _judged(*texts.split(", "))
    assert [pair for pair in _effects(result) if pair[0] == kind] == [(kind, "harmful")]
    assert proof in [row.proof for row in result.deviations]


def test_what_the_state_does_not_allow_is_forced() -> None:
    """The execution ends early: what was left out first is to blame, the step that needs it could not run any more."""
    result = _judged("unlock", "buy bread", "bake bread")
    assert [(row.kind.value, row.effect) for row in result.deviations] == [
        ("missing", Effect.HARMFUL),
        ("missing", Effect.FORCED),
    ]
    harmful, forced = result.deviations
    assert harmful.proof == "the plan is valid, and with this deviation alone it is not"
    assert forced.proof == "the planned step could not be executed in the state reached: (have pie)"


@pytest.mark.planner
def test_the_planner_proves_a_dead_end_and_finds_a_way_where_there_is_one() -> None:
    dead = _judged("unlock", "overheat", "look", time_limit=20).execution
    assert dead is not None
    assert (dead.dead_end, dead.recovery) == (1, None)
    alive = _judged("unlock", "buy bread", "bake bread", time_limit=20).execution
    assert alive is not None
    assert alive.dead_end is None
    assert alive.recovery is not None
    steps = (Step(name="unlock"), Step(name="buy", args=("bread",)), Step(name="bake", args=("bread",)))
    whole = "\n".join(map(str, (*steps, *alive.recovery)))
    assert check(DOMAIN, PROBLEM, whole, repair=False).determination is True


def test_calls_made_at_once_read_one_state() -> None:
    calls = _calls(*GOOD)
    for call in calls[1:3]:
        call["batch"] = 1
    assert _sound(calls) is True
    for call in calls[:2]:
        call["batch"] = 2
    assert _sound(calls) is False


def _sound(calls: list[dict[str, object]]) -> bool | None:
    execution = adhere(PLAN, calls, model=(DOMAIN, PROBLEM), time_limit=0).execution
    return None if execution is None else execution.sound


def test_what_is_not_known_is_not_judged() -> None:
    calls = [*_calls(*GOOD), {"name": "buy"}]
    result = adhere(PLAN, calls, model=(DOMAIN, PROBLEM), time_limit=0)
    assert result.execution is not None
    assert (result.execution.sound, result.execution.reaches_goal) == (None, None)
    assert result.execution.reason == "call 6 (buy): its arguments are not known"
    assert _effects(result) == [("extra", "unknown")]


def test_a_tool_that_the_model_does_not_know_is_not_judged() -> None:
    result = _judged(*GOOD, "send_mail")
    assert _effects(result) == [("extra", "unknown")]
    assert _proof(result) == "the model has no action 'send_mail'"


def test_features_that_are_not_executed_are_named() -> None:
    numeric = DOMAIN.replace("(:predicates", "(:functions (f)) (:predicates").replace(
        ":effect (burnt)", ":effect (and (burnt) (increase (f) 1))"
    )
    result = adhere(PLAN, _calls(*GOOD, "look"), model=(numeric, PROBLEM))
    assert result.execution is not None
    assert result.execution.sound is None
    assert "the model uses what is not executed" in result.execution.reason


@pytest.mark.parametrize(
    ("name", "arguments", "step"),
    [
        ("buy", {"i": "bread"}, "(buy bread)"),
        ("Buy", {"?I": "Bread"}, "(buy bread)"),
        ("buy", {"item": "pie"}, "(buy pie)"),
        ("buy", ["pie"], "(buy pie)"),
        ("buy", {"i": "<the bread>"}, "some of its arguments are placeholders"),
        ("buy", None, "its arguments are not known"),
        ("look", None, "(look)"),
        ("fly", {"to": "Rome"}, "(fly Rome)"),
    ],
)
def test_calls_read_as_steps_of_the_model(name: str, arguments: object, step: str) -> None:
    from validator.reading.calls import read_arguments

    translate = pddl_steps(read_model(DOMAIN, PROBLEM))
    assert str(translate(Call(index=0, name=name, arguments=read_arguments(arguments)))).lower() == step.lower()


def test_another_vocabulary_takes_the_place_of_names() -> None:
    def translate(side: Planned | Call) -> Step | str:
        words = {"open_shop": "unlock"}
        args = tuple(argument.text for argument in side.arguments or ())
        return Step(name=words.get(side.name, side.name), args=args)

    calls = [{"name": "open_shop", "arguments": {}}, *_calls(*GOOD[1:])]
    result = adhere(["open_shop()", *PLAN[1:]], calls, model=(DOMAIN, PROBLEM), translate=translate, time_limit=0)
    assert result.execution is not None
    assert result.execution.reaches_goal is True


def test_causes_are_told_by_the_numbers_of_calls() -> None:
    """A call that failed is none of the steps that are executed, but counts among the calls."""
    calls = _calls("look", "unlock", "overheat", "buy bread", "bake bread")
    calls[0]["error"] = "dark"
    execution = adhere(PLAN, calls, model=(DOMAIN, PROBLEM), time_limit=0).execution
    assert execution is not None
    assert execution.faults[0] == "Call 5 (bake bread): (not (burnt)) is false (call 3 made the atom true)"


def test_what_the_time_limit_cuts_off_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default a little time is left for what is over, in which a fast machine judges all of them."""
    monkeypatch.setattr("validator.grounding.limits._LITTLE", 1e-9)
    result = _judged("unlock", "look", "buy bread", time_limit=1e-9)
    assert {effect for _, effect in _effects(result)} == {"unknown"}
    assert {row.proof for row in result.deviations} == {"the time limit was met before this was judged"}


ALIKE = """(define (domain alike) (:predicates (p) (q) (at ?x))
  (:action go-1 :parameters () :effect (p)) (:action go_1 :parameters () :effect (q))
  (:action see :parameters (?x) :effect (at ?x)))"""
TWO = "(define (problem two) (:domain alike) (:objects o-1 o_1) (:init) (:goal (and (p) (at o-1))))"


@pytest.mark.parametrize(
    ("go", "see", "reached", "reason"),
    [
        ("go-1", "o-1", True, ""),
        ("GO-1", "O-1", True, ""),
        ("go_1", "o-1", False, ""),
        ("go-1", "o_1", False, ""),
        ("go 1", "o-1", None, "call 1 (go 1): it may be go-1 or go_1"),
        ("go-1", "o 1", None, 'call 2 (see x="o 1"): its argument o 1 may be o-1 or o_1'),
    ],
)
def test_names_that_only_their_joints_tell_apart_are_not_confused(
    go: str, see: str, reached: bool | None, reason: str
) -> None:
    calls = [{"name": go, "arguments": {}}, {"name": "see", "arguments": {"x": see}}]
    found = adhere(None, calls, model=(ALIKE, TWO)).execution
    assert found is not None
    assert (found.reaches_goal, found.reason) == (reached, reason)


@pytest.mark.parametrize(
    ("arguments", "reached"),
    [
        ({"from": "u", "to": "v"}, True),
        ({"To": "v", "From": "u"}, True),
        ({"to": "v", "start": "u"}, True),
        ({"goal": "v", "start": "u"}, None),  # the keys of an object have no order
        ({"start": "u", "goal": "v"}, None),
        ({"start": "u", "goal": "u"}, False),
        ({"from": "u", "to": "v", "dry_run": "yes"}, None),
        ({"x_1": "v", "x-1": "u"}, True),
        ({"x-1": "u", "x_1": "v"}, True),
        ({"x_1": "u", "x-1": "v"}, False),
    ],
)
def test_arguments_take_the_places_that_they_name(arguments: dict[str, str], reached: bool | None) -> None:
    domain = """(define (domain d) (:predicates (p ?a ?b)) (:action move :parameters (?from ?to) :effect (p ?from ?to))
      (:action shift :parameters (?x-1 ?x_1) :effect (p ?x-1 ?x_1)))"""
    problem = "(define (problem x) (:domain d) (:objects u v) (:init) (:goal (p u v)))"
    name = "shift" if "x_1" in arguments else "move"
    found = adhere(None, [{"name": name, "arguments": arguments}], model=(domain, problem)).execution
    assert found is not None
    assert (found.sound, found.reaches_goal) == (None if reached is None else True, reached)


@pytest.mark.parametrize(
    ("arguments", "outcome", "sound"),
    [
        ({"b": "v", "a": "u"}, "followed", None),
        ({"b": "w", "a": "u"}, "deviated", None),
        ({"b": "v", "a": "v"}, "deviated", False),
        ({"b": "v", "a": "u", "c": "w"}, "deviated", None),
        ({"to": "u", "from": "v"}, "deviated", False),
    ],
)
def test_what_values_under_names_that_the_model_has_not_do_is_not_known(
    arguments: dict[str, str], outcome: str, sound: bool | None
) -> None:
    """They were placed in the order of the keys, and harm was told of a step that nobody had asked for."""
    domain = """(define (domain d) (:predicates (at ?a)) (:action move :parameters (?from ?to)
      :precondition (at ?from) :effect (and (not (at ?from)) (at ?to))))"""
    problem = "(define (problem x) (:domain d) (:objects u v w) (:init (at u)) (:goal (at v)))"
    call = {"name": "move", "arguments": arguments}
    result = adhere(["(move u v)"], [call], model=(domain, problem), time_limit=0)
    assert result.execution is not None
    assert (result.outcome.value, result.execution.sound) == (outcome, sound)
    by_name = adhere(["move(from=u, to=v)"], [call], model=(domain, problem), time_limit=0)
    assert by_name.execution is not None and by_name.execution.sound is sound
    told = [] if outcome == "followed" else ["unknown"] if sound is None else ["harmful"]
    assert [row.effect.value for row in result.deviations if row.effect] == told


def test_a_plan_and_calls_of_actions_that_are_alike_are_compared_by_their_own_names() -> None:
    found = adhere(["go-1()"], [{"name": "go_1", "arguments": {}}], model=(ALIKE, TWO))
    assert found.score == 0
    assert adhere(["go-1()"], [{"name": "go_1", "arguments": {}}]).score == 1
