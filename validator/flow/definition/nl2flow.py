"""Reading NL2Flow's own ``FlowDefinition`` JSON, as NL2Flow 0.1.3 writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from validator.errors import ModelError
from validator.flow.definition.nl2flow_options import options_from_nl2flow
from validator.flow.model import (
    Claim,
    Flow,
    Goal,
    GoalKind,
    Input,
    ItemState,
    Manifest,
    Map,
    MemoryItem,
    Operator,
    Order,
    Output,
    Slot,
)
from validator.reading.fields import Fields, text_at
from validator.reading.plan import Step

__all__ = ["flow_from_nl2flow", "is_nl2flow"]

_STATES = {
    "known": ItemState.KNOWN,
    "certain": ItemState.KNOWN,
    "uncertain": ItemState.UNCERTAIN,
    "unknown": ItemState.UNKNOWN,
}
_GOALS = {
    "operator": GoalKind.OPERATOR,
    "object_known": GoalKind.KNOWN,
    "object_used": GoalKind.USED,
    "constraint": GoalKind.CONSTRAINT,
}
_ITEM_KEYS = ("allowed_values", "required", "item_state", "label")
"""what a parameter, or an item of the memory standing for one, may have and a signature does not need"""


def is_nl2flow(document: object) -> bool:
    """Return whether a JSON document looks like NL2Flow's: it has keys that only NL2Flow's have."""
    return isinstance(document, Mapping) and bool(document.keys() & {"goal_items", "list_of_mappings", "memory_items"})


def flow_from_nl2flow(definition: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Flow:
    """Return the flow of a FlowDefinition, with NL2Flow's default options where none are given.

    Raises ModelError with the path of what cannot be read.
    """
    fields = Fields(definition, "")
    flow = Flow(
        name=fields.text("name", "flow"),
        operators=tuple(_operator(Fields(value, path)) for path, value in fields.entries("operators")),
        goals=tuple(tuple(_goals(value, path)) for path, value in fields.entries("goal_items")),
        types=dict(_types(fields)),
        memory=tuple(_memory(Fields(value, path)) for path, value in fields.entries("memory_items")),
        slots=tuple(_slot(Fields(value, path)) for path, value in fields.entries("slot_properties")),
        maps=tuple(_map(Fields(value, path)) for path, value in fields.entries("list_of_mappings")),
        orders=tuple(_order(Fields(value, path)) for path, value in fields.entries("partial_orders")),
        manifests=tuple(_manifest(Fields(value, path)) for path, value in fields.entries("manifest_constraints")),
        history=tuple(_step(Fields(value, path)) for path, value in fields.entries("history")),
        claims=tuple(_claim(Fields(value, path)) for path, value in fields.entries("constraints")),
        starts_with=fields.optional_text("starts_with"),
        ends_with=fields.optional_text("ends_with"),
        options=options_from_nl2flow(options or {}),
    )
    fields.end(("reference", "validate_assignment"))
    return flow


# --- parts ---------------------------------------------------------------------------------------


def _operator(fields: Fields) -> Operator:
    inputs, needs = _signature(fields, "inputs")
    outcomes = list(fields.entries("outputs"))
    if len(outcomes) > 1:
        raise ModelError(f"{fields.path('outputs')}: an operator with more than one outcome cannot be compiled")
    outputs: list[tuple[str, Any]] = []
    ensures: list[Claim] = []
    for path, value in outcomes:
        outcome = Fields(value, path)
        outputs, ensures = _signature(outcome, "outcomes")
        if list(outcome.entries("conditions")):
            raise ModelError(f"{outcome.path('conditions')}: an outcome with a condition cannot be compiled")
        ensures += [_claim(Fields(value, path)) for path, value in outcome.entries("constraints")]
        outcome.raw("probability")
        outcome.end()
    operator = Operator(
        name=fields.text("name"),
        inputs=tuple(_input(value, path) for path, value in inputs),
        outputs=tuple(_output(value, path) for path, value in outputs),
        needs=tuple(needs),
        ensures=tuple(ensures),
        cost=fields.whole("cost", 10, 0, 10**6),
        max_try=fields.whole("max_try", 1, 0, 5),
    )
    fields.end()
    return operator


def _signature(fields: Fields, key: str) -> tuple[list[tuple[str, Any]], list[Claim]]:
    """Return the parameters and the constraints of a list of signature items."""
    parameters: list[tuple[str, Any]] = []
    claims: list[Claim] = []
    for path, value in fields.entries(key):
        item = Fields(value, path)
        parameters += item.entries("parameters")
        claims += [_claim(Fields(value, path)) for path, value in item.entries("constraints")]
        item.end()
    return parameters, claims


def _input(value: object, path: str) -> Input:
    if isinstance(value, str):
        return Input(item=text_at(value, path))
    fields = Fields(value, path)
    found = Input(
        item=fields.text("item_id"),
        type=fields.optional_text("item_type"),
        required=fields.flag("required", True),
        allowed_values=tuple(str(value) for _, value in fields.entries("allowed_values")),
    )
    fields.end(_ITEM_KEYS)
    return found


def _output(value: object, path: str) -> Output:
    if isinstance(value, str):
        return Output(item=text_at(value, path))
    fields = Fields(value, path)
    found = Output(item=fields.text("item_id"), type=fields.optional_text("item_type"))
    fields.end(_ITEM_KEYS)
    return found


def _memory(fields: Fields) -> MemoryItem:
    found = MemoryItem(
        item=fields.text("item_id"),
        type=fields.optional_text("item_type"),
        state=fields.choice("item_state", _STATES, ItemState.UNKNOWN),
        label=fields.optional_text("label"),
    )
    fields.end(_ITEM_KEYS)
    return found


def _types(fields: Fields) -> Iterator[tuple[str, str]]:
    for path, value in fields.entries("type_hierarchy"):
        entry = Fields(value, path)
        name = entry.text("name")
        yield name, entry.text("parent", "generic")
        for child in entry.texts("children"):
            yield child, name
        entry.end()


def _slot(fields: Fields) -> Slot:
    found = Slot(
        item=fields.text("slot_name"),
        desirability=fields.share("slot_desirability", 0.5),
        propagate=fields.flag("propagate_desirability", False),
        last_resort=not fields.flag("do_not_last_resort", False),
    )
    fields.end()
    return found


def _map(fields: Fields) -> Map:
    found = Map(
        source=fields.text("source_name"),
        target=fields.text("target_name"),
        probability=fields.share("probability", 1.0),
    )
    fields.end(("is_mapped",))
    return found


def _order(fields: Fields) -> Order:
    found = Order(first=fields.text("antecedent"), then=fields.text("consequent"))
    fields.end()
    return found


def _claim(fields: Fields) -> Claim:
    found = Claim(text=fields.text("constraint"), holds=fields.flag("truth_value", True))
    fields.end()
    return found


def _manifest(fields: Fields) -> Manifest:
    condition, consequence = fields.raw("constraint"), fields.raw("manifest")
    fields.end()
    return Manifest(
        condition=_claim(Fields(condition, fields.path("constraint"))),
        consequence=_claim(Fields(consequence, fields.path("manifest"))),
    )


def _step(fields: Fields) -> Step:
    found = Step(name=fields.text("name"), args=_arguments(fields))
    fields.end(("label", "maps"))
    return found


def _arguments(fields: Fields) -> tuple[str, ...]:
    return tuple(_input(value, path).item for path, value in fields.entries("parameters"))


def _goals(value: object, path: str) -> Iterator[Goal]:
    group = Fields(value, path)
    yield from (_goal(Fields(value, path)) for path, value in group.entries("goals"))
    group.end()


def _goal(fields: Fields) -> Goal:
    kind = fields.choice("goal_type", _GOALS, GoalKind.OPERATOR)
    delegate = fields.flag("delegate_maps", False)
    subject = fields.raw("goal_name")
    fields.end()
    if isinstance(subject, str):
        if kind is GoalKind.CONSTRAINT:
            return Goal(kind=kind, claim=Claim(text=subject))
        return Goal(kind=kind, subject=text_at(subject, fields.path("goal_name")))
    inner = Fields(subject, fields.path("goal_name"))
    if "constraint" in inner:
        return Goal(kind=GoalKind.CONSTRAINT, claim=_claim(inner))
    arguments = inner.texts("maps") if delegate else _arguments(inner)
    step = Fields(subject, fields.path("goal_name"))
    return Goal(kind=GoalKind.OPERATOR, subject=step.text("name"), arguments=arguments or None)
