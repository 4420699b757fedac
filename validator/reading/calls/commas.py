"""Plans as one line of commas: ``pick(a), {stack(a, b), wait}, (put-down a)``, ``f, g, h``, ``[f(x="a"), g(z="c")]``.

This is GAICO's notation as its documentation means it, and the one of lists of calls: a comma inside parentheses
belongs to the step, braces hold steps that happen at once, brackets may stand around the whole. ``;`` and arrows may
stand for the commas between names: ``f; g; h``, ``f -> g``. A text that is not of this form is left to other readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from validator.errors import PlanError
from validator.reading.arguments import Argument
from validator.reading.calls.values import ModelNames, is_written_for, step_of
from validator.reading.calls.written import read_call
from validator.reading.plan import Constraint, Dialect, Ignored, Part, Plan, Span, Step, Token, Unparsed, tiled
from validator.records import replace

__all__ = ["Element", "empty_sets", "read_commas", "read_sets", "read_step"]

Element: TypeAlias = Token | frozenset[Token]
"""What takes one place in a plan: a token, or the tokens that happen at once."""

_SIGNS = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[(){}\[\],]")
_OPENS = {"(": ")", "{": "}", "[": "]"}
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
_EMPTY_SET = re.compile(r"\{\s*\}")
_GOES_ON = tuple(",([{")
"""how the first of several lines ends"""
_MOST = 100_000
"""elements of a plan"""


def read_commas(text: str, names: ModelNames | None = None) -> Plan | None:
    """Return the plan that a line of commas is, or None when the text is none.

    Steps of one set have one number as ``concurrent``. Where the names of a model are known, bare words are a step only
    when they begin with an action of the model, and one of the steps has to.
    """
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
    if _actions(names) and not sets and not any(_is_known(token, names) for token in found):
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


def read_step(text: str, names: ModelNames | None = None) -> Token | None:
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
        own = tuple(name.strip() for name in outputs[1].split(","))
        return None if step is None else replace(step, outputs=own)
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
    if not _actions(names) or names is None:
        return Step(name=name, args=tuple(args))
    step = names.step(name, args, (0, 0))
    return step if isinstance(step, Step) else None


def _actions(names: ModelNames | None) -> Mapping[str, int]:
    return {} if names is None else names.actions


def _called(body: str, names: ModelNames | None) -> Step | None:
    call = read_call(body)
    if call is None:
        match = _CALL.fullmatch(body)
        args = None if match is None else _split(match[2], 0, len(match[2]))
        if match is None or args is None:
            return None
        own = (match[2][slice(*arg)] for arg in args if arg[0] < arg[1])
        call = match[1], tuple(Argument(None, arg) for arg in own)
    step = step_of(*call, names) if is_written_for(call[1], names) else None
    return step if isinstance(step, Step) else None


def empty_sets(part: Part) -> int:
    """Return how many empty sets a part of a plan of commas holds: elements at which nothing happens."""
    return len(_EMPTY_SET.findall(part.text)) if isinstance(part, Ignored) else 0


# --- pieces --------------------------------------------------------------------------------------


def _is_one(piece: str) -> bool:
    """Return whether a text without a comma is of this form: a set, a step with parentheses, a single name."""
    return not piece or piece[-1] in ")}" or not piece.split()[1:]


def _split(text: str, start: int, end: int) -> list[Span] | None:
    """Return the places of what stands between the commas outside of all brackets; None where brackets do not match."""
    cuts = list(_cuts(text, start, end))
    if cuts and cuts[-1] < 0:
        return None
    bounds = [start - 1, *cuts, end]
    return [_stripped(text, before + 1, after) for before, after in pairwise(bounds)]


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the places of the outer commas, and -1 at the end where brackets do not match."""
    waiting: list[str] = []
    place = start
    while match := _SIGNS.search(text, place, end):
        sign, place = match[0], match.end()
        if sign in _OPENS:
            waiting.append(_OPENS[sign])
        elif sign == ",":
            if not waiting:
                yield match.start()
        elif sign[0] in "\"'":
            place = place if waiting else match.start() + 1  # outside of brackets it may be an apostrophe
        elif not waiting or waiting.pop() != sign:
            yield -1
            return
    if waiting:
        yield -1


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
    is_known = not _actions(names) or all(link.lower() in _actions(names) for link in links)
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
    token = read_step(text[slice(*place)], names)
    if token is None:
        return None
    return replace(token, span=place, concurrent=together) if isinstance(token, Step) else replace(token, span=place)


def _may_be_step(token: Token, names: ModelNames | None, is_member: bool) -> bool:
    """Return whether words may be a step: where names are known, only what begins with an action, or is one name.

    More words than the action has arguments are a sentence, which may be read otherwise: "unstack a from b".
    """
    if not _actions(names) or is_member or not isinstance(token, Step):
        return True
    if not token.args or token.written is not None:
        return True
    return _is_known(token, names) and len(token.args) <= _actions(names)[token.name.lower()]


def _is_known(token: Token, names: ModelNames | None) -> bool:
    return isinstance(token, Step) and token.name.lower() in _actions(names)


def _dialect(text: str, tokens: Sequence[Token], sets: int) -> Dialect:
    signs = {text[token.span[0]] == "(" or (text[token.span[1] - 1] == ")" and "functional") for token in tokens}
    if sets or len(signs) != 1:
        return Dialect.SETS
    return {True: Dialect.PDDL, "functional": Dialect.FUNCTIONAL}.get(signs.pop(), Dialect.SETS)
