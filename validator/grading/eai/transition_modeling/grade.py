"""Grading answers: each by itself, so that they can be spread over processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from functools import cache, partial
from pathlib import Path

from validator.grading.eai.answers import Answer
from validator.grading.eai.transition_modeling.benchmark import Benchmark, read_benchmark
from validator.grading.eai.transition_modeling.compat import grade_as_original
from validator.grading.eai.transition_modeling.grades import TaskGrade
from validator.grading.eai.transition_modeling.planning import Allowance
from validator.grading.eai.transition_modeling.repaired import grade_repaired

__all__ = ["benchmark_in", "grade_all", "grade_answer"]


def grade_all(
    folder: Path,
    answers: Iterable[Answer],
    *,
    compat: bool = False,
    allowance: Allowance | None = None,
    executor: Executor | None = None,
) -> Iterator[TaskGrade]:
    """Grade answers to the data set in a folder, in their order; with an ``allowance``, plan as well.

    Without an executor the work is done here.
    """
    call = partial(_graded, folder, compat, allowance)
    yield from map(call, answers) if executor is None else executor.map(call, answers)


@cache
def benchmark_in(folder: Path) -> Benchmark:
    """Return the data set in a folder, read once in each process."""
    return read_benchmark(folder)


def _graded(folder: Path, compat: bool, allowance: Allowance | None, answer: Answer) -> TaskGrade:
    return grade_answer(benchmark_in(folder), answer, compat=compat, allowance=allowance)


def grade_answer(
    benchmark: Benchmark, answer: Answer, *, compat: bool = False, allowance: Allowance | None = None
) -> TaskGrade:
    """Grade one answer, by the repaired definitions or with ``compat`` by the original's."""
    grade = grade_as_original if compat else grade_repaired
    return grade(benchmark, benchmark.tasks[answer.identifier], answer.text, allowance)
