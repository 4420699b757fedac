"""The nearest run that keeps a policy and that a model executes, against all runs that a few edits make."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.runs_on_models import DOMAIN, FLOW, MODELS, PROBLEM, RULES, called, keeps_on, nearest_on
from validator.guard import PlanGuard
from validator.model.bundled import bundle
from validator.policies import conform


@pytest.mark.deep
@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(RULES), min_size=1, max_size=2, unique=True),
    st.lists(st.sampled_from("abcd"), max_size=4),
    st.sampled_from((0, 1)),
)
def test_the_repair_on_a_model_has_the_fewest_edits(rules: list[str], names: list[str], number: int) -> None:
    policy = "\n".join(rules)
    calls = [{"name": name, "arguments": dict(called(name, number).values), "result": 1} for name in names]
    found = conform(policy, calls, model=MODELS[number])
    assert found.kept is keeps_on(policy, tuple(names), number)
    if found.repair is None:
        assert found.kept
        return
    assert found.repair.proven
    if found.repair.edits is None:
        assert nearest_on(policy, tuple(names), number, 2) is None
        return
    run = tuple(event.name for event in found.repair.run)
    assert keeps_on(policy, run, number)
    assert found.repair.cost is not None
    if found.repair.cost <= 3:
        assert nearest_on(policy, tuple(names), number, found.repair.cost) == found.repair.cost


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
        decision = guard.before(name, dict(called(name, 1).values))
        assert decision.allowed, decision.message
        guard.after(decision, "done")


def test_the_rest_keeps_the_rules_and_can_be_executed() -> None:
    guard = PlanGuard("ask_card before book_flight", (TRIP.domain, TRIP.problem))
    decision = guard.before("book_flight", {"f": "fl-noon", "from": "oslo", "to": "rome"})
    rest = decision.repaired(timeout=60)
    assert rest is not None and rest.steps is not None and rest.proven
    assert "(ask-card c=work-card)" in rest.steps and "(ask-user o=fl-noon)" in rest.steps
    assert rest.steps[-1] == "(book_flight f=fl-noon from=oslo to=rome)"


@pytest.mark.deep
@pytest.mark.parametrize("model", MODELS)
def test_no_plan_is_proposed_that_the_rules_deny(model: object) -> None:
    guard = PlanGuard("never c", model, time_limit=20)
    rest = guard.before("c", {"q": "x"} if model is FLOW else {}).repaired(timeout=60)
    assert rest is not None and (rest.steps, rest.proven) == (None, False) and "does not keep the policy" in rest.reason
