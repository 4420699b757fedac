"""Grading VirtualHome's action sequences, and what two sets of defects do to a grade."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache

from validator.grading.eai.defects import Defect
from validator.grading.eai.edits.nearest import Aims, matched_actions
from validator.grading.eai.edits.proven import Prover
from validator.grading.eai.edits.script import Line
from validator.grading.eai.goals.goals import Goal, parse_goal, satisfaction
from validator.grading.eai.reading import Call, Reading, read_by_pattern, read_calls, spread
from validator.grading.eai.sequencing import (
    Counts,
    Execution,
    Grade,
    Verdict,
    by_checks,
    execute,
    grammar_fault,
    ordered,
    reached,
)
from validator.grading.eai.tasks.scene_graphs import AGENT, AGENT_NUMBER, domain
from validator.grading.eai.tasks.virtualhome import Household, HouseholdLexicon
from validator.grading.eai.tasks.virtualhome_checks import virtualhome_check
from validator.grading.eai.world.query import conjuncts
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import World, bind
from validator.model.pddl.write import formula_text
from validator.model.values import Action, Atom, GroundAtom
from validator.reading.plan import Dialect
from validator.reading.tokens import Vocabulary
from validator.records import replace

# --- the benchmark's own grabbing -----------------------------------------------------------------
# Of a thing's surfaces, containers or neighbours the first of a Python set counts. The bundled domain lets the
# character stay near all of them. Numbers hash to themselves, so that the set's order can be told, but for
# collisions, where the order counts in which the numbers came; here the smaller came first. The character itself is
# among the neighbours, and is often the first.


_ORIGINS = {"on-top": "from-top", "in": "from-inside", "near": "from-beside"}


class FirstNeighbor(World):
    """A household in which a grabbed thing has one neighbour."""

    def __init__(self, world: World) -> None:
        self.__dict__.update(world.__dict__)  # what one has compiled serves the other

    def effects(self, action: Action, args: Sequence[str], state: State) -> tuple[set[GroundAtom], set[GroundAtom]]:
        added, deleted = super().effects(action, args, state)
        if action.name != "grab":
            return added, deleted
        thing = args[0]
        first = self._first(thing, state)
        added = {atom for atom in added if not self._is_of_neighbor(atom, thing)}
        if first is not None:
            origin, name = first
            added |= {(origin, thing, name), ("taken", thing)}
            added |= {("near", AGENT, name), ("near", name, AGENT)} if name != AGENT else set()
        return added, deleted

    def _is_of_neighbor(self, atom: GroundAtom, thing: str) -> bool:
        return atom[0] in (*_ORIGINS.values(), "taken") or (atom[0] == "near" and thing not in atom)

    def _first(self, thing: str, state: State) -> tuple[str, str] | None:
        for relation, origin in _ORIGINS.items():
            names = {_number(atom[2]): atom[2] for atom in state.row((relation, 0, thing))}
            found = next((each for each in _as_in_a_set(names) if ("room", names[each]) not in state), None)
            if found is not None:
                return origin, names[found]
        return None


def _as_in_a_set(numbers: Iterable[int]) -> list[int]:
    found: set[int] = set()
    for number in sorted(numbers):
        found.add(number)
    return list(found)


def _number(name: str) -> int:
    return AGENT_NUMBER if name == AGENT else int(name.rpartition("_")[2])


# --- grading --------------------------------------------------------------------------------------


_REJECTED = frozenset(("PLUGIN", "PLUGOUT", "RELEASE"))
"""What the benchmark's table of actions lacks, although its prompt offers them and its simulator has them."""

_Called = tuple[Call, Action, tuple[str, ...]]


def grade(
    task: Household,
    text: str,
    defects: frozenset[Defect] = frozenset(),
    prover: Callable[[Household], Prover] | None = None,
) -> Grade:
    """Grade an answer. ``prover`` None means the benchmark's own taxonomy; see ``household_prover``."""
    goals = task.goals
    counted = totals(task, defects)
    if not _gold_holds(task, defects):
        return Grade(identifier=task.identifier, verdict=Verdict.EXCLUDED, totals=counted)
    reading = read_by_pattern(text, Defect.NUMBERS in defects) if Defect.PARSING in defects else _read(text)
    fault = _grammar(task, reading, defects)
    if fault is not None:
        verdict, detail = fault
        return Grade(
            identifier=task.identifier,
            verdict=verdict,
            totals=counted,
            calls=reading.calls,
            detail=detail,
            counted=reading.counted,
            nearest=prover(task).nearest(_lines(task, reading)) if prover is not None and reading.calls else None,
        )
    called = [_called(task, call) for call in reading.calls]
    script = [_label(task, call, args) for call, _, args in called]
    if Defect.IDENTICAL in defects and tuple(script) == task.program:
        return Grade(identifier=task.identifier, verdict=Verdict.IDENTICAL, totals=counted, calls=reading.calls)
    chosen, nearest = by_checks(task.world, virtualhome_check), None
    if prover is not None:
        lines = _lines(task, reading)
        nearest = prover(task).nearest(lines)
        chosen = prover(task).classifier(lines, nearest)
    world = FirstNeighbor(task.world) if Defect.NEIGHBORS in defects else task.world
    execution = execute(world, task.scene.state, called, chosen, lambda call, args: _label(task, call, args), _reason)
    end = execution.states[-1]
    names = [step.call.name for step in execution.done]
    acted = matched_actions(ordered(goals.actions, defects), names)
    matched = Counts(
        state=reached(goals.states, end),
        relation=reached(goals.relations, end, at_most_one=Defect.RELATIONS in defects),
        action=matched_actions(goals.actions, names) if Defect.RUNS in defects else acted,
    )
    satisfied = replace(matched, action=acted) == counted
    return Grade(
        identifier=task.identifier,
        verdict=execution.verdict(satisfied),
        totals=counted,
        matched=matched,
        all_satisfied=satisfied,
        execution=execution,
        calls=reading.calls,
        detail=execution.unknown or "",
        partial=partial_success(task, execution.states, _happenings(execution, called)),
        nearest=nearest,
    )


def household_prover(task: Household) -> Prover:
    """Return what finds the nearest successful plans, over the objects that an answer may name."""
    return Prover(
        world=task.world,
        state=task.scene.state,
        names=sorted(task.relevant | {AGENT}),
        aims=Aims(
            formulas=tuple(Atom(goal[0], goal[1:]) for goal in (*task.goals.states, *task.goals.relations)),
            actions=tuple(task.goals.actions),
        ),
        program=tuple(map(_recorded, task.program)),
    )


_STEP = re.compile(r"<([^>]*)> \((\d+)\)")


def _recorded(step: str) -> Line:
    """Read a recorded step, ``[WALK] <couch> (352)``."""
    name = step[1 : step.index("]")].lower()
    return (
        name,
        *(AGENT if int(number) == AGENT_NUMBER else f"{kind}_{number}" for kind, number in _STEP.findall(step)),
    )


def _lines(task: Household, reading: Reading) -> list[Line]:
    """Return the steps of an answer; what names no object of the scene stays as it is."""
    return [(call.name.lower(), *(_object(task, arg) or arg for arg in call.args)) for call in reading.calls]


def partial_success(
    task: Household, states: Sequence[State], happenings: Sequence[tuple[str, tuple[str, ...]]]
) -> float | None:
    """Return how far the temporal goal is satisfied by states and executed actions; None if there is none."""
    if task.goals.formula is None:
        return None
    plain = [(_plain(name), args) for name, args in happenings]
    goal = _goal(task.goals.formula, task.identifier)
    return satisfaction(goal, HouseholdLexicon(task=task), states, plain).share


def _happenings(execution: Execution, called: Sequence[_Called]) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (call.name, args)
        for (call, _, args), step in zip(called, execution.steps, strict=False)
        if step.error is None and step is not execution.failed
    ]


@lru_cache(maxsize=1000)
def _goal(text: str, source: str) -> Goal:
    return parse_goal(text, source)


def _plain(name: str) -> str:
    """Return an action's name without how long it takes: LOOKAT_SHORT is LOOKAT."""
    return name.upper().partition("_")[0]


def totals(task: Household, defects: frozenset[Defect] = frozenset()) -> Counts:
    """Return how many goals a task has."""
    goals = task.goals
    return Counts(state=len(goals.states), relation=len(goals.relations), action=len(goals.actions))


def _gold_holds(task: Household, defects: frozenset[Defect]) -> bool:
    """Return whether the state that the recorded program left has all states and relations."""
    goals = task.goals
    relations = reached(goals.relations, task.final, at_most_one=Defect.RELATIONS in defects)
    return reached(goals.states, task.final) == len(goals.states) and relations == len(goals.relations)


@cache
def _vocabulary() -> Vocabulary:
    return Vocabulary(actions={name: len(action.parameters) for name, action in domain().actions.items()})


def _read(text: str) -> Reading:
    looks = '{"' in text.replace(" ", "").replace("'", '"').replace("\n", "")
    return read_calls(spread(text), _vocabulary(), Dialect.EAI_OBJECT if looks and '"action"' not in text else None)


def _grammar(task: Household, reading: Reading, defects: frozenset[Defect]) -> tuple[Verdict, str] | None:
    rejected = _REJECTED if Defect.VOCABULARY in defects else frozenset()
    arities = {
        name: len(action.parameters) for name, action in domain().actions.items() if name.upper() not in rejected
    }
    return grammar_fault(reading, arities, lambda name: _no_object(task, name))


def _no_object(task: Household, name: str) -> str | None:
    """Return why a name means nothing to act on."""
    if _object(task, name) is not None:
        return None
    kinds = {each.rpartition("_")[0] for each in task.world.objects}
    is_there = name in task.world.objects or name in kinds
    return f"{name} is not among the objects shown" if is_there else f"there is no object {name}"


def _object(task: Household, name: str) -> str | None:
    """Return the object that an answer names, by its class or by class and number."""
    by_class = task.names.get(name)
    if by_class is not None:
        return by_class
    known = "character" if name == "character_65" else name
    return known if known in task.relevant else None


def _called(task: Household, call: Call) -> _Called:
    objects = tuple(found for arg in call.args if (found := _object(task, arg)) is not None)
    return call, domain().actions[call.name.lower()], objects


def _label(task: Household, call: Call, args: Sequence[str]) -> str:
    return " ".join((f"[{call.name}]", *(task.scene.labels[arg] for arg in args)))


def _reason(action: Action, args: Sequence[str], index: int) -> str:
    return f"{formula_text(conjuncts(action.precondition)[index], bind(action, args))} is false"


# --- differences between two sets of defects ------------------------------------------------------


def differences(task: Household, text: str, before: frozenset[Defect], after: frozenset[Defect]) -> str | None:
    """Return how a grade differs, with the defects; None when it does not.

    A defect makes the difference when it alone, switched over from one set to the other, changes the grade. Where none
    does so alone, all in which the sets differ are named together.
    """
    first, second = _told(grade(task, text, before)), _told(grade(task, text, after))
    if first == second:
        return None
    switched = sorted(before ^ after)
    alone = [each for each in switched if _told(grade(task, text, before ^ {each})) != first]
    causes = ", ".join(alone) if alone else f"together: {', '.join(switched)}"
    return f"{first} -> {second}  [{causes}]"


def _told(found: Grade) -> str:
    """Return what counts of a grade."""
    failed = found.execution.failed if found.execution is not None else None
    goals = f"{found.matched.total:g} of {found.totals.total:g} goals"
    return f"{found.verdict.value}{f' at {failed.label}' if failed is not None else ''}, {goals}"
