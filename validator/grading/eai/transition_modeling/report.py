"""What the grades of a model's answers come to, as data for JSON and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from validator.grading.eai.transition_modeling.benchmark import Benchmark
from validator.grading.eai.transition_modeling.grade import Grade, State, TaskGrade
from validator.grading.eai.transition_modeling.matching import INVENTED, Count, Part, grouped, total
from validator.grading.eai.transition_modeling.operators import Fault
from validator.grading.eai.transition_modeling.planning import Answered, Planning
from validator.grading.summary import Confusion

# --- the documented summary ----------------------------------------------------------------------


def summary_data(benchmark: Benchmark, grades: Sequence[TaskGrade]) -> dict[str, dict[str, float | None]]:
    """Return the summary under the documented keys: percent, by category of task, and ``overall``.

    ``planner_success_rate`` says that some plan was found, ``planner_valid_rate`` that it is one under the gold
    operators as well; both are None when nothing was planned.
    """
    counts = _counts(grades)
    by_kind = grouped(counts, lambda count: benchmark.kinds.get(count.predicate, INVENTED))
    rows = {
        name: (total(by_kind.get(name, ())), _in_category(benchmark, grades, name)) for name in _categories(benchmark)
    }
    rows["overall"] = (total(counts), list(grades))
    return {name: {**_percent(score), **_planner(tasks)} for name, (score, tasks) in rows.items()}


def _percent(score: Confusion) -> dict[str, float | None]:
    return {name: round(100 * getattr(score, name), 4) for name in ("precision", "recall", "f1")}


def _planner(grades: Iterable[TaskGrade]) -> dict[str, float | None]:
    plannings = [grade.planning for grade in grades if grade.planning is not None]

    def rate(part: int) -> float | None:
        return round(100 * part / len(plannings), 4) if plannings else None

    return {
        "planner_success_rate": rate(sum(planning.is_found for planning in plannings)),
        "planner_valid_rate": rate(sum(planning.valid for planning in plannings)),
    }


def _categories(benchmark: Benchmark) -> dict[str, None]:
    return dict.fromkeys(name for task in benchmark.tasks.values() for name in task.categories)


def _in_category(benchmark: Benchmark, grades: Sequence[TaskGrade], name: str) -> list[TaskGrade]:
    return [grade for grade in grades if name in benchmark.tasks[grade.identifier].categories]


def _counts(grades: Iterable[TaskGrade]) -> list[Count]:
    return [count for grade in grades for count in grade.counts]


# --- everything ----------------------------------------------------------------------------------


def report_data(benchmark: Benchmark, grades: Sequence[TaskGrade], *, compat: bool) -> dict[str, Any]:
    """Return all tables of one model."""
    counts = _counts(grades)
    states = Counter(grade.state for task in grades for grade in task.grades)
    data: dict[str, Any] = {
        "dataset": benchmark.name,
        "convention": "original" if compat else "repaired",
        "tasks": len(grades),
        "operators": {state.value: states[state] for state in State},
        "logic_matching": {
            "overall": _parts(counts),
            "by_category": _table(counts, lambda count: benchmark.kinds.get(count.predicate, INVENTED)),
            "by_action": _table(counts, lambda count: count.action),
            "by_predicate": _table(counts, lambda count: count.predicate),
        },
    }
    if compat:
        data["format_errors"] = sum(grade.is_format_error for grade in grades)
    plannings = [grade.planning for grade in grades if grade.planning is not None]
    if plannings:
        answered = Counter(planning.answered.value for planning in plannings)
        data["planning"] = {**_planner(grades), "tasks": len(plannings), "outcomes": dict(sorted(answered.items()))}
    if any(grade.trials for grade in grades):
        by_category = {name: _by_action(_in_category(benchmark, grades, name)) for name in _categories(benchmark)}
        data["sensitivity"] = {"by_action": _by_action(grades), "by_category": by_category}
    return data


def _parts(counts: Sequence[Count]) -> dict[str, dict[str, float | None]]:
    scores = {"all": total(counts)} | {
        part.value: total(count for count in counts if count.part is part) for part in Part
    }
    return {
        name: {**_percent(score), "right": score.right, "wrong": score.wrong, "missed": score.missed}
        for name, score in scores.items()
    }


def _table(counts: Sequence[Count], key: Callable[[Count], str]) -> dict[str, dict[str, dict[str, float | None]]]:
    return {name: _parts(group) for name, group in grouped(counts, key).items()}


def _by_action(grades: Iterable[TaskGrade]) -> dict[str, dict[str, int]]:
    """Return in how many tasks there is a plan with the predicted operator, and a valid one, by its name."""
    found: dict[str, dict[str, int]] = {}
    for name, planning in sorted((each for grade in grades for each in grade.trials.items()), key=lambda each: each[0]):
        row = found.setdefault(name, {"total": 0, "success": 0, "valid": 0})
        row["total"] += 1
        row["success"] += planning.is_found
        row["valid"] += planning.valid
    return found


# --- one task ------------------------------------------------------------------------------------


def task_data(grade: TaskGrade) -> dict[str, Any]:
    """Return everything about one answer."""
    return {
        "identifier": grade.identifier,
        "format_error": grade.is_format_error,
        "operators": {each.name: _operator(each, grade.counts) for each in grade.grades},
        "additional": list(grade.additional),
        "repeated": list(grade.repeated),
        "planning": None if grade.planning is None else _planning(grade.planning),
    }


def result(grade: TaskGrade) -> tuple[str, dict[str, Any]]:
    """Return what ``plan-validator summary`` counts: a verdict and a report with a determination.

    What is asked is whether the plan that is found with the predicted operators is one with the gold ones; without
    planning, whether the operators are the gold ones.
    """
    verdict, has = _verdict(grade)
    return verdict, {"determination": has, "failures": []}


def _verdict(grade: TaskGrade) -> tuple[str, bool | None]:
    if grade.planning is None:
        is_same = bool(grade.grades) and all(each.is_same for each in grade.grades)
        return ("same operators" if is_same else "other operators"), is_same
    match grade.planning.answered:
        case Answered.FOUND:
            return ("valid" if grade.planning.valid else "plan not valid"), grade.planning.valid
        case Answered.NONE:
            return "plan not found", False
        case Answered.UNREADABLE:
            return "operators unreadable", False
        case _:
            return "unknown", None


def _operator(grade: Grade, counts: Sequence[Count]) -> dict[str, Any]:
    own = [count for count in counts if count.action == grade.name]
    data: dict[str, Any] = {"state": grade.state.value}
    if grade.fault is not None:
        data["error"] = _fault(grade.fault)
    if grade.parameters:
        data["parameters"] = dict(grade.parameters)
    for part in Part:
        here = [count for count in own if count.part is part]
        data[part.value] = {
            kind: {count.predicate: getattr(count, kind) for count in here if getattr(count, kind)}
            for kind in ("right", "wrong", "missed")
        }
    return data


def _fault(fault: Fault) -> dict[str, Any]:
    return {"message": fault.message, "line": fault.line, "column": fault.column, "shown": str(fault)}


def _planning(planning: Planning) -> dict[str, Any]:
    return {
        "outcome": planning.answered.value,
        "success": planning.is_found,
        "valid": planning.valid,
        "plan": [str(step) for step in planning.plan],
        "reason": planning.reason,
        **({} if planning.fault is None else {"error": _fault(planning.fault)}),
    }
