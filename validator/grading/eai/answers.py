"""Reading files of answers: a JSON list of ``{"identifier", "llm_output"}``, or one such object a line (JSONL)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from validator.errors import InputError, did_you_mean
from validator.records import dataclass
from validator.texts import json_lines, parse_json, read_text

__all__ = ["Answer", "answer_files", "check_identifiers", "known", "read_answers"]

_Task = TypeVar("_Task")

_SUFFIX = "_outputs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model answered for one task."""

    identifier: str
    text: str
    source: str = ""
    """the file and the place in it"""


def answer_files(place: Path) -> dict[str, Path]:
    """Return the files of answers by model: of a folder its ``MODEL_outputs.json`` and all ``.jsonl`` files.

    Raises InputError for a folder without any, OSError for a place that is not there.
    """
    if not place.is_dir():
        place.stat()
        return {_model(place): place}
    found = sorted([*place.glob(f"*{_SUFFIX}.json"), *place.glob("*.jsonl")])
    if not found:
        raise InputError(f"no answers here: a file MODEL{_SUFFIX}.json or .jsonl was expected", source=str(place))
    return {_model(path): path for path in found}


def _model(path: Path) -> str:
    return path.stem.removesuffix(_SUFFIX)


def read_answers(path: Path) -> tuple[Answer, ...]:
    """Read a file of answers. Raises InputError for a file without any, and with the place of what is no answer."""
    answers: dict[str, Answer] = {}
    for place, record in _records(read_text(path), str(path)):
        answer = _answer(record, f"{path}: {place}")
        if answer.identifier in answers:
            raise InputError(f"the identifier {answer.identifier!r} is there twice", source=f"{path}: {place}")
        answers[answer.identifier] = answer
    if not answers:
        raise InputError("there is no answer in it", source=str(path))
    return tuple(answers.values())


def _records(text: str, source: str) -> Iterator[tuple[str, object]]:
    if not text.lstrip().startswith("["):
        yield from ((f"line {number}", record) for number, record in json_lines(text, source))
        return
    yield from ((f"record {number}", record) for number, record in enumerate(parse_json(text, source), 1))


def _answer(record: object, place: str) -> Answer:
    if not isinstance(record, dict):
        raise InputError(f"an object with 'identifier' and 'llm_output' was expected, not {record!r:.40}", source=place)
    for key in ("identifier", "llm_output"):
        if key not in record:
            raise InputError(f"the key '{key}' is missing; it has {', '.join(map(repr, record))}", source=place)
    output = record["llm_output"]
    text = output if isinstance(output, str) else "" if output is None else json.dumps(output)
    return Answer(identifier=str(record["identifier"]), text=text, source=place)


def check_identifiers(answers: Iterable[Answer], identifiers: Iterable[str]) -> None:
    """Raise InputError for the first answer to what is none of these tasks, with its place."""
    tasks = dict.fromkeys(identifiers)
    for answer in answers:
        known(tasks, answer.identifier, answer.source)


def known(tasks: Mapping[str, _Task], identifier: str, source: str = "") -> _Task:
    """Return a task. Raises InputError with the nearest identifier when there is none; ``source`` is who asks."""
    if identifier not in tasks:
        raise InputError(f"'{identifier}' is no task of these data{did_you_mean(identifier, tasks)}", source=source)
    return tasks[identifier]
