"""A message of a chat, in the way of any provider or framework.

A message is told by its structure, wherever it stands: a role, and beside it what was said, asked or answered.
Calls and outputs of OpenAI's Responses and Gemini's interactions are items, objects of their own beside messages.
What makers put around a role and what was said, the table of formats takes off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from validator.reading.calls.objects import CallRequest
from validator.reading.traces.formats import formats, unwrapped
from validator.reading.traces.parts import Answer, Part, read_answer, read_part
from validator.reading.traces.paths import at, meets, parsed
from validator.records import dataclass, field, replace

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
        asks = inner.get("tool_calls") or any(part.call for part in _parts(inner.get("content", inner.get("parts"))))
        found = "assistant" if asks else ""
    return found, form, inner


def read_message(value: Mapping[str, object]) -> Message | None:
    """Return the message that an object is, or None."""
    role, form, inner = _role(value)
    if not role:
        return None
    parts = list(_content(role, inner))
    asked, is_agent = list(_asked(inner)), role == "assistant"
    missed = [part for part in asked if not part or not is_agent]
    again = {part.call.call_id for part in asked if part.call and is_agent}
    if again:  # LangChain repeats Anthropic's blocks beside its own list, the AI SDK the parts beside its invocations
        answered = (part for part in parts if part.call is None or part.answer is not None)
        parts = [part for part in answered if part.call is None or part.call.call_id not in again]
    parts += asked if is_agent else []
    missed += [part for part in parts if not part and _looks_like_call(part.raw)]
    reasons = (inner.get(key) for key in _REASONS)
    return Message(
        role=role,
        texts=tuple(text for text in (*reasons, *(part.text for part in parts)) if isinstance(text, str)),
        told=tuple(part for part in parts if part.is_of_call),
        form=form or _form(parts),
        missed=tuple(_described(part.raw) for part in missed),
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
    again = ("id", "toolInvocations")  # the identity by which rows of one message are known, and the calls once more
    rest = {key: each for key, each in value.items() if key not in again}
    return [{**rest, "parts": list(step)} for begins, step in groupby(parts, _begins_step) if not begins]


def _begins_step(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "step-start"


def _content(role: str, message: Mapping[str, object]) -> Iterator[Part]:
    """Yield what the content of a message says; of a tool's message without parts, the answer that it is as a whole."""
    if role == "tool" and isinstance(message.get("tool_responses"), list):
        message = {"content": message["tool_responses"]}  # AutoGen 0.2 says the answers beside their text
    content = message.get("content", message.get("parts", message.get("message")))
    content = content.get("parts", content) if isinstance(content, Mapping) else content
    parts = list(_parts(content))
    if role == "tool" and not any(part.answer for part in parts):
        yield Part(answer=read_answer(message), raw=message)
        return
    yield from parts
    if "content" in message:
        yield from _parts(message.get("parts"))


def _parts(content: object) -> Iterator[Part]:
    for part in content if isinstance(content, list | tuple) else (content,):
        if isinstance(part, str | Mapping) or part is not content:
            yield replace(read_part(part, is_call=_is_bare_call(part)), raw=part)


def _is_bare_call(part: object) -> bool:
    """Return whether a part without a type is a call: AutoGen's have identity, name and arguments, and no more."""
    return isinstance(part, Mapping) and "type" not in part and {"id", "name", "arguments"} <= part.keys()


def _asked(message: Mapping[str, object]) -> Iterator[Part]:
    """Yield the calls that stand beside the content of a message, but for those of the user's tools."""
    paths = ("tool_calls", "toolInvocations", "additional_kwargs.tool_calls")
    listed = next((parsed(each) for path in paths for each in at(message, path) if each), None)
    listed = [listed] if isinstance(listed, Mapping) else listed  # ShareGPT has them as a text, of one or of several
    if isinstance(listed, str):
        yield Part(raw={"tool_calls": listed})
    for call in (*_objects(listed), *_objects(message.get("invalid_tool_calls"))):
        if not is_of_user(call):
            yield replace(read_part(call, is_call=True), raw=call)
    for result in _objects(message.get("results")) if listed else ():  # AutoGen's summary of calls
        yield Part(answer=read_answer(result), raw=result)
    if isinstance(legacy := message.get("function_call"), Mapping):
        yield replace(read_part({"function_call": legacy}), raw=legacy)


def _objects(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, list | tuple):
        yield from (each for each in value if isinstance(each, Mapping))


# --- how it is written ---------------------------------------------------------------------------


def _form(parts: Sequence[Part]) -> str:
    """Return the format that a part is a mark of."""
    marks = [part.raw for part in parts if part.text is None and isinstance(part.raw, Mapping)]
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
