"""Reading NL2Flow's options, by their names or by their values, as those of a flow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validator.errors import ModelError
from validator.flow.model import FlowOptions, GoalLogic, LifeCycle
from validator.reading.fields import Fields, choose

__all__ = ["options_from_nl2flow"]

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
