"""Verdicts as JUnit XML, in the form that Jenkins, GitLab and GitHub's reporters read: a test case a plan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from xml.etree import ElementTree as Xml

from validator.records import dataclass

__all__ = ["Case", "Outcome", "junit"]


class Outcome(StrEnum):
    """How a case ended; the words are the elements of JUnit."""

    PASSED = "passed"
    FAILURE = "failure"
    """the plan has not what was asked"""
    ERROR = "error"
    """there is no answer: a file that cannot be read, a limit, a planner that failed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One plan: ``group`` is what it belongs to, ``kind`` and ``message`` say what is wrong, ``details`` all of it."""

    group: str
    name: str
    file: str
    seconds: float
    outcome: Outcome
    kind: str = ""
    message: str = ""
    details: str = ""
    line: int | None = None


def junit(name: str, cases: Sequence[Case]) -> str:
    """Return the cases as one suite."""
    root = Xml.Element("testsuites", _counts(name, cases))
    suite = Xml.SubElement(root, "testsuite", _counts(name, cases))
    for case in cases:
        _add(suite, case)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _counts(name: str, cases: Sequence[Case]) -> dict[str, str]:
    return {
        "name": _legal(name),
        "tests": str(len(cases)),
        "failures": str(sum(case.outcome is Outcome.FAILURE for case in cases)),
        "errors": str(sum(case.outcome is Outcome.ERROR for case in cases)),
        "skipped": "0",
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


def _add(suite: Xml.Element, case: Case) -> None:
    line = {} if case.line is None else {"line": str(case.line)}
    about = {"classname": case.group, "name": case.name, "file": case.file, "time": f"{case.seconds:.3f}", **line}
    element = Xml.SubElement(suite, "testcase", {key: _legal(value) for key, value in about.items()})
    if case.outcome is not Outcome.PASSED:
        said = {"type": _legal(case.kind), "message": _legal(case.message)}
        Xml.SubElement(element, case.outcome.value, said).text = _legal(case.details)


_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _legal(text: str) -> str:
    """Return a text without the characters that XML 1.0 has no way to write."""
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)
