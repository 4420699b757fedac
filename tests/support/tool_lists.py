"""Small lists of tool calls, which of them run by an executor of its own, and the edits that lead to others."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import count, product
from random import Random
from typing import Any

__all__ = ["BOX", "IDS", "SPARE", "TOOLS", "Box", "Calls", "cheapest", "random_list", "runs"]

Calls = list[dict[str, Any]]

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
TOOLS = [
    {"name": "find", "parameters": {"city": TEXT}, "output_parameters": {"place": TEXT, "price": NUMBER}},
    {"name": "book", "parameters": {"place": TEXT, "amount": NUMBER}, "output_parameters": {"ticket": TEXT}},
    {"name": "near", "parameters": {"place": TEXT}, "output_parameters": {"city": TEXT, "amount": NUMBER}},
    {"name": "mail", "parameters": {"text": TEXT}, "output_parameters": {"sent": {"type": "boolean"}}},
]


@dataclass(frozen=True)
class Box:
    """Tools, and the values that arguments of random calls have, right or wrong ones."""

    tools: Sequence[Mapping[str, Any]]
    values: tuple[str, ...]

    @cached_property
    def inputs(self) -> dict[str, dict[str, Any]]:
        return {tool["name"]: dict(tool["parameters"]) for tool in self.tools}

    @cached_property
    def needed(self) -> dict[str, set[str]]:
        """The arguments of each tool without those that may be left out."""
        return {
            name: {each for each, schema in inputs.items() if not schema.get("optional")}
            for name, inputs in self.inputs.items()
        }

    @cached_property
    def outputs(self) -> dict[str, dict[str, Any]]:
        return {tool["name"]: dict(tool["output_parameters"]) for tool in self.tools}


BOX = Box(
    TOOLS,
    (
        "$a.place$",
        "$a.price$",
        "$a.city$",
        "$b.place$",
        "$b.city$",
        "$b.amount$",
        "$c.ticket$",
        "$c.sent$",
        "$d.place$",
    ),
)

IDS = Box(
    [
        {"name": "user", "parameters": {"name": TEXT}, "output_parameters": {"user_id": TEXT}},
        {"name": "orders", "parameters": {"user_id": TEXT}, "output_parameters": {"order_id": TEXT, "total": NUMBER}},
        {"name": "pay", "parameters": {"order_id": TEXT, "total": NUMBER}, "output_parameters": {"receipt": TEXT}},
        {"name": "note", "parameters": {"user_id": TEXT, "text": TEXT}, "output_parameters": {"name": TEXT}},
    ],
    ("$a.user_id$", "$a.total$", "$b.order_id$", "$b.total$", "$b.name$", "$c.order_id$", "$c.name$", "$d.user_id$"),
)
"""tools that take what no user says: an id costs more than another value"""

SPARE = Box(
    [
        {"name": "find", "parameters": {"city": TEXT}, "output_parameters": {"place": TEXT, "price": NUMBER}},
        {
            "name": "book",
            "parameters": {"place": TEXT, "amount": {**NUMBER, "optional": True}},
            "output_parameters": {"ticket": TEXT},
        },
        {
            "name": "mail",
            "parameters": {"text": TEXT, "copy": {**TEXT, "optional": True}},
            "output_parameters": {"sent": NUMBER},
        },
    ],
    BOX.values,
)
"""tools with arguments that may be left out"""


def random_list(rng: Random, box: Box = BOX) -> Calls:
    """Return up to three calls of which some arguments are references, right or wrong ones."""
    labels = rng.sample("abc", 3)
    literals = {"string": "x", "number": 7}
    return [
        {
            "name": name,
            "arguments": {
                each: literals[schema["type"]] if rng.random() < 0.5 else rng.choice(box.values)
                for each, schema in box.inputs[name].items()
            },
            "label": labels[place],
        }
        for place, name in enumerate(rng.choice(sorted(box.inputs)) for _ in range(rng.randint(1, 3)))
    ]


def runs(calls: Calls, box: Box = BOX, goals: Collection[str] = ()) -> bool:
    """Make the calls one after the other: whether each gets a value of its declared type for each argument.

    The tools that are goals have to be among them.
    """
    results: dict[str, dict[str, Any]] = {}
    for call in calls:
        wanted = box.inputs[call["name"]]
        if not box.needed[call["name"]] <= call["arguments"].keys() <= wanted.keys():
            return False
        if not all(_fits(value, wanted[name], results) for name, value in call["arguments"].items()):
            return False
        results[call["label"]] = box.outputs[call["name"]]
    return {call["name"] for call in calls}.issuperset(goals)


def _fits(value: object, schema: dict[str, Any], results: dict[str, dict[str, Any]]) -> bool:
    if not isinstance(value, str):
        return schema["type"] == "number"
    if not value.startswith("$"):
        return schema["type"] == "string"
    label, field = value.strip("$").split(".")
    return label == "ask" or (label in results and results[label].get(field, {}).get("type") == schema["type"])


def _edits(calls: Calls, given: Calls, box: Box, goals: Collection[str]) -> Iterator[tuple[int, Calls]]:
    """Yield lists that one edit makes of calls, with its cost: moves, references, arguments left out, new calls.

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
                for cost, other in _others(calls, call, name, value, str(first), box):
                    yield cost, _with(calls, place, {**call, "arguments": {**call["arguments"], name: other}})
                if name not in box.needed[call["name"]]:
                    rest = {each: one for each, one in call["arguments"].items() if each != name}
                    yield 4, _with(calls, place, {**call, "arguments": rest})
    for place in range(len(calls) + 1):
        for cost, new in _new(calls, box, goals):
            yield cost, [*calls[:place], *new, *calls[place:]]


def _with(calls: Calls, place: int, call: dict[str, Any]) -> Calls:
    return [*calls[:place], call, *calls[place + 1 :]]


def _others(
    calls: Calls, call: dict[str, Any], name: str, value: str, first: str, box: Box
) -> Iterator[tuple[int, str]]:
    label = value.strip("$").split(".")[0]
    named, _, field = first.strip("$").rpartition(".")
    for other in calls:
        for each in box.outputs[other["name"]]:
            if other["label"] == label == named:
                yield 2, f"${label}.{each}$"
            elif each in (field, name) and other is not call:
                yield 4, f"${other['label']}.{each}$"


def _new(calls: Calls, box: Box, goals: Collection[str]) -> Iterator[tuple[int, Calls]]:
    """Yield new calls that stand for a label which none has, or are of a tool that is a goal; those they need first."""
    text = json.dumps(calls)
    there = {call["label"] for call in calls}
    wanted = [label for label in "abcd" if label not in there and f"${label}." in text]
    for tool, label in product(box.inputs, wanted):
        values = [pair for each in calls for pair in each["arguments"].items()]
        meant = set(next(filter(None, (_meant(name, value, label) for name, value in values))))
        if not meant.isdisjoint(box.outputs[tool]):
            yield from _called(calls, tool, label, box)
    free = next(label for label in "efghij" if label not in there)
    for tool in {*goals}.difference(call["name"] for call in calls):
        yield from _called(calls, tool, free, box)


def _called(calls: Calls, tool: str, label: str, box: Box, depth: int = 0) -> Iterator[tuple[int, Calls]]:
    """Yield a new call with whatever its arguments may be bound to, behind further calls that look ids up."""
    choices: list[list[tuple[int, object, Calls]]] = []
    names = [name for name in box.inputs[tool] if name in box.needed[tool]]
    for name in names:
        given = [(0, f"${c['label']}.{name}$", []) for c in calls if name in box.outputs[c["name"]]]
        copied = [(0, c["arguments"][name], []) for c in calls if c["name"] != tool and name in c["arguments"]]
        looked = [
            (cost, f"${label}{name}.{name}$", new)
            for other in box.inputs
            if _is_unsaid(name) and depth < 2 and name in box.outputs[other]
            for cost, new in _called(calls, other, f"{label}{name}", box, depth + 1)
        ]
        choices.append([*given, *copied, *looked, (6 if _is_unsaid(name) else 3, f"$ask.{name}$", [])])
    for values in product(*choices):
        arguments = {name: value for name, (_, value, _) in zip(names, values, strict=True)}
        before = [call for _, _, new in values for call in new]
        cost = 2 + sum(each for each, _, _ in values)
        yield cost, [*before, {"name": tool, "arguments": arguments, "label": label}]


def _is_unsaid(name: str) -> bool:
    return name.endswith("_id")


def _meant(name: str, value: object, label: str) -> tuple[str, ...]:
    """Return what a new call with a label may be meant to yield: the field that is named, or the argument."""
    is_reference = isinstance(value, str) and value.startswith(f"${label}.")
    return (name, str(value).strip("$").split(".")[1]) if is_reference else ()


def cheapest(calls: Calls, below: int, box: Box = BOX, goals: Collection[str] = ()) -> int | None:
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
        if runs(here, box, goals):
            return cost
        for more, there in _edits(here, calls, box, goals):
            if cost + more < below:
                heappush(queue, (cost + more, next(numbers), there))
    return None
