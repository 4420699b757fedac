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


def problem_of(error: Exception) -> Problem:
    """Return what a client is told of an error; what is not the client's fault says so by its status."""
    if isinstance(error, ProblemError):
        return error.problem
    if isinstance(error, InputError):
        kind, title = _input(error)
        place = {"source": error.source.strip("<>"), "line": error.line, "column": error.column}
        if error.excerpt:
            place["excerpt"] = error.excerpt
        more = {name: value for name, value in place.items() if value not in (None, "")}
        return Problem(kind=kind, status=422, title=title, detail=error.message, more=more)
    if isinstance(error, UnsupportedError):
        return Problem(kind="unsupported", status=422, title="Not supported", detail=str(error))
    if isinstance(error, NotInstalledError):
        return Problem(kind="not-installed", status=500, title="A package is not installed", detail=str(error))
    if isinstance(error, PlannerError):
        return Problem(kind="planner", status=500, title="The planner failed", detail=str(error))
    if isinstance(error, ValidatorError | ValueError | TypeError | OverflowError):
        return Problem(kind="request", status=422, title="The request cannot be understood", detail=str(error))
    if isinstance(error, RecursionError):
        return Problem(kind="request", status=422, title="The request is nested too deeply")
    return Problem(kind="internal", status=500, title="The service failed", detail=type(error).__name__)


def _input(error: InputError) -> tuple[str, str]:
    match error:
        case ModelError():
            return "model", "The model cannot be read"
        case PlanError():
            return "plan", "The plan cannot be read"
        case _:
            return "input", "The input cannot be read"
