"""Spans of a run: calls of tools in the order of their start, and what models were asked and said.

A table says what the spans of each format are known by. Everything else (identities, parents, times, kinds, errors,
what went in and what came out) is read in one way for all: of several keys the first that has a value counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from validator.reading.calls import CallKind, folded
from validator.reading.calls.objects import CallRequest, first_text
from validator.reading.instants import instant
from validator.reading.traces.attributes import (
    CHILDREN,
    Kind,
    error_of,
    first,
    flat,
    given,
    kind_of,
    messages_of,
    named,
    plain_name,
    side,
    text_of,
    yielded,
)
from validator.reading.traces.conversation import Conversation
from validator.reading.traces.formats import formats
from validator.reading.traces.messages import Message
from validator.reading.traces.parts import Answer, Part, read_part
from validator.reading.traces.paths import at, meets, parsed, units, value_at
from validator.reading.traces.recording import Recorder
from validator.records import dataclass, replace

_Object: TypeAlias = Mapping[str, object]
_EMPTY: tuple[object, ...] = (None, "", [], {}, "{}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span, whatever its format.

    ``own`` has all that it says by its name, ``name`` is how it is recorded, ``tool`` the tool's name where it stands
    apart. ``arguments`` and ``result`` are None where there are none. ``start`` is in nanoseconds.
    """

    own: _Object
    identity: str = ""
    parent: str = ""
    start: int = 0
    name: str = ""
    kind: Kind = Kind.UNKNOWN
    tool: str = ""
    arguments: object = None
    result: object = None
    error: object = None
    call_id: str = ""

    @property
    def called(self) -> str:
        return self.tool or plain_name(self.name, self.own)

    @property
    def is_run(self) -> bool:
        return self.kind in (Kind.TOOL, Kind.RETRIEVER)

    @property
    def has_chat(self) -> bool:
        """Return whether attributes may say messages."""
        return self.kind is Kind.MODEL or any("." in key for key in self.own)


_LANGFUSE, _OPENTELEMETRY = "Langfuse observations", "OpenTelemetry GenAI spans"
_ATTRIBUTES = ("gen_ai.", "openinference.", "traceloop.", "mlflow.", "llm.", "langsmith.", "ai.operation", "tool.name")
"""How attributes begin that only spans have of what agents do."""


def _is_span(value: _Object) -> bool:
    if meets(value, formats()["any"]["spans"]):
        return True
    if not _may_have_attributes(tuple(value)):
        return False
    return any(name.startswith(_ATTRIBUTES) for name in flat({**value, "metadata": None}))


@lru_cache(maxsize=4096)
def _may_have_attributes(keys: tuple[str, ...]) -> bool:
    return "attributes" in keys or any("." in str(key) for key in keys)


def _format(found: Sequence[_Object], spans: Sequence[Span]) -> str:
    met = {name: sum(meets(unit, when) for unit in found) for name, when in formats()["spans"].items()}
    name = max(met, key=met.__getitem__) if any(met.values()) else _OPENTELEMETRY
    present = {name for span in spans for name in span.own} if name == _OPENTELEMETRY else set()
    return next((maker for mark, maker in formats()["makers"].items() if mark in present), name)


def read_spans(value: object, recorder: Recorder) -> None:
    """Read the spans inside a JSON value, where they say what some of them are."""
    found = list(units(value, _is_span, recorder.fields))
    records = _merged([record for unit in found for record in _records(unit, "", "")])
    spans = sorted(map(_span, records), key=lambda span: span.start)
    if all(span.kind is Kind.UNKNOWN for span in spans):
        return
    for unit in found:
        recorder.take(unit)
    recorder.format = _format(found, spans)
    if any(span.kind is Kind.TOOL and _PHASE.fullmatch(span.tool or span.name) for span in spans):
        recorder.miss("spans that each tell how far one run of a tool is are not put together")
    _record(_with_tools(spans), recorder, needs_answers=recorder.format == _LANGFUSE)
    if all(call.kind not in (CallKind.TOOL, CallKind.PLAN) for call in recorder.calls):
        _record_listed(found, recorder)


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


def _span(own: _Object) -> Span:
    above, result = named(own, "parent"), yielded(own)
    return Span(
        own=own,
        identity=str(named(own, "identity") or ""),
        parent=str((above[0] if isinstance(above, list) and above else above) or ""),
        start=instant(named(own, "start")) or 0,
        name=str(named(own, "title") or ""),
        kind=kind_of(own),
        tool=text_of(own, "tool") or text_of(own, "entity"),
        arguments=given(own),
        result=result,
        error=error_of(own, has_result=result is not None),
        call_id=str(first(own, "call_id") or ""),
    )


# --- the runs of tools ---------------------------------------------------------------------------


def _with_tools(spans: Sequence[Span]) -> list[Span]:
    """Return spans of which those that do not say what they are count as tools where a model asked for their name."""
    if all(span.kind is not Kind.UNKNOWN for span in spans):
        return list(spans)
    said = (message for span in spans if not span.is_run for message in messages_of(span.own, "output"))
    asked = {folded(call.name) for message in said for call in message.calls}
    unknown = (each for each in spans if each.kind is Kind.UNKNOWN and not each.own.get("observations"))
    tools = {id(each) for each in unknown if folded(plain_name(each.name, each.own)) in asked}
    return [replace(span, kind=Kind.TOOL) if id(span) in tools else span for span in spans]


def _record(spans: Sequence[Span], recorder: Recorder, *, needs_answers: bool) -> None:
    """Record the runs of tools and retrievers in order, and at their places what other spans say.

    A run within another tool's is nested. A run of a tool within a run of the same tool is one call that two layers of
    a framework recorded, and the inner one tells more; a name in parentheses is none. Runs that began at one moment, as
    far as the trace tells moments apart, have no order among them. Without a run, what models asked for counts.
    """
    by_identity = {span.identity: span for span in spans if span.identity}
    repeated = set(_repeated(spans, by_identity))
    runs = {id(span) for span in spans if span.is_run and span.identity not in repeated and span.called[:1] != "("}
    chats = _Chats(recorder=recorder, conversation=Conversation(recorder), has_calls=not runs)
    if needs_answers:
        asked = (message for span in spans if span.has_chat for message in messages_of(span.own, "input"))
        chats.answered = {answer.call_id for message in asked for answer in message.answers}
    begun: dict[int, list[int]] = {}
    for span in spans:
        if not span.is_run:
            chats.read(span)
        elif id(span) in runs:
            above = [each for each in _above(span, by_identity) if each.identity not in repeated]
            index = _record_run(span, above, recorder)
            if index is not None and span.start and recorder.calls[index].kind is CallKind.TOOL:
                begun.setdefault(span.start, []).append(index)
    chats.conversation.finish()
    for together in begun.values():
        recorder.join(together)


def _record_run(span: Span, above: Sequence[Span], recorder: Recorder) -> int | None:
    """Record a run, with the spans around it."""
    in_tool = any(each.kind is Kind.TOOL for each in above)
    parent = next((each.tool or each.name for each in above if each.kind in (Kind.TOOL, Kind.AGENT)), None)
    kind = CallKind.NESTED if in_tool else CallKind.TOOL if span.kind is Kind.TOOL else CallKind.RETRIEVER
    identity = span.call_id or (span.identity if not span.identity.startswith("#") else "") or None
    call = CallRequest(name=span.called, given=span.arguments, call_id=identity, time=named(span.own, "start"))
    is_answered = span.result is not None or span.error is not None
    answer = Answer(value=span.result, error=span.error) if is_answered else None
    return recorder.call(call, answer=answer, parent=parent, kind=kind)


_PHASE = re.compile(r".+\.(?:start|update|partial_update|success|finish|error|retry)(?:-\d+)?")
"""the name of a span that tells how far a run is"""


def _above(span: Span, by_identity: Mapping[str, Span]) -> Iterator[Span]:
    """Yield the spans around a span, the nearest first."""
    seen = {span.identity}
    above = by_identity.get(span.parent)
    while above is not None and above.identity not in seen:
        yield above
        seen.add(above.identity)
        above = by_identity.get(above.parent)


def _repeated(spans: Sequence[Span], by_identity: Mapping[str, Span]) -> Iterator[str]:
    """Yield the identities of tools' spans around a span of the same tool, or of this one where it tells less."""
    for span in spans:
        above = by_identity.get(span.parent)
        are_tools = above is not None and span.kind is above.kind is Kind.TOOL
        if above is not None and are_tools and folded(span.called) == folded(above.called):
            yield span.identity if span.arguments is None and above.arguments is not None else above.identity


# --- what models were asked and said -------------------------------------------------------------

_TEXTS = ("reasoning", "thought", "thinking", "content", "text", "answer", "output")


@dataclass
class _Chats:
    """Records what models were asked and said, in the messages of their spans.

    With ``has_calls`` the calls that they ask for count; where ``answered`` has the identities of calls, those alone.
    """

    recorder: Recorder
    conversation: Conversation
    has_calls: bool
    answered: set[str | None] | None = None
    homes: int = 0

    def read(self, span: Span) -> None:
        own, is_model = span.own, span.kind is Kind.MODEL
        self.recorder.fields(own)
        asked = messages_of(own, "input")
        by_user = [each for each in asked if each.role == "user"]
        if is_model or (self.has_calls and span.has_chat):
            self._chat(asked if self.has_calls else by_user, span)
        if not is_model or not by_user:
            requests = (text for each in by_user for text in each.texts)
            self.recorder.ask(next(requests, None) or _only_text(own.get("input.value") or side(own, "input")))
        if not span.has_chat:
            return
        said = messages_of(own, "output")
        self._chat(said, span)
        if is_model and not any(each.texts for each in said):
            _say(parsed(side(own, "output") or own.get("output.value")), self.recorder)

    def _chat(self, messages: Iterable[Message], span: Span) -> None:
        self.homes += 1
        is_model = span.kind is Kind.MODEL or span.own.get("gen_ai.output.messages") is not None
        for message in messages:
            told = tuple(filter(self._is_answered, message.told)) if self.has_calls else ()
            texts = message.texts if is_model else ()
            self.conversation.read(replace(message, told=told, texts=texts), self.homes)

    def _is_answered(self, part: Part) -> bool:
        """Return whether a call has an answer; without, it may be how a model was asked to answer, or be cut off."""
        if part.call is None or self.answered is None or part.call.call_id in self.answered:
            return True
        if part.call.name != _STRUCTURED:
            self.recorder.miss(f"a model asks for {part.call.name}, and no answer stands in the trace")
        return False


_STRUCTURED = "final_result"
"""what Pydantic AI calls the tool by which a model answers"""


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


def _record_listed(roots: Sequence[_Object], recorder: Recorder) -> None:
    """Record the calls in the outermost lists ``tools_called``, which DeepEval's spans have."""
    for span in units(roots, lambda each: bool(value_at(each, "tools_called"))):
        for part in (read_part(tool, is_call=True) for tool in at(span, "tools_called[]")):
            if part.call is not None:
                recorder.call(part.call, answer=part.answer, parent=first_text(span, ("name",)))
    recorder.says_none = any(value_at(root, "tools_called") == [] for root in roots)


def _only_text(value: object) -> str | None:
    """Return a text, or the only one of an object."""
    value = parsed(value)
    texts = [each for each in value.values() if isinstance(each, str)] if isinstance(value, Mapping) else [value]
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else None
