"""What is read of a text: the steps beside it, or the calls of a trace?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from validator.questions.job import Job, PlanText, Value, bounded, plan_text
from validator.questions.models import OfModel, Text, dialect_option, some_model, templates_option
from validator.questions.question import MODEL, option, question
from validator.reading.annotated import AnnotatedText
from validator.reading.plan import Dialect
from validator.reading.traces.recording import Recording


@question
class Reading(OfModel):
    """A text in which a plan is said, to be shown beside what is read of it; without a model, by form alone.

    Without a model it may be the trace of an agent, whose calls are shown.
    """

    text: PlanText = option(
        "text with a plan, such as the answer of a language model, or the trace of an agent", faces=MODEL
    )
    dialect: Dialect | None = dialect_option()
    strict: bool = option("take the text literally", default=False)
    templates: dict[str, Any] | Text | None = templates_option()


def shown_of(request: Reading, job: Job) -> AnnotatedText | Sequence[Recording]:
    """Return a text beside the steps that are read of it; of a trace, which takes no model, its calls."""
    return traces_of(request, job) or annotation_of(request, job)


def is_understood(found: AnnotatedText | Sequence[Recording]) -> bool:
    """Return whether all of a text was read."""
    if isinstance(found, AnnotatedText):
        return found.is_clear
    return all(each.calls and not each.missed for each in found)


def read_text(request: Reading, job: Job) -> Value:
    """Show a text beside the steps that are read of it; of a trace, which takes no model, its calls."""
    from validator.render.annotated import annotated_value
    from validator.render.traces import traces_value

    traces = traces_of(request, job)
    return traces_value(plan_text(request.text), traces) if traces else annotated_value(annotation_of(request, job))


def traces_of(request: Reading, job: Job) -> Sequence[Recording]:
    """Return the traces of agents that a text without a model and a dialect is."""
    from validator.reading.traces.read import traces_in

    job.seconds(request)
    is_bare = request.domain is None and request.problem is None and request.dialect is None
    return traces_in(plan_text(request.text)) if is_bare else ()


def annotation_of(request: Reading, job: Job) -> AnnotatedText:
    from validator.checking.check import reading_in
    from validator.reading.annotated import annotate
    from validator.reading.tokens import read

    model = some_model(request.domain, request.problem, request.templates)
    vocabulary = None if model is None else model.vocabulary
    reading = read(plan_text(request.text), vocabulary, request.dialect, strict=request.strict)
    bounded(len(reading.plan.tokens), job.bounds)
    return annotate(reading if model is None else reading_in(model, reading), vocabulary)
