"""Plans as values: the steps of lists, objects and texts, by grammar and never by guess.

An item names tools by a call, by name, or in words that mean one known tool. Nothing here knows synonyms.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeAlias

from validator.reading.arguments import Argument, Arguments, read_arguments
from validator.reading.calls import Planned, folded
from validator.reading.calls.plans import Piece, pieces
from validator.reading.calls.written import CALL, Named, closed, read_call_at
from validator.reading.lexicon.english import FUNCTION
from validator.reading.plan import Dialect, Plan, Step, Token, Unparsed
from validator.reading.statements.context import NOTHING, Around, around_item, around_plan, is_remark
from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.tokens.phrases import mark_of, unmarked
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

    A text that names no known tool is read as plan texts are, where ``is_given`` says that it is one; ``around`` is
    what stands beside the steps.
    """

    def __init__(self, known: Known, vocabulary: Vocabulary | None = None, *, is_given: bool = False) -> None:
        self.known = known
        self.vocabulary = vocabulary
        self.is_given = is_given
        self.steps: list[Planned] = []
        self.around = NOTHING

    def read(self, value: object) -> None:
        listed = list(value) if isinstance(value, list | tuple) else [value]
        tokens = [each for each in listed if isinstance(each, Token)]
        if tokens and len(tokens) == len(listed):
            self._add(planned_tokens(Plan(parts=tuple(tokens))))
        elif tokens:
            for each in listed:
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
            return (Planned(index=0, name=piece.call.name, arguments=piece.call.arguments),)
        text = straight(piece.text or "")
        if piece.unread:
            return (_unreadable(text),)
        if not piece.is_whole:
            return self._item(text)
        value = whole_value(text)
        if value is not None:
            self.read(value)
            return ()
        return [step for item in items_of(text) for step in self._item(item)]

    def _item(self, text: str) -> Sequence[Planned]:
        is_end = _CLOSING.fullmatch(text) is not None and folded(text.strip(" \t*_.!")) not in self.known
        if is_end or not text.strip():
            return ()
        found = read_item(text, self.known)
        if found:
            around = around_item(text)
            self.around += around if len(found) == 1 else Around(open=around.open)
            return [Planned(index=0, name=name, arguments=given) for name, given in found]
        known = {folded(name) for name in re.findall(_NAME, text)} & self.known.keys()
        if self.is_given and len(known) < 2 and _RUN.search(text) is None:  # or it leaves open which
            plan = tokenize(text, self.vocabulary)
            names = {folded(step.name) for step in plan.steps if step.args and step.written is None}
            is_of_words = plan.dialect in (Dialect.WORDS, Dialect.SETS) and self.known.keys().isdisjoint(names)
            if plan.tokens and not plan.is_unreadable and not (is_of_words and names and self.known):
                self.around += around_plan(plan)
                return planned_tokens(plan)
        return (_unreadable(text),)


_CLOSING = re.compile(r"[\s*_]*(?:(?:all\s+)?done|the\s+end|end|finished|ok(?:ay)?)[\s*_.!]*", re.IGNORECASE)


def _unreadable(text: str) -> Planned:
    token = Unparsed(text=" ".join(text.split()), reason="it names no tool")
    return Planned(index=0, name=token.text, token=token, is_readable=False)


# --- lists in a text ------------------------------------------------------------------------------

_NUMBER = re.compile(r"(?<![^\s*])(?:step\s+)?(\d{1,3})([.)]|:(?=\s))\**(?=[^\S\n]+\S|\()", re.IGNORECASE)
_PLAN = re.compile(r"\bplan(?:ned)?\b", re.IGNORECASE)
_BULLET = re.compile(r"[ \t]*[-*•+][ \t]+(?P<box>\[[ xX]\][ \t]*)?(?P<item>.*)")
_BEFORE = 200
"""characters before a number that are looked at: for the word plan, for an open parenthesis"""


def items_of(text: str) -> list[str]:
    """Return the items of the list that a text has, else its lines that may be steps."""
    return list_items(text, headed=False) or [unmarked(line) for line in text.splitlines() if not is_remark(line)]


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
            pairs = zip(marks, ends, strict=True)
            return [text[mark.end() : end].partition("\n")[0].strip() for mark, end in pairs]
    return list(_bullets(text))


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


# --- an item --------------------------------------------------------------------------------------

_NAME = r"[^\W\d][\w./-]*"
_JOINED = re.compile(r"[a-z0-9][A-Z]|\w[-_./]\w")
"""what is in names, and in no word"""
_TOOL = r"(?:`[^\W\d][\w./-]*`|(?<![\w`])(?:[^\W\d]\w*_\w+|[a-z][a-z0-9]*[A-Z]\w*)(?:[.-]\w+)*)"
"""a name that is written as only those of tools are: one that is never called is just what a comparison looks for"""
_JOINT = r"(?:\s*,\s*(?:and\s+)?(?:then\s+)?|\s*(?:[;&+]|->|=>|→)\s*|,?\s+(?:and\s+then|and|then)\s+)"
_JOINTS = re.compile(_JOINT, re.IGNORECASE)
_SIGNS = re.compile(r"\s*(?:;|->|=>|→)\s*")
_EITHER = rf"(?:{_JOINT}|\s*(?:\||\s/\s|\s(?:or|-|–|—)\s|[:(]|\.\s)\s*)"
"""what may stand between names; behind some of these signs it is open which of them is meant"""
_EITHERS = re.compile(_EITHER)
_RUN = re.compile(rf"{_TOOL}(?:{_EITHER}{_TOOL})+")
_TOOLS = re.compile(_TOOL)
_CALLS = re.compile(r"\b(?:call|invoke|run|execute)(?:\s+(?:the|tools?|functions?))*\s*$", re.IGNORECASE)
_CALLED = re.compile(
    r"(?:then\s+)?(?:call|invoke|run|execute)(?:\s+(?:the|tools?|functions?))*\s+(?=[`\w])", re.IGNORECASE
)
_LABEL = re.compile(rf"({_NAME})[`*\s]*(?::|=>|->|→|–|—|\s-\s|,|\.\s)\s*")
_GROUP = re.compile(r"\(\s*([^\s()]+(?:\s+[^\s()]+)*)\s*\)")
_LABELLED = re.compile(r"\)\s*(?:$|:|-|–|—|=>|->|→|,|;|\bto\b|\bthen\b)")
_WORD = re.compile(r"[^\W\d_]+")
_MARKS = " \t*`\"'.!"
_MOST = 2_000
"""characters of an item; a longer one is no item of a plan"""


def read_item(text: str, known: Known) -> tuple[Named, ...]:
    """Return the tools that an item names, in order; none when it names no tool, or leaves open which.

    An item may chain steps by ``then``, ``->``, ``;`` or commas: then each part names one.
    """
    text = text[len(text[: mark_of(text).end].rstrip("`*\"'{(")) :].strip()
    if not text or len(text) > _MOST:
        return ()
    chain = [one for one in _between_joints(text) if one]
    read = [named for part in chain if (named := _named(part, known)) is not None]
    if len(read) < len(chain):
        names = _EITHERS.split(text.rstrip(" .!)"))
        are_names = all(_TOOLS.fullmatch(name) or folded(name) in known for name in names)
        return () if are_names else _in_sentence(text, known) or ()
    words = (part for part in chain if _WORD.fullmatch(part) and folded(part) not in known)
    is_open = len(read) > 1 and _SIGNS.search(text) is None and any(words)
    return () if is_open else tuple(read)


def begins_with_tool(item: str, known: Known) -> bool:
    """Return whether an item names its tools, and begins with one."""
    words = unmarked(item)
    return (CALL.match(words) or _TOOLS.match(words)) is not None and bool(read_item(item, known))


def _between_joints(text: str) -> Iterator[str]:
    """Yield what stands between the joints outside of the calls of a text."""
    place = begin = 0
    call = CALL.search(text)
    for joint in _JOINTS.finditer(text):
        while call is not None and call.start() < joint.start():
            place = closed(text, call.start()) or len(text)
            call = CALL.search(text, place)
        if joint.start() >= place:
            yield text[begin : joint.start()]
            begin = joint.end()
    yield text[begin:]


def _named(text: str, known: Known) -> Named | None:
    """Return the step that a text is by itself: a call, names in parentheses, a name."""
    bare = text.strip(_MARKS).removeprefix("[ ]").strip(_MARKS)
    if group := _GROUP.fullmatch(bare):
        name, *args = group[1].split()
        return name, tuple(Argument(None, arg) for arg in args)
    called = _CALLED.match(bare)
    bare = bare if called is None else bare[called.end() :].strip(_MARKS)
    if CALL.match(bare) and closed(bare, 0) == len(bare):
        call = read_call_at(bare, 0)
        return call if call is not None and _may_be_a_name(call[0], known) else None
    is_name = re.fullmatch(_NAME, bare) is not None and _may_be_a_name(bare, known)
    is_tool = called is None or _JOINED.search(bare) is not None or folded(bare) in known  # not of "Call Bob"
    return (bare, None) if is_name and is_tool else None


def _in_sentence(text: str, known: Known) -> tuple[Named, ...] | None:
    """Return the tools that a sentence names: by one call, a label, names beside each other or its first words."""
    bare = text.strip(_MARKS)
    starts = (match.start() for match in CALL.finditer(text) if _may_be_called(match, bare, known))
    calls = [call for start in starts if (call := read_call_at(text, start)) and _may_be_a_name(call[0], known)]
    if calls:
        return tuple(calls) if len(calls) == 1 else None
    label = _LABEL.match(bare)
    if label and (_JOINED.search(label[1]) or folded(label[1]) in known) and not _RUN.match(text):
        given = whole_value(rest) if (rest := bare[label.end() :]).startswith("{") else None
        return ((label[1], None if given is None else read_arguments(given)),)
    names = _mentioned(text, known)
    return None if names is None else tuple((name, None) for name in names)


def _may_be_called(match: re.Match[str], item: str, known: Known) -> bool:
    """Return whether a name with a parenthesis is a call: in a sentence, ``method(s)`` is none unless it is a tool."""
    name = match[0][:-1]
    if folded(name) in known or not _WORD.fullmatch(name):
        return True
    return item.startswith(match[0]) and (item.endswith(")") or _LABELLED.search(item) is not None)


def _may_be_a_name(word: str, known: Known) -> bool:
    """Return whether a word can be a tool's name: where sentences are written without blanks, only a known one can."""
    return word[0].isascii() or folded(word) in known


def _mentioned(text: str, known: Known) -> Sequence[str] | None:
    """Return the tools that a sentence names beside each other, or the one known, or the one that it says to call.

    Names that are no words mean tools; one that is not known and stands apart may be an argument's.
    """
    line = re.sub(r"\*+(?=\w)|(?<=\w)\*+", "", text)
    named = {name.strip("`") for name in _TOOLS.findall(line)}
    others = (name.rstrip(".") for name in re.findall(_NAME, line) if _JOINED.search(name))
    tools = {known[folded(name)] for name in (*named, *others) if folded(name) in known}
    for run in _RUN.finditer(line):
        names = [name.strip("`") for name in _TOOLS.findall(run[0])]
        found = {known[folded(name)] for name in names if folded(name) in known}
        if found:
            is_clear = len(_JOINTS.findall(run[0])) == len(names) - 1 and tools == found
            return names if is_clear and (len(found) == len(names) or _CALLS.search(line[: run.start()])) else None
    if tools:
        return [*tools] if len(tools) == 1 else None
    if len(named) == 1 and any(_CALLS.search(line[: each.start()]) for each in _TOOLS.finditer(line)):
        return [*named]
    words = [word for word in re.findall(r"\w+", line.lower()) if word not in FUNCTION]
    spoken = ("_".join(words[:length]) for length in range(min(len(words), 6), 0, -1))
    found = {known[name] for name in spoken if name in known}
    return [*found] if len(found) == 1 else None
