"""Calls as they are written: ``search_flights(origin="SFO", limit=3)``, lists of them, and plans of them on one line.

A plan may be one line of commas: ``pick(a), {stack(a, b), wait}, (put-down a)``, ``f, g, h``, ``[f(x="a"), g(z="c")]``.
That is GAICO's notation as its documentation means it: a comma inside parentheses belongs to the step, braces hold
steps that happen at once, brackets may stand around the whole. ``;`` and arrows may stand for the commas between names:
``f; g; h``, ``f -> g``. A text that is not of this form is left to other readers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from validator.reading.arguments import Argument, Arguments, read_argument, read_arguments
from validator.reading.calls.objects import ModelNames, is_written_for, step_of
from validator.reading.plan import MAX_STEPS, Constraint, Dialect, Plan, Span, Step, Token, tiled
from validator.reading.values import LocatedText, Value, arguments_at
from validator.records import replace

Named: TypeAlias = tuple[str, Arguments | None]
"""The name of a tool and its arguments; None where only the tool is named."""

CALL = re.compile(r"(?<![\w./-])[^\W\d][\w./-]*\(")
"""How a call begins."""

_SIGNS = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[(){}\[\],]")
_OPENS = {"(": ")", "{": "}", "[": "]"}


def read_call(text: str) -> Named | None:
    """Return the call that a text is as a whole; None for any other text."""
    text = text.strip()
    if not text.endswith(")") or CALL.match(text) is None:
        return None
    found = _call_at(text, 0)
    return found[0] if found is not None and found[1] == len(text) else None


_NEXT = re.compile(r"(?:[\s,;]|#[^\n]*)*+(?:(?P<label>[^\W\d]\w*+)\s*+=\s*+)?+(?P<call>[^\W\d][\w./-]*\()")
_END = re.compile(r"(?:[\s,;]|#[^\n]*)*+")


def read_calls(text: str) -> list[tuple[str | None, Named]] | None:
    """Return the calls of ``[f(x="a"), g(z="c")]``, ``label = f(x=1)``, or one per line; None for any other text."""
    text = text.strip()
    text = text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text
    found: list[tuple[str | None, Named]] = []
    place = 0
    while (begins := _NEXT.match(text, place)) is not None:
        call = _call_at(text, begins.start("call"))
        if call is None:
            return None
        found.append((begins["label"], call[0]))
        place = call[1]
    return found if _END.fullmatch(text, place) else None


def read_call_at(text: str, start: int) -> Named | None:
    """Return the call that begins at a place; None when its parentheses or its arguments cannot be read."""
    found = _call_at(text, start)
    return None if found is None else found[0]


def _call_at(text: str, start: int) -> tuple[Named, int] | None:
    """Return the call that begins at a place, and where it ends."""
    opens = text.index("(", start)
    found = arguments_at(text, opens)
    if found is None:
        return None
    arguments = [each for key, value in found.arguments() for each in _arguments(text, key, value)]
    return (text[start:opens], tuple(arguments)), found.span[1]


def _arguments(text: str, key: LocatedText | None, value: Value) -> Arguments:
    """Return what an argument gives; another call stands as it is written."""
    if key is not None and text[key.span[0]] == "*":
        return read_arguments(value.plain) or ()
    name = None if key is None else str(key)
    if not value.is_bare:
        return (read_argument(name, value.text if value.kind == "text" else value.plain),)
    words = " ".join(value.text.split())
    return (Argument(name, _WRITTEN.get(words, words), False if words.endswith(")") else None),)


_WRITTEN = {"None": "null", "True": "true", "False": "false"}


def closed(text: str, start: int) -> int | None:
    """Return the offset behind the parenthesis that closes the first one."""
    depth = 0
    for match in _SIGNS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] == ")" and depth == 0:
            return match.end()
    return None


# --- lines of commas -----------------------------------------------------------------------------

_LOOSE_CALL = re.compile(r"([^\s(){}\[\],;:=\"]+)\s?\(([^(){}]*)\)")
_GROUP = re.compile(r"\(\s*([^(){}\[\],;:]+?)\s*\)")
_WORDS = re.compile(r"[^\n(){}\[\],;:]*[^\s.!?(){}\[\],;:]")
_SENTENCE = re.compile(r"[.!?]\s")
_CHAIN = re.compile(r"(?:[^\W\d][\w.-]*\s*(?:;|->|=>|→)\s*)+[^\W\d][\w.-]*")
_LINK = re.compile(r";|->|=>|→")
_OUTPUT = re.compile(r"([^\s(){}\[\],;:=\"]+)\s*=\s*(?=[^\s(){}\[\],;:=\"]+\s?\()")
_ASSERT = re.compile(r"assert\s+(not\s+)?(.*\$.*)")


def read_commas(text: str, names: ModelNames | None = None) -> Plan | None:
    """Return the plan that a line of commas is, or None when the text is none.

    Steps of one set have one number as ``concurrent``. Where the names of a model are known, each step is of it.
    """
    names = names if names is not None and names.actions else None
    pieces = _pieces(text)
    if pieces is None or len(pieces) > MAX_STEPS or (len(pieces) == 1 and not _is_one(text[slice(*pieces[0])])):
        return None
    found: list[Token] = []
    sets = 0
    for piece in pieces:
        members = _members(text, piece)
        for place in [piece] if members is None else members:
            token = _token(text[slice(*place)], names) if place[0] < place[1] else None
            if token is None and place[0] < place[1]:
                return None
            if isinstance(token, Step) and members is not None:
                token = replace(token, concurrent=sets)
            found += [] if token is None else [replace(token, span=place)]
        sets += members is not None
    return Plan(parts=tiled(text, found), dialect=_dialect(text, found, sets), text=text)


_SET_LINE = re.compile(
    r"\s*(?:```\w*|[;#].*|[^{}(),]*:"  # a fence, a comment, a heading
    r"|(?:(?:step\s*)?(?P<number>\d{1,4})[.:)]|[-*•])?\s*(?P<body>\{[^{}]+\}|[^\s{}][^{}]*?)?\s*[,;]?)\s*",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\n]+")
_NEXT_SET = re.compile(r"(?<=\})([ \t]*)(;|->|=>|→)(?=[ \t]*\{)")
_NEXT_MEMBER = re.compile(r"\)\s(?=\s*\()")


def _pieces(text: str) -> list[Span] | None:
    """Return the places of steps and sets between commas, or of those that stand line by line; None for other texts."""
    start, end = _stripped(text, 0, len(text))
    if text[start : start + 1] == "[" and text[end - 1 : end] == "]":
        start, end = _stripped(text, start + 1, end - 1)
    if "{" in text:
        text = _NEXT_SET.sub(lambda sign: sign[1] + ",".ljust(len(sign[2])), text)
        lines = [_SET_LINE.fullmatch(text, *line.span()) for line in _LINE.finditer(text, start, end)]
        bodies = [match.span("body") for match in lines if match and match["body"]]
        numbers = [int(match["number"]) for match in lines if match and match["number"]]
        is_counted = all(number == numbers[0] + place for place, number in enumerate(numbers))
        if all(lines) and is_counted and any(text[start] == "{" for start, _ in bodies):
            found = [_split(text, *body) for body in bodies]
            return None if None in found else [piece for pieces in found for piece in pieces or ()]
    line = text.find("\n", start, end)
    if line >= 0 and not text[start:line].rstrip().endswith((",", "(", "[", "{")):
        return None
    if _CHAIN.fullmatch(text, start, end):
        text = _LINK.sub(lambda sign: ",".ljust(len(sign[0])), text)
    return _split(text, start, end)


def _token(text: str, names: ModelNames | None) -> Step | Constraint | None:
    """Return the one step or constraint that a piece of text is, or None."""
    if asserted := _ASSERT.fullmatch(text):
        return Constraint(text=" ".join(asserted[2].split()), holds=not asserted[1])
    output = _OUTPUT.match(text)
    step = _step(text if output is None else text[output.end() :], names)
    return step if step is None or output is None else replace(step, outputs=(output[1],))


def _step(text: str, names: ModelNames | None) -> Step | None:
    group, loose = _GROUP.fullmatch(text), _LOOSE_CALL.fullmatch(text)
    if (call := read_call(text)) is not None:
        step = step_of(*call, names) if is_written_for(call[1], names) else None
    elif loose is not None:
        given = (Argument(None, each.strip()) for each in loose[2].split(",") if each.strip())
        step = step_of(loose[1], tuple(given), names)
    elif group is None and (not _WORDS.fullmatch(text) or _SENTENCE.search(text)):
        return None
    else:
        name, *args = group[1].lower().split() if group else text.split()
        step = Step(name=name, args=tuple(args)) if names is None else names.step(name, args, (0, 0))
    is_known = names is None or (isinstance(step, Step) and names.actions.get(step.name.lower()) == len(step.args))
    return step if isinstance(step, Step) and is_known else None


def _is_one(piece: str) -> bool:
    """Return whether a text without a comma is of this form: a set, a step with parentheses, a single name."""
    return not piece or piece[-1] in ")}" or not piece.split()[1:]


def _split(text: str, start: int, end: int) -> list[Span] | None:
    """Return the places of what stands between the commas outside of all brackets; None where brackets do not match."""
    found: list[Span] = []
    waiting: list[str] = []
    place = first = start
    while match := _SIGNS.search(text, place, end):
        sign, place = match[0], match.end()
        if sign in _OPENS:
            waiting.append(_OPENS[sign])
        elif sign == ",":
            if not waiting:
                found.append(_stripped(text, first, match.start()))
                first = place
        elif sign[0] in "\"'":
            place = place if waiting else match.start() + 1  # outside of brackets it may be an apostrophe
        elif not waiting or waiting.pop() != sign:
            return None
    return None if waiting else [*found, _stripped(text, first, end)]


def _stripped(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    return first, max(first, start + len(piece.rstrip()))


def _members(text: str, piece: Span) -> list[Span] | None:
    """Return the places of the members of a set in braces; None for what is none."""
    start, end = piece
    if start == end or text[start] != "{" or text[end - 1] != "}":
        return None
    return _split(_NEXT_MEMBER.sub("),", text), start + 1, end - 1)


def _dialect(text: str, tokens: Sequence[Token], sets: int) -> Dialect:
    signs = {text[token.span[0]] == "(" or (text[token.span[1] - 1] == ")" and "functional") for token in tokens}
    if sets or len(signs) != 1:
        return Dialect.SETS
    return {True: Dialect.PDDL, "functional": Dialect.FUNCTIONAL}.get(signs.pop(), Dialect.SETS)
