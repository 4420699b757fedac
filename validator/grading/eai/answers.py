"""Reading files of answers: a JSON list of ``{"identifier", "llm_output"}``, or one such object a line (JSONL).

BEHAVIOR's recorded goals are one object with the answers by identifier, which is read too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from validator.errors import InputError, did_you_mean
from validator.records import dataclass, replace
from validator.texts import parse_json, read_text

_Task = TypeVar("_Task")

_SUFFIX = "_outputs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model answered for one task."""

    identifier: str
    text: str
    source: str = ""
    """the file and the place in it"""
    model: str = ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What a file of answers holds: one for each task at most, and what was left out of it, with the place."""

    answers: tuple[Answer, ...] = ()
    problems: tuple[str, ...] = ()


def read_answers(path: Path) -> tuple[Answer, ...]:
    """Read a file of answers. Raises InputError for a file without any, and with the place of what is no answer."""
    found = collect_answers(path)
    if found.problems:
        raise InputError(found.problems[0])
    return found.answers


def collect_answers(
    path: Path, tasks: Iterable[str] | None = None, named: Callable[[str], str] = lambda name: name
) -> Collected:
    """Read what can be read of a file of answers; the rest is told.

    Of several answers to a task the first counts. ``tasks`` are the identifiers that there are; None: all; ``named``
    says for which of them an answer's identifier stands. Raises InputError for a text that is none.
    """
    known_tasks = None if tasks is None else dict.fromkeys(tasks)
    answers: dict[str, Answer] = {}
    problems: list[str] = []
    for place, record in _records(read_text(path), str(path)):
        try:
            if isinstance(record, InputError):
                raise record
            answer = _answer(record, f"{path}: {place}")
            answer = replace(answer, identifier=named(answer.identifier), model=_model(path))
            if answer.identifier in answers:
                raise InputError(f"the identifier {answer.identifier!r} is there twice", source=f"{path}: {place}")
            if known_tasks is not None:
                known(known_tasks, answer.identifier, answer.source)
            answers[answer.identifier] = answer
        except InputError as error:
            problems.append(str(error))
    if not answers and not problems:
        problems.append(str(InputError("there is no answer in it", source=str(path))))
    return Collected(answers=tuple(answers.values()), problems=tuple(problems))


def _records(text: str, source: str) -> Iterator[tuple[str, object]]:
    """Yield the place and the value of each record; an error stands for what cannot be read."""
    if text.lstrip().startswith("["):
        yield from _listed(text, source)
        return
    if (by_task := _by_task(text)) is not None:
        for name, answer in by_task.items():
            yield f"answer to {name!r}", {"identifier": name, "llm_output": answer}
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", parse_json(line, f"{source}: line {number}")
            except InputError as error:
                yield f"line {number}", error


def _by_task(text: str) -> dict[str, object] | None:
    """Return the answers by identifier of a text that is one object of them."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and "identifier" not in found and "llm_output" not in found else None


def _listed(text: str, source: str) -> Iterator[tuple[str, object]]:
    """Yield the records of a list, also of one that was cut off."""
    try:
        yield from ((f"record {number}", record) for number, record in enumerate(parse_json(text, source), 1))
    except InputError as error:
        whole: InputError = error
    else:
        return
    decoder, place, number = json.JSONDecoder(), text.index("[") + 1, 1
    while (start := _skipped(text, place)) < len(text) and text[start] != "]":
        try:
            record, place = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        yield f"record {number}", record
        number += 1
    yield f"record {number}", whole


def _skipped(text: str, place: int) -> int:
    """Return where the next record of a list begins."""
    while place < len(text) and (text[place].isspace() or text[place] == ","):
        place += 1
    return place


def _answer(record: object, place: str) -> Answer:
    if not isinstance(record, dict):
        raise InputError(f"an object with 'identifier' and 'llm_output' was expected, not {record!r:.40}", source=place)
    for key in ("identifier", "llm_output"):
        if key not in record:
            raise InputError(f"the key '{key}' is missing; it has {', '.join(map(repr, record))}", source=place)
    output = record["llm_output"]
    text = output if isinstance(output, str) else "" if output is None else json.dumps(output)
    return Answer(identifier=str(record["identifier"]), text=text, source=place)


def known(tasks: Mapping[str, _Task], identifier: str, source: str = "") -> _Task:
    """Return a task. Raises InputError with the nearest identifier when there is none; ``source`` is who asks."""
    if identifier not in tasks:
        raise InputError(f"'{identifier}' is no task of these data{did_you_mean(identifier, tasks)}", source=source)
    return tasks[identifier]
