"""Questions about action, change and planning, in the layout of ACPBench's data: read and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from validator.errors import InputError
from validator.records import dataclass
from validator.texts import json_lines, parse_json, read_text


class Task(StrEnum):
    """What is asked; the value is the name that ACPBench gives it in its folders."""

    APPLICABILITY = "app"
    PROGRESSION = "prog"
    REACHABILITY = "reach"
    ACTION_REACHABILITY = "areach"
    VALIDATION = "val"
    JUSTIFICATION = "just"
    LANDMARKS = "land"
    NEXT_ACTION = "nexta"


class Form(StrEnum):
    """How an answer is given."""

    BOOL = "bool"
    CHOICE = "mcq"
    OPEN = "gen"


_GROUPS = {
    "applicable_actions": Task.APPLICABILITY,
    "progression": Task.PROGRESSION,
    "reachable_atom": Task.REACHABILITY,
    "reachable_action": Task.ACTION_REACHABILITY,
    "validation": Task.VALIDATION,
    "action_justification": Task.JUSTIFICATION,
    "landmarks": Task.LANDMARKS,
    "landmark": Task.LANDMARKS,
    "goal_closer": Task.NEXT_ACTION,
}
_FORMS = {"bool": Form.BOOL, "mc": Form.CHOICE, "mcq": Form.CHOICE, "gen": Form.OPEN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """``key`` is the answer that the data has: ``yes`` or ``no``, a letter, or a value of the task; None for none.

    ``domain`` and ``problem`` are PDDL texts, empty in ACPBench's yes-no and choice questions. ``group`` is the task
    and the form as one word of the data.
    """

    id: str
    task: Task
    form: Form
    question: str
    key: Any = None
    choices: tuple[str, ...] = ()
    domain: str = ""
    problem: str = ""
    group: str = ""


def read_questions(paths: Iterable[Path]) -> Iterator[Question]:
    """Yield the questions in files (JSON, JSON lines, each packed or not) and below folders.

    Raises InputError for a file of another form, OSError.
    """
    for path in paths:
        names = ("*.json", "*.jsonl", "*.json.gz", "*.jsonl.gz")
        found = sorted(each for name in names for each in path.rglob(name)) if path.is_dir() else [path]
        if not found:
            raise InputError("no questions are below this folder: .json, .jsonl, .json.gz", source=str(path))
        for file in found:
            yield from _of_file(file)


def _of_file(path: Path) -> Iterator[Question]:
    text, source = read_text(path), str(path)
    is_lines = path.name.removesuffix(".gz").endswith(".jsonl")
    values = [value for _, value in json_lines(text, source)] if is_lines else parse_json(text, source)
    if not isinstance(values, list):
        raise InputError("no list of questions", source=source)
    for value in values:
        yield question_of(value, source)


def question_of(value: Any, source: str) -> Question:
    """Return a question from a record of ACPBench's layout. Raises InputError for another one."""
    group = str(value.get("group", "")) if isinstance(value, Mapping) else ""
    name, _, form = group.rpartition("_")
    if name not in _GROUPS or form not in _FORMS or "question" not in value:
        raise InputError(f"no question of ACPBench's layout: group {group!r}", source=source)
    return Question(
        id=str(value.get("id", "")),
        task=_GROUPS[name],
        form=_FORMS[form],
        question=str(value["question"]),
        key=value.get("answer"),
        choices=tuple((value.get("choices") or {}).get("text", ())),
        domain=str(value.get("PDDL_domain", "")),
        problem=str(value.get("PDDL_problem", "")),
        group=group,
    )
