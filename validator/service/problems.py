"""What goes wrong, as problem details (RFC 9457): the same for every way in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from validator.errors import (
    InputError,
    ModelError,
    NotInstalledError,
    PlanError,
    PlannerError,
    UnsupportedError,
    ValidatorError,
)
from validator.questions.question import FieldError

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem: ``kind`` is the last part of its type, ``more`` are members of its own such as line and column."""

    kind: str
    status: int
    title: str
    detail: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    retry_after: int | None = None

    def value(self) -> dict[str, Any]:
        """Return the members of the problem document."""
        said = {"detail": self.detail} if self.detail else {}
        return {"type": f"urn:plan-validator:problem:{self.kind}", "title": self.title, "status": self.status} | {
            **said,
            **self.more,
        }


class ProblemError(Exception):
    """A problem on its way to the client."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.title)
        self.problem = problem

    def __reduce__(self) -> tuple[type[ProblemError], tuple[Problem]]:
        return ProblemError, (self.problem,)


_KINDS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str, int, str], ...] = (
    (ModelError, "model", 422, "The model cannot be read"),
    (PlanError, "plan", 422, "The plan cannot be read"),
    (InputError, "input", 422, "The input cannot be read"),
    (UnsupportedError, "unsupported", 422, "Not supported"),
    (NotInstalledError, "not-installed", 500, "A package is not installed"),
    (PlannerError, "planner", 500, "The planner failed"),
    ((ValidatorError, ValueError, TypeError, OverflowError), "request", 422, "The request is not understood"),
    (RecursionError, "request", 422, "The request is nested too deeply"),
    (Exception, "internal", 500, "The service failed"),
)
"""Error -> the kind, status and title of its problem; the first row that fits counts."""


def problem_of(error: Exception) -> Problem:
    """Return what a client is told of an error; what is not the client's fault says so by its status."""
    if isinstance(error, ProblemError):
        return error.problem
    kind, status, title = next(row[1:] for row in _KINDS if isinstance(error, row[0]))
    detail, more = str(error), dict[str, Any]()
    if isinstance(error, InputError):
        place = {"source": error.source.strip("<>"), "line": error.line, "column": error.column}
        place |= {"excerpt": error.excerpt}
        detail, more = error.message, {name: value for name, value in place.items() if value not in (None, "")}
    elif isinstance(error, FieldError):
        more = {"errors": [{"pointer": f"/{error.name}", "detail": detail}]}
    elif isinstance(error, RecursionError):
        detail = ""
    elif kind == "internal":
        detail = type(error).__name__
    return Problem(kind=kind, status=status, title=title, detail=detail, more=more)
