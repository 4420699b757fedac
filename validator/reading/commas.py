"""Plans as one line of commas: ``pick(a), {stack(a, b), wait}, (put-down a)``.

This is GAICO's notation as its documentation means it: a comma inside parentheses belongs to the step, braces hold
steps that happen at once. A text that is not of this form is left to ``validator.reading.tokens``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from validator.reading.plan import Constraint, Step, Token
from validator.reading.tokens import Vocabulary

__all__ = ["Element", "read_commas", "read_step"]

Element: TypeAlias = Token | frozenset[Token]
"""What takes one place in a plan: a token, or the tokens that happen at once."""

_BRACKET = re.compile(r"[(){}\[\],]")
_OPENS = {"(": ")", "{": "}", "[": "]"}
_NAME = r"[^\s(){}\[\],;:=\"]+"
_CALL = re.compile(rf"(?:({_NAME}(?:\s*,\s*{_NAME})*)\s*=\s*)?({_NAME})\s?\((.*)\)", re.DOTALL)
_LIST = re.compile(r"\(\s*([^(){}\[\],;:]+?)\s*\)")
_WORDS = re.compile(r"[^\n(){}\[\],;:]*[^\s.!?(){}\[\],;:]")
_SENTENCE = re.compile(r"[.!?]\s")
_QUOTED = re.compile(r"(['\"])(.*)\1", re.DOTALL)
_ASSERT = re.compile(r"assert\s+(not\s+)?(.+)")


def read_commas(text: str, vocabulary: Vocabulary | None = None) -> tuple[Element, ...] | None:
    """Return the elements of a line of commas, or None when the text is none.

    An empty set stays, as an element at which nothing happens. With a vocabulary, bare words are a step only when they
    begin with an action of the model.
    """
    body = text.strip()
    if body.startswith("[") and body.endswith("]"):
        body = body[1:-1]
    pieces = _split(body)
    if pieces is None or (len(pieces) == 1 and not _is_one(pieces[0])):
        return None
    found = [_element(piece) for piece in pieces if piece]
    read = tuple(element for element in found if element is not None)
    if len(read) < len(found) or not all(_is_known(step, vocabulary) for step in read):
        return None
    return read


def read_step(text: str) -> Token | None:
    """Return the one step that a piece of text is, or None."""
    body = text.strip()
    quoted = _QUOTED.fullmatch(body)
    if quoted:
        body = quoted[2].strip()
    listed = _LIST.fullmatch(body)
    if listed:
        name, *args = listed[1].lower().split()
        return Step(name=name, args=tuple(args))
    call = _CALL.fullmatch(body)
    if call:
        return _called(call)
    asserted = _ASSERT.fullmatch(body)
    if asserted and "$" in body:
        return Constraint(text=" ".join(asserted[2].split()), holds=not asserted[1])
    if not _WORDS.fullmatch(body) or _SENTENCE.search(body):
        return None
    name, *args = body.split()
    return Step(name=name, args=tuple(args))


def _called(call: re.Match[str]) -> Step | None:
    args = _split(call[3])
    if args is None:
        return None
    outputs = tuple(name.strip() for name in call[1].split(",")) if call[1] else ()
    return Step(name=call[2], args=tuple(arg for arg in args if arg), outputs=outputs)


def _is_one(piece: str) -> bool:
    """Return whether a text without a comma is of this form: a set, a step with parentheses, a single name."""
    return not piece or piece[-1] in ")}" or not piece.split()[1:]


def _element(piece: str) -> Element | None:
    if not (piece.startswith("{") and piece.endswith("}")):
        return read_step(piece)
    inner = _split(piece[1:-1])
    if inner is None:
        return None
    steps = [read_step(part) for part in inner if part]
    known = frozenset(step for step in steps if step is not None)
    return None if None in steps else known


def _is_known(element: Element, vocabulary: Vocabulary | None) -> bool:
    if vocabulary is None or not vocabulary.actions or isinstance(element, frozenset):
        return True
    return not isinstance(element, Step) or not element.args or element.name.lower() in vocabulary.actions


def _split(text: str) -> list[str] | None:
    """Return the stripped pieces between the commas outside of all brackets; None where brackets do not match."""
    cuts = list(_cuts(text))
    if cuts and cuts[-1] < 0:
        return None
    bounds = [-1, *cuts, len(text)]
    return [text[start + 1 : end].strip() for start, end in pairwise(bounds)]


def _cuts(text: str) -> Iterator[int]:
    """Yield the places of the outer commas, and -1 at the end where brackets do not match."""
    waiting: list[str] = []
    for match in _BRACKET.finditer(text):
        character = match[0]
        if character in _OPENS:
            waiting.append(_OPENS[character])
        elif character == ",":
            if not waiting:
                yield match.start()
        elif not waiting or waiting.pop() != character:
            yield -1
            return
    if waiting:
        yield -1
