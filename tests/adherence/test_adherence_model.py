"""Deviations judged by a model: each kind, each proof, and what stays unknown."""

from __future__ import annotations

import pytest

from validator.adherence import Adherence, adhere
from validator.checking.check import check
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
