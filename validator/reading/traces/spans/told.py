"""What the models and agents among spans were asked and said: texts, and calls where tools have no spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from validator.reading.traces.chat.messages import Message, read_message
from validator.reading.traces.recorder import Recorder
from validator.reading.traces.spans.attributes import Attributes
from validator.reading.traces.walk import parsed, units

__all__ = ["messages_of", "record_asked", "record_said", "request"]

_TEXTS = ("reasoning", "thought", "thinking", "content", "text", "answer", "output")


def messages_of(attributes: Attributes, side: str, raw: object) -> list[Message]:
    """Return the messages that went into a model (``input``) or came out of it (``output``)."""
    value = parsed(attributes.first((f"gen_ai.{side}.messages", f"llm.{side}_messages")))
    if value is None:
        value = list(_numbered(attributes, _NUMBERED[side])) or parsed(
            attributes.first((f"{side}.value", f".entity.{side}", f".span_{side}s"))
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
            index = recorder.call(call.name, call.given, call_id=call.call_id, batch=batch)
            answer = results.get(call.call_id or "")
            if answer is not None:
                recorder.result(index, answer.value, answer.error)


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
