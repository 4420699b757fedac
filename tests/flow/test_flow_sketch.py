"""Sketches over a catalog."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.places import FLOWS
from validator.cli import main
from validator.errors import ModelError
from validator.flow import plan_flow, read_sketch
from validator.flow.definition.sketch import flow_from_sketch
from validator.flow.model import Claim, Goal, GoalKind, GoalLogic, ItemState, LifeCycle, Map, MemoryItem, Order
from validator.reading.plan import Step

SKETCH, CATALOG = FLOWS / "trip.sketch.yaml", FLOWS / "trip.catalog.yaml"
AGENTS = {
    "catalog_name": "small",
    "agents": [
        {"id": "f", "inputs": [{"name": "x", "type": "t"}, "y"], "outputs": ["z"]},
        {"id": "g", "inputs": ["z"], "outputs": [{"name": "w"}]},
    ],
}


def _read(*components: dict[str, Any], **rest: Any) -> Any:
    return flow_from_sketch({"sketch_name": "s", "components": list(components), **rest}, AGENTS)


@pytest.mark.planner
def test_a_conference_trip_is_planned() -> None:
    (plan,) = plan_flow(read_sketch(SKETCH, CATALOG)).plans
    assert sorted(map(str, plan.steps)) == sorted(
        (
            "ask(w3)",
            "name, address, Employee ID, Passport = W3 Agent(w3)",
            "name, address, Employer Letter = Workday(Employee ID)",
            "visa = Visa Application(Passport, address, Employer Letter)",
            "assert not $visa.status == SUCCESS",
            "Vacation Bot(w3)",
            "Email Agent()",
        )
    )


@pytest.mark.planner
def test_what_is_known_changes_the_plan() -> None:
    flow = read_sketch(SKETCH, CATALOG)
    granted = replace(
        flow,
        history=(Step(name="Visa Application"),),
        memory=(MemoryItem(item="visa", state=ItemState.KNOWN),),
        claims=(Claim(text="$visa.status == SUCCESS"),),
    )
    names = [getattr(step, "name", "") for step in plan_flow(granted).plans[0].steps]
    assert "Registration Bot" in names and names.index("Trip Approval") < names.index("Registration Bot")


@pytest.mark.planner
def test_the_command_takes_a_catalog(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(SKETCH), "--catalog", str(CATALOG), "--plans", "1"]) == 0
    assert "Vacation Bot(w3)" in capsys.readouterr().out


def test_agents_and_items_are_goals() -> None:
    flow = _read({"item": "g"}, {"item": "w"}, {"OR": [{"item": "f"}, {"item": "z"}, {"condition": "$z > 1"}]})
    assert flow.options.goal_logic is GoalLogic.AND_OR
    assert flow.goals == (
        (Goal(kind=GoalKind.OPERATOR, subject="g"),),
        (Goal(kind=GoalKind.KNOWN, subject="w"),),
        (
            Goal(kind=GoalKind.OPERATOR, subject="f"),
            Goal(kind=GoalKind.KNOWN, subject="z"),
            Goal(kind=GoalKind.CONSTRAINT, claim=Claim(text="$z > 1")),
        ),
    )


def test_parameters_have_values_or_targets() -> None:
    flow = _read({"item": "f", "parameters": [{"name": "x", "value": "Rome"}, {"name": "y", "target": "w"}]})
    assert flow.goals[0][0].arguments == ("Rome", "w")
    assert [(entry.item, entry.type, entry.state) for entry in flow.memory] == [("Rome", "t", ItemState.KNOWN)]
    assert flow.maps == (Map(source="Rome", target="x"), Map(source="w", target="y"))
    assert [(slot.item, slot.desirability) for slot in flow.slots] == [("Rome", 0.0)]


def test_orders_and_options() -> None:
    flow = _read({"item": "f"}, {"item": "g"}, {"order": "g < f"}, options=["INORDER", "CAREFUL", "NO_TYPING"])
    assert flow.orders == (Order(first="f", then="g"), Order(first="f", then="g"))
    assert flow.options.life_cycle == {LifeCycle.UNCERTAIN_ON_USE, LifeCycle.CONFIRM_ON_MAPPING}
    assert not flow.options.map_types and flow.options.ask_ordered and flow.options.map_transitive


@pytest.mark.parametrize(
    ("component", "said"),
    [
        ({"thing": 1}, "one of the keys item, condition, OR, order"),
        ({"order": "f g"}, "FIRST > THEN"),
        ({"item": "f", "parameters": [{"name": "q", "value": 1}]}, "agent 'f' has no input 'q'"),
        ({"item": "f", "parameters": [{"name": "x"}]}, "either a value or a target"),
        ({"item": "h", "parameters": [{"name": "x", "value": 1}]}, "only an agent has parameters"),
        ({"condition": "c", "if_outcomes": [{"item": "q"}]}, "no agent is or yields 'q'"),
        (
            {"condition": "c", "if_outcomes": [{"condition": "d", "if_outcomes": [{"item": "f"}]}]},
            "no outcomes of its own",
        ),
    ],
)
def test_a_bad_component_is_refused_by_name(component: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        _read(component)


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(ModelError, match="CAREFUL, INORDER, NO_TYPING"):
        _read({"item": "f"}, options=["CARELESS"])
