"""Many answers graded by the run of a batch, in this process or in several, and kept for the next run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast, get_args, get_origin

from validator.errors import InputError, ValidatorError
from validator.grading.batch.batch import results_of
from validator.grading.batch.records import Submission
from validator.grading.batch.results import Results
from validator.grading.batch.worker import Work, work_of
from validator.grading.eai.answers import Answer

_T = TypeVar("_T")
Grading: TypeAlias = Callable[[Any, Sequence[Answer]], Iterable[_T | str]]
"""Grades answers by some settings, in their order; a text says why one cannot be graded."""


def grade_all(
    kind: type[_T],
    grading: Grading[_T],
    settings: object,
    answers: Sequence[Answer],
    *,
    workers: int = 1,
    place: Path | None = None,
    resume: bool = False,
    report: Callable[[str], None] = lambda problem: None,
) -> dict[str, list[_T]]:
    """Return the grades, of a ``kind`` of dataclass, by model in the order of the answers, without those that failed.

    ``grading`` is a function of a module, since processes look it up by its name. Grades are written to ``place``; with
    ``resume`` those that are there are taken over, and what could not be graded is tried again. ``report`` gets what
    cannot be graded. Raises ValidatorError when nothing can be, InputError for a file of another form, or of grades
    that were made with other settings.
    """
    order = sorted(answers, key=lambda answer: (answer.identifier, answer.model))
    asked = [Submission(line=n, id=each.key, key=each.identifier, answer=each) for n, each in enumerate(order, 1)]
    with ExitStack() as stack:
        results = None if place is None else stack.enter_context(_opened(place, resume, str(settings)))
        number = 0 if min(workers, len(asked)) == 1 else workers
        found = results_of(
            asked,
            _kept,
            results=results,
            settings=(grading, settings),
            workers=number,
            task=_graded,
            is_final=lambda grade: isinstance(grade, dict),
        )
    graded = {each.key: found[each.key] for each in answers}
    problems = dict.fromkeys(each for each in graded.values() if isinstance(each, str))
    if answers and len(problems) and not any(isinstance(each, dict) for each in graded.values()):
        raise ValidatorError(next(iter(problems)))
    for problem in problems:
        report(problem)
    read, by_model = _reader(cast("Any", kind)), {answer.model: list[_T]() for answer in answers}
    for answer in answers:
        if isinstance(graded[answer.key], dict):
            by_model[answer.model].append(read(graded[answer.key]))
    return by_model


def _opened(place: Path, resume: bool, settings: str) -> Results:
    """Open a file of grades, whose first line says with which settings they were made."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if not resume:
        place.unlink(missing_ok=True)
    results = Results(place)
    if not results.count:
        results.write([json.dumps({"id": "settings", "line": 0, "settings": settings})])
    if json.loads(next(results.lines())).get("settings") != settings:
        message = f"its grades were made with other settings than {settings}: begin anew without --resume"
        raise InputError(message, source=str(place))
    return results


def _kept(line: str) -> tuple[str, Any]:
    """Return the id of a line with its grade, or with why there is none."""
    value = json.loads(line)
    return value["id"], value.get("grade") or value.get("error", {}).get("message")


def _graded(asked: Sequence[Submission], settings: tuple[Grading[object], object]) -> Work:
    """Grade answers, as many as may be without a pause."""
    grading, own = settings
    return work_of(_lines(asked, grading(own, [each.answer for each in asked])))


def _lines(asked: Sequence[Submission], grades: Iterable[object]) -> Iterator[str]:
    for each, grade in zip(asked, grades, strict=False):
        found = {"error": {"message": grade}} if isinstance(grade, str) else {"grade": _plain(grade)}
        yield json.dumps({"id": each.id, "line": each.line, **found})


# --- grades as JSON -------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Return a value of dataclasses as plain values; what is None, and states, are left out."""
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        inner = {name: getattr(value, name) for name in fields if name != "states"}
        return {name: _plain(each) for name, each in inner.items() if each is not None}
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return list(map(_plain, value)) if isinstance(value, tuple | list) else value


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return what makes values of a type of plain ones."""
    origin, args = get_origin(kind), [each for each in get_args(kind) if each is not type(None)]
    if hasattr(kind, "__dataclass_fields__"):
        return lambda value: kind(**{name: _field_reader(kind, name)(each) for name, each in value.items()})
    if origin is tuple and args[-1] is not Ellipsis:
        return lambda value: tuple(_reader(each)(one) for each, one in zip(args, value, strict=True))
    if origin is tuple:
        return lambda value: tuple(map(_reader(args[0]), value))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return lambda value: {key: _reader(args[1])(each) for key, each in value.items()}
    if len(args) == 1:
        return _reader(args[0])
    return kind if isinstance(kind, type) and issubclass(kind, str) else lambda value: value


@cache
def _field_reader(kind: Any, name: str) -> Callable[[Any], Any]:
    """Return the reader of one field: others may have types that are imported for a type checker only."""
    return _reader(eval(kind.__dataclass_fields__[name].type, vars(sys.modules[kind.__module__])))
