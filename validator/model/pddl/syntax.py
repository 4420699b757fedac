"""PDDL text as nested groups of words, each with its place: the layer below the meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from validator.errors import ModelError
from validator.resources import resource

if TYPE_CHECKING:
    from lark import Lark

__all__ = ["Flat", "Group", "Node", "Run", "Source", "Value", "Word", "group_of", "parse"]

MAX_DEPTH = 150
"""Groups may be nested this deep; people write ten, and the formulas are walked by recursion."""

MAX_CHARACTERS = 64 * 2**20
"""A file may have this many characters (64 Mi)."""

_WORD = re.compile(r"\?[^\s();?]*+|[^\s();?]++")
_PARENTHESIS = re.compile(
    r";[^\n]*|\(:(?:action|durative-action|derived|predicates|functions|types|constants|objects|init|goal|metric)\b|[()]"
)
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name under which errors speak of it; ``text`` is in lower case, as PDDL reads it."""

    name: str
    text: str

    def fail(self, message: str, offset: int) -> NoReturn:
        """Raise a ModelError at an offset."""
        raise ModelError(message, source=self.name, text=self.text, offset=offset)

    def place(self, offset: int) -> str:
        """Return ``name:line:column``."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        return f"{self.name}:{self.text.count(chr(10), 0, offset) + 1}:{offset - line_start + 1}"


@dataclass(frozen=True, slots=True)
class Word:
    """A word in lower case and the offset of its first character."""

    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class Run:
    """Words that stand side by side (``a b - block``), not yet taken apart."""

    text: str
    offset: int

    def words(self) -> Iterator[Word]:
        for match in _WORD.finditer(self.text):
            yield Word(match[0], self.offset + match.start())


@dataclass(frozen=True, slots=True)
class Flat(Run):
    """A group that holds words only, with its parentheses, not yet taken apart."""


@dataclass(frozen=True, slots=True)
class Value(Run):
    """``(= (FUNCTION OBJECT ...) NUMBER)``, not yet taken apart."""

    def split(self) -> tuple[list[str], str]:
        """Return the words of the function and the number."""
        _, inside, rest = re.split(r"[()]", self.text[1:-1])
        return inside.split(), rest.strip()


@dataclass(frozen=True, slots=True)
class Group:
    """``( ... )``: its raw parts, its depth (1: no group inside), the offset of its ``(``."""

    parts: tuple[Run | Group, ...]
    depth: int
    offset: int

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Return the parts with every word apart."""
        found: list[Node] = []
        for part in self.parts:
            if isinstance(part, Group):
                found.append(part)
            elif isinstance(part, Flat | Value):
                found.append(group_of(part))
            else:
                found.extend(part.words())
        return tuple(found)

    @property
    def head(self) -> str:
        """Return the first word, or an empty text."""
        if self.parts and not isinstance(self.parts[0], Group | Flat | Value):
            return next(self.parts[0].words()).text
        return ""


Node: TypeAlias = Word | Group


def group_of(flat: Flat | Value) -> Group:
    """Return a group that is one token as an ordinary one."""
    if isinstance(flat, Value):
        start, end = flat.text.index("(", 1), flat.text.index(")") + 1
        equals = Run(flat.text[1:start], flat.offset + 1)
        function = Flat(flat.text[start:end], flat.offset + start)
        return Group((equals, function, Run(flat.text[end:-1], flat.offset + end)), 2, flat.offset)
    inner = flat.text[1:-1]
    return Group((Run(inner, flat.offset + 1),), 1, flat.offset)


def parse(text: str, name: str) -> tuple[Source, Group, tuple[str, ...]]:
    """Parse one ``(define ...)`` and return source, group and warnings.

    Raises ModelError for unbalanced or too deeply nested parentheses, text outside of them, an empty
    text. Surplus closing parentheses after the end are a warning.
    """
    if len(text) > MAX_CHARACTERS:
        raise ModelError(f"the text has {len(text)} characters; the limit is {MAX_CHARACTERS}", source=name)
    source = Source(name, text.lower() if text.isascii() else text.translate(_ASCII_LOWER))
    tree = _run(source)
    group, trailing = tree[0], tree[1:]
    warnings = []
    for part in trailing:
        if isinstance(part, Group) or part.text != ")":
            source.fail("text after the end of (define ...)", part.offset)
    if trailing:
        warnings.append(f"{source.place(trailing[0].offset)}: surplus ')' after the end of (define ...)")
    assert isinstance(group, Group)
    return source, group, tuple(warnings)


@cache
def _grammar() -> Lark:
    from lark import Lark, Token, Transformer

    class Builder(Transformer[Token, object]):
        """Turn tokens and rules into groups as they are reduced, without a tree in between."""

        def group(self, parts: Sequence[Token | Group]) -> Group:
            opening, inside = parts[0], tuple(map(_part, parts[1:-1]))
            depth = 1 + max((part.depth if isinstance(part, Group) else 1 for part in inside), default=0)
            assert isinstance(opening, Token)
            return Group(inside, depth, opening.start_pos or 0)

        def start(self, parts: Sequence[Token | Group]) -> list[Run | Group]:
            return list(map(_part, parts))

    def _part(part: Token | Group) -> Run | Group:
        if isinstance(part, Group):
            return part
        kind = {"FLAT": Flat, "VALUE": Value}.get(part.type, Run)
        return kind(str(part), part.start_pos or 0)

    return Lark(
        (resource("grammars") / "pddl.lark").read_text(encoding="utf-8"),
        parser="lalr",
        lexer="basic",
        keep_all_tokens=True,
        transformer=Builder(),
    )


def _run(source: Source) -> list[Run | Group]:
    from lark import UnexpectedInput

    if not source.text.strip():
        raise ModelError("the text is empty; (define ...) was expected", source=source.name)
    _refuse_deep(source)
    try:
        parts: list[Run | Group] = _grammar().parse(source.text)  # type: ignore[assignment]
    except UnexpectedInput as error:
        _explain(source, getattr(error, "pos_in_stream", None))
    return parts


def _refuse_deep(source: Source) -> None:
    """Refuse groups over the limit before they are parsed, which would take as long as a text of that length may."""
    depth = deepest = start = 0
    for match in _PARENTHESIS.finditer(source.text):
        if match[0] == ")":
            depth = max(0, depth - 1)
            if not depth and deepest > MAX_DEPTH:
                source.fail(f"groups are nested {deepest} deep; the limit is {MAX_DEPTH}", start)
        elif match[0][0] == "(":
            if not depth:
                start, deepest = match.start(), 0
            depth += 1
            deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        _explain(source, None)


def _explain(source: Source, offset: int | None) -> NoReturn:
    """Say where the parentheses went wrong: what is open at the end, or what stands before the first one."""
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
    if open_groups:
        source.fail(f"'(' is never closed ({len(open_groups)} open at the end of the text)", open_groups[-1])
    source.fail("'(define' was expected", offset or 0)
