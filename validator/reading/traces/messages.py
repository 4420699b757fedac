"""A message of a chat, in the way of any provider or framework.

A message is told by its structure, wherever it stands: a role, and beside it what was said, asked or answered.
Calls and outputs of OpenAI's Responses and Gemini's interactions are items, objects of their own beside messages.
What makers put around a role and what was said, the table of formats takes off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from validator.reading.calls.objects import CallRequest
from validator.reading.traces.formats import formats, unwrapped
from validator.reading.traces.parts import Answer, Part, read_answer, read_part
from validator.reading.traces.paths import at, meets, parsed
from validator.records import dataclass, field

ITEMS = "OpenAI Responses"
_REASONS = ("reasoning_content", "reasoning", "thinking", "thought")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """``role`` is user, assistant, tool or system; ``told`` is what it says of calls.

    ``form`` names the way in which it is written where that says so; ``missed`` are parts that were not understood.
    ``inside`` is the identity of the call in which an agent says it that another agent called, empty if not told.
    ``is_item`` says that it stands beside messages: calls in items that follow each other were asked for at once.
    ``is_guessed`` says that a command was taken for a call.
    ``is_log`` says that it stands in a log of both sides, which has each call twice, and answers that are for none.
    ``parent`` names the agent of a record, ``batch`` numbers the records that were made at once.
    """

    role: str
    texts: tuple[str, ...] = ()
    told: tuple[Part, ...] = ()
    form: str = ""
    missed: tuple[str, ...] = ()
    inside: str | None = None
    is_item: bool = False
    is_log: bool = False
    is_guessed: bool = False
    is_record: bool = False
    parent: str | None = None
    batch: int | None = None
    raw: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def calls(self) -> list[CallRequest]:
        return [each.call for each in self.told if each.call is not None]

    @property
    def answers(self) -> list[Answer]:
        """Return the answers to calls of other messages."""
        return [each.answer for each in self.told if each.call is None and each.answer is not None]


def is_message(value: Mapping[str, object]) -> bool:
    """Return whether an object is a message, without reading what it says."""
    return bool(_role(value)[0])


def _role(value: Mapping[str, object]) -> tuple[str, str, Mapping[str, object]]:
    """Return the role, the form that a wrapping is a mark of, and the object that says something; no role for none."""
    inner, form = unwrapped(value, "messages")
    role = inner.get("role")
    if not isinstance(role, str) or formats()["keys"]["of_messages"].isdisjoint(inner):
        return "", form, inner
    found = formats()["roles"].get(role.lower())
    if found is None:  # it may be the name of an agent
        parts = _parts(inner.get("content", inner.get("parts")))
        found = "assistant" if inner.get("tool_calls") or any(part.call for part, _ in parts) else ""
    return found, form, inner


def read_message(value: Mapping[str, object]) -> Message | None:
    """Return the message that an object is, or None."""
    role, form, inner = _role(value)
    if not role:
        return None
    if role == "tool" and isinstance(inner.get("tool_responses"), list):
        inner = {"content": inner["tool_responses"]}  # AutoGen 0.2 says the answers beside their text
    parts: list[tuple[Part, object]] = []
    content = inner.get("content", inner.get("parts", inner.get("message")))
    if isinstance(content, Mapping):
        content = content.get("parts", content)
    if role == "tool" and not _has_parts(content):
        parts.append((Part(answer=read_answer(inner)), inner))
    else:
        parts += _parts(content)
        parts += _parts(inner.get("parts")) if "content" in inner else ()
    asks = role == "assistant" or not formats()["keys"]["of_asking"].isdisjoint(inner)
    asked = [each for each in _asked(inner) if not is_of_user(each[1])] if asks else []
    missed: list[object] = [raw for part, raw in asked if not part or role != "assistant"]
    asked = asked if role == "assistant" else []
    again = {part.call.call_id for part, _ in asked if part.call}
    if again:  # LangChain repeats Anthropic's blocks beside its own list, the AI SDK the parts beside its invocations
        parts = [
            (part, raw)
            for part, raw in parts
            if part.call is None or (part.answer is not None and part.call.call_id not in again)
        ]
    parts += asked
    missed += [raw for part, raw in parts if not part and _looks_like_call(raw)]
    return Message(
        role=role,
        texts=(
            *(each for key in _REASONS if isinstance(each := inner.get(key), str)),
            *(part.text for part, _ in parts if part.text is not None),
        ),
        told=tuple(part for part, _ in parts if part.is_of_call),
        form=form or _form(parts),
        missed=tuple(map(_described, missed)),
        is_item=form == ITEMS and "role" not in value,
        raw=value,
    )


def is_of_user(value: Mapping[str, object]) -> bool:
    """Return whether a call, or an answer, is of a tool that the user has, as the customers of tau2-bench do."""
    return value.get("requestor") == "user"


def steps_of(value: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return a message of the AI SDK for people as one message for each of its steps, which follow each other."""
    parts = value.get("parts")
    if not isinstance(parts, list) or not any(map(_begins_step, parts)):
        return [value]
    steps: list[list[object]] = [[]]
    for part in parts:
        if _begins_step(part):
            steps.append([])
        else:
            steps[-1].append(part)
    again = ("id", "toolInvocations")  # the identity by which rows of one message are known, and the calls once more
    rest = {key: each for key, each in value.items() if key not in again}
    return [{**rest, "parts": step} for step in steps if step]


def _begins_step(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "step-start"


def _has_parts(content: object) -> bool:
    """Return whether the content of a tool's message has answers, and is no text or value."""
    return any(read_part(part).answer is not None for part in (content if isinstance(content, list) else [content]))


def _parts(content: object) -> Iterator[tuple[Part, object]]:
    if isinstance(content, str):
        yield Part(text=content), content
    elif isinstance(content, list | tuple):
        for part in content:
            yield read_part(part, is_call=_is_bare_call(part)), part
    elif isinstance(content, Mapping):
        yield read_part(content), content


def _is_bare_call(part: object) -> bool:
    """Return whether a part without a type is a call: AutoGen's have identity, name and arguments, and no more."""
    return isinstance(part, Mapping) and "type" not in part and {"id", "name", "arguments"} <= part.keys()


def _asked(message: Mapping[str, object]) -> Iterator[tuple[Part, Mapping[str, object]]]:
    """Yield the calls that stand beside the content of a message."""
    paths = ("tool_calls", "toolInvocations", "additional_kwargs.tool_calls")
    listed = next((parsed(each) for path in paths for each in at(message, path) if each), None)
    listed = [listed] if isinstance(listed, Mapping) else listed  # ShareGPT has them as a text, of one or of several
    if isinstance(listed, str):
        yield Part(), {"tool_calls": listed}
    for call in (*_objects(listed), *_objects(message.get("invalid_tool_calls"))):
        yield read_part(call, is_call=True), call
    for result in _objects(message.get("results")) if listed else ():  # AutoGen's summary of calls
        yield Part(answer=read_answer(result)), result
    legacy = message.get("function_call")
    if isinstance(legacy, Mapping):
        yield read_part({"function_call": legacy}), legacy


def _objects(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, list | tuple):
        yield from (each for each in value if isinstance(each, Mapping))


# --- how it is written ---------------------------------------------------------------------------


def _form(parts: list[tuple[Part, object]]) -> str:
    """Return the format that a part is a mark of."""
    marks = [raw for part, raw in parts if part.text is None and isinstance(raw, Mapping)]
    return next((form for raw in marks for form, condition in formats()["forms"].items() if meets(raw, condition)), "")


def _looks_like_call(raw: object) -> bool:
    """Return whether a part that was not understood speaks of tools."""
    if not isinstance(raw, Mapping):
        return False
    said = " ".join((str(raw.get("type") or ""), *(str(key) for key, each in raw.items() if each is not None)))
    return "tool" in said.lower() or "function" in said.lower()


def _described(raw: object) -> str:
    kind = raw.get("type") if isinstance(raw, Mapping) else None
    keys = ", ".join(map(str, list(raw)[:6])) if isinstance(raw, Mapping) else ""
    return f"a part of a message of type {kind!r} with {keys} was not understood"
