"""Findings as SARIF 2.1.0 (OASIS 2020), which editors and code scanning show beside the lines of a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from validator import __version__
from validator.render.tools.findings import RULES, Finding, Level, Place, Source, findings, repaired_text

if TYPE_CHECKING:
    from validator.checking.report import Report


_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_PROPERTIES = (
    *("report_type", "determination", "reason", "is_understood", "proven", "cost", "optimal_cost"),
    "plan_diff_str",
)


def report_sarif(report: Report, plan: Source) -> str:
    """Return the findings of a check; the first fault offers the repaired plan as a fix of the plan file."""
    results = [_result(finding) for finding in findings(report, plan)]
    repaired = repaired_text(report)
    if repaired is not None:
        results[0]["fixes"] = [_fix(repaired, plan)]
    value = report.to_json()
    return _document(results, {name: value[name] for name in _PROPERTIES})


def sarif(found: Iterable[Finding]) -> str:
    """Return findings that are no report's: errors, or those of several checks."""
    return _document([_result(finding) for finding in found])


def _document(results: list[dict[str, object]], properties: dict[str, object] | None = None) -> str:
    used = [name for name in RULES if any(result["ruleId"] == name for result in results)]
    driver = {"name": "plan-validator", "version": __version__, "rules": [_rule(name) for name in used]}
    run: dict[str, object] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [{**result, "ruleIndex": used.index(str(result["ruleId"]))} for result in results],
    }
    if properties is not None:
        run["properties"] = properties
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


_LEVELS = {
    "unknown": Level.WARNING,
    "warning": Level.WARNING,
    "not_understood": Level.NOTE,
    "no_plan": Level.NOTE,
}
"""Rule -> the level of its results, where they are no errors; what a text says that has no plan may be one."""


def _rule(name: str) -> dict[str, object]:
    level = _LEVELS.get(name, Level.ERROR)
    return {
        "id": name,
        "shortDescription": {"text": RULES[name]},
        "defaultConfiguration": {"level": level.value},
    }


def _result(finding: Finding) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "level": finding.level.value,
        "message": _message(finding.message),
        "locations": [{"physicalLocation": _physical(finding.place)}],
    }
    if finding.related:
        result["relatedLocations"] = [
            {"physicalLocation": _physical(place), "message": _message(text)} for text, place in finding.related
        ]
    return result


def _fix(text: str, plan: Source) -> dict[str, object]:
    replacement = {"deletedRegion": _region(plan.whole), "insertedContent": {"text": text}}
    change = {"artifactLocation": {"uri": _uri(plan.name)}, "replacements": [replacement]}
    return {"description": {"text": "Replace the plan by the repaired plan."}, "artifactChanges": [change]}


def _message(text: str) -> dict[str, str]:
    """Return a text as a message in which no name of the plan becomes a link (section 3.11.6)."""
    return {"text": re.sub(r"\[(?=[^\[\]]*\]\()", r"\\[", text)}


def _physical(place: Place) -> dict[str, object]:
    region = _region(place)
    return {"artifactLocation": {"uri": _uri(place.source)}, **({"region": region} if region else {})}


def _region(place: Place) -> dict[str, int]:
    numbers = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    return {name: number for name, number in numbers.items() if number is not None}


def _uri(source: str) -> str:
    """Return a path as a URI reference, relative to where the command runs if it is there or below.

    What shows findings beside a checkout wants paths in it.
    """
    path = Path(source)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
