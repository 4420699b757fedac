"""Small lists of tool calls, which of them run by an executor of its own, and the lists with some calls changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

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
        if "label" in call:
            results[call["label"]] = box.outputs[call["name"]]
    return {call["name"] for call in calls}.issuperset(goals)


def _fits(value: object, schema: dict[str, Any], results: dict[str, dict[str, Any]]) -> bool:
    if not isinstance(value, str):
        return schema["type"] == "number"
    if not value.startswith("$"):
        return schema["type"] == "string"
    label, field = value.strip("$").split(".")
    return label == "ask" or (label in results and results[label].get(field, {}).get("type") == schema["type"])


def with_changes(calls: Calls, number: int, box: Box = BOX) -> Iterator[Calls]:
    """Yield lists in which so many calls are new, gone, changed or moved; values of what changes are asked for."""
    if not number:
        yield calls
        return
    labels = [*"abcd", "z"]
    others = [
        {"name": name, "arguments": {each: f"$ask.{each}$" for each in sorted(box.needed[name])}, "label": label}
        for name in box.inputs
        for label in labels
    ]
    for before in with_changes(calls, number - 1, box):
        for gone in (None, *range(len(before))):
            rest = [call for place, call in enumerate(before) if place != gone]
            yield rest
            new = [*others, *(before[gone : gone + 1] if gone is not None else [])]
            for place, call in product(range(len(rest) + 1), new):
                if all(call["label"] != each["label"] for each in rest):
                    yield [*rest[:place], call, *rest[place:]]
