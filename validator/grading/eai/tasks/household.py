"""Grading VirtualHome's action sequences, and what the benchmark gets wrong, as switches: none is on by default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from validator.errors import ValidatorError, did_you_mean
from validator.grading.eai.answers import read_by_pattern
from validator.grading.eai.execution import State, World
from validator.grading.eai.goals import parse_goal, satisfaction
from validator.grading.eai.sequencing import (
    Counts,
    Execution,
    Grade,
    Verdict,
    count_goals,
    execute,
    grade_of,
    matched_actions,
    unexecuted,
)
from validator.grading.eai.tasks.scene_graphs import AGENT
from validator.grading.eai.tasks.virtualhome import Household, HouseholdLexicon, object_number
from validator.model.values import Action, Formula, GroundAtom
from validator.records import replace


class Defect(StrEnum):
    """A defect of the Embodied Agent Interface that changes grades."""

    PARSING = "parsing"
    """answers are read by a pattern that drops actions without arguments; some faults count twice"""
    VOCABULARY = "vocabulary"
    """PLUGIN, PLUGOUT and RELEASE count as unknown actions"""
    RELATIONS = "relations"
    """at most one relation goal is counted, so that tasks with more are left out"""
    IDENTICAL = "identical"
    """an answer that equals the recorded program counts as executable and reaches nothing"""
    ORDER = "order"
    """action goals are matched in the order of a set: here the order of the alphabet"""
    REVERSED = "reversed"
    """action goals are matched in another order of the set, that of the published figures: GRAB comes last"""
    RUNS = "runs"
    """goals are counted in another run than successes, one that happened to match them in the annotated order"""
    NEIGHBORS = "neighbors"
    """the character stays near one neighbour only of what it grabs, the first of a set, which may be itself"""


_SEED_0 = frozenset(Defect) - {Defect.REVERSED, Defect.RUNS}
_SEED_3 = _SEED_0 - {Defect.ORDER} | {Defect.REVERSED}

PRESETS: Mapping[str, frozenset[Defect]] = MappingProxyType(
    {
        "published": _SEED_3 | {Defect.RUNS},
        "seed0": _SEED_0,
        "seed3": _SEED_3,
        "default": frozenset(),
    }
)
"""The defects of the published figures, of the original with the hash seeds 0 and 3, and none."""


def defects(text: str) -> frozenset[Defect]:
    """Read the name of a preset, or a list of defects. Raises ValidatorError with the nearest name."""
    if text in PRESETS:
        return PRESETS[text]
    known = [defect.value for defect in Defect]
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            every = [*PRESETS, *known]
            raise ValidatorError(
                f"no defect is called '{name}'{did_you_mean(name, every)}; there are {', '.join(every)}"
            )
    return frozenset(map(Defect, names))


# --- the benchmark's own grabbing -----------------------------------------------------------------
# Of a thing's surfaces, containers or neighbours the first of a Python set counts. The bundled domain lets the
# character stay near all of them. Numbers hash to themselves, so that the set's order can be told, but for
# collisions, where the order counts in which the numbers came; here the smaller came first. The character itself is
# among the neighbours, and is often the first.


_ORIGINS = {"on-top": "from-top", "in": "from-inside", "near": "from-beside"}


class FirstNeighbor(World):
    """A household in which a grabbed thing has one neighbour."""

    def changes(self, action: Action, args: Sequence[str], state: State) -> tuple[set[GroundAtom], set[GroundAtom]]:
        added, deleted = super().changes(action, args, state)
        if action.name != "grab":
            return added, deleted
        thing = args[0]
        first = self._first(thing, state)
        origins = (*_ORIGINS.values(), "taken")
        added = {atom for atom in added if atom[0] not in origins and (atom[0] != "near" or thing in atom)}
        if first is not None:
            origin, name = first
            added |= {(origin, thing, name), ("taken", thing)}
            added |= {("near", AGENT, name), ("near", name, AGENT)} if name != AGENT else set()
        return added, deleted

    def _first(self, thing: str, state: State) -> tuple[str, str] | None:
        related = [atom for atom in state if thing in atom[1:2] and len(atom) == 3]
        for relation, origin in _ORIGINS.items():
            names = {object_number(atom[2]): atom[2] for atom in related if atom[0] == relation}
            found = next((each for each in _as_in_a_set(names) if ("room", names[each]) not in state), None)
            if found is not None:
                return origin, names[found]
        return None


@lru_cache(maxsize=1000)
def _with_first_neighbor(world: World) -> World:
    return FirstNeighbor(world.scenes, world.objects)


def _as_in_a_set(numbers: Iterable[int]) -> list[int]:
    found: set[int] = set()
    for number in sorted(numbers):
        found.add(number)
    return list(found)


# --- grading --------------------------------------------------------------------------------------


_REJECTED = frozenset(("plugin", "plugout", "release"))
"""What the benchmark's table of actions lacks, although its prompt offers them and its simulator has them."""


def grade(task: Household, text: str, defects: frozenset[Defect] = frozenset()) -> Grade:
    """Grade an answer, with defects of the benchmark."""
    task = _with_defects(task, defects)
    counted = reached(task, None)
    if replace(reached(task, task.final, defects), action=counted.action) != counted:
        return Grade(identifier=task.identifier, verdict=Verdict.EXCLUDED, totals=counted)
    reading = task.read(text)
    fault = unexecuted(task, reading, counted)
    if fault is not None:
        return fault
    called = task.called(reading)
    if Defect.IDENTICAL in defects and tuple(task.label(call.name, args) for call, args in called) == task.program:
        return Grade(identifier=task.identifier, verdict=Verdict.IDENTICAL, totals=counted, calls=reading.calls)
    execution = execute(task, task.start, called)
    names = [name for name, _ in execution.done]
    acted = matched_actions(_ordered(task.action_goals, defects), names)
    matched = replace(
        reached(task, execution.state, defects),
        action=matched_actions(task.action_goals, names) if Defect.RUNS in defects else acted,
    )
    satisfied = replace(matched, action=acted) == counted
    share = partial_success(task, execution)
    return grade_of(
        task, execution, satisfied=satisfied, totals=counted, matched=matched, partial=share, calls=reading.calls
    )


def _with_defects(task: Household, defects: frozenset[Defect]) -> Household:
    """Return a task with the defects of reading and executing."""
    if Defect.PARSING in defects:
        task = replace(task, read=read_by_pattern)
    if Defect.VOCABULARY in defects:
        task = replace(task, missing=_REJECTED)
    return replace(task, world=_with_first_neighbor(task.world)) if Defect.NEIGHBORS in defects else task


def reached(task: Household, state: State | None, defects: frozenset[Defect] = frozenset()) -> Counts:
    """Return how many states and relations hold in a state; without one, how many goals there are of each kind.

    With the defect ``relations`` it is the benchmark's count, which stops at the first relation.
    """
    if state is None:
        return count_goals(task.goals, len(task.action_goals))
    found = count_goals(goal for goal in task.goals if task.world.holds(goal, state))
    return replace(found, relation=min(found.relation, 1)) if Defect.RELATIONS in defects else found


def _ordered(goals: Sequence[tuple[str, ...]], defects: frozenset[Defect]) -> Sequence[tuple[str, ...]]:
    """Return action goals in the order of the annotation, or in the one that a defect stands for."""
    if not defects & {Defect.ORDER, Defect.REVERSED}:
        return goals
    return sorted(goals, key=lambda goal: (Defect.REVERSED in defects and goal == ("GRAB",), "|".join(goal)))


def partial_success(task: Household, execution: Execution) -> float | None:
    """Return how far the temporal goal is satisfied by an execution; None if there is none."""
    if task.formula is None:
        return None
    plain = [(name.upper().partition("_")[0], args) for name, args in execution.done]  # LOOKAT_SHORT is LOOKAT
    goal = _goal(task.formula, task.identifier)
    return satisfaction(goal, HouseholdLexicon(task=task), execution.states, plain).share


@lru_cache(maxsize=1000)
def _goal(text: str, source: str) -> Formula:
    return parse_goal(text, source)
