"""PDDL text as nested groups of words, each with its place: the layer below the meaning.

Reading takes time linear in the text: one regular expression cuts it, and a stack nests what it finds. The lists that
make a file long, objects and facts, are single pieces: ``Flat`` is a whole group without groups in it, ``(on a b)``,
``Run`` a whole run of words, ``a b c - block``. They are taken apart by who knows what they are lists of. Keywords are
no pieces: ``at``, ``name`` or ``always`` are names in one place and syntax in another.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple, NoReturn, TypeAlias

from validator.errors import ModelError
from validator.texts import MAX_CHARACTERS, shortened

MAX_DEPTH = 500
"""Groups may be nested this deep, not counting chains such as ``(and p (and q (and r)))``, which are one group."""
_LONGEST = 1000
"""characters of a message, which may quote a name of any length"""

_PLAIN_DEPTH = 150
"""up to which Python's own limit of recursion is enough for all that walks formulas"""
_FRAMES = 40
"""calls for a level of a formula, at most"""
_CHAINED = frozenset(("and", "or", "+", "*"))
"""what means the same in one group as in groups inside of each other"""

# A question mark begins a word even without a blank before it, as in `(aircraft?a)`.
_WORD = re.compile(r"\?[^\s();?]*+|[^\s();?]++")
_PARENTHESIS = re.compile(
    r";[^\n]*|\(:(?:action|durative-action|derived|predicates|functions|types|constants|objects|init|goal|metric)\b|[()]"
)
_NESTING = re.compile(r";[^\n]*|\(\s*(and\b|or\b|[+*](?=[\s(]))?|\)")
_FLAT, _CLOSE, _RUN, _VALUE, _OPEN = range(1, 6)
# What there is most of stands first; the blanks after a piece go with it, or each would be tried as one.
_PIECE = re.compile(
    r"(?:(\(\s*+[^\s();][^();]*+\))"
    r"|(\))"
    r"|([^\s();][^();]*+)"
    r"|(\(\s*+=\s*+\([^();?]++\)\s*+[^\s();?]++\s*+\))"  # a fact that gives a function its value
    r"|(\()"
    r"|;[^\n]*+)\s*+"
)
_CAPITALS = re.compile(r"[^\s();?]*[a-z][A-Z][^\s();?]*")
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


class Source(NamedTuple):
    """A text and the name under which errors speak of it; ``text`` is in lower case, as PDDL reads it.

    ``written`` is the text as it was given, with every character at the same place, for excerpts.
    """

    name: str
    text: str
    written: str = ""

    def fail(self, message: str, offset: int, kind: type[ModelError] = ModelError) -> NoReturn:
        """Raise a ModelError at an offset."""
        raise kind(shortened(message, _LONGEST), source=self.name, text=self.written or self.text, offset=offset)

    def spelling(self) -> dict[str, str]:
        """Return the words with a capital behind a small letter, by what they are in lower case."""
        return {} if self.written.islower() else {word.lower(): word for word in _CAPITALS.findall(self.written)}

    def place(self, offset: int) -> str:
        """Return ``name:line:column``."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        return f"{self.name}:{self.text.count(chr(10), 0, offset) + 1}:{offset - line_start + 1}"


class Word(NamedTuple):
    """A word in lower case and the offset of its first character."""

    text: str
    offset: int


_word = partial(tuple.__new__, Word)
"""makes a word of a pair, in half of the time that its fields by name take"""


class Run:
    """Words that stand side by side (``a b - block``), not yet taken apart."""

    __slots__ = ("offset", "text")

    def __init__(self, text: str, offset: int) -> None:
        self.text = text
        self.offset = offset

    def words(self) -> list[Word]:
        """Return the words, each with its place in the text."""
        text, start = self.text, self.offset
        if "?" in text:
            return [_word((match[0], start + match.start())) for match in _WORD.finditer(text)]
        words = text.split()
        if len(words) == 1:  # a key before its group, or a connective
            return [_word((words[0], start + text.index(words[0])))]
        found, end = [], 0
        for word in words:
            place = text.index(word, end)
            end = place + len(word)
            found.append(_word((word, start + place)))
        return found


class Group:
    """``( ... )`` with the offset of its ``(``."""

    __slots__ = ("offset",)

    offset: int

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Return the parts with every word apart."""
        raise NotImplementedError

    @property
    def head(self) -> str:
        """Return the first word, or an empty text."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        """Return whether two groups have the same words in the same groups, wherever they stand."""
        if not isinstance(other, Group):
            return NotImplemented
        one, two = self.nodes, other.nodes
        return len(one) == len(two) and all(
            a == b if isinstance(a, Group) or isinstance(b, Group) else a.text == b.text
            for a, b in zip(one, two, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]


class Nested(Group):
    """A group that is empty or holds groups; ``parts`` are its groups, and its words in runs."""

    __slots__ = ("_nodes", "parts")

    def __init__(self, parts: tuple[Run | Group, ...], offset: int) -> None:
        self.parts = parts
        self.offset = offset
        self._nodes: tuple[Node, ...] | None = None

    @property
    def nodes(self) -> tuple[Node, ...]:
        if self._nodes is None:
            found: list[Node] = []
            for part in self.parts:
                if isinstance(part, Group):
                    found.append(part)
                else:
                    found += part.words()
            self._nodes = tuple(found)
        return self._nodes

    @property
    def head(self) -> str:
        first = self.parts[0] if self.parts else None
        found = _WORD.search(first.text) if isinstance(first, Run) else None
        return found[0] if found else ""


class _Piece(Group):
    """A group that is one piece of the text, not yet taken apart."""

    __slots__ = ("text",)

    def __init__(self, text: str, offset: int) -> None:
        self.text = text
        self.offset = offset


class Flat(_Piece):
    """A group that holds words only, with its parentheses."""

    __slots__ = ()

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(Run(self.text[1:-1], self.offset + 1).words())

    @property
    def head(self) -> str:
        found = _WORD.search(self.text, 1, len(self.text) - 1)
        return found[0] if found else ""


class Value(_Piece):
    """``(= (FUNCTION OBJECT ...) NUMBER)``."""

    __slots__ = ()

    def split(self) -> tuple[tuple[str, ...], str]:
        """Return the words of the function and the number."""
        opening, closing = self.text.index("(", 1), self.text.index(")")
        return tuple(self.text[opening + 1 : closing].split()), self.text[closing + 1 : -1].strip()

    @property
    def nodes(self) -> tuple[Node, ...]:
        opening, closing = self.text.index("(", 1), self.text.index(")") + 1
        function = Flat(self.text[opening:closing], self.offset + opening)
        number = Run(self.text[closing:-1], self.offset + closing).words()
        return (Word("=", self.offset + self.text.index("=")), function, *number)

    @property
    def head(self) -> str:
        return "="


Node: TypeAlias = Word | Group


def parse(text: str, name: str, written: str = "") -> tuple[Source, Group, tuple[str, ...]]:
    """Parse one ``(define ...)`` and return source, group and warnings; errors show ``written``, of the same length.

    Raises ModelError for unbalanced or too deeply nested parentheses, text outside of them, an empty
    text. Surplus closing parentheses after the end are a warning.
    """
    source, parts = groups(text, name, written)
    if not source.text.strip():
        raise ModelError("the text is empty; (define ...) was expected", source=name)
    group, *trailing = parts or [Run("", 0)]
    if not isinstance(group, Nested):
        _fail_at_begin(source, group.offset)
    for part in trailing:
        if isinstance(part, Group) or part.text != ")":
            source.fail("text after the end of (define ...)", part.offset)
    if trailing:
        return source, group, (f"{source.place(trailing[0].offset)}: surplus ')' after the end of (define ...)",)
    return source, group, ()


def groups(text: str, name: str, written: str = "") -> tuple[Source, list[Run | Group]]:
    """Return what stands in a text, in order, with its source; a ``)`` that closes nothing is a Run."""
    if len(text) > MAX_CHARACTERS:
        raise ModelError(f"the text has {len(text)} characters; the limit is {MAX_CHARACTERS}", source=name)
    source = Source(name, text.lower() if text.isascii() else text.translate(_ASCII_LOWER), written or text)
    open_groups: list[tuple[int, list[Run | Group]]] = []
    found: list[Run | Group] = []
    is_deep = False
    for match in _PIECE.finditer(source.text):
        kind = match.lastindex
        if kind == _FLAT:
            found.append(Flat(match[kind], match.start()))
        elif kind == _OPEN:
            open_groups.append((match.start(), found))
            found = []
            if len(open_groups) > _PLAIN_DEPTH - 2 and not is_deep:
                is_deep = True  # near the limit, where a piece may hold two groups
                _allow_deep(source)
        elif kind == _CLOSE:
            if open_groups:
                offset, outer = open_groups.pop()
                outer.append(Nested(tuple(found), offset))
                found = outer
            else:
                found.append(Run(")", match.start()))
        elif kind == _RUN:
            found.append(Run(match[kind], match.start()))
        elif kind == _VALUE:
            found.append(Value(match[kind], match.start()))
    if open_groups:
        _explain(source)
    return source, found


def with_end(text: str) -> str | None:
    """Return a text of sections with the ``)`` that its ``(define`` lacks; None where anything else is wrong."""
    depth = sections = 0
    for match in _PARENTHESIS.finditer(text.lower()):
        if match[0] == ")":
            depth -= 1
        elif match[0][0] == "(":
            if match[0] != "(" and depth != 1:
                return None
            sections += match[0] != "("
            depth += 1
        if depth < 0:
            return None
    return f"{text}\n)" if depth == 1 and sections else None


def end_of_group(text: str, start: int) -> int | None:
    """Return where the group that begins at an offset ends; None where it does not."""
    depth = 0
    for match in _PARENTHESIS.finditer(text, start):
        depth += -1 if match[0] == ")" else match[0][0] == "("
        if not depth and match[0] == ")":
            return match.end()
    return None


def chained(group: Group) -> Iterator[Node]:
    """Yield the parts of a conjunction, disjunction, sum or product, and those of the same inside of it."""
    head = group.head
    waiting = list(reversed(group.nodes[1:]))
    while waiting:
        node = waiting.pop()
        if isinstance(node, Nested) and node.head == head:
            waiting += reversed(node.nodes[1:])
        else:
            yield node


def _allow_deep(source: Source) -> None:
    """Let formulas be walked that are nested deeply; refuse those over the limit."""
    levels: list[tuple[str, int]] = []
    deepest = 0
    for match in _NESTING.finditer(source.text):
        if match[0] == ")":
            if levels:
                levels.pop()
        elif match[0][0] == "(":
            head, (outer, depth) = match[1] or "", levels[-1] if levels else ("", 0)
            levels.append((head, depth if head in _CHAINED and head == outer else depth + 1))
            if levels[-1][1] > MAX_DEPTH:
                source.fail(f"groups are nested more than {MAX_DEPTH:,} deep", match.start())
            deepest = max(deepest, levels[-1][1])
    if levels:
        _explain(source)
    if deepest > _PLAIN_DEPTH:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES * deepest))


def _explain(source: Source) -> NoReturn:
    """Say which parenthesis is open at the end."""
    open_groups: list[int] = []
    for match in _PARENTHESIS.finditer(source.text):
        if match[0] == ")":
            if open_groups:
                open_groups.pop()
        elif match[0][0] == "(":
            if match[0] != "(" and len(open_groups) > 1:
                # A section stands in a section: the one before it lacks its end.
                source.fail(f"'(' is not closed before the section '{match[0]}'", open_groups[1])
            open_groups.append(match.start())
    source.fail(f"'(' is never closed ({len(open_groups)} open at the end of the text)", open_groups[-1])


_OTHERS = {
    r"begin_version\b": "the output of Fast Downward's translator",
    r"<!doctype html|<html": "HTML, such as the page of an error",
    r"<\?xml": "XML",
    r"\{[^{}]*\"jani-version\"": "JANI",
    r"[\[{]": "JSON",
    r"(?:domain|non-fluents|instance)\s+\w+\s*\{": "RDDL",
    r"(?:type|fluent|constant|action|instance)\s+\w[^;{(]*[;({]": "ANML",
    r"---\s|\w+:\s": "YAML",
}
"""how texts of other languages begin -> what they are called"""


def _fail_at_begin(source: Source, offset: int) -> NoReturn:
    """Refuse a text that does not begin as PDDL does, and say what it seems to be."""
    text = source.text.lstrip("\ufeff \t\r\n")
    found = next((name for begin, name in _OTHERS.items() if re.match(begin, text)), "")
    source.fail(f"'(define' was expected{f'; this seems to be {found}' if found else ''}", offset)
