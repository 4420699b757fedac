"""A flow as the model: plans read as flows write them, calls bound to items, what leaves no call, each deviation."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import some
from tests.support.places import FLOWS
from tests.support.random_flows import can_run, random_flow
from validator.adherence import Adherence, Execution, adhere
from validator.adherence.text import adherence_text
from validator.errors import ModelError
from validator.flow import check_flow
from validator.flow.check import read_plan
from validator.flow.definition.nl2flow import flow_from_nl2flow
from validator.flow.definition.reader import flow_from_document
from validator.flow.planning import plan_flow
from validator.flow.plans.tokens import Call
from validator.reading.plan import Step

STAY: dict[str, Any] = {
    "flow": "stay",
    "operators": [
        {"name": "find", "inputs": ["start date", "city"], "outputs": ["hotel"], "cost": 20},
        {
            "name": "book",
            "inputs": ["hotel", {"item": "board", "required": False, "allowed_values": ["half", "full"]}],
            "outputs": ["booking"],
            "needs": ["$hotel.price < 100"],
        },
        {"name": "weather", "inputs": ["city"]},
    ],
    "goals": [{"known": "booking"}],
    "slots": [{"item": "hotel", "desirability": 0}, {"item": "booking", "desirability": 0}],
}
PLAN = """\
ask(start date)
ask(city)
hotel = find(start date, city)
assert $hotel.price < 100
booking = book(hotel)
"""
FIND = {"name": "find", "arguments": {"start_date": "May 1", "city": "Rome"}, "result": {"hotel": "Grand"}}
BOOK = {"name": "book", "arguments": {"hotel": "Grand"}, "result": "B-17"}
WEATHER = {"name": "weather", "arguments": {"city": "Rome"}}


def _judged(*calls: object, plan: Any = PLAN, flow: Any = STAY, time_limit: float = 0) -> Adherence:
    return adhere(plan, list(calls), model=flow, time_limit=time_limit)


def _execution(result: Adherence) -> Execution:
    assert result.execution is not None
    return result.execution


def _verdict(result: Adherence) -> tuple[float | None, bool | None, bool | None]:
    execution = _execution(result)
    return result.score, execution.sound, execution.reaches_goal


def _effects(result: Adherence) -> list[tuple[str, str, str]]:
    return [(row.kind.value, row.effect.value if row.effect else "", row.proof) for row in result.deviations]


def _implied(result: Adherence) -> list[str]:
    return [f"{index + 1}: {step}" for index, step in _execution(result).implied]


# --- plans ---------------------------------------------------------------------------------------

_STEPS = read_plan(PLAN, flow_from_document(STAY))[0]


@pytest.mark.parametrize(
    "plan",
    [
        PLAN,
        f"Here is the plan:\n```\n{PLAN}```\nThat is all.",
        "".join(f"[{number}] {line}\n" for number, line in enumerate(PLAN.splitlines())),
        PLAN.upper().replace("ASSERT $HOTEL.PRICE", "assert $hotel.price"),
        PLAN.replace("hotel = find", "find").replace("booking = book", "book"),
        PLAN.splitlines(),
        list(_STEPS),
    ],
    ids=["text", "fence", "numbered", "capitals", "no outputs", "lines", "steps"],
)
def test_a_plan_is_read_as_a_check_of_the_flow_reads_it(plan: Any) -> None:
    result = _judged(FIND, BOOK, plan=plan)
    assert _verdict(result) == (1.0, True, True)
    assert [row.kind.value for row in result.rows] == ["unrecorded"] * 2 + ["matched", "unrecorded", "matched"]
    assert (_execution(result).plan_is_valid, _execution(result).cost) == (True, _execution(result).plan_cost)
    assert _implied(result) == []


@pytest.mark.parametrize(
    "plan",
    [
        ["find", "book"],
        "find(May 1, Rome)\nbook(hotel)",
        'find(city="Rome", start_date="May 1")\nbook(hotel="Grand")',
        [{"tool": "find"}, {"tool": "book", "args": {"hotel": "$var1.hotel"}}],
        "hotel = find(start date, city)\nbooking = book(hotel)",
    ],
)
def test_a_plan_of_calls_only_is_completed_as_the_trace_is(plan: Any) -> None:
    result = _judged(FIND, BOOK, plan=plan)
    assert _verdict(result) == (1.0, True, True)
    assert _execution(result).plan_is_valid is True
    assert _implied(result) == ["1: ask(start date)", "1: ask(city)", "2: assert $hotel.price < 100"]


def test_a_plan_that_lacks_a_step_is_as_valid_as_a_check_says() -> None:
    plan = PLAN.replace("ask(city)\n", "")
    assert check_flow(flow_from_document(STAY), plan, repair=False).determination is False
    result = _judged(FIND, BOOK, plan=plan)
    assert (_execution(result).plan_is_valid, _execution(result).sound) == (False, True)
    assert _implied(result) == ["1: ask(city)"]


def test_wrong_outputs_make_a_plan_invalid_where_it_tells_any() -> None:
    result = _judged(FIND, BOOK, plan=PLAN.replace("booking = book", "ticket = book"))
    assert (_execution(result).plan_is_valid, result.score) == (False, 1.0)


def test_a_plan_that_the_trace_states_is_read_in_the_flows_way() -> None:
    said = "".join(f"{number}. {line}\n" for number, line in enumerate(PLAN.splitlines(), start=1))
    chat = [{"role": "assistant", "content": said}, *(_asked(number, call) for number, call in enumerate((FIND, BOOK)))]
    result = adhere(None, chat, model=STAY, time_limit=0)
    assert result.source == "list in the reasoning"
    assert (len(result.plan or ()), result.compared, _verdict(result)) == (5, 2, (1.0, True, True))


def _asked(number: int, call: dict[str, Any]) -> dict[str, object]:
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
    return {"role": "assistant", "tool_calls": [{"id": f"c{number}", "function": function}]}


def test_without_a_plan_the_calls_are_executed_all_the_same() -> None:
    result = adhere(None, [FIND, BOOK], model=STAY, time_limit=0)
    assert _verdict(result) == (None, True, True)
    assert _execution(result).plan_is_valid is None
    assert "sound: yes; goal reached: yes" in adherence_text(result)


# --- deviations ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calls", "verdict", "effects"),
    [
        ((FIND,), (0.5, True, False), [("missing", "harmful", 'undone, the goal "booking is known" is reached')]),
        (
            (FIND, WEATHER, BOOK),
            (2 / 3, True, True),
            [("extra", "harmless", "the execution reaches the goal, for 5010 more than the plan")],
        ),
        (
            (BOOK, FIND),
            (0.5, False, False),
            [
                (
                    "moved",
                    "harmful",
                    'the call could not be executed: "hotel is known", "$hotel.price < 100 has been asserted"',
                )
            ],
        ),
        (
            (BOOK,),
            (0.5, False, False),
            [("missing", "harmful", 'undone, call 1 could be executed, which needs "hotel is known"')],
        ),
        (
            ({**FIND, "arguments": {"start_date": "May 1", "town": "Rome"}}, BOOK),
            (0.5, False, False),
            [
                (
                    "changed",
                    "harmful",
                    "the call could not be executed: find has no input 'town', find needs the input 'city'",
                )
            ],
        ),
        (
            (FIND, {**BOOK, "arguments": {"hotel": "Grand", "board": "none"}}),
            (0.5, False, False),
            [
                (
                    "changed",
                    "harmful",
                    "the call could not be executed: book takes one of half, full for 'board', got none",
                )
            ],
        ),
        (
            (FIND, {**BOOK, "arguments": {"hotel": "Grand", "board": "Half"}}),
            (0.5, True, True),
            [("changed", "harmless", "the execution reaches the goal, for 150000 more than the plan")],
        ),
        (
            (FIND, BOOK, {"name": "mail", "arguments": {}}),
            (2 / 3, False, True),
            [("extra", "unknown", "the flow has no operator 'mail'")],
        ),
        (
            (FIND, BOOK, BOOK),
            (2 / 3, False, True),
            [("extra", "harmful", 'the call could not be executed: "book(hotel, board) may run once more"')],
        ),
    ],
    ids=["missing", "extra", "moved", "first missing", "argument", "value", "optional", "unknown", "twice"],
)
def test_each_deviation_is_judged_in_the_flows_words(
    calls: tuple[object, ...], verdict: tuple[float, bool, bool], effects: list[tuple[str, str, str]]
) -> None:
    result = _judged(*calls)
    score, *executed = _verdict(result)
    assert score == pytest.approx(verdict[0])
    assert (*executed,) == verdict[1:]
    assert _effects(result) == effects


def test_a_fault_names_the_call_the_step_and_the_cause() -> None:
    failed = {**FIND, "error": "no answer"}
    result = _judged(failed, WEATHER, BOOK, plan=["weather", "book"])
    assert _execution(result).faults == (
        'Call 3 booking = book(hotel): "hotel is known" is false (nothing made it true); '
        '"$hotel.price < 100 has been asserted" is false (nothing made it true)',
        'Goal: "booking is known" is false (nothing made it true)',
    )
    assert _execution(_judged(FIND, BOOK, WEATHER, BOOK)).faults == (
        'Call 4 booking = book(hotel): "book(hotel, board) may run once more" is false (call 2 made the atom true)',
    )


def test_an_extra_call_is_forced_when_the_next_step_could_not_run_without_it() -> None:
    result = _judged(FIND, BOOK, plan=["book"])
    assert _effects(result) == [
        (
            "extra",
            "forced",
            'the step that the plan had next could not be executed in the state reached: "hotel is known", '
            '"$hotel.price < 100 has been asserted"',
        )
    ]


def test_calls_made_at_once_read_one_state() -> None:
    def made(*batches: int) -> Adherence:
        return _judged(*({**call, "batch": batch} for call, batch in zip((FIND, WEATHER, BOOK), batches, strict=True)))

    assert _execution(made(1, 1, 2)).sound is True
    assert _execution(made(1, 2, 2)).sound is True
    assert _execution(made(1, 1, 1)).sound is False


# --- what leaves no call -------------------------------------------------------------------------


def test_steps_that_the_trace_records_are_compared_and_needed() -> None:
    ask = [{"name": "ask", "arguments": {"item": item}} for item in ("start date", "city")]
    check = {"name": "assert", "arguments": {"constraint": "$hotel.price < 100"}}
    result = _judged(*ask, FIND, check, BOOK)
    assert (_verdict(result), result.compared) == ((1.0, True, True), 5)
    result = _judged(ask[0], FIND, check, BOOK)
    assert _verdict(result) == (0.8, False, False)
    assert _effects(result) == [
        ("missing", "harmful", 'undone, call 2 could be executed, which needs "city is known"'),
    ]


def test_a_declared_tool_says_that_such_steps_would_be_recorded() -> None:
    trace = {"tools": [{"name": "ask", "parameters": {}}], "calls": [FIND, BOOK]}
    result = adhere(PLAN, trace, model=STAY, time_limit=0)
    assert [row.kind.value for row in result.rows][:3] == ["missing", "missing", "matched"]
    assert _execution(result).sound is False


TRIP: dict[str, Any] = {
    "flow": "trip",
    "operators": [
        {"name": "home", "outputs": [{"item": "home", "type": "place"}]},
        {"name": "work", "outputs": [{"item": "office", "type": "place"}]},
        {"name": "route", "inputs": [{"item": "origin", "type": "place"}, {"item": "target", "type": "place"}]},
    ],
    "goals": [{"operator": "route", "arguments": ["home", "office"]}],
    "slots": [{"item": item, "desirability": 0} for item in ("home", "office", "origin", "target")],
    "options": {"lookahead": 0},
}
PLACES = [
    {"name": "home", "arguments": {}, "result": "You live in 1 High St."},
    {"name": "work", "arguments": {}, "result": '{"office": "9 Low St"}'},
]


def _route(**arguments: str) -> dict[str, object]:
    return {"name": "route", "arguments": arguments}


def test_a_value_stands_for_the_item_that_the_trace_records_it_of() -> None:
    calls = [*PLACES, _route(origin="1 High St", target="9 Low St")]
    result = _judged(*calls, plan=["home", "work", "route"], flow=TRIP)
    assert _implied(result) == ["3: map(home, origin)", "3: map(office, target)"]
    assert _verdict(result) == (1.0, True, True)
    calls[2] = _route(origin="9 Low St", target="1 High St")
    result = _judged(*calls, plan=["home", "work", "route"], flow=TRIP)
    assert _implied(result) == ["3: map(office, origin)", "3: map(home, target)"]
    assert _verdict(result) == (1.0, True, False)


def test_a_collapsed_plan_is_completed_with_its_mappings() -> None:
    flow = {**TRIP, "operators": [*TRIP["operators"][:2], {**TRIP["operators"][2], "needs": ["$origin != 3"]}]}
    plan = "home()\nwork()\nassert $home != 3\nroute(home, office)"
    assert check_flow(flow_from_document(flow), plan, collapse_maps=True, repair=False, show_output=None).determination
    execution = _execution(_judged(*PLACES, _route(origin="1 High St", target="9 Low St"), plan=plan, flow=flow))
    assert (execution.sound, execution.reaches_goal, execution.plan_is_valid) == (True, True, True)


def test_values_speak_against_what_the_plan_maps() -> None:
    plan = "home()\nwork()\nmap(home, origin)\nmap(office, target)\nroute(origin, target)"
    result = _judged(*PLACES, _route(origin="9 Low St", target="1 High St"), plan=plan, flow=TRIP)
    assert _execution(result).reaches_goal is False
    assert "the values show that map(home, origin) was not done" in _execution(result).reason
    result = _judged(*PLACES, _route(origin="1 High St", target="9 Low St"), plan=plan, flow=TRIP)
    assert (_execution(result).reaches_goal, _execution(result).reason) == (True, "")


@pytest.mark.parametrize(
    "named", [{"origin": "home", "target": "$var2.office"}, {"origin": "$home", "target": "office"}]
)
def test_arguments_may_name_items(named: dict[str, str]) -> None:
    result = _judged(*PLACES, _route(**named), plan=["home", "work", "route"], flow=TRIP)
    assert _implied(result) == ["3: map(home, origin)", "3: map(office, target)"]


def test_a_value_from_nowhere_is_noted() -> None:
    result = _judged(FIND, {**BOOK, "arguments": {"hotel": "Plaza"}})
    assert _execution(result).sound is True
    assert _execution(result).reason == "call 2 gives hotel the value Plaza, which nothing before it has"
    assert _execution(_judged({**FIND, "result": None}, {**BOOK, "arguments": {"hotel": "Plaza"}})).reason == ""


def test_arguments_that_are_not_recorded_say_nothing_of_optional_inputs() -> None:
    result = _judged({"name": "find"}, {"name": "book", "arguments": ["Grand"]})
    assert _verdict(result) == (1.0, True, True)


COPY = {
    "flow": "copy",
    "operators": [
        {"name": "open", "inputs": ["name"], "outputs": [{"item": "file", "type": "file"}], "max_try": 2},
        {"name": "copy", "inputs": [{"item": "source", "type": "file"}, {"item": "target", "type": "file"}]},
    ],
    "goals": [{"operator": "copy"}],
    "slots": [{"item": item, "desirability": 0} for item in ("file", "source", "target")],
    "maps": [
        {"source": "source", "target": "target", "probability": 0},
        {"source": "target", "target": "source", "probability": 0},
    ],
    "options": {"lookahead": 0},
}


@pytest.mark.planner
def test_the_planner_finds_what_must_have_been_done_earlier() -> None:
    """The file that is opened first is lost when another one is, unless it was mapped before."""
    calls = [{"name": name} for name in ("open", "open", "copy")]
    result = _judged(*calls, plan=["open", "open", "copy"], flow=COPY, time_limit=20)
    assert _verdict(result) == (1.0, True, True)
    assert [index for index, step in _execution(result).implied if str(step).startswith("map")] == [1, 2]
    result = _judged(calls[0], calls[2], plan=["open", "open", "copy"], flow=COPY, time_limit=20)
    assert _execution(result).sound is False
    assert [effect for _, effect, _ in _effects(result)] == ["harmful"]


def test_without_the_planner_that_is_left_open() -> None:
    calls = [{"name": name} for name in ("open", "open", "copy", "copy")]
    result = _judged(*calls, plan=["open", "open", "copy"], flow=COPY)
    assert _verdict(result) == (0.75, None, None)
    assert _execution(result).reason.endswith("is not known: the planner was not asked")
    assert [effect for _, effect, _ in _effects(result)] == ["unknown"]


@pytest.mark.planner
def test_the_way_that_is_left_is_told_in_the_flows_words() -> None:
    result = _judged(WEATHER, plan=PLAN, time_limit=20)
    assert list(map(str, _execution(result).recovery or ())) == [
        "ask(start date)",
        "hotel = find(start date, city)",
        "assert $hotel.price < 100",
        "booking = book(hotel)",
    ]
    assert "  The goal can still be reached:\n    ask(start date)\n" in adherence_text(result)
    value = result.to_json()["execution"]
    assert isinstance(value, dict)
    assert value["implied"] == [{"before_call": 0, "step": "ask(city)"}]
    assert value["recovery"][0] == "ask(start date)"


@pytest.mark.planner
def test_a_call_behind_which_the_goal_is_lost_is_a_dead_end() -> None:
    swapped = _route(origin="9 Low St", target="1 High St")
    flow = {**TRIP, "orders": [], "operators": [*TRIP["operators"], {"name": "rest"}], "ends_with": "route"}
    calls = [*PLACES, {"name": "rest"}, swapped]
    execution = _execution(_judged(*calls, plan=["home", "work", "route"], flow=flow, time_limit=20))
    assert (execution.dead_end, execution.recovery) == (3, None)


# --- flows ---------------------------------------------------------------------------------------


def test_a_flow_comes_as_a_file_a_text_values_or_a_flow(tmp_path: Path) -> None:
    (tmp_path / "stay.json").write_text(json.dumps(STAY))
    texts = (str(tmp_path / "stay.json"), tmp_path / "stay.json", json.dumps(STAY), flow_from_document(STAY))
    assert [_verdict(_judged(FIND, BOOK, flow=flow)) for flow in texts] == [(1.0, True, True)] * 4


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        ({"flow": "x", "operators": [{"nam": "f"}]}, "operators[0].name: a name was expected, not nothing"),
        ({"flow": "x", "goals": [{"operator": "fly"}]}, "goals: the flow has no operator 'fly'"),
        ("flow: x\noperators: [", "not YAML"),
        ('{"flow": "x",\n "operators": [}', "2:16: not JSON"),
        ({"sketch_name": "x", "components": []}, "a sketch needs a catalog"),
        ([{"name": "f"}], "an object was expected"),
    ],
)
def test_a_flow_that_is_none_says_why(flow: Any, said: str) -> None:
    with pytest.raises(ModelError) as error:
        _judged(FIND, flow=json.dumps(flow) if isinstance(flow, list) else flow)
    assert said in str(error.value)


def test_another_vocabulary_takes_the_place_of_names() -> None:
    def translate(side: Any) -> Step | str:
        names = {
            "buscar": Step(name="find", args=("start date", "city")),
            "reservar": Step(name="book", args=("hotel",)),
        }
        return names.get(side.name, "the step has no counterpart")

    plan, calls = ["buscar", "reservar"], [{"name": "buscar"}, {"name": "reservar"}]
    assert _execution(adhere(plan, calls, model=STAY, translate=translate, time_limit=0)).reaches_goal is True
    execution = _execution(adhere(plan, [*calls, {"name": "pagar"}], model=STAY, translate=translate, time_limit=0))
    assert (execution.sound, execution.reason) == (None, "call 3 (pagar): the step has no counterpart")


RECORDED = [json.loads(line) for line in (FLOWS / "nl2flow_plans.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.planner
@pytest.mark.parametrize("record", some(RECORDED[::4], 5), ids=lambda record: str(record["id"]))
def test_the_calls_of_a_recorded_plan_follow_it_and_reach_the_goal(record: dict[str, Any]) -> None:
    flow = flow_from_nl2flow(record["flow"], record["options"])
    for found in plan_flow(flow).plans:
        made = [step for step in found.steps if isinstance(step, Call) and step.name in flow.by_name]
        calls = [{"name": step.name, "arguments": {item: f"a {item}" for item in step.args}} for step in made]
        result = adhere(list(found.steps), calls, model=flow, time_limit=20)
        assert _verdict(result) == (1.0, True, True)
        assert _execution(result).plan_is_valid is True
        plan = [{"tool": call["name"], "args": call["arguments"]} for call in calls]
        assert _verdict(adhere(plan, calls, model=flow, time_limit=20))[:2] == (1.0, True)


@pytest.mark.deep
@given(st.randoms(use_true_random=False))
def test_what_is_said_without_the_planner_is_what_looking_at_every_state_says(rng: Random) -> None:
    flow = random_flow(rng)
    names = [rng.choice(flow.operators).name for _ in range(rng.randint(1, 3))]
    said = _execution(adhere([], [{"name": name} for name in names], model=flow, time_limit=0)).sound
    true = can_run(flow, names)
    assert true is None or said in (true, None)


@pytest.mark.planner
@settings(max_examples=10)
@given(st.randoms(use_true_random=False))
def test_with_the_planner_nothing_is_left_open(rng: Random) -> None:
    flow = random_flow(rng)
    names = [rng.choice(flow.operators).name for _ in range(rng.randint(1, 3))]
    said = _execution(adhere([], [{"name": name} for name in names], model=flow, time_limit=60)).sound
    assert said is not None
    assert can_run(flow, names) in (said, None)


def test_operators_and_items_that_only_their_joints_tell_apart_are_not_confused() -> None:
    flow = flow_from_document(
        {
            "flow": "alike",
            "operators": [
                {"name": "go-1", "inputs": ["a"], "outputs": ["x-y"]},
                {"name": "go_1", "inputs": ["a"], "outputs": ["x_y"]},
            ],
            "goals": [{"known": "x-y"}],
            "slots": [{"item": "x-y", "desirability": 0}, {"item": "x_y", "desirability": 0}],
        }
    )
    for name, reached in (("go-1", True), ("go_1", False), ("go 1", None)):
        found = adhere(None, [{"name": name, "arguments": {"a": "7"}}], model=flow).execution
        assert found is not None and found.reaches_goal is reached, (name, found)
