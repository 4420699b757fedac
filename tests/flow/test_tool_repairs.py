"""Repairs of tool calls: accepted when checked again, and none nearer, by an enumeration of edits of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.flow import check_tool_calls
from validator.flow.tools.declared.specifications import read_tools
from validator.flow.tools.listed.calls import bound
from validator.flow.tools.mended.search import nearest_lists
from validator.reading.calls.lists import read_list

Calls = list[dict[str, Any]]

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
TOOLS = [
    {"name": "find", "parameters": {"city": TEXT}, "output_parameters": {"place": TEXT, "price": NUMBER}},
    {"name": "book", "parameters": {"place": TEXT, "amount": NUMBER}, "output_parameters": {"ticket": TEXT}},
    {"name": "near", "parameters": {"place": TEXT}, "output_parameters": {"city": TEXT, "amount": NUMBER}},
    {"name": "mail", "parameters": {"text": TEXT}, "output_parameters": {"sent": {"type": "boolean"}}},
]
INPUTS = {str(tool["name"]): dict(tool["parameters"]) for tool in TOOLS}  # type: ignore[call-overload]
OUTPUTS = {str(tool["name"]): dict(tool["output_parameters"]) for tool in TOOLS}  # type: ignore[call-overload]

_VALUES = st.sampled_from(
    ["$a.place$", "$a.price$", "$a.city$", "$b.place$", "$b.city$", "$b.amount$", "$c.ticket$", "$c.sent$", "$d.place$"]
)


@st.composite
def _lists(draw: st.DrawFn) -> Calls:
    """Draw up to three calls of which some arguments are references, right or wrong ones."""
    names = draw(st.lists(st.sampled_from(sorted(INPUTS)), min_size=1, max_size=3))
    labels = draw(st.permutations(["a", "b", "c"]))
    literals = {"string": st.just("x"), "number": st.just(7)}
    return [
        {
            "name": name,
            "arguments": {
                each: draw(literals[schema["type"]] if draw(st.booleans()) else _VALUES)
                for each, schema in INPUTS[name].items()
            },
            "label": label,
        }
        for name, label in zip(names, labels, strict=False)
    ]


def _is_accepted(calls: Calls) -> bool:
    return check_tool_calls(TOOLS, calls, repair=False).determination is True


def _edits(calls: Calls, given: Calls) -> Iterator[tuple[int, Calls]]:
    """Yield lists that one edit makes of calls, with its cost: moves, references, new calls.

    Another call's result is taken for the field that was named at first, or for the argument's name, and then stays.
    """
    named = {(call["label"], name): value for call in given for name, value in call["arguments"].items()}
    for old, new in product(range(len(calls)), repeat=2):
        if old != new:
            rest = [*calls[:old], *calls[old + 1 :]]
            yield 2, [*rest[:new], calls[old], *rest[new:]]
    for place, call in enumerate(calls):
        for name, value in call["arguments"].items():
            if isinstance(value, str) and value.startswith("$") and not value.startswith("$ask"):
                first = named.get((call["label"], name), value)
                for cost, other in _others(calls, call, name, value, str(first)):
                    yield cost, _with(calls, place, {**call, "arguments": {**call["arguments"], name: other}})
    for place in range(len(calls) + 1):
        yield from ((cost, [*calls[:place], new, *calls[place:]]) for cost, new in _new(calls))


def _with(calls: Calls, place: int, call: dict[str, Any]) -> Calls:
    return [*calls[:place], call, *calls[place + 1 :]]


def _others(calls: Calls, call: dict[str, Any], name: str, value: str, first: str) -> Iterator[tuple[int, str]]:
    label = value.strip("$").split(".")[0]
    named, _, field = first.strip("$").rpartition(".")
    for other in calls:
        for each in OUTPUTS[other["name"]]:
            if other["label"] == label == named:
                yield 2, f"${label}.{each}$"
            elif each in (field, name) and other is not call:
                yield 4, f"${other['label']}.{each}$"


def _new(calls: Calls) -> Iterator[tuple[int, dict[str, Any]]]:
    text = json.dumps(calls)
    there = {call["label"] for call in calls}
    wanted = [label for label in "abcd" if label not in there and f"${label}." in text]
    for tool, label in product(INPUTS, wanted):
        values = [pair for each in calls for pair in each["arguments"].items()]
        meant = set(next(filter(None, (_meant(name, value, label) for name, value in values))))
        if meant.isdisjoint(OUTPUTS[tool]):
            continue
        choices = []
        for name in INPUTS[tool]:
            given = [(0, f"${c['label']}.{name}$") for c in calls if name in OUTPUTS[c["name"]]]
            copied = [(0, c["arguments"][name]) for c in calls if c["name"] != tool and name in c["arguments"]]
            choices.append([*given, *copied, (3, f"$ask.{name}$")])
        for values in product(*choices):
            arguments = {name: value for name, (_, value) in zip(INPUTS[tool], values, strict=True)}
            yield 2 + sum(cost for cost, _ in values), {"name": tool, "arguments": arguments, "label": label}


def _meant(name: str, value: object, label: str) -> tuple[str, ...]:
    """Return what a new call with a label may be meant to yield: the field that is named, or the argument."""
    is_reference = isinstance(value, str) and value.startswith(f"${label}.")
    return (name, str(value).strip("$").split(".")[1]) if is_reference else ()


def _cheapest(calls: Calls, below: int) -> int | None:
    """Return the least cost, below another one, of edits that make calls run; None when there are none."""
    numbers = count()
    queue = [(0, next(numbers), calls)]
    seen = set()
    while queue:
        cost, _, here = heappop(queue)
        key = json.dumps(here, sort_keys=True)
        if key in seen:
            continue
        seen.add(key)
        if _is_accepted(here):
            return cost
        for more, there in _edits(here, calls):
            if cost + more < below:
                heappush(queue, (cost + more, next(numbers), there))
    return None


def _agrees(calls: Calls, most: int) -> None:
    report = check_tool_calls(TOOLS, calls)
    if report.determination is True:
        return
    assert report.proven
    assert _is_accepted(report.repaired_calls)
    assert all(map(_is_accepted, report.other_repairs))
    tools = read_tools(TOOLS)
    found = nearest_lists(bound(read_list(calls), tools), tools, (), float("inf"))
    cost = found.lists[0].cost
    assert _cheapest(calls, min(cost, most)) is None


@settings(max_examples=25, deadline=None)
@given(_lists())
def test_no_list_that_runs_is_nearer_than_the_one_that_is_called_nearest(calls: Calls) -> None:
    _agrees(calls, 5)


@pytest.mark.deep
@settings(max_examples=150, deadline=None)
@given(_lists())
def test_the_same_at_a_greater_distance(calls: Calls) -> None:
    _agrees(calls, 7)
