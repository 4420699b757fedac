"""The formats that other programs read: SARIF, JUnit XML, annotations of GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.errors import PlannerError

if TYPE_CHECKING:
    from validator.checking.report import Report
    from validator.render.tools.findings import Source

__all__ = ["FORMATS", "told", "told_error"]

FORMATS = ("sarif", "junit", "github")


def told(form: str, report: Report, plan: Source, model: str) -> str:
    """Return a report in one of the formats; ``model`` is what a test case of JUnit is grouped by."""
    if form == "sarif":
        from validator.render.tools.sarif import report_sarif

        return report_sarif(report, plan)
    if form == "github":
        from validator.render.tools.findings import findings
        from validator.render.tools.github import github

        return github(findings(report, plan))
    return _junit(report, plan, model)


def told_error(form: str, error: Exception, plan: str, model: str) -> str:
    """Return an error in one of the formats, at the place in the file that it speaks of."""
    from validator.render.tools.findings import error_finding

    rule = "no_answer" if isinstance(error, PlannerError) else "unreadable"
    finding = error_finding(error, plan, rule=rule)
    if form == "sarif":
        from validator.render.tools.sarif import sarif

        return sarif([finding])
    if form == "github":
        from validator.render.tools.github import github

        return github([finding])
    from validator.render.tools.junit import Case, Outcome, junit

    case = Case(
        group=model,
        name=plan,
        file=finding.place.source,
        line=finding.place.line,
        seconds=0.0,
        outcome=Outcome.ERROR,
        kind=rule,
        message=finding.message,
        details=str(error),
    )
    return junit("plan-validator check", [case])


def _junit(report: Report, plan: Source, model: str) -> str:
    from validator.render.text import report_text
    from validator.render.tools.findings import findings
    from validator.render.tools.junit import Case, Outcome, junit

    faults = [finding for finding in findings(report, plan) if finding.rule != "warning"]
    first = faults[0] if faults else None
    outcomes = {True: Outcome.PASSED, False: Outcome.FAILURE, None: Outcome.ERROR}
    case = Case(
        group=model,
        name=f"{plan.name} is {report.report_type.value}",
        file=plan.name,
        line=first.place.line if first else None,
        seconds=sum(report.timings.values()),
        outcome=outcomes[report.determination],
        kind=first.rule if first else "",
        message=first.message if first else "",
        details=report_text(report),
    )
    return junit("plan-validator check", [case])
