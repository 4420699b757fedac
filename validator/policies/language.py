"""Policies as they are written: text by the grammar ``policy.lark``, a statement a line, ``#`` begins a comment."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.errors import InputError, did_you_mean, nearest
from validator.policies.cedar import Node, TreeReader, is_cedar, read_cedar
from validator.policies.conditions import (
    KEYWORDS,
    And,
    Called,
    Comparison,
    Condition,
    Fact,
    Formerly,
    Not,
    Or,
    Pattern,
    Previous,
    Reference,
    Since,
    nanoseconds,
    total,
)
from validator.policies.policy import Change, Policy
from validator.policies.rules import Allow, AtLeast, AtMost, Before, Never, OnlyIf, Order, Rule, Then, places_before
from validator.reading.regexes import refusal
from validator.resources import parser
from validator.texts import MOST_LISTED, is_path, read_text

if TYPE_CHECKING:
    from lark import Token, Tree, UnexpectedInput


_MOST_CHARACTERS = 1_000_000
"""they take some 15 seconds and 300 MB"""


def read_policy(policy: Policy | str | Path) -> Policy:
    """Return a policy from a path or a text; one that was read before is returned as it is.

    Raises InputError with the place of what cannot be read, OSError for a file.
    """
    if isinstance(policy, Policy):
        return policy
    if not isinstance(policy, str | Path):
        raise InputError(f"a policy is a text or a path, not {type(policy).__name__}")
    if isinstance(policy, Path) or is_path(policy):
        return _from_text(read_text(Path(policy)), str(policy))
    if len(policy.split()) == 1 and Path(policy.strip()).suffix in (".policy", ".txt", ".cedar", ".dw"):
        raise InputError(f"no such file, and no policy: {policy}")
    return _from_text(policy, "")


@lru_cache(maxsize=64)
def _from_text(text: str, source: str) -> Policy:
    from lark import UnexpectedInput

    if len(text) > _MOST_CHARACTERS:
        raise InputError(f"a policy has at most {_MOST_CHARACTERS:,} characters, not {len(text):,}", source=source)
    grammar = "cedar.lark" if is_cedar(text) else "policy.lark"
    try:
        tree = parser(grammar).parse(text)
    except UnexpectedInput as error:
        raise _fault(error, text, source, grammar) from None
    if grammar == "cedar.lark":
        return Policy(read_cedar(tree, text, source), source=source)
    return _Reader(text, source).policy(tree)


class _Reader(TreeReader):
    def policy(self, tree: Tree[Token]) -> Policy:
        rules: list[Rule] = []
        read_only: list[Pattern] = []
        changes: list[Change] = []
        nodes: list[Any] = list(tree.children)
        for node in nodes:
            line, children = node.meta.line, node.children
            match node.data:
                case "read_only":
                    read_only += map(self.pattern, children)
                case "gives" | "ends":
                    facts = tuple(map(self.fact, children[1:]))
                    changes.append(Change(self.pattern(children[0]), **{str(node.data): facts}))
                case _:
                    rules += self.rules(node, line)
        return Policy(tuple(rules), tuple(changes), tuple(read_only), self.source)

    def rules(self, node: Node, line: int) -> Iterator[Rule]:
        children = node.children
        match node.data:
            case "only_if":
                yield OnlyIf(self.pattern(children[0]), self.condition(children[1]), line=line)
            case "allow":
                yield Allow(tuple(map(self.pattern, children)), line=line)
            case "never":
                yield from (Never(self.pattern(each), line=line) for each in children)
            case "at_most":
                yield AtMost(self.count(children[0], 0), self.pattern(children[1]), line=line)
            case "at_least":
                yield AtLeast(self.count(children[0], 1), self.pattern(children[1]), line=line)
            case "order" | "exactly":
                yield self.order(node, children, line)
            case "before" | "then":
                kind = Before if node.data == "before" else Then
                yield from (kind(*pair, line=line) for pair in pairwise(map(self.pattern, children)))

    def order(self, node: Tree[Token], chains: Sequence[Node], line: int) -> Order:
        steps: dict[str, Pattern] = {}
        needs: dict[str, list[str]] = {}
        for chain in chains:
            groups = [[self.node(each, steps) for each in group.children] for group in chain.children[::2]]
            for group in groups:
                for name in group:
                    needs.setdefault(name, [])
            for before, after in pairwise(groups):
                for name in after:
                    needs[name] += (each for each in before if each not in needs[name])
        try:
            behind = places_before(needs)
        except ValueError as error:
            raise self.error(str(error), node) from None
        names = tuple("" if name == str(steps[name]) else name for name in needs)
        exact = node.data == "exactly"
        return Order(tuple(steps[name] for name in needs), behind, exact, names if any(names) else (), line=line)

    def node(self, node: Any, steps: dict[str, Pattern]) -> str:
        """Return the name of a step, its label or its text; a label alone stands for the step that has it."""
        children = node.children
        if node.data == "labelled":
            label = str(children[0]).rstrip(":").rstrip()
            if label in steps:
                raise self.error(f"two steps have the label '{label}'", children[0])
            steps[label] = self.pattern(children[1])
            return label
        pattern = self.pattern(children[0])
        return str(pattern) if steps.setdefault(str(pattern), pattern) is not None else ""

    # --- patterns and conditions -------------------------------------------------------------------

    def pattern(self, node: Node, *, of_past: bool = False) -> Pattern:
        name, *comparisons = node.children
        return Pattern(self.plain(name), tuple(self.comparison(each, of_past=of_past) for each in comparisons))

    def condition(self, node: Node) -> Condition:
        children = node.children
        match getattr(node, "data", None):
            case "disjunction":
                return Or(tuple(map(self.condition, children)))
            case "conjunction":
                return And(tuple(map(self.condition, children)))
            case "negation":
                return Not(self.condition(children[0]))
            case "fact":
                return self.fact(node)
            case "formerly" | "previous" | "none_since" | "only_since":
                return self.past(node)
            case "total":
                return self.total(node)
        return self.comparison(node)

    def past(self, node: Node) -> Condition:
        children = list(node.children)
        window = nanoseconds(str(children.pop().children[0])) if children[-1].data == "window" else None
        *others, call = (Called(self.pattern(each, of_past=True)) for each in children)
        match node.data:
            case "formerly":
                return Formerly(call, window)
            case "previous":
                return Previous(call, window)
        (other,) = others
        return Since(Not(other) if node.data == "none_since" else other, call, window)

    def total(self, node: Node) -> Condition:
        what, *middle, operator, number = node.children
        window = nanoseconds(str(middle.pop().children[0])) if middle[-1].data == "window" else None
        path = self.plain(middle[0].children[0]) if len(middle) > 1 else ""
        if operator not in ("=", "!=", "<", "<=", ">", ">="):
            raise self.error(f"a {what} is compared by = != < <= > >=, not by {operator}", operator)
        limit = json.loads(str(number).lstrip("+"))
        return total(str(what), path, self.pattern(middle[-1], of_past=True), window, str(operator), limit)

    def fact(self, node: Node) -> Fact:
        name, *terms = node.children
        return Fact(self.plain(name), tuple(map(self.value, terms)))

    def comparison(self, node: Node, *, of_past: bool = False) -> Comparison:
        children = node.children
        path = self.plain(children[0].children[0])
        if node.data == "among":
            return Comparison(path, "in", self.value(children[1]))
        operator, value = str(children[1]), self.value(children[2])
        if value == Reference(path) and not of_past:
            way = f"to compare two calls, write 'B only if formerly A({path} = ?{path})'"
            raise self.error(f"'{path}' is compared with itself, as ?{path} is of the same call; {way}", node)
        if operator == "~":  # \b is between words; nobody means the backspace that it is in other texts
            value = str(value).replace("\b", r"\b")
            if (reason := refusal(value)) is not None:
                raise self.error(f"a regular expression that is not understood: {reason}", children[2])
        return Comparison(path, operator, value)

    def value(self, node: Node) -> object:
        kind = getattr(node, "type", None)
        if kind is None:
            children = node.children
            is_list = node.data == "list"
            return tuple(map(self.value, children)) if is_list else Reference(str(children[0])[1:])
        if kind == "NUMBER":
            return json.loads(str(node).lstrip("+")) if not re.match(r"[+-]?0\d", str(node)) else str(node)
        return {"TRUE": True, "FALSE": False, "NULL": None}.get(kind, self.plain(node))

    def plain(self, node: Node) -> str:
        text = str(node)
        if text[:1] not in "\"'":
            return text
        body = text[1:-1]
        return re.sub(r"\\(.)", r"\1", body) if text[0] == "'" else _unescaped(text, body)

    def count(self, node: Node, least: int) -> int:
        if not str(node).isdecimal() or int(str(node)) < least:
            raise self.error(f"a whole number from {least} was expected, not {node}", node)
        return int(str(node))


def _unescaped(text: str, body: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return re.sub(r"\\([\"\\])", r"\1", body)  # a regular expression, \d and all


# --- what cannot be read --------------------------------------------------------------------------

_WORDS = {
    "NAME": "a name",
    "STRING": "a text in quotes",
    "NUMBER": "a number",
    "OPERATOR": "=, !=, <, <=, >, >= or ~",
    "DURATION": "a duration such as 30s, 5m, 2h or 7d",
    "COUNT": "'count'",
    "TOTAL": "'sum', 'distinct'",
    "_FORMERLY": "'formerly'",
    "_PREVIOUS": "'previous'",
    "_NO": "'no'",
    "REFERENCE": "?argument",
    "_END": "the end of the line",
    "$END": None,
    "LABEL": None,
}
_FIRST = ("allow", "exactly", "never", "order", "read-only")
"""the words that begin a statement"""


def _fault(error: UnexpectedInput, text: str, source: str, grammar: str) -> InputError:
    """Return what was expected where a text could not be read, with the nearest word."""
    offset = error.pos_in_stream
    place = len(text) if offset is None or offset < 0 else offset
    if getattr(getattr(error, "token", None), "type", "") == "$END":
        place = len(text.rstrip())
    found = re.match(r"[\w*-]+|.", text[place:], re.DOTALL)
    kinds = (getattr(error, name, None) for name in ("accepts", "expected", "allowed"))
    names = set(next((kind for kind in kinds if kind), ()))
    expected = [word for word in (_expected(name, grammar) for name in sorted(names)) if word]
    shown = "the end of the line" if found is None or found[0].isspace() else f"'{found[0]}'"
    said = f"{_either(expected[:MOST_LISTED])} was expected, not {shown}" if expected else f"not read: {shown}"
    words = [name for name in KEYWORDS if name.upper().replace("-", "_") in {each.replace("-", "_") for each in names}]
    before, first = _word_before(text, place), _FIRST if grammar == "policy.lark" else ()
    hint = "" if found is None else did_you_mean(found[0], words)
    if found is not None and not hint and (near := nearest(before, words) or nearest(before, first)):
        hint = f" (did you mean '{near}' before it, not '{before}'?)"
    if grammar == "policy.lark" and (way := _way_to_write(found[0] if found else "", before)):
        hint = f"; write {way}"
    if grammar == "cedar.lark" and (shown == "'def'" or (shown == "'('" and _CALLED.search(text, 0, place))):
        said, hint = "macros and functions are not read: write out what they stand for", ""
    return InputError(f"{said}{hint}", source=source, text=text, offset=place)


def _way_to_write(found: str, before: str) -> str:
    """Return the form of a rule that some words stand for in other languages."""
    if found == "after" or before == "no":
        return "'B only if not formerly A' for no B after A"
    return {"if": "'A only if CONDITION'", "within": "'A only if count A within 1h <= N'"}.get(found, "")


_CALLED = re.compile(r"\b(?!(?:when|unless)\b)[A-Za-z_]\w*\s*\Z")
"""a name, before the bracket of a call"""


def _either(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def _word_before(text: str, place: int) -> str:
    words = text[:place].split()
    return words[-1] if words else ""


def _expected(name: str, grammar: str) -> str | None:
    """Return a terminal as it is written; None for one that is not told."""
    if name in _WORDS:
        return _WORDS[name]
    pattern = parser(grammar).get_terminal(name).pattern
    return f"'{pattern.value if pattern.type == 'str' else name.lower()}'"
