"""Reading NL2Flow's own ``FlowDefinition`` JSON, as NL2Flow 0.1.3 writes it, and its options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from validator.errors import ModelError
from validator.flow.definition.entries import (
    Reader,
    choice,
    flag,
    listed,
    one,
    optional_text,
    record,
    share,
    signature,
    text,
)
from validator.flow.model import (
    Claim,
    Flow,
    FlowOptions,
    Goal,
    GoalKind,
    GoalLogic,
    ItemState,
    LifeCycle,
    Manifest,
    Map,
    MemoryItem,
    Operator,
    Order,
    Slot,
)
from validator.reading.fields import Fields, choose, text_at
from validator.reading.plan import Step

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
    return replace(_read(definition, ""), options=options_from_nl2flow(options or {}))


# --- parts ---------------------------------------------------------------------------------------

_claim = record(Claim, text=text("constraint"), holds=flag("truth_value", default=True))
_INPUT, _OUTPUT = signature("item_id", "item_type", *_ITEM_KEYS)
_SLOT = record(
    Slot,
    item=text("slot_name"),
    desirability=share("slot_desirability", 0.5),
    propagate=flag("propagate_desirability", default=False),
    last_resort=lambda fields: not fields.flag("do_not_last_resort", False),
)
_MAP = record(
    Map, "is_mapped", source=text("source_name"), target=text("target_name"), probability=share("probability", 1.0)
)
_MEMORY = record(
    MemoryItem,
    *_ITEM_KEYS,
    item=text("item_id"),
    type=optional_text("item_type"),
    state=choice("item_state", _STATES, ItemState.UNKNOWN),
    label=optional_text("label"),
)


def _operator(value: object, path: str) -> Operator:
    fields = Fields(value, path)
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
        ensures += listed("constraints", _claim)(outcome)
        outcome.raw("probability")
        outcome.end()
    operator = Operator(
        name=fields.text("name"),
        inputs=tuple(_INPUT(value, path) for path, value in inputs),
        outputs=tuple(_OUTPUT(value, path) for path, value in outputs),
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
        claims += listed("constraints", _claim)(item)
        item.end()
    return parameters, claims


def _types(fields: Fields) -> Iterator[tuple[str, str]]:
    for path, value in fields.entries("type_hierarchy"):
        entry = Fields(value, path)
        name = entry.text("name")
        yield name, entry.text("parent", "generic")
        for child in entry.texts("children"):
            yield child, name
        entry.end()


def _arguments(fields: Fields) -> tuple[str, ...]:
    return tuple(_INPUT(value, path).item for path, value in fields.entries("parameters"))


def _goal(value: object, path: str) -> Goal:
    fields = Fields(value, path)
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
        return Goal(kind=GoalKind.CONSTRAINT, claim=_claim(subject, inner.where))
    arguments = inner.texts("maps") if delegate else _arguments(inner)
    step = Fields(subject, fields.path("goal_name"))
    return Goal(kind=GoalKind.OPERATOR, subject=step.text("name"), arguments=arguments or None)


_GROUP: Reader[tuple[Goal, ...]] = record(lambda goals: goals, goals=listed("goals", _goal))
_read = record(
    Flow,
    "reference",
    "validate_assignment",
    name=text("name", "flow"),
    operators=listed("operators", _operator),
    goals=listed("goal_items", _GROUP),
    types=lambda fields: dict(_types(fields)),
    memory=listed("memory_items", _MEMORY),
    slots=listed("slot_properties", _SLOT),
    maps=listed("list_of_mappings", _MAP),
    orders=listed("partial_orders", record(Order, first=text("antecedent"), then=text("consequent"))),
    manifests=listed(
        "manifest_constraints",
        record(Manifest, condition=one("constraint", _claim), consequence=one("manifest", _claim)),
    ),
    history=listed("history", record(Step, "label", "maps", name=text("name"), args=_arguments)),
    claims=listed("constraints", _claim),
    starts_with=optional_text("starts_with"),
    ends_with=optional_text("ends_with"),
)


# --- options -------------------------------------------------------------------------------------

_LOGICS = {
    "and_and": GoalLogic.AND_AND,
    "default": GoalLogic.AND_AND,
    "and_or": GoalLogic.AND_OR,
    "and-or": GoalLogic.AND_OR,
    "or_and": GoalLogic.OR_AND,
    "or-and": GoalLogic.OR_AND,
}
_LIFE_CYCLES = {
    "uncertain_on_use": LifeCycle.UNCERTAIN_ON_USE,
    "uncertain-use": LifeCycle.UNCERTAIN_ON_USE,
    "confirm_on_mapping": LifeCycle.CONFIRM_ON_MAPPING,
    "confirm-map": LifeCycle.CONFIRM_ON_MAPPING,
    "confirm_on_determination": LifeCycle.CONFIRM_ON_DETERMINATION,
    "confirm-det": LifeCycle.CONFIRM_ON_DETERMINATION,
    "confirm_on_slot": LifeCycle.CONFIRM_ON_SLOT,
    "confirm-slot": LifeCycle.CONFIRM_ON_SLOT,
}

# An option of NL2Flow, by its name and by its value -> ours; None for those that it accepts and that change nothing.
_SLOTS = {
    "higher_cost": "ask_always",
    "cost": "ask_always",
    "last_resort": "ask_last_resort",
    "fallback": "ask_last_resort",
    "ordered": "ask_ordered",
    "all_together": "ask_together",
    "together": "ask_together",
    "group_slots": "group_slots",
    "group": "group_slots",
    "relaxed": None,
    "immediate": None,
    "eventual": None,
}
_MAPPINGS = {
    "transitive": "map_transitive",
    "prohibit_direct": "map_always",
    "indirect_map": "map_always",
    "ignore_types": "map_types",
    "group_maps": "group_maps",
    "group": "group_maps",
    "relaxed": None,
    "immediate": None,
    "eventual": None,
}
_CONFIRMS = {"group_confirms": "group_confirms", "group": "group_confirms"}
_OPTIMIZATIONS = {
    "multi_instance": "multi_instance",
    "allow_retries": "retries",
    "label_production": "labels",
    "labels": "labels",
}


def options_from_nl2flow(options: Mapping[str, Any]) -> FlowOptions:
    """Return options given as lists of NL2Flow's names or values: slot, mapping, confirm, life_cycle, optimization.

    ``goal_type`` and ``lookahead`` are single values. What is not given has NL2Flow's default.
    """
    fields = Fields(options, "options")
    chosen: dict[str, Any] = {}
    for key, table, default in (
        ("slot", _SLOTS, ("higher_cost",)),
        ("mapping", _MAPPINGS, ()),
        ("confirm", _CONFIRMS, ()),
        ("optimization", _OPTIMIZATIONS, ("multi_instance", "allow_retries")),
    ):
        given = fields.texts(key) if key in fields else default
        fields.raw(key)
        for number, name in enumerate(given):
            if name.lower() not in table:
                wanted = ", ".join(table)
                raise ModelError(f"{fields.path(key)}[{number}]: one of {wanted} was expected, not {name!r}")
            if (own := table[name.lower()]) is not None:
                chosen[own] = own != "map_types"
    life_cycle = (choose(value, _LIFE_CYCLES, path) for path, value in fields.entries("life_cycle"))
    defaults = {"ask_always": False, "multi_instance": False, "retries": False}
    found = FlowOptions(
        **{**defaults, **chosen},
        life_cycle=frozenset(life_cycle),
        lookahead=fields.whole("lookahead", 1, 0, 100),
        goal_logic=fields.choice("goal_type", _LOGICS, GoalLogic.AND_AND),
    )
    fields.end()
    return found
