"""Findings as the workflow commands of GitHub Actions, which become annotations on the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from validator.render.tools.findings import Finding, Level


def github(found: Iterable[Finding]) -> str:
    """Return a command a line. Nothing else is printed: a line of a plan that looked like a command would be one."""
    return "".join(f"{_command(finding)}\n" for finding in found)


def _command(finding: Finding) -> str:
    place = finding.place
    on_one_line = place.end_line in (None, place.line)  # columns of a range of lines are refused
    properties = {
        "file": place.source,
        "line": place.line,
        "endLine": place.end_line,
        "col": place.column if on_one_line else None,
        "endColumn": place.end_column if on_one_line else None,
        "title": f"plan-validator: {finding.rule}",
    }
    said = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items() if value is not None)
    level = "notice" if finding.level is Level.NOTE else finding.level.value
    return f"::{level} {said}::{_data(finding.message)}"


def _data(text: str) -> str:
    """Return a text with what ends a command escaped."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
