"""What grades the answers to some tasks of a dataset, with all that a process needs to know for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from validator.errors import ValidatorError
from validator.grading.eai.answers import Answer
from validator.grading.eai.defects import defects
from validator.grading.eai.sequencing.proven import remembering
from validator.grading.eai.sequencing.sequencing import Grade
from validator.records import dataclass

__all__ = ["Grader", "Settings", "grader", "named", "readable", "task_identifiers"]

_Task = TypeVar("_Task")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How answers are graded: the dataset and where it is, the classes, the benchmark's defects, steps for a proof.

    ``module`` is ``action-sequencing`` or ``subgoal-decomposition``, which has the benchmark's classes only, and for
    BEHAVIOR asks of ``compat`` whether it is empty.
    """

    dataset: str
    data: Path
    module: str = "action-sequencing"
    taxonomy: str = "eai"
    compat: str = ""
    budget: int = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Grader:
    """Grades answers to ``tasks``; ``problems`` says of the others why they cannot be read."""

    grade: Callable[[Answer], Grade]
    tasks: frozenset[str]
    problems: tuple[str, ...] = ()


def grader(settings: Settings, identifiers: Sequence[str]) -> Grader:
    """Return what grades answers to some tasks.

    Raises InputError for data that are missing, ValueError for defects that are none of the dataset.
    """
    if settings.module == "subgoal-decomposition":
        return _subgoal_grader(settings, identifiers)
    chosen = defects(settings.compat)
    is_proven = settings.taxonomy == "proven"
    if settings.dataset == "virtualhome":
        from validator.grading.eai.tasks.household import grade, household_prover
        from validator.grading.eai.tasks.virtualhome import load

        tasks = load(settings.data, frozenset(identifiers))
        proving = remembering(household_prover, settings.budget) if is_proven else None
        return Grader(
            grade=lambda answer: grade(tasks[answer.identifier], answer.text, chosen, proving), tasks=frozenset(tasks)
        )
    if chosen:
        raise ValueError("--compat is for the dataset virtualhome: no grades of the others are recorded")
    return _pddl_grader(settings, identifiers, is_proven)


def _pddl_grader(settings: Settings, identifiers: Sequence[str], is_proven: bool) -> Grader:
    from validator.grading.eai.tasks.pddl_tasks import grade_pddl, load_pddl, pddl_prover

    prover = remembering(pddl_prover, settings.budget) if is_proven else None
    if settings.dataset == "behavior":
        from validator.grading.eai.tasks.behavior import load_behavior, read_behavior

        rooms, problems = readable(lambda some: load_behavior(settings.data, some), identifiers)
        return Grader(
            grade=lambda answer: grade_pddl(rooms[answer.identifier], answer.text, prover, read_behavior),
            tasks=frozenset(rooms),
            problems=problems,
        )
    tasks, problems = readable(lambda some: load_pddl(settings.data, some), identifiers)
    return Grader(
        grade=lambda answer: grade_pddl(tasks[answer.identifier], answer.text, prover),
        tasks=frozenset(tasks),
        problems=problems,
    )


def _subgoal_grader(settings: Settings, identifiers: Sequence[str]) -> Grader:
    if settings.dataset == "virtualhome":
        from validator.grading.eai.goals.subgoals import grade_subgoals
        from validator.grading.eai.tasks.virtualhome import load

        tasks = load(settings.data, frozenset(identifiers))
        return Grader(
            grade=lambda answer: grade_subgoals(tasks[answer.identifier], answer.text), tasks=frozenset(tasks)
        )
    from validator.grading.eai.goals.behavior_subgoals import grade_behavior_subgoals
    from validator.grading.eai.tasks.behavior import load_behavior

    compat = bool(settings.compat)
    rooms, problems = readable(lambda some: load_behavior(settings.data, some, sampled=compat), identifiers)
    return Grader(
        grade=lambda answer: grade_behavior_subgoals(rooms[answer.identifier], answer.text, compat=compat),
        tasks=frozenset(rooms),
        problems=problems,
    )


def readable(
    load: Callable[[Sequence[str]], Mapping[str, _Task]], identifiers: Sequence[str]
) -> tuple[dict[str, _Task], tuple[str, ...]]:
    """Load tasks, and say of those that cannot be read why."""
    try:
        return dict(load(identifiers)), ()
    except ValidatorError:
        found: dict[str, _Task] = {}
        problems: list[str] = []
    for identifier in identifiers:
        try:
            found.update(load([identifier]))
        except ValidatorError as error:
            problems.append(f"left out the task {identifier}: {error}")
    return found, tuple(problems)


def task_identifiers(settings: Settings) -> list[str]:
    """Return the identifiers of a dataset's tasks. Raises InputError for none."""
    if settings.dataset == "virtualhome":
        from validator.grading.eai.tasks.virtualhome import household_identifiers

        return household_identifiers(settings.data)
    if settings.dataset == "behavior":
        from validator.grading.eai.tasks.behavior import behavior_identifiers

        return behavior_identifiers(settings.data)
    from validator.grading.eai.tasks.pddl_tasks import pddl_identifiers

    return pddl_identifiers(settings.data)


def named(settings: Settings) -> Callable[[str], str]:
    """Return what says for which task an identifier of a dataset's answers stands."""
    if settings.dataset == "virtualhome":
        from validator.grading.eai.tasks.virtualhome import household_identifier

        return household_identifier
    return str
