"""The records of a batch: one JSON object a line, read as a stream; a line that is no record is a result as well."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from sys import intern
from typing import IO, Any, TypeAlias

from validator.checking.report import Quality
from validator.errors import ValidatorError, did_you_mean, nearest
from validator.execution.trace import Kind
from validator.reading.plan import Dialect
from validator.records import dataclass, field
from validator.repair import Policy
from validator.texts import is_path, refuse_missing

LONGEST_LINE = 64 * 2**20
LONGEST_ID = 1000
VERDICTS = frozenset((*Quality, *Kind, "not_optimal", "not_understood", "no_plan", "unknown"))
_EXCERPT = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One plan to be checked.

    ``line`` counts from 1. ``domain`` and ``problem`` are PDDL texts or paths, ``plan`` is a text, unless there is a
    file ``plan_path``. ``key`` is the same for records of the same model. ``options`` are the record's own settings
    by the names of ``Settings``; ``tags`` are all keys that are not told here. ``size`` is in bytes.
    """

    line: int
    id: str | int
    domain: str
    problem: str
    key: str
    plan: str
    plan_path: str = ""
    expected: bool | str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    tags: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """An answer to be graded by a suite."""

    line: int
    id: str
    key: str
    answer: Any
    size: int = 0
    tags: Mapping[str, Any] = field(default_factory=dict)


Item: TypeAlias = Record | Submission
"""What the run hands to workers; those of one ``key`` go to one worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRecord:
    """A line that is no record, and why; ``id`` is the record's where it could be read, else ``line:N``."""

    line: int
    id: str | int
    message: str
    tags: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0


def read_records(file: IO[bytes], folder: Path) -> Iterator[Record | BadRecord]:
    """Yield the records of an open file, one line at a time; blank lines are none.

    Paths are taken as relative to ``folder``.
    """
    for number, (line, size) in enumerate(_lines(file), 1):
        if line is None:
            message = f"the line has {size:,} bytes; {LONGEST_LINE:,} is the most"
            yield BadRecord(line=number, id=f"line:{number}", message=message, size=size)
        elif line.strip():
            yield record_in(line, number, folder, size)


def record_in(line: bytes, number: int, folder: Path | None, size: int = 0) -> Record | BadRecord:
    """Return the record that a line of JSON is, or what is wrong with it; as ``record_of`` for its object."""
    try:
        return record_of(_object(line), number, folder, size)
    except _RecordError as error:
        return BadRecord(line=number, id=f"line:{number}", message=str(error), size=size)


def is_text(source: str) -> bool:
    """Return whether the model of a record is its text: that has a line end, and the path of one has none."""
    return "\n" in source


def _lines(file: IO[bytes]) -> Iterator[tuple[bytes | None, int]]:
    """Yield each line with its size; None for one that is too long, which is passed over in parts."""
    while line := file.readline(LONGEST_LINE + 1):
        if len(line) <= LONGEST_LINE:
            yield line, len(line)
            continue
        size = len(line)
        while not line.endswith(b"\n") and (line := file.readline(LONGEST_LINE)):
            size += len(line)
        yield None, size


def record_of(value: Mapping[str, Any], number: int, folder: Path | None, size: int = 0) -> Record | BadRecord:
    """Return a JSON object, with the number and size of its line, as a record, or what is wrong with it.

    Without a folder no text is looked for as a file.
    """
    name: str | int = f"line:{number}"
    value = dict(value)
    try:
        name = _id(value.pop("id", name))
        expected = _checked(value, "expected", _expected)
        options = {key: _checked(value, key, check) for key, check in _OPTIONS.items() if value.get(key) is not None}
        if "nearest" in options:
            options["policy"] = options.pop("nearest")
        if folder is not None and "templates" in options and is_path(str(folder / options["templates"])):
            options["templates"] = str(folder / options["templates"])
        plan, path = _plan(value, folder)
        domain, problem = (_source(value, key, folder) for key in ("domain", "problem"))
        tags = _tags(value)
    except _RecordError as error:
        kept = {key: item for key, item in value.items() if key not in _KEYS}
        return BadRecord(line=number, id=name, message=str(error), tags=kept, size=size)
    templates = options.get("templates", "")
    return Record(
        line=number,
        id=name,
        domain=domain,
        problem=problem,
        key=digest(f"{len(domain)} {len(templates)} {domain}{templates}{problem}"),
        plan=plan,
        plan_path=path,
        expected=expected,
        options=options,
        tags=tags,
        size=size,
    )


class _RecordError(ValidatorError):
    """What is wrong with a record."""


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _RecordError(f"not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}") from None
    except json.JSONDecodeError as error:
        near = error.doc[max(0, error.pos - _EXCERPT // 2) : error.pos + _EXCERPT // 2]
        said = f"{error.msg} at column {error.pos + 1}, near {near!r}; a record is one JSON object on one line"
        raise _RecordError(f"not JSON: {said}") from None
    except ValueError as error:  # a number with too many digits
        raise _RecordError(f"not JSON: {error}") from None
    except RecursionError:
        raise _RecordError("the JSON is nested too deeply") from None
    if not isinstance(value, dict):
        raise _RecordError(f"a JSON object was expected, not {_kind(value)}")
    return value


def _id(value: object) -> str | int:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _RecordError(f"'id' is {_kind(value)}; a string or an integer was expected")
    if len(str(value)) > LONGEST_ID:
        raise _RecordError(f"'id' has {len(str(value)):,} characters; {LONGEST_ID:,} is the most")
    return value


def _plan(value: dict[str, Any], folder: Path | None) -> tuple[str, str]:
    """Return the text of the plan, or of the answer, and the path that it may be."""
    given = [key for key in ("plan", "answer") if value.get(key) is not None]
    if not given:
        raise _RecordError(f"'plan' or 'answer' is missing{_instead('plan', value)}")
    if len(given) > 1:
        raise _RecordError("'plan' and 'answer' are both given")
    text = value[given[0]]
    for key in ("plan", "answer"):
        value.pop(key, None)
    if given == ["plan"] and isinstance(text, list) and all(isinstance(step, str) for step in text):
        return "\n".join(text), ""
    if not isinstance(text, str):
        also = " or a list of strings" if given == ["plan"] else ""
        raise _RecordError(f"'{given[0]}' is {_kind(text)}; a string{also} was expected")
    may_be_path = given == ["plan"] and text.strip() and len(text) <= LONGEST_ID and "\n" not in text
    if not may_be_path or folder is None:
        return text, ""
    if not is_path(str(folder / text)):
        try:
            refuse_missing(text)
        except FileNotFoundError as error:
            raise _RecordError(f"'plan' names a file that is not there: {text}") from error
    return text, str(folder / text)


def _instead(key: str, value: dict[str, Any]) -> str:
    """Name the key of a record that may be a missing one misspelt."""
    near = nearest(key, value)
    return f"; is '{near}' meant?" if near else ""


def _source(value: dict[str, Any], key: str, folder: Path | None) -> str:
    source = value.pop(key, None)
    if source is None:
        raise _RecordError(f"'{key}' is missing{_instead(key, value)}")
    if not isinstance(source, str) or not source.strip():
        raise _RecordError(f"'{key}' is {_kind(source)}; a PDDL text or a path was expected")
    # One object for all records of a model: held once, and sent once to a worker.
    return intern(_placed(source, folder))


def _placed(source: str, folder: Path | None) -> str:
    """Return a model's text with a line end, by which it is known for one, or its path, which has none."""
    if "\n" in source:
        return source
    path = source if folder is None else _path(folder, source)
    return f"{source}\n" if "(" in source and (folder is None or not is_path(path)) else path


@lru_cache(maxsize=1024)
def _path(folder: Path, source: str) -> str:
    """Return a path of a folder; most records name the same ones."""
    return str(folder / source)


def _tags(value: dict[str, Any]) -> dict[str, Any]:
    tags = value.pop("tags", None)
    if tags is None:
        return value
    if not isinstance(tags, dict):
        raise _RecordError(f"'tags' is {_kind(tags)}; an object was expected")
    return value | tags


def digest(text: str) -> str:
    """Return what stands for a text in ids and keys."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _checked(value: dict[str, Any], key: str, check: Callable[[Any], object]) -> Any:
    found = value.pop(key, None)
    if found is None:
        return None
    try:
        return check(found)
    except (ValueError, TypeError) as error:
        raise _RecordError(f"'{key}' is {json.dumps(found)[:_EXCERPT]}: {error}") from None


def _expected(value: object) -> bool | str:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str) or value not in VERDICTS:
        near = did_you_mean(value, VERDICTS) if isinstance(value, str) else ""
        raise ValueError(f"true, false or a verdict was expected{near}")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false was expected")
    return value


def _templates(value: object) -> str:
    if isinstance(value, dict):
        return json.dumps(value)  # which YAML is too
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a YAML text, its value or a path was expected")
    return value


def _positive(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise ValueError("a positive number was expected")
    return value


_OPTIONS: Mapping[str, Callable[[Any], object]] = {
    "quality": Quality,
    "nearest": Policy,
    "policy": Policy,
    "dialect": Dialect,
    "repair": _flag,
    "strict": _flag,
    "templates": _templates,
    "time_limit": _positive,
    "memory_limit": lambda value: int(_positive(value)),
}

_KEYS = frozenset((*_OPTIONS, "id", "domain", "problem", "plan", "answer", "expected", "tags"))


def _kind(value: object) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    names = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return "an empty string" if value == "" else names[type(value)]
