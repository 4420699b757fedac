"""What other tools are told of a check: each fault with its place in a file, in lines and columns.

SARIF, JUnit XML and GitHub's annotations are three spellings of the same findings.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from validator.errors import InputError, ModelError
from validator.execution.faults import Places, sentences
from validator.execution.trace import Failure, Kind
from validator.reading.plan import Span
from validator.records import dataclass, replace
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.checking.report import Report

_Read = TypeVar("_Read")


class Level(StrEnum):
    """How much a finding weighs; the words are SARIF's and GitHub's."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    """what is no fault of the plan; GitHub's word is "notice\""""


RULES = {
    Kind.SYNTAX.value: "A piece of the plan text cannot be read as a step.",
    Kind.UNKNOWN_ACTION.value: "The model has no action of this name.",
    Kind.WRONG_ARITY.value: "The action takes another number of arguments.",
    Kind.UNKNOWN_OBJECT.value: "The model has no object of this name.",
    Kind.WRONG_TYPE.value: "An argument has another type than the parameter.",
    Kind.WRONG_ARGUMENT.value: "An item stands where the operator takes another one.",
    Kind.WRONG_OUTPUT.value: "The operator has no such outputs, or has them in another order.",
    Kind.CONSTRAINT.value: "A constraint is violated, or cannot be asserted here.",
    Kind.PRECONDITION.value: "A precondition of the step is false in the state before it.",
    Kind.UNDEFINED_VALUE.value: "The cost of the step reads a value that is not defined.",
    Kind.CONFLICT.value: "Effects of one step give one value two values at once.",
    Kind.AT_START.value: "A condition at the start of the step is false.",
    Kind.OVER_ALL.value: "A condition over all of the step is false while it is executed.",
    Kind.AT_END.value: "A condition at the end of the step is false.",
    Kind.DURATION.value: "The step lasts another time than the action says.",
    Kind.MUTEX.value: "Two steps of one happening interfere with each other.",
    Kind.GOAL.value: "A condition of the goal is false at the end.",
    "not_optimal": "A cheaper plan exists.",
    "not_understood": "A piece of the text was not understood, so the plan was not judged.",
    "no_plan": "The text has no plan, or says that there is none.",
    "unknown": "Whether the plan has the quality is not known.",
    "unreadable": "A file cannot be read as what it should be.",
    "no_answer": "The planner failed.",
    "warning": "Something in the model or the plan looks wrong and changes no verdict.",
}
"""What each kind of finding means, in one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A region of a file; lines and columns count characters from 1, and ``end_column`` is the one behind the last.

    All four are None where the whole file is meant.
    """

    source: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to be told; ``rule`` is a key of ``RULES``, ``related`` are other places with what is there."""

    rule: str
    level: Level
    message: str
    place: Place
    related: tuple[tuple[str, Place], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Source:
    """A text with the name of its file."""

    name: str
    text: str

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def place(self, span: Span) -> Place:
        """Return the lines and columns of a span."""
        (line, column), (end_line, end_column) = map(self._position, span)
        return Place(source=self.name, line=line, column=column, end_line=end_line, end_column=end_column)

    @property
    def whole(self) -> Place:
        """Return the place of the whole text."""
        return self.place((0, len(self.text)))

    @property
    def said(self) -> Place:
        """Return the place of the whole text without the blanks around it."""
        end = len(self.text.rstrip())
        return self.place((end - len(self.text[:end].lstrip()), end))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def findings(report: Report, plan: Source) -> tuple[Finding, ...]:
    """Return what a report has to say of a plan file: its faults in their order, what was not understood, its warnings.

    A goal that is not reached stands at the last step. A plan that has the quality has no findings but warnings.
    """
    warnings = (_warning(text, plan) for text in report.warnings)
    return (*_faults(report, plan), *_not_understood(report, plan), *warnings)


def error_finding(error: Exception, default: str, *, rule: str = "unreadable") -> Finding:
    """Return an error as a finding; an error that names no file speaks of the file ``default``."""
    place = Place(source=default)
    message = str(error)
    if isinstance(error, InputError):
        place = Place(source=error.source or default, line=error.line, column=error.column)
        message = error.message
    if isinstance(error, OSError) and error.filename:
        place, message = Place(source=str(error.filename)), str(error.strerror)
    return Finding(rule=rule, level=Level.ERROR, message=message, place=place)


def repaired_text(report: Report) -> str | None:
    """Return the repaired plan as the text of a file; None where there is nothing to change or to offer."""
    if report.determination is not False or report.repaired_plan is None:
        return None
    return "".join(f"{step}\n" for step in report.repaired_plan)


def _faults(report: Report, plan: Source) -> Iterator[Finding]:
    quality = report.report_type.value
    tokens = Places(report.reference)
    if report.no_plan is not None:
        yield from _no_plan(report, plan)
        return
    if report.determination is None and report.is_understood:
        message = f"whether the plan is {quality} is not known: {report.reason}"
        yield Finding(rule="unknown", level=Level.WARNING, message=message, place=plan.place(tokens.last))
    if report.determination is False and not report.failures:
        yield Finding(rule="not_optimal", level=Level.ERROR, message=report.reason, place=plan.place(tokens.last))
    told = sentences(report.failures, report.reference)
    for failure, message in zip(report.failures, told, strict=True):
        yield Finding(
            rule=failure.kind.value,
            level=Level.ERROR,
            message=message,
            place=plan.place(tokens.span(failure)),
            related=tuple(_related(failure, tokens, plan)),
        )


def _not_understood(report: Report, plan: Source) -> Iterator[Finding]:
    """Yield each piece that was not understood, and the whole text where there is none or it may mean several plans."""
    reading = report.reading
    if reading is None or reading.is_literal:
        return
    for missed in reading.missed:
        message = f"line {missed.line} was not understood: {missed.said}"
        yield Finding(rule="not_understood", level=Level.NOTE, message=message, place=plan.place(missed.span))
    if not report.is_understood and (not reading.missed or len(reading.candidates) > 1):
        yield Finding(rule="not_understood", level=Level.NOTE, message=report.reason, place=plan.said)


def _no_plan(report: Report, plan: Source) -> Iterator[Finding]:
    """Yield what is to be said of a text without a plan: nothing where it says so and is right."""
    if report.determination is True:
        return
    claim = report.reading.plan.claims_no_plan if report.reading is not None else None
    place = plan.said if claim is None else plan.place(claim)
    level = Level.ERROR if report.determination is False else Level.NOTE
    yield Finding(rule="no_plan", level=level, message=report.reason, place=place)


def _related(failure: Failure, tokens: Places, plan: Source) -> Iterator[tuple[str, Place]]:
    """Yield the steps that are to blame for what is false."""
    for cause in failure.causes:
        if cause.step is not None:
            yield f"{cause.origin.value}: {cause.literal}", plan.place(tokens.step(cause.step))


_PLACED = re.compile(r"(?P<source>[^\n]+?):(?P<line>\d+):(?P<column>\d+): (?P<message>.+)", re.DOTALL)


def _warning(text: str, plan: Source) -> Finding:
    """Return a warning at the place that its text begins with, or at the plan."""
    match = _PLACED.fullmatch(text)
    if match is None:
        return Finding(rule="warning", level=Level.WARNING, message=text, place=Place(source=plan.name))
    place = Place(source=match["source"], line=int(match["line"]), column=int(match["column"]))
    return Finding(rule="warning", level=Level.WARNING, message=match["message"], place=place)


# --- models ----------------------------------------------------------------------------------------


def model_findings(domain: Source, problems: Sequence[Source] = ()) -> tuple[Finding, ...]:
    """Return the first error of a domain and of each problem of it, or the warnings of a text without one.

    Without the declarations of a domain, a problem is read by its form alone.
    """
    from validator.model.pddl.domain import read_domain
    from validator.model.pddl.problem import read_problem
    from validator.model.pddl.syntax import parse

    read, found = _read(domain, read_domain)

    def read_more(text: str) -> object:
        return parse(text, "problem") if read is None else read_problem(text, read)

    return (*found, *(each for problem in problems for each in _read(problem, read_more)[1]))


def _read(source: Source, read: Callable[[str], _Read]) -> tuple[_Read | None, list[Finding]]:
    try:
        value = read(no_path(source.text))
    except ModelError as error:
        value, found = None, [error_finding(error, source.name)]
    else:
        found = [_warning(text, source) for text in getattr(value, "warnings", ())]
    return value, [replace(each, place=replace(each.place, source=source.name)) for each in found]
