"""Answers: files of them, a JSON list of ``{"identifier", "llm_output"}`` or such an object a line, and their texts.

BEHAVIOR's recorded goals are one object with the answers by identifier, which is read too. A text is read by this
package's own reader, or as the benchmark reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from validator.errors import InputError, PlanError, did_you_mean
from validator.grading.batch.records import digest
from validator.reading.plan import Dialect, Unparsed
from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.tokens.asides import without_asides
from validator.reading.traces.paths import units
from validator.reading.values import json_values
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

    @property
    def key(self) -> str:
        """Return what a grade is kept under: the model, the task, a digest of the answer."""
        return f"{self.model}/{self.identifier}/{digest(self.text)}"


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
    answers, problems = collect_answers(path)
    if problems:
        raise InputError(problems[0])
    return answers


def collect_answers(
    path: Path, tasks: Iterable[str] | None = None, named: Callable[[str], str] = lambda name: name
) -> tuple[tuple[Answer, ...], list[str]]:
    """Return what can be read of a file of answers, and what was left out of it, with the place.

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
    return tuple(answers.values()), problems


def _records(text: str, source: str) -> Iterator[tuple[str, object]]:
    """Yield the place and the value of each record; an error stands for what cannot be read."""
    if text.lstrip().startswith("["):
        yield from ((f"record {number}", record) for number, record in enumerate(parse_json(text, source), 1))
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
        raise InputError(f"'{identifier}' is not a task in this data{did_you_mean(identifier, tasks)}", source=source)
    return tasks[identifier]


MOST_STEPS = 20_000
"""How many steps an answer may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An action as it was answered, its name in capitals; arguments are names, ``couch`` or ``couch_352``."""

    name: str
    args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The calls of an answer; ``fault`` says why it cannot be read. ``counted`` is how often the fault counts."""

    calls: tuple[Call, ...] = ()
    fault: str | None = None
    counted: int = 1


def read_calls(text: str, vocabulary: Vocabulary | None = None, dialect: Dialect | None = None) -> Reading:
    """Read an answer in any plan dialect; a piece that stands where a step should and is none is a fault."""
    text = text.replace("\\_", "_")  # as Markdown escapes it
    if text.count("[") > MOST_STEPS or text.count("\n(") > MOST_STEPS:
        return Reading(fault=f"there are more than {MOST_STEPS:,} steps")
    try:
        plan = tokenize(text, vocabulary, dialect)
    except PlanError as error:
        return Reading(fault=error.message)
    if plan.is_unreadable or not plan.steps:
        return Reading(fault="no step could be read")
    for token in plan.tokens:
        if isinstance(token, Unparsed) and token.reading is None:
            return Reading(fault=f"{token}: {token.reason}")
    steps = [token.reading if isinstance(token, Unparsed) else token for token in plan.tokens]
    return Reading(
        calls=tuple(
            Call(name=step.name.upper(), args=tuple(arg for arg in step.args if arg))
            for step in steps
            if step is not None and not hasattr(step, "holds")
        )
    )


_NESTED = re.compile(r"""(["'])(\w+)\1\s*:\s*\[\s*(\[[^\[\]]*\](?:\s*,\s*\[[^\[\]]*\])*)\s*\]""")


def spread(text: str) -> str:
    """Write an action with several lists of arguments, ``"PUTIN": [["a", "b"], ["c", "b"]]``, once for each."""
    return _NESTED.sub(
        lambda found: ", ".join(f'"{found[2]}": {args}' for args in re.findall(r"\[[^\[\]]*\]", found[3])), text
    )


def read_object(text: str, keys: Collection[str]) -> dict[str, Any] | str:
    """Return the object with one of these keys that an answer is, or has within fences and sentences, or why none.

    JSON is read and Python's literals, with comments and with commas too many. Thoughts are left out; objects that
    differ are several answers, of which none is chosen.
    """
    name = " or ".join(map(repr, keys))
    try:
        found = {json.dumps(each): each for each in _objects(text, keys)}
    except RecursionError:
        return f"the object with {name} is nested too deeply"
    if len(found) == 1:
        return dict(next(iter(found.values())))
    return f"there are {len(found)} different objects with {name}" if found else f"no object with {name} can be read"


def _objects(text: str, keys: Collection[str]) -> Iterator[Mapping[str, Any]]:
    try:
        values = [json.loads(text.removesuffix("<|eot_id|>"))]
    except (ValueError, RecursionError):
        visible = without_asides(text.replace("\\_", "_"), with_talk=False).visible
        values = [value.plain for value in json_values(visible)]
    return units(values, lambda each: not each.keys().isdisjoint(keys))


_PAIR = re.compile(r'"(\w+)"\s*:\s*(\[[^\]]+\])')


def read_by_pattern(text: str) -> Reading:
    """Read an answer as the benchmark does: by a pattern that finds ``"NAME": [...]`` and passes over all else.

    An empty list of arguments does not match, so that actions without arguments are lost. A list that is no JSON is
    counted twice.
    """
    text = text.removeprefix("```json").strip().replace("\n", "").replace("'", '"')
    calls: list[Call] = []
    for name, args in _PAIR.findall(re.sub(r"\s+", " ", text.strip())):
        try:
            found = json.loads(args)
        except (ValueError, RecursionError):
            return Reading(fault=f"not JSON: {args}", counted=2)
        calls.append(Call(name=name, args=tuple(_numbered(list(map(str, found))))))
    return Reading(calls=tuple(calls)) if calls else Reading(fault="no action could be read")


def _numbered(args: list[str]) -> list[str]:
    """Join names and numbers that take turns, ``couch``, ``352``, to ``couch_352``."""
    if args and len(args) % 2 == 0 and all(value.isdigit() for value in args[1::2]):
        return [f"{name}_{number}" for name, number in zip(args[::2], args[1::2], strict=True)]
    return args


_INNERMOST = re.compile(r"\{[^{}]*\}")


def read_innermost(text: str) -> dict[str, Any] | str:
    """Return the first object without others in it, as the benchmark looks for it, or why there is none."""
    found = _INNERMOST.search(text)
    try:
        return dict(json.loads(found[0])) if found else "no object { ... } was found"
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
