"""The formats of traces as a table; those that keep messages or plain lists of calls are rows that one walker reads.

A row says where in its outermost objects messages stand, what the user asked, calls and answers, each as a path:
``conversation[].intermediate_data``. Keys are compared as ``spelled`` writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from validator.reading.calls.objects import Asked, read_object
from validator.reading.traces.conversation import Conversation, chat_units, read_chats
from validator.reading.traces.events import KINDS, read_tool_events
from validator.reading.traces.recording import Recorder
from validator.reading.traces.records import read_records, read_steps, read_swe_agent
from validator.reading.traces.span_runs import request
from validator.reading.traces.spans import SPANS, read_spans
from validator.reading.traces.walk import at, units, value_at
from validator.records import dataclass, replace

__all__ = ["FORMATS"]

_Object: TypeAlias = Mapping[str, object]
_Read: TypeAlias = Callable[[object, Recorder], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Where calls or answers are listed, which of the objects there are some, and the paths of what each says.

    ``call`` reads what no paths can tell.
    """

    at: str = ""
    only_if: Callable[[_Object], bool] = lambda _: True
    name: str = "name"
    arguments: str = "args"
    identity: str = "id"
    result: str = ""
    error: str = "error"
    call: Callable[[_Object], Asked | None] | None = None

    def within(self, value: object) -> Iterator[_Object]:
        for each in at(value, self.at):
            yield from units(each, self.only_if, lambda _: None)

    def asked(self, each: _Object) -> Asked | None:
        if self.call is not None:
            return self.call(each)
        name, identity = value_at(each, self.name), value_at(each, self.identity)
        call_id = None if identity is None else str(identity)
        return Asked(name=name if isinstance(name, str) else "", given=value_at(each, self.arguments), call_id=call_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kind of outermost objects; what stands at ``each`` is read by itself, its calls where its chats have none.

    Plans and declarations of tools are looked for at ``fields``. A log with ``is_strict`` tells of each call by its
    identity once and of others besides: what asks again, and what answers nothing that is known, is passed over.
    Where ``are_under_way``, calls before the first answer were made at once.
    """

    name: str
    is_unit: Callable[[_Object], bool]
    each: str = ""
    asks: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()
    fields: str = ""
    calls: Listed | None = None
    answers: Listed | None = None
    alias: str = ""
    is_strict: bool = False
    are_under_way: bool = False


def read_rows(
    rows: Sequence[Row],
    value: object,
    recorder: Recorder,
    *,
    counted: Callable[[Sequence[_Object]], Sequence[_Object]] = lambda found: found,
) -> None:
    """Read the objects inside a JSON value that are of some row, as far as they are ``counted``."""
    found = list(units(value, lambda each: any(row.is_unit(each) for row in rows), recorder.fields))
    batch: int | None = None
    for unit in counted(found):
        row = next(row for row in rows if row.is_unit(unit))
        recorder.take(unit)
        recorder.format = row.name
        for part in at(unit, row.each):
            batch = _read(row, part, recorder, batch)


def _read(row: Row, part: object, recorder: Recorder, batch: int | None) -> int | None:
    """Record what a part says; return the number of the calls that are under way."""
    for path in row.asks:
        for asked in at(part, path):
            recorder.ask(request(asked))
    for path in row.says:
        for said in at(part, path):
            recorder.say(said)
    for held in at(part, row.fields) if row.fields else ():
        if isinstance(held, Mapping):
            recorder.fields(held)
    conversation, before = Conversation(recorder), len(recorder.calls)
    for path in row.chats:
        for chat in at(part, path):
            conversation.read_all(chat)
    if row.calls is not None and len(recorder.calls) == before:
        for each in row.calls.within(part):
            call = row.calls.asked(each)
            if call is None or (row.is_strict and recorder.waits_for(call.call_id)):
                continue
            batch = recorder.batch() if row.are_under_way and batch is None else batch
            index = recorder.call(call.name, call.given, call_id=call.call_id, batch=batch)
            if row.alias and index is not None:
                recorder.alias(value_at(each, row.alias), index)
            if row.calls.result:
                recorder.result(index, value_at(each, row.calls.result), value_at(each, row.calls.error))
    if row.answers is not None:
        for each in row.answers.within(part):
            batch, own = None, row.answers
            identity, name = value_at(each, own.identity), value_at(each, own.name)
            if not row.is_strict or recorder.waits_for(identity):
                recorder.answer(
                    identity, value_at(each, own.result), value_at(each, own.error) if own.error else None, name
                )
    return batch


def _members(value: _Object, key: str) -> Sequence[_Object]:
    """Return the members of a list, if these are all objects."""
    listed = value.get(key)
    found = listed if isinstance(listed, list) else []
    return found if all(isinstance(each, Mapping) for each in found) else []


# --- Google ADK ----------------------------------------------------------------------------------


def _is_session(value: _Object) -> bool:
    events = _members(value, "events")
    return bool(events) and all("author" in each for each in events)


_ADK_CASE = "Google ADK evaluation set"
_ADK = (
    Row(
        name=_ADK_CASE,  # as older sets have it, a query with the tools that it should use
        is_unit=lambda value: "query" in value and isinstance(value.get("expected_tool_use"), list),
        asks=("query",),
        calls=Listed(at="expected_tool_use[]", name="tool_name", arguments="tool_input"),
    ),
    Row(name="Google ADK session", is_unit=_is_session, chats=("events",)),
    Row(
        name=_ADK_CASE,
        is_unit=lambda value: any(isinstance(each, Mapping) for each in at(value, "conversation[].intermediate_data")),
        each="conversation[]",
        asks=("user_content.parts[].text",),
        chats=("intermediate_data.invocation_events",),
        calls=Listed(at="intermediate_data.tool_uses[]"),
        answers=Listed(at="intermediate_data.tool_responses[]", result="response"),
    ),
)
"""What else a session holds says nothing more; the calls of a case are those that its author expects in each turn."""


# --- OpenAI's Agents SDK -------------------------------------------------------------------------


def _is_state(value: _Object) -> bool:
    return isinstance(value.get("generated_items"), list) and ("model_responses" in value or "original_input" in value)


_RUN_STATE = (
    Row(
        name="OpenAI Agents SDK run state",
        is_unit=_is_state,
        asks=("original_input",),
        chats=("original_input", "session_items", "generated_items", "model_responses"),
    ),
)
"""The items that a run generated; the responses of its models have them once more."""


# --- Inspect AI ----------------------------------------------------------------------------------


def _is_sample(value: _Object) -> bool:
    return isinstance(value.get("messages") or value.get("events"), list) and "epoch" in value and "target" in value


def _is_log(value: _Object) -> bool:
    samples = value.get("samples")
    is_list = isinstance(samples, list) and any(isinstance(each, Mapping) and _is_sample(each) for each in samples)
    return is_list and not {"eval", "plan", "status", "version"}.isdisjoint(value)


_EVENTS = frozenset(
    (
        *(
            "tool",
            "model",
            "state",
            "store",
            "info",
            "score",
            "error",
            "logger",
            "sample_init",
            "sample_limit",
            "input",
        ),
        *(
            "input",
            "span_begin",
            "span_end",
            "step",
            "subtask",
            "approval",
            "sandbox",
            "compaction",
            "anchor",
            "branch",
        ),
    )
)


def _is_event(value: _Object) -> bool:
    kind = value.get("event")
    return isinstance(kind, str) and kind in _EVENTS and "timestamp" in value


def _is_tool_event(event: _Object) -> bool:
    return event.get("event") == "tool" and isinstance(event.get("function"), str)


def _samples_or_events(found: Sequence[_Object]) -> Sequence[_Object]:
    """Return samples, else the events of one; there are some only where a tool is called."""
    samples = [each for each in found if not _is_event(each)]
    return samples or (found if any(map(_is_tool_event, found)) else [])


_TOOL_EVENTS = Listed(at="events", only_if=_is_tool_event, name="function", arguments="arguments", result="result")
_SAMPLE = Row(
    name="Inspect AI log",
    is_unit=_is_sample,
    chats=("messages",),
    calls=_TOOL_EVENTS,
)
_INSPECT = (
    replace(_SAMPLE, is_unit=_is_log, each="samples[]"),
    _SAMPLE,
    replace(_SAMPLE, is_unit=_is_event, chats=(), calls=replace(_TOOL_EVENTS, at="")),
)


# --- OpenHands -----------------------------------------------------------------------------------

_NO_TOOLS = frozenset(
    "message system start null think recall finish reject change_agent_state condensation pause resume stop".split()  # noqa: SIM905
)
_BOOKKEEPING = frozenset(
    (
        *("thought", "confirmation_state", "security_risk", "hidden", "is_input", "blocking", "is_confirmed"),
        *("wait_for_response", "translated_ipython_code"),
    )
)


def _is_openhands(value: _Object) -> bool:
    acts = isinstance(value.get("action"), str) or isinstance(value.get("observation"), str)
    return acts and "source" in value and "id" in value


def _has_failed(event: _Object) -> bool:
    return event.get("observation") == "error" or value_at(event, "extras.success") is False


def _acted(event: _Object) -> Asked | None:
    """Return the call of an action: as the model asked for it, of a tool of another server, or the action itself."""
    told = value_at(event, "tool_call_metadata.tool_call_id")
    identity = None if told is None else str(told)
    for message, _ in chat_units(value_at(event, "tool_call_metadata.model_response"), lambda _: None):
        for asked in message.calls:
            if asked.call_id == identity:
                return asked
    args = value_at(event, "args")
    own: _Object = args if isinstance(args, Mapping) else {}
    inner = read_object(own)
    if "name" in own and isinstance(inner, Asked):  # the action is the envelope
        return replace(inner, call_id=identity)
    name = value_at(event, "tool_call_metadata.function_name")
    if name is None and event["action"] in _NO_TOOLS:
        return None
    given = {key: each for key, each in own.items() if key not in _BOOKKEEPING and each is not None}
    return Asked(name=str(name or event["action"]), given=given, call_id=identity)


_ACTION = Row(
    name="OpenHands events",
    is_unit=lambda value: _is_openhands(value) and isinstance(value.get("action"), str),
    says=("args.thought",),
    calls=Listed(call=_acted),
    alias="id",
)
_OBSERVED = Listed(identity="cause", result="content", error="")
_OBSERVATION = Row(name=_ACTION.name, is_unit=_is_openhands, answers=_OBSERVED, is_strict=True)
_OPENHANDS = (
    replace(
        _ACTION,
        is_unit=lambda value: _ACTION.is_unit(value) and value.get("source") == "user",
        asks=("args.content", "message"),
        says=(),
        calls=None,
    ),
    replace(
        _ACTION,
        is_unit=lambda value: _ACTION.is_unit(value) and value.get("action") == "message",
        says=("args.thought", "args.content"),
    ),
    _ACTION,
    replace(
        _OBSERVATION,
        is_unit=lambda value: _is_openhands(value) and _has_failed(value),
        answers=replace(_OBSERVED, error="content"),
    ),
    _OBSERVATION,
)


# --- MCP -----------------------------------------------------------------------------------------


def _is_rpc(value: _Object) -> bool:
    if value.get("method") == "tools/call":
        return isinstance(value.get("params"), Mapping)
    if "jsonrpc" in value:
        return not {"method", "result", "error"}.isdisjoint(value)
    return isinstance(value.get("method"), str) and "params" in value and "id" in value


def _is_rpc_or_answer(value: _Object) -> bool:
    result = value.get("result")
    is_answer = isinstance(result, Mapping) and not {"content", "structuredContent"}.isdisjoint(result)
    return _is_rpc(value) or ("id" in value and is_answer)


_MCP = (
    Row(
        name="MCP messages",
        is_unit=_is_rpc_or_answer,
        fields="result",
        calls=Listed(
            only_if=lambda each: each.get("method") == "tools/call" and isinstance(each.get("params"), Mapping),
            name="params.name",
            arguments="params.arguments",
        ),
        answers=Listed(
            only_if=lambda each: "method" not in each and not {"result", "error"}.isdisjoint(each),
            result="result",
            error="error|result.isError",
        ),
        is_strict=True,  # a log of both sides has each twice, and requests of other kinds
        are_under_way=True,
    ),
)


# --- agents of Amazon Bedrock --------------------------------------------------------------------

_BEDROCK_AGENT = (
    Row(
        name="Bedrock agent trace",
        is_unit=lambda value: value_at(value, "invocationInput.traceId|observation.traceId") is not None,
        calls=Listed(
            at="invocationInput",
            name="actionGroupInvocationInput.function|actionGroupInvocationInput.apiPath",
            arguments="actionGroupInvocationInput.parameters",
            identity="traceId",
            only_if=lambda each: "actionGroupInvocationInput" in each,
        ),
        answers=Listed(at="observation", identity="traceId", result="actionGroupInvocationOutput.text", error=""),
        is_strict=True,
    ),
)


# --- all of them ---------------------------------------------------------------------------------


def _spans(name: str) -> tuple[tuple[str, ...], _Read]:
    form = SPANS[name]
    return form.marks, partial(read_spans, form)


FORMATS: tuple[tuple[tuple[str, ...], _Read], ...] = (
    _spans("langfuse"),
    _spans("langsmith"),
    _spans("agents_sdk"),
    (("generated_items",), partial(read_rows, _RUN_STATE)),
    (("author", "conversation", "expected_tool_use"), partial(read_rows, _ADK)),
    (("samples", "epoch", "event"), partial(read_rows, _INSPECT, counted=_samples_or_events)),
    (("orchestrationTrace",), partial(read_rows, _BEDROCK_AGENT)),
    (("trajectory",), read_swe_agent),
    _spans("deepeval"),
    _spans("opentelemetry"),
    _spans("weave"),
    (
        ("jsonrpc", "method"),
        partial(read_rows, _MCP, counted=lambda found: found if any(map(_is_rpc, found)) else ()),
    ),
    (("source",), partial(read_rows, _OPENHANDS)),
    _spans("any"),
    (("role", "type", "kind", "source", "delta", "from", "_role"), read_chats),
    (("action", "tool_calls", "toolCalls", "tool_name_0", "intermediate_steps", "step_id"), read_steps),
    (KINDS, read_tool_events),
    ((), read_records),
)
"""The formats, each with keys (or their beginnings, up to a dot) of which one is in what it reads.

Of two that account for as much of a trace, the first reads it.
"""
