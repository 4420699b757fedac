"""The formats of traces as a table: what the objects of each are known by, and the paths at which they say what.

A ``Row`` has messages and lists of calls at paths, ``Spans`` have names of their own; what has no row is read by the
keys that calls have everywhere (``records``). How makers wrap a message and its parts is a table of ``messages``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from validator.reading.calls.objects import Asked, read_object
from validator.reading.traces.conversation import chat_units, read_chats
from validator.reading.traces.paths import value_at
from validator.reading.traces.recording import Recorder
from validator.reading.traces.records import read_records
from validator.reading.traces.rows import Listed, Row, read_rows, read_steps
from validator.reading.traces.spans import Spans, read_spans
from validator.records import replace

__all__ = ["FORMATS", "UNREAD"]

_Read: TypeAlias = Callable[[object, Recorder], None]

_ADK_CASE = "Google ADK evaluation set"
_ADK = (
    Row(
        name=_ADK_CASE,  # as older sets have it, a query with the tools that it should use
        when="query, expected_tool_use:list",
        asks=("query",),
        calls=Listed(at="expected_tool_use[]", name="tool_name", arguments="tool_input"),
    ),
    Row(name="Google ADK session", when="events[].author", chats=("events",)),  # its state says nothing more
    Row(
        name=_ADK_CASE,  # the calls of a case are those that its author expects in each turn
        when="conversation[].intermediate_data:object",
        each="conversation[]",
        asks=("user_content.parts[].text",),
        chats=("intermediate_data.invocation_events",),
        calls=Listed(at="intermediate_data.tool_uses[]"),
        answers=Listed(at="intermediate_data.tool_responses[]", result="response"),
    ),
)

_RUN_STATE = Row(
    name="OpenAI Agents SDK run state",
    when="generated_items:list, model_responses|original_input",
    asks=("original_input",),
    chats=("original_input", "session_items", "generated_items", "model_responses"),
)

_INSPECT_CALLS = Listed(
    at="events[]", when="event=tool, function:text", name="function", arguments="arguments", result="result"
)
_SAMPLE = Row(
    name="Inspect AI log", when="messages|events:list, epoch, target", chats=("messages",), calls=_INSPECT_CALLS
)
_INSPECT = (
    replace(_SAMPLE, when="samples[].epoch, samples[].target, eval|plan|status|version", each="samples[]"),
    _SAMPLE,
)
_INSPECT_EVENTS = Row(
    name=_SAMPLE.name,
    when="timestamp, event=tool|model|state|store|info|score|error|logger|sample_init|sample_limit|input|span_begin"
    "|span_end|step|subtask|approval|sandbox|compaction|anchor|branch",
    needs=_INSPECT_CALLS.when,
    calls=replace(_INSPECT_CALLS, at=""),
)

_MCP = Row(
    name="MCP messages",
    when="method=tools/call, params:object or jsonrpc, !method=tools/call, method|result|error"
    " or method:text, !method=tools/call, params, id"
    " or id, result.content|result.structuredContent",
    needs="method or jsonrpc",
    fields="result",
    calls=Listed(when="method=tools/call, params:object", name="params.name", arguments="params.arguments"),
    answers=Listed(when="!method, result|error", result="result", error="error|result.isError"),
    is_strict=True,  # a log of both sides has each twice, and requests of other kinds
    are_under_way=True,
)

_SWE_AGENT = Row(
    name="SWE-agent trajectory", when="trajectory[].action, history:list", chats=("history",), steps="trajectory[]"
)

# --- OpenHands: actions, and observations that name them as their cause ---------------------------

_BOOKKEEPING = frozenset(
    (
        *("thought", "confirmation_state", "security_risk", "hidden", "is_input", "blocking", "is_confirmed"),
        *("wait_for_response", "translated_ipython_code"),
    )
)


def _acted(event: Mapping[str, object]) -> Asked | None:
    """Return the call of an action: as the model asked for it, of a tool of another server, or the action itself."""
    said = value_at(event, "tool_call_metadata.tool_call_id")
    identity = None if said is None else str(said)
    for message, _ in chat_units(value_at(event, "tool_call_metadata.model_response"), lambda _: None):
        for asked in message.calls:
            if asked.call_id == identity:
                return asked
    args = value_at(event, "args")
    given = args if isinstance(args, Mapping) else {}
    inner = read_object(given)
    if "name" in given and isinstance(inner, Asked):  # the action is the envelope
        return replace(inner, call_id=identity)
    given = {key: each for key, each in given.items() if key not in _BOOKKEEPING and each is not None}
    return Asked(name=str(value_at(event, "tool_call_metadata.function_name|action")), given=given, call_id=identity)


_NO_TOOLS = "message|system|start|null|think|recall|finish|reject|change_agent_state|condensation|pause|resume|stop"
_ACTION = Row(
    name="OpenHands events",
    when="action:text, source, id",
    says=("args.thought",),
    calls=Listed(when=f"!action={_NO_TOOLS} or tool_call_metadata.function_name:value or args.name", call=_acted),
    alias="id",
)
_OBSERVED = Listed(identity="cause", result="content", error="")
_OBSERVATION = Row(name=_ACTION.name, when="observation:text, source, id", answers=_OBSERVED, is_strict=True)
_HAS_FAILED = "observation=error, source, id or extras.success=false, observation|action:text, source, id"
_OPENHANDS = (
    replace(_ACTION, when="action:text, source=user, id", asks=("args.content", "message"), says=(), calls=None),
    replace(_ACTION, when="action=message, source, id", says=("args.thought", "args.content")),
    _ACTION,
    replace(_OBSERVATION, when=_HAS_FAILED, answers=replace(_OBSERVED, error="content")),
    _OBSERVATION,
)

# --- spans ---------------------------------------------------------------------------------------

_LANGFUSE = Spans(
    name="Langfuse observations",
    when="trace_id, parent_observation_id|start_time, "
    "type=span|generation|event|agent|tool|chain|retriever|evaluator|embedding|guardrail",
    around="observations",
    needs_answers=True,
)
_LANGSMITH = Spans(name="LangSmith runs", when="run_type:text, name")
_AGENTS_SDK = Spans(name="OpenAI Agents SDK spans", when="span_data:object or object=trace", needs_kinds=True)
_OF_DEEPEVAL = (
    "type=agent|llm|tool|retriever|base, name, "
    "!run_type|observations|trace_id|op_name|span_data|role|tool_call_id|content"
)
_DEEPEVAL = Spans(
    name="DeepEval spans",
    when="agent_spans|llm_spans|tool_spans|retriever_spans|base_spans:list"
    f" or {_OF_DEEPEVAL}, children|tools_called or {_OF_DEEPEVAL}, input, output",
    listed="tools_called",
)
_OPENTELEMETRY = Spans(
    name="OpenTelemetry GenAI spans",
    when="attributes, span_kind or attributes, name, span_id|context|start_time_unix_nano|start_time",
    attributes=(
        "gen_ai.",
        "openinference.",
        "traceloop.",
        "mlflow.",
        "llm.",
        "langsmith.",
        "ai.operation",
        "tool.name",
    ),
    needs_kinds=True,
    names={
        "openinference.span.kind": "OpenInference spans",
        "span_kind": "OpenInference spans",
        "mlflow.span_type": "MLflow spans",
        "traceloop.span.kind": "OpenLLMetry spans",
    },
)
_ANY_SPANS = Spans(  # of any tool that says of each what it is: Braintrust, Opik, Datadog, LangWatch, their kin
    name="spans",
    when="trace_id|root_span_id|root_id|session_id:value, span_id|id|run_id:value, !role, name|*.name:text, "
    "type|run_type|span_type|span_kind|kind|observation_type|*.type|*.kind|*.span_kind:text, "
    "start_time|started_at|start_ns|start|created_at|created|timestamp|*.start|*.started_at"
    "|parent_span_id|parent_id|span_parents|parent_run_id|parent_uuid|parent",
    vague="function",  # any function may be traced
    needs_kinds=True,
)

# --- all of them ---------------------------------------------------------------------------------


def _rows(*rows: Row) -> tuple[str, _Read]:
    return " or ".join(row.when for row in rows), partial(read_rows, rows)


def _spans(form: Spans) -> tuple[str, _Read]:
    return "" if form.attributes else form.when, partial(read_spans, form)


FORMATS: tuple[tuple[str, _Read], ...] = (
    _spans(_LANGFUSE),
    _spans(_LANGSMITH),
    _spans(_AGENTS_SDK),
    _rows(_RUN_STATE),
    _rows(*_ADK),
    _rows(*_INSPECT),
    _rows(_INSPECT_EVENTS),
    _rows(_SWE_AGENT),
    _spans(_DEEPEVAL),
    _spans(_OPENTELEMETRY),
    _rows(_MCP),
    _rows(*_OPENHANDS),
    _spans(_ANY_SPANS),
    ("", read_chats),
    ("action|tool_calls|intermediate_steps|step_id", read_steps),
    ("", read_records),
)
"""The formats, each with a condition that some object of it meets, if there is one for all.

Of two that account for as much of a trace, the first reads it.
"""

UNREAD: Mapping[str, str] = {
    "Weave calls": "op_name:text, inputs",
    "Bedrock agent traces": "invocationInput.traceId|observation.traceId:value",
    "OpenCode sessions": "info.role:value, parts:value",
    "API-Bank dialogues": "api_name, param_dict:value",
    "DSPy trajectories": "tool_name_0",
    "events of which several describe one call": "type|event|kind|event_type|message_type=*tool*[_-]start*"
    "|*tool*[_-]end*|*tool*[_-]finish*|*tool*[_-]complete*|*tool*[_-]delta*|tool_return_message|item.started"
    "|item.completed or qualified_name=*toolcall*",
}
"""What is known and not read, each with a condition on its objects."""
