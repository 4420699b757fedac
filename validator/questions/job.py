"""One answer to a question: its limits, whom to tell of progress, and what it may start."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from validator.errors import PlanError
from validator.questions.question import FieldError
from validator.reading.plan import NoPlan, Plan
from validator.records import dataclass

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.checking.report import Report


Value: TypeAlias = dict[str, Any]
PlanText: TypeAlias = str | tuple[Any, ...] | dict[str, Any]
"""a plan as a client gives it"""
PlanTexts: TypeAlias = str | tuple[PlanText, ...]
"""plans as a client gives them; one text is one plan"""
Lines: TypeAlias = str | tuple[str, ...]
"""lines or names as a client gives them: a list of texts, or one text"""
Progress: TypeAlias = Callable[[Mapping[str, Any]], None]


class Limited(Protocol):
    """What may say how many seconds it may take."""

    @property
    def time_limit(self) -> float | None: ...


class NeedsPlannerError(Exception):
    """What was asked for cannot be answered by execution alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What one answer may take at most: seconds of the clock, bytes of each process, steps of a plan.

    Of a tool's call also the characters of its arguments.
    """

    time_limit: float = 30.0
    memory_limit: int = 2 * 2**30
    most_steps: int = 100_000
    most_characters: int = 4_000_000

    def seconds(self, asked: float | None) -> float:
        """Return the time limit of a request. Raises FieldError for one that is not allowed."""
        if asked is None:
            return self.time_limit
        if not 0 < asked <= self.time_limit:
            raise FieldError("time_limit", f"time_limit must be above 0 and at most {self.time_limit:g}, not {asked:g}")
        return asked


_BOUNDS = Bounds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run of an operation: its limits, whom to tell of progress, whether a planner may be started.

    ``left`` says what is left of the limit where it began before the run. ``context`` is how many unchanged lines a
    diff has where the question does not say, ``with_course`` whether a plan over time is shown with its course.
    ``telling`` bounds what is told beside a report, ``known`` is called when there is one: what it says is not cut off
    any more.
    """

    bounds: Bounds = _BOUNDS
    progress: Progress | None = None
    with_planner: bool = True
    left: Callable[[], float] | None = None
    context: int | None = None
    with_course: bool = False
    telling: Callable[[Report], AbstractContextManager[None]] = lambda report: nullcontext()
    known: Callable[[], None] = lambda: None

    def seconds(self, request: Limited) -> float:
        """Return what is left of the time limit of a request. Raises FieldError for one that is not allowed."""
        if self.left is not None:
            return self.left()
        return self.bounds.seconds(request.time_limit)

    def planner(self) -> None:
        """Say that a planner will be started. Raises NeedsPlannerError where it may not be."""
        if not self.with_planner:
            raise NeedsPlannerError

    def tell(self, value: Mapping[str, Any]) -> None:
        """Tell what is known so far."""
        if self.progress is not None:
            self.progress(value)


def plan_text(plan: str | Sequence[Any] | Mapping[str, Any]) -> str:
    """Return a plan as a text; a list of steps is one step a line, whatever else it holds is JSON."""
    if isinstance(plan, str):
        return plan
    if isinstance(plan, Sequence) and all(isinstance(step, str) for step in plan):
        return "".join(f"{step}\n" for step in plan)
    return json.dumps(plan)


def plan_texts(plans: PlanTexts) -> list[str]:
    """Return plans as texts."""
    return [plans] if isinstance(plans, str) else list(map(plan_text, plans))


def lines_of(given: str | Sequence[Any], what: str = "lines", most: int = 1000) -> list[Any]:
    """Return a list as it is, and of a text its lines. Raises ValueError for too many."""
    found = [line.strip() for line in given.splitlines() if line.strip()] if isinstance(given, str) else list(given)
    if len(found) > most:
        raise ValueError(f"at most {most:,} {what} are answered at once, not {len(found):,}")
    return found


def names_of(given: Lines) -> list[str]:
    """Return names: commas or line ends part those of a text."""
    texts = (given,) if isinstance(given, str) else given
    return [name for text in texts for name in lines_of(str(text).replace(",", "\n"))]


def natural(text: str) -> int:
    """Return a number from 0. Raises ValueError."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(f"a number from 0 was expected, not {text!r}")
    return int(text)


def plan_of(
    plan: str | Sequence[Any] | Mapping[str, Any],
    model: Prepared,
    dialect: Any,
    bounds: Bounds,
    *,
    strict: bool = False,
) -> Plan:
    from validator.reading.tokens import tokenize

    found = tokenize(plan_text(plan), model.vocabulary, dialect, strict=strict)
    bounded(len(found.tokens), bounds)
    return found


def is_claim(plan: Plan) -> bool:
    """Return whether a text says that there is no plan; whether that is right takes a planner to say."""
    return plan.reading is not None and plan.reading.no_plan is NoPlan.CLAIM


def bounded(steps: int, bounds: Bounds) -> None:
    if steps > bounds.most_steps:
        raise PlanError(f"the plan has {steps:,} steps; the limit is {bounds.most_steps:,}")
