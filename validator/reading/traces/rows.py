"""The table of logs and steps: kinds of objects that are no messages, and the messages that say the same.

{"thought": "...", "action": "find_file x.py", "observation": "Found 1 match"}    SWE-agent: commands as text
{"action": {"tool": "search", "tool_input": "x"}, "observation": "..."}           LangChain's steps, ReAct's
{"step_number": 1, "tool_calls": [...], "observations": "..."}                    smolagents, ATIF
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TypeAlias

from validator.reading.calls.objects import CallRequest, read_object
from validator.reading.traces.messages import Message, is_message, read_message
from validator.reading.traces.parts import Answer, Part, read_part, written_call
from validator.reading.traces.paths import at, first_value, meets, parsed, value_at
from validator.records import dataclass, replace

_Object: TypeAlias = Mapping[str, object]
_Says: TypeAlias = "str | Mapping[str, str] | Callable[[_Object], Iterator[Message]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A kind of objects, by the condition ``when``, and what each says, in order.

    That is the path of a chat, which is read as any other; a message, by the paths of what stands under its plain keys,
    or ``=`` and the value, one for each part at the path ``each``; or what a function makes of the object. ``has`` is
    what no condition can say of it. A log with ``is_log`` has answers that are for no call, and with ``is_twice`` each
    call once more for the other side.
    """

    name: str
    when: str
    says: tuple[_Says, ...] = ()
    has: Callable[[_Object], object] = bool
    is_log: bool = False
    is_twice: bool = False

    def parts(self, value: _Object) -> Iterator[object]:
        """Yield what an object says: messages, and chats to be read."""
        for each in self.says:
            if isinstance(each, str):
                chats = at(value, each)
                yield from (Message(role="user", texts=(part,)) if isinstance(part, str) else part for part in chats)
            elif isinstance(each, Mapping):
                yield from (self._marked(message) for message in _plain(each, value))
            else:
                yield from map(self._marked, each(value))

    def _marked(self, message: Message) -> Message:
        return replace(message, is_log=self.is_log, is_twice=self.is_twice, is_item=self.is_twice)


def _plain(paths: Mapping[str, str], value: _Object) -> Iterator[Message]:
    for part in at(value, paths.get("each", "")):
        plain = {
            key: path[1:] if path.startswith("=") else value_at(part, path)
            for key, path in paths.items()
            if key != "each"
        }
        message = read_message(plain)
        if message is not None:
            yield message


# --- steps ---------------------------------------------------------------------------------------

_THOUGHTS = ("thought", "thinking", "reasoning", "response", "log", "message", "model_output")
_OBSERVED = ("observation", "observations", "tool_output", "result", "output")


def _pairs(value: _Object) -> Iterator[Message]:
    """Yield what LangChain's pairs of an action and what was observed say."""
    for pair in at(value, "intermediate_steps[]"):
        if isinstance(pair, list | tuple) and len(pair) == 2:
            action, seen = pair
            stored = action.get("kwargs") if isinstance(action, Mapping) and action.get("lc") else None
            yield from _step({"action": stored or action, "observation": seen})
        elif isinstance(pair, Mapping):
            yield from _step(pair)


def _step(step: _Object) -> Iterator[Message]:
    """Yield what a step says: its thoughts with its calls, and what was observed."""
    (told, holder), is_guessed = _calls_of(step), False
    step = {**holder, **step}
    if not told:
        call, is_guessed = _acted(step)
        told = [] if call is None else [Part(call=call)]
    observed = first_value(step, _OBSERVED)
    results = value_at(observed, "results") if isinstance(observed, Mapping) else value_at(step, "tool_results")
    if isinstance(results, list):
        answers = [read_part({"type": "tool_result", **each}) for each in results if isinstance(each, Mapping)]
    else:
        answers = []
        if len(told) == 1 and observed is not None:
            told = [replace(told[0], answer=Answer(value=observed, error=step.get("error") or None))]
    texts = tuple(text for key in _THOUGHTS if isinstance(text := step.get(key), str))
    is_asked_at_once = step.get("type") == "tool_calls"  # a step of a run of OpenAI's Assistants
    if all(part.answer for part in told) and not is_asked_at_once:  # what was done, one after the other
        yield from (Message(role="assistant", told=(part,)) for part in told[:-1])
        told = told[-1:]
    yield Message(role="assistant", texts=texts, told=(*told, *answers), is_guessed=is_guessed)


def _calls_of(value: _Object) -> tuple[list[Part], _Object]:
    """Return the calls that stand in an object or in its details, none of which is a message, and what holds them."""
    around = () if is_message(value) else (value, *at(value, "*"))
    for part in around:
        for listed in at(part, "tool_calls") + at(part, "toolCalls") if isinstance(part, Mapping) else ():
            calls = [read_part(call, is_call=True) for call in listed] if isinstance(listed, list) else []
            if any(each.call for each in calls) and isinstance(part, Mapping) and not is_message(part):
                return [each for each in calls if each.call], part
    return [], {}


def _asked_first(value: _Object) -> Iterator[Message]:
    """Yield what the user asks first in the history beside steps, which says them again."""
    history = (read_message(each) for each in at(value, "history[]") if isinstance(each, Mapping))
    asked = (each for each in history if each is not None and each.role == "user" and not each.raw.get("is_demo"))
    yield from islice(asked, 1)


def _piece(piece: _Object) -> Iterator[Message]:
    yield Message(role="assistant", missed=("the pieces of a streamed answer are not put together",))


def _in_envelope(row: _Object) -> Iterator[Message]:
    """Yield the message of a row of Claude Code, with the call of an agent inside which it stands, if it does."""
    identity, inner = row.get("parent_tool_use_id"), row["message"]
    inside = identity if isinstance(identity, str) and identity else "" if row.get("isSidechain") is True else None
    message = read_message(inner) if isinstance(inner, Mapping) else None
    if message is not None:
        yield replace(message, inside=inside)


def _named_by_action(event: _Object) -> Iterator[Message]:
    """Yield the call of an event of OpenHands that names no tool; what it was given stands among other things."""
    thought = value_at(event, "args.thought")
    texts = (thought,) if isinstance(thought, str) else ()
    yield Message(role="assistant", texts=texts, told=(Part(call=CallRequest(name=str(event["action"]))),))


_FIRST = re.compile(r"\s*(?P<name>[^\s(\[{;|&<>]+)")


def _acted(step: _Object) -> tuple[CallRequest | None, bool]:
    """Return what a step did: a call as an object or as it is written, else a command with its name, which is a guess.

    How the rest of a command is split into arguments is not recorded, so that they are unknown.
    """
    action = parsed(step.get("action"))
    if isinstance(action, Mapping):
        call = read_object(action)
        return (call if isinstance(call, CallRequest) else None), False
    if not isinstance(action, str):
        return None, False
    beside = read_object(step)
    if isinstance(beside, CallRequest) and beside.given is not None:
        return beside, False
    written = written_call(action)
    if written is not None:
        return written, False
    match = _FIRST.match(action)
    return (None, False) if match is None else (CallRequest(name=match["name"]), True)


# --- the table -----------------------------------------------------------------------------------

_LATER = "type=ping|message_stop|response.*.added|response.*.delta|response.in_progress|response.created"
_LATER += "|response.queued|response.*.in_progress|response.*.searching|response.*.interpreting"
"""What tells in a stream of an item that comes whole later."""
_STREAMED = "type=message_start|message_delta|content_block_* or choices[].delta or message_start|content_block_start"
_STREAMED += "|content_block_delta, !role or event_type=step.start|step.delta or type=tool-call-*|message-*|content-*"
_STREAMED += ", delta or candidates[].content.parts[].function_call.will_continue|candidates[].content.parts[]"
_STREAMED += ".function_call.partial_args:value"
"""A piece of an answer that OpenAI, Anthropic, Bedrock, Gemini or Cohere streams."""
_CASE = "Google ADK evaluation set"
_INSPECT = "Inspect AI log"
_MCP = "MCP messages"
_OPENHANDS = "OpenHands events"
_SWE_AGENT = "SWE-agent trajectory"
_SILENT = "message|system|start|null|think|recall|finish|reject|change_agent_state|condensation|pause|resume|stop"

ROWS: tuple[Row, ...] = (
    Row(name="", when=_LATER),
    Row(name="", when=_STREAMED, says=(_piece,)),
    Row(name="Anthropic messages", when="isSidechain|parent_tool_use_id, message.role", says=(_in_envelope,)),
    Row(
        name="OpenAI Agents SDK run state",
        when="generated_items:list, model_responses|original_input",
        says=("original_input", "session_items", "generated_items", "model_responses"),
    ),
    Row(
        name=_CASE,
        when="query, expected_tool_use:list",
        says=(
            {"role": "=user", "content": "query"},
            {"each": "expected_tool_use[]", "role": "=assistant", "tool_calls": ""},
        ),
    ),
    Row(name="Google ADK session", when="events[].author", says=("events",)),  # its state says nothing more
    Row(name=_CASE, when="conversation[].intermediate_data:object", says=("conversation",)),
    Row(
        name=_CASE,
        when="intermediate_data.invocation_events[]",
        says=({"role": "=user", "content": "user_content"}, "intermediate_data.invocation_events"),
    ),
    Row(  # the calls are those that the author of the case expects
        name=_CASE,
        when="intermediate_data:object",
        says=(
            {"role": "=user", "content": "user_content"},
            {"each": "intermediate_data.tool_uses[]", "role": "=assistant", "tool_calls": ""},
            {"each": "intermediate_data.tool_responses[]", "role": "=tool", "content": "response", "name": "name"}
            | {"tool_call_id": "id"},
        ),
    ),
    Row(name=_INSPECT, when="samples[].epoch, samples[].target, eval|plan|status|version", says=("samples",)),
    Row(name=_INSPECT, when="epoch, target, messages[]", says=("messages",)),
    Row(name=_INSPECT, when="epoch, target, events:list", says=("events",)),
    Row(
        name=_INSPECT,
        when="event=tool, timestamp, function:text",
        says=({"role": "=assistant", "tool_calls": ""},),
    ),
    Row(
        name=_INSPECT,
        when="timestamp, event=state|store|info|score|error|logger|sample_init|sample_limit|input|span_begin|span_end"
        "|step|subtask|approval|sandbox|compaction|anchor|branch",
    ),
    Row(name=_SWE_AGENT, when="trajectory[].action, history[].tool_calls[]", says=("history",)),
    Row(name=_SWE_AGENT, when="trajectory[].action, history:list", says=(_asked_first, "trajectory")),
    Row(
        name=_MCP,
        when="method=tools/call, params:object",
        says=({"role": "=assistant", "tool_calls": ""},),
        is_log=True,
        is_twice=True,
    ),
    Row(name=_MCP, when="jsonrpc, result.tools:list", says=("result",)),
    Row(
        name=_MCP,
        when="jsonrpc, !method, result|error or id, !method, result.content|result.structuredContent",
        says=({"role": "=tool", "tool_call_id": "id", "content": "result", "error": "error|result.isError"},),
        is_log=True,
        is_twice=True,
    ),
    Row(name=_MCP, when="jsonrpc, method or method:text, params, id"),
    Row(
        name=_OPENHANDS,
        when="action:text, source=user, id",
        says=({"role": "=user", "content": "args.content|message"},),
    ),
    Row(
        name=_OPENHANDS,
        when=f"action={_SILENT}, source, id, !tool_call_metadata.function_name, !args.name",
        says=({"role": "=assistant", "thought": "args.thought", "content": "args.content"},),
    ),
    Row(
        name=_OPENHANDS,
        when="action:text, args.name:text, source, id, !observation",
        says=({"role": "=assistant", "thought": "args.thought", "tool_calls": "args"},),
    ),
    Row(
        name=_OPENHANDS,
        when="action:text, tool_call_metadata.function_name:text, source, id, !observation",
        says=({"role": "=assistant", "thought": "args.thought", "tool_calls": "tool_call_metadata"},),
    ),
    Row(name=_OPENHANDS, when="action:text, source, id, !observation", says=(_named_by_action,)),
    Row(name=_OPENHANDS, when=f"observation={_SILENT}, source, id"),
    Row(
        name=_OPENHANDS,
        when="observation=error, source, id",
        says=({"role": "=tool", "content": "content", "error": "content"},),
    ),
    Row(
        name=_OPENHANDS,
        when="observation:text, source, id",
        says=({"role": "=tool", "content": "content", "success": "extras.success"},),
    ),
    Row(name="steps", when="step_id, source=user, message", says=({"role": "=user", "content": "message"},)),
    Row(name="steps", when="intermediate_steps[]", says=(_pairs,)),
    Row(name="steps", when="action:text|object, observation|observations", says=(_step,)),
    Row(name="steps", when="step_id, source, message", says=(_step,)),
    Row(
        name="steps",
        when="tool_calls|*.tool_calls, !role|run_type|steps",
        says=(_step,),
        has=lambda value: _calls_of(value)[0],
    ),
)

ANY_ROW = " or ".join(row.when for row in ROWS)


def row_of(value: _Object) -> Row | None:
    """Return the row of an object; None for what is of none."""
    if not meets(value, ANY_ROW):
        return None
    return next((row for row in ROWS if meets(value, row.when) and row.has(value)), None)
