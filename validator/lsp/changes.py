"""Changes that an editor can apply: the nearest valid plan, the smallest repair of a domain, another reading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from validator.checking.check import check
from validator.checking.prepared import prepare
from validator.lsp.documents import Document
from validator.reading.plan import Step
from validator.texts import no_path


class Change(NamedTuple):
    """A new text for a span of a document, and what the change is."""

    title: str
    span: tuple[int, int]
    text: str


def nearest_plan(domain: Document, problem: Document, plan: Document) -> Change | str:
    """Return the change of a plan into the nearest valid one, or why there is none.

    Comments before the first step and after the last one stay.
    """
    model = prepare(no_path(domain.text), no_path(problem.text))
    report = check(model, None, no_path(plan.text))
    if report.determination is True:
        return "The plan is valid."
    if report.repaired_plan is None:
        return f"No valid plan was found: {report.reason or report.planner_response.status}."
    steps = "".join(f"{step}\n" for step in report.repaired_plan)
    spans = [token.span for token in report.reference if token.span != (0, 0)]
    span = (min(spans)[0], max(spans)[1]) if spans else (len(plan.text), len(plan.text))
    title = "nearest valid plan" if report.proven else "a valid plan near it (not proven nearest)"
    return Change(title, span, steps if not spans else steps.rstrip("\n"))


def repaired_domain(domain: Document, problem: Document, plan: Document) -> Change | str:
    """Return the change of a domain by its smallest repair that makes a plan valid, or why there is none.

    Raises PlannerError where what the repair needs is not installed.
    """
    from validator.model_repair.cases import Given
    from validator.model_repair.repair import repair_model

    given = Given(problem=no_path(problem.text), plans=[no_path(plan.text)])
    found = repair_model(no_path(domain.text), cases=[given])
    if not found.domain_text or not found.edits:
        return f"The domain is not changed: {found.reason or found.status.value}."
    return Change("; ".join(map(str, found.edits)), (0, len(domain.text)), found.domain_text)


def other_readings(domain: Document, problem: Document, plan: Document) -> Iterator[Change]:
    """Yield what stands for each piece of a plan that was not understood, or that names nothing of the model."""
    model = prepare(no_path(domain.text), no_path(problem.text))
    report = check(model, None, no_path(plan.text), repair=False)
    for missed in report.reading.missed if report.reading is not None else ():
        if missed.nearest:
            yield Change(f"Read as {missed.nearest}", missed.span, missed.nearest)
    steps = [token for token in report.reference if isinstance(token, Step)]
    for failure in report.failures:
        if failure.nearest and failure.detail and failure.step is not None and failure.step < len(steps):
            yield from _renamed(plan.text, steps[failure.step], failure.detail, failure.nearest)


def _renamed(text: str, step: Step, detail: str, nearest: str) -> Iterator[Change]:
    for wrong, right in zip(detail.split(", "), nearest.split(", "), strict=False):
        start = text.lower().find(wrong.lower(), *step.span)
        if start >= 0:
            yield Change(f"Read as {right}", (start, start + len(wrong)), right)
