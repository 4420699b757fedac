"""Where names are declared in the texts of domains and problems, and which name stands at a place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from validator.errors import ModelError
from validator.model.pddl.syntax import Group, Word, parse

__all__ = ["Declared", "declared", "name_at", "named"]

_NAME = re.compile(r"[^\s();,]+")
_PDDL_NAME = re.compile(r";[^\n]*|(?P<name>[^\s();,]+)")
_STEP_NAME = re.compile(r";[^\n]*|(?<=[(\s])(?P<name>[^\s();,]+)(?=[^()\n;]*\))")
_HEADING = re.compile(r"\(\s*:?(?:domain|problem)\s+\Z", re.IGNORECASE)
_NEAR = 40
"""characters around a name in which it is looked what it is"""
_AT_TIME = re.compile(r"\s+(?:start\b|end\b|[\d.])", re.IGNORECASE)
_LISTS = {":types": "type", ":constants": "object", ":objects": "object"}
_SIGNATURES = {":predicates": "predicate", ":functions": "function"}
_ACTIONS = (":action", ":durative-action", ":process", ":event")


class Declared(NamedTuple):
    """A declaration: what kind of name it is, and the span of the name in the text."""

    kind: str
    name: str
    span: tuple[int, int]


def name_at(text: str, offset: int) -> tuple[str, tuple[int, int]] | None:
    """Return the name at an offset of a text in lower case, with its span; None in a comment or between names."""
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)].partition(";")[0]
    for match in _NAME.finditer(line):
        if match.start() <= offset - start <= match.end():
            return match[0].lower(), (start + match.start(), start + match.end())
    return None


def named(text: str, name: str, *, is_plan: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the spans of a name outside of comments; of a plan, those inside its steps' parentheses.

    The name of the domain or the problem itself, and the ``at`` of times, are other things by the same name.
    """
    for match in (_STEP_NAME if is_plan else _PDDL_NAME).finditer(text):
        if (found := match["name"]) is not None and found.lower() == name:
            start, end = match.span("name")
            before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
            if not _HEADING.search(before) and not (name == "at" and _AT_TIME.match(after)):
                yield start, end


def declared(text: str) -> tuple[Declared, ...]:
    """Return the declarations of a domain or problem in the order of its text; none of what cannot be parsed."""
    try:
        _, group, _ = parse(text, "")
    except ModelError:
        return ()
    return tuple(_declared(group))


def _declared(group: Group) -> Iterator[Declared]:
    for section in group.nodes[2:]:
        if not isinstance(section, Group):
            continue
        nodes = section.nodes
        if section.head in _ACTIONS and len(nodes) > 1 and isinstance(nodes[1], Word):
            yield _of("action", nodes[1])
        elif section.head in _LISTS:
            yield from (_of(_LISTS[section.head], word) for word in _names(section))
        elif section.head in _SIGNATURES:
            heads = (node.nodes[0] for node in nodes[1:] if isinstance(node, Group) and node.nodes)
            yield from (_of(_SIGNATURES[section.head], word) for word in heads if isinstance(word, Word))


def _names(section: Group) -> Iterator[Word]:
    """Yield the names of a typed list, without the types behind them."""
    is_type = False
    for node in section.nodes[1:]:
        if isinstance(node, Word):
            if not is_type and node.text != "-":
                yield node
            is_type = node.text == "-"
        else:
            is_type = False


def _of(kind: str, word: Word) -> Declared:
    return Declared(kind, word.text, (word.offset, word.offset + len(word.text)))
