"""For each fault that the reader of domains tells: the ways to change the text, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from validator.model_repair.mending.arity import numbers
from validator.model_repair.mending.names import (
    Change,
    at,
    near,
    objects,
    predicates,
    replaced,
    section_of,
    types,
    variables,
)
from validator.model_repair.mending.parentheses import balanced
from validator.model_repair.source.tree import groups

__all__ = ["FIXES", "SPELLING"]

Fix: TypeAlias = Callable[[str, int, re.Match[str], Sequence[str]], Sequence[Change]]
"""the text, the place of a fault, what was said of it, texts of problems -> the ways to mend it, if there are any"""

_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action", ":derived")
_KEYS = (":parameters", ":precondition", ":effect")


def _balance(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> list[Change]:
    after, said = balanced(text)
    return [(after, said)] if said else []


def _keyword(known: Sequence[str], cutoff: float) -> Fix:
    def fix(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> list[Change]:
        name = match[1]
        found = near(name if name.startswith(":") else f":{name}", known, cutoff)
        return [] if found is None else [(replaced(text, offset, name, found), f"'{name}' becomes '{found}'")]

    return fix


def _question_mark(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> list[Change]:
    name = match[1]
    return [(replaced(text, offset, name, f"?{name}"), f"parameter '{name}' becomes '?{name}'")]


def _twice(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> list[Change]:
    """Take out a declaration or an action that says word for word what stands before."""
    item = at(text, offset)
    holder = groups(text)[0] if match[1] == "action" else section_of(text, ":predicates")
    if item is None or holder is None:
        return []
    said = text[item.start : item.end].lower().split()
    if not any(text[one.start : one.end].lower().split() == said for one in holder.children if one.start < item.start):
        return []
    after = f"{text[: item.start].rstrip()}{text[item.end :]}"
    return [(after, f"{match[1]} '{match[2]}' is declared twice, alike")]


SPELLING: Sequence[tuple[re.Pattern[str], Fix]] = [
    (
        re.compile(r"'\(' is not closed before the section|'\(' is never closed|text after the end of|'\(define' was"),
        _balance,
    ),
    (re.compile(r"'(\S+)' is not a section of a domain"), _keyword(_SECTIONS, 0.6)),
    (re.compile(r"'(\S+)' is not a part of action"), _keyword(_KEYS, 0.5)),
    (re.compile(r"a variable such as \?x was expected, not '([^'?]+)'"), _question_mark),
    (re.compile(r"one of :\S+, .* was expected|a section such as .* was expected"), _balance),
    (re.compile(r"duplicate (predicate|action) '([^']+)'"), _twice),
]
"""what the reader says -> the mend, of which there is one: what it means is not in question, and it costs nothing"""
FIXES: Sequence[tuple[re.Pattern[str], Fix]] = [
    (re.compile(r"undeclared predicate '([^']+)'"), predicates),
    (re.compile(r"undeclared type '([^']+)'"), types),
    (re.compile(r"unbound variable '([^']+)'"), variables),
    (re.compile(r"undeclared object '([^']+)'"), objects),
    (re.compile(r"predicate '([^']+)' takes (\d+) arguments, got (\d+)"), numbers),
]
"""the same for names and numbers of arguments, which may have been meant in several ways"""
