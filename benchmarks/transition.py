"""Transition modeling: the original's counts and planner verdicts, task by task, and the repaired figures.

Everything is graded in this process, one task after the other. The data are read where they are; nothing is measured
where they are not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.measure import Cost, cost_of
from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table, absent
from validator.errors import ModelError
from validator.grading.eai.answers import Answer, read_answers
from validator.grading.eai.transition_modeling.benchmark import Benchmark, read_benchmark
from validator.grading.eai.transition_modeling.grade import TaskGrade, grade_answer
from validator.grading.eai.transition_modeling.matching import total
from validator.grading.eai.transition_modeling.planning import Allowance, Answered

VERSIONS = {"virtualhome": ("23.06", "26.6"), "behavior": ("26.6",)}
"""The versions of Fast Downward for which verdicts are recorded; ``--compat`` plans as the first of them."""

SHARE = 4
"""Every how manyth task is planned for; with ``--cases 0`` all are, which takes a quarter of an hour."""

ALLOWANCE = Allowance(seconds=15, memory=4 * 2**30)


def run(options: Options) -> list[Table]:
    """Measure the data sets; ``only`` is one of them, or one model."""
    data = options.data / "eai"
    if missing := absent("transition modeling", data):
        return missing
    cases = [
        (dataset, path.stem.removesuffix("_outputs"))
        for dataset in VERSIONS
        for path in sorted((data / dataset / "answers" / "transition_modeling").glob("*_outputs.json"))
    ]
    chosen = [case for case in cases if options.only is None or options.only in case]
    return [_counted(data, chosen), *_planned(data, chosen, 1 if options.cases == 0 else SHARE)]


def _answers(data: Path, dataset: str, model: str) -> tuple[Answer, ...]:
    return read_answers(data / dataset / "answers" / "transition_modeling" / f"{model}_outputs.json")


def _recorded(data: Path, dataset: str, version: str, model: str) -> Mapping[str, Any]:
    path: Path = data / dataset / "grades" / f"transition_modeling_fd{version}.json"
    found: Mapping[str, Any] = json.loads(path.read_bytes())["models"][model]
    return found


# --- logic matching ------------------------------------------------------------------------------


def _counted(data: Path, cases: list[tuple[str, str]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    wrong: list[str] = []
    equal = tasks = 0
    for dataset, model in cases:
        benchmark, answers = read_benchmark(data / dataset), _answers(data, dataset, model)
        recorded = _recorded(data, dataset, VERSIONS[dataset][0], model)
        cost, grades = _grades(benchmark, answers, compat=True)
        _, repaired = _grades(benchmark, answers, compat=False)
        differing = [grade.identifier for grade in grades if not _is_equal(benchmark, grade, recorded)]
        equal, tasks = equal + len(grades) - len(differing), tasks + len(grades)
        wrong += [f"{dataset}, {model}, {identifier}: the counts differ" for identifier in differing]
        figures = (
            recorded["summary"]["overall"]["f1"],
            100 * total(count for grade in grades for count in grade.counts).f1,
            100 * total(count for grade in repaired for count in grade.counts).f1,
        )
        rows.append((dataset, model, len(grades), len(grades) - len(differing), *figures, cost.cpu))
    return Table(
        title="transition modeling: counts",
        about="tasks whose counts are the original's, by predicate and part of each operator",
        columns=("data", "model", "tasks", "equal", "F1 recorded", "--compat", "repaired", "CPU s"),
        rows=tuple(rows),
        goals=(Goal(what="tasks with equal counts", measured=equal, limit=tasks, unit="tasks", at_least=True),),
        wrong=tuple(wrong),
    )


def _is_equal(benchmark: Benchmark, grade: TaskGrade, recorded: Mapping[str, Any]) -> bool:
    wanted: Counter[tuple[str, str, str, str]] = Counter()
    for action, parts in recorded["tasks"][grade.identifier]["per_action"].items():
        for part in ("precondition", "effect"):
            for kind in ("TP", "FP", "FN"):
                names = parts.get(part, {}).get(kind, ())
                wanted.update((action, part, kind, name) for name in names if name in benchmark.kinds)
    counted: Counter[tuple[str, str, str, str]] = Counter()
    for count in grade.counts:
        for kind, number in (("TP", count.right), ("FP", count.wrong), ("FN", count.missed)):
            counted[count.action, count.part.value, kind, count.predicate] += number
    return +counted == wanted


# --- planning ------------------------------------------------------------------------------------


def _planned(data: Path, cases: list[tuple[str, str]], share: int) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    wrong: list[str] = []
    for dataset, model in cases:
        benchmark, answers = read_benchmark(data / dataset), _answers(data, dataset, model)[::share]
        versions = {version: _recorded(data, dataset, version, model)["tasks"] for version in VERSIONS[dataset]}
        for compat in (True, False):
            cost, grades = _grades(benchmark, answers, compat=compat, allowance=ALLOWANCE)
            row, remarks, faults = _compared(grades, versions)
            label = "--compat" if compat else "repaired"
            rows.append((dataset, model, label, *row, cost.cpu))
            notes += [f"{dataset}, {model}, {label}: {remark}" for remark in remarks]
            if compat and "23.06" in versions:  # a later version refuses what --compat takes
                wrong += [f"{dataset}, {model}: {fault}" for fault in faults]
    yield Table(
        title="transition modeling: planning",
        about=f"tasks with a plan, with one that is valid under the gold operators; {ALLOWANCE.seconds:.0f} s each",
        columns=("data", "model", "grades", "tasks", "recorded", "found", "valid", "as recorded", "decided", "CPU s"),
        rows=tuple(rows),
        notes=("recorded and as recorded: Fast Downward 23.06 for virtualhome, 26.6 for behavior", *notes),
        wrong=tuple(wrong),
    )


def _grades(
    benchmark: Benchmark, answers: tuple[Answer, ...], *, compat: bool, allowance: Allowance | None = None
) -> tuple[Cost, list[TaskGrade]]:
    def graded() -> Iterator[TaskGrade]:
        for answer in answers:
            with suppress(ModelError):  # of a task whose problem is needed and cannot be read
                yield grade_answer(benchmark, answer, compat=compat, allowance=allowance)

    return cost_of(lambda: list(graded()))


def _compared(
    grades: list[TaskGrade], versions: Mapping[str, Mapping[str, Any]]
) -> tuple[tuple[Cell, ...], list[str], list[str]]:
    """Return the figures, the tasks on which versions of the planner differ, and those that differ from all."""
    split: Counter[tuple[bool, ...]] = Counter()
    found = valid = recorded = same = limits = 0
    faults: list[str] = []
    for grade in grades:
        assert grade.planning is not None
        verdicts = tuple(bool(tasks[grade.identifier]["planner_success"]) for tasks in versions.values())
        ours = grade.planning.is_found
        found, valid, recorded = found + ours, valid + grade.planning.valid, recorded + verdicts[0]
        same += ours is verdicts[0]
        limits += grade.planning.answered is Answered.LIMIT
        split[(*verdicts, ours)] += 1
        if ours is not verdicts[0] and grade.planning.answered is not Answered.LIMIT:
            faults.append(f"{grade.identifier}: {grade.planning.answered.value}, {grade.planning.reason}")
    remarks = []
    if len(versions) > 1:
        apart = sum(number for verdicts, number in split.items() if verdicts[0] is not verdicts[1])
        here = sum(number for verdicts, number in split.items() if verdicts[0] is not verdicts[1] and verdicts[-1])
        names = " and ".join(versions)
        remarks.append(f"{apart} tasks on which {names} differ, found here: {here}")
    remarks += [f"differs in {fault}" for fault in faults]
    return (len(grades), recorded, found, valid, same, len(grades) - limits), remarks, faults
