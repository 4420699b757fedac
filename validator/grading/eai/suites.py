"""The modules of the benchmark as suites: which tasks there are, how an answer is graded, what becomes of the grades.

Open ``suite`` first: settings in, a ``Suite`` out, which reads its data only when it is asked for tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from validator.errors import ValidatorError
from validator.grading.eai.answers import Answer
from validator.records import dataclass

_Task = TypeVar("_Task")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How answers are graded: the module, the dataset and where it is, what of the benchmark's way is kept.

    ``compat`` is empty for none of it, or the name of a way. Of transition modeling, ``seconds`` and ``memory`` (in
    bytes) are for each call of the planner, which is not asked without seconds; ``sensitivity`` tries each operator.
    """

    module: str
    dataset: str
    data: Path
    compat: str = ""
    seconds: float = 0
    memory: int = 0
    sensitivity: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One module on one data set.

    ``identifiers`` are those of all tasks, ``named`` says for which of them an answer's identifier stands. Grades are
    of the dataclass ``kind``; ``files`` are the results of a model by their names, of which ``shown`` are printed, and
    ``lines`` its results for ``plan-validator summary``. ``part`` answers are worth a process.
    """

    dataset: str
    identifiers: Sequence[str]
    load: Callable[[Sequence[str]], Mapping[str, Any]]
    grade: Callable[[Any, Answer], Any]
    kind: type[Any]
    files: Callable[[Sequence[Any]], dict[str, Any]]
    lines: Callable[[str, Iterable[Any]], Iterator[str]]
    named: Callable[[str], str] = str
    shown: tuple[str, ...] = ("summary",)
    part: int = 60


def suite(settings: Settings) -> Suite:
    """Return the suite of a module and data set.

    Raises InputError for data that are missing, ValueError for a ``compat`` that is none of the data set.
    """
    return _MAKERS[settings.module](settings)


def grades(settings: Settings, answers: Sequence[Answer]) -> Iterator[Any]:
    """Yield the grade of each answer, or a text that says why its task cannot be read."""
    found = suite(settings)
    tasks, problems = readable(found.load, list(dict.fromkeys(answer.identifier for answer in answers)))
    for answer in answers:
        name = answer.identifier
        yield found.grade(tasks[name], answer) if name in tasks else problems[name]


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


# --- sequences of actions and of subgoals ---------------------------------------------------------


def _sequences(settings: Settings) -> Suite:
    """Return the suite of actions, or of subgoals that stand for actions."""
    from validator.grading.eai.output import (
        error_info,
        llm_results,
        result_lines,
        sequencing_summary,
        subgoal_info,
        subgoal_summary,
    )
    from validator.grading.eai.sequencing import Grade
    from validator.grading.eai.tasks.behavior import behavior_identifiers, load_behavior
    from validator.grading.eai.tasks.pddl_tasks import load_pddl, pddl_identifiers
    from validator.grading.eai.tasks.virtualhome import household_identifier, household_identifiers, load_homes

    name, data, of_subgoals = settings.dataset, settings.data, settings.module == "subgoal-decomposition"
    is_home, is_behavior = name == "virtualhome", name == "behavior"
    if settings.compat and name != ("behavior" if of_subgoals else "virtualhome"):
        raise ValueError(f"--compat: no grades of {settings.module} are recorded for the dataset {name}")
    places: dict[str, tuple[Callable[[Path], list[str]], Callable[..., Mapping[str, Any]]]] = {
        "virtualhome": (household_identifiers, load_homes),
        "behavior": (behavior_identifiers, partial(load_behavior, sampled=bool(settings.compat))),
        "pddl": (pddl_identifiers, load_pddl),
    }
    identify, load = places[name]
    identifiers = identify(data)

    def files(found: Sequence[Grade]) -> dict[str, Any]:
        if of_subgoals:
            summary = subgoal_summary(found, len(identifiers), once=is_behavior)
            faults = subgoal_info(found, "scene_1_" if is_home else "")
        else:
            summary = sequencing_summary(found, percent=is_home, tasks=len(identifiers), once=is_behavior)
            faults = error_info(found)
        return {"summary": summary, "error_info": faults, "log": llm_results(found)}

    return Suite(
        dataset=name,
        identifiers=identifiers,
        load=partial(load, data),
        grade=_grader(settings),
        kind=Grade,
        files=files,
        lines=lambda model, found: result_lines(model, name, found),
        named=household_identifier if is_home else str,
    )


def _grader(settings: Settings) -> Callable[[Any, Answer], Any]:
    """Return what grades an answer to a task by a sequence."""
    from validator.grading.eai.behavior_subgoals import grade_behavior_subgoals
    from validator.grading.eai.sequencing import grade_task
    from validator.grading.eai.subgoals import grade_subgoals
    from validator.grading.eai.tasks.household import defects, grade

    is_home, compat = settings.dataset == "virtualhome", bool(settings.compat)
    if settings.module == "subgoal-decomposition":
        behavior = partial(grade_behavior_subgoals, compat=compat)
        return lambda task, answer: (grade_subgoals if is_home else behavior)(task, answer.text)
    chosen = defects(settings.compat)
    return lambda task, answer: grade(task, answer.text, chosen) if is_home else grade_task(task, answer.text)


# --- goals and operators --------------------------------------------------------------------------


def _interpretation(settings: Settings) -> Suite:
    from validator.grading.eai.interpretation import (
        Interpretation,
        behavior_summary,
        error_info,
        grade_as_published,
        grade_behavior_goals,
        grade_virtualhome_goals,
        result_lines,
        virtualhome_summary,
    )
    from validator.grading.eai.output import task_counts
    from validator.grading.eai.tasks.behavior import read_conditions, same_activity
    from validator.grading.eai.tasks.virtualhome import annotated, household_identifier, household_identifiers

    name, data, compat = settings.dataset, settings.data, bool(settings.compat)
    is_home, is_published = name == "virtualhome", settings.compat == "published"
    gold = {} if is_home else read_conditions(data)
    identifiers = household_identifiers(data) if is_home else list(gold)

    def graded(task: Any, answer: Answer) -> Interpretation:
        if not is_home:
            return grade_behavior_goals(answer.identifier, task, answer.text, compat=compat)
        if is_published:
            return grade_as_published(answer, *task)
        goals, numbers = task
        return grade_virtualhome_goals(answer.identifier, goals, numbers, answer.text, compat=compat)

    def files(found: Sequence[Interpretation]) -> dict[str, Any]:
        if not is_home:
            summary = {"tasks": task_counts(len(found), len(gold)), **behavior_summary(found)}
            return {"summary": summary, "error_info": error_info(found)}
        unread = sum(each.fault is not None for each in found)
        counts = task_counts(len(found), len(identifiers), excluded=unread if compat else 0)
        summary = {"tasks": counts, "unreadable": unread, **virtualhome_summary(found)}
        return {"summary": summary, "error_info": error_info(found)}

    return Suite(
        dataset=name,
        identifiers=identifiers,
        load=lambda some: annotated(data, frozenset(some)) if is_home else {each: gold[each] for each in some},
        grade=graded,
        kind=Interpretation,
        files=files,
        lines=lambda model, found: result_lines(model, name, found),
        named=household_identifier if is_home else same_activity(gold) if compat else str,
        part=10_000,
    )


def _operators(settings: Settings) -> Suite:
    from validator.grading.eai.transition_modeling.grade import Graded, benchmark_in, grade_and_try
    from validator.grading.eai.transition_modeling.planning import Allowance
    from validator.grading.eai.transition_modeling.report import report_data, result_lines, summary_data, task_data

    benchmark, compat = benchmark_in(settings.data, settings.dataset or None), bool(settings.compat)
    if settings.dataset not in ("", benchmark.name):
        raise ValueError(f"{settings.data} holds the data set '{benchmark.name}', not '{settings.dataset}'")
    allowance = Allowance(seconds=settings.seconds, memory=settings.memory) if settings.seconds else None

    def files(found: Sequence[Graded]) -> dict[str, Any]:
        own = [each.grade for each in found]
        trials = [trial for each in found for trial in each.trials]
        return {
            "summary": summary_data(benchmark, own),
            "report": report_data(benchmark, own, trials, compat=compat),
            "tasks": list(map(task_data, own)),
        }

    return Suite(
        dataset=benchmark.name,
        identifiers=list(benchmark.tasks),
        load=lambda some: {name: benchmark.tasks[name] for name in some},
        grade=lambda task, answer: grade_and_try(
            benchmark, answer, compat=compat, allowance=allowance, sensitivity=settings.sensitivity
        ),
        kind=Graded,
        files=files,
        lines=lambda model, found: result_lines(model, benchmark.name, (each.grade for each in found)),
        shown=("summary", "report"),
        part=8,
    )


_MAKERS: Mapping[str, Callable[[Settings], Suite]] = {
    "action-sequencing": _sequences,
    "subgoal-decomposition": _sequences,
    "goal-interpretation": _interpretation,
    "transition-modeling": _operators,
}
