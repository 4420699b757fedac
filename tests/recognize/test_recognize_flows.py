"""Recognition on flows: candidate goals, tool calls as observations, answers in its words, the oracle's costs."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import ROOT
from validator.checking.report import Interval
from validator.cli import main
from validator.errors import InputError, ModelError
from validator.flow.build import known, operator, ran, used
from validator.flow.model import Flow, FlowOptions, GoalLogic, ItemState, MemoryItem, Slot
from validator.flow.plans.tokens import Call
from validator.grounding.limits import Status
from validator.reading.plan import Step
from validator.recognize import Method, Settings, Standing, complete, recognize
from validator.recognize.flows import flow_problem
from validator.recognize.inputs.flow_goals import read_flow_goals
from validator.recognize.inputs.flow_observations import FlowReader

pytestmark = pytest.mark.planner

STAY = Flow(
    name="stay",
    operators=(
        operator("find hotel", "city", "hotel", cost=20),
        operator("book", "hotel, voucher?", "booking", needs=["$hotel.price < 100"]),
        operator("weather", "city", "forecast"),
        operator("route", "city, home", "way"),
    ),
    goals=((known("booking"),),),
    slots=tuple(Slot(item=item, desirability=0) for item in ("hotel", "booking", "forecast", "way")),
)
GOALS: list[Any] = [
    {"known": "booking"},
    {"name": "pack", "operator": "weather"},
    {"name": "go home", "prior": 2, "goals": [{"known": "way"}]},
]
FILES = {
    "stay.json": json.dumps(
        {
            "flow": "stay",
            "operators": [
                {"name": "find hotel", "inputs": ["city"], "outputs": ["hotel"], "cost": 20},
                {
                    "name": "book",
                    "inputs": ["hotel", {"item": "voucher", "required": False}],
                    "outputs": ["booking"],
                    "needs": ["$hotel.price < 100"],
                },
                {"name": "weather", "inputs": ["city"], "outputs": ["forecast"]},
                {"name": "route", "inputs": ["city", "home"], "outputs": ["way"]},
            ],
            "goals": [{"known": "booking"}],
            "slots": [{"item": item, "desirability": 0} for item in ("hotel", "booking", "forecast", "way")],
        }
    ),
    "goals.yaml": "- known: booking\n- {name: pack, operator: weather}\n- {name: go home, prior: 2, known: way}\n",
    "trace.json": json.dumps([{"name": "find_hotel", "arguments": {"city": "Rome"}}, {"name": "search", "args": {}}]),
    "seen": "# what was seen\nhotel = find hotel(city)\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> int:
    return main(("recognize", *arguments))


# --- candidate goals -------------------------------------------------------------------------------


def test_a_candidate_is_what_a_flows_goals_may_be() -> None:
    one, named, several = read_flow_goals(
        [
            {"operator": "route", "arguments": ["city", "home"]},
            {"name": "dry", "prior": 0.5, "constraint": "$forecast.rain < 5", "holds": False},
            [{"known": "way"}, [{"used": "home"}, {"operator": "book"}]],
        ],
        STAY,
    )
    assert (one.name, one.groups) == ("run route on city and home", ((ran("route", "city", "home"),),))
    assert (named.name, named.prior) == ("dry", Fraction(1, 2))
    assert (several.name, several.lines) == ("know way and use home and run book", (2,))
    assert several.groups == ((known("way"),), (used("home"), ran("book")))


@pytest.mark.parametrize(
    ("logic", "name"),
    [
        (GoalLogic.AND_OR, "know way and (use home or run book)"),
        (GoalLogic.OR_AND, "know way or (use home and run book)"),
    ],
)
def test_the_words_say_how_goals_hang_together(logic: GoalLogic, name: str) -> None:
    flow = replace(STAY, options=FlowOptions(goal_logic=logic))
    (goal,) = read_flow_goals([[{"known": "way"}, [{"used": "home"}, {"operator": "book"}]]], flow)
    assert goal.name == name


def test_equal_goals_are_one_with_the_sum_of_their_priors() -> None:
    both = [{"known": "way"}, {"known": "booking"}]
    goals = read_flow_goals([both, {"known": "way"}, {"prior": 2, "goals": both[::-1]}, [both]], STAY)
    assert [(goal.prior, goal.lines) for goal in goals] == [(4, (0, 2, 3)), (1, (1,))]
    one_of_two = replace(STAY, options=FlowOptions(goal_logic=GoalLogic.AND_OR))
    assert len(read_flow_goals([both, [both]], one_of_two)) == 2


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([{"operator": "wether"}], r"goals\[0\]: the flow has no operator 'wether' \(did you mean 'weather'\?\)"),
        (
            [{"known": "way"}, {"known": "bookng"}],
            r"goals\[1\]: the flow has no item 'bookng' \(did you mean 'booking'",
        ),
        ([{"constraint": "$prise < 5"}], r"the flow has no item 'prise'"),
        ([{"operator": "route", "arguments": ["city"]}], "'route' takes city, home, got city"),
        ([{"operator": "route", "arguments": ["city", "hom"]}], r"no item 'hom' \(did you mean 'home'"),
        ([{"knwn": "way"}], r"goals\[0\]: a goal has one of the keys operator, known, used, constraint"),
        ([{"name": "x", "goals": [{"known": "way", "nme": 1}]}], r"goals\[0\]\.goals\[0\]\.nme: unknown key"),
        ([{"goals": {"known": "way"}, "priors": 2}], r"goals\[0\]\.priors: unknown key \(did you mean 'prior'\?\)"),
        ([{"name": "x"}], "a goal has one of the keys"),
        ([[]], r"goals\[0\]: a goal was expected"),
        ([{"prior": "2", "known": "way"}], r"goals\[0\]\.prior: a number from 0 was expected, not '2'"),
        ([{"prior": 0, "known": "way"}], "the priors of all goals are 0"),
        ([{"name": "x", "known": "way"}, {"name": "x", "known": "home"}], r"goals\[1\]: another goal is named 'x'"),
        ([], "no candidate goal was found"),
        ({"known": "way"}, "goals: a list was expected"),
        (["way"], r"goals\[0\]: an object was expected, not 'way'"),
    ],
)
def test_what_is_no_goal_of_the_flow_is_refused(document: object, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        read_flow_goals(document, STAY, "goals.yaml")
    assert caught.value.source == "goals.yaml"


def test_a_flow_without_a_goal_needs_candidates() -> None:
    with pytest.raises(ModelError, match="the flow 'stay' has no goal; candidate goals are needed"):
        flow_problem(replace(STAY, goals=()))


# --- observations ----------------------------------------------------------------------------------


def seen(observations: object) -> list[tuple[str, str]]:
    """Return each observation and what is wrong with it."""
    return [(one.text, one.fault) for one in FlowReader(STAY).read(observations, "seen")]


@pytest.mark.parametrize(
    ("line", "text", "fault"),
    [
        ("hotel = find hotel(city)", "hotel = find hotel(city)", ""),
        ("[3] Find  Hotel(CITY)", "find hotel(city)", ""),
        ("find_hotel", "find hotel(_)", ""),
        ("route(?, home)", "route(_, home)", ""),
        ("map(_, city)", "map(_, city)", ""),
        ("ask", "ask(_)", ""),
        ("assert not $hotel.price  < 100", "assert not $hotel.price < 100", ""),
        ("holds known: hotel", "holds known: hotel", ""),
        ("holds not constraint $hotel.price < 100", "holds not constraint $hotel.price < 100", ""),
        ("boo(hotel)", "boo(hotel)", "unknown action 'boo' (did you mean 'book'?)"),
        ("boo(_)", "boo(_)", "unknown action 'boo' (did you mean 'book'?)"),
        ("weather(cty)", "weather(cty)", "unknown object 'cty' (did you mean 'city'?)"),
        ("route(_, hom)", "route(_, hom)", "unknown object 'hom' (did you mean 'home'?)"),
        ("weather(_, _)", "weather(_, _)", "weather takes 1, got 2"),
        (
            "route(home, city)",
            "route(home, city)",
            "wrong argument: route takes city, home, in this order, got home, city",
        ),
        ("way = weather(city)", "way = weather(city)", "wrong outputs: weather yields forecast, got way"),
        ("assert $x", "assert $x", "the flow has no constraint '$x'"),
        ("holds known: hotl", "holds known: hotl", "the flow has no item 'hotl' (did you mean 'hotel'?)"),
        ("holds not known: hotel", "holds not known: hotel", "only a constraint can be decided as false"),
    ],
)
def test_a_line_is_a_step_or_a_fact(line: str, text: str, fault: str) -> None:
    assert seen(line) == [(text, fault)]


def test_a_number_behind_a_step_is_its_price() -> None:
    first, second = FlowReader(STAY).read("weather(city) 0.5\nassert ($hotel.price) 3", "seen")
    assert (first.text, first.price) == ("weather(city)", Fraction(1, 2))
    assert (second.text, second.price) == ("assert ($hotel.price) 3", None)
    (alone,) = FlowReader(STAY).read("find hotel 2.5", "seen")
    assert (alone.step, alone.any_items, alone.price) == (Call(name="find hotel", args=("_",)), True, Fraction(5, 2))


def test_a_number_that_is_part_of_a_name_is_no_price() -> None:
    flow = Flow(name="stages", operators=(operator("stage", "a", "b"), operator("stage 2", "b", "c")))
    (one, other) = FlowReader(flow).read("stage 2\nstage 3", "seen")
    assert one.step is not None and (str(one.text), one.price) == ("stage 2(_)", None)
    assert (str(other.text), other.price) == ("stage(_)", Fraction(3))


def test_operators_that_only_their_joints_tell_apart_are_not_confused() -> None:
    flow = Flow(name="alike", operators=(operator("go-1", "a", "b"), operator("go_1", "a", "c")))
    goals = [{"operator": "go-1"}, {"operator": "go_1"}]
    for name, best in (("go-1", (0,)), ("go_1", (1,))):
        for seen in ([{"name": name, "arguments": {"a": "7"}}], name):
            found = recognize(flow_problem(flow, seen, goals))
            assert (found.best, found.exact) == (best, True)
    found = recognize(flow_problem(flow, [{"name": "go 1", "arguments": {"a": "7"}}], goals))
    assert not found.exact and any("which may be go-1 or go_1" in warning for warning in found.warnings)
    with pytest.raises(InputError, match="'go 1' may be go-1 or go_1"):
        flow_problem(flow, "go 1", goals)


def test_blank_lines_comments_and_fences_say_nothing() -> None:
    assert seen("```\n# a plan\n\n  weather(city)\n```") == [("weather(city)", "")]


def test_lines_of_a_flow_that_groups_questions_are_several_observations() -> None:
    flow = replace(STAY, options=FlowOptions(group_slots=True))
    assert [one.text for one in FlowReader(flow).read("ask(city, home)", "seen")] == ["ask(city)", "ask(home)"]


def test_what_is_no_observation_is_refused_with_its_line() -> None:
    with pytest.raises(InputError, match="a fact is holds known: ITEM") as caught:
        FlowReader(STAY).read("weather(city)\nthen, he left", "seen.txt")
    assert (caught.value.source, caught.value.line, caught.value.excerpt) == ("seen.txt", 2, "    then, he left")


def _openai(*calls: tuple[str, str]) -> list[dict[str, Any]]:
    return [
        {"role": "assistant", "tool_calls": [{"id": str(n), "function": {"name": name, "arguments": arguments}}]}
        for n, (name, arguments) in enumerate(calls)
    ]


def _mcp(name: str, arguments: object, number: int = 1) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@pytest.mark.parametrize(
    "trace",
    [
        [{"name": "find_hotel", "arguments": {"city": "Rome"}}, {"tool": "weather", "args": {"city": "Rome"}}],
        _openai(("find_hotel", '{"city": "Rome"}'), ("weather", '{"city": "Rome"}')),
        [_mcp("find_hotel", {"city": "Rome"}), _mcp("weather", {"city": "Rome"}, 2)],
    ],
)
def test_the_calls_of_a_trace_in_any_format(trace: list[Any]) -> None:
    wanted = [('find_hotel(city="Rome")', ""), ('weather(city="Rome")', "")]
    assert seen(trace) == seen(json.dumps(trace)) == seen("\n".join(map(json.dumps, trace))) == wanted


def inputs(call: dict[str, Any]) -> tuple[str, ...]:
    """Return the items that the step has which a call was."""
    (one,) = FlowReader(STAY).read([call], "seen")
    assert isinstance(one.step, Step)
    return one.step.args


@pytest.mark.parametrize(
    ("arguments", "items"),
    [
        ({"hotel": "Ritz"}, ("hotel",)),
        ({"Voucher": "V1", "hotel": "Ritz"}, ("hotel", "voucher")),
        (["Ritz", "V1"], ("hotel", "voucher")),
        (["hotel", "voucher"], ("hotel", "voucher")),
        ({}, ("hotel",)),
    ],
)
def test_the_names_and_places_of_arguments_are_the_items(arguments: object, items: tuple[str, ...]) -> None:
    assert inputs({"name": "book", "arguments": arguments}) == items


def test_a_call_without_arguments_leaves_the_items_open() -> None:
    (one,) = FlowReader(STAY).read(["x", {"name": "book", "result": "done"}], "seen")
    assert (one.text, one.any_items) == ("book(_)", True)


def test_an_argument_that_the_operator_does_not_have_is_told() -> None:
    problem = flow_problem(STAY, [{"name": "weather", "arguments": {"city": "Rome", "unit": "C"}}])
    assert problem.warnings == ("weather has no input 'unit'; it is left out of the calls",)
    assert problem.observations[0].fault == ""


def test_a_failed_call_that_is_made_again_is_one_observation() -> None:
    call = {"name": "weather", "arguments": {"city": "Rome"}}
    failed = {**call, "error": "busy"}
    assert len(seen([failed, failed, call])) == 1
    assert len(seen([failed, {"name": "book", "arguments": {}}, call])) == 3
    assert len(seen([call, call])) == 2


def test_calls_of_plan_tools_are_no_observations() -> None:
    plan = {"name": "create_plan", "arguments": {"steps": ["weather"]}}
    assert seen([plan, {"name": "weather", "arguments": {}}]) == [("weather()", "")]


def test_parameters_are_found_behind_the_name_of_their_tool() -> None:
    from validator.flow.tools.check import operators_from_tools

    tools = [{"name": "geo", "parameters": {"city": {"type": "string"}, "zip": {"type": "string", "optional": True}}}]
    flow = Flow(name="tools", operators=operators_from_tools(tools))
    (one,) = FlowReader(flow).read([{"name": "geo", "arguments": {"zip": "00100"}}], "seen")
    assert isinstance(one.step, Step) and one.step.args == ("geo.city", "geo.zip")


def test_what_is_no_trace_is_refused_with_its_source() -> None:
    with pytest.raises(InputError, match="no trace is recognised") as caught:
        FlowReader(STAY).read('{"a": 1}', "trace.json")
    assert caught.value.source == "trace.json"


# --- answers ---------------------------------------------------------------------------------------


def test_the_goal_that_the_calls_speak_for() -> None:
    """Each goal but the hotel's needs one call more: a difference of one call, a weight of 1/e."""
    found = recognize(flow_problem(STAY, "find hotel(city)", GOALS))
    assert [one.hypothesis.text for one in found.candidates] == ["know booking", "pack", "go home"]
    assert (found.best, found.exact) == ((0,), True)
    assert [one.delta.lower for one in found.candidates if one.delta is not None] == [0, 5020, 5020]
    booking, pack, home = (one.probability or 0.0 for one in found.candidates)
    assert pack / booking == pytest.approx(2.718281828 ** -(5020 / 5010))
    assert home / pack == pytest.approx(2)
    edits = found.candidates[0].edits
    assert edits is not None and [str(edit.token) for edit in edits] == [
        "ask(city)",
        "hotel = find hotel(city)",
        "assert $hotel.price < 100",
        "booking = book(hotel)",
    ]


def test_prices_count_in_calls() -> None:
    problem = flow_problem(STAY, "find hotel(city)\nroute(city, home) 0.5\nnothing(x)", GOALS)
    found = recognize(problem, Settings(discard_cost=Fraction(3), margin=100))
    deltas = [one.delta.lower / 5010 for one in found.candidates if one.delta is not None]
    assert deltas[0] == Fraction(7, 2)  # to ask for the home costs more than half a call
    assert deltas[2] == 3 + Fraction(5020, 5010)
    assert found.unmatchable[0].reason == "unknown action 'nothing'"


def test_an_optional_input_says_nothing_of_goals_and_is_in_the_completed_plan() -> None:
    calls = [{"name": "book", "arguments": {"hotel": "Ritz", "voucher": "V1"}}]
    found = recognize(flow_problem(STAY, calls, GOALS))
    assert found.best == (0,) and found.candidates[0].delta is not None
    assert found.candidates[0].delta.lower == 0
    whole = complete(flow_problem(STAY, calls))
    assert whole.proven and whole.plan is not None
    assert sorted(map(str, whole.diffs)) == sorted(
        [
            "+ask(city)",
            "+hotel = find hotel(city)",
            "+assert $hotel.price < 100",
            "+ask(voucher)",
            " booking = book(hotel, voucher)",
        ]
    )


def test_as_many_calls_as_possible_are_explained_then_the_plan_is_cheap() -> None:
    whole = complete(flow_problem(STAY, "route\nfly(home)\nfind hotel"))
    assert (whole.status, whole.proven, whole.explained, whole.unexplained) == (Status.SOLVED, True, 2, 1)
    assert whole.cost == 2 * 150_000 + 5010 + 5020 + 20 + 5010
    assert [str(diff) for diff in whole.diffs if str(diff)[0] != "+"] == [
        " way = route(city, home)",
        "-fly(home)",
        " hotel = find hotel(city)",
    ]


def test_a_fact_that_held_needs_what_makes_it_so() -> None:
    problem = flow_problem(STAY, "holds known: way\nfind hotel(_)", GOALS)
    booking = recognize(problem, Settings(method=Method.EXACT, margin=100)).candidates[0]
    assert booking.edits is not None and booking.delta is not None
    shown = [str(edit.token) for edit in booking.edits]
    assert shown.index("way = route(city, home)") < shown.index("assert known: way") < len(shown) - 3
    assert booking.delta.lower == 150_000 + 5010


def test_a_goal_that_holds_from_the_start_is_told() -> None:
    flow = replace(STAY, memory=(MemoryItem(item="way", state=ItemState.KNOWN),))
    assert flow_problem(flow, "", GOALS).warnings == (
        "nothing is to be done for the goal 'go home': it holds from the start",
    )


def test_a_goal_out_of_reach_is_said_to_be_so() -> None:
    closed = replace(STAY, slots=(*STAY.slots, Slot(item="home", desirability=0)))
    found = recognize(flow_problem(closed, "weather(city)", GOALS))
    assert [one.standing for one in found.candidates][2] is Standing.UNSOLVABLE
    assert found.best == (1,)


@pytest.mark.parametrize("line", ["assert $hotel.price < 100", "ask(_)", "ask(city)", "ask"])
def test_every_kind_of_step_can_be_observed(line: str) -> None:
    found = recognize(flow_problem(STAY, line, GOALS), Settings(method=Method.EXACT))
    best = found.candidates[found.best[0]]
    assert found.unmatchable == () and best.delta == found.candidates[0].delta == Interval(lower=0, upper=0)


@pytest.mark.parametrize("line", ["map(_, city)", "confirm(city)", "ask(city, home)"])
def test_a_step_that_the_flow_never_allows_means_nothing(line: str) -> None:
    """Nothing may stand for the city, nothing is ever uncertain, questions are asked one by one."""
    found = recognize(flow_problem(STAY, line, GOALS))
    assert [one.reason for one in found.unmatchable] == ["no reachable step matches it"]


# --- what was understood in part --------------------------------------------------------------------

IN_PART: list[dict[str, Any]] = [
    {
        "role": "assistant",
        "tool_calls": [{"id": "1", "function": {"name": "find hotel", "arguments": '{"city": "Rome"}'}}],
    },
    {"role": "assistant", "tool_calls": [{"id": "2", "function": {"nome": "route"}}]},
]
"""a trace of which one call was not understood"""


@pytest.mark.parametrize("method", [Method.SOFT, Method.EXACT])
def test_nothing_is_proven_that_a_call_may_change_which_was_not_understood(method: Method) -> None:
    """It was passed over, and the booking "proven", though a route may be what was called."""
    whole, part = (flow_problem(STAY, trace, GOALS) for trace in (IN_PART[:1], IN_PART))
    known, found = (recognize(problem, Settings(method=method)) for problem in (whole, part))
    assert (known.best, known.exact, found.best, found.exact) == ((0,), True, (0,), False)
    assert {one.standing for one in found.candidates} == {Standing.NOT_UNDERSTOOD}
    for before, one in zip(known.candidates, found.candidates, strict=True):
        assert before.delta is not None and one.delta == Interval(lower=before.delta.lower, upper=None)
        assert one.probability == before.probability and one.most is not None and one.most >= (one.probability or 0)
    assert any("not understood in the trace" in warning for warning in found.warnings)
    assert complete(flow_problem(STAY, IN_PART[:1])).proven and not complete(flow_problem(STAY, IN_PART)).proven


def test_the_command_ranks_goals(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("stay.json", "trace.json", "--goals", "goals.yaml") == 0
    out = capsys.readouterr().out
    assert out.startswith("Best of 3 goals (proven): know booking\n")
    assert "observation 2, search(), cannot be explained: unknown action 'search'\n" in out
    assert "A plan for know booking that explains 1 of 2 observations:\n" in out
    assert "\n hotel = find hotel(city)\n-search()\n" in out


def test_the_json_has_the_keys_that_pddl_has(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain = ROOT / "domains" / "blocks"
    (folder / "pddl.goals").write_text("(on a b)\n(on c d)\n")
    (folder / "pddl.seen").write_text("(take b d)\n")
    pddl = (str(domain / "domain.pddl"), str(domain / "problem.pddl"), "pddl.seen", "--goals", "pddl.goals")
    values = []
    for arguments in (("stay.json", "seen", "--goals", "goals.yaml"), pddl):
        assert run(*arguments, "--format", "json") == 0
        values.append(json.loads(capsys.readouterr().out))
    flow, other = values
    assert flow.keys() == other.keys() and flow["candidates"][0].keys() == other["candidates"][0].keys()
    assert flow["observations"] == ["hotel = find hotel(city)"]
    assert (flow["best"], flow["candidates"][2]["prior"], flow["candidates"][0]["cost"]) == ([0], 2, [160050, 160050])


def test_the_command_completes_one_goal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("stay.json", "trace.json") == 0
    out = capsys.readouterr().out
    assert out.startswith("A plan for know booking (proven): cost 160050, 1 of 2 observations explained.\n")
    assert run("stay.json", "trace.json", "--method", "exact") == 1
    assert capsys.readouterr().out.startswith("No plan for know booking explains the observations (proven).\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("stay.json",), "FLOW OBSERVATIONS, FOLDER or ARCHIVE; got 1 of them"),
        (("stay.json", "seen", "--follow"), "recognize --follow takes DOMAIN PROBLEM, FOLDER or ARCHIVE"),
        (("stay.json", "seen", "--goals", "none.yaml"), "No such file"),
        (("stay.json", "seen", "--goals", "seen"), "seen: goals: a list was expected"),
    ],
)
def test_what_cannot_be_understood_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    assert run(*arguments) == 2
    assert message in capsys.readouterr().err
