"""The judge's opinion beside the symbolic score, and why the two differ."""

from __future__ import annotations

from validator.adherence.result import Adherence
from validator.adherence.values import Opinion
from validator.judge.endpoint import Judge, Talk
from validator.judge.prompt import FORMAT, messages
from validator.reading.traces.recording import Recording

__all__ = ["DISAGREEMENT", "ask"]

DISAGREEMENT = 0.25
"""A difference of the two scores above this is explained."""


def ask(judge: Judge, adherence: Adherence, recording: Recording) -> Opinion:
    """Ask a judge for its opinion. A judge that fails is a result: ``error`` says how."""
    body: dict[str, object] = {"model": judge.model, "temperature": 0, "messages": messages(adherence, recording)}
    talk = Talk(judge, {**body, "response_format": FORMAT}, body)
    answer = talk.run()
    if isinstance(answer, str):
        return Opinion(model=judge.model, error=answer, attempts=talk.attempts)
    plan = tuple(map(str, answer["plan"])) if isinstance(answer["plan"], list) else ()
    score = answer["score"] if plan and isinstance(answer["score"], int | float) else None
    return Opinion(
        model=judge.model,
        score=None if score is None else float(score),
        task=str(answer["task"]),
        plan=plan,
        reason=str(answer["reason"]),
        explanation=_explained(adherence, score, len(plan)),
        attempts=talk.attempts,
    )


def _explained(adherence: Adherence, score: float | None, steps: int) -> str:
    """Say why the symbolic score is what it is, where it differs from the judge's by more than DISAGREEMENT."""
    ours = adherence.score
    if ours is None:
        if score is None:
            return ""
        return f"The symbolic score is not applicable: {adherence.not_applicable}; the judge read {steps} steps."
    if score is None:
        return f"The judge sees no plan; the symbolic score reads one ({adherence.source})."
    if abs(ours - score) <= DISAGREEMENT:
        return ""
    planned = len(adherence.plan or ())
    other = f" The judge read {steps} steps, the plan has {planned}." if steps != planned else ""
    why = " ".join(row.reason for row in adherence.deviations) or "Every call is the planned step, in order."
    return f"The scores differ by {abs(ours - score):.2g}. The symbolic one counts: {adherence.summary} {why}{other}"
