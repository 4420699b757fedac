"""Chats in order: which calls are new, which come again with a history, and which answer belongs to which call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TypeAlias

from validator.reading.calls import CallKind
from validator.reading.traces.messages import Message, is_of_user, read_message, steps_of
from validator.reading.traces.parts import Answer, Part, answer_in, spoken
from validator.reading.traces.paths import parsed, told
from validator.reading.traces.recording import Recorder
from validator.reading.traces.rows import row_of, said_by
from validator.records import dataclass, field, replace

_Key: TypeAlias = tuple[object, ...]
_Seen: TypeAlias = Callable[[Mapping[str, object]], object]
_Said: TypeAlias = Callable[[Mapping[str, object]], Iterable[object] | None]
_TELLING = frozenset(("role", "content", "tool_calls", "tool_call_id", "name"))
"""Keys of a message under which neither a plan nor a declaration stands."""


def walk(
    value: object,
    said: _Said,
    outside: _Seen = lambda _: None,
    taken: _Seen = lambda _: None,
    homes: Iterator[int] | None = None,
) -> Iterator[tuple[Message, int]]:
    """Yield the messages of the units inside a JSON value in order, each with a number for the list that it stands in.

    ``said`` returns the messages that a unit is, and the chats in it that say all of it; None for an object around
    units, with which ``outside`` is called, as ``taken`` is with each unit.
    """
    homes = count(1) if homes is None else homes
    for unit, parts, home in told(value, said, outside, homes):
        taken(unit)
        for part in parts:
            if isinstance(part, Message):
                yield part, home
            else:
                yield from walk(part, said, outside, taken, homes)


def _said(value: Mapping[str, object]) -> Iterable[object] | None:
    """Return what a message, an item, an event or a step says; None for any other object."""
    has_role = "role" in value  # as few rows have
    message = read_message(value) if has_role else None
    row = row_of(value) if message is None else None
    if row is not None:
        return said_by(row, value)
    message = message if has_role else read_message(value)
    if message is None:
        return None
    steps = steps_of(value)
    return [message] if len(steps) < 2 else filter(None, map(read_message, steps))


@dataclass
class _Home:
    """A list in which messages stand: whether it begins as an earlier one did, and what of the record is in it.

    ``before`` counts the calls that were made before it. ``known`` has the calls that were made in this list or come
    again there, ``open`` those without an answer there; ``said`` counts texts by role.
    """

    is_history: bool = False
    before: int = 0
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
        self._mark: object = None
        self._unasked: set[str] = set()
        self._made: list[int] = []

    def read(self, message: Message, home: int) -> None:
        if message.raw.get("is_demo") is True:
            return
        if message.role == "tool" and is_of_user(message.raw):
            self.recorder.warnings.append("calls that the user made, of tools of their own, are left out")
            return
        own = self._home(message, home)
        if self.in_texts:
            message = _with_spoken(message)
        self.form = message.form or self.form
        for each in message.missed:
            self.recorder.miss(each)
        self.recorder.is_guessed |= message.is_guessed
        if message.inside is None:  # what an agent that was called is asked, and says, is not this run's
            if not (message.is_item or message.is_log) and not message.raw.keys() <= _TELLING:
                self.recorder.fields(message.raw)
            for text in message.texts if message.role in ("user", "assistant") else ():
                self._say(message.role, text, own)
        self._calls(message, own, home)
        for answer in message.answers:
            self._answer(answer, own, message)

    def finish(self) -> None:
        """Note what leaves open which calls were made, and in which order.

        So does a call without a result of which a later request knows nothing: the answer may have been thrown away.
        """
        if any(self.recorder.of(identity) for identity in self._unasked):
            self.recorder.miss("a result stands before its call: the trace may not be in the order of its calls")
        histories = [own for own in self._homes.values() if own.is_history]
        for call in (each for each in self.recorder.calls if not each.has_result):
            later = (own for own in histories if call.index < own.before and call.index not in own.known)
            if any(any(index < own.before for index in own.known) for own in later):
                self.recorder.miss(f"a later request knows nothing of a call of {call.name} without a result")

    def _home(self, message: Message, home: int) -> _Home:
        own = self._homes.get(home)
        if own is None:
            is_asked = message.role in ("system", "user")
            beginning = (message.role, message.texts) if is_asked else (home,)
            is_history = beginning in self._beginnings
            self._beginnings.add(beginning)
            own = self._homes[home] = _Home(is_history=is_history, before=len(self.recorder.calls))
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
        if message.is_log:
            return next((i for i in named if not made[i].has_result), None)
        if message.is_record:
            same = (i for i in found if made[i].has_result and made[i].arguments == call.arguments)
            same = (i for i in same if answer is None or answer.value in (None, made[i].result))
            return next(same, None if answer is None else next((i for i in found if not made[i].has_result), None))
        if not own.is_history:
            found = [i for i in found if made[i].arguments == call.arguments]
        elif not named:
            found = self.recorder.alike(call)
        index = next((i for i in found if i not in own.known), None)
        if index is not None and not named:
            self.recorder.alias(call.call_id, index)
        return index

    def _calls(self, message: Message, own: _Home, home: int) -> None:
        asked = [part for part in message.told if part.call is not None]
        if message.raw and message.answers and all(self.recorder.of(call.call_id) for call in message.calls):
            asked = []  # a summary of calls with their answers
        again = [self._again(part, message, own) for part in asked]
        made = self._made_at_once(message, asked, home)
        kind, parent = CallKind.TOOL, message.parent
        if message.inside is not None:
            kind, parent = CallKind.NESTED, self.recorder.name_of(message.inside)
        for part, known in zip(asked, again, strict=True):
            index = known
            if known is None and part.call is not None:
                index = self.recorder.call(part.call, batch=message.batch, kind=kind, parent=parent)
                made += [] if index is None else [index]
            if index is None:
                continue
            own.known.add(index)
            own.open[index] = None
            if part.answer is not None:
                self._result(index, part.answer, own)
                if self.in_texts:  # what follows an answer in a text is not made at once with it
                    self.recorder.join(made)
                    made.clear()
        self.recorder.join(made)

    def _made_at_once(self, message: Message, asked: Sequence[Part], home: int) -> list[int]:
        """Return the calls so far that those of a message belong to: items in a row, or rows of one message."""
        is_item = (message.is_item or message.is_log) and any(part.answer is None for part in asked)
        has_rows = message.role == "assistant" and "role" in message.raw
        mark = home if is_item else message.raw.get("id") or None if has_rows else None
        if message.inside is not None:  # which may stand between the rows of one message
            return []
        if mark is None or mark != self._mark:
            self._made = []
        self._mark = mark
        return self._made

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
            self._unasked.add(answer.call_id)
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


def read_units(value: object, recorder: Recorder) -> None:
    """Read the messages inside a JSON value, OpenAI's items beside them, and what the rows of the table are."""
    messages = list(walk(value, _said, recorder.fields, recorder.take))
    if all(message.inside is not None for message, _ in messages):  # the whole trace is of an agent that was called
        messages = [(replace(message, inside=None), home) for message, home in messages]
    asks = any(message.calls for message, _ in messages)
    conversation = Conversation(recorder, in_texts=not asks)
    for message, home in messages:
        conversation.read(message, home)
    conversation.finish()
    recorder.is_guessed |= bool(not asks and recorder.calls)
    recorder.says_none = any(_asks_nothing(message) for message, _ in messages)
    rows = (row.name for row in map(row_of, recorder.taken) if row is not None and row.says)
    recorder.format = next(filter(None, rows), conversation.form) or "OpenAI chat"


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
