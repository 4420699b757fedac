"""The run: answers by model in, grades by model out, in this process or in several.

All answers to a task are graded by one process, one after the other, since what was executed for one serves the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeAlias, TypeVar

from validator.errors import InputError, ValidatorError, WorkerError
from validator.grading.batch.pool import local_pool
from validator.grading.eai.answers import Answer
from validator.grading.eai.defects import defects
from validator.grading.eai.edits.nearest import Nearest
from validator.grading.eai.edits.proven import remembering
from validator.grading.eai.edits.script import Edit, Fault
from validator.grading.eai.reading import Call
from validator.grading.eai.sequencing import Counts, Error, Execution, Grade, Step, Verdict
from validator.records import dataclass

__all__ = ["Graded", "Kept", "Settings", "grade_all", "grader", "key_of", "named", "readable", "task_identifiers"]


# --- What grades the answers to some tasks of a dataset, with all that a process needs to know  ---
# What grades the answers to some tasks of a dataset, with all that a process needs to know for it.


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


# --- Grades as lines of JSON ----------------------------------------------------------------------
# Grades as lines of JSON: what processes hand over, and what a run that was cut off goes on from. A line has all of a
# grade but the states in between. The file begins with the settings; grades that were made with others are no grades
# of this run.


Key: TypeAlias = tuple[str, str, str]
"""The model, the task, and a digest of the answer."""


def key_of(model: str, answer: Answer) -> Key:
    digest = blake2b(answer.text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return model, answer.identifier, digest


@dataclass(frozen=True, slots=True)
class Graded:
    """One answer's grade."""

    key: Key
    grade: Grade

    def line(self) -> str:
        return json.dumps({"key": self.key, **_told(self.grade)}, separators=(",", ":"))

    @classmethod
    def of(cls, line: str | bytes) -> Graded:
        """Read a line. Raises ValueError, TypeError, KeyError or AttributeError for one that is none."""
        content = json.loads(line)
        model, identifier, digest = map(str, content["key"])
        return cls((model, identifier, digest), _grade(identifier, content))


class Kept:
    """A file of grades, written as they are made; with ``resume`` those of an earlier run are in ``grades``.

    What cannot be read of the file, such as a last line that was cut off, is taken off or passed over. Raises
    InputError for grades that were made with other settings, OSError.
    """

    def __init__(self, path: Path, settings: Settings, *, resume: bool) -> None:
        self.grades: dict[Key, Grade] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = self._read(path, settings) if resume and path.is_file() else 0
        self._file: IO[bytes] = path.open("r+b" if whole else "wb")
        self._file.truncate(whole)
        self._file.seek(whole)
        if not whole:
            self.write([json.dumps(_settings(settings))])

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def write(self, lines: Iterable[str]) -> None:
        self._file.write("".join(f"{line}\n" for line in lines).encode("ascii"))
        self._file.flush()

    def _read(self, path: Path, settings: Settings) -> int:
        """Take over what is there, and return where the last whole line ends."""
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        first, *lines = data[:whole].splitlines() or [b""]
        if not first:
            return 0
        _same(first, settings, path)
        for line in lines:
            try:
                found = Graded.of(line)
            except (ValueError, TypeError, KeyError, AttributeError):
                continue
            self.grades[found.key] = found.grade
        return whole


def _settings(settings: Settings) -> dict[str, Any]:
    return {
        "grades of": settings.dataset,
        "module": settings.module,
        "data": str(settings.data.absolute()),
        "taxonomy": settings.taxonomy,
        "compat": settings.compat,
        "budget": settings.budget if settings.taxonomy == "proven" else None,
    }


def _same(first: bytes, settings: Settings, path: Path) -> None:
    """Raise InputError when a file's first line is not that of these settings."""
    wanted = _settings(settings)
    try:
        found = json.loads(first)
    except ValueError:
        found = None
    if not isinstance(found, dict) or "grades of" not in found:
        raise InputError("a file of grades was expected", source=str(path))
    if found != wanted:
        other = ", ".join(f"{name} {found.get(name)!r}" for name in wanted if found.get(name) != wanted[name])
        raise InputError(
            f"its grades were made with other settings ({other}): begin anew without --resume", source=str(path)
        )


# --- a grade as JSON -----------------------------------------------------------------------------


def _told(grade: Grade) -> dict[str, Any]:
    run, near = grade.execution, grade.nearest
    return {
        "verdict": grade.verdict.value,
        "totals": _counted(grade.totals),
        "matched": _counted(grade.matched),
        "all": grade.all_satisfied,
        "calls": [[call.name, *call.args] for call in grade.calls],
        "detail": grade.detail,
        "counted": grade.counted,
        "partial": grade.partial,
        "execution": run and {"steps": [*map(_step_told, run.steps)], "error": run.error, "unknown": run.unknown},
        "nearest": near and _nearest_told(near),
    }


def _counted(counts: Counts) -> list[float]:
    return [counts.state, counts.relation, counts.action, counts.mixed]


def _step_told(step: Step) -> list[Any]:
    return [[step.call.name, *step.call.args], step.label, step.error, step.reason]


def _nearest_told(near: Nearest) -> dict[str, Any]:
    return {
        "at_least": near.at_least,
        "at_most": near.at_most,
        "script": near.script,
        "edits": [[edit.fault, edit.old, edit.new] for edit in near.edits],
        "readings": near.readings,
        "every": near.is_every,
    }


def _grade(identifier: str, content: Mapping[str, Any]) -> Grade:
    totals, matched = (
        Counts(state=state, relation=relation, action=action, mixed=mixed)
        for state, relation, action, mixed in (content["totals"], content["matched"])
    )
    run, near = content["execution"], content["nearest"]
    return Grade(
        identifier=identifier,
        verdict=Verdict(content["verdict"]),
        totals=totals,
        matched=matched,
        all_satisfied=content["all"],
        calls=tuple(map(_call, content["calls"])),
        detail=content["detail"],
        counted=content["counted"],
        partial=content["partial"],
        execution=run and _execution(run),
        nearest=near and _nearest(near),
    )


def _call(parts: list[str]) -> Call:
    return Call(name=parts[0], args=tuple(parts[1:]))


def _execution(run: Mapping[str, Any]) -> Execution:
    steps = (
        Step(call=_call(call), label=label, error=error and Error(error), reason=reason)
        for call, label, error, reason in run["steps"]
    )
    error = run["error"]
    return Execution(steps=tuple(steps), states=(), error=error and Error(error), unknown=run["unknown"])


def _nearest(near: Mapping[str, Any]) -> Nearest:
    return Nearest(
        at_least=near["at_least"],
        at_most=near["at_most"],
        script=tuple((origin, tuple(line)) for origin, line in near["script"]),
        edits=tuple(Edit(fault=Fault(fault), old=old, new=new) for fault, old, new in near["edits"]),
        readings=tuple(tuple(map(Fault, reading)) for reading in near["readings"]),
        is_every=near["every"],
    )


# --- the run --------------------------------------------------------------------------------------


_PART = 60
"""Answers that are worth handing to a process."""

_Asked: TypeAlias = tuple[str, Answer]
"""A model, and what it answered."""

_Done: TypeAlias = tuple[list[str], tuple[str, ...]]
"""Lines of grades, and what could not be read."""


def grade_all(
    settings: Settings,
    answers: Mapping[str, Sequence[Answer]],
    *,
    workers: int = 1,
    kept: Kept | None = None,
    told: Callable[[str], None] = lambda problem: None,
) -> dict[str, list[Grade]]:
    """Return the grades by model, in the order of the answers, without those to tasks that cannot be read.

    ``kept`` has grades that are made already, and gets the others as they are made; ``told`` gets what cannot be
    read. Raises ValidatorError when no answer can be graded, WorkerError when a process dies, and as ``grader``.
    """
    known = {} if kept is None else kept.grades
    asked = [(model, each) for model, some in answers.items() for each in some if key_of(model, each) not in known]
    found = dict(known)
    problems: list[str] = []
    for lines, left_out in _graded(settings, _parts(asked), workers):
        if kept is not None:
            kept.write(lines)
        found.update((done.key, done.grade) for done in map(Graded.of, lines))
        problems += left_out
    if asked and not found:
        raise ValidatorError(problems[0])
    for problem in problems:
        told(problem)
    keys = {model: [key_of(model, each) for each in some] for model, some in answers.items()}
    return {model: [found[key] for key in some if key in found] for model, some in keys.items()}


def _parts(asked: Sequence[_Asked]) -> list[list[_Asked]]:
    """Divide what is asked, all answers to a task together, into parts that are worth a process."""
    parts: list[list[_Asked]] = [[]]
    last = ""
    for model, answer in sorted(asked, key=lambda each: (each[1].identifier, each[0])):
        if len(parts[-1]) >= _PART and answer.identifier != last:
            parts.append([])
        parts[-1].append((model, answer))
        last = answer.identifier
    return parts if parts[0] else []


def _graded(settings: Settings, parts: Sequence[list[_Asked]], workers: int) -> Iterable[_Done]:
    number = min(workers, len(parts))
    return _in_processes(settings, parts, number) if number > 1 else (_part(settings, part) for part in parts)


def _in_processes(settings: Settings, parts: Sequence[list[_Asked]], workers: int) -> Iterator[_Done]:
    waiting = iter(parts)
    with local_pool(workers) as pool:
        running: dict[Future[_Done], Executor] = {}
        for executor, part in zip(pool.executors(), waiting, strict=False):
            running[executor.submit(_part, settings, part)] = executor
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                executor = running.pop(future)
                following = next(waiting, None)
                if following is not None:
                    running[executor.submit(_part, settings, following)] = executor
                yield _result(future)


def _result(future: Future[_Done]) -> _Done:
    try:
        return future.result()
    except BrokenExecutor as error:
        raise WorkerError(f"a worker process died: {error}") from error


def _part(settings: Settings, asked: Sequence[_Asked]) -> _Done:
    """Grade some answers, those to one task one after the other."""
    grading = grader(settings, list(dict.fromkeys(answer.identifier for _, answer in asked)))
    graded = ((model, each) for model, each in asked if each.identifier in grading.tasks)
    return [Graded(key_of(model, each), grading.grade(each)).line() for model, each in graded], grading.problems
