"""A policy as constraints of a model: decided as by ``conform``, and repaired as any model's plans are."""

from __future__ import annotations

import pytest

from validator import Plan, check, conform, prepare, read_policy
from validator.errors import InputError
from validator.model.bundled import bundle
from validator.policies.constrained import constrained

TRIP = bundle("trip")
POLICIES = (
    "ask_card before book_flight",
    "pay then confirm",
    "at most 1 ask_user",
    "at most 1 ask_user(o = fl-noon)",
    "never pay(o = hotel-luna)",
    "at least 1 search_flight(f = fl-early)",
    "order ask_card < ask_dates",
    "ask_user gives (seen ?o)\npay only if (seen ?o)",
    "pay only if o = hotel-luna or c = work-card",
    "budget 10",
    "either never ask_card or order ask_card < ask_dates",
)


@pytest.mark.parametrize("policy", POLICIES)
def test_it_is_decided_as_by_conform(policy: str) -> None:
    model = prepare(TRIP.domain, TRIP.problem)
    names = {name: [p.name.lstrip("?") for p in a.parameters] for name, a in model.model.domain.actions.items()}
    text = TRIP.plans[0].read_text()
    steps = [line.strip("()\n").split() for line in text.splitlines() if line.startswith("(")]
    calls = [
        {"name": name, "arguments": dict(zip(names[name], args, strict=True)), "result": 1} for name, *args in steps
    ]
    found = check(constrained(read_policy(policy), model), None, text, repair=False)
    assert found.determination is conform(policy, calls, repair=False).kept


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_repaired_keeps_it(policy: str) -> None:
    model = prepare(TRIP.domain, TRIP.problem)
    names = {name: [p.name.lstrip("?") for p in a.parameters] for name, a in model.model.domain.actions.items()}
    report = check(constrained(read_policy(policy), model), None, TRIP.plans[0], time_limit=120)
    assert report.proven
    if report.repaired_plan is None:  # the goal cannot be reached so
        assert report.determination or "cannot be reached" in report.reason
        return
    calls = [
        {"name": step.name, "arguments": dict(zip(names[step.name], step.args, strict=True)), "result": 1}  # type: ignore[union-attr]
        for step in report.repaired_plan
    ]
    assert conform(policy, calls, model=model).kept
    assert check(model, None, Plan(parts=report.repaired_plan), repair=False).determination


@pytest.mark.deep
@pytest.mark.planner
def test_the_nearest_valid_plan_that_keeps_it_is_found() -> None:
    model = constrained(read_policy("ask_card before book_flight"), prepare(TRIP.domain, TRIP.problem))
    report = check(model, None, TRIP.plans[0], time_limit=60)
    assert report.determination is False and report.proven and report.repaired_plan is not None
    steps = [step.name for step in report.repaired_plan]  # type: ignore[union-attr]
    assert steps.index("ask-card") < steps.index("book-flight")


def test_facts_of_the_model_are_refused() -> None:
    with pytest.raises(InputError, match="approved"):
        constrained(read_policy("pay only if (approved ?o)"), prepare(TRIP.domain, TRIP.problem))
