"""The formats of ``plan-validator check``: for people, for programs, and what other tools read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from validator.commands.options import has_color
from validator.errors import PlannerError
from validator.records import dataclass

if TYPE_CHECKING:
    from validator.checking.report import Report
    from validator.render.tools.findings import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a report is about: the plan with the name of its file, the model, and the execution where it is shown."""

    name: str
    text: str
    model: str
    execution: Callable[[], Mapping[str, Any]]

    @property
    def source(self) -> Source:
        from validator.render.tools.findings import Source

        return Source(name=self.name, text=self.text)


def _text(report: Report, shown: Shown) -> str:
    from validator.render.text import report_text

    return report_text(report, color=has_color())


def _json(report: Report, shown: Shown) -> str:
    from validator.render.json import json_text

    return json_text(report.to_json())


def _markdown(report: Report, shown: Shown) -> str:
    from validator.render.text import report_markdown

    return report_markdown(report)


def _html(report: Report, shown: Shown) -> str:
    from validator.render.html.elements import element, page
    from validator.render.html.report import report_tree
    from validator.render.verdict import verdict

    tree = report_tree(report, shown.execution())
    return page(f"{verdict(report)}: {shown.name}", element("h1", shown.name), tree)


def _sarif(report: Report, shown: Shown) -> str:
    from validator.render.tools.sarif import report_sarif

    return report_sarif(report, shown.source)


def _junit(report: Report, shown: Shown) -> str:
    from validator.render.text import report_text
    from validator.render.tools.findings import findings
    from validator.render.tools.junit import Outcome, junit

    outcomes = {True: Outcome.PASSED, False: Outcome.FAILURE, None: Outcome.ERROR}
    return junit(
        outcomes[report.determination],
        next((finding for finding in findings(report, shown.source) if finding.rule != "warning"), None),
        group=shown.model,
        name=f"{shown.name} is {report.report_type.value}",
        file=shown.name,
        details=report_text(report),
        seconds=sum(report.timings.values()),
    )


def _github(report: Report, shown: Shown) -> str:
    from validator.render.tools.findings import findings
    from validator.render.tools.github import github

    return github(findings(report, shown.source))


FORMATS: Mapping[str, Callable[[Report, Shown], str]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
    "html": _html,
    "sarif": _sarif,
    "junit": _junit,
    "github": _github,
}

FOR_TOOLS = ("sarif", "junit", "github")
"""formats in which errors are told as well"""


def error_text(form: str, error: Exception, plan: str, model: str) -> str:
    """Return an error in a format for tools, at the place in the file that it speaks of."""
    from validator.render.tools.findings import error_finding

    rule = "no_answer" if isinstance(error, PlannerError) else "unreadable"
    finding = error_finding(error, plan, rule=rule)
    if form == "junit":
        from validator.render.tools.junit import Outcome, junit

        place = finding.place.source
        return junit(Outcome.ERROR, finding, group=model, name=plan, file=place, details=str(error))
    if form == "sarif":
        from validator.render.tools.sarif import sarif

        return sarif([finding])
    from validator.render.tools.github import github

    return github([finding])
