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

from validator.errors import PlanError
from validator.reading.arguments import Argument, Arguments, read_argument, read_arguments
from validator.reading.calls.objects import ModelNames, is_written_for, step_of
from validator.reading.plan import Constraint, Dialect, Part, Plan, Span, Step, Token, Unparsed, tiled
from validator.reading.values import LocatedText, Value, arguments_at
from validator.records import replace

__all__ = ["CALL", "Named", "closed", "read_call", "read_call_at", "read_calls", "read_commas", "read_sets"]

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
    """Return the calls of ``[f(x="a"), g(z="c")]``, ``label = f(x=1)``, or one a line; None for any other text."""
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

_NAME = r"[^\s(){}\[\],;:=\"]+"
_OUTPUTS = re.compile(rf"({_NAME}(?:\s*,\s*{_NAME})*)\s*=\s*(?={_NAME}\s?\()")
_CALL = re.compile(rf"({_NAME})\s?\((.*)\)", re.DOTALL)
_NAMED = re.compile(r"(?:[^\s,{}();]|\([^(){}\n]*+\))(?:[^,{}();\n]|\([^(){}\n]*+\))*+")
_LIST = re.compile(r"\(\s*([^(){}\[\],;:]+?)\s*\)")
_WORDS = re.compile(r"[^\n(){}\[\],;:]*[^\s.!?(){}\[\],;:]")
_SENTENCE = re.compile(r"[.!?]\s")
_QUOTED = re.compile(r"(['\"`])(.*)\1", re.DOTALL)
_ASSERT = re.compile(r"assert\s+(not\s+)?(.+)")
_CHAIN = re.compile(r"\s*(?:;|->|=>|→)\s*")
_LINK = re.compile(r"[^\W\d][\w.-]*")
_GOES_ON = tuple(",([{")
"""how the first of several lines ends"""
_MOST = 100_000
"""elements of a plan"""


def read_commas(text: str, names: ModelNames | None = None) -> Plan | None:
    """Return the plan that a line of commas is, or None when the text is none.

    Steps of one set have one number as ``concurrent``. Where the names of a model are known, bare words are a step only
    when they begin with an action of the model, and one of the steps has to.
    """
    names = names if names is not None and names.actions else None
    start, end = _stripped(text, 0, len(text))
    if text[start : start + 1] == "[" and text[end - 1 : end] == "]":
        start, end = _stripped(text, start + 1, end - 1)
    line = text.find("\n", start, end)
    if line >= 0 and text[start:line].rstrip()[-1:] not in _GOES_ON:
        return None
    pieces = _chain(text, start, end, names) or _split(text, start, end)
    if pieces is None or len(pieces) > _MOST or (len(pieces) == 1 and not _is_one(text[slice(*pieces[0])])):
        return None
    found: list[Token] = []
    sets = 0
    for piece in pieces:
        if piece[0] == piece[1]:
            continue
        together = _members(text, piece)
        parts = [piece] if together is None else together
        tokens = [_placed(text, part, names, None if together is None else sets) for part in parts]
        sets += together is not None
        read = [token for token in tokens if token is not None]
        if len(read) < len(tokens) or not all(_may_be_step(token, names, together is not None) for token in read):
            return None
        found += read
    if names is not None and not sets and not any(_is_known(token, names) for token in found):
        return None
    return Plan(parts=tiled(text, found), dialect=_dialect(text, found, sets), text=text)


def read_sets(text: str) -> Plan:
    """Read GAICO's notation literally, where names may have blanks; a text that is none is one Unparsed."""
    if text.count(",") > _MOST:
        raise PlanError(f"the plan text has more than {_MOST} steps")
    found: list[Part] = []
    pieces = _split(text, 0, len(text)) or [_stripped(text, 0, len(text))]
    sets = 0
    for piece in pieces if pieces[-1][0] < pieces[-1][1] else pieces[:-1]:  # a comma may stand at the end
        members = _members(text, piece) if piece[0] < piece[1] else None
        for start, end in [piece] if members is None else members:
            if _NAMED.fullmatch(text, start, end) is None:
                reason = f"a name or a set of names was expected at character {start}"
                unread = Unparsed(text=text, reason=reason, span=(0, len(text)))
                return Plan(parts=(unread,), dialect=Dialect.SETS, text=text)
            call = _CALL.fullmatch(text, start, end)
            args = tuple(part.strip() for part in call[2].split(",") if part.strip()) if call else ()
            together = None if members is None else sets
            found.append(
                Step(name=call[1] if call else text[start:end], args=args, concurrent=together, span=(start, end))
            )
        sets += members is not None
    return Plan(parts=tiled(text, found), dialect=Dialect.SETS, text=text)


def _step(text: str, names: ModelNames | None) -> Token | None:
    """Return the one step that a piece of text is, or None."""
    body = text.strip()
    quoted = _QUOTED.fullmatch(body)
    if quoted:
        body = quoted[2].strip()
    listed = _LIST.fullmatch(body)
    if listed:
        return _words(listed[1].lower(), names)
    if outputs := _OUTPUTS.match(body):
        step = _called(body[outputs.end() :], names)
        variables = tuple(name.strip() for name in outputs[1].split(","))
        return None if step is None else replace(step, outputs=variables)
    if body.endswith(")") and (step := _called(body, names)) is not None:
        return step
    asserted = _ASSERT.fullmatch(body)
    if asserted and "$" in body:
        return Constraint(text=" ".join(asserted[2].split()), holds=not asserted[1])
    if not _WORDS.fullmatch(body) or _SENTENCE.search(body):
        return None
    return _words(body, names)


def _words(body: str, names: ModelNames | None) -> Step | None:
    name, *args = body.split()
    if names is None:
        return Step(name=name, args=tuple(args))
    step = names.step(name, args, (0, 0))
    return step if isinstance(step, Step) else None


def _called(body: str, names: ModelNames | None) -> Step | None:
    call = read_call(body)
    if call is None:
        match = _CALL.fullmatch(body)
        args = None if match is None else _split(match[2], 0, len(match[2]))
        if match is None or args is None:
            return None
        given = (match[2][slice(*arg)] for arg in args if arg[0] < arg[1])
        call = match[1], tuple(Argument(None, arg) for arg in given)
    step = step_of(*call, names) if is_written_for(call[1], names) else None
    return step if isinstance(step, Step) else None


# --- pieces --------------------------------------------------------------------------------------


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


def _chain(text: str, start: int, end: int, names: ModelNames | None) -> list[Span] | None:
    """Return the places of the names of a chain, ``f; g; h``, of which all are names of the model where it has any."""
    body = text[start:end]
    if "\n" in body or not _CHAIN.search(body):
        return None
    found: list[Span] = []
    place = start
    for match in (*_CHAIN.finditer(text, start, end), None):
        found.append((place, end if match is None else match.start()))
        place = end if match is None else match.end()
    links = [text[slice(*piece)] for piece in found]
    is_known = names is None or all(link.lower() in names.actions for link in links)
    return found if is_known and all(map(_LINK.fullmatch, links)) else None


def _stripped(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    return first, max(first, start + len(piece.rstrip()))


def _members(text: str, piece: Span) -> list[Span] | None:
    """Return the places of the members of a set in braces; None for what is none."""
    start, end = piece
    if text[start] != "{" or text[end - 1] != "}":
        return None
    found = _split(text, start + 1, end - 1)
    return None if found is None else [part for part in found if part[0] < part[1]]


# --- steps ---------------------------------------------------------------------------------------


def _placed(text: str, place: Span, names: ModelNames | None, together: int | None) -> Token | None:
    token = _step(text[slice(*place)], names)
    if token is None:
        return None
    return replace(token, span=place, concurrent=together) if isinstance(token, Step) else replace(token, span=place)


def _may_be_step(token: Token, names: ModelNames | None, is_member: bool) -> bool:
    """Return whether words may be a step: where names are known, only what begins with an action, or is one name.

    More words than the action has arguments are a sentence, which may be read otherwise: "unstack a from b".
    """
    if names is None or is_member or not isinstance(token, Step) or not token.args or token.written is not None:
        return True
    return _is_known(token, names) and len(token.args) <= names.actions[token.name.lower()]


def _is_known(token: Token, names: ModelNames) -> bool:
    return isinstance(token, Step) and token.name.lower() in names.actions


def _dialect(text: str, tokens: Sequence[Token], sets: int) -> Dialect:
    signs = {text[token.span[0]] == "(" or (text[token.span[1] - 1] == ")" and "functional") for token in tokens}
    if sets or len(signs) != 1:
        return Dialect.SETS
    return {True: Dialect.PDDL, "functional": Dialect.FUNCTIONAL}.get(signs.pop(), Dialect.SETS)
