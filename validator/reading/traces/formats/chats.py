"""Chats of any provider and framework, in any wrapping: a list of messages, requests with responses, lines of a log."""

from __future__ import annotations

from validator.reading.traces.chat.conversation import Conversation, chat_units
from validator.reading.traces.recorder import Recorder
from validator.records import replace

__all__ = ["read_chats"]


def read_chats(value: object, recorder: Recorder) -> None:
    """Read the messages inside a JSON value, and OpenAI's items beside them."""
    messages = list(chat_units(value, recorder.fields, recorder.take))
    if all(message.inside is not None for message, _ in messages):  # the whole trace is of an agent that was called
        messages = [(replace(message, inside=None), home) for message, home in messages]
    asks = any(message.calls or message.runs for message, _ in messages)
    conversation = Conversation(recorder, in_texts=not asks)
    for message, home in messages:
        conversation.read(message, home)
    recorder.is_guessed = bool(not asks and recorder.calls)
    recorder.format = conversation.form or "OpenAI chat"
