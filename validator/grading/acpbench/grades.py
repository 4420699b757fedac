"""Answers to questions, read from files, judged and counted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from validator.errors import InputError, ModelError, PlannerError
from validator.grading.acpbench.evaluation import Judgement, judge, letter, prover_of, yes_no
from validator.grading.acpbench.questions import Form, Question, question_of
from validator.grading.batch.batch import results_of
from validator.grading.batch.records import Submission, digest
from validator.grading.batch.results import Results
from validator.grading.batch.worker import Lines, work_of
from validator.grading.summary import SHARES, Table, records_as, result_line, share_of, tables_text, tallied
from validator.records import dataclass
from validator.texts import read_text

PLANNER_SECONDS = 10.0
"""for each call of the planner"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question with what a model answered; ``text`` is None where there is no answer to it."""

    question: Question
    model: str
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """``right`` is None where an answer is missing, was not understood or not decided: ``outcome`` says which."""

    id: str
    task: str
    form: str
    model: str
    right: bool | None
    outcome: str
    why: str


BY = ("task", "form", "model")
OUTCOMES = ("right", "wrong", "not understood", "not decided", "missing")


def read_answers(paths: Sequence[Path], questions: Sequence[Question]) -> tuple[list[Answered], list[str]]:
    """Return the answers in files of JSON lines, and what is wrong with the lines that are none.

    Lines are samples of the LM evaluation harness, or objects with ``id`` and ``answer``, and ``group`` where questions
    of several tasks have one id, as some of ACPBench's do. For each model every question
    without an answer is there too. The last of several answers of one model counts. Raises OSError.
    """
    found: dict[tuple[str, _Name], Answered] = {}
    wrong: list[str] = []
    known: dict[str, list[Question]] = {}
    for question in questions:
        known.setdefault(question.id, []).append(question)
    for path in paths:
        for number, line in enumerate(read_text(path).splitlines(), 1):
            if line.strip():
                try:
                    each = _answered(json.loads(line), known, path)
                    found[each.model, _name(each.question)] = each
                except (ValueError, InputError) as error:
                    wrong.append(f"{path}:{number}: {error}")
    for model in dict.fromkeys(model for model, _ in found):
        for question in questions:
            found.setdefault((model, _name(question)), Answered(question=question, model=model, text=None))
    return list(found.values()), wrong


_Name = tuple[str, str, str]


def _name(question: Question) -> _Name:
    return question.id, question.task.value, question.form.value


def _answered(value: Any, known: Mapping[str, Sequence[Question]], path: Path) -> Answered:
    if not isinstance(value, Mapping):
        raise InputError("no object")
    model = str(value.get("model", path.parent.name if "doc" in value else path.stem))
    if "doc" in value:
        replies = value.get("resps") or [[""]]
        text = replies[0][0] if isinstance(replies[0], list) and replies[0] else replies[0]
        return Answered(question=question_of(value["doc"], ""), model=model, text=str(text))
    named = known.get(str(value.get("id")), ())
    fitting = [each for each in named if value.get("group") in (None, each.group)]
    if len(fitting) != 1:
        raise InputError(f"{len(fitting) or 'no'} questions have the id {value.get('id')!r}: 'group' tells them apart")
    question = fitting[0]
    text = next((value[key] for key in ("answer", "response", "raw_response") if value.get(key) is not None), None)
    return Answered(question=question, model=model, text=None if text is None else str(text))


def grade_answers(
    answers: Sequence[Answered],
    *,
    results: Results | None = None,
    workers: int | None = 0,
    cluster: str | None = None,
) -> list[Grade]:
    """Judge answers, open ones on the model, the others by the key; return a grade for each.

    ``results`` keeps the result lines, and those that it has are taken over. Workers and errors are as in
    ``validator.grading.batch.run_batch``; with 0 workers this process does all.
    """
    asked = [_asked(number, each) for number, each in enumerate(answers, 1)]
    found = results_of(asked, _read, results=results, settings=None, workers=workers, cluster=cluster, task=_graded)
    return [found[each.id] for each in asked]


def _asked(number: int, answered: Answered) -> Submission:
    question, model = answered.question, answered.model
    task, form = question.task.value, question.form.value
    tags = {"model": model, "dataset": task, "task": task, "form": form}
    name = "/".join((model, question.id, task, form, digest(answered.text or "")))
    return Submission(line=number, id=name, key=question.problem, answer=answered, tags=tags)


def _graded(asked: Sequence[Submission], _: object) -> Lines:
    return work_of(_line(each, grade(each.answer)) for each in asked)


def _line(asked: Submission, grade: Grade) -> str:
    """Return a grade as ``plan-validator summary`` reads it."""
    report = {"determination": grade.right, "reason": grade.why}
    verdict = _VERDICTS.get(grade.outcome, grade.outcome)
    return result_line(asked.id, asked.line, grade.id, verdict, asked.tags, report)


def _read(line: str) -> tuple[str, Grade]:
    value = json.loads(line)
    tags, error = value["tags"], value.get("error", {}).get("message", "")
    report = value.get("report", {"determination": None, "reason": error})
    grade = Grade(
        id=value.get("task", value["id"]),
        task=tags["task"],
        form=tags["form"],
        model=tags["model"],
        right=report["determination"],
        outcome=_OUTCOMES.get(value["verdict"], value["verdict"]),
        why=report["reason"],
    )
    return value["id"], grade


def grade(answered: Answered) -> Grade:
    """Judge one answer."""
    question = answered.question
    found = _judged(question, answered.text) if answered.text else None
    return Grade(
        id=question.id,
        task=question.task.value,
        form=question.form.value,
        model=answered.model,
        right=None if found is None else found.right,
        outcome=_outcome(found),
        why="" if found is None else found.why,
    )


def _outcome(found: Judgement | None) -> str:
    if found is None:
        return "missing"
    if found.right is not None:
        return "right" if found.right else "wrong"
    return "not decided" if found.is_understood else "not understood"


def _judged(question: Question, text: str) -> Judgement:
    if question.form is not Form.OPEN:
        return _by_key(question, text)
    try:
        return judge(question, text, prover_of(question.domain, question.problem, PLANNER_SECONDS))
    except (InputError, ModelError, PlannerError, ValueError, IndexError, KeyError) as error:
        return Judgement(right=None, why=f"{type(error).__name__}: {error}")


def _by_key(question: Question, text: str) -> Judgement:
    said: str | None
    if question.form is Form.BOOL:
        found = yes_no(text)
        said = None if found is None else "yes" if found else "no"
    else:
        place = letter(text, question.choices)
        said = None if place is None else chr(ord("A") + place)
    if said is None:
        return Judgement(right=None, why="no answer of the form that was asked for was found", is_understood=False)
    key = str(question.key).strip()
    return Judgement(right=said.lower() == key.lower(), why=f"{said}, and the key is {key}")


_VERDICTS = {"not understood": "not_understood", "not decided": "unknown"}
_OUTCOMES = {"not_understood": "not understood", "unknown": "not decided", "error": "not decided"}


# --- tables --------------------------------------------------------------------------------------


def counted(grades: Iterable[Grade], by: Sequence[str] = BY) -> Table:
    """Return how many answers are right, by keys of ``BY``; a share is of all questions, with Wilson's interval."""
    groups = tallied(grades, by, getattr, lambda grade: ("questions", grade.outcome))
    columns = ("questions", *OUTCOMES)
    rows = tuple(
        (*group, *(counts[name] for name in columns), *share_of(counts["right"], counts["questions"]))
        for group, counts in groups
    )
    return Table(title="Answers", columns=(*by, *columns, *SHARES), rows=rows, keys=len(by))


def render(form: str, grades: Sequence[Grade], by: Sequence[str]) -> str:
    """Return every grade as CSV or JSON; as text the counts, then what is not right."""
    if form != "text":
        return records_as(form, grades, Grade)
    told = (
        f"  {each.id} ({each.task}, {each.form}): {each.outcome}: {each.why}\n"
        for each in grades
        if not each.right and each.why
    )
    return "".join((tables_text([counted(grades, by)]), "\n", *told))
