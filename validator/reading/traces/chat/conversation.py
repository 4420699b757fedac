"""Chats in order: which calls are new, which come again with a history, and which answer belongs to which call."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from validator.reading.calls import CallKind
from validator.reading.calls.objects import Asked
from validator.reading.traces.chat.items import read_item
from validator.reading.traces.chat.messages import Message, read_message, steps_of
from validator.reading.traces.chat.parts import Answer
from validator.reading.traces.chat.spoken import answer_in, missed_in, runs_in
from validator.reading.traces.chat.stream import assembled, is_chunk
from validator.reading.traces.recorder import Recorder
from validator.records import dataclass, field, replace

__all__ = ["Conversation", "chat_units"]

_Key: TypeAlias = tuple[object, ...]
_PLAIN = (str, int, float, bool, type(None))
_TELLING = frozenset(("role", "content", "tool_calls", "tool_call_id", "name"))
"""Keys of a message under which neither a plan nor a declaration stands."""


def chat_units(
    value: object,
    outside: Callable[[Mapping[str, object]], object],
    taken: Callable[[Mapping[str, object]], object] = lambda _: None,
) -> Iterator[tuple[Message, int]]:
    """Yield the messages and items inside a JSON value, in order, each with a number for the list that it stands in.

    Pieces of streamed answers that follow each other make their messages; ``taken`` is called with each object that is
    a message or a piece.
    """
    waiting: list[tuple[object, int, str | None]] = [(value, 0, None)]
    homes = 0
    pieces: list[Mapping[str, object]] = []
    while waiting:
        each, home, around = waiting.pop()
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
                yield message if around is None else replace(message, inside=around), home
                continue
            outside(each)
            around = _around(each) if "isSidechain" in each or "parent_tool_use_id" in each else around
            inner = [(part, home, around) for part in each.values() if not isinstance(part, _PLAIN)]
        elif isinstance(each, list | tuple):
            homes += 1  # the same list may stand in two places
            inner = [(part, homes, around) for part in each if not isinstance(part, _PLAIN)]
        else:
            continue
        waiting.extend(reversed(inner))
    yield from _streamed(pieces)


def _around(envelope: Mapping[str, object]) -> str | None:
    """Return the call of an agent in which a message stands, as Claude Code tells it; None for the agent itself."""
    identity = envelope.get("parent_tool_use_id")
    if isinstance(identity, str) and identity:
        return identity
    return "" if envelope.get("isSidechain") is True else None


def _streamed(pieces: list[Mapping[str, object]]) -> Iterator[tuple[Message, int]]:
    for raw in assembled(pieces):
        message = read_message(raw)
        if message is not None:
            yield message, 0


@dataclass
class _Home:
    """A list in which messages stand: what of it was seen, and whether it begins as an earlier one did.

    ``identities`` counts the calls by these alone, ``plain`` those of a history without them; ``made`` are the calls
    that were new in this list.
    """

    seen: defaultdict[_Key, int] = field(default_factory=lambda: defaultdict(int))
    plain: defaultdict[_Key, int] = field(default_factory=lambda: defaultdict(int))
    identities: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    made: set[int] = field(default_factory=set)
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
        self._most: defaultdict[_Key, int] = defaultdict(int)
        self._alike: dict[_Key, list[int]] = {}
        self._indexed = 0
        self._items: int | None = None
        self._message: object = None
        self._made: list[int] = []

    def read(self, message: Message, home: int) -> None:
        if message.raw.get("is_demo") is True:
            return
        steps = steps_of(message.raw)
        if len(steps) > 1:
            for step in filter(None, map(read_message, steps)):
                self.read(step, home)
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
        if message.inside is None and ("role" in message.raw or not is_item) and not message.raw.keys() <= _TELLING:
            self.recorder.fields(message.raw)
        if message.inside is not None:
            pass  # what an agent that was called is asked, and says, is not this run's
        elif message.role == "user":
            for text in message.texts:
                self.recorder.ask(text)
        elif message.role == "assistant":
            for text in message.texts:
                self.recorder.say(text)
        identity = message.raw.get("id") if message.role == "assistant" and "role" in message.raw else None
        if identity is None or identity != self._message:
            self._made = []
        self._message = identity or None
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

    def _is_new(self, call: Asked, own: _Home) -> bool:
        key = _key(call)
        own.seen[key] += 1
        if own.is_history:
            own.plain[call.name, call.arguments] += 1
        if call.call_id is not None:
            own.identities[call.call_id] += 1
        if call.call_id is None and not own.is_history:
            self._most[key] += 1
            return True
        if own.seen[key] <= self._most[key] or self._is_again(call, own):
            return False
        self._most[key] = own.seen[key]
        return True

    def _is_again(self, call: Asked, own: _Home) -> bool:
        """Return whether a call of an earlier list comes again, written in another way or with another identity.

        A client writes arguments anew, and gives calls identities that the server gave none, or others.
        """
        known = self.recorder.of(call.call_id)
        if known:
            nth = own.identities[call.call_id or ""]
            if nth > len(known) or known[nth - 1] in own.made:
                return False
            made = self.recorder.calls[known[nth - 1]]
            return made.name == call.name and (own.is_history or made.arguments == call.arguments)
        if not own.is_history:
            return False
        for made in self.recorder.calls[self._indexed :]:
            self._alike.setdefault((made.name, made.arguments), []).append(made.index)
        self._indexed = len(self.recorder.calls)
        alike, nth = self._alike.get((call.name, call.arguments), []), own.plain[call.name, call.arguments]
        if nth > len(alike) or alike[nth - 1] in own.made:
            return False
        self.recorder.alias(call.call_id, alike[nth - 1])
        return True

    def _calls(self, message: Message, own: _Home, *, is_item: bool) -> None:
        if not message.calls and not message.runs:
            return
        asked = [*message.calls, *(run.call for run in message.runs)]
        answers = {id(run.call): run.answer for run in message.runs}
        if message.answers and asked and all(self.recorder.of(call.call_id) for call in asked):
            return  # a summary of calls with their answers
        new = [call for call in asked if self._is_new(call, own)]
        batch = None
        if is_item and message.calls and new:
            self._items = batch = self.recorder.batch() if self._items is None else self._items
        elif len(asked) > 1:
            batch = self.recorder.batch()
        for call in asked:
            answer = answers.get(id(call))
            if call in new:
                new.remove(call)
                kind, parent = CallKind.TOOL, None
                if message.inside is not None:
                    kind, parent = CallKind.NESTED, self.recorder.name_of(message.inside)
                index = self.recorder.call(
                    call.name, call.given, call_id=call.call_id, batch=batch, kind=kind, parent=parent
                )
                if index is not None:
                    self._made.append(index)
                    own.made.add(index)
            else:
                index = next((i for i in self.recorder.of(call.call_id) if not self.recorder.calls[i].has_result), None)
            if answer is not None:
                self.recorder.result(index, answer.value, answer.error)
        if self._message is not None and batch is None and len(self._made) > 1:  # a row for each part of one message
            self.recorder.join(self._made)

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
        missed = (*message.missed, *(each for text in message.texts for each in missed_in(text)))
        return replace(message, runs=tuple(run for text in message.texts for run in runs_in(text)), missed=missed)
    said = (*message.texts, *(answer.value for answer in message.answers if isinstance(answer.value, str)))
    answers = tuple(answer for text in said if (answer := answer_in(text)) is not None)
    return replace(message, texts=(), answers=answers) if answers else message


def _key(call: Asked) -> _Key:
    return call.call_id, call.name, _text(call.given)


def _text(value: object) -> str:
    """Return arguments or a result as a text by which a repetition is known: a text as it is written."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
