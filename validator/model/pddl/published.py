"""Models as they are published: what the grammar forbids and competitions, planners and peers have all the same.

A text that the grammar forbids is read where only one meaning is possible, each time by a rule that has a name, and a
warning says where and what was taken. A text whose meaning would be guessed is refused.
"""

from __future__ import annotations

import re

from validator.model.pddl.syntax import end_of_group, with_end
from validator.texts import blank

__all__ = ["RULES", "as_published", "closed"]

RULES = {
    "missing-blank": "'-' and a type, an operator and a number, or a name and a key touch: no name begins or ends so",
    "blank-in-variable": "a blank between '?' and a name: no variable has an empty name",
    "comma": "no name ends with a comma: one between declarations says nothing",
    "empty-list": "a type with no name before it declares nothing",
    "several-types": "an object declared with several types belongs to each of them",
    "several-values": "of several initial values of one function the last counts",
    "and-of-facts": "all facts of :init hold at first, so that 'and' around some says nothing",
    "unread-fact": "what :init says of a name that is declared nowhere, and nothing reads, is left out",
    "declared-again": "a predicate, function or action that is declared again in the same way is declared once",
    "section-again": "declarations and initial facts in several sections of one name are taken together",
    "own-supertype": "a type is a subtype of itself in any case",
    "undeclared-type": "what a declaration takes for a type is one, below no other; in a model without types, nothing",
    "undeclared-constant": "what a domain names, and only the problem declares, is that object",
    "missing-and": "formulas side by side where one is expected are all meant: nothing else joins them",
    "unclosed-define": "where everything else is closed at the end of the text, only '(define' can end there",
    "early-end": "sections behind the end of '(define ...)' belong to it: nothing else holds sections",
    "text-around": "what stands around a whole '(define ...)' and holds no section says nothing of the model",
    "not-utf-8": "each byte of a text that is not UTF-8 is a character of Latin-1; names are the same in any case",
    "private": "who may know of a declaration of multi-agent PDDL changes nothing of what its steps do",
    "agent": "the agent of an action in multi-agent PDDL is its first parameter, as steps name it",
    "in-package": "a line for a Lisp reader before the definition is passed over",
}
"""rule -> why only one meaning is possible"""

_IN_PACKAGE = re.compile(r"(?:\s|;[^\n]*)*+(\(\s*in-package\b[^()]*\))", re.IGNORECASE)
_DEFINE = re.compile(r";[^\n]*|\(\s*define\s*\(\s*(domain|problem)\b", re.IGNORECASE)
_SECTION = re.compile(r"\(\s*:")
_ONLY_SECTIONS = re.compile(r"(?:\s|;[^\n]*)*+\(\s*:")
_COMMA = re.compile(r";[^\n]*+|(?<=[\w)]),(?=[\s?)])")
_BLANK = re.compile(r";[^\n]*+|\?(\s++)(?=[^\W\d_])")


def as_published(text: str, *, is_latin: bool = False) -> tuple[str, list[tuple[str, str, int]]]:
    """Return a text of the same length without what a reader of words cannot pass, and what was changed where.

    A change is a rule, what was taken, and the offset.
    """
    changed: list[tuple[str, str, int]] = []
    if is_latin:
        odd = next(place for place, letter in enumerate(text) if not letter.isascii())
        changed.append(("not-utf-8", "the text is not UTF-8, and is read as Latin-1", odd))
    if package := _IN_PACKAGE.match(text):
        changed.append(("in-package", f"'{package[1]}' is passed over", package.start(1)))
        text = text[: package.start(1)] + " " * len(package[1]) + text[package.end(1) :]

    def joined(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        changed.append(("blank-in-variable", "the blank behind '?' is passed over", match.start()))
        return f"{match[1]}?"

    def parted(match: re.Match[str]) -> str:
        if match[0] != ",":
            return match[0]
        changed.append(("comma", "the comma is passed over", match.start()))
        return " "

    if re.search(r"\?\s", text):
        text = _BLANK.sub(joined, text)
    if "," in text:
        text = _COMMA.sub(parted, text)
    return text, changed


def closed(text: str, kind: str) -> tuple[str, list[tuple[str, str, int]]] | None:
    """Return a text whose ``(define ...)`` ends too late, too early or with other text around it as it is meant.

    What was changed is told as in ``as_published``. None where more than one meaning is possible.
    """
    if whole := with_end(text):
        told = "the text ends before '(define' is closed; it is taken as closed"
        return whole, [("unclosed-define", told, len(text))]
    starts = [found.start() for found in _DEFINE.finditer(text) if (found[1] or "").lower() == kind]
    end = end_of_group(text, starts[0]) if len(starts) == 1 else None
    if end is None:
        return None
    before, inner, behind = text[: starts[0]], text[starts[0] : end], text[end:]
    if _ONLY_SECTIONS.match(behind) and not before.strip():
        opened = f"{before}{inner[:-1]} {behind}"
        told = "'(define' is closed before sections; they are taken as its own"
        return with_end(opened) or opened, [("early-end", told, end - 1)]
    if not (before + behind).strip():
        return None
    others = [found.start() for found in _DEFINE.finditer(text) if found[1] and found[1].lower() != kind]
    if not others and _SECTION.search(before + behind):
        return None
    told = f"what stands around the {kind} is passed over"
    return f"{blank(before)}{inner}{blank(behind)}", [("text-around", told, 0 if before.strip() else end)]
