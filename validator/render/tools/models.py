"""What is wrong with a model as it is written: errors and warnings of a domain and its problems, with their places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from validator.errors import ModelError
from validator.model.pddl.domain import read_domain
from validator.model.pddl.problem import read_problem
from validator.model.pddl.syntax import parse
from validator.model.values import Domain, Problem
from validator.records import replace
from validator.render.tools.findings import Finding, Level, Place, Source, error_finding, warning_finding
from validator.render.tools.masking import Masked
from validator.texts import no_path

__all__ = ["model_findings"]

_Read = TypeVar("_Read", Domain, Problem)
_MOST = 50
"""errors of a text up to which it is read again"""


def model_findings(domain: Source, problems: Sequence[Source] = ()) -> tuple[Finding, ...]:
    """Return what is wrong with a domain and with problems of it, each in its own text.

    A reader stops at its first error; the form that it is in is then taken out, and the rest is read again. Warnings
    are those of a text without errors, and without errors in its domain. Without the declarations of a domain, a
    problem is read by its form alone.
    """
    read, found = _all(domain, lambda text: read_domain(no_path(text)))
    is_clean = all(finding.level is Level.WARNING for finding in found)
    for problem in problems:
        of_it = _of_problem(problem, read)
        found += of_it if is_clean else [finding for finding in of_it if finding.level is Level.ERROR]
    return tuple(found)


def _of_problem(problem: Source, domain: Domain | None) -> list[Finding]:
    if domain is not None:
        return _all(problem, lambda text: read_problem(no_path(text), domain))[1]
    try:
        parse(problem.text, problem.name)
    except ModelError as error:
        return [_error(error, problem)]
    return []


def _all(source: Source, read: Callable[[str], _Read]) -> tuple[_Read | None, list[Finding]]:
    """Return what is read of a text, and each of its errors that surely is one, or the warnings of a text without."""
    masked = Masked(source.text)
    found: list[Finding] = []
    for _ in range(_MOST):
        try:
            value = read(masked.text)
        except ModelError as error:
            finding = _error(error, source)
            offset = _offset(source.text, finding.place)
            if not found or (offset is not None and not masked.covers(offset)):
                found.append(finding)
            if offset is None or not masked.take(offset):
                return None, found
        else:
            return value, found or [_warning(text, source) for text in value.warnings]
    return None, found


def _offset(text: str, place: Place) -> int | None:
    """Return where a place is in its text; lines and columns count from 1."""
    if place.line is None or place.column is None:
        return None
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: place.line - 1]) + place.column - 1


def _error(error: ModelError, source: Source) -> Finding:
    finding = error_finding(error, source.name)
    return replace(finding, place=replace(finding.place, source=source.name))


def _warning(text: str, source: Source) -> Finding:
    finding = warning_finding(text, source)
    return replace(finding, place=replace(finding.place, source=source.name))
