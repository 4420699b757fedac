"""An adherence as plain values for JSON: scores, rows, the diff, and what the model and the judge say."""

from __future__ import annotations

from fractions import Fraction

from validator.adherence.values import Adherence, Row

__all__ = ["adherence_value"]


def adherence_value(adherence: Adherence) -> dict[str, object]:
    """Return an adherence as values that ``json.dumps`` takes; steps and calls count from 0."""
    value: dict[str, object] = {
        "applicable": adherence.plan is not None,
        "score": adherence.score,
        "coverage": adherence.coverage,
        "precision": adherence.precision,
        "f1": adherence.f1,
        "order": adherence.order,
        "arguments": adherence.arguments,
        "reason": adherence.reason,
        "plan_source": adherence.source,
        "trace_format": adherence.format,
        "task": adherence.task,
        "plan": None if adherence.plan is None else [str(step) for step in adherence.plan],
        "calls": [str(call) for call in adherence.calls],
        "rows": [_row(row) for row in adherence.rows],
        "diff": adherence.diff_text,
        "passed_over": [
            {"call": call.index, "text": str(call), "why": call.kind.value} for call in adherence.passed_over
        ],
        "warnings": list(adherence.warnings),
    }
    execution = adherence.execution
    if execution is not None:
        value["execution"] = {
            "sound": execution.sound,
            "reaches_goal": execution.reaches_goal,
            "plan_is_valid": execution.plan_is_valid,
            "cost": _number(execution.cost),
            "plan_cost": _number(execution.plan_cost),
            "faults": list(execution.faults),
            "dead_end": execution.dead_end,
            "implied": [{"before_call": index, "step": str(step)} for index, step in execution.implied],
            "recovery": None if execution.recovery is None else [str(step) for step in execution.recovery],
            "reason": execution.reason,
        }
    if adherence.opinion is not None:
        value["judge"] = adherence.opinion.to_json()
    return value


def _row(row: Row) -> dict[str, object]:
    value: dict[str, object] = {
        "kind": row.kind.value,
        "step": None if row.planned is None else row.planned.index,
        "call": None if row.executed is None else row.executed.index,
        "planned": None if row.planned is None else str(row.planned),
        "executed": None if row.executed is None else str(row.executed),
        "weight": float(row.weight),
        "reason": row.reason,
    }
    if row.executed is not None and row.executed.error is not None:
        value["error"] = row.executed.error
    if row.effect is not None:
        value |= {"effect": row.effect.value, "proof": row.proof}
    return value


def _number(value: Fraction | None) -> int | float | None:
    if value is None:
        return None
    return value.numerator if value.denominator == 1 else float(value)
