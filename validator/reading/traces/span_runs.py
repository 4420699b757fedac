"""What spans tell of a run: calls of tools in the order of their start, and what models were asked and said."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from validator.reading.calls import CallKind, folded
from validator.reading.calls.objects import Asked, read_object
from validator.reading.traces.messages import Message, read_message
from validator.reading.traces.parts import Told
from validator.reading.traces.recording import Recorder
from validator.reading.traces.span_values import Attributes, Kind, Span, plain_name
from validator.reading.traces.walk import parsed, units
from validator.records import replace

__all__ = [
    "asked_names",
    "attributes_of",
    "messages_of",
    "record_asked",
    "record_runs",
    "record_said",
    "request",
    "with_tools",
]


_SAYS = ("message", "content", "gen_ai.event.content", "body")


def attributes_of(own: Mapping[str, object]) -> Attributes:
    """Return what a span says of itself under dotted names: in attributes, metadata and events, or at the top."""
    found, metadata = own.get("attributes"), parsed(own.get("metadata"))
    inner = metadata.get("attributes") if isinstance(metadata, Mapping) else None
    if isinstance(found, list | Mapping):
        kind = {"span_kind": own["span_kind"]} if "span_kind" in own else {}
        return Attributes(found, kind, _told_by_events(own.get("events")))
    dotted = {key.removeprefix("attributes."): each for key, each in own.items() if "." in key}
    return Attributes(dotted, inner, metadata)


def _told_by_events(events: object) -> dict[str, object]:
    """Return the attributes that the events of a span stand for: messages, and what a tool was given and yielded."""
    asked, answered, given = [], [], None
    for name, own in _named(events):
        role, _, what = name.removeprefix("gen_ai.").partition(".")
        if name == "gen_ai.choice":
            answered.append(_message("assistant", own))
        elif what == "message" and role in ("system", "user", "assistant", "tool"):
            given = _content(own) if role == "tool" else given
            asked.append(_message(role, own))
        elif own.first(("gen_ai.input.messages", "gen_ai.output.messages")) is not None:
            return {key: own.get(key) for key in own}
    found: dict[str, object] = {}
    if asked or answered:
        found |= {"gen_ai.input.messages": asked, "gen_ai.output.messages": answered}
    if given is not None:
        found["gen_ai.tool.call.arguments"] = given
    if len(answered) == 1 and given is not None:
        found["gen_ai.tool.call.result"] = answered[0]["content"]
    return found


def _named(events: object) -> Iterator[tuple[str, Attributes]]:
    for event in events if isinstance(events, list) else ():
        if isinstance(event, Mapping):
            yield str(event.get("name") or ""), Attributes(event.get("attributes"), event.get("body"))


def _content(own: Attributes) -> object:
    return parsed(own.first(_SAYS))


def _message(role: str, own: Attributes) -> dict[str, object]:
    said = _content(own)
    if isinstance(said, Mapping) and ("content" in said or "tool_calls" in said or "toolUse" in said):
        return {"role": role, "content": None, **said}
    calls = parsed(own.get("tool_calls"))
    beside = {"tool_calls": calls} if isinstance(calls, list) else {}
    identity = own.first(("id", "tool_call_id"))
    return {"role": role, "content": said, **beside, **({"tool_call_id": identity} if role == "tool" else {})}


_TEXTS = ("reasoning", "thought", "thinking", "content", "text", "answer", "output")


def messages_of(attributes: Attributes, side: str, raw: object) -> list[Message]:
    """Return the messages that went into a model (``input``) or came out of it (``output``)."""
    value = parsed(attributes.first((f"gen_ai.{side}.messages", f"llm.{side}_messages")))
    if value is None:
        value = list(_numbered(attributes, _NUMBERED[side])) or parsed(
            attributes.first((f"{side}.value", f"entity.{side}", f"span_{side}s"))
        )
    if value is None:
        value = parsed(raw)
    if isinstance(value, list):
        value = [each.get("message", each) if isinstance(each, Mapping) else each for each in value]
    return list(_messages(value))


def _messages(value: object) -> Iterator[Message]:
    found: list[Message] = []

    def take(each: Mapping[str, object]) -> bool:
        message = read_message(each)
        if message is not None:
            found.append(message)
        return message is not None

    for _ in units(value, take, lambda _: None):
        yield found.pop()


_NUMBERED = {
    "input": ("llm.input_messages.", "gen_ai.prompt."),
    "output": ("llm.output_messages.", "gen_ai.completion."),
}
"""How the keys of flat messages begin: OpenInference's and OpenLLMetry's."""


def _numbered(attributes: Attributes, prefixes: tuple[str, ...]) -> Iterator[Mapping[str, object]]:
    """Yield flat messages: ``llm.output_messages.0.message.content``, ``gen_ai.completion.0.content``."""
    found: dict[str, dict[str, object]] = {}
    for key in attributes:
        prefix = next((each for each in prefixes if key.startswith(each)), None)
        if prefix is not None:
            number, _, rest = key.removeprefix(prefix).partition(".")
            found.setdefault(number, {})[rest.removeprefix("message.")] = attributes.get(key)
    for message in found.values():
        texts = [each for key, each in message.items() if key.startswith("contents.") and key.endswith(".text")]
        message.setdefault("content", "\n".join(map(str, texts)) if texts else None)
        calls: dict[str, dict[str, object]] = {}
        for key in [key for key in message if key.startswith("tool_calls.")]:
            number, _, rest = key.removeprefix("tool_calls.").partition(".")
            rest = rest.removeprefix("tool_call.").removeprefix("function.")
            calls.setdefault(number, {})[rest] = message.pop(key)
        yield {**message, "tool_calls": list(calls.values())} if calls else message


def record_said(messages: Sequence[Message], raw: object, recorder: Recorder) -> None:
    """Take down what a model said: the texts of its messages, else those of its output."""
    spoke = False
    for message in messages:
        for text in message.texts:
            spoke = True
            recorder.say(text)
    if not spoke:
        _say(parsed(raw), recorder)


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


def record_asked(asked: Sequence[Message], answered: Sequence[Message], recorder: Recorder, *, all_calls: bool) -> None:
    """Record the calls that models asked for, of a trace without spans of tools.

    What came back in later input are their results; without ``all_calls`` a call counts only if something did.
    """
    results = {answer.call_id: answer for message in answered for answer in message.answers if answer.call_id}
    for message in asked:
        calls = [call for call in message.calls if all_calls or call.call_id in results]
        batch = recorder.batch() if len(calls) > 1 else None
        for call in calls:
            if recorder.of(call.call_id):
                continue
            recorder.tell(Told(call=call, answer=results.get(call.call_id or "")), batch=batch)


def request(value: object) -> str | None:
    """Return what the user asked: a text, the user's message in a chat, or the only text of an object."""
    value = parsed(value)
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        if isinstance(value.get("messages"), list):
            return request(value["messages"])
        texts = [each for each in value.values() if isinstance(each, str)]
        return texts[0] if len(texts) == 1 else None
    if isinstance(value, list):
        for message in _messages(value):
            if message.role == "user":
                return next(iter(message.texts), None)
    return None


def asked_names(values: Sequence[object]) -> frozenset[str]:
    """Return the folded names of the tools that models asked for, in what they said."""
    found: set[str] = set()

    def take(value: Mapping[str, object]) -> bool:
        call = read_object(value)
        is_call = isinstance(call, Asked) and (call.given is not None or call.call_id is not None)
        if isinstance(call, Asked) and is_call and "role" not in value:
            found.add(folded(call.name))
        return False

    for value in values:
        for _ in units(parsed(value), take, lambda _: None):
            pass
    return frozenset(found)


def with_tools(spans: Sequence[Span], asked: Collection[str]) -> list[Span]:
    """Return spans of which those that do not say what they are count as tools where a model asked for their name."""
    return [
        replace(span, kind=Kind.TOOL) if span.kind is Kind.UNKNOWN and folded(plain_name(span.name)) in asked else span
        for span in spans
    ]


def record_runs(spans: Sequence[Span], recorder: Recorder, other: Callable[[Span], None]) -> None:
    """Record the runs of tools and retrievers in order; ``other`` takes each span that is none, at its place.

    A run within another tool's is nested. A run of a tool within a run of the same tool is one call that two layers of
    a framework recorded, and the inner one tells more; a name in parentheses is none. Runs that began at one moment, as
    far as the trace tells moments apart, have no order among them.
    """
    spans = _joined(spans)
    by_identity = {span.identity: span for span in spans if span.identity}
    repeated = set(_outer(spans, by_identity))
    begun: dict[Fraction, list[int]] = {}
    for span in spans:
        name = span.tool or plain_name(span.name)
        if span.kind not in (Kind.TOOL, Kind.RETRIEVER):
            other(span)
            continue
        if span.identity in repeated or name.startswith("("):
            continue
        above = [each for each in _above(span, by_identity) if each.identity not in repeated]
        in_tool = any(each.kind is Kind.TOOL for each in above)
        parent = next((each.tool or each.name for each in above if each.kind in (Kind.TOOL, Kind.AGENT)), None)
        kind = CallKind.NESTED if in_tool else CallKind.TOOL if span.kind is Kind.TOOL else CallKind.RETRIEVER
        identity = span.call_id or (span.identity if not span.identity.startswith("#") else "") or None
        index = recorder.call(name, span.arguments, call_id=identity, parent=parent, kind=kind)
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
    whole: dict[int, Span] = {}
    left: set[int] = set()
    for (_, name, _), told in phases.items():
        if len(told) > 1:
            given = next((each.arguments for each in told if each.arguments is not None), None)
            done = next((each for each in reversed(told) if each.result is not None or each.error is not None), told[0])
            whole[id(told[0])] = replace(
                told[0],
                name=name,
                tool="",
                arguments=given,
                result=done.result,
                error=done.error,
            )
            left.update(id(each) for each in told[1:])
    return [whole.get(id(span), span) for span in spans if id(span) not in left] if whole else list(spans)


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
        if span.kind is Kind.TOOL and above is not None and above.kind is Kind.TOOL:
            names = {folded(each.tool or plain_name(each.name)) for each in (span, above)}
            if len(names) == 1:
                yield above.identity
