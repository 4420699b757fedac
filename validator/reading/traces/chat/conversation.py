"""Chats in order: which calls are new, which come again with a history, and which answer belongs to which call."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from validator.reading.calls.objects import Asked
from validator.reading.traces.chat.items import read_item
from validator.reading.traces.chat.messages import Message, read_message
from validator.reading.traces.chat.parts import Answer
from validator.reading.traces.chat.spoken import answer_in, runs_in
from validator.reading.traces.chat.stream import assembled, is_chunk
from validator.reading.traces.recorder import Recorder
from validator.records import dataclass, field, replace

__all__ = ["Conversation", "chat_units"]

_Key: TypeAlias = tuple[object, ...]
_PLAIN = (str, int, float, bool, type(None))


def chat_units(
    value: object,
    outside: Callable[[Mapping[str, object]], object],
    taken: Callable[[Mapping[str, object]], object] = lambda _: None,
) -> Iterator[tuple[Message, int]]:
    """Yield the messages and items inside a JSON value, in order, each with a number for the list that it stands in.

    Pieces of streamed answers that follow each other make their messages; ``taken`` is called with each object that is
    a message or a piece.
    """
    waiting: list[tuple[object, int]] = [(value, 0)]
    homes = 0
    pieces: list[Mapping[str, object]] = []
    while waiting:
        each, home = waiting.pop()
        if isinstance(each, dict | Mapping):
            has_role = "role" in each
            if not has_role and is_chunk(each):
                taken(each)
                pieces.append(each)
                continue
            message = read_message(each) if has_role else read_item(each) or read_message(each)
            if message is not None:
                if pieces:
                    yield from _streamed(pieces)
                    pieces = []
                taken(each)
                yield message, home
                continue
            outside(each)
            inner = [(part, home) for part in each.values() if not isinstance(part, _PLAIN)]
        elif isinstance(each, list | tuple):
            homes += 1  # the same list may stand in two places
            inner = [(part, homes) for part in each if not isinstance(part, _PLAIN)]
        else:
            continue
        waiting.extend(reversed(inner))
    yield from _streamed(pieces)


def _streamed(pieces: list[Mapping[str, object]]) -> Iterator[tuple[Message, int]]:
    for raw in assembled(pieces):
        message = read_message(raw)
        if message is not None:
            yield message, 0


@dataclass
class _Home:
    """A list in which messages stand: what of it was seen, and whether it begins as an earlier one did."""

    seen: Counter[_Key] = field(default_factory=Counter)
    is_history: bool = False


class Conversation:
    """Records the messages of one conversation.

    A history that a request repeats stands in a list of its own: there, a call is new where it occurs more often than
    in any list before. Within one list each call is new, whatever its identity.
    """

    def __init__(self, recorder: Recorder, *, in_texts: bool = False) -> None:
        """``in_texts`` looks for calls and answers in what is said: where nothing else asks for a call."""
        self.recorder = recorder
        self.in_texts = in_texts
        self.form = ""
        self._homes: dict[int, _Home] = {}
        self._beginnings: set[_Key] = set()
        self._most: Counter[_Key] = Counter()
        self._items: int | None = None

    def read(self, message: Message, home: int) -> None:
        if message.raw.get("is_demo") is True:
            return
        own = self._home(message, home)
        if self.in_texts:
            message = _with_spoken(message)
        self.form = message.form or self.form
        for each in message.missed:
            self.recorder.miss(each)
        is_item = message.form == "OpenAI Responses" and "role" not in message.raw
        if not (is_item and message.calls):
            self._items = None
        if "role" in message.raw or not is_item:
            self.recorder.fields(message.raw)
        if message.role == "user":
            for text in message.texts:
                self.recorder.ask(text)
        elif message.role == "assistant":
            for text in message.texts:
                self.recorder.say(text)
        self._calls(message, own, is_item=is_item)
        for answer in message.answers:
            self._answer(answer, own)

    def _home(self, message: Message, home: int) -> _Home:
        own = self._homes.get(home)
        if own is None:
            beginning = (message.role, message.texts, tuple(map(_key, message.calls)))
            is_history = message.role in ("system", "user") and beginning in self._beginnings
            self._beginnings.add(beginning)
            own = self._homes[home] = _Home(is_history=is_history)
        return own

    def _is_new(self, key: _Key, own: _Home, *, has_identity: bool) -> bool:
        own.seen[key] += 1
        if not has_identity and not own.is_history:
            self._most[key] += 1
            return True
        if own.seen[key] <= self._most[key]:
            return False
        self._most[key] = own.seen[key]
        return True

    def _calls(self, message: Message, own: _Home, *, is_item: bool) -> None:
        if not message.calls and not message.runs:
            return
        asked = [*message.calls, *(run.call for run in message.runs)]
        answers = {id(run.call): run.answer for run in message.runs}
        if message.answers and asked and all(self.recorder.of(call.call_id) for call in asked):
            return  # a summary of calls with their answers
        new = [call for call in asked if self._is_new(_key(call), own, has_identity=call.call_id is not None)]
        batch = None
        if is_item and message.calls and new:
            self._items = batch = self.recorder.batch() if self._items is None else self._items
        elif len(asked) > 1:
            batch = self.recorder.batch()
        for call in asked:
            answer = answers.get(id(call))
            if call in new:
                new.remove(call)
                index = self.recorder.call(call.name, call.given, call_id=call.call_id, batch=batch)
            else:
                index = next((i for i in self.recorder.of(call.call_id) if not self.recorder.calls[i].has_result), None)
            if answer is not None:
                self.recorder.result(index, answer.value, answer.error)

    def _answer(self, answer: Answer, own: _Home) -> None:
        key: _Key = ("answer", answer.call_id)
        if answer.call_id is None:
            key = ("answer", None, answer.name, _text(answer.value))
        nth = own.seen[key]
        own.seen[key] += 1
        if answer.call_id is not None:
            self.recorder.answer(answer.call_id, answer.value, answer.error, answer.name, nth)
        elif not own.is_history or own.seen[key] > self._most[key]:
            self._most[key] = max(self._most[key], own.seen[key])
            self.recorder.answer(None, answer.value, answer.error, answer.name)


def _with_spoken(message: Message) -> Message:
    """Return a message with the calls, or the answers, that stand in its texts."""
    if message.role == "assistant":
        return replace(message, runs=tuple(run for text in message.texts for run in runs_in(text)))
    said = (*message.texts, *(answer.value for answer in message.answers if isinstance(answer.value, str)))
    answers = tuple(answer for text in said if (answer := answer_in(text)) is not None)
    return replace(message, texts=(), answers=answers) if answers else message


def _key(call: Asked) -> _Key:
    return call.call_id, call.name, _text(call.given)


def _text(value: object) -> str:
    """Return arguments or a result as a text by which a repetition is known: a text as it is written."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
