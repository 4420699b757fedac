"""The tasks of BEHAVIOR: the scenes of its package as states of the bundled domain ``behavior``.

The benchmark itself needs a simulator for the tasks. Its package names objects and their states and places; what
things are (a knife slices, a rag cleans) is told here from the names of their classes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from validator.errors import InputError
from validator.grading.eai.answers import Reading, known, read_calls
from validator.grading.eai.sequencing import Check, Checks, Task, Verdict, by_form
from validator.grading.eai.tasks.pddl_tasks import pddl_task
from validator.model.bundled import bundle
from validator.model.conditions import conjuncts
from validator.model.pddl import read_domain
from validator.model.values import Action, And, Atom, Domain, Exists, Formula, GroundAtom, Not, Or, Problem
from validator.reading.plan import Dialect
from validator.reading.tokens import Vocabulary
from validator.records import replace
from validator.texts import read_json

# --- which kind each check is ---------------------------------------------------------------------
# A step is in the wrong order there when its whole precondition held in an earlier state; the steps that put
# something somewhere never are. To clean of dust and of stains are two such steps in one.


def behavior_checks(domain: Domain, *, of_subgoals: bool = False) -> Checks:
    """Return the checks of the bundled domain ``behavior``.

    ``of_subgoals`` are those of the evaluator of subgoals, where what could have run before is in the wrong order
    whatever the step lacks.
    """
    of_form = by_form(domain)

    def check(action: Action, index: int) -> Check:
        part = tuple(conjuncts(action.precondition))[index]
        fault = of_form(action, index).fault
        if _is_about_things(part):
            fault = Verdict.AFFORDANCE
        elif _is_satisfied(action, part):
            fault = Verdict.ADDITIONAL_STEP
        is_put = "_place_" in action.name or "_transfer_" in action.name
        may_be_late = fault is Verdict.MISSING_STEP or (of_subgoals and fault is Verdict.AFFORDANCE)
        return Check(fault=fault, wanted=(_wanted(action, part),) if may_be_late and not is_put else ())

    return check


def _wanted(action: Action, part: Formula) -> Formula:
    """Return the precondition; of cleaning, which the evaluator checks for dust and for stains apart, that part."""
    match part:
        case Or((Not(Atom(("dusty" | "stained") as dirt, terms)), Atom() as remover, _)):
            parts = conjuncts(action.precondition)
            rest = (each for each in parts if not (isinstance(each, Or) and isinstance(each.parts[0], Not)))
            return And((Atom(dirt, terms), remover, *rest))
        case _:
            return action.precondition


def _is_about_things(part: Formula) -> bool:
    """Return whether sizes or the parts of a sliced thing are to blame."""
    match part:
        case Not(Atom("in-parts")):
            return True
        case Not(Exists(_, inner)):
            return any(isinstance(each, Atom) and each.predicate == "too-big" for each in conjuncts(inner))
        case _:
            return False


def _is_satisfied(action: Action, part: Formula) -> bool:
    """Return whether what the step is for holds already."""
    if action.name.endswith("_grasp"):
        return isinstance(part, Not) and isinstance(part.part, Atom) and part.part.predicate in ("in-left", "in-right")
    return action.name == "clean" and isinstance(part, Or) and Atom("dusty", ("?o",)) in part.parts


# --- whole scenes ---------------------------------------------------------------------------------
# Whole scenes, under the names that its prompts show. The benchmark's package has for each task the initial
# conditions and the options of each goal under BDDL's names (``jar.n.01_1``), which states each object can be in, and
# prompts with the names in the scene (``jar.0``, ``jar_0``). Within a category both count the objects in the same
# order. Sizes are in the simulator alone: nothing is too big here.


_OBJECTS, _CONDITIONS, _SAMPLED = "all_objects.json", "all_conditions.json", "all_conditions_sampled.json"
_PROMPTS = tuple(
    f"{name}/resources/prompts/helm_prompts.json" for name in ("subgoal_decomposition", "action_sequencing")
)
_LISTED = re.compile(r"\{'name': '([^']+)', 'category': '([^']+)'\}")
_HEADINGS = re.compile(r"relevant objects|interactable objects:", re.IGNORECASE)

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
    """Read the tasks of the package ``behavior_eval``, or of a folder above or below it.

    With ``sampled`` goals have the options only that the benchmark's evaluator looks at, 16 of 256 for instance. Raises
    InputError where it is not there, or for files that do not fit each other.
    """
    files = [
        path for name in (_OBJECTS, _SAMPLED if sampled else _CONDITIONS) for path in sorted(place.rglob(name))[:1]
    ]
    prompts = [path for name in _PROMPTS for path in sorted(place.rglob(name))]
    if len(files) < 2 or not prompts:
        place.stat()
        expected = ", ".join((_OBJECTS, _SAMPLED if sampled else _CONDITIONS, "prompts/helm_prompts.json"))
        raise InputError(f"the package behavior_eval was expected: {expected}", source=str(place))
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
    """Return a task as a problem of the bundled domain ``behavior``, and other names of its objects.

    Each goal is a choice of its options, which are lists of conditions that all hold.
    """
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
    goals = (
        Or(tuple(And(tuple(_condition(each, names) for each in option)) for option in options))
        for options in conditions["goal_conditions"].values()
    )
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


def _condition(content: Sequence[Any], names: Mapping[str, str]) -> Formula:
    if content[0] == "not":
        return Not(_condition(content[1], names))
    return Atom(_PREDICATES.get(content[0], content[0]), tuple(names.get(name, name) for name in content[1:]))


# --- loading --------------------------------------------------------------------------------------


_PREDICATES = {"open": "is-open", "toggled_on": "toggled-on"}


@cache
def _behavior_domain() -> Domain:
    """Return the bundled domain."""
    return read_domain(bundle("behavior").domain)


def load_behavior(place: Path, identifiers: Iterable[str], *, sampled: bool = False) -> dict[str, Task]:
    """Load tasks of the benchmark's package ``behavior_eval``.

    With ``sampled`` goals have those options only that the benchmark looks at. Raises InputError for what is missing.
    """
    every = scenes(place, sampled=sampled)
    domain = _behavior_domain()
    return {
        name: pddl_task(name, domain, *scene_problem(name, known(every, name)), behavior_checks(domain), read_behavior)
        for name in identifiers
    }


def behavior_identifiers(place: Path) -> list[str]:
    """Return the identifiers of all tasks of a folder. Raises InputError for none."""
    return sorted(scenes(place))


def read_behavior(text: str, vocabulary: Vocabulary) -> Reading:
    """Read ``[{"action": "LEFT_GRASP", "object": "candle_0"}]``, or a plan in any other dialect."""
    dialect = Dialect.EAI_LIST if '"action"' in text.replace("'", '"') else None
    reading = read_calls(text, vocabulary, dialect)
    return replace(reading, calls=tuple(replace(call, name=call.name.replace("-", "_")) for call in reading.calls))


def read_conditions(place: Path) -> dict[str, Mapping[str, Any]]:
    """Read the annotated goals, ``all_conditions.json``, by task: for each goal its options, lists of conditions."""
    for path in sorted(place.rglob("all_conditions.json")):
        content = read_json(path)
        return {key: entry["goal_conditions"] for key, entry in content.items()}
    place.stat()
    raise InputError("the annotated goals were expected: there is no all_conditions.json", source=str(place))


def same_activity(tasks: Iterable[str]) -> Callable[[str], str]:
    """Return what says for which of the tasks an identifier stands: itself, or the same activity in another scene."""
    known = dict.fromkeys(tasks)
    by_activity = {_activity(name): name for name in known}
    return lambda name: name if name in known else by_activity.get(_activity(name), name)


def _activity(identifier: str) -> str:
    return re.sub(r"_\d+_[A-Z][a-z]+(_\d+)?_int_.*", "", identifier)
