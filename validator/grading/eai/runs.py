"""Many answers: by model in, grades by model out, made in this process or in several, and kept for the next run.

The run is that of a batch (``batch.runner``) over parts: some answers, all to one task together, since what was
executed for one serves the others. A part's result is a line of JSON with its grades, without the states in between.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast, get_args, get_origin

from validator.errors import InputError, ValidatorError
from validator.grading.batch.results import Results
from validator.grading.batch.runner import run
from validator.grading.batch.worker import Work
from validator.grading.eai.answers import Answer
from validator.records import dataclass, field
from validator.workers.pool import local_pool

_T = TypeVar("_T")
Grading: TypeAlias = Callable[[Any, Sequence[Answer]], Iterable[_T | str]]
"""Grades answers by some settings, in their order; a text says why one cannot be graded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """Answers with the keys of their grades, as the run of a batch takes records."""

    line: int
    id: str
    key: str
    answers: tuple[tuple[str, Answer], ...]
    size: int = 0
    tags: Mapping[str, Any] = field(default_factory=dict)


def grade_all(
    kind: type[_T],
    grading: Grading[_T],
    settings: object,
    answers: Mapping[str, Sequence[Answer]],
    *,
    part: int = 60,
    workers: int = 1,
    place: Path | None = None,
    resume: bool = False,
    report: Callable[[str], None] = lambda problem: None,
) -> dict[str, list[_T]]:
    """Return the grades, of a ``kind`` of dataclass, by model in the order of the answers, without those that failed.

    ``grading`` is a function of a module, since processes look it up by its name. Grades are written to ``place``; with
    ``resume`` those that are there are taken over. ``report`` gets what cannot be graded. Raises ValidatorError when
    nothing can be, InputError for a file of another form, or of grades that were made with other settings.
    """
    keys = {model: [_key(model, each) for each in some] for model, some in answers.items()}
    found: dict[str, dict[str, Any]] = {}
    problems: dict[str, None] = {}

    def take(lines: Iterable[str]) -> None:
        for line in lines:
            value = json.loads(line)
            grades = value.get("grades") or {"": value["error"]["message"]}
            found.update({key: each for key, each in grades.items() if isinstance(each, dict)})
            problems.update(dict.fromkeys(each for each in grades.values() if isinstance(each, str)))

    with ExitStack() as stack:
        results = None
        if place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            if not resume:
                place.unlink(missing_ok=True)
            results = stack.enter_context(Results(place))
            if not results.count:
                results.write([json.dumps({"id": "settings", "line": 0, "settings": str(settings)})])
            first, *lines = place.read_text(encoding="ascii").splitlines()
            if json.loads(first).get("settings") != str(settings):
                message = f"its grades were made with other settings than {settings}: begin anew without --resume"
                raise InputError(message, source=str(place))
            take(lines)
            problems.clear()

        def deliver(done: Sequence[_Part], lines: Sequence[str]) -> None:
            if results is not None:
                results.write(lines)
            take(lines)

        every = ((key, each) for model, some in answers.items() for key, each in zip(keys[model], some, strict=True))
        parts = _parts([(key, each) for key, each in every if key not in found], part)
        number = min(workers, len(parts))
        if number > 1:
            run(parts, stack.enter_context(local_pool(number)), (grading, settings), deliver, _graded)
        else:
            for each in parts:
                deliver((each,), _graded((each,), (grading, settings)).lines)
    if keys and not found:
        raise ValidatorError(next(iter(problems), "there is no answer"))
    for problem in problems:
        report(problem)
    read = _reader(cast("Any", kind))
    return {model: [read(found[key]) for key in some if key in found] for model, some in keys.items()}


def _key(model: str, answer: Answer) -> str:
    """Return what a grade is kept under: the model, the task, a digest of the answer."""
    text = answer.text.encode("utf-8", "surrogatepass")
    return f"{model}/{answer.identifier}/{blake2b(text, digest_size=12).hexdigest()}"


def _parts(asked: Sequence[tuple[str, Answer]], size: int) -> list[_Part]:
    """Divide answers, all to a task together, into parts that are worth a process."""
    parts: list[list[tuple[str, Answer]]] = []
    for key, answer in sorted(asked, key=lambda each: (each[1].identifier, each[0])):
        if not parts or (len(parts[-1]) >= size and answer.identifier != parts[-1][-1][1].identifier):
            parts.append([])
        parts[-1].append((key, answer))
    return [
        _Part(line=number, id=some[0][0], key=some[0][1].identifier, answers=tuple(some))
        for number, some in enumerate(parts, 1)
    ]


def _graded(parts: Sequence[_Part], settings: tuple[Grading[object], object]) -> Work:
    """Grade the answers of one part; the others are left for the next turn."""
    grading, own = settings
    part = parts[0]
    grades = grading(own, [answer for _, answer in part.answers])
    told = {key: _plain(grade) for (key, _), grade in zip(part.answers, grades, strict=True)}
    line = json.dumps({"id": part.id, "line": part.line, "grades": told}, separators=(", ", ": "))
    return Work(lines=(line,), seconds=1.0)


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
    if args:
        return _reader(args[0]) if len(args) == 1 else lambda value: value
    return (
        cast("Callable[[Any], Any]", kind) if isinstance(kind, type) and issubclass(kind, str) else lambda value: value
    )


@cache
def _field_reader(kind: Any, name: str) -> Callable[[Any], Any]:
    """Return the reader of one field: others may have types that are imported for a type checker only."""
    return _reader(eval(kind.__dataclass_fields__[name].type, vars(sys.modules[kind.__module__])))
