"""Small lists of tool calls, which of them run by an executor of its own, and the edits that lead to others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count, product
from random import Random
from typing import Any

__all__ = ["TOOLS", "Calls", "cheapest", "random_list", "runs"]

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

VALUES = (
    "$a.place$", "$a.price$", "$a.city$", "$b.place$", "$b.city$", "$b.amount$", "$c.ticket$", "$c.sent$", "$d.place$",
)  # fmt: skip


def random_list(rng: Random) -> Calls:
    """Return up to three calls of which some arguments are references, right or wrong ones."""
    labels = rng.sample("abc", 3)
    literals = {"string": "x", "number": 7}
    return [
        {
            "name": name,
            "arguments": {
                each: literals[schema["type"]] if rng.random() < 0.5 else rng.choice(VALUES)
                for each, schema in INPUTS[name].items()
            },
            "label": labels[place],
        }
        for place, name in enumerate(rng.choice(sorted(INPUTS)) for _ in range(rng.randint(1, 3)))
    ]


def runs(calls: Calls) -> bool:
    """Make the calls one after the other: whether each gets a value of its declared type for each argument."""
    results: dict[str, dict[str, Any]] = {}
    for call in calls:
        wanted = INPUTS[call["name"]]
        if call["arguments"].keys() != wanted.keys():
            return False
        if not all(_fits(call["arguments"][name], schema, results) for name, schema in wanted.items()):
            return False
        results[call["label"]] = OUTPUTS[call["name"]]
    return True


def _fits(value: object, schema: dict[str, str], results: dict[str, dict[str, Any]]) -> bool:
    if not isinstance(value, str):
        return schema["type"] == "number"
    if not value.startswith("$"):
        return schema["type"] == "string"
    label, field = value.strip("$").split(".")
    return label == "ask" or (label in results and results[label].get(field) == schema)


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


def cheapest(calls: Calls, below: int) -> int | None:
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
        if runs(here):
            return cost
        for more, there in _edits(here, calls):
            if cost + more < below:
                heappush(queue, (cost + more, next(numbers), there))
    return None
