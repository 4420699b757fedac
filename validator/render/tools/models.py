"""What is wrong with a model as it is written: errors and warnings of a domain and its problems, with their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.errors import ModelError
from validator.model.pddl.domain import read_domain
from validator.model.pddl.problem import read_problem
from validator.model.pddl.syntax import parse
from validator.model.values import Domain
from validator.records import replace
from validator.render.tools.findings import Finding, Source, error_finding, warning_finding
from validator.texts import no_path

__all__ = ["model_findings"]


def model_findings(domain: Source, problems: Sequence[Source] = ()) -> tuple[Finding, ...]:
    """Return what is wrong with a domain and with problems of it, each in its own text.

    A reader stops at its first error, so there is at most one in each text. Without a domain that can be read, a
    problem is read by its form alone.
    """
    read: Domain | None = None
    found: list[Finding] = []
    try:
        read = read_domain(no_path(domain.text))
    except ModelError as error:
        found.append(_error(error, domain))
    else:
        found += (_warning(text, domain) for text in read.warnings)
    for problem in problems:
        found += _of_problem(problem, read)
    return tuple(found)


def _of_problem(problem: Source, domain: Domain | None) -> Iterator[Finding]:
    try:
        if domain is None:
            parse(problem.text, problem.name)
        else:
            warnings = read_problem(no_path(problem.text), domain).warnings
            yield from (_warning(text, problem) for text in warnings)
    except ModelError as error:
        yield _error(error, problem)


def _error(error: ModelError, source: Source) -> Finding:
    finding = error_finding(error, source.name)
    return replace(finding, place=replace(finding.place, source=source.name))


def _warning(text: str, source: Source) -> Finding:
    finding = warning_finding(text, source)
    return replace(finding, place=replace(finding.place, source=source.name))
