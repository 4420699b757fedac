"""Chats in order: which calls are new, which come again with a history, and which answer belongs to which call."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import TypeAlias

from validator.reading.calls import CallKind
from validator.reading.calls.objects import CallRequest
from validator.reading.traces.messages import LATER, STREAMED, Message, read_message, steps_of
from validator.reading.traces.parts import Answer, Part, answer_in, spoken
from validator.reading.traces.paths import PLAIN, meets, parsed
from validator.reading.traces.recording import Recorder
from validator.reading.traces.rows import row_of
from validator.records import dataclass, field, replace

_Key: TypeAlias = tuple[object, ...]
_Seen: TypeAlias = Callable[[Mapping[str, object]], object]
_Said: TypeAlias = Callable[[Mapping[str, object]], Iterable[object] | None]
_PIECES = f"{LATER} or {STREAMED}"
_TELLING = frozenset(("role", "content", "tool_calls", "tool_call_id", "name"))
"""Keys of a message under which neither a plan nor a declaration stands."""


def walk(
    value: object,
    said: _Said,
    outside: _Seen = lambda _: None,
    taken: _Seen = lambda _: None,
    *,
    homes: Iterator[int] | None = None,
    around: str | None = None,
) -> Iterator[tuple[Message, int]]:
    """Yield the messages of the units inside a JSON value in order, each with a number for the list that it stands in.

    ``said`` returns the messages that a unit is, and the chats in it that say all of it; None for an object around
    units, with which ``outside`` is called, as ``taken`` is with each unit.
    """
    homes = count(1) if homes is None else homes
    waiting: list[tuple[object, int, str | None]] = [(value, 0, around)]
    while waiting:
        each, home, around = waiting.pop()
        if isinstance(each, dict | Mapping):
            parts = said(each)
            if parts is not None:
                taken(each)
                for part in parts:
                    if isinstance(part, Message):
                        yield part if around is None else replace(part, inside=around), home
                    else:
                        yield from walk(part, said, outside, taken, homes=homes, around=around)
                continue
            outside(each)
            around = _around(each) if "isSidechain" in each or "parent_tool_use_id" in each else around
            inner = [(part, home, around) for part in each.values() if not isinstance(part, PLAIN)]
        elif isinstance(each, list | tuple):
            own = next(homes)  # the same list may stand in two places
            inner = [(part, own, around) for part in each if not isinstance(part, PLAIN)]
        else:
            continue
        waiting.extend(reversed(inner))


def _said(value: Mapping[str, object]) -> Iterable[object] | None:
    """Return what a message, an item, an event or a step says, nothing for a piece of a streamed one."""
    has_role = "role" in value  # as few rows have
    if not has_role and meets(value, _PIECES):
        return ()
    message = read_message(value) if has_role else None
    row = row_of(value) if message is None else None
    if row is not None:
        return row.parts(value)
    message = message if has_role else read_message(value)
    if message is None:
        return None
    steps = steps_of(value)
    return [message] if len(steps) < 2 else filter(None, map(read_message, steps))


def _around(envelope: Mapping[str, object]) -> str | None:
    """Return the call of an agent in which a message stands, as Claude Code tells it; None for the agent itself."""
    identity = envelope.get("parent_tool_use_id")
    if isinstance(identity, str) and identity:
        return identity
    return "" if envelope.get("isSidechain") is True else None


@dataclass
class _Home:
    """A list in which messages stand: whether it begins as an earlier one did, and what of the record is in it.

    ``known`` has the calls that were made in this list or come again there, ``open`` those without an answer there;
    ``said`` counts texts by role.
    """

    is_history: bool = False
    known: set[int] = field(default_factory=set)
    open: dict[int, None] = field(default_factory=dict)
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

    def read(self, message: Message, home: int) -> None:
        if message.raw.get("is_demo") is True:
            return
        own = self._home(message, home)
        if self.in_texts:
            message = _with_spoken(message)
        self.form = message.form or self.form
        for each in message.missed:
            self.recorder.miss(each)
        self.recorder.is_guessed |= message.is_guessed
        if message.inside is None:  # what an agent that was called is asked, and says, is not this run's
            if not message.is_item and not message.raw.keys() <= _TELLING:
                self.recorder.fields(message.raw)
            for text in message.texts if message.role in ("user", "assistant") else ():
                self._say(message.role, text, own)
        identity = message.raw.get("id") if message.role == "assistant" and "role" in message.raw else None
        if identity is None or identity != self._message:
            self._made = []
        self._message = identity or None
        self._calls(message, own)
        for answer in message.answers:
            self._answer(answer, own, message)

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

    def _again(self, part: Part, message: Message, own: _Home) -> int | None:
        """Return the call that comes again, written in another way or with another identity; None for a new one.

        A client writes arguments anew, and gives calls identities that the server gave none, or others. A log of both
        sides has each call twice; records may tell the beginning and the end of a call.
        """
        call, answer, made = part.call, part.answer, self.recorder.calls
        if call is None:
            return None
        named = self.recorder.of(call.call_id)
        found = [i for i in named if made[i].name == call.name]
        if message.is_twice:
            return next((i for i in named if not made[i].has_result), None)
        if message.is_record:
            same = (i for i in found if made[i].has_result and made[i].arguments == call.arguments)
            same = (i for i in same if answer is None or answer.value in (None, made[i].result))
            return next(same, None if answer is None else next((i for i in found if not made[i].has_result), None))
        if not own.is_history:
            found = [i for i in found if made[i].arguments == call.arguments]
        elif not named:
            found = self._written(call)
        index = next((i for i in found if i not in own.known), None)
        if index is not None and not named:
            self.recorder.alias(call.call_id, index)
        return index

    def _written(self, call: CallRequest) -> list[int]:
        """Return the calls with a name and arguments."""
        made = self.recorder.calls
        for each in made[self._indexed :]:
            self._alike.setdefault((each.name, each.arguments), []).append(each.index)
        self._indexed = len(made)
        return self._alike.get((call.name, call.arguments), [])

    def _calls(self, message: Message, own: _Home) -> None:
        asked = [part for part in message.told if part.call is not None]
        if message.raw and message.answers and all(self.recorder.of(call.call_id) for call in message.calls):
            asked = []  # a summary of calls with their answers
        again = [self._again(part, message, own) for part in asked]
        batch = message.batch
        if not message.is_item or not any(part.answer is None for part in asked):
            self._items = None
            batch = self.recorder.batch() if len(asked) > 1 else batch
        elif None in again:
            self._items = batch = self.recorder.batch() if self._items is None else self._items
        kind, parent = CallKind.TOOL, message.parent
        if message.inside is not None:
            kind, parent = CallKind.NESTED, self.recorder.name_of(message.inside)
        for place, (part, known) in enumerate(zip(asked, again, strict=True)):
            if self.in_texts and place and asked[place - 1].answer is not None:
                batch = self.recorder.batch()  # what follows an answer in a text is not made at once with it
            index = known
            if known is None and part.call is not None:
                index = self.recorder.call(part.call, batch=batch, kind=kind, parent=parent)
            if index is None:
                continue
            if known is None:
                self._made.append(index)
            own.known.add(index)
            own.open[index] = None
            if part.answer is not None:
                self._result(index, part.answer, own)
        if self._message is not None and batch is None and len(self._made) > 1:  # a row for each part of one message
            self.recorder.join(self._made)

    def _answer(self, answer: Answer, own: _Home, message: Message) -> None:
        made, named = self.recorder.calls, self.recorder.of(answer.call_id)
        if message.is_log and not self.recorder.waits_for(answer.call_id):
            return

        def fits(index: int) -> bool:
            if named or answer.call_id is None:
                return index in named if named else answer.name in (None, made[index].name)
            return made[index].call_id is None and answer.name == made[index].name

        waiting = (i for i in named or range(len(made)) if not made[i].has_result and fits(i))
        index = next(filter(fits, own.open), None)
        index = next(waiting, None) if index is None else index
        if index is not None:
            self._result(index, answer, own)
        elif answer.call_id is None:
            self.recorder.warnings.append("a result without the identity of its call was passed over")
        elif not named:
            self.recorder.warnings.append(f"a result answers no call: {answer.call_id}")

    def _result(self, index: int, answer: Answer, own: _Home) -> None:
        own.open.pop(index, None)
        if not self.recorder.calls[index].has_result:
            self.recorder.result(index, answer)


def _with_spoken(message: Message) -> Message:
    """Return a message with the calls, or the answers, that stand in its texts."""
    if message.role == "assistant":
        for asked, missed in map(spoken, message.texts):
            message = replace(message, told=(*message.told, *asked), missed=(*message.missed, *missed))
        return message
    said = (*message.texts, *(answer.value for answer in message.answers if isinstance(answer.value, str)))
    answers = tuple(Part(answer=answer) for text in said if (answer := answer_in(text)) is not None)
    return replace(message, texts=(), told=answers) if answers else message


def _key(call: CallRequest) -> _Key:
    return call.call_id, call.name, _text(call.given)


def _text(value: object) -> str:
    """Return arguments or a result as a text by which a repetition is known: a text as it is written."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def read_units(value: object, recorder: Recorder) -> None:
    """Read the messages inside a JSON value, OpenAI's items beside them, and what the rows of the table are."""

    def taken(unit: Mapping[str, object]) -> None:
        recorder.take(unit)
        if "role" not in unit and meets(unit, STREAMED):
            recorder.miss("the pieces of a streamed answer are not put together")

    messages = list(walk(value, _said, recorder.fields, taken))
    if all(message.inside is not None for message, _ in messages):  # the whole trace is of an agent that was called
        messages = [(replace(message, inside=None), home) for message, home in messages]
    asks = any(message.calls for message, _ in messages)
    conversation = Conversation(recorder, in_texts=not asks)
    for message, home in messages:
        conversation.read(message, home)
    recorder.is_guessed |= bool(not asks and recorder.calls)
    recorder.says_none = any(_asks_nothing(message) for message, _ in messages)
    rows = (row.name for unit in recorder.taken if (row := row_of(unit)) is not None and row.says)
    recorder.format = next(rows, conversation.form) or "OpenAI chat"


def chat(value: object) -> list[Message]:
    """Return the messages inside a JSON value, or inside the JSON that a text is."""
    return [message for message, _ in walk(parsed(value), _said)]


def first_chat(value: object) -> list[Message]:
    """Return the messages of the first list of messages inside a JSON value."""
    found = list(walk(value, _said))
    first = next((home for _, home in found if home), None)
    return [message for message, home in found if home == first]


def _asks_nothing(message: Message) -> bool:
    """Return whether a message of the agent says that it makes no call: its list of calls is there, and empty."""
    return message.role == "assistant" and any(message.raw.get(key) == [] for key in ("tool_calls", "toolCalls"))
