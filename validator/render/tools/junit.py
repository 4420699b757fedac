"""A verdict as JUnit XML, in the form that Jenkins, GitLab and GitHub's reporters read: one test case."""

from __future__ import annotations

import re
from enum import StrEnum
from xml.etree import ElementTree as Xml

from validator.render.tools.findings import Finding


class Outcome(StrEnum):
    """How a case ended; the words are the elements of JUnit."""

    PASSED = "passed"
    FAILURE = "failure"
    """the plan has not what was asked"""
    ERROR = "error"
    """there is no answer: a file that cannot be read, a limit, a planner that failed"""


def junit(
    outcome: Outcome,
    finding: Finding | None,
    *,
    group: str,
    name: str,
    file: str,
    details: str = "",
    seconds: float = 0.0,
) -> str:
    """Return a suite of one case, which belongs to a group; a finding and details say what is wrong."""
    counts = {
        "name": "plan-validator check",
        "tests": "1",
        "failures": str(int(outcome is Outcome.FAILURE)),
        "errors": str(int(outcome is Outcome.ERROR)),
        "skipped": "0",
        "time": f"{seconds:.3f}",
    }
    about = {"classname": group, "name": name, "file": file, "time": f"{seconds:.3f}"}
    if finding is not None and finding.place.line is not None:
        about["line"] = str(finding.place.line)
    root = Xml.Element("testsuites", counts)
    case = _add(_add(root, "testsuite", counts), "testcase", about)
    if outcome is not Outcome.PASSED:
        said = {} if finding is None else {"type": finding.rule, "message": finding.message}
        _add(case, outcome.value, said).text = _legal(details)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _add(parent: Xml.Element, tag: str, attributes: dict[str, str]) -> Xml.Element:
    return Xml.SubElement(parent, tag, {name: _legal(value) for name, value in attributes.items()})


_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _legal(text: str) -> str:
    """Return a text without the characters that XML 1.0 has no way to write."""
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)
