"""From one piece that looks like a step to a Step, or to an Unparsed with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence

from validator.reading.calls.objects import is_written_for, step_of
from validator.reading.calls.written import Named, read_call
from validator.reading.lexicon.english import BETWEEN, PRONOUNS
from validator.reading.plan import Step, Unparsed
from validator.reading.tokens.layout import Piece
from validator.reading.tokens.vocabulary import Vocabulary

GROUPS = frozenset(("GROUP", "EMPTY", "FLAT", "NESTED", "UNCLOSED"))
CALLS = frozenset(("CALL", "BROKEN_CALL"))
STEP_LIKE = GROUPS | CALLS

_REASONS = {
    "EMPTY": "an action name was expected between the parentheses",
    "FLAT": "a step is (NAME ARGUMENT ...) with blanks between the names",
    "NESTED": "a step has no parentheses inside",
    "UNCLOSED": "')' was expected",
    "CALL": "a call is NAME(ARGUMENT, ...) with plain arguments",
    "BROKEN_CALL": "a call is NAME(ARGUMENT, ...) with plain arguments",
}
_ARGUMENT = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'|([^\s(),\"'][^(),\"']*)")
_NAME = re.compile(r"\"([^\"]+)\"(?!\S)|'([^']+)'(?!\S)|(\S+)")
_WORD = re.compile(r"[^\s(),;.!?:\"']+")
_SIGNS = re.compile(r"(?:[\s,;/&|+→⇒]|[-=]>)+")
_LOOSE = re.compile(r"\((?P<first>[^(),]+),(?P<rest>[^()]*)\)|(?P<called>[^(),]+)\((?P<inside>[^()]*)\)")
_SENTENCE = re.compile(r"[.!?:](\s|\)?$)")
_SCRIPT_OBJECT = re.compile(r"<\s*([^<>\n]*?)\s*>\s*\(\s*([\d.]+)\s*\)")


def head(piece: Piece) -> str:
    """Return the first name of a piece in lower case, or an empty text."""
    match = _WORD.search(piece.text)
    return match[0].lower() if match else ""


def is_aside(piece: Piece, vocabulary: Vocabulary, *, is_formal: bool, is_behind: bool) -> bool:
    """Return whether a parenthesis is no step: a fact, an object, a number, a measure, a remark, or prose.

    A whole one is taken for a step even when nothing in it is known: a wrong step must be reported. ``is_formal`` says
    that the text has nothing but parentheses, ``is_behind`` that a step stands before it on its line.
    """
    words = _WORD.findall(piece.text.lower())
    first = words[0] if words else ""
    is_action = bool(first) and vocabulary.written(first) is not None
    if piece.kind in ("FLAT", "NESTED", "UNCLOSED") and words and not is_action and _is_prose(piece, words, vocabulary):
        return True
    if is_formal:  # there a parenthesis with a number alone is one of a list, if steps are known at all
        is_known = bool(vocabulary.actions)
        return is_known and (is_number(piece) or (is_behind and _is_remark(piece, words, vocabulary)))
    if piece.kind == "NESTED":
        inside = [part for part in innermost(piece) if part.kind != "TEXT"]
        return first in _CONNECTIVES and all(head(part) in vocabulary.predicates for part in inside)
    if piece.kind == "CALL":
        return not is_action and first in vocabulary.predicates
    if piece.kind not in ("GROUP", "FLAT") or (is_action and piece.kind == "GROUP"):
        return False
    is_fact = first in vocabulary.predicates or (first == "not" and bool(vocabulary.predicates))
    is_object = len(words) == 1 and first in vocabulary.objects
    if not is_action and (is_fact or is_object or is_number(piece)):
        return True
    return (is_action or bool(vocabulary.actions)) and _is_remark(piece, words, vocabulary)


def is_number(piece: Piece) -> bool:
    """Return whether a parenthesis holds the number of a step: ``(2)``, ``(2/6)``."""
    return _NUMBER.fullmatch(piece.text) is not None


_MEASURE = re.compile(r"\(\s*[\w ]{1,40}[:=]\s*[\d.]+\s*\w*\s*\)")
_NUMBER = re.compile(r"\(\s*\d+(?:\s*/\s*\d+)?\s*\)")
_CONNECTIVES = frozenset(("and", "or", "not", "imply"))
_OF_CLAUSES = frozenset(("are", "because", "is", "since", "so", "was", "which", "will"))
_OF_SENTENCES = _OF_CLAUSES | frozenset(
    "be been can for has have he i if in it its no not now of or that the them then there these they this those to "  # noqa: SIM905
    "we were with you your".split()
)
_MOST_OF_A_STEP = 4
"""words of a parenthesis with a comma up to which it may be a step that was written wrongly"""


def _is_prose(piece: Piece, words: Sequence[str], vocabulary: Vocabulary) -> bool:
    """Return whether a broken parenthesis is some words or a sentence, and hardly a known name."""
    known = sum(word in vocabulary.objects for word in words)
    return 2 * known < len(words) and (len(words) >= 4 or _SENTENCE.search(piece.text) is not None)


def _is_remark(piece: Piece, words: Sequence[str], vocabulary: Vocabulary) -> bool:
    """Return whether the words in a parenthesis are a remark: a measure, or some that only sentences have."""
    if _MEASURE.fullmatch(piece.text) is not None:
        return True
    is_sentence = piece.text.endswith((".)", "!)")) or not _OF_CLAUSES.intersection(words) <= vocabulary.objects
    if piece.kind == "FLAT" and len(words) > _MOST_OF_A_STEP and is_sentence:  # ``(Stack c onto a, which is clear.)``
        return True
    if not words or _OF_SENTENCES.isdisjoint(words) or vocabulary.action_of(words[0]):
        return False
    return not _OF_SENTENCES.intersection(words) <= vocabulary.objects | vocabulary.actions.keys()


def read_step(piece: Piece, vocabulary: Vocabulary, *, literal: bool = False) -> Step | Unparsed:
    """Read a GROUP, CALL or SCRIPT as a step, anything else as Unparsed.

    Names that are not the model's own are taken for what the lexicon says, or as they are where ``literal``.
    """
    span = (piece.start, piece.end)
    if "\\" in piece.text and not literal:
        return Unparsed(text=piece.text, reason="not understood: a backslash stands among its names", span=span)
    if piece.kind == "GROUP":
        inside = piece.text[1:-1].lower()
        name, *args = inside.split() if literal else _names(inside)
        if literal or (name in vocabulary.actions and vocabulary.objects.issuperset(args)):
            return Step(name=name, args=tuple(args), span=span)
        if name in vocabulary.objects and vocabulary.action_of(name) is None:
            return Unparsed(text=piece.text, reason="it names objects, and no action", span=span)
        if not PRONOUNS.isdisjoint(args):
            return Unparsed(text=piece.text, reason="a pronoun names no object in a step", span=span)
        if any(arg.startswith(":") for arg in args):
            return Unparsed(text=piece.text, reason="a keyword stands among its arguments", span=span)
        return vocabulary.step(name, args, span)
    if piece.kind == "CALL" and "=" not in piece.text:
        name, _, inside = piece.text.partition("(")
        name, args = name.rstrip(), _arguments(inside.rstrip()[:-1])
        if len(args) == 1 and vocabulary.objects.issuperset(words := args[0].lower().split()):
            args = words  # `stack (a b)`
        if literal or (name in vocabulary.actions and vocabulary.objects.issuperset(args)):
            return Step(name=name, args=tuple(args), span=span)
        loose = None if vocabulary.objects.issuperset(map(str.lower, args)) else _loose(piece, vocabulary)
        return loose or vocabulary.step(*_received(name, args, vocabulary), span)
    written = _written(piece, vocabulary) if piece.kind in CALLS and not literal else None
    if written is not None and is_written_for(written[1], vocabulary):
        name, arguments = written
        return step_of(_received(name, [], vocabulary)[0], arguments, vocabulary, span)
    if piece.kind == "SCRIPT":
        name = piece.text[1 : piece.text.index("]")].strip().lower()
        objects = tuple(f"{kind}_{number}" for kind, number in _SCRIPT_OBJECT.findall(piece.text))
        return Step(name=name, args=objects, span=span)
    if not literal and piece.kind in ("BROKEN_CALL", "FLAT") and (loose := _loose(piece, vocabulary)) is not None:
        return loose
    near = vocabulary.names.nearest(head(piece))
    words = piece.text[1:-1].lower().split() if piece.kind == "FLAT" else []
    reading = Step(name=words[0], args=tuple(words[1:]), span=span) if words else None
    return Unparsed(text=piece.text, reason=_REASONS[piece.kind], nearest=near, reading=reading, span=span)


def _written(piece: Piece, vocabulary: Vocabulary) -> Named | None:
    """Return the call that a piece is, with its arguments by name; blanks may stand before its parenthesis."""
    name, _, inside = piece.text.partition("(")
    if name.endswith((" ", "\t")):
        return read_call(f"{vocabulary.written(name.strip()) or name.strip()}({inside}")
    return read_call(piece.text)


def _received(name: str, args: Sequence[str], vocabulary: Vocabulary) -> tuple[str, Sequence[str]]:
    """Return the action that a method is, ``robot.stack(a, b)``, and its arguments.

    The receiver is the first of them where it is an object, and the action takes one more.
    """
    receiver, dot, method = name.rpartition(".")
    action = vocabulary.action_of(method) if dot and vocabulary.action_of(name) is None else None
    if action is None:
        return name, args
    own = receiver.rpartition(".")[2].lower()
    if own in vocabulary.objects and vocabulary.actions.get(action) == len(args) + 1:
        return method, [own, *args]
    return method, args


def _loose(piece: Piece, vocabulary: Vocabulary) -> Step | None:
    """Read ``(stack, a, b)`` and ``stack(a -> b)``: an action and its objects, with small words and signs between."""
    match = _LOOSE.fullmatch(piece.text)
    if match is None or (action := vocabulary.action_of((match["first"] or match["called"]).strip())) is None:
        return None
    words = [word for word in _SIGNS.split((match["rest"] or match["inside"] or "").lower()) if word]
    objects = [word for word in words if word in vocabulary.objects]
    if len(objects) != vocabulary.actions[action] or not BETWEEN.issuperset({*words} - {*objects} - {"and"}):
        return None
    return Step(name=action, args=tuple(objects), span=(piece.start, piece.end))


_INNERMOST = re.compile(r"\([^()]*\)")


def innermost(piece: Piece) -> list[Piece]:
    """Take a piece apart into its innermost parentheses and the text around them."""
    found: list[Piece] = []
    place = 0
    for match in _INNERMOST.finditer(piece.text):
        if place < match.start():
            found.append(Piece("TEXT", piece.text[place : match.start()], piece.start + place))
        inside = match[0][1:-1]
        kind = "EMPTY" if not inside.strip() else "FLAT" if "," in inside or ";" in inside else "GROUP"
        found.append(Piece(kind, match[0], piece.start + match.start()))
        place = match.end()
    if place < len(piece.text):
        found.append(Piece("TEXT", piece.text[place:], piece.start + place))
    return found


def _names(inside: str) -> list[str]:
    """Return the names between the parentheses of a step, of which one in quotes may be of several words."""
    names = ["".join(found) for found in _NAME.findall(inside)]
    return names if len(names) > 1 else inside.split()


def _arguments(inside: str) -> list[str]:
    return [(quoted or single or plain).strip() for quoted, single, plain in _ARGUMENT.findall(inside)]
