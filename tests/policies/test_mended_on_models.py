"""The nearest run that keeps a policy and that a model executes, against all runs that a few edits make."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.guard import PlanGuard
from validator.model.bundled import bundle
from validator.policies import conform, read_policy
from validator.policies.conform import follow
from validator.policies.events import Event
from validator.policies.worlds.choose import world_of
from validator.policies.worlds.world import World

DOMAIN = """(define (domain letters) (:predicates (p) (q) (r))
  (:action a :effect (p))
  (:action b :precondition (p) :effect (and (q) (not (p))))
  (:action c :precondition (q) :effect (and (r) (p)))
  (:action d :precondition (or (p) (r)) :effect (not (q))))"""
PROBLEM = "(define (problem one) (:domain letters) (:init) (:goal (r)))"
FLOW = {
    "flow": "letters",
    "operators": [
        {"name": "a", "outputs": ["p"]},
        {"name": "b", "inputs": ["p"], "outputs": ["q"]},
        {"name": "c", "inputs": ["q", {"item": "s", "required": False}], "outputs": ["r"]},
        {"name": "d", "inputs": ["s"]},
    ],
    "goals": [{"known": "r"}],
    "slots": [{"item": each, "desirability": 0} for each in "pqr"],
}
MODELS = ((DOMAIN, PROBLEM), FLOW)
RULES = (
    "a before d",
    "b then a",
    "never d",
    "at most 1 a",
    "at least 1 c",
    "order a < {b, d}",
    "either never a or at least 1 d",
    "budget 3",
    "c only if (f)\na gives (f)\nb ends (f)",
)


@lru_cache
def _world(number: int) -> World:
    return world_of(MODELS[number])


def _keeps(policy: str, run: tuple[str, ...], number: int) -> bool:
    events = [_called(name, number) for name in run]
    return all(finding.kept for finding in follow(read_policy(policy), events, _world(number)))


def _called(name: str, number: int) -> Event:
    inputs = {"b": "p", "c": "q", "d": "s"} if number else {}
    return Event(name, {inputs[name]: "x"} if name in inputs else {})


def _near(run: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for place in range(len(run)):
        rest = (*run[:place], *run[place + 1 :])
        yield rest
        yield from ((*rest[:to], run[place], *rest[to:]) for to in range(len(run)))
    for place in range(len(run) + 1):
        yield from ((*run[:place], tool, *run[place:]) for tool in "abcd")


def _nearest(policy: str, run: tuple[str, ...], number: int, most: int) -> int | None:
    layer, seen = {run}, {run}
    for edits in range(most + 1):
        if any(_keeps(policy, each, number) for each in layer):
            return edits
        layer = {near for each in layer for near in _near(each)} - seen
        seen |= layer
    return None


@pytest.mark.deep
@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(RULES), min_size=1, max_size=2, unique=True),
    st.lists(st.sampled_from("abcd"), max_size=4),
    st.sampled_from((0, 1)),
)
def test_the_repair_on_a_model_has_the_fewest_edits(rules: list[str], names: list[str], number: int) -> None:
    policy = "\n".join(rules)
    calls = [{"name": name, "arguments": dict(_called(name, number).values), "result": 1} for name in names]
    found = conform(policy, calls, model=MODELS[number])
    assert found.kept is _keeps(policy, tuple(names), number)
    if found.repair is None:
        assert found.kept
        return
    assert found.repair.proven
    if found.repair.edits is None:
        assert _nearest(policy, tuple(names), number, 2) is None
        return
    run = tuple(event.name for event in found.repair.run)
    assert _keeps(policy, run, number)
    assert found.repair.cost is not None
    if found.repair.cost <= 3:
        assert _nearest(policy, tuple(names), number, found.repair.cost) == found.repair.cost


TRIP = bundle("trip")


def _edits(policy: str, names: str, model: object) -> tuple[list[str], bool]:
    calls = [{"name": name, "arguments": {}, "result": 1} for name in names]
    repair = conform(policy, calls, model=model).repair  # type: ignore[arg-type]
    assert repair is not None
    return [edit.said for edit in repair.edits or () if edit.kind != "keep"], repair.proven


@pytest.mark.parametrize(
    ("policy", "names", "edits"),
    [
        ("never d", "b", ["add (a) before call 1"]),
        ("never d", "ba", ["move call 1 (b) before call 3"]),
        ("b then a", "ab", ["add (a) at the end"]),
        ("at least 1 c", "a", ["add (b) at the end", "add (c) at the end"]),
    ],
)
def test_rules_and_a_model_are_mended_together(policy: str, names: str, edits: list[str]) -> None:
    found, proven = _edits(policy, names, (DOMAIN, PROBLEM))
    assert found == [edit.replace("before call 3", "at the end") for edit in edits] and proven


def test_what_the_model_does_not_know_is_no_proof() -> None:
    assert _edits("verify before b", "ab", (DOMAIN, PROBLEM)) == (["add (verify) before call 2"], False)


def test_an_argument_that_a_rule_looks_at_is_chosen_so_that_it_keeps_it() -> None:
    run = [{"name": "a", "arguments": {}}, {"name": "b", "arguments": {"p": 5}}, {"name": "c", "arguments": {"q": 1}}]
    found = conform("b only if p <= 3", run, model=FLOW).repair
    assert found is not None and found.proven
    assert [edit.said for edit in found.edits or () if edit.kind != "keep"] == [
        "drop call 2 (b p=5)",
        "add (b p=3) before call 3",
    ]


def test_a_call_without_its_optional_inputs_is_a_step_of_a_flow() -> None:
    guard = PlanGuard(FLOW, repair=False)
    for name in "abc":
        decision = guard.before(name, dict(_called(name, 1).values))
        assert decision.allowed, decision.message
        guard.after(decision, "done")


def test_the_rest_keeps_the_rules_and_can_be_executed() -> None:
    guard = PlanGuard("ask_card before book_flight", (TRIP.domain, TRIP.problem))
    decision = guard.before("book_flight", {"f": "fl-noon", "from": "oslo", "to": "rome"})
    rest = decision.repaired(timeout=60)
    assert rest is not None and rest.steps is not None and rest.proven
    assert "(ask-card c=work-card)" in rest.steps and "(ask-user o=fl-noon)" in rest.steps
    assert rest.steps[-1] == "(book_flight f=fl-noon from=oslo to=rome)"
