"""What people ask on the page: each question with its title, its main fields, and its answer as elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from validator.checking.report import Report
from validator.questions.adherence import Adherence, adhered
from validator.questions.check import Check, check, execution_of
from validator.questions.job import Job, Value, plan_text
from validator.questions.model_repair import ModelRepair, repair_model
from validator.questions.question import Question
from validator.questions.reading import Reading, annotation_of, traces_of
from validator.questions.recognition import Recognition, recognize
from validator.questions.why_not import WhyNot, why_not
from validator.reading.annotated import Taken
from validator.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A question as people ask it.

    ``fields`` are always shown, those of the model apart; the others are options. ``is_live``: it is asked again while
    the user types. ``answer`` has ``title``, ``body``, and where they are there ``reading`` beside the text, ``marks``
    (field, line) of what is wrong, and ``report``, which can be downloaded.
    """

    question: type[Question]
    operation: str
    title: str
    about: str
    action: str
    fields: tuple[str, ...]
    answer: Callable[[Any, Job], Value]
    is_live: bool = False


def _check(request: Check, job: Job) -> Value:
    is_flow = request.flow is not None
    report = check(request if is_flow else replace(request, explain=True), replace(job, with_course=True))
    return _checked(report, plan_text(request.plan), execution_of(request, report))


def unknown_check(request: Check, reason: str) -> Value:
    """Return the answer of a check that a limit ended."""
    return _checked(Report(report_type=request.quality, determination=None, reason=reason), "", {})


def _checked(report: Report, text: str, shown: Mapping[str, Any]) -> Value:
    from validator.render.html.reading import reading_tree
    from validator.render.html.report import report_tree
    from validator.render.verdict import verdict

    value, read = report.to_json(), shown.get("read")
    below = {name: one for name, one in shown.items() if name != "read"}
    return {
        "title": verdict(report),
        "verdict": {True: "yes", False: "no", None: "unknown"}[report.determination],
        "body": list(report_tree(report, below)),
        "reading": None if read is None else list(reading_tree(read)),
        "report": value,
        "marks": [["plan", line, kind] for line, kind in _marks(report, text)],
    }


def _marks(report: Report, text: str) -> Iterable[tuple[int | None, str]]:
    from validator.render.tools.findings import Level, Source, findings

    found = findings(report, Source(name="plan.txt", text=text))
    # An unmet goal is placed at the last step, which may be right.
    placed = [one for one in found if one.rule not in ("warning", "goal") and one.place.line]
    return dict.fromkeys((one.place.line, "wrong" if one.level is Level.ERROR else "missed") for one in placed)


def _reading(request: Reading, job: Job) -> Value:
    from validator.render.annotated import summary
    from validator.render.html.elements import text_and_diff
    from validator.render.html.reading import reading_tree
    from validator.render.traces import traces_text

    if traces := traces_of(request, job):
        return {"title": "A trace", "body": list(text_and_diff(traces_text(traces)))}
    found = annotation_of(request, job)
    marks = [["text", part.line, "missed"] for part in found.stretches if part.taken is Taken.MISSED]
    return {"title": summary(found).partition(";")[0], "body": list(reading_tree(found)), "marks": marks}


def _adherence(request: Adherence, job: Job) -> Value:
    from validator.adherence.text import adherence_tree

    found, _ = adhered(request, job)
    return {"title": found.summary, "body": list(adherence_tree(found))}


def _in_words(ask: Callable[[Any, Job], Value]) -> Callable[[Any, Job], Value]:
    """Return what shows the feedback of an answer."""

    def answer(request: Any, job: Job) -> Value:
        from validator.render.html.elements import text_and_diff

        text = ask(request, job)["feedback"]
        return {"title": text.partition("\n")[0], "body": list(text_and_diff(text))}

    return answer


PAGES: Mapping[str, Page] = {
    "check": Page(
        question=Check,
        operation="validations",
        title="Check a plan",
        about="What is wrong with a plan, and the smallest change that makes it right.",
        action="Check",
        fields=("plan", "quality"),
        answer=_check,
        is_live=True,
    ),
    "read": Page(
        question=Reading,
        operation="readings",
        title="See how a text is read",
        about="Each line of a text beside the step that it was read as, what was skipped, and what was not understood.",
        action="Read",
        fields=("text",),
        answer=_reading,
        is_live=True,
    ),
    "why-not": Page(
        question=WhyNot,
        operation="why-not",
        title="Ask why not",
        about="The cheapest plan that does what you ask, and the one with the fewest changes, or why there is none.",
        action="Ask",
        fields=("plan", "questions", "foil"),
        answer=_in_words(why_not),
    ),
    "follow": Page(
        question=Adherence,
        operation="adherence",
        title="Compare a run with its plan",
        about="How closely executed tool calls follow a plan and, with a model, what harm each deviation did.",
        action="Compare",
        fields=("trace", "plan"),
        answer=_adherence,
    ),
    "recognize": Page(
        question=Recognition,
        operation="recognitions",
        title="Recognize a goal",
        about="The goal that observed steps point to, and a plan that explains them.",
        action="Recognize",
        fields=("observations", "goals"),
        answer=_in_words(recognize),
    ),
    "repair-model": Page(
        question=ModelRepair,
        operation="model-repairs",
        title="Repair a model",
        about="The fewest edits of a domain that make some plans valid and others invalid.",
        action="Repair",
        fields=("plans", "must_fail", "protect"),
        answer=_in_words(repair_model),
    ),
}
"""The questions in the order of the navigation, by the name that stands in an address."""
