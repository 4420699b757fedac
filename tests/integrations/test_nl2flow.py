"""NL2Flow itself: its flows and its debugger, answered here in its own values."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("nl2flow")

from nl2flow.compile.flow import Flow
from nl2flow.compile.operators import ClassicalOperator as Operator
from nl2flow.compile.options import SlotOptions
from nl2flow.compile.schemas import GoalItem, GoalItems, MappingItem, Parameter, SignatureItem, SlotProperty
from nl2flow.debug.debug import BasicDebugger
from nl2flow.debug.schemas import DiffAction, SolutionQuality
from nl2flow.plan.planners.kstar import Kstar
from nl2flow.printers.codelike import CodeLikePrint

from validator.integrations.nl2flow import Debugger, PlanValidator, flow_of, registered

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]

GOOD = ["ask(city)", "hotel = find(city)", "receipt = book(hotel)"]


@pytest.fixture
def flow() -> Any:
    found = Flow("stay")
    for name, item, result in (("find", "city", "hotel"), ("book", "hotel", "receipt")):
        operator = Operator(name)
        operator.add_input(SignatureItem(parameters=[item]))
        operator.add_output(SignatureItem(parameters=[result]))
        found.add(operator)
    found.add([GoalItems(goals=GoalItem(goal_name="book")), SlotProperty(slot_name="hotel", slot_desirability=0.0)])
    return found


def _lines(response: Any) -> list[str]:
    text: str = CodeLikePrint.pretty_print_plan(response.best_plan, line_numbers=False)
    return text.split("\n")


def test_a_planner_for_its_flows(flow: Any) -> None:
    response = flow.plan_it(PlanValidator())
    assert _lines(response) == GOOD
    assert response.best_plan.cost == flow.plan_it(Kstar()).best_plan.cost
    assert not (response.is_no_solution or response.no_plan_needed or response.is_timeout)


def test_what_cannot_be_reached(flow: Any) -> None:
    flow.add(SlotProperty(slot_name="city", slot_desirability=0.0))
    response = flow.plan_it(PlanValidator())
    assert response.is_no_solution and response.list_of_plans == []


def test_mappings_and_options(flow: Any) -> None:
    tell = Operator("tell")
    tell.add_output(SignatureItem(parameters=Parameter(item_id="town")))
    flow.add([tell, MappingItem(source_name="town", target_name="city")])
    flow.slot_options = {SlotOptions.last_resort, SlotOptions.relaxed}
    flow.add(SlotProperty(slot_name="city", slot_desirability=0.0))
    assert _lines(flow.plan_it(PlanValidator())) == ["town = tell()", "map(town, city)", *GOOD[1:]]


@pytest.mark.parametrize("quality", SolutionQuality)
def test_a_debugger_with_its_report(flow: Any, quality: SolutionQuality) -> None:
    before = flow.flow_definition.model_dump()
    assert Debugger(flow).debug(GOOD, report_type=quality).determination is True
    report = Debugger(flow).debug([GOOD[0], GOOD[2]], report_type=quality)
    assert report.determination is False
    assert [diff.step.name for diff in report.plan_diff_obj if diff.diff_type is DiffAction.ADD] == ["find"]
    assert report.plan_diff_str == ["  ask(city)", "+ hotel = find(city)", "  receipt = book(hotel)"]
    assert flow.flow_definition.model_dump() == before


def test_its_own_calls_are_answered_while_registered(flow: Any) -> None:
    theirs = Flow.plan_it, BasicDebugger.debug
    with registered():
        assert _lines(flow.plan_it(Kstar())) == GOOD
        swapped = BasicDebugger(flow).debug([GOOD[1], GOOD[0], GOOD[2]], report_type=SolutionQuality.SOUND)
        assert swapped.determination is False
    assert (Flow.plan_it, BasicDebugger.debug) == theirs


def test_the_flow_behind_it(flow: Any) -> None:
    own = flow_of(flow)
    assert [operator.name for operator in own.operators] == ["find", "book"]
    assert own.options.retries
