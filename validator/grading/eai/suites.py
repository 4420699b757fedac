"""The modules of the benchmark as suites: which tasks there are, how an answer is graded, what becomes of the grades.

Open ``suite`` first: settings in, a ``Suite`` out, which reads its data only when it is asked for tasks. ``grade_all``
grades many answers by the run of a batch, in this process or in several, and keeps the grades for the next run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, get_args, get_origin

from validator.errors import InputError, ValidatorError
from validator.grading.batch.batch import results_of
from validator.grading.batch.records import Submission
from validator.grading.batch.results import Results
from validator.grading.batch.worker import Lines, work_of
from validator.grading.eai.answers import Answer, known
from validator.grading.summary import result_line
from validator.records import dataclass


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
    ``result`` is the verdict and report of a grade for ``plan-validator summary``, None for one that it leaves out.
    """

    dataset: str
    identifiers: Sequence[str]
    load: Callable[[Sequence[str]], Mapping[str, Any]]
    grade: Callable[[Any, Answer], Any]
    kind: type[Any]
    files: Callable[[Sequence[Any]], dict[str, Any]]
    result: Callable[[Any], tuple[str, Mapping[str, Any]] | None]
    named: Callable[[str], str] = str
    shown: tuple[str, ...] = ("summary",)

    def lines(self, model: str, grades: Iterable[Any]) -> Iterator[str]:
        """Yield the results of a model, one per line."""
        tags = {"model": model, "dataset": self.dataset}
        for number, grade in enumerate(grades, 1):
            found = self.result(grade)
            if found is not None:
                yield result_line(f"{model}/{grade.identifier}", number, grade.identifier, found[0], tags, found[1])


@lru_cache(maxsize=1)
def suite(settings: Settings) -> Suite:
    """Return the suite of a module and data set, which a process reads once for all answers.

    Raises InputError for data that are missing, ValueError for a ``compat`` that is none of the data set.
    """
    return _MAKERS[settings.module](settings)


def grades(settings: Settings, answers: Sequence[Answer]) -> Iterator[Any]:
    """Yield the grade of each answer, or a text that says why its task cannot be read."""
    found = suite(settings)
    tasks = _loaded(found.load, list(dict.fromkeys(answer.identifier for answer in answers)))
    for answer in answers:
        task = tasks[answer.identifier]
        try:
            yield task if isinstance(task, str) else found.grade(task, answer)
        except ValidatorError as error:  # of a part of the task that is read where it is needed
            yield _left_out(answer.identifier, error)


def _loaded(load: Callable[[Sequence[str]], Mapping[str, Any]], identifiers: Sequence[str]) -> dict[str, Any]:
    """Load tasks; for one that cannot be read, a text says why."""
    try:
        return dict(load(identifiers))
    except ValidatorError:
        found: dict[str, Any] = {}
    for identifier in identifiers:
        try:
            found.update(load([identifier]))
        except ValidatorError as error:
            found[identifier] = _left_out(identifier, error)
    return found


def _left_out(identifier: str, error: ValidatorError) -> str:
    return f"left out the task {identifier}: {error}"


# --- sequences of actions and of subgoals ---------------------------------------------------------


def _sequences(settings: Settings) -> Suite:
    """Return the suite of actions, or of subgoals that stand for actions."""
    from validator.grading.eai import behavior_subgoals, output, sequencing, subgoals
    from validator.grading.eai.tasks import behavior, household, pddl_tasks, virtualhome

    name, data, of_subgoals = settings.dataset, settings.data, settings.module == "subgoal-decomposition"
    is_home, once, compat = name == "virtualhome", name == "behavior", bool(settings.compat)
    if compat and name != ("behavior" if of_subgoals else "virtualhome"):
        raise ValueError(f"--compat: no grades of {settings.module} are recorded for the dataset {name}")
    places: dict[str, tuple[Callable[[Path], list[str]], Callable[..., Mapping[str, Any]]]] = {
        "virtualhome": (virtualhome.household_identifiers, virtualhome.load),
        "behavior": (behavior.behavior_identifiers, partial(behavior.load_behavior, sampled=compat)),
        "pddl": (pddl_tasks.pddl_identifiers, pddl_tasks.load_pddl),
    }
    identify, load = places[name]
    identifiers = identify(data)
    grade: Callable[..., sequencing.Grade]
    if of_subgoals:
        behaved = partial(behavior_subgoals.grade_behavior_subgoals, compat=compat)
        grade = subgoals.grade_subgoals if is_home else behaved
    else:
        chosen = household.defects(settings.compat)
        grade = partial(household.grade, defects=chosen) if is_home else sequencing.grade_task

    def files(found: Sequence[sequencing.Grade]) -> dict[str, Any]:
        if of_subgoals:
            summary = output.subgoal_summary(found, len(identifiers), once=once)
            faults = output.subgoal_info(found, "scene_1_" if is_home else "")
        else:
            summary = output.sequencing_summary(found, percent=is_home, tasks=len(identifiers), once=once)
            faults = output.error_info(found)
        return {"summary": summary, "error_info": faults, "log": output.llm_results(found)}

    return Suite(
        dataset=name,
        identifiers=identifiers,
        load=partial(load, data),
        grade=lambda task, answer: grade(task, answer.text),
        kind=sequencing.Grade,
        files=files,
        result=output.result,
        named=virtualhome.household_identifier if is_home else str,
    )


# --- goals and operators --------------------------------------------------------------------------


def _interpretation(settings: Settings) -> Suite:
    from validator.grading.eai import interpretation as goals
    from validator.grading.eai.output import task_counts
    from validator.grading.eai.tasks.behavior import read_conditions, same_activity
    from validator.grading.eai.tasks.virtualhome import annotated, household_identifier, household_identifiers

    name, data, compat = settings.dataset, settings.data, bool(settings.compat)
    is_home = name == "virtualhome"
    gold = {} if is_home else read_conditions(data)
    identifiers = household_identifiers(data) if is_home else list(gold)

    def graded(task: Any, answer: Answer) -> goals.Interpretation:
        if not is_home:
            return goals.grade_behavior_goals(answer.identifier, task, answer.text, compat=compat)
        annotation, numbers = task
        return goals.grade_virtualhome_goals(answer.identifier, annotation, numbers, answer.text, compat=compat)

    def files(found: Sequence[goals.Interpretation]) -> dict[str, Any]:
        unread = sum(each.fault is not None for each in found)
        tasks = task_counts(len(found), len(identifiers), excluded=unread if compat and is_home else 0)
        home = {"unreadable": unread, **goals.virtualhome_summary(found)} if is_home else goals.behavior_summary(found)
        return {"summary": {"tasks": tasks, **home}, "error_info": goals.error_info(found)}

    return Suite(
        dataset=name,
        identifiers=identifiers,
        load=lambda some: annotated(data, some) if is_home else {each: gold[each] for each in some},
        grade=graded,
        kind=goals.Interpretation,
        files=files,
        result=goals.result,
        named=household_identifier if is_home else same_activity(gold) if compat else str,
    )


def _operators(settings: Settings) -> Suite:
    from validator.grading.eai.transition_modeling.benchmark import read_benchmark
    from validator.grading.eai.transition_modeling.grade import TaskGrade, grade_answer
    from validator.grading.eai.transition_modeling.planning import Allowance
    from validator.grading.eai.transition_modeling.report import report_data, result, summary_data, task_data

    benchmark, compat = read_benchmark(settings.data, settings.dataset or None), bool(settings.compat)
    if settings.dataset not in ("", benchmark.name):
        raise ValueError(f"{settings.data} holds the data set '{benchmark.name}', not '{settings.dataset}'")
    allowance = Allowance(seconds=settings.seconds, memory=settings.memory) if settings.seconds else None

    def files(found: Sequence[TaskGrade]) -> dict[str, Any]:
        return {
            "summary": summary_data(benchmark, found),
            "report": report_data(benchmark, found, compat=compat),
            "tasks": list(map(task_data, found)),
        }

    return Suite(
        dataset=benchmark.name,
        identifiers=list(benchmark.tasks),
        load=lambda some: {name: known(benchmark.tasks, name) for name in some},
        grade=lambda task, answer: grade_answer(
            benchmark, answer, compat=compat, allowance=allowance, sensitivity=settings.sensitivity
        ),
        kind=TaskGrade,
        files=files,
        result=result,
        shown=("summary", "report"),
    )


_MAKERS: Mapping[str, Callable[[Settings], Suite]] = {
    "action-sequencing": _sequences,
    "subgoal-decomposition": _sequences,
    "goal-interpretation": _interpretation,
    "transition-modeling": _operators,
}


# --- many answers ---------------------------------------------------------------------------------


def grade_all(
    settings: Settings,
    answers: Sequence[Answer],
    *,
    workers: int = 1,
    place: Path | None = None,
    resume: bool = False,
    report: Callable[[str], None] = lambda problem: None,
) -> dict[str, list[Any]]:
    """Return the grades by model in the order of the answers, without those that failed.

    Grades are written to ``place``; with ``resume`` those that are there are taken over, and what could not be graded
    is tried again. ``report`` gets what cannot be graded. Raises ValidatorError when nothing can be, InputError for a
    file of another form, or of grades that were made with other settings.
    """
    order = sorted(answers, key=lambda answer: (answer.identifier, answer.model))
    asked = [Submission(line=n, id=each.key, key=each.identifier, answer=each) for n, each in enumerate(order, 1)]
    with ExitStack() as stack:
        results = None if place is None else stack.enter_context(_opened(place, resume, str(settings)))
        found = results_of(
            asked,
            _kept,
            results=results,
            settings=settings,
            workers=0 if min(workers, len(asked)) == 1 else workers,
            task=_graded,
            is_final=lambda grade: isinstance(grade, dict),
        )
    graded = [(answer, found[answer.key]) for answer in answers]
    problems = dict.fromkeys(grade for _, grade in graded if isinstance(grade, str))
    if problems and all(isinstance(grade, str) for _, grade in graded):
        raise ValidatorError(next(iter(problems)))
    for problem in problems:
        report(problem)
    kind: Any = suite(settings).kind
    read = _reader(kind)
    by_model: dict[str, list[Any]] = {answer.model: [] for answer in answers}
    for answer, grade in graded:
        if isinstance(grade, dict):
            by_model[answer.model].append(read(grade))
    return by_model


def _opened(place: Path, resume: bool, settings: str) -> Results:
    """Open a file of grades, whose first line says with which settings they were made."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if not resume:
        place.unlink(missing_ok=True)
    results = Results(place)
    if not results.count:
        results.write([json.dumps({"id": "settings", "line": 0, "settings": settings})])
    if json.loads(next(results.lines())).get("settings") != settings:
        message = f"its grades were made with other settings than {settings}: begin anew without --resume"
        raise InputError(message, source=str(place))
    return results


def _kept(line: str) -> tuple[str, Any]:
    """Return the id of a line with its grade, or with why there is none."""
    value = json.loads(line)
    return value["id"], value.get("grade") or value.get("error", {}).get("message")


def _graded(asked: Sequence[Submission], settings: Settings) -> Lines:
    """Grade answers, as many as may be without a pause."""
    return work_of(_lines(asked, grades(settings, [each.answer for each in asked])))


def _lines(asked: Sequence[Submission], grades: Iterable[object]) -> Iterator[str]:
    for each, grade in zip(asked, grades, strict=False):
        found = {"error": {"message": grade}} if isinstance(grade, str) else {"grade": _plain(grade)}
        yield json.dumps({"id": each.id, "line": each.line, **found})


# --- grades as JSON -------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Return a value of dataclasses as plain values; what is None, and states, are left out."""
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        inner = {name: getattr(value, name) for name in fields if name != "states"}
        return {name: _plain(each) for name, each in inner.items() if each is not None}
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return list(map(_plain, value)) if isinstance(value, tuple | list) else value


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return what makes values of a type of plain ones."""
    origin, args = get_origin(kind), [each for each in get_args(kind) if each is not type(None)]
    if hasattr(kind, "__dataclass_fields__"):
        return lambda value: kind(**{name: _field_reader(kind, name)(each) for name, each in value.items()})
    if origin is tuple and args[-1] is not Ellipsis:
        return lambda value: tuple(_reader(each)(one) for each, one in zip(args, value, strict=True))
    if origin is tuple:
        return lambda value: tuple(map(_reader(args[0]), value))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return lambda value: {key: _reader(args[1])(each) for key, each in value.items()}
    if len(args) == 1:
        return _reader(args[0])
    return kind if isinstance(kind, type) and issubclass(kind, str) else lambda value: value


@cache
def _field_reader(kind: Any, name: str) -> Callable[[Any], Any]:
    """Return the reader of one field: others may have types that are imported for a type checker only."""
    return _reader(eval(kind.__dataclass_fields__[name].type, vars(sys.modules[kind.__module__])))
