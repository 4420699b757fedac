"""Spans of a run: calls of tools in the order of their start, and what models were asked and said.

A format says what a span is known by. Everything else (identities, parents, times, kinds, errors, what went in and what
came out) is read in one way for all: of several keys the first that has a value counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from validator.reading.calls import CallKind, folded
from validator.reading.calls.objects import Asked, read_object
from validator.reading.traces.attributes import (
    CHILDREN,
    Kind,
    error_of,
    first,
    flat,
    given,
    kind_of,
    messages_in,
    messages_of,
    moment,
    named,
    plain_name,
    side,
    text_of,
    yielded,
)
from validator.reading.traces.messages import Message
from validator.reading.traces.parts import Part, read_part
from validator.reading.traces.paths import at, meets, parsed, units, value_at
from validator.reading.traces.recording import Recorder
from validator.records import dataclass, field, replace

__all__ = ["Spans", "read_spans", "request"]

_Object: TypeAlias = Mapping[str, object]
_EMPTY: tuple[object, ...] = (None, "", [], {}, "{}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span, whatever its format.

    ``own`` has all that it says by its name, ``name`` is how it is recorded, ``tool`` the tool's name where it stands
    apart. ``arguments`` and ``result`` are None where there are none. ``start`` is in units of the format.
    """

    own: _Object
    identity: str = ""
    parent: str = ""
    start: Fraction = Fraction(0)
    name: str = ""
    kind: Kind = Kind.UNKNOWN
    tool: str = ""
    arguments: object = None
    result: object = None
    error: object = None
    call_id: str = ""

    @property
    def called(self) -> str:
        return self.tool or plain_name(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """One format: an object is a span that meets the condition ``when``, or has an attribute that begins as one does.

    ``around`` is the list in which an object around spans keeps them, whose other fields say the same once more;
    ``listed`` has calls of tools where no tool has a span. Kinds that are ``vague`` say nothing. With ``needs_answers``
    a call that a model asked for counts without a span only if an answer came back, with ``needs_kinds`` a trace is
    read only where a span says its kind. ``names`` are those of the format by attributes that some span has, before
    ``name``.
    """

    name: str
    when: str
    attributes: tuple[str, ...] = ()
    around: str = ""
    listed: str = ""
    vague: str = ""
    needs_answers: bool = False
    needs_kinds: bool = False
    names: Mapping[str, str] = field(default_factory=dict)

    def is_span(self, value: _Object) -> bool:
        if meets(value, self.when):
            return True
        if not self.attributes or not ("attributes" in value or any("." in str(key) for key in value)):
            return False
        return any(name.startswith(self.attributes) for name in flat({**value, "metadata": None}))


def read_spans(form: Spans, value: object, recorder: Recorder) -> None:
    """Read the spans of one format inside a JSON value."""
    found = list(units(value, form.is_span, recorder.fields))
    records = _merged([record for unit in found for record in _records(unit, "", "")])
    spans = [_span(own, form.vague) for own in records]
    spans.sort(key=lambda span: span.start)
    if form.needs_kinds and all(span.kind is Kind.UNKNOWN for span in spans):
        return
    for unit in _with_around(value, found, form.around):
        recorder.take(unit)
    present = {name for span in spans for name in span.own}
    recorder.format = next((name for mark, name in form.names.items() if mark in present), form.name)
    _record_runs(_with_tools(spans), recorder)
    if not recorder.calls:
        _record_asked(spans, recorder, all_calls=not form.needs_answers)
    if form.listed and all(call.kind not in (CallKind.TOOL, CallKind.PLAN) for call in recorder.calls):
        _record_listed(found, form.listed, recorder)


def _with_around(value: object, found: Sequence[_Object], around: str) -> list[_Object]:
    """Return the objects that a format accounts for: those around spans in place of these."""
    known = set(map(id, found))

    def holds(each: _Object) -> bool:
        return any(id(inner) in known for inner in at(each, f"{around}[]"))

    outer = list(units(value, holds, lambda _: None)) if around else []
    held = {id(inner) for each in outer for inner in at(each, f"{around}[]")}
    return [each for each in found if id(each) not in held] + outer


# --- from an object to a span --------------------------------------------------------------------


def _records(raw: _Object, parent: str, kind: str) -> Iterator[dict[str, object]]:
    """Yield what a span and those inside it say, each with the span around it."""
    own = flat(raw)
    if kind:
        own["type"] = kind
    if parent and named(own, "parent") is None:
        own["parent"] = parent
    yield own
    children = [(child, of) for key, of in CHILDREN.items() if key in own for child in at(own, f"{key}[]")]
    identity = str(named(own, "identity") or "")
    if children and not identity:
        own["uuid"] = identity = f"#{id(raw)}"
    for child, of in children:
        if isinstance(child, Mapping):
            yield from _records(child, identity, of)


def _merged(records: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Return records with one for those of one identity: a span may stand twice, once without its content."""
    found: dict[object, dict[str, object]] = {}
    for own in records:
        identity = named(own, "identity")
        known = found.setdefault((str(named(own, "trace")), str(identity)) if identity else id(own), own)
        if known is not own:
            known.update({key: each for key, each in own.items() if key not in known or each not in _EMPTY})
    return list(found.values())


def _span(own: _Object, vague: str) -> Span:
    above, result = named(own, "parent"), yielded(own)
    return Span(
        own=own,
        identity=str(named(own, "identity") or ""),
        parent=str((above[0] if isinstance(above, list) and above else above) or ""),
        start=moment(named(own, "start")),
        name=str(named(own, "title") or ""),
        kind=kind_of(own, vague),
        tool=text_of(own, "tool") or text_of(own, "entity"),
        arguments=given(own),
        result=result,
        error=error_of(own, has_result=result is not None),
        call_id=str(first(own, "call_id") or ""),
    )


# --- the runs of tools ---------------------------------------------------------------------------


def _with_tools(spans: Sequence[Span]) -> list[Span]:
    """Return spans of which those that do not say what they are count as tools where a model asked for their name."""
    outputs = [first(span.own, what) for span in spans for what in ("output_messages", "output_value")]
    outputs += [side(span.own, "output") for span in spans if span.kind in (Kind.MODEL, Kind.AGENT)]
    asked: set[str] = set()

    def take(value: _Object) -> bool:
        call = read_object(value)
        if isinstance(call, Asked) and (call.given is not None or call.call_id is not None) and "role" not in value:
            asked.add(folded(call.name))
        return False

    for output in outputs:
        for _ in units(parsed(output), take, lambda _: None):
            pass
    return [
        replace(span, kind=Kind.TOOL) if span.kind is Kind.UNKNOWN and folded(plain_name(span.name)) in asked else span
        for span in spans
    ]


def _record_runs(spans: Sequence[Span], recorder: Recorder) -> None:
    """Record the runs of tools and retrievers in order, and at their places what other spans say.

    A run within another tool's is nested. A run of a tool within a run of the same tool is one call that two layers of
    a framework recorded, and the inner one tells more; a name in parentheses is none. Runs that began at one moment, as
    far as the trace tells moments apart, have no order among them.
    """
    spans = _joined(spans)
    by_identity = {span.identity: span for span in spans if span.identity}
    repeated = set(_outer(spans, by_identity))
    begun: dict[Fraction, list[int]] = {}
    for span in spans:
        if span.kind not in (Kind.TOOL, Kind.RETRIEVER):
            _record_said(span, recorder)
            continue
        if span.identity in repeated or span.called.startswith("("):
            continue
        above = [each for each in _above(span, by_identity) if each.identity not in repeated]
        in_tool = any(each.kind is Kind.TOOL for each in above)
        parent = next((each.tool or each.name for each in above if each.kind in (Kind.TOOL, Kind.AGENT)), None)
        kind = CallKind.NESTED if in_tool else CallKind.TOOL if span.kind is Kind.TOOL else CallKind.RETRIEVER
        identity = span.call_id or (span.identity if not span.identity.startswith("#") else "") or None
        began = span.start or None
        index = recorder.call(span.called, span.arguments, call_id=identity, parent=parent, kind=kind, time=began)
        if span.result is not None or span.error is not None:
            recorder.result(index, span.result, span.error)
        if index is not None and span.start and kind is CallKind.TOOL:
            begun.setdefault(span.start, []).append(index)
    for together in begun.values():
        if len(together) > 1:
            recorder.join(together)


_PHASE = re.compile(r"(?P<name>.+)\.(?:start|update|partial_update|success|finish|error|retry)(?P<number>-\d+)?")


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Return spans with one for all those that tell how far one run of a tool is: ``f.start-3``, ``f.success-3``."""
    phases: dict[tuple[str, str, str], list[Span]] = {}
    for span in spans:
        if span.kind is Kind.TOOL and (match := _PHASE.fullmatch(span.tool or span.name)):
            phases.setdefault((span.parent, match["name"], match["number"] or ""), []).append(span)
    whole = {id(span): span for span in spans}
    for (_, name, _), told in phases.items():
        if len(told) < 2:
            continue
        arguments = next((each.arguments for each in told if each.arguments is not None), None)
        done = next((each for each in reversed(told) if each.result is not None or each.error is not None), told[0])
        joined = replace(told[0], name=name, tool="", arguments=arguments, result=done.result, error=done.error)
        whole = {key: joined if span is told[0] else span for key, span in whole.items() if span not in told[1:]}
    return list(whole.values())


def _above(span: Span, by_identity: Mapping[str, Span]) -> Iterator[Span]:
    """Yield the spans around a span, the nearest first."""
    seen = {span.identity}
    above = by_identity.get(span.parent)
    while above is not None and above.identity not in seen:
        yield above
        seen.add(above.identity)
        above = by_identity.get(above.parent)


def _outer(spans: Sequence[Span], by_identity: Mapping[str, Span]) -> Iterator[str]:
    """Yield the identities of tools' spans around a span of the same tool."""
    for span in spans:
        above = by_identity.get(span.parent)
        are_tools = above is not None and span.kind is above.kind is Kind.TOOL
        if above is not None and are_tools and folded(span.called) == folded(above.called):
            yield above.identity


# --- what models were asked and said -------------------------------------------------------------

_TEXTS = ("reasoning", "thought", "thinking", "content", "text", "answer", "output")


def _record_said(span: Span, recorder: Recorder) -> None:
    """Take down what was asked and said in a span that is no run of a tool."""
    own = span.own
    recorder.fields(own)
    asked = (text for each in messages_of(own, "input") if each.role == "user" for text in each.texts)
    recorder.ask(next(asked, None) or request(own.get("input.value") or side(own, "input")))
    if span.kind is not Kind.MODEL and own.get("gen_ai.output.messages") is None:
        return
    texts = [text for message in _messages(span, "output") for text in message.texts]
    for text in texts:
        recorder.say(text)
    if not texts:
        _say(parsed(side(own, "output") or own.get("output.value")), recorder)


def _say(output: object, recorder: Recorder) -> None:
    if isinstance(output, str):
        recorder.say(output)
    elif isinstance(output, Mapping):
        recorder.fields(output)
        for key in _TEXTS:
            recorder.say(output.get(key))
    elif isinstance(output, list):
        for each in output:
            _say(each, recorder)


def _messages(span: Span, what: str) -> list[Message]:
    return messages_in(side(span.own, what)) or messages_of(span.own, what)


def _record_asked(spans: Sequence[Span], recorder: Recorder, *, all_calls: bool) -> None:
    """Record the calls that models asked for, of a trace without spans of tools.

    What came back in later input are their results; without ``all_calls`` a call counts only if something did.
    """
    models = [span for span in spans if span.kind is Kind.MODEL or any("." in key for key in span.own)]
    asked, answered = ([each for span in models for each in _messages(span, what)] for what in ("output", "input"))
    results = {answer.call_id: answer for message in answered for answer in message.answers if answer.call_id}
    for message in asked:
        calls = [call for call in message.calls if all_calls or call.call_id in results]
        batch = recorder.batch() if len(calls) > 1 else None
        for call in calls:
            if not recorder.of(call.call_id):
                recorder.tell(Part(call=call, answer=results.get(call.call_id or "")), batch=batch)


def _record_listed(roots: Sequence[_Object], listed: str, recorder: Recorder) -> None:
    """Record the calls in the outermost lists of them, which DeepEval's spans have."""
    for span in units(roots, lambda each: bool(value_at(each, listed)), lambda _: None):
        name = span.get("name")
        for tool in at(span, f"{listed}[]"):
            recorder.tell(read_part(tool, is_call=True), parent=name if isinstance(name, str) else None)
    recorder.says_none = any(value_at(root, listed) == [] for root in roots)


def request(value: object) -> str | None:
    """Return what the user asked: a text, the user's message in a chat, or the only text of an object."""
    value = parsed(value)
    if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
        value = value["messages"]
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        texts = [each for each in value.values() if isinstance(each, str)]
        return texts[0] if len(texts) == 1 else None
    asked = (message for message in messages_in(value) if message.role == "user")
    return next((next(iter(message.texts), None) for message in asked), None)
