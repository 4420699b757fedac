"""Formats of spans as a table: where a span stands, what holds its kind, its arguments and its result.

Keys are compared as ``spelled`` writes them; of several the first that has a value counts. Everything else about spans
(identities, parents, times, errors, what models were asked and said) is read in one way for all formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from validator.reading.calls import CallKind
from validator.reading.calls.objects import ARGUMENTS, RESULTS, pick, spelled
from validator.reading.traces.messages import Message
from validator.reading.traces.parts import Told, read_part
from validator.reading.traces.recording import Recorder
from validator.reading.traces.span_runs import (
    asked_names,
    attributes_of,
    messages_of,
    record_asked,
    record_runs,
    record_said,
    request,
    with_tools,
)
from validator.reading.traces.span_values import (
    CALL_IDS,
    Attributes,
    Kind,
    Span,
    given,
    kind_of,
    moment,
    said_kind,
    tool_name,
    yielded,
)
from validator.reading.traces.walk import at, first_value, parsed, spelled_keys, units, value_at
from validator.records import dataclass, field, replace

__all__ = ["SPANS", "SpanFormat", "read_spans"]

_Object: TypeAlias = Mapping[str, object]

_DETAILS = ("context", "span_data", "span_attributes", "meta", "metrics", "timestamps")
"""Objects in which a span keeps what it does not have at its top."""
_OWN = ("span_id", "uuid", "id", "run_id")
_TRACE = ("trace_id", "root_span_id", "root_id", "session_id")
_PARENT = (
    *("parent_span_id", "parent_id", "span_parents", "parent_run_id", "parent_observation_id", "parent_uuid"),
    "parent",
)
_START = (
    *("start_time_unix_nano", "start_time", "started_at", "start_ns", "start", "start_timestamp", "created_at"),
    *("created", "start_time_ns", "timestamp"),
)
_TITLES = ("op_name", "name")
_KINDS = ("type", "run_type", "span_type", "span_kind", "kind", "span.kind", "observation_type")
_GIVEN = ("input", "inputs", *ARGUMENTS)
_YIELDED = ("output", "outputs", *RESULTS)
_LISTS = {f"{kind}_spans": kind for kind in ("agent", "llm", "tool", "retriever", "base")}
_CHILDREN = {**_LISTS, "children": "", "child_runs": ""}
"""Lists of spans inside a span, each with the kind of its members, empty where they say it."""
_FAILED = frozenset(("2", "error", "errored", "failed", "status_code_error"))
_EMPTY: tuple[object, ...] = (None, "", [], {}, "{}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanFormat:
    """One format. ``marks`` are keys of which one is in each trace of it; ``is_unit`` tells its outermost objects.

    ``settle`` corrects spans by each other, ``finish`` reads what stands beside them. With ``needs_answers`` a call
    that a model asked for counts without a span only if an answer came back, with ``needs_kinds`` a trace is read only
    where a span says its kind.
    """

    name: str
    marks: tuple[str, ...]
    is_unit: Callable[[_Object], bool]
    settle: Callable[[list[Span], Recorder], list[Span]] = lambda spans, _: spans
    finish: Callable[[object, Sequence[_Object], Recorder], None] = lambda value, units, recorder: None
    needs_answers: bool = False
    needs_kinds: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    """names of the format by attributes that some span has, before ``name``"""


def read_spans(form: SpanFormat, value: object, recorder: Recorder) -> None:
    """Read the spans of one format inside a JSON value."""
    found = list(units(value, form.is_unit, recorder.fields))
    records = _merged([record for unit in found for record in _records(unit, "", "")])
    spans = sorted(form.settle(list(map(_span, records)), recorder), key=lambda span: span.start)
    if form.needs_kinds and all(span.kind is Kind.UNKNOWN for span in spans):
        return
    for unit in found:
        recorder.take(unit)
    present = {name for span in spans for name in span.attributes}
    recorder.format = next((name for mark, name in form.names.items() if mark in present), form.name)
    outputs = [span.attributes.first(("gen_ai.output.messages", "output.value")) for span in spans]
    outputs += [_side(span.raw, _YIELDED) for span in spans if span.kind in (Kind.MODEL, Kind.AGENT)]
    spans = with_tools(spans, asked_names(outputs))
    record_runs(spans, recorder, partial(_tell, recorder))
    if not recorder.calls:
        models = [span for span in spans if span.kind is Kind.MODEL or span.attributes]
        asked, answered = ([each for span in models for each in _messages(span, side)] for side in ("output", "input"))
        record_asked(asked, answered, recorder, all_calls=not form.needs_answers)
    form.finish(value, found, recorder)


def _messages(span: Span, side: str) -> list[Message]:
    own = messages_of(Attributes(), side, _side(span.raw, _GIVEN if side == "input" else _YIELDED))
    return own or messages_of(span.attributes, side, None)


def _tell(recorder: Recorder, span: Span) -> None:
    """Take down what was asked and said in a span that is no run of a tool."""
    own = span.attributes
    recorder.fields(span.raw)
    asked = (text for each in messages_of(own, "input", None) if each.role == "user" for text in each.texts)
    recorder.ask(next(asked, None) or request(own.get("input.value") or _side(span.raw, _GIVEN)))
    if span.kind is Kind.MODEL or own.get("gen_ai.output.messages") is not None:
        record_said(_messages(span, "output"), _side(span.raw, _YIELDED) or own.get("output.value"), recorder)


def _records(raw: _Object, parent: str, kind: str) -> Iterator[dict[str, object]]:
    """Yield what a span and those inside it say, at the top and in details, each with the span around it."""
    own = spelled_keys(raw)
    for key in _DETAILS:
        inner = own.get(key)
        for name, each in inner.items() if isinstance(inner, Mapping) else ():
            own.setdefault(spelled(str(name)), each)
    if kind:
        own["type"] = kind
    if parent and _first(own, _PARENT) is None:
        own["parent"] = parent
    yield own
    children = [(child, of) for key, of in _CHILDREN.items() if key in own for child in at(own, f"{key}[]")]
    identity = str(_first(own, _OWN) or "")
    if children and not identity:
        own["uuid"] = identity = f"#{id(raw)}"
    for child, of in children:
        if isinstance(child, Mapping):
            yield from _records(child, identity, of)


def _merged(records: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Return records with one for those of one identity: a span may stand twice, once without its content."""
    found: dict[object, dict[str, object]] = {}
    for own in records:
        identity = _first(own, _OWN)
        known = found.setdefault((str(_first(own, _TRACE)), str(identity)) if identity else id(own), own)
        if known is not own:
            known.update({key: each for key, each in own.items() if key not in known or each not in _EMPTY})
    return list(found.values())


def _first(own: _Object, keys: Sequence[str]) -> object:
    return next((own[key] for key in keys if own.get(key) not in (None, "", "undefined")), None)


def _side(own: _Object, keys: Sequence[str]) -> object:
    """Return what went in or came out, without ``{"type": "json", "value": ...}`` or ``{"output": ...}`` around it."""
    side = first_value(own, keys)
    if isinstance(side, Mapping):
        if "value" in side and side.keys() <= {"type", "value", "mime_type"}:
            return side["value"]
        if side.keys() == {"output"}:
            return side["output"]
    return side


def _span(own: _Object) -> Span:
    attributes, above = attributes_of(own), _first(own, _PARENT)
    result = yielded(attributes, _side(own, _YIELDED))
    return Span(
        raw=own,
        attributes=attributes,
        identity=str(_first(own, _OWN) or ""),
        parent=str((above[0] if isinstance(above, list) and above else above) or ""),
        start=moment(_first(own, _START)),
        name=str(_first(own, _TITLES) or attributes.text(("gen_ai.agent.name",)) or ""),
        kind=_kind(own, attributes),
        tool=tool_name(attributes),
        arguments=given(attributes, _side(own, _GIVEN)),
        result=result,
        error=_error(own, attributes, has_result=result is not None),
        call_id=str(attributes.first(CALL_IDS) or ""),
    )


def _kind(own: _Object, attributes: Attributes) -> Kind:
    kinds = [said_kind(own.get(key)) for key in _KINDS]
    kind = next((each for each in kinds if each is not Kind.UNKNOWN), Kind.UNKNOWN)
    if kind in (Kind.UNKNOWN, Kind.OTHER) and (told := kind_of(attributes)) is not Kind.UNKNOWN:
        return told
    return Kind.TOOL if kind is Kind.UNKNOWN and _is_tool_message(parsed(_side(own, _YIELDED))) else kind


def _is_tool_message(value: object) -> bool:
    """Return whether what came out is the message of a tool, as LangChain's tools yield it."""
    if not isinstance(value, Mapping):
        return False
    path = value.get("id")
    if value.get("type") == "constructor" and isinstance(path, list) and path:
        return str(path[-1]).startswith("ToolMessage")
    return value.get("type", value.get("role")) == "tool" and "tool_call_id" in value


def _error(own: _Object, attributes: Attributes, *, has_result: bool) -> object:
    """Return what went wrong: what is said of it, True where the result says it, None where nothing did."""
    said = attributes.first(("error.type", "exception.message")) or own.get("error") or own.get("exception")
    status = own.get("status") or own.get("status_code")
    inner = status if isinstance(status, Mapping) else {"code": status, "message": own.get("status_message")}
    words = (inner.get("code", inner.get("status_code")), own.get("level"))
    if said or not any(str(word).lower() in _FAILED for word in words):
        return said or None
    return inner.get("message") or own.get("status_message") or has_result or "the span has the status ERROR"


# --- what is a span, and what is peculiar to a format --------------------------------------------


_OBSERVATIONS = frozenset(
    "span generation event agent tool chain retriever evaluator embedding guardrail".split()  # noqa: SIM905
)


def _is_observation(value: _Object) -> bool:
    own, kind = spelled_keys(value), value.get("type")
    if not isinstance(kind, str) or kind.lower() not in _OBSERVATIONS:
        return False
    return "trace_id" in own and not {"parent_observation_id", "start_time"}.isdisjoint(own)


def _take_around(value: object, observations: Sequence[_Object], recorder: Recorder) -> None:
    """Account for the trace around Langfuse's observations, whose fields say the same once more."""
    known = set(map(id, observations))

    def is_trace(each: _Object) -> bool:
        listed = each.get("observations")
        return isinstance(listed, list) and any(id(inner) in known for inner in listed)

    traces = list(units(value, is_trace, lambda _: None))
    held = {id(inner) for each in traces for inner in each["observations"]}  # type: ignore[attr-defined]
    recorder.taken = [raw for raw in recorder.taken if id(raw) not in held] + traces


_DEEPEVAL = frozenset(("agent", "llm", "tool", "retriever", "base"))
_NO_DEEPEVAL = frozenset(
    ("run_type", "observations", "trace_id", "op_name", "span_data", "role", "tool_call_id", "content")
)


def _is_deepeval(value: _Object) -> bool:
    own = spelled_keys(value)
    if not _LISTS.keys().isdisjoint(own):
        return any(isinstance(own.get(key), list) for key in _LISTS)
    kind = value.get("type")
    if not isinstance(kind, str) or kind.lower() not in _DEEPEVAL:
        return False
    if "name" not in own or not _NO_DEEPEVAL.isdisjoint(own):
        return False
    return not {"children", "tools_called"}.isdisjoint(own) or {"input", "output"} <= own.keys()


def _called_tools(value: object, roots: Sequence[_Object], recorder: Recorder) -> None:
    """Take the calls of DeepEval's traces from the outermost lists of them, where no tool has a span."""
    if any(call.kind in (CallKind.TOOL, CallKind.PLAN) for call in recorder.calls):
        return
    for span in units(roots, lambda each: bool(value_at(each, _CALLED)), lambda _: None):
        name = span.get("name")
        for tool in at(span, f"{_CALLED}[]"):
            told = read_part(tool, is_call=True)
            if isinstance(told, Told):
                recorder.tell(told, parent=name if isinstance(name, str) else None)
    recorder.says_none = any(value_at(root, _CALLED) == [] for root in roots)


_CALLED = "tools_called"
_GENAI = ("gen_ai.", "openinference.", "traceloop.", "mlflow.", "llm.", "langsmith.", "ai.operation", "tool.name")
_PLACED = frozenset(("span_id", "context", "start_time_unix_nano", "start_time"))


def _is_opentelemetry(value: _Object) -> bool:
    own = spelled_keys(value)
    if "attributes" in own:
        if "span_kind" in own or ("name" in own and not _PLACED.isdisjoint(own)):
            return True
    elif not any("." in key for key in own):
        return False
    return any(name.startswith(_GENAI) for name in attributes_of({**own, "metadata": None}))


_MODELS = re.compile(r"\b(?:openai|anthropic|litellm|cohere|mistral\w*|google|genai|bedrock|chat|completions?|llm)\b")


def _operations(spans: list[Span], recorder: Recorder) -> list[Span]:
    """Return Weave's operations with their kinds: it traces functions, and says of few what they are.

    Where none is said to be a tool, those that call no other one, are called by one, and are no model's are taken for
    tools.
    """
    said = [said_kind(span.attributes.get("weave.kind")) for span in spans]
    above = {span.parent for span in spans}
    found = []
    for span, kind in zip(spans, said, strict=True):
        name = span.name.rpartition("/")[2].partition(":")[0]
        is_leaf = span.parent and span.identity not in above and kind is Kind.UNKNOWN
        is_guess = bool(Kind.TOOL not in said and is_leaf and _MODELS.search(name.lower()) is None)
        recorder.is_guessed = recorder.is_guessed or is_guess
        is_tool = is_guess or kind is Kind.TOOL
        inputs = span.raw.get("inputs")
        if isinstance(inputs, Mapping):
            inputs = {key: each for key, each in inputs.items() if key != "self"}
        found.append(replace(span, name=name, kind=Kind.TOOL if is_tool else Kind.OTHER, arguments=inputs))
    return found


def _is_any_span(value: _Object) -> bool:
    if "role" in value or pick(value, _TRACE) is None or pick(value, ("span_id", "id", "run_id")) is None:
        return False
    own = next(_records(value, "", ""))
    is_placed = any(key in own for key in (*_PARENT, *_START))
    return is_placed and isinstance(own.get("name"), str) and any(isinstance(own.get(key), str) for key in _KINDS)


def _functions(spans: list[Span], recorder: Recorder) -> list[Span]:
    """Return spans of which those of a function are of no known kind: any function may be traced."""
    return [
        replace(span, kind=Kind.UNKNOWN) if "function" in [span.raw.get(key) for key in _KINDS] else span
        for span in spans
    ]


_ANY = SpanFormat(
    name="spans",
    marks=("trace_id", "traceId", "root_span_id"),
    is_unit=_is_any_span,
    needs_kinds=True,
    settle=_functions,
)
"""Spans of any tool that says of each what it is: Braintrust, Opik, Datadog, LangWatch, their kin."""

SPANS: dict[str, SpanFormat] = {
    "langfuse": SpanFormat(
        name="Langfuse observations",
        marks=("traceId", "trace_id"),
        is_unit=_is_observation,
        finish=_take_around,
        needs_answers=True,
    ),
    "langsmith": SpanFormat(
        name="LangSmith runs",
        marks=("run_type",),
        is_unit=lambda value: isinstance(value.get("run_type"), str) and "name" in value,
    ),
    "agents_sdk": SpanFormat(
        name="OpenAI Agents SDK spans",
        marks=("span_data",),
        is_unit=lambda value: isinstance(value.get("span_data"), Mapping) or value.get("object") == "trace",
        needs_kinds=True,
    ),
    "deepeval": SpanFormat(
        name="DeepEval spans",
        marks=("children", "toolsCalled", "tools_called", "output", *_LISTS, *(f"{kind}Spans" for kind in _DEEPEVAL)),
        is_unit=_is_deepeval,
        finish=_called_tools,
    ),
    "opentelemetry": SpanFormat(
        name="OpenTelemetry GenAI spans",
        marks=("attributes", "span_kind", "gen_ai.", "openinference.", "attributes."),
        is_unit=_is_opentelemetry,
        needs_kinds=True,
        names={
            "openinference.span.kind": "OpenInference spans",
            "span_kind": "OpenInference spans",
            "mlflow.span_type": "MLflow spans",
            "traceloop.span.kind": "OpenLLMetry spans",
        },
    ),
    "weave": SpanFormat(
        name="Weave calls",
        marks=("op_name",),
        is_unit=lambda value: isinstance(value.get("op_name"), str) and "inputs" in value,
        settle=_operations,
    ),
    "any": _ANY,
}
