"""The tasks of VirtualHome: scene graphs as states of the bundled domain ``virtualhome``, goals, recorded programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from validator.errors import InputError
from validator.grading.eai.answers import Reading, known, read_calls, spread
from validator.grading.eai.execution import Scenes, State, World
from validator.grading.eai.sequencing import Check, Task, Verdict
from validator.grading.eai.tasks.scene_graphs import (
    AGENT,
    AGENT_NUMBER,
    Graph,
    Node,
    changed,
    domain,
    graph_of,
    predicate_of,
    relevant,
)
from validator.model.conditions import conjuncts
from validator.model.values import Action, And, Atom, Exists, Formula, Not, Or, Parameter
from validator.reading.plan import Dialect
from validator.reading.tokens import Vocabulary
from validator.records import dataclass
from validator.texts import read_json, read_text

# --- what a false condition shows -----------------------------------------------------------------
# The conjuncts of the preconditions of ``domains/virtualhome`` are the simulator's checks; each has what the benchmark
# looks for in earlier states when it fails. What is not in a table here is about what things are: an affordance.


_ANY = (Parameter("?any"),)


def _is_holding(thing: str) -> Formula:
    return Or((Atom("holds-rh", (AGENT, thing)), Atom("holds-lh", (AGENT, thing))))


_HOLDS_SOMETHING = Exists(_ANY, _is_holding("?any"))
_SITTING, _LYING = Atom("sitting", (AGENT,)), Atom("lying", (AGENT,))

_SATISFIED = {
    "sit": {1},
    "lie": {1},
    "standup": {0},
    "grab": {1},
    "open": {3, 4},
    "close": {2},
    "switchon": {2, 3},
    "switchoff": {2},
    "plugin": {3},
    "plugout": {3},
}
"""Action -> the conjuncts that fail when what the step is for holds already."""

_BY_PLACE: Mapping[tuple[str, int], tuple[Formula, ...]] = {
    ("find", 0): (Atom("near", (AGENT, "?n")),),
    ("find", 1): (Not(_SITTING), Not(_LYING)),
    ("wipe", 1): (_HOLDS_SOMETHING,),
    ("sleep", 0): (_LYING,),
    ("wakeup", 0): (_LYING,),
    **dict.fromkeys((("cut", 4), ("walk", 1), ("run", 1), ("find", 2), ("putobjback", 0)), ()),
}
"""Action and conjunct -> what is looked for; for some the benchmark has no class, and stops with an error."""

_BY_PREDICATE: Mapping[str, Callable[..., tuple[Formula, ...]]] = {
    "at-hand": lambda thing: (Atom("near", (AGENT, thing)),),
    "in-view": lambda thing: (Atom("faces", (AGENT, thing)),),
    "held": lambda thing: (_is_holding(thing),),
    "shut-in": lambda thing: (Atom("is-open", (thing,)),),
    "hand-free": lambda: (Not(_HOLDS_SOMETHING),),
    "upright": lambda agent: (Not(_SITTING), Not(_LYING)),
    "seats-taken": lambda thing: (),
    "beds-taken": lambda thing: (),
    "on-top": lambda *terms: (Atom("on-top", terms),),
    "origin-at-hand": lambda thing: (_near_origin(thing),),
}
"""Predicate of a conjunct, denied or not -> what is looked for."""


def virtualhome_check(action: Action, index: int) -> Check:
    """Return the check that a conjunct stands for."""
    if index in _SATISFIED.get(action.name, ()):
        return Check(fault=Verdict.ADDITIONAL_STEP)
    if (action.name, index) in _BY_PLACE:
        return Check(wanted=_BY_PLACE[action.name, index])
    part = tuple(conjuncts(action.precondition))[index]
    atom = part.part if isinstance(part, Not) else part
    if isinstance(atom, Atom) and atom.predicate in _BY_PREDICATE:
        return Check(wanted=_BY_PREDICATE[atom.predicate](*atom.terms))
    return Check(fault=Verdict.AFFORDANCE)


def _near_origin(thing: str) -> Formula:
    origins = Or(tuple(Atom(name, (thing, "?any")) for name in ("from-top", "from-inside", "from-beside")))
    return Exists(_ANY, And((origins, Atom("near", (AGENT, "?any")))))


# --- tasks ----------------------------------------------------------------------------------------

_OBJECT = frozenset(("object",))


@dataclass(frozen=True, kw_only=True)
class Household(Task):
    """A task of VirtualHome, and what the recorded program left behind of the objects of its goals, ``final``.

    ``action_goals`` are actions on the way, each its alternatives, in the order of the annotation; ``formula`` is the
    temporal goal, where there is one. ``names`` are the objects that an answer may name by their class. ``program`` are
    the recorded steps, ``[WALK] <couch> (352)``.
    """

    final: State
    names: Mapping[str, str]
    action_goals: tuple[tuple[str, ...], ...] = ()
    formula: str | None = None
    program: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class HouseholdLexicon:
    """What the names of a temporal goal mean in a task's scene: ``couch.352``, ``ON``, ``ONTOP``, ``LOOKAT``."""

    task: Household

    @property
    def objects(self) -> tuple[str, ...]:
        return tuple(self.task.world.objects)

    def kind(self, name: str) -> str:
        return AGENT if name == AGENT else name.rpartition("_")[0]

    def object(self, name: str) -> str | None:
        """Return the object that a goal calls ``couch.352``; a name with a number is one, whatever the scene has."""
        kind, dot, number = name.rpartition(".")
        if not dot:
            return name if name in self.task.world.objects else None
        return AGENT if number == str(AGENT_NUMBER) else f"{kind}_{number}"

    def is_action(self, name: str, arity: int) -> bool:
        action = domain().actions.get(name.lower())
        return action is not None and len(action.parameters) == arity and self.predicate(name, arity) is None

    def predicate(self, name: str, arity: int) -> str | None:
        found = predicate_of(name.upper(), arity)
        parameters = domain().predicates.get(found)
        return found if parameters is not None and len(parameters) == arity else None


# --- loading -------------------------------------------------------------------------------------

_RESOURCES = ("resources", "")
_GOALS = "task_state_LTL_formula_accurate.json"


def household_identifiers(place: Path) -> list[str]:
    """Return the identifiers of all tasks of a folder. Raises as ``load``."""
    return sorted(_read_goals(place))


def household_identifier(name: str) -> str:
    """Return the identifier of a task, which the benchmark's prompts for subgoals call ``scene_1_27_2``."""
    return name.removeprefix("scene_1_")


def load(place: Path, only: Collection[str] | None = None) -> dict[str, Household]:
    """Load the tasks of a folder, by identifier; ``only`` leaves all others out.

    The folder holds the goals (``task_state_LTL_formula_accurate.json``, there or in ``resources/``) and the graphs:
    in one ``graphs.json.gz`` as differences to a base scene, or one ``file<id>.json`` a task anywhere below it, as
    the benchmark ships them. ``name_to_id.json``, where it is there, says which node a class name means. Raises
    InputError for what is missing or of another shape, and for an identifier that is none of a task.
    """
    goals = _read_goals(place)
    for identifier in sorted(only or ()):
        known(goals, identifier)
    chosen = goals if only is None else frozenset(only)
    wanted = {identifier: entry for identifier, entry in goals.items() if identifier in chosen}
    names, packed, scenes = _class_names(place), place / "graphs.json.gz", Scenes(domain())
    found = {
        loaded.identifier: _household(scenes, loaded, names.get(loaded.identifier), wanted[loaded.identifier])
        for loaded in (_packed(packed, wanted) if packed.is_file() else _single(place, wanted))
    }
    return {identifier: found[identifier] for identifier in wanted if identifier in found}


def _class_names(place: Path) -> Mapping[str, Mapping[str, int]]:
    """Return by task the node that each class name means, where a file says so."""
    table = place / "name_to_id.json"
    return dict(read_json(table)) if table.is_file() else {}


def annotated(
    place: Path, only: Collection[str] | None = None
) -> dict[str, tuple[Mapping[str, Any], Mapping[str, int]]]:
    """Return of each task the annotated goals (``vh_goal``) and the node that each class name means.

    ``only`` leaves all other tasks out. Without ``name_to_id.json`` the scenes are read to tell. Errors as in ``load``.
    """
    goals = _read_goals(place)
    wanted = goals.keys() if only is None else frozenset(only)
    names = _class_names(place) or {
        identifier: {name: object_number(found) for name, found in task.names.items()}
        for identifier, task in load(place, wanted).items()
    }
    missing = sorted(wanted - names.keys())
    if missing:
        raise InputError(f"no scene for {len(missing)} tasks, among them {missing[0]}", source=str(place))
    return {key: (goals[key]["vh_goal"], names[key]) for key in wanted}


def object_number(name: str) -> int:
    return AGENT_NUMBER if name == AGENT else int(name.rpartition("_")[2])


def _label(name: str) -> str:
    """Return an object as results write it: ``<couch> (352)``."""
    return f"<{AGENT if name == AGENT else name.rpartition('_')[0]}> ({object_number(name)})"


def _read_goals(place: Path) -> dict[str, Mapping[str, Any]]:
    for folder in _RESOURCES:
        path = place / folder / _GOALS
        if path.is_file():
            scenes = read_json(path)
            tasks = scenes.get("scene_1", {}) if isinstance(scenes, dict) else {}
            return {key: entry for entries in tasks.values() for key, entry in entries.items()}
    raise InputError(f"the tasks of VirtualHome were expected: there is no {_GOALS}", source=str(place))


def _goals(goals: Iterable[Mapping[str, Any]], nodes: Mapping[int, Node]) -> tuple[Formula, ...]:
    """Return annotated goals as atoms, states before relations."""

    def name(number: int, kind: str = "node") -> str:
        return nodes[number].name if number in nodes else f"{kind}_{number}"

    found = (
        Atom(predicate_of(goal["relation_type"], 2), (name(goal["from_id"]), name(goal["to_id"])))
        if "from_id" in goal
        else Atom(predicate_of(goal["state"], 1), (name(goal["id"], goal["class_name"]),))
        for goal in goals
    )
    return tuple(sorted(dict.fromkeys(found), key=lambda atom: len(atom.terms)))


def _household(
    scenes: Scenes, loaded: _Loaded, classes: Mapping[str, int] | None, entry: Mapping[str, Any]
) -> Household:
    """Return a task, given its scenes before and after, and which node a class name means, where that is known."""
    before, after, goals = loaded.before, loaded.after, entry["vh_goal"]
    every = {**after.nodes, **before.nodes}
    touched = {number: every[number] for number in sorted(relevant(before, after))}
    classes = classes or {node.kind: number for number, node in touched.items() if number in before.nodes}
    names = {name: every[number].name for name, number in classes.items() if number in every}
    known_names = frozenset(node.name for node in touched.values())
    ends = {goal[key] for goal in goals["goal"] for key in ("id", "from_id", "to_id") if key in goal}

    def find(name: str) -> str | None:
        known = AGENT if name == f"{AGENT}_{AGENT_NUMBER}" else name
        return names.get(name) or (known if known in known_names else None)

    return Household(
        identifier=loaded.identifier,
        world=World(scenes, dict.fromkeys(sorted(node.name for node in before.nodes.values()), _OBJECT)),
        state=before.state,
        goals=_goals(goals["goal"], every),
        checks=virtualhome_check,
        object=find,
        read=read_household,
        label=lambda name, args: " ".join((f"[{name}]", *map(_label, args))),
        final=after.atoms(ends, (edge for edge in after.edges if edge[0] in ends and edge[2] in ends)),
        names=names,
        action_goals=tuple(
            tuple(choice.upper().replace(" ", "") for choice in goal.split("|"))
            for goal in dict.fromkeys(goals["actions"])
        ),
        formula=entry.get("tl_goal"),
        program=loaded.program,
    )


@cache
def _vocabulary() -> Vocabulary:
    return Vocabulary(actions={name: len(action.parameters) for name, action in domain().actions.items()})


def read_household(text: str) -> Reading:
    """Read an answer: an object of actions and their arguments, or a plan in any other dialect."""
    looks = '{"' in text.replace(" ", "").replace("'", '"').replace("\n", "")
    return read_calls(spread(text), _vocabulary(), Dialect.EAI_OBJECT if looks and '"action"' not in text else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    """What files say of a task: its scene before and after, and the recorded program."""

    identifier: str
    before: Graph
    after: Graph
    program: tuple[str, ...]


@lru_cache(maxsize=1)
def _base(path: Path, changed: int) -> tuple[dict[str, Any], Graph]:
    """Return what a packed file holds, and its scene, of which those of all tasks are made."""
    content = read_json(path)
    return content, graph_of(content["base"])


def _packed(path: Path, wanted: Mapping[str, object]) -> Iterator[_Loaded]:
    content, base = _base(path, path.stat().st_mtime_ns)
    for identifier, change in content["tasks"].items():
        if identifier in wanted:
            program = content.get("programs", {}).get(identifier, {})
            yield _Loaded(
                identifier=identifier,
                before=changed(base, change["init_graph"]),
                after=changed(base, change["final_graph"]),
                program=_normalized(program.get("lines", ())),
            )


def _single(place: Path, wanted: Mapping[str, object]) -> Iterator[_Loaded]:
    """Read the benchmark's own files: a graph before and after, and a program, for each task."""
    files = {path.stem.removeprefix("file"): path for path in sorted(place.rglob("file*.json"))}
    if files.keys().isdisjoint(wanted):
        raise InputError("no graphs here: graphs.json.gz or files file<id>.json were expected", source=str(place))
    for identifier in files.keys() & wanted.keys():
        content = read_json(files[identifier])
        text = next(iter(place.rglob(f"file{identifier}.txt")), None)
        lines = read_text(text).splitlines() if text is not None else []
        yield _Loaded(
            identifier=identifier,
            before=graph_of(content["init_graph"]),
            after=graph_of(content["final_graph"]),
            program=_normalized(line for line in lines if line.startswith("[")),
        )


_INSTANCE = re.compile(r"\(\d+\.(\d+)\)")


def _normalized(lines: Iterable[str] | Sequence[str]) -> tuple[str, ...]:
    """Write a program's steps as the benchmark compares them: ``[GRAB] <soap> (1002)``."""
    return tuple(_INSTANCE.sub(r"(\1)", line.strip()) for line in lines if line.strip())
