"""The certificate of a report: what it proves, written so that others can check it with ``plan-certify``."""

from __future__ import annotations

from pathlib import Path

from validator.alarms import OutOfTime
from validator.certificates.certificate import NoCertificate, certificate
from validator.checking.prepared import SOURCES
from validator.checking.question import Question
from validator.checking.report import Quality, Report
from validator.errors import PlannerError
from validator.grounding.limits import Status
from validator.grounding.task import Task
from validator.model.pddl.frame import is_text
from validator.records import replace
from validator.repair import Policy


def certified(report: Report, question: Question) -> Report:
    """Return a report with its certificate, or with the reason why it has none."""
    claim, sources = _claim(report, question), question.prepared.sources
    if isinstance(claim, str):
        return replace(report, no_certificate=claim)
    if sources is None:
        return replace(report, no_certificate="the model is not given as PDDL text")
    limits = question.limits

    def grounded() -> Task:
        task = question.prepared.task(limits, costs_matter=claim[0] == "optimal")
        if isinstance(task, Status):
            raise TimeoutError
        return task

    with question.clock("certificate"):
        try:
            found = certificate(
                (text_of(sources[0]), text_of(sources[1]), _as_read(question.plan.text)),
                question.model,
                grounded,
                report.reference,
                report.failures[0].unmet if report.failures else (),
                claim,
                report.report_type.value,
                limits.is_over,
            )
        except (OutOfTime, TimeoutError):
            found = NoCertificate("the time limit was met")
        except (ValueError, OverflowError, PlannerError) as error:
            found = NoCertificate(f"the model is not grounded: {error}")
    if isinstance(found, NoCertificate):
        return replace(report, no_certificate=found.reason)
    return replace(report, certificate=found)


def _claim(report: Report, question: Question) -> tuple[str, int] | str:
    """Return what is claimed and its bound, or why nothing is."""
    if question.model.features:
        return "numbers and time have none"
    if question.policy is not Policy.EDITS:
        return "it is for the policy edits"
    if report.planner_response.no_solution:
        return "unsolvable", 1
    if report.report_type is Quality.OPTIMAL:
        cost = report.optimal_cost
        if cost is None or not cost.is_exact or cost.lower.denominator > 1:
            return "the cheapest cost is not proven, or no integer"
        return "optimal", cost.lower.numerator
    if report.determination:
        return "the plan has the quality, which its execution shows"
    if not report.proven or report.repaired_plan is None:
        return "no nearest plan is proven"
    return "nearest", sum(diff.diff_type is not None for diff in report.plan_diff_obj)


def text_of(source: object) -> str:
    """Return the text of a model, which is that or a path."""
    assert isinstance(source, SOURCES)
    return _as_read(str(source) if is_text(source) else Path(source).read_text(encoding="utf-8"))


def _as_read(text: str) -> str:
    """Return a text as the checker reads it from a file."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
