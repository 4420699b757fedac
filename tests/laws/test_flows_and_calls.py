"""Plans of flows and lists of tool calls: what they are judged as, mended to, and what the cheapest ones are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from itertools import product
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume

from tests.support.dijkstra import TOO_MANY
from tests.support.flow_attack import compared, flow_with_goals, move_of, walk_with_faults
from tests.support.flow_interpreter import Interpreter, Move, line
from tests.support.laws import law
from tests.support.random_tools import is_called_right, random_arguments, random_tool
from tests.support.tool_lists import BOX, IDS, SPARE, TOOLS, Box, random_list, runs, with_changes
from validator.flow import check_flow, check_tool_calls, plan_flow
from validator.flow.compiled import analysis, compile

WORLDS = 1_500
"""that are looked at; a case with more is left out"""

# --- plans of flows --------------------------------------------------------------------------------

ASKED = (*product(("sound", "valid"), ("move", "keep", "edits")), ("optimal", "move"))


@law(8, quick=1)
def test_what_is_said_of_plans_of_flows_is_what_every_world_says(seed: int) -> None:
    """However many items there are from which on calls are not told apart, and goals from which on they are facts."""
    draw = Random(f"flow {seed}")
    flow = flow_with_goals(draw)
    own = Interpreter(flow)
    moves, (quality, policy) = walk_with_faults(own, draw), draw.choice(ASKED)
    measure = "optimal" if quality == "optimal" else policy
    with ExitStack() as changed:
        if draw.random() < 0.3:
            changed.enter_context(patch.object(analysis, "_WIDE", 0))
        if draw.random() < 0.3:
            changed.enter_context(patch.object(compile, "_MOST_GOALS", 0))
        expected = own.nearest(moves, measure, with_goal=quality != "sound", most=WORLDS)
        assume(expected != TOO_MANY)
        report = check_flow(flow, [line(flow, move) for move in moves], quality=quality, policy=policy, time_limit=60)
        compared(own, moves, report, measure, expected)
        cheapest_plan = own.nearest((), "optimal", with_goal=True, most=WORLDS)
        assume(cheapest_plan != TOO_MANY)
        found = plan_flow(flow)
    if cheapest_plan is None:
        assert found.status == "unsolvable" or not found.proven, (flow, found)
    else:
        assert found.cost is None or found.cost >= int(cheapest_plan[0]), (flow, found, cheapest_plan)
        assert not found.proven or found.cost == cheapest_plan[0], (flow, found, cheapest_plan)


# --- cheapest plans --------------------------------------------------------------------------------


@law(3)
def test_no_short_plan_of_a_flow_is_cheaper_than_its_cheapest(seed: int) -> None:
    """Of a flow some of whose steps have happened."""
    draw = Random(f"others {seed}")
    flow = flow_with_goals(draw)
    own, happened = Interpreter(flow), list[Move]()
    world = own.start
    for _ in range(draw.choice((0, 0, 1, 2))):
        if ways := sorted(own.moves(world), key=lambda way: (way[2], way[0])):
            move, world, _ = draw.choice(ways[:4])
            happened.append(move)
    found = plan_flow(flow, prefix=[line(flow, move) for move in happened])
    told = (flow, happened, found)
    if found.plan is not None:
        moves = list(map(move_of, found.plan))
        end = own.run([*happened, *moves])
        assert end is not None and own.is_goal(end[0]) and sum(end[1][len(happened) :]) == found.cost, (told, moves)
    layer: list[tuple[Any, int]] = [(world, 0)]
    for _ in range(5):
        for here, cost in layer:
            if own.is_goal(here):
                is_least = found.cost is not None and cost >= found.cost
                assert found.status != "unsolvable" and (not found.proven or is_least), (told, cost)
        layer = [(end, cost + price) for here, cost in layer[:2_000] for _, end, price in own.moves(here)]


# --- tool calls ------------------------------------------------------------------------------------


@law(4, quick=3)
def test_a_list_of_calls_is_repaired_and_where_that_is_proven_none_with_fewer_changes_runs(
    seed: int,
) -> None:
    draw = Random(f"called {seed}")
    box = draw.choice((IDS, BOX, SPARE, Box(TOOLS, ("$a.place$", "$b.amount$", "$c.city$", "$d.place$"))))
    calls, goals = random_list(draw, box), draw.sample(sorted(box.inputs), draw.choice((0, 1, 1, 2)))
    report = check_tool_calls(box.tools, calls, goals=goals, time_limit=60)
    told = (calls, goals, report.repaired_calls)
    assert report.determination is runs(calls, box, goals), told
    assume(not report.determination)
    assert report.repaired_calls is not None and runs(report.repaired_calls, box, goals), told
    changes = report.planner_response.cost
    if report.proven and changes is not None:
        fewer = (each for number in range(min(int(changes), 3)) for each in with_changes(calls, number, box))
        assert not any(runs(each, box, goals) for each in fewer), told


@law(30, quick=10)
def test_arguments_of_calls_are_judged_as_jsonschema_does(seed: int) -> None:
    pytest.importorskip("jsonschema")
    draw = Random(f"given {seed}")
    tools = {name: random_tool(draw, name) for name in draw.sample(("book", "find", "mail"), draw.randint(1, 2))}
    names = [draw.choice(sorted(tools)) for _ in range(draw.choice((1, 1, 2, 3)))]
    calls = [{"name": name, "arguments": random_arguments(draw, tools[name])} for name in names]
    asked = [
        {"id": f"c{n}", "type": "function", "function": {**call, "arguments": json.dumps(call["arguments"])}}
        for n, call in enumerate(calls)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": asked}
    report = check_tool_calls(list(tools.values()), draw.choice((calls, json.dumps(calls), message)))
    right = [is_called_right(tools[call["name"]], call["arguments"]) for call in calls]  # type: ignore[index]
    told = (tools, calls, right, report.determination, report.failures, report.repaired_calls)
    assert report.determination in (all(right), None), told
    at_fault, wrong = (
        {failure.step for failure in report.failures},
        {at for at, is_right in enumerate(right) if not is_right},
    )
    is_understood = "unevaluated" not in json.dumps(tools)
    assert at_fault == wrong or (at_fault < wrong and not is_understood), told
    if report.repaired_calls is not None and (report.proven or is_understood):
        mended = ((tools[call["name"]], call["arguments"]) for call in report.repaired_calls)
        assert all(may_be_right(*each) for each in mended), told
        again = check_tool_calls(list(tools.values()), report.repaired_calls, repair=False)
        assert again.determination is not False, (told, again)


def may_be_right(tool: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Return whether arguments are right; what the user has to say is whatever is."""
    asked = [name for name, value in arguments.items() if isinstance(value, str) and value.startswith("$ask.")]
    own = tool.get("function", tool)
    schema = next(own[key] for key in ("parameters", "input_schema", "inputSchema") if key in own)
    open_ = {name: {} if name in asked else each for name, each in schema["properties"].items()}
    return is_called_right({"parameters": {**schema, "properties": open_}}, arguments)
