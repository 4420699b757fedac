"""Where names are declared in the texts of domains and problems, and which name stands at a place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from validator.errors import ModelError
from validator.model.pddl.syntax import Group, Word, parse

__all__ = ["Declared", "declared", "name_at"]

_NAME = re.compile(r"[^\s();,]+")
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
    """Yield the names of a typed list, without the types after them."""
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
