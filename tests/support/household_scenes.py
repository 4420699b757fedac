"""A small household in the benchmark's own files, for the tests of the evaluators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from validator.grading.eai.tasks.virtualhome import Household, load

KITCHEN, BEDROOM, AGENT, FRIDGE, MILK, LAMP, BED, BOOK = 1, 2, 65, 10, 11, 12, 13, 14


def node(number: int, kind: str, category: str, properties: str = "", states: str = "") -> dict[str, Any]:
    return {
        "id": number,
        "class_name": kind,
        "category": category,
        "properties": properties.split(),
        "states": states.split(),
        "prefab_name": None,
        "bounding_box": None,
    }


def edge(start: int, relation: str, end: int) -> dict[str, Any]:
    return {"from_id": start, "relation_type": relation, "to_id": end}


def graph(
    fridge: str = "CLOSED",
    lamp: str = "OFF PLUGGED_IN",
    milk: int = FRIDGE,
    agent: str = "",
    plus: tuple[Any, ...] = (),
) -> dict[str, Any]:
    """Return a scene: milk in a fridge in the kitchen, a lamp, a bed and a book in the bedroom, the agent there."""
    return {
        "nodes": [
            node(KITCHEN, "kitchen", "Rooms"),
            node(BEDROOM, "bedroom", "Rooms"),
            node(AGENT, "character", "Characters", states=agent),
            node(FRIDGE, "fridge", "Appliances", "CAN_OPEN CONTAINERS", fridge),
            node(MILK, "milk", "Food", "GRABBABLE DRINKABLE"),
            node(LAMP, "lamp", "Electronics", "HAS_SWITCH HAS_PLUG", lamp),
            node(BED, "bed", "Furniture", "LIEABLE SITTABLE"),
            node(BOOK, "book", "Props", "GRABBABLE READABLE"),
        ],
        "edges": [
            edge(AGENT, "INSIDE", BEDROOM),
            edge(FRIDGE, "INSIDE", KITCHEN),
            edge(MILK, "INSIDE", milk),
            edge(LAMP, "INSIDE", BEDROOM),
            edge(BED, "INSIDE", BEDROOM),
            edge(BOOK, "INSIDE", BEDROOM),
            edge(BOOK, "ON", BED),
            *plus,
        ],
    }


STATE_ON = {"id": LAMP, "class_name": "lamp", "state": "ON"}


def write_tasks(place: Path, tasks: dict[str, dict[str, Any]]) -> Path:
    """Write tasks, each with ``goal``, ``actions``, ``tl_goal``, ``before``, ``after`` and ``program``."""
    entries = {}
    for identifier, task in tasks.items():
        entries[identifier] = {
            "vh_goal": {"actions": task.get("actions", []), "goal": task.get("goal", [])},
            "tl_goal": task.get("tl_goal"),
        }
        graphs = {"init_graph": task.get("before", graph()), "final_graph": task.get("after", everything_moved())}
        (place / f"file{identifier}.json").write_text(json.dumps(graphs))
        program = "\n".join(("Title", "Description", "", "", *task.get("program", ())))
        (place / f"file{identifier}.txt").write_text(program)
    (place / "task_state_LTL_formula_accurate.json").write_text(json.dumps({"scene_1": {"Test": entries}}))
    return place


def everything_moved() -> dict[str, Any]:
    """Return a final scene that differs in all objects, so that an answer may name any of them."""
    moved = graph("OPEN", "ON PLUGGED_IN", KITCHEN, "LYING", (edge(AGENT, "ON", BED), edge(AGENT, "HOLDS_RH", BOOK)))
    return {**moved, "nodes": [{**each, "states": [*each["states"], "CLEAN"]} for each in moved["nodes"]]}


def household(place: Path, **task: Any) -> Household:
    """Return one task of the small household."""
    return load(write_tasks(place, {"1_1": task}))["1_1"]
