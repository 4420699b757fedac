"""Questions about action, change and planning, in the layout of ACPBench's data: read and written."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from validator.errors import InputError
from validator.records import dataclass, field
from validator.texts import json_lines


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
    PLAN = "plan"
    """not of ACPBench: a plan for the problem"""


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
    "plan_generation": Task.PLAN,
}
_NAMES = {task: name for name, task in reversed(_GROUPS.items())}
_FORMS = {"bool": Form.BOOL, "mc": Form.CHOICE, "mcq": Form.CHOICE, "gen": Form.OPEN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """``key`` is the answer that the data has: ``yes`` or ``no``, a letter, or a value of the task; None for none.

    ``domain`` and ``problem`` are PDDL texts, empty in ACPBench's yes-no and choice questions. ``proof`` says how the
    key is known, where this package made it; ``extra`` keeps what else stood in the record.
    """

    id: str
    task: Task
    form: Form
    context: str
    question: str
    key: Any = None
    choices: tuple[str, ...] = ()
    domain: str = ""
    problem: str = ""
    proof: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def prompt(self) -> str:
        return f"{self.context} {self.question}".strip()


def read_questions(paths: Iterable[Path]) -> Iterator[Question]:
    """Yield the questions in files (JSON, JSON lines, each packed or not) and below folders.

    Raises InputError for a file of another form, OSError.
    """
    for path in paths:
        found = sorted(each for each in path.rglob("*") if _is_data(each)) if path.is_dir() else [path]
        if not found:
            raise InputError("no questions are below this folder: .json, .jsonl, .json.gz", source=str(path))
        for file in found:
            yield from _of_file(file)


def _is_data(path: Path) -> bool:
    return path.name.removesuffix(".gz").endswith((".json", ".jsonl"))


def _of_file(path: Path) -> Iterator[Question]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = data.decode("utf-8")
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        values = [value for _, value in json_lines(text, str(path))]
    else:
        values = json.loads(text)
    if not isinstance(values, list):
        raise InputError("no list of questions", source=str(path))
    for value in values:
        yield question_of(value, str(path))


def question_of(value: Any, source: str) -> Question:
    """Return a question from a record of ACPBench's layout. Raises InputError for another one."""
    group = str(value.get("group", "")) if isinstance(value, Mapping) else ""
    name, _, form = group.rpartition("_")
    if name not in _GROUPS or form not in _FORMS or "question" not in value:
        raise InputError(f"no question of ACPBench's layout: group {group!r}", source=source)
    known = ("id", "context", "question", "answer", "choices", "PDDL_domain", "PDDL_problem", "proof")
    return Question(
        id=str(value.get("id", "")),
        task=_GROUPS[name],
        form=_FORMS[form],
        context=str(value.get("context", "")),
        question=str(value["question"]),
        key=value.get("answer"),
        choices=tuple((value.get("choices") or {}).get("text", ())),
        domain=str(value.get("PDDL_domain", "")),
        problem=str(value.get("PDDL_problem", "")),
        proof=str(value.get("proof", "")),
        extra={key: each for key, each in value.items() if key not in known},
    )


def group_of(question: Question) -> str:
    """Return the task and the form of a question as one word of ACPBench's layout."""
    return str(question.extra.get("group") or f"{_NAMES[question.task]}_{question.form.value}")


def question_value(question: Question) -> dict[str, Any]:
    """Return a question as a record of ACPBench's layout."""
    value: dict[str, Any] = {
        "id": question.id,
        "group": group_of(question),
        "context": question.context,
        "question": question.question,
    }
    if question.choices:
        labels = [chr(ord("A") + place) for place in range(len(question.choices))]
        value["choices"] = {"text": list(question.choices), "label": labels}
    value |= {"answer": question.key, "PDDL_domain": question.domain, "PDDL_problem": question.problem}
    return value | ({"proof": question.proof} if question.proof else {}) | dict(question.extra)
