"""The parentheses of one condition or effect, put right by what each connective takes.

An atom holds no groups, ``not`` one, ``when`` two; a condition is one group; what stands bare among conditions has
lost its parenthesis.
"""

from __future__ import annotations

import re

from validator.records import dataclass, field

__all__ = ["grouped"]

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")
_TAKES = {"not": 1, "when": 2, "imply": 2, "forall": 2, "exists": 2}
_FREE = frozenset(("and", "or", "=", "<", ">", "<=", ">=", "increase", "decrease", "assign", "scale-up", "scale-down"))
_OF_GROUPS = frozenset(("and", "or", *_TAKES))
"""whose parts are groups, never words"""


@dataclass(slots=True)
class _Open:
    head: str | None = None
    parts: int = 0
    is_list: bool = False
    """the variables of a quantifier"""

    @property
    def is_full(self) -> bool:
        return self.parts >= _TAKES.get(self.head or "", 1 << 30)

    @property
    def is_atom(self) -> bool:
        return self.is_list or (self.head is not None and self.head not in _FREE and self.head not in _TAKES)


@dataclass(slots=True)
class _Writer:
    """Copies a text and puts parentheses in, or leaves them out, on the way."""

    text: str
    written: list[str] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    done: int = 0

    def copy(self, until: int) -> None:
        self.written.append(self.text[self.done : until])
        self.done = until

    def put(self, sign: str, at: int) -> None:
        """Put a parenthesis directly behind, or before, what stands at a place."""
        self.copy(at)
        self.written.append(sign)

    def opens(self, at: int) -> None:
        while self.stack and (self.stack[-1].is_atom or self.stack[-1].is_full):
            self.closes_before(at)
        if self.stack:
            self.stack[-1].parts += 1
        around = self.stack[-1] if self.stack else None
        is_list = around is not None and around.head in ("forall", "exists") and around.parts == 1
        self.stack.append(_Open(is_list=is_list))

    def closes_before(self, at: int) -> None:
        """Close a group after the last thing that stands before a place."""
        behind = self.done + len(_TOKEN.sub(_blank_comment, self.text[self.done : at]).rstrip())
        self.put(")", behind)
        self.stack.pop()

    def word(self, match: re.Match[str]) -> None:
        top = self.stack[-1] if self.stack else None
        if top is None or (top.head in _OF_GROUPS and not match[0].startswith("?")):
            self.put("(", match.start())
            self.opens(match.start())
            self.stack[-1].head = match[0].lower()
        elif top.head is None and not top.is_list:
            top.head = match[0].lower()


def _blank_comment(match: re.Match[str]) -> str:
    return " " * len(match[0]) if match[0].startswith(";") else match[0]


def grouped(text: str, closing: int) -> str:
    """Return a condition or effect as one group, followed by so many ``)`` of what is around it."""
    writer = _Writer(text)
    tokens = [match for match in _TOKEN.finditer(text) if not match[0].startswith(";")]
    last = max((number for number, match in enumerate(tokens) if match[0] != ")"), default=-1)
    for number, match in enumerate(tokens):
        if match[0] == "(":
            writer.opens(match.start())
        elif match[0] != ")":
            writer.word(match)
        elif number < last and len(writer.stack) <= 1:
            writer.copy(match.start())
            writer.done = match.end()  # more follows, and this would end it
        elif number < last:
            writer.stack.pop()
    wanted, given = len(writer.stack) + closing, len(tokens) - 1 - last
    end = tokens[-1].end() if tokens else len(text)
    if given < wanted:
        writer.put(")" * (wanted - given), end)
    elif given > wanted:
        writer.copy(tokens[last + wanted].end() if last + wanted >= 0 else 0)
        writer.done = end
    writer.copy(len(text))
    return "".join(writer.written)
