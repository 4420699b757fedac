"""Chats in order: which calls are new, which come again with a history, and which answer belongs to which call."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from validator.reading.calls import CallKind
from validator.reading.calls.objects import Asked
from validator.reading.traces.messages import ITEMS, LATER, STREAMED, Message, read_message, steps_of
from validator.reading.traces.parts import Answer, Part, answer_in, missed_in, runs_in
from validator.reading.traces.paths import meets
from validator.reading.traces.recording import Recorder
from validator.records import dataclass, field, replace

__all__ = ["Conversation", "chat_units", "read_chats"]

_Key: TypeAlias = tuple[object, ...]
_PLAIN = (str, int, float, bool, type(None))
_PIECES = f"{LATER} or {STREAMED}"
_TELLING = frozenset(("role", "content", "tool_calls", "tool_call_id", "name"))
"""Keys of a message under which neither a plan nor a declaration stands."""


def chat_units(
    value: object,
    outside: Callable[[Mapping[str, object]], object],
    taken: Callable[[Mapping[str, object]], object] = lambda _: None,
) -> Iterator[tuple[Message, int]]:
    """Yield the messages and items inside a JSON value, in order, each with a number for the list that it stands in.

    ``taken`` is called with each object that is a message, or a piece of one that is streamed.
    """
    waiting: list[tuple[object, int, str | None]] = [(value, 0, None)]
    homes = 0
    while waiting:
        each, home, around = waiting.pop()
        if isinstance(each, dict | Mapping):
            if "role" not in each and meets(each, _PIECES):
                taken(each)
                continue
            message = read_message(each)
            if message is not None:
                taken(each)
                steps = steps_of(each)
                for told in [message] if len(steps) < 2 else filter(None, map(read_message, steps)):
                    yield told if around is None else replace(told, inside=around), home
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


def _around(envelope: Mapping[str, object]) -> str | None:
    """Return the call of an agent in which a message stands, as Claude Code tells it; None for the agent itself."""
    identity = envelope.get("parent_tool_use_id")
    if isinstance(identity, str) and identity:
        return identity
    return "" if envelope.get("isSidechain") is True else None


@dataclass
class _Home:
    """A list in which messages stand: whether it begins as an earlier one did, and what of the record is in it.

    ``known`` has the calls that were made in this list or come again there, each with whether it is answered there;
    ``answers`` counts answers by identity, ``said`` texts by role.
    """

    is_history: bool = False
    known: dict[int, bool] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)
    said: Counter[tuple[str, str]] = field(default_factory=Counter)


class Conversation:
    """Records the messages of one conversation.

    A history that a request repeats stands in a list of its own, where a call is new if no earlier one is left that it
    may be. Within one list each call is new, whatever its identity.
    """

    def __init__(self, recorder: Recorder, *, in_texts: bool = False) -> None:
        """``in_texts`` looks for calls and answers in what is said: where nothing else asks for a call."""
        self.recorder = recorder
        self.in_texts = in_texts
        self.form = ""
        self._homes: dict[int, _Home] = {}
        self._beginnings: set[_Key] = set()
        self._said: Counter[tuple[str, str]] = Counter()
        self._alike: dict[_Key, list[int]] = {}
        self._indexed = 0
        self._items: int | None = None
        self._message: object = None
        self._made: list[int] = []

    def read_all(self, value: object) -> None:
        """Record the messages inside a JSON value."""
        for message, home in chat_units(value, lambda _: None):
            self.read(message, home)

    def read(self, message: Message, home: int) -> None:
        if message.raw.get("is_demo") is True:
            return
        own = self._home(message, home)
        if self.in_texts:
            message = _with_spoken(message)
        self.form = message.form or self.form
        for each in message.missed:
            self.recorder.miss(each)
        is_item = message.form == ITEMS and "role" not in message.raw
        is_asked = is_item and any(told.call is not None and told.answer is None for told in message.told)
        if not is_asked:
            self._items = None
        if message.inside is None and ("role" in message.raw or not is_item) and not message.raw.keys() <= _TELLING:
            self.recorder.fields(message.raw)
        if message.inside is not None:
            pass  # what an agent that was called is asked, and says, is not this run's
        elif message.role in ("user", "assistant"):
            for text in message.texts:
                self._say(message.role, text, own)
        identity = message.raw.get("id") if message.role == "assistant" and "role" in message.raw else None
        if identity is None or identity != self._message:
            self._made = []
        self._message = identity or None
        self._calls(message, own, is_item=is_asked)
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

    def _say(self, role: str, text: str, own: _Home) -> None:
        """Record a text, unless it comes again with a history."""
        own.said[role, text] += 1
        if own.is_history and own.said[role, text] <= self._said[role, text]:
            return
        self._said[role, text] += 1
        (self.recorder.ask if role == "user" else self.recorder.say)(text)

    def _is_again(self, call: Asked, own: _Home) -> bool:
        """Return whether a call of an earlier list comes again, written in another way or with another identity.

        A client writes arguments anew, and gives calls identities that the server gave none, or others.
        """
        made = self.recorder.calls
        found = self.recorder.of(call.call_id)
        if found:
            alike = [i for i in found if made[i].name == call.name]
            alike = alike if own.is_history else [i for i in alike if made[i].arguments == call.arguments]
        elif own.is_history:
            for each in made[self._indexed :]:
                self._alike.setdefault((each.name, each.arguments), []).append(each.index)
            self._indexed = len(made)
            alike = self._alike.get((call.name, call.arguments), [])
        else:
            return False
        index = next((i for i in alike if i not in own.known), None)
        if index is None:
            return False
        own.known[index] = False
        if not found:
            self.recorder.alias(call.call_id, index)
        return True

    def _calls(self, message: Message, own: _Home, *, is_item: bool) -> None:
        asked = message.calls
        if not asked or (message.answers and all(self.recorder.of(call.call_id) for call in asked)):
            return  # a summary of calls with their answers
        are_new = [not self._is_again(call, own) for call in asked]
        batch = None
        if is_item and any(are_new):
            self._items = batch = self.recorder.batch() if self._items is None else self._items
        elif len(asked) > 1:
            batch = self.recorder.batch()
        kind, parent = CallKind.TOOL, None
        if message.inside is not None:
            kind, parent = CallKind.NESTED, self.recorder.name_of(message.inside)
        for told, is_new in zip((each for each in message.told if each.call is not None), are_new, strict=True):
            if is_new:
                index = self.recorder.tell(told, batch=batch, kind=kind, parent=parent)
                if index is not None:
                    self._made.append(index)
                    own.known[index] = False
            elif told.answer is not None and told.call is not None:
                open_ = (i for i in self.recorder.of(told.call.call_id) if not self.recorder.calls[i].has_result)
                self.recorder.result(next(open_, None), told.answer.value, told.answer.error)
        if self._message is not None and batch is None and len(self._made) > 1:  # a row for each part of one message
            self.recorder.join(self._made)

    def _answer(self, answer: Answer, own: _Home) -> None:
        calls, index, nth = self.recorder.calls, None, None
        if answer.call_id is not None:
            nth = own.answers[answer.call_id]
            own.answers[answer.call_id] += 1
        elif own.is_history:
            alike = (i for i, is_done in own.known.items() if not is_done and answer.name in (None, calls[i].name))
            index = next(alike, None)
        if index is None:
            self.recorder.answer(answer.call_id, answer.value, answer.error, answer.name, nth)
            return
        own.known[index] = True
        if not calls[index].has_result:
            self.recorder.result(index, answer.value, answer.error)


def _with_spoken(message: Message) -> Message:
    """Return a message with the calls, or the answers, that stand in its texts."""
    if message.role == "assistant":
        missed = (*message.missed, *(each for text in message.texts for each in missed_in(text)))
        told = (*message.told, *(run for text in message.texts for run in runs_in(text)))
        return replace(message, told=told, missed=missed)
    said = (*message.texts, *(answer.value for answer in message.answers if isinstance(answer.value, str)))
    answers = tuple(Part(answer=answer) for text in said if (answer := answer_in(text)) is not None)
    return replace(message, texts=(), told=answers) if answers else message


def _key(call: Asked) -> _Key:
    return call.call_id, call.name, _text(call.given)


def _text(value: object) -> str:
    """Return arguments or a result as a text by which a repetition is known: a text as it is written."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def read_chats(value: object, recorder: Recorder) -> None:
    """Read the messages inside a JSON value, and OpenAI's items beside them."""

    def taken(unit: Mapping[str, object]) -> None:
        recorder.take(unit)
        if "role" not in unit and meets(unit, STREAMED):
            recorder.miss("the pieces of a streamed answer are not put together")

    messages = list(chat_units(value, recorder.fields, taken))
    if all(message.inside is not None for message, _ in messages):  # the whole trace is of an agent that was called
        messages = [(replace(message, inside=None), home) for message, home in messages]
    asks = any(message.calls for message, _ in messages)
    conversation = Conversation(recorder, in_texts=not asks)
    for message, home in messages:
        conversation.read(message, home)
    recorder.is_guessed = bool(not asks and recorder.calls)
    recorder.says_none = not recorder.missed and any(_asks_nothing(message) for message, _ in messages)
    recorder.format = conversation.form or "OpenAI chat"


def _asks_nothing(message: Message) -> bool:
    """Return whether a message of the agent says that it makes no call: its list of calls is there, and empty."""
    return message.role == "assistant" and any(message.raw.get(key) == [] for key in ("tool_calls", "toolCalls"))
