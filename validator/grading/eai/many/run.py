"""The run: answers by model in, grades by model out, in this process or in several.

All answers to a task are graded by one process, one after the other, since what was executed for one serves the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import TypeAlias

from validator.errors import ValidatorError, WorkerError
from validator.grading.batch.pool import local_pool
from validator.grading.eai.answers import Answer
from validator.grading.eai.many.graders import Settings, grader
from validator.grading.eai.many.kept import Graded, Kept, key_of
from validator.grading.eai.sequencing.sequencing import Grade

__all__ = ["grade_all"]

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
