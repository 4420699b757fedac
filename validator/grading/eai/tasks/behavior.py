"""The tasks of BEHAVIOR: its PDDL problems as states of the bundled domain ``behavior``.

The benchmark itself needs a simulator for the tasks. Its problems name objects and their states and places; what
things are (a door opens, a knife slices) is told here from the names of their classes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from validator.errors import InputError, did_you_mean
from validator.grading.eai.reading import Call, Reading, read_calls
from validator.grading.eai.tasks.behavior_checks import behavior_checks
from validator.grading.eai.tasks.behavior_scenes import Scene, scene_problem, scenes
from validator.grading.eai.tasks.pddl_tasks import PddlTask, pddl_task
from validator.model.bundled import bundle
from validator.model.pddl import read_domain, read_problem
from validator.model.values import And, Atom, Domain, Exists, Forall, Formula, GroundAtom, Imply, Not, Or, Problem
from validator.reading.plan import Dialect
from validator.reading.tokens import Vocabulary
from validator.records import replace
from validator.texts import read_json

__all__ = ["behavior_identifiers", "load_behavior", "read_behavior", "read_conditions", "same_activity"]

_PREDICATES = {"open": "is-open", "toggled_on": "toggled-on"}
_RENAMED = frozenset(("inside", "nextto", "ontop", "under", "onfloor", "cooked", "dusty", "frozen", "stained"))
_KNOWN = _RENAMED | {"sliced", "soaked", "open", "toggled_on"}

_OPEN = ("cabinet", "refrigerator", "door", "window", "microwave", "oven", "dishwasher", "washer", "dryer", "package")
_OPEN_TOO = ("carton", "jar", "car", "backpack", "briefcase", "sack", "bottle", "box", "bin", "duffel_bag", "envelope")
_KINDS = {
    "can-open": _OPEN + _OPEN_TOO,
    "slicer": ("knife",),
    "cleaning-tool": ("rag", "towel", "brush", "cloth", "vacuum", "broom", "dishtowel"),
    "detergent": ("detergent", "soap", "shampoo", "cleansing_agent"),
    "sink": ("sink",),
    "teapot": ("teapot",),
    "dishwasher": ("dishwasher",),
    "saucepan": ("saucepan", "pan"),
    "floor": ("floor",),
}
_EVERYTHING = ("can-toggle", "can-slice", "can-soak", "can-freeze", "can-cook", "can-be-dusty", "can-be-stained")


@cache
def _behavior_domain() -> Domain:
    """Return the bundled domain."""
    return read_domain(bundle("behavior").domain)


_EXPECTED = "problem_pddl/ and behavior_pd.pddl were expected"


def load_behavior(place: Path, identifiers: Iterable[str], *, sampled: bool = False) -> dict[str, PddlTask]:
    """Load tasks from ``problem_pddl/ID.pddl`` and the predicates of ``behavior_pd.pddl``, there or in ``resources/``.

    The benchmark's package ``behavior_eval`` has whole scenes, which are taken where they are there, with ``sampled``
    those options only of their goals that the benchmark looks at. Raises InputError for what is missing.
    """
    known = scenes(place, sampled=sampled)
    if known:
        return {name: _scene_task(name, known) for name in identifiers}
    folder = next((each for each in (place / "resources", place) if (each / "problem_pddl").is_dir()), None)
    header = None if folder is None else folder / "behavior_pd.pddl"
    if folder is None or header is None or not header.is_file():
        raise InputError(_EXPECTED, source=str(place))
    text = header.read_text(encoding="utf-8").rstrip()
    source = read_domain(text if text.count("(") == text.count(")") else f"{text})")
    found = {}
    for identifier in identifiers:
        path = folder / "problem_pddl" / f"{identifier}.pddl"
        if not path.is_file():
            near = did_you_mean(identifier, behavior_identifiers(place))
            raise InputError(f"no problem {identifier}.pddl{near}", source=str(path.parent))
        problem = _translated(read_problem(path, source))
        names = {_dotted(name): name for name in problem.objects}
        found[identifier] = pddl_task(identifier, _behavior_domain(), problem, names, behavior_checks)
    return found


def _scene_task(identifier: str, known: Mapping[str, Scene]) -> PddlTask:
    if identifier not in known:
        raise InputError(f"no task {identifier}{did_you_mean(identifier, known)}")
    problem, names = scene_problem(identifier, known[identifier])
    return pddl_task(identifier, _behavior_domain(), problem, names, behavior_checks)


def behavior_identifiers(place: Path) -> list[str]:
    """Return the identifiers of all tasks of a folder. Raises InputError for none."""
    if known := scenes(place):
        return sorted(known)
    found = [*place.glob("problem_pddl/*.pddl"), *place.glob("resources/problem_pddl/*.pddl")]
    if not found:
        raise InputError(_EXPECTED, source=str(place))
    return sorted(path.stem for path in found)


def _translated(problem: Problem) -> Problem:
    """Return a problem of the benchmark's domain as one of the bundled domain."""
    objects = [name for name in problem.objects if not name.startswith("agent")]
    init: set[GroundAtom] = {
        (_PREDICATES.get(atom[0], atom[0]), *atom[1:]) for atom in problem.init if atom[0] in _KNOWN
    }
    for name in objects:
        kind = _kind(name)
        init |= {(able, name) for able in _EVERYTHING}
        init |= {(able, name) for able, parts in _KINDS.items() if any(_is(part, kind) for part in parts)}
    return replace(
        problem, objects=dict.fromkeys(objects, frozenset(("object",))), init=frozenset(init), goal=_goal(problem.goal)
    )


def _kind(name: str) -> str:
    return re.sub(r"_n_\d+(_\d+)?$", "", name)


def _is(part: str, kind: str) -> bool:
    return kind == part or kind.endswith(f"_{part}") or kind.startswith(f"{part}_of_")


def _dotted(name: str) -> str:
    return re.sub(r"_n_(\d+)", r".n.\1", name)


def _goal(formula: Formula) -> Formula:
    match formula:
        case Atom(predicate, terms):
            return Atom(_PREDICATES.get(predicate, predicate), terms)
        case Not(part):
            return Not(_goal(part))
        case And(parts) | Or(parts):
            return type(formula)(tuple(map(_goal, parts)))
        case Imply(premise, conclusion):
            return Imply(_goal(premise), _goal(conclusion))
        case Forall(parameters, part) | Exists(parameters, part):
            return type(formula)(parameters, _goal(part))
        case _:
            return formula


def read_behavior(text: str, vocabulary: Vocabulary) -> Reading:
    """Read ``[{"action": "LEFT_GRASP", "object": "candle_0"}]``, or a plan in any other dialect."""
    dialect = Dialect.EAI_LIST if '"action"' in text.replace("'", '"') else None
    reading = read_calls(text, vocabulary, dialect)
    return Reading(
        calls=tuple(Call(name=call.name.replace("-", "_"), args=call.args) for call in reading.calls),
        fault=reading.fault,
        counted=reading.counted,
    )


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
