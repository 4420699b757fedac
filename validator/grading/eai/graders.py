"""What grades answers to action sequencing and subgoal decomposition: by dataset, the tasks and how one is graded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from validator.errors import ValidatorError
from validator.grading.eai.answers import Answer
from validator.grading.eai.defects import defects
from validator.grading.eai.edits.proven import remembering
from validator.grading.eai.sequencing import Grade
from validator.records import dataclass

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


def grades(settings: Settings, answers: Sequence[Answer]) -> Iterator[Grade | str]:
    """Yield the grade of each answer, or why its task cannot be read.

    Raises InputError for data that are missing, ValueError for defects that are none of the dataset.
    """
    load, grade = _grader(settings)
    tasks, problems = readable(load, list(dict.fromkeys(answer.identifier for answer in answers)))
    for answer in answers:
        name = answer.identifier
        yield grade(tasks[name], answer.text) if name in tasks else problems[name]


_Load = Callable[[Sequence[str]], Mapping[str, Any]]


def _grader(settings: Settings) -> tuple[_Load, Callable[[Any, str], Grade]]:
    """Return what loads tasks, and what grades an answer to one."""
    data, is_proven = settings.data, settings.taxonomy == "proven"
    if settings.dataset == "virtualhome":
        from validator.grading.eai.tasks.virtualhome import load

        def load_homes(some: Sequence[str]) -> Mapping[str, Any]:
            return load(data, frozenset(some))

        if settings.module == "subgoal-decomposition":
            from validator.grading.eai.goals.subgoals import grade_subgoals

            return load_homes, grade_subgoals
        from validator.grading.eai.tasks.household import grade, household_prover

        chosen = defects(settings.compat)
        proving = remembering(household_prover, settings.budget) if is_proven else None
        return load_homes, lambda task, text: grade(task, text, chosen, proving)
    if settings.module == "subgoal-decomposition":
        from validator.grading.eai.goals.behavior_subgoals import grade_behavior_subgoals
        from validator.grading.eai.tasks.behavior import load_behavior

        compat = bool(settings.compat)
        return (
            lambda some: load_behavior(data, some, sampled=compat),
            lambda task, text: grade_behavior_subgoals(task, text, compat=compat),
        )
    if defects(settings.compat):
        raise ValueError("--compat is for the dataset virtualhome: no grades of the others are recorded")
    from validator.grading.eai.tasks.pddl_tasks import grade_pddl, load_pddl, pddl_prover

    prover = remembering(pddl_prover, settings.budget) if is_proven else None
    if settings.dataset == "pddl":
        return lambda some: load_pddl(data, some), lambda task, text: grade_pddl(task, text, prover)
    from validator.grading.eai.tasks.behavior import load_behavior, read_behavior

    return (
        lambda some: load_behavior(data, some),
        lambda task, text: grade_pddl(task, text, prover, read_behavior),
    )


def readable(
    load: Callable[[Sequence[str]], Mapping[str, _Task]], identifiers: Sequence[str]
) -> tuple[dict[str, _Task], dict[str, str]]:
    """Load tasks, and say of those that cannot be read why."""
    try:
        return dict(load(identifiers)), {}
    except ValidatorError:
        found: dict[str, _Task] = {}
        problems: dict[str, str] = {}
    for identifier in identifiers:
        try:
            found.update(load([identifier]))
        except ValidatorError as error:
            problems[identifier] = f"left out the task {identifier}: {error}"
    return found, problems


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
