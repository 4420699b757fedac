"""Flows: the model, names, faults of tokens, the shapes of plans, the readers."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.flow_building import known, operator, ran
from validator.cli import main
from validator.errors import ModelError
from validator.execution.simulator import Kind
from validator.flow import check_flow, plan_flow, read_flow
from validator.flow.definition import reader
from validator.flow.definition.reader import flow_from_document
from validator.flow.model import (
    Claim,
    Flow,
    FlowOptions,
    Goal,
    Input,
    ItemState,
    LifeCycle,
    MemoryItem,
    Operator,
    Output,
    Slot,
)
from validator.flow.plans.shape import code_like
from validator.flow.plans.tokens import FlowTokenizer
from validator.reading.plan import Unparsed

pytestmark = pytest.mark.planner


def _flow(*operators: Operator, goals: tuple[Goal, ...] = (), **rest: Any) -> Flow:
    return Flow(name="test", operators=operators, goals=(goals,) if goals else (), **rest)


def _never(*items: str) -> tuple[Slot, ...]:
    return tuple(Slot(item=item, desirability=0) for item in items)


def _plan(flow: Flow, **options: Any) -> list[str]:
    plan = plan_flow(flow, **options).plan
    assert plan is not None
    return code_like(flow, plan)


CHAIN = _flow(
    operator("find", "city", "hotel"),
    operator("book", "hotel, date", "booking"),
    goals=(known("booking"),),
    slots=_never("hotel", "booking"),
)
GOOD = ["ask(city)", "hotel = find(city)", "ask(date)", "booking = book(hotel, date)"]


# --- names ---------------------------------------------------------------------------------------

ODD = [
    "größe",
    "名前",
    "a b",
    "A B",
    "map_x",
    "ask_x",
    "confirm",
    "not",
    "x, y",
    "f(x)",
    'say "hi"',
    "tokenize_1",
    "a=b",
]


def test_no_name_is_lost() -> None:
    operators = [
        Operator(name=f"op {name}", inputs=(Input(item=name),), outputs=(Output(item=f"{name} out"),)) for name in ODD
    ]
    flow = _flow(
        *operators, goals=tuple(known(f"{name} out") for name in ODD), slots=_never(*(f"{n} out" for n in ODD))
    )
    plan = _plan(flow)
    assert {f"{name} out = op {name}({name})" for name in ODD} <= set(plan)
    assert check_flow(flow, plan).determination is True


# --- tokens --------------------------------------------------------------------------------------


def test_steps_as_programs_write_them_are_those_of_the_flow() -> None:
    flow = _flow(
        operator("find-room", "home-city", "free-room"), goals=(known("free-room"),), slots=_never("free-room")
    )
    found = "free_room = find_room(home_city)"
    for line in (found, found.replace("= ", "= await "), found.replace(" =", ": list[str] =")):
        assert check_flow(flow, f"ask(home_city)\n{line}\n").determination is True
    assert check_flow(flow, f"await ask(home_city)\n{found}  # ok\n").determination is True
    assert check_flow(flow, f"ask(home_city)\n{found}  # failed\n").determination is None


@pytest.mark.parametrize("line", ["x = 5", "agent", "f(g(x))", "f(a,,b)", "assert", ""])
def test_a_line_that_is_no_step_is_kept_with_its_reason(line: str) -> None:
    token = FlowTokenizer(CHAIN)(line)
    assert isinstance(token, Unparsed) and token.text == line and "NAME(ITEM, ...)" in token.reason


@pytest.mark.parametrize(
    ("line", "kind", "said"),
    [
        ("hotel = fnd(city)", Kind.UNKNOWN_ACTION, "fnd"),
        ("hotel = find(town)", Kind.UNKNOWN_OBJECT, "town"),
        ("hotel = find()", Kind.WRONG_ARITY, "takes city"),
        ("hotel = find(date)", Kind.WRONG_ARGUMENT, "takes city, got date"),
        ("booking = book(date, hotel)", Kind.WRONG_ARGUMENT, "in this order"),
        ("date = find(city)", Kind.WRONG_OUTPUT, "yields hotel, got date"),
        ("find(city)", Kind.WRONG_OUTPUT, "got none"),
        ("x = ask(city)", Kind.WRONG_OUTPUT, "has no outputs"),
        ("map(city)", Kind.WRONG_ARITY, "takes 2"),
        ("assert $city", Kind.CONSTRAINT, "no constraint"),
        ("nonsense", Kind.SYNTAX, "nonsense"),
        ("ask(hotel)", Kind.PRECONDITION, ""),
        ("map(city, date)", Kind.PRECONDITION, ""),
        ("confirm(city)", Kind.PRECONDITION, ""),
    ],
)
def test_each_fault_is_told_and_repaired(line: str, kind: Kind, said: str) -> None:
    report = check_flow(CHAIN, [*GOOD[:1], line, *GOOD[1:]])
    assert report.determination is False and report.proven
    fault = report.failures[0]
    assert (fault.step, fault.kind) == (1, kind)
    assert said in fault.detail
    assert sorted(map(str, report.repaired_plan or ())) == sorted(GOOD)
    assert f"- {line}" in report.plan_diff_str.splitlines()


# --- shapes --------------------------------------------------------------------------------------

MAPPED = _flow(
    Operator(name="make", outputs=(Output(item="a_1", type="t"),)),
    Operator(
        name="use", inputs=(Input(item="a", type="t"),), outputs=(Output(item="y"),), needs=(Claim(text="$a > 10"),)
    ),
    goals=(known("y"),),
    slots=_never("a", "a_1", "y"),
    options=FlowOptions(life_cycle=frozenset((LifeCycle.CONFIRM_ON_MAPPING,))),
)


def test_collapsed_plans_both_ways() -> None:
    plan = plan_flow(MAPPED).plan
    assert plan is not None
    lines = code_like(MAPPED, plan, collapse_maps=True)
    assert lines == ["a_1 = make()", "confirm(a_1)", "assert $a_1 > 10", "y = use(a_1)"]
    assert check_flow(MAPPED, lines, quality="optimal", collapse_maps=True).determination is True
    report = check_flow(MAPPED, [lines[0], lines[1], lines[3]], collapse_maps=True)
    assert report.plan_diff_str.splitlines() == ["  " + lines[0], "  " + lines[1], "+ " + lines[2], "  " + lines[3]]


def test_results_are_labelled() -> None:
    memory = (MemoryItem(item="city", state=ItemState.KNOWN, label="var1"),)
    flow = replace(CHAIN, memory=memory, options=FlowOptions(labels=True))
    lines = _plan(flow)
    assert [line.partition("  # ")[2] for line in lines if " = " in line] == ["var2", "var3"]
    assert check_flow(flow, lines).determination is True


def test_grouped_questions() -> None:
    flow = replace(CHAIN, options=FlowOptions(group_slots=True))
    plan = plan_flow(flow).plan
    assert plan is not None
    assert check_flow(flow, ["ask(city, date)", *GOOD[1:2], *GOOD[3:]]).determination is True
    assert check_flow(flow, code_like(flow, plan)).determination is True


def test_optional_inputs() -> None:
    flow = _flow(
        Operator(
            name="pay",
            inputs=(Input(item="sum"), Input(item="voucher", required=False)),
            outputs=(Output(item="receipt"),),
        ),
        goals=(known("receipt"),),
        slots=_never("receipt"),
    )
    assert check_flow(flow, ["ask(sum)", "receipt = pay(sum)"], quality="optimal").determination is True
    both = ["ask(sum)", "ask(voucher)", "receipt = pay(sum, voucher)"]
    assert check_flow(flow, both).determination is True
    report = check_flow(flow, [both[0], both[2]])
    assert report.determination is False and "+ ask(voucher)" in report.plan_diff_str


# --- reading -------------------------------------------------------------------------------------


def test_the_schema_knows_every_key() -> None:
    schema = json.loads((Path(reader.__file__).parent / "flow.schema.json").read_text())
    properties = schema["properties"]
    assert set(properties["options"]["properties"]) == {entry.name for entry in fields(FlowOptions)}
    assert set(properties) - {"flow", "options"} == {entry.name for entry in fields(Flow)} - {"name", "options"}
    for entry in fields(FlowOptions):
        if entry.type == "bool":
            assert properties["options"]["properties"][entry.name]["default"] is entry.default


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"operators": [{"name": "f"}, {"name": "f"}]}, "'f' is declared twice"),
        ({"operators": [{"name": "ask"}]}, "'ask' is the name of a step"),
        (
            {"operators": [{"name": "f", "inputs": [{"item": "x", "type": "a"}, {"item": "x", "type": "b"}]}]},
            "two types",
        ),
        ({"orders": [{"first": "fnd", "then": "find"}]}, "no operator 'fnd' (did you mean 'find'?)"),
        ({"maps": [{"source": "z", "target": "x"}]}, "no operator, memory or goal has an item 'z'"),
        ({"slots": [{"item": "y"}]}, "slots: no operator"),
        ({"starts_with": "g"}, "starts_with: the flow has no operator 'g'"),
        ({"types": {"a": "b", "b": "a"}}, "above itself"),
        ({"goals": [{"operator": "find", "arguments": ["a", "b"]}]}, "takes x, got a, b"),
        ({"goals": [{"known": "x", "used": "x"}]}, "one of the keys"),
        ({"operators": [{"name": "f", "cost": -1}]}, "operators[0].cost: a whole number"),
        ({"operators": [{"name": "f", "max_tries": 1}]}, "unknown key (did you mean 'max_try'?)"),
        ({"slots": [{"item": "x", "desirability": 2}]}, "from 0 to 1"),
        ({"memory": [{"item": "x", "state": "sure"}]}, "one of known, uncertain, unknown"),
        ({"flow": ""}, "flow: a name was expected"),
    ],
)
def test_a_bad_flow_is_refused_by_name(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    document = {"flow": "f", "operators": [{"name": "find", "inputs": ["x"]}], **change}
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ModelError) as error:
        read_flow(path)
    assert said in str(error.value) and str(path) in str(error.value)


def test_a_flow_may_be_the_path_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "flow.json"
    path.write_text('{"flow": "f", "operators": [{"name": "find", "outputs": ["x"]}], "goals": [{"known": "x"}]}')
    assert check_flow(path, "x = find()", repair=False).determination is True
    assert check_flow(str(path), "", repair=False).determination is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"flow": ', "not JSON"),
        ("flow: [a", "not YAML"),
        ("- " * 100_000, "not YAML: nested too deeply"),
        ("flow: " + "[" * 100_000, "not YAML: nested too deeply"),
        ("- 1", "an object was expected"),
        ("", "an object was expected"),
    ],
)
def test_a_document_that_cannot_be_read(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "flow.txt"
    path.write_text(text)
    with pytest.raises(ModelError, match=said):
        read_flow(path)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["flow", "name", "item", "x"]), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(
    st.dictionaries(st.sampled_from(sorted({entry.name for entry in fields(Flow)} | {"flow", "goal_items"})), _VALUES)
)
def test_any_document_is_read_or_refused(document: dict[str, Any]) -> None:
    try:
        flow_from_document(document)
    except ModelError as error:
        assert error.message


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "flow.yaml").write_text(
        "flow: stay\noperators:\n  - {name: find, inputs: [city], outputs: [hotel]}\ngoals: [{known: hotel}]\n"
        "slots: [{item: hotel, desirability: 0}]\n"
    )
    flow = str(tmp_path / "flow.yaml")
    assert main(["plan", flow]) == 0
    assert capsys.readouterr().out == "ask(city)\nhotel = find(city)\n# cost 155010, proven cheapest\n"
    (tmp_path / "bad.plan").write_text("hotel = find(city)\n")
    assert main(["check", flow, str(tmp_path / "bad.plan")]) == 1
    assert "+ ask(city)\n  hotel = find(city)\n" in capsys.readouterr().out
    assert main(["check", flow]) == 2
    assert main(["plan", flow, "--pddl", str(tmp_path / "pddl")]) == 0
    assert (tmp_path / "pddl" / "domain.pddl").read_text().startswith("(define (domain stay-domain)")


# --- goals on arguments --------------------------------------------------------------------------

WHOLE = _flow(operator("o1", "m, e?", "r"), goals=(ran("o1", "m", "e"),))


@pytest.mark.parametrize("options", [{}, {"retries": False}, {"multi_instance": False, "retries": False}])
def test_a_goal_on_optional_arguments_means_them(options: dict[str, bool]) -> None:
    flow = replace(WHOLE, options=FlowOptions(**options))
    assert _plan(flow)[-1] == "r = o1(m, e)"
    assert check_flow(flow, ["ask(e)", "ask(m)", "r = o1(m, e)"]).determination
    report = check_flow(flow, ["ask(m)", "r = o1(m)"])
    assert report.determination is False and report.proven
    assert "r = o1(m, e)" in map(str, report.repaired_plan or ())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"goals": [{"known": "hotell"}]}, "goals: no operator has an item 'hotell' (did you mean 'hotel'?)"),
        ({"memory": [{"item": "citty"}]}, "memory: no operator has an item 'citty' (did you mean 'city'?)"),
        ({"goals": [{"known": "hotell"}], "slots": [{"item": "hotell"}]}, None),
        ({"goals": [{"known": "weather"}]}, None),
    ],
)
def test_an_item_that_may_be_misspelt_is_a_warning(changed: dict[str, Any], said: str | None) -> None:
    find = {"name": "find", "inputs": ["city"], "outputs": ["hotel"]}
    flow = flow_from_document({"flow": "stay", "operators": [find], "goals": [{"known": "hotel"}], **changed})
    wanted = () if said is None else (said,)
    assert plan_flow(flow).warnings == check_flow(flow, "hotel = find(city)", repair=False).warnings == wanted
