"""Reports as Markdown, for comments and notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.execution.faults import sentences
from validator.render.text import figures, nearness, repair_note
from validator.render.verdict import details, verdict

if TYPE_CHECKING:
    from validator.checking.report import Report

__all__ = ["report_markdown"]


def report_markdown(report: Report) -> str:
    """Return a report as Markdown: verdict, lists of faults and figures, the diff in a fence."""
    lines = [f"**{verdict(report)}**{f': {_escaped(report.reason)}' if report.reason else ''}", ""]
    lines += [f"- {_escaped(sentence)}" for sentence in sentences(report.failures, report.reference)]
    for heading, said in details(report):
        lines += [*(["", _escaped(heading), ""] if heading else []), *(f"- {_escaped(line)}" for line in said)]
    if told := [f"- {_escaped(line)}" for line in figures(report)]:
        lines += [*([""] if lines[-1] else []), *told]
    if report.plan_diff_str:
        lines += ["", "```diff", report.plan_diff_str.replace("```", "'''").rstrip("\n"), "```", ""]
        lines.append(f"{nearness(report)}.{repair_note(report)}")
    if report.explanations:
        lines += ["", *(f"- {_escaped(explanation)}" for explanation in report.explanations)]
    lines += [f"\n> {_escaped(warning)}" for warning in report.warnings]
    return "\n".join(lines).rstrip("\n") + "\n"


def _escaped(text: str) -> str:
    """Return a text in which nothing is markup."""
    return "".join(f"\\{character}" if character in "\\`*_{}[]<>#|" else character for character in text)
