"""Grading action sequences for tasks that are PDDL problems: a domain of one's own, or the bundled ``behavior``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from validator.errors import InputError, ValidatorError, did_you_mean
from validator.grading.eai.edits.nearest import Aims
from validator.grading.eai.edits.proven import Prover
from validator.grading.eai.edits.script import Line
from validator.grading.eai.reading import Call, Reading, read_calls
from validator.grading.eai.sequencing import (
    Checks,
    Counts,
    Execution,
    Grade,
    Verdict,
    by_checks,
    by_form,
    execute,
    grammar_fault,
)
from validator.grading.eai.world.query import atoms_in, conjuncts
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import World, bind
from validator.model.pddl import read_domain, read_problem
from validator.model.pddl.write import formula_text
from validator.model.values import Action, Domain, Formula, Problem
from validator.reading.tokens import Vocabulary
from validator.records import dataclass, field, replace


@dataclass(frozen=True, kw_only=True)
class PddlTask:
    """A problem with its domain, ready to be executed; ``names`` are other names for its objects."""

    identifier: str
    world: World
    state: State
    goals: tuple[Formula, ...]
    vocabulary: Vocabulary
    checks: Checks
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def totals(self) -> Counts:
        return _counts(self.goals)


def pddl_task(
    identifier: str,
    domain: Domain,
    problem: Problem,
    names: Mapping[str, str] | None = None,
    checks: Callable[[Domain], Checks] = by_form,
) -> PddlTask:
    """Return a task. Raises ValidatorError for a model with features that are not executed."""
    features = {**domain.features, **problem.features}
    if features:
        raise ValidatorError(f"{identifier}: {', '.join(sorted(features))} cannot be executed")
    vocabulary = Vocabulary(
        actions={name.lower(): len(action.parameters) for name, action in domain.actions.items()},
        objects=frozenset(map(str.lower, (*problem.objects, *(names or {})))),
    )
    return PddlTask(
        identifier=identifier,
        world=World(domain, dict(problem.objects)),
        state=State.of(problem.init),
        goals=conjuncts(problem.goal),
        vocabulary=vocabulary,
        checks=checks(domain),
        names=names or {},
    )


def load_pddl(place: Path, identifiers: Iterable[str]) -> dict[str, PddlTask]:
    """Load the problems of a folder: ``domain.pddl``, and for each identifier ``ID.pddl`` or ``ID/problem.pddl``.

    A folder ``ID`` may have a ``domain.pddl`` of its own. Raises InputError for what is missing, ModelError for what
    cannot be read.
    """
    shared = place / "domain.pddl"
    domain = read_domain(shared) if shared.is_file() else None
    found: dict[str, PddlTask] = {}
    for identifier in identifiers:
        options = (place / f"{identifier}.pddl", place / "problems" / f"{identifier}.pddl")
        path = next((path for path in (*options, place / identifier / "problem.pddl") if path.is_file()), None)
        if path is None:
            near = did_you_mean(identifier, pddl_identifiers(place))
            raise InputError(f"no problem {identifier}.pddl or {identifier}/problem.pddl{near}", source=str(place))
        own = path.parent / "domain.pddl"
        used = read_domain(own) if own != shared and own.is_file() else domain
        if used is None:
            raise InputError("no domain.pddl", source=str(place))
        found[identifier] = pddl_task(identifier, used, read_problem(path, used))
    return found


def pddl_identifiers(place: Path) -> list[str]:
    """Return the identifiers of all problems of a folder, as ``load_pddl`` finds them.

    Raises InputError for none, OSError for a folder that is not there.
    """
    beside = [path.stem for path in (*place.glob("*.pddl"), *place.glob("problems/*.pddl")) if path.stem != "domain"]
    found = {*beside, *(path.parent.name for path in place.glob("*/problem.pddl"))}
    if not found:
        place.stat()
        raise InputError("no problems here: files ID.pddl or ID/problem.pddl were expected", source=str(place))
    return sorted(found)


def grade_pddl(
    task: PddlTask,
    text: str,
    prover: Callable[[PddlTask], Prover] | None = None,
    reader: Callable[[str, Vocabulary], Reading] = read_calls,
) -> Grade:
    """Grade an answer. ``prover`` None means the benchmark's way, with checks told from their form."""
    reading = reader(text, task.vocabulary)
    fault = _grammar(task, reading)
    if fault is not None:
        verdict, detail = fault
        totals = task.totals
        nearest = prover(task).nearest(_lines(task, reading)) if prover is not None and reading.calls else None
        return Grade(
            identifier=task.identifier,
            verdict=verdict,
            totals=totals,
            calls=reading.calls,
            detail=detail,
            nearest=nearest,
        )
    called = [_called(task, call) for call in reading.calls]
    chosen, nearest = by_checks(task.world, task.checks), None
    if prover is not None:
        lines = _lines(task, reading)
        nearest = prover(task).nearest(lines)
        chosen = prover(task).classifier(lines, nearest)
    execution = execute(task.world, task.state, called, chosen, step_label, step_reason)
    return replace(graded(task, execution), calls=reading.calls, nearest=nearest)


def graded(task: PddlTask, execution: Execution) -> Grade:
    """Return the grade of an execution, by the goals that hold in its last state."""
    end = execution.states[-1]
    reached = tuple(goal for goal in task.goals if task.world.holds(goal, end))
    satisfied = len(reached) == len(task.goals)
    return Grade(
        identifier=task.identifier,
        verdict=execution.verdict(satisfied),
        totals=task.totals,
        matched=_counts(reached),
        all_satisfied=satisfied,
        execution=execution,
        detail=execution.unknown or "",
        partial=len(reached) / len(task.goals) if task.goals else 1.0,
    )


def pddl_prover(task: PddlTask) -> Prover:
    """Return what finds the nearest successful plans."""
    return Prover(
        world=task.world, state=task.state, names=sorted(task.world.objects), aims=Aims(formulas=tuple(task.goals))
    )


def _lines(task: PddlTask, reading: Reading) -> list[Line]:
    """Return the steps of an answer; what names no object of the problem stays as it is."""
    names = {name.lower(): name for name in task.world.domain.actions}
    return [
        (names.get(call.name.lower(), call.name.lower()), *(_object(task, arg) or arg for arg in call.args))
        for call in reading.calls
    ]


def _counts(goals: Sequence[Formula]) -> Counts:
    """Count goals about one object as states, about several as relations; one about both is half of each."""
    sizes = [{len(atom.terms) > 1 for atom in atoms_in(goal)} for goal in goals]
    mixed = sum(len(each) != 1 for each in sizes)
    return Counts(state=sizes.count({False}) + mixed / 2, relation=sizes.count({True}) + mixed / 2, mixed=mixed)


def _grammar(task: PddlTask, reading: Reading) -> tuple[Verdict, str] | None:
    actions = _actions(task)
    arities = {name: len(action.parameters) for name, action in actions.items()}
    fault = grammar_fault(
        reading, arities, lambda name: f"there is no object {name}" if _object(task, name) is None else None
    )
    if fault is not None:
        return fault
    wrong = (_wrong_type(task, call, actions[call.name.lower()]) for call in reading.calls)
    return next(((Verdict.HALLUCINATION, said) for said in wrong if said is not None), None)


def _wrong_type(task: PddlTask, call: Call, action: Action) -> str | None:
    for arg, parameter in zip(call.args, action.parameters, strict=True):
        name = _object(task, arg) or arg
        own = task.world.domain.types.ancestors(task.world.objects[name])
        if own.isdisjoint(parameter.types):
            return f"{arg} is no {' or '.join(sorted(parameter.types))}, which {call.name} needs"
    return None


def _actions(task: PddlTask) -> Mapping[str, Action]:
    return {name.lower(): action for name, action in task.world.domain.actions.items()}


def _object(task: PddlTask, name: str) -> str | None:
    known = task.names.get(name, name)
    if known in task.world.objects:
        return known
    folded = {each.lower(): each for each in task.world.objects}
    return folded.get(known.lower())


def _called(task: PddlTask, call: Call) -> tuple[Call, Action, tuple[str, ...]]:
    objects = tuple(found for arg in call.args if (found := _object(task, arg)) is not None)
    return call, _actions(task)[call.name.lower()], objects


def step_label(call: Call, args: Sequence[str]) -> str:
    return f"({' '.join((call.name.lower(), *args))})"


def step_reason(action: Action, args: Sequence[str], index: int) -> str:
    return f"{formula_text(conjuncts(action.precondition)[index], bind(action, args))} is false"
