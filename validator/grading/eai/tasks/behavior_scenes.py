"""The tasks of BEHAVIOR as its evaluator has them: whole scenes, under the names that its prompts show.

The benchmark's package has for each task the initial conditions and the options of each goal under BDDL's names
(``jar.n.01_1``), which states each object can be in, and prompts with the names in the scene (``jar.0``, ``jar_0``).
Within a category both count the objects in the same order. Sizes are in the simulator alone: nothing is too big here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from validator.errors import InputError
from validator.model.values import And, Atom, Formula, GroundAtom, Not, Or, Problem
from validator.texts import read_json

__all__ = ["Scene", "scene_goals", "scene_problem", "scenes"]

_OBJECTS, _CONDITIONS, _SAMPLED = "all_objects.json", "all_conditions.json", "all_conditions_sampled.json"
_PROMPTS = tuple(
    f"{name}/resources/prompts/helm_prompts.json" for name in ("subgoal_decomposition", "action_sequencing")
)
_LISTED = re.compile(r"\{'name': '([^']+)', 'category': '([^']+)'\}")
_HEADINGS = re.compile(r"relevant objects|interactable objects:", re.IGNORECASE)

_PREDICATES = {"open": "is-open", "toggled_on": "toggled-on"}
_ABLE = {
    "Open": "can-open",
    "ToggledOn": "can-toggle",
    "Sliced": "can-slice",
    "Soaked": "can-soak",
    "Frozen": "can-freeze",
    "Cooked": "can-cook",
    "Dusty": "can-be-dusty",
    "Stained": "can-be-stained",
}
_BY_NAME = ("sink", "teapot", "dishwasher", "saucepan", "detergent")
"""What the evaluator tells by a part of the name in the scene."""

_OPEN_FROM_THE_START = frozenset(("carton_n_02",))
"""What the simulator puts into a scene open, as the recorded executions show; the files do not say it."""

_TOOLS = ("rag", "towel", "brush", "cloth", "vacuum", "broom", "dishtowel", "sponge")
"""Tools for cleaning, told by the category: the files do not list that state."""

Scene: TypeAlias = tuple[Mapping[str, Sequence[str]], Mapping[str, Any], Mapping[str, str]]
"""The states of each object, the conditions, and the name in the scene, all by BDDL's names."""


def scenes(place: Path, *, sampled: bool = False) -> dict[str, Scene]:
    """Read the tasks of the package ``behavior_eval``, or of a folder above or below it; none if it is not there.

    With ``sampled`` goals have the options only that the benchmark's evaluator looks at, 16 of 256 for instance. Raises
    InputError for files that do not fit each other.
    """
    files = [
        path for name in (_OBJECTS, _SAMPLED if sampled else _CONDITIONS) for path in sorted(place.rglob(name))[:1]
    ]
    prompts = [path for name in _PROMPTS for path in sorted(place.rglob(name))]
    if len(files) < 2 or not prompts:
        return {}
    objects, conditions = map(read_json, files)
    texts = {record["identifier"]: record["llm_prompt"] for record in read_json(prompts[0])}
    return {
        name: (objects[name], conditions[name], _names(objects[name], texts[name], f"{prompts[0]}: {name}"))
        for name in conditions
        if name in objects and name in texts
    }


def _names(objects: Iterable[str], prompt: str, source: str) -> dict[str, str]:
    """Return the name in the scene, as the prompt lists it, of each object."""
    listed: dict[str, list[str]] = defaultdict(list)
    for name, category in _LISTED.findall(_HEADINGS.split(prompt)[-1]):
        listed[category.replace(".", "_")].append(name.replace(".", "_"))
    found: dict[str, list[str]] = defaultdict(list)
    for name in sorted(objects, key=lambda name: int(name.rsplit("_", 1)[1])):
        if not name.startswith("agent"):
            found[_category(name)].append(name)
    if {name: len(some) for name, some in listed.items()} != {name: len(some) for name, some in found.items()}:
        raise InputError("the prompt lists other objects than the task has", source=source)
    return {old: new for category in found for old, new in zip(found[category], listed[category], strict=True)}


def _category(name: str) -> str:
    return name.rpartition("_")[0].replace(".", "_")


# --- as a problem of the bundled domain ----------------------------------------------------------


def scene_problem(identifier: str, scene: Scene) -> tuple[Problem, dict[str, str]]:
    """Return a task as a problem of the bundled domain ``behavior``, and other names of its objects."""
    objects, conditions, names = scene
    init: set[GroundAtom] = {
        (_PREDICATES.get(condition[0], condition[0]), *(names[name] for name in condition[1:]))
        for condition in conditions["initial_conditions"].values()
        if condition[0] != "not" and all(name in names for name in condition[1:])
    }
    for name, states in objects.items():
        if name in names:
            init |= {("is-open", names[name])} if _category(name) in _OPEN_FROM_THE_START else set()
            init |= {(able, names[name]) for able in _abilities(names[name], _category(name), states)}
    goals = scene_goals(conditions, names)
    problem = Problem(
        name=identifier,
        objects=dict.fromkeys(names.values(), frozenset(("object",))),
        init=frozenset(init),
        values={},
        goal=And(tuple(goals)),
    )
    return problem, _aliases(names)


def _aliases(names: Mapping[str, str]) -> dict[str, str]:
    """Return the other names of objects: ``jar.0`` as in the prompts for subgoals, BDDL's, and those of its PDDL."""
    dotted = {re.sub(r"_(\d+)$", r".\1", name): name for name in names.values()}
    return {**dotted, **names, **{old.replace(".", "_"): name for old, name in names.items()}}


def _abilities(name: str, category: str, states: Sequence[str]) -> set[str]:
    found = {_ABLE[state] for state in states if state in _ABLE}
    found |= {kind for kind in _BY_NAME if kind in name}
    found |= {"has-parts"} if "Sliced" in states else set()
    kind = re.sub(r"_n_\d+$", "", category)
    found |= {"slicer"} if kind.endswith("knife") else set()
    found |= {"cleaning-tool"} if any(kind == tool or kind.endswith(f"_{tool}") for tool in _TOOLS) else set()
    found |= {"cleaning-tool"} if kind == "piece_of_cloth" else set()
    return found | ({"floor"} if category == "floor_n_01" else set())


def scene_goals(conditions: Mapping[str, Any], names: Mapping[str, str]) -> list[Formula]:
    """Return the goals, each a choice of its options, which are lists of conditions that all hold."""
    return [
        Or(tuple(And(tuple(_condition(each, names) for each in option)) for option in options))
        for options in conditions["goal_conditions"].values()
    ]


def _condition(content: Sequence[Any], names: Mapping[str, str]) -> Formula:
    if content[0] == "not":
        return Not(_condition(content[1], names))
    return Atom(_PREDICATES.get(content[0], content[0]), tuple(names.get(name, name) for name in content[1:]))
