"""Plans as values: the steps of lists, objects and texts, by grammar and never by guess.

An item names tools by a call, by name, or in words that mean one known tool. Nothing here knows synonyms.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from validator.reading.arguments import Argument, Arguments, read_arguments
from validator.reading.calls import Planned, folded
from validator.reading.calls.plans import Piece, pieces
from validator.reading.calls.written import CALL, Named, read_call_at, read_commas
from validator.reading.lexicon.english import FUNCTION, stem
from validator.reading.lexicon.line_words import parts
from validator.reading.plan import Constraint, Dialect, Plan, Step, Unparsed
from validator.reading.statements.context import NOTHING, Around, around_item, around_steps, is_remark
from validator.reading.statements.tool_lists import listed
from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.tokens.phrases import unmarked
from validator.reading.values import whole_value
from validator.records import replace
from validator.texts import straight

Known: TypeAlias = Mapping[str, str]
"""Tools that are known from the trace or a model: folded name to name."""


class _Known:
    """The tools that are known, as tools whose parameters are not."""

    def __init__(self, known: Known) -> None:
        self.known = known

    def is_tool(self, name: str) -> bool:
        return folded(name) in self.known

    def parameters_of(self, name: str) -> Collection[str]:
        return ()


class PlanReader:
    """Reads the steps of one plan value: lists, objects and texts; what names no tool is kept as unreadable.

    A text that names no known tool is read as plan texts are, where ``is_text`` says that it may be one; with
    ``in_words`` its words may name one. ``by_words`` tells of the sentences in which one was found, ``unclear`` of
    those that leave open which, ``around`` of what stands beside the steps.
    """

    def __init__(
        self,
        known: Known,
        vocabulary: Vocabulary | None = None,
        *,
        is_text: bool = False,
        in_words: bool = False,
    ) -> None:
        self.known = known
        self.vocabulary = vocabulary
        self.is_text = is_text
        self.in_words = in_words
        self.steps: list[Planned] = []
        self.by_words: list[str] = []
        self.unclear: list[str] = []
        self.around = NOTHING

    def read(self, value: object) -> None:
        if isinstance(value, Step | Constraint | Unparsed):
            self._add(planned_tokens(Plan(parts=(value,))))
        elif isinstance(value, Sequence) and not isinstance(value, str) and any(isinstance(e, Step) for e in value):
            for each in value:
                self.read(each)
        else:
            self._pieces(pieces(value, _Known(self.known)))

    def _pieces(self, found: Sequence[Piece]) -> None:
        """Add the steps of the items of a plan; dependencies between items hold between their steps."""
        places: list[range] = []
        for piece in found:
            first = len(self.steps)
            self._add(self._steps(piece), piece.batch)
            if piece.after is not None:
                before = tuple(index for place in piece.after for index in places[place])
                for index in range(first, len(self.steps)):
                    own = before if index == first else (index - 1,)
                    self.steps[index] = replace(self.steps[index], after=own)
            places.append(range(first, len(self.steps)))

    def _add(self, steps: Sequence[Planned], batch: int | None = None) -> None:
        for step in steps:
            own = step.batch if batch is None else batch
            self.steps.append(replace(step, index=len(self.steps), batch=own))

    def _steps(self, piece: Piece) -> Sequence[Planned]:
        if piece.call is not None:
            return (Planned(index=0, name=piece.call.name, arguments=piece.call.arguments, batch=piece.batch),)
        text = straight(piece.text or "")
        if piece.unread:
            return (_unreadable(text),)
        return self._text(text) if piece.is_whole else self._item(text)

    def _text(self, text: str) -> Sequence[Planned]:
        """Return the steps of a text that is a plan: JSON, a numbered list, commas, or a line a step."""
        value = whole_value(text)
        if value is not None:
            self.read(value)
            return ()
        items = list_items(text, headed=False)
        if not items:
            commas = read_commas(text)
            if commas is not None and len(commas.tokens) > 1 and all(map(_is_short, commas.tokens)):
                return planned_tokens(commas)
            items = [unmarked(line) for line in text.splitlines() if not is_remark(line)]
        return [step for item in items for step in self._item(item)]

    def _item(self, text: str) -> Sequence[Planned]:
        is_end = _CLOSING.fullmatch(text) is not None and folded(text.strip(" \t*_.!")) not in self.known
        if is_end or not text.strip():
            return ()
        names = listed(text, self.known)
        if names is not None:
            self.around += Around(open=around_item(text).open)
            return [Planned(index=0, name=name) for name in names] or (_unreadable(text),)
        found = read_item(text, self.known) or self._in_words(text)
        if found:
            self.around += around_item(text)
            return [Planned(index=0, name=name, arguments=given) for name, given in found]
        if self.is_text and not self.unclear:
            plan = tokenize(text, self.vocabulary)
            is_words = plan.dialect in (Dialect.WORDS, Dialect.SETS) and self._is_of_words(plan)
            if plan.tokens and not plan.is_unreadable and not is_words:
                self.around += around_steps(plan)
                return planned_tokens(plan)
        return (_unreadable(text),)

    def _in_words(self, text: str) -> Sequence[tuple[str, None]]:
        """Return the tool that the words of an item mean, where they leave none other open."""
        found = meant(text, self.known) if self.in_words else ()
        said = " ".join(text.split())
        if len(found) > 1:
            self.unclear.append(f"{said!r} may mean {' or '.join(found)}")
            return ()
        self.by_words += (f"{said!r} is taken for {name}, by its words" for name in found)
        return [(name, None) for name in found]

    def _is_of_words(self, plan: Plan) -> bool:
        """Return whether the steps of an item are words of which none names a tool that is known."""
        names = [folded(step.name) for step in plan.steps if step.args and step.written is None]
        return bool(self.known) and bool(names) and self.known.keys().isdisjoint(names)


_CLOSING = re.compile(r"[\s*_]*(?:(?:all\s+)?done|the\s+end|end|finished|ok(?:ay)?)[\s*_.!]*", re.IGNORECASE)


def _is_short(token: object) -> bool:
    """Return whether a step of a line of commas is a call or a name, and no words."""
    return isinstance(token, Step) and (not token.args or token.written is not None)


def _unreadable(text: str) -> Planned:
    token = Unparsed(text=" ".join(text.split()), reason="it names no tool")
    return Planned(index=0, name=token.text, token=token, is_readable=False)


# --- lists in a text ------------------------------------------------------------------------------

_NUMBER = re.compile(r"(?<![^\s*])(?:step\s+)?(\d{1,3})([.)]|:(?=\s))\**(?=[^\S\n]+\S|\()", re.IGNORECASE)
_PLAN = re.compile(r"\bplan(?:ned)?\b", re.IGNORECASE)
_BULLET = re.compile(r"[ \t]*[-*•+][ \t]+(?P<box>\[[ xX]\][ \t]*)?(?P<item>.*)")
_BEFORE = 200
"""characters before a number that are looked at: for the word plan, for an open parenthesis"""


def list_items(text: str, *, headed: bool) -> list[str]:
    """Return the items of the first numbered list of a text, or of the first list of bullets under the word plan.

    A list counts 1, 2, 3 and so on, in lines or in one line. ``headed`` asks for the word plan before it.
    """
    lists: list[list[re.Match[str]]] = []
    for match in _NUMBER.finditer(text):
        before = text[_line_start(text, match.start()) : match.start()]
        closes = match[2] == ")" and before.rfind("(") > before.rfind(")")  # `f(1, 2)` has no second item
        if int(match[1]) == 1 and before.rstrip(" \t*_#>")[-1:] in ("", *":.!?-–—"):
            lists.append([match])
        elif lists and not closes and int(match[1]) == len(lists[-1]) + 1 and match[2] == lists[-1][0][2]:
            lists[-1].append(match)
    for marks in lists:
        if not headed or is_headed(text, marks[0].start()):
            ends = [*(mark.start() for mark in marks[1:]), len(text)]
            return [_first_line(text, mark.end(), end) for mark, end in zip(marks, ends, strict=True)]
    return list(_bullets(text))


def _first_line(text: str, start: int, end: int) -> str:
    line = text.find("\n", start, end)
    return text[start : end if line < 0 else line].strip()


def is_headed(text: str, place: int) -> bool:
    """Return whether the word plan stands before a place: in its line, or in the last one before it with a text."""
    end = place
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return bool(_PLAN.search(text, _line_start(text, end), end))


def _line_start(text: str, place: int) -> int:
    """Return where the line of a place begins, at most _BEFORE characters before it."""
    first = max(0, place - _BEFORE)
    return max(first, text.rfind("\n", first, place) + 1)


def _bullets(text: str) -> Iterator[str]:
    """Yield the first list of bullets that follows a line with the word plan and a colon at its end, or of boxes."""
    is_headed = has_items = False
    for line in text.splitlines():
        bullet = _BULLET.fullmatch(line)
        if bullet and (is_headed or (bullet["box"] and bullet["item"])):
            has_items = True
            yield bullet["item"].strip()
        elif line.strip():
            if has_items:
                return
            is_headed = line.rstrip(" *_\t").endswith(":") and bool(_PLAN.search(line))


# --- plan texts as steps to be compared -----------------------------------------------------------


def planned_tokens(plan: Plan) -> list[Planned]:
    """Return the tokens of a plan text as steps to be compared; what is no step is kept as unreadable."""
    steps: list[Planned] = []
    times: dict[object, int] = {}
    for index, token in enumerate(plan.tokens):
        if not isinstance(token, Step):
            steps.append(Planned(index=index, name=str(token), token=token, is_readable=False))
            continue
        key = token.concurrent if token.concurrent is not None else token.time
        batch = None if key is None else times.setdefault(key, len(times))
        arguments = _arguments(token, plan.dialect)
        steps.append(Planned(index=index, name=token.name, arguments=arguments, batch=batch, token=token))
    return steps


_NAMES_ONLY = frozenset((Dialect.WORDS, Dialect.SETS, Dialect.JSON))
"""dialects in which a lone name says nothing of its arguments; ``f()`` and ``(f)`` say that there are none"""


def _arguments(step: Step, dialect: Dialect) -> Arguments | None:
    if step.written is not None:
        return step.written
    if not step.args and dialect in _NAMES_ONLY:
        return None
    return tuple(Argument(None, arg) for arg in step.args)


# --- an item ----------------------------------------------------------------------------------------

_NAME = re.compile(r"[^\W\d][\w./-]*")
_ALONE = re.compile(r"\W*([^\W\d][\w./-]*)\W*")
_LABEL = re.compile(r"([^\W\d][\w./-]*)[`*\s]*(?::|=>|->|→|–|—|\s-\s|,|\.\s)\s*")
_GROUP = re.compile(r"\(\s*([^\s()]+(?:\s+[^\s()]+)*)\s*\)")
_JOINED = re.compile(r"[a-z0-9][A-Z]|\w[-_./]\w")
_QUOTED = re.compile(r"`([^\W\d][\w./-]*)`")
_SIGNS = re.compile(r"\s*(?:;|->|=>|→)\s*")
_THEN = re.compile(r",?\s+(?:and\s+)?then\s+", re.IGNORECASE)
_LABELLED = re.compile(r"\)\s*(?:$|:|-|–|—|=>|->|→|,|;|\bto\b|\bthen\b)")
_WORD = re.compile(r"[^\W\d_]+")
_MOST = 2_000
"""characters of an item; a longer one is no item of a plan"""
_LONGEST = 400
"""characters of a sentence that may mean a tool"""


def read_item(text: str, known: Known) -> tuple[Named, ...]:
    """Return the tools that an item names, in order; none when it names no tool, or leaves open which.

    An item may chain steps by ``then``, ``->`` or ``;``: then each part names one.
    """
    text = text.strip()
    if len(text) > _MOST:
        return ()
    chain = [part for part in _SIGNS.split(text) if part.strip()]
    if len(chain) == 1:
        chain = [part for part in _THEN.split(text) if part.strip()]
        if any(_WORD.fullmatch(part.strip()) and folded(part) not in known for part in chain):
            chain = [text]  # `then choose` tells of no tool, as `-> choose` does
    if len(chain) > 1:
        chained = [named for part in chain if (named := _read_one(part, known)) is not None]
        if len(chained) == len(chain):
            return tuple(chained)
    one = _read_one(text, known)
    return () if one is None else (one,)


@lru_cache(maxsize=4096)
def _call_at(text: str, start: int) -> Named | None:
    """Return a call; plans of many runs have the same items."""
    return read_call_at(text, start)


def _read_one(text: str, known: Known) -> Named | None:
    bare = text.strip(" \t*`\"'.").removeprefix("[ ]").strip()
    if group := _GROUP.fullmatch(bare):
        name, *args = group[1].split()
        return name, tuple(Argument(None, arg) for arg in args)
    starts = (match.start() for match in CALL.finditer(text) if _may_be_called(match, bare, known))
    calls = [call for start in starts if (call := _call_at(text, start)) and _may_be_a_name(call[0], known)]
    if calls:
        return calls[0] if len(calls) == 1 else None
    if (alone := _ALONE.fullmatch(text)) and _may_be_a_name(alone[1], known):
        return alone[1].rstrip("."), None
    if (label := _LABEL.match(bare)) and (_JOINED.search(label[1]) or folded(label[1]) in known):
        given = whole_value(rest) if (rest := bare[label.end() :]).startswith("{") else None
        return label[1], None if given is None else read_arguments(given)
    return _mentioned(text, known)


def _may_be_called(match: re.Match[str], item: str, known: Known) -> bool:
    """Return whether a name with a parenthesis is a call: in a sentence, ``method(s)`` is none unless it is a tool."""
    name = match[0][:-1]
    if folded(name) in known or not _WORD.fullmatch(name):
        return True
    return item.startswith(match[0]) and (item.endswith(")") or _LABELLED.search(item) is not None)


def _may_be_a_name(word: str, known: Known) -> bool:
    """Return whether a word can be a tool's name: where sentences are written without blanks, only a known one can."""
    return word[0].isascii() or folded(word) in known


def _mentioned(text: str, known: Known) -> Named | None:
    """Return the one known tool of a sentence: in backticks, by a name that is no word, or by its first words."""
    quoted = {known.get(folded(name), "") for name in _QUOTED.findall(text)} - {""}
    names = (name.rstrip(".") for name in _NAME.findall(text))
    found = quoted | {known[folded(name)] for name in names if _JOINED.search(name) and folded(name) in known}
    if not found:
        words = re.findall(r"\w+", text.lower())
        spoken = ("_".join(words[:length]) for length in range(min(len(words), 6), 0, -1))
        found = {known[name] for name in spoken if name in known}
        return (next(iter(found)), None) if len(found) == 1 else None
    return (found.pop(), None) if len(found) == 1 else None


# --- words ---------------------------------------------------------------------------------------


def meant(text: str, known: Known) -> tuple[str, ...]:
    """Return the tools that a sentence may mean: all words of their names are in it, and of no other tool more."""
    said = _stems(text) if len(text) <= _LONGEST else {}
    named = {name: frozenset(_stems(name)) for name in known.values()}
    whole = {name: stems for name, stems in named.items() if stems and stems <= said.keys()}
    widest = (name for name, stems in whole.items() if not any(stems < other for other in whole.values()))
    first = next(iter(said), "")
    return tuple(name for name in widest if len(named[name]) > 1 or first in named[name])


@lru_cache(maxsize=4096)
def _stems(text: str) -> dict[str, None]:
    """Return the stems of what a text or a name says, in order."""
    return dict.fromkeys(stem(word) for word in parts(text) if word not in FUNCTION and word.isalpha())
