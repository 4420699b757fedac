"""Results in the files and under the keys that the benchmark documents, so that scripts made for it work on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from validator.grading.eai.sequencing import Counts, Grade, Verdict

_ERROR_TYPES = {
    Verdict.PARSING: "parsing error",
    Verdict.HALLUCINATION: "hallucination error",
    Verdict.ARGUMENT_NUMBER: "parameter error",
    Verdict.WRONG_ORDER: "wrong_temporal_order",
    Verdict.MISSING_STEP: "missing_step",
    Verdict.AFFORDANCE: "affordance_error",
    Verdict.ADDITIONAL_STEP: "additional_step",
}
_GRAMMAR = (Verdict.PARSING, Verdict.HALLUCINATION, Verdict.ARGUMENT_NUMBER)


def _rate(part: float, whole: float, *, percent: bool = True, digits: int = 4) -> float | None:
    """Return a rate, rounded; None when there is nothing that it could be a rate of."""
    return round((100 if percent else 1) * part / whole, digits) if whole else None


def sequencing_summary(
    grades: Iterable[Grade], *, percent: bool = True, tasks: int | None = None, once: bool = False
) -> dict[str, Any]:
    """Return the rates over the evaluated tasks, with how many these are; ``tasks`` is how many there are to answer.

    VirtualHome's are percentages, BEHAVIOR's fractions. ``additional_step`` counts occurrences, with ``once`` tasks as
    every other class, which is BEHAVIOR's way. ``partial_success`` is the mean over the tasks with a temporal goal.
    """
    given = list(grades)
    found = [grade for grade in given if grade.is_evaluated]
    number = len(found)

    def share(part: float, digits: int = 4) -> float | None:
        return _rate(part, number, percent=percent, digits=digits)

    def goals(kind: str) -> float | None:
        reached = sum(getattr(grade.matched, kind) for grade in found)
        return _rate(reached, sum(getattr(grade.totals, kind) for grade in found), percent=percent)

    def verdicts(verdict: Verdict) -> float | None:
        return share(sum(grade.counted for grade in found if grade.verdict is verdict))

    def errors(error: Verdict) -> float | None:
        numbers = (grade.execution.counts.get(error.value, 0) for grade in found if grade.execution)
        return share(sum(min(number, 1) if once else number for number in numbers))

    partial = [grade.partial for grade in found if grade.partial is not None]
    return {
        "tasks": task_counts(len(given), tasks, excluded=len(given) - number),
        "goal_evaluation": {
            "task_success_rate": share(sum(grade.all_satisfied for grade in found)),
            "state_goal": goals("state"),
            "relation_goal": goals("relation"),
            "action_goal": goals("action"),
            "total_goal": goals("total"),
            "partial_success": _rate(sum(partial), len(partial), percent=percent),
        },
        "trajectory_evaluation": {
            "execution_success_rate": share(sum(grade.is_executable for grade in found), 1 if percent else 4),
            "grammar_error": {
                "parsing": verdicts(Verdict.PARSING),
                "hallucination": verdicts(Verdict.HALLUCINATION),
                "predicate_argument_number": verdicts(Verdict.ARGUMENT_NUMBER),
            },
            "runtime_error": {
                "wrong_order": errors(Verdict.WRONG_ORDER),
                "missing_step": errors(Verdict.MISSING_STEP),
                "affordance_error" if percent else "affordance": errors(Verdict.AFFORDANCE),
                "additional_step": errors(Verdict.ADDITIONAL_STEP),
            },
        },
    }


def task_counts(answered: int, tasks: int | None = None, *, excluded: int = 0) -> dict[str, int]:
    """Return what a rate is of: the tasks that there are, those without an answer, those left out, and the rest."""
    every = answered if tasks is None else tasks
    return {"all": every, "missing": every - answered, "excluded": excluded, "evaluated": answered - excluded}


def error_info(grades: Sequence[Grade]) -> dict[str, Any]:
    """Return by task whether the answer is executable, its steps, and the fault that ended it."""
    left_out = (Verdict.EXCLUDED, Verdict.IDENTICAL)
    return {grade.identifier: _error_entry(grade) for grade in grades if grade.verdict not in left_out}


def _error_entry(grade: Grade) -> dict[str, Any]:
    run = grade.execution
    parsed = [{call.name: list(call.args)} for call in grade.calls]
    failed = run.failed if run is not None else None
    return {
        "executable": grade.is_executable,
        "actions": parsed if run is None else [step.label for step in run.steps],
        "error_type": _ERROR_TYPES.get(grade.verdict),
        "error_action": failed.label if failed is not None else None,
    }


def llm_results(grades: Iterable[Grade]) -> list[dict[str, Any]]:
    """Return for each answer ``llm_rst`` with ``error_type``, ``goal_rst`` and ``execution_info``."""
    return [{"identifier": grade.identifier, "llm_rst": _result(grade)} for grade in grades]


def _result(grade: Grade) -> dict[str, Any]:
    faults = {verdict: grade.detail if grade.verdict is verdict else None for verdict in _GRAMMAR}
    run = grade.execution
    failed = run.failed if run is not None else None
    return {
        "verdict": grade.verdict.value,
        "error_type": {
            "parsing": faults[Verdict.PARSING],
            "hallucination": faults[Verdict.HALLUCINATION],
            "arguments": faults[Verdict.ARGUMENT_NUMBER],
            "execution_success": grade.is_executable,
            **({f"ErrorType.{name.upper()}": number for name, number in run.counts.items()} if run else {}),
        },
        "error_action": failed.label if failed is not None else None,
        "goal_rst": _goals(grade),
        "execution_info": _execution(grade),
        "parsed_actions": [{"action": call.name, "object": ", ".join(call.args)} for call in grade.calls],
    }


def result(grade: Grade) -> tuple[str, dict[str, Any]] | None:
    """Return what ``plan-validator summary`` counts: a verdict and a report; None for what is left out."""
    if not grade.is_evaluated:
        return None
    run, is_read = grade.execution, grade.verdict is not Verdict.PARSING
    failures = [{"step": len(run.steps) - 1}] if run is not None and run.failed is not None else []
    report = {"determination": grade.all_satisfied if is_read else None, "failures": failures}
    return grade.verdict.value if is_read else "not_understood", report


def _goals(grade: Grade) -> dict[str, Any]:
    total, done = grade.totals, grade.matched
    return {
        "all_goal_satisfied_ig": grade.all_satisfied,
        "all_goal_satisfied_graph": grade.all_satisfied,
        **_counted(total, "tot_", ""),
        **_counted(done, "satisfied_", "satisfied_"),
        "partial_success": grade.partial,
    }


def _counted(counts: Counts, every: str, pure: str) -> dict[str, float]:
    """Return goals by kind, where what is about both states and relations is counted in both and apart."""
    return {
        f"{every}predicates": counts.total,
        f"{every}edge_predicates": counts.relation,
        f"{every}node_predicates": counts.state,
        f"{every}action_goals": counts.action,
        f"{pure}pure_edge_predicates": counts.relation - counts.mixed / 2,
        f"{pure}pure_node_predicates": counts.state - counts.mixed / 2,
        f"{pure}mixed_predicates": counts.mixed,
    }


def _execution(grade: Grade) -> list[dict[str, Any]]:
    if grade.execution is None:
        return []
    return [
        {
            "action": step.call.name,
            "object": ", ".join(step.call.args),
            "execution_success": step.error is None,
            "step": number,
            **({"errors": [f"ErrorType.{step.error.name}", step.reason]} if step.error is not None else {}),
        }
        for number, step in enumerate(grade.execution.steps)
    ]


def subgoal_summary(grades: Sequence[Grade], tasks: int | None = None, *, once: bool = False) -> dict[str, Any]:
    """Return the rates of subgoal decomposition: fractions, with ``overall_goal`` for all goals together."""
    summary = sequencing_summary(grades, percent=False, tasks=tasks, once=once)
    goals = summary["goal_evaluation"]
    goals["overall_goal"] = goals.pop("total_goal")
    errors = summary["trajectory_evaluation"]["runtime_error"]
    errors["affordance_error"] = errors.pop("affordance")
    return summary


_CATEGORIES = {
    Verdict.SUCCESS: "Correct",
    Verdict.GOAL_NOT_SATISFIED: "GoalUnreachable",
    Verdict.PARSING: "NotParseable",
    Verdict.HALLUCINATION: "Hallucination",
    Verdict.ARGUMENT_NUMBER: "Hallucination",
}
"""The benchmark's names for the outcomes of subgoals; all others are ``Runtime``."""


def subgoal_info(grades: Iterable[Grade], prefix: str = "") -> dict[str, Any]:
    """Return by task whether the answer is correct, and its category, faults and goals as the text of a tuple.

    VirtualHome's tasks have the ``prefix`` ``scene_1_`` there.
    """
    return {f"{prefix}{grade.identifier}": _subgoal_entry(grade) for grade in grades}


def _subgoal_entry(grade: Grade) -> dict[str, Any]:
    run = grade.execution
    info = _CATEGORIES.get(grade.verdict, "Runtime"), grade.detail, {} if run is None else dict(run.counts)
    return {
        "success": grade.all_satisfied,
        "info": str(info),
        "actions": [] if run is None else [step.label for step in run.steps],
    }
