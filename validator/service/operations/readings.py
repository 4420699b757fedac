"""The operations that show how a text is read: beside the steps that are read of it, or as the trace of an agent."""

from __future__ import annotations

from collections.abc import Sequence

from validator.questions.given import some_model
from validator.questions.job import Job, Value, bounded
from validator.reading.beside import Beside
from validator.reading.traces.recording import Recording
from validator.service.operations import requests

__all__ = ["read_page", "read_text"]


def read_text(request: requests.Reading, job: Job) -> Value:
    """Show a text beside the steps that are read of it; of a trace, which takes no model, its calls."""
    from validator.render.beside import beside_value
    from validator.render.traces import traces_value

    traces = _traces_in(request, job)
    return traces_value(request.text, traces) if traces else beside_value(_beside(request, job))


def read_page(request: requests.Reading, job: Job) -> Value:
    """Return the same as a page."""
    from validator.render.html.beside import beside_page
    from validator.render.html.traces import traces_page

    traces = _traces_in(request, job)
    html = traces_page(traces, "Trace") if traces else beside_page(_beside(request, job))
    return {"html": html}


def _traces_in(request: requests.Reading, job: Job) -> Sequence[Recording]:
    """Return the traces of agents that a text without a model and a dialect is."""
    from validator.reading.traces.read import traces_in

    job.seconds(request)
    is_bare = request.domain is None and request.problem is None and request.dialect is None
    return traces_in(request.text) if is_bare else ()


def _beside(request: requests.Reading, job: Job) -> Beside:
    from validator.checking.check import reading_in
    from validator.reading.beside import beside
    from validator.reading.tokens import read

    model = some_model(request.domain, request.problem, request.templates)
    vocabulary = None if model is None else model.vocabulary
    reading = read(request.text, vocabulary, request.dialect, strict=request.strict)
    bounded(len(reading.plan.tokens), job.bounds)
    return beside(reading if model is None else reading_in(model, reading), vocabulary)
