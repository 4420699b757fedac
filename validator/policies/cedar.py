"""Policies of Cedar, with the temporal blocks of Dogwood, read as policies of ours.

A permit without a matching forbid allows a call, and nothing else does. Actions are tools: ``Shop::Action::"Pay"`` is
the tool ``Pay``, ``context.input.amount`` its argument ``amount``; ``principal`` and ``resource`` are arguments of
these names. Temporal blocks look at the requests and responses of the calls before, and at the request itself; of a
response, ``output.x`` is read from the result. What needs a schema or an entity store is refused by name.

An expression that asks for an attribute that is absent, or of another type, has no value, and its policy does not
apply. So an expression is read as two conditions: that it is true, and that it is false.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from validator.errors import InputError
from validator.policies.conditions import (
    Aggregate,
    And,
    Block,
    Called,
    Compare,
    Comparison,
    Condition,
    Exists,
    Formerly,
    Kind,
    Not,
    Or,
    Pattern,
    Previous,
    Reference,
    Since,
    Timepoint,
    Variable,
    nanoseconds,
)
from validator.policies.events import ABSENT, UNKNOWN, Phase
from validator.policies.rules import Allow, Never, OnlyIf, Rule
from validator.policies.values import Truth, is_large
from validator.reading.values import canonical

Node: TypeAlias = Any
"""a tree or a token of Lark"""


_BEGINS = re.compile(
    r"(?:\s|//[^\n]*(?:\n|$)|@\w+(?:\([^)]*\))?)*(?:(?:permit|forbid)\s*\(|def\s+(?:cedar|temporal)\b)"
)
_PHASES = {"request": Phase.REQUEST, "response": Phase.RESPONSE}
_FIELDS = {"callerPrincipal": "principal", "callerResource": "resource"}
_SCOPES = ("principal", "resource")
_ANY = Pattern("*")
_ESCAPE = re.compile(r"""\\(?:([0nrt\\'"*])|x([0-7][0-9A-Fa-f])|u\{([0-9A-Fa-f]{1,6})\})|(\\)|[^\\]""", re.DOTALL)
_ESCAPED = {"0": "\0", "n": "\n", "r": "\r", "t": "\t"}
_DECIMAL = re.compile(r"-?\d{1,15}\.\d{1,4}", re.ASCII)
_MOST_DIGITS = 19
"""of a Long"""


def is_cedar(text: str) -> bool:
    """Return whether a text is a policy of Cedar: it begins with a permit, a forbid, or a macro of Dogwood."""
    return _BEGINS.match(text) is not None


def read_cedar(tree: Node, text: str, source: str) -> tuple[Rule, ...]:
    """Return the rules that a policy of Cedar states, from its tree. Raises InputError for what cannot be decided."""
    reader = _Reader(text, source)
    return tuple(_rules(list(map(reader.statement, tree.children)), reader))


@dataclass(frozen=True, slots=True)
class _Statement:
    """A permit or a forbid: of which tools, None of all, and when."""

    is_permit: bool
    tools: tuple[str, ...] | None
    when: Condition | None
    node: Node


@dataclass(frozen=True, slots=True)
class _Typed(Comparison):
    """A comparison that is ``wanted``, or not, of values that are there and have the types that Cedar asks for."""

    wanted: bool = True

    def __str__(self) -> str:
        said = super(_Typed, self).__str__()
        return said if self.wanted else f"not {said}"

    def compares(self, actual: object, expected: object, is_loose: bool) -> Truth:
        if actual is UNKNOWN or expected is UNKNOWN:
            return None
        if not all(_has_type(value, self.operator, is_loose) for value in (actual, expected)):
            return False
        found = super(_Typed, self).compares(_unordered(actual), _unordered(expected), is_loose)
        return None if found is None else found is self.wanted


def _has_type(value: object, operator: str, is_loose: bool) -> bool:
    """Return whether a value can stand at an operator; a loose text may be a number."""
    if operator in _TURNED:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number or (is_loose and isinstance(value, str))
    return isinstance(value, str) if operator == "~" else value is not ABSENT and value is not None


def _unordered(value: object) -> object:
    """Return a value whose lists are sets, without order and repetitions; a value that is large as it is."""
    if not isinstance(value, list | tuple) or is_large(value):
        return value
    return [*{canonical(each): each for each in sorted(map(_unordered, value), key=canonical)}.values()]


def _rules(statements: Sequence[_Statement], reader: _Reader) -> Iterator[Rule]:
    """Yield for each tool the rule when it may be called, and the one that no other tool may be."""
    names = tuple(dict.fromkeys(name for each in statements for name in each.tools or ()))
    general = [each for each in statements if each.is_permit and each.tools is None]
    is_open = any(each.when is None for each in general)
    if general and not is_open:
        raise reader.error(
            "a permit of every action with a condition cannot be read: name its actions", general[0].node
        )
    for each in statements:
        if not each.is_permit and each.tools is None:
            yield Never(_ANY) if each.when is None else OnlyIf(_ANY, Not(each.when))
    for name in names:
        permits, forbids = (
            [each.when for each in statements if each.is_permit is is_permit and each.tools and name in each.tools]
            for is_permit in (True, False)
        )
        if None in forbids or (not permits and not is_open):
            yield Never(Pattern(name))
            continue
        asked: list[Condition] = [Not(each) for each in forbids if each is not None]
        if None not in permits and not is_open:
            alternatives = tuple(each for each in permits if each is not None)
            asked.insert(0, alternatives[0] if len(alternatives) == 1 else Or(alternatives))
        if asked:
            yield OnlyIf(Pattern(name), asked[0] if len(asked) == 1 else And(tuple(asked)))
    if not is_open:
        allowed = tuple(dict.fromkeys(name for each in statements if each.is_permit for name in each.tools or ()))
        yield Allow(tuple(map(Pattern, allowed))) if allowed else Never(_ANY)


class TreeReader:
    """Turns the tree of a text into values, with errors that have a place."""

    def __init__(self, text: str, source: str) -> None:
        self.text, self.source = text, source

    def error(self, message: str, node: Node) -> InputError:
        place = getattr(node, "start_pos", None)
        place = node.meta.start_pos if place is None else place
        return InputError(message, source=self.source, text=self.text, offset=place)


class _Reader(TreeReader):
    def statement(self, node: Node) -> _Statement:
        effect, *parts = (each for each in node.children if getattr(each, "data", "") != "annotation")
        tools: tuple[str, ...] | None = None
        asked: list[Condition] = []
        for part in parts:
            name = str(part.children[0])
            if part.data == "clause":
                asked.append(self.clause(part))
            elif name == "action":
                tools = self.tools(part)
            elif name not in _SCOPES:
                raise self.error(f"principal, action or resource was expected, not {name}", part)
            elif part.data != "any":
                asked.append(self.scope(name, part))
        when = None if not asked else asked[0] if len(asked) == 1 else And(tuple(asked))
        return _Statement(effect == "permit", tools, when, node)

    def tools(self, node: Node) -> tuple[str, ...] | None:
        if node.data == "any":
            return None
        if node.data not in ("equals", "among"):
            raise self.error("groups of actions are not known here: list the actions", node)
        return tuple(self.string(each.children[-1]) for each in node.children[1:])

    def scope(self, name: str, node: Node) -> Condition:
        if node.data == "equals":
            return Comparison(name, "=", self.entity(node.children[1]))
        if node.data == "is_type":
            return Comparison(name, "~", re.escape("::".join(node.children[1].children)) + '::".*"')
        raise self.error("groups of entities are not known here: name the entity, or its type", node)

    def clause(self, node: Node) -> Condition:
        kind, body = node.children
        return self.expression(body, kind != "unless")

    # --- expressions -------------------------------------------------------------------------------

    def expression(self, node: Node, wanted: bool) -> Condition:
        """Return when an expression is true, or false; it may be neither."""
        children = getattr(node, "children", [])
        match getattr(node, "data", None):
            case "disjunction" | "conjunction":
                return self.joint(children, node.data == "conjunction", wanted)
            case "negation":
                return self.expression(children[0], not wanted)
            case "temporal":
                return self.block(node) if wanted else Not(self.block(node))
            case "compared":
                return self.comparison(node, wanted)
            case "like":
                return _Typed(self.argument(children[0]), "~", self.pattern(children[1]), wanted=wanted)
            case "has":
                name, around = str(children[1]).strip('"'), self.argument(children[0])
                path = f"{around}.{name}".lstrip(".")
                if wanted or not around:
                    return Comparison(path, "!=" if wanted else "=", None)
                return And((Comparison(around, "!=", None), Comparison(path, "=", None)))
            case "contains":
                return _Typed(self.argument(children[1]), "in", self.value(children[0]), wanted=wanted)
            case "path":
                return _Typed(self.argument(node), "=", wanted)
        raise self.error("this kind of expression is not read", node)

    def joint(self, nodes: Sequence[Node], is_and: bool, wanted: bool) -> Condition:
        """Return when ``a && b`` or ``a || b`` has a truth: b counts only where a has a value that does not decide."""
        if is_and is wanted:
            return And(tuple(self.expression(node, wanted) for node in nodes))
        first, *rest = nodes
        if not rest:
            return self.expression(first, wanted)
        other = self.joint(rest, is_and, wanted)
        if getattr(first, "data", "") != "temporal":  # which always has a value
            other = And((self.expression(first, not wanted), other))
        return Or((self.expression(first, wanted), other))

    def comparison(self, node: Node, wanted: bool) -> Condition:
        left, operator, right = node.children
        if getattr(left, "data", "") != "path":
            left, operator, right = right, _TURNED.get(str(operator), str(operator)), left
        value = Reference(self.argument(right)) if getattr(right, "data", "") == "path" else self.value(right)
        operator = "=" if operator == "==" else str(operator)
        if not wanted:
            operator = _OPPOSITE[operator]
        return _Typed(self.argument(left), operator, value)

    def argument(self, node: Node) -> str:
        """Return the argument of a call that a path of a request stands for."""
        if getattr(node, "data", "") != "path":
            raise self.error("a path such as context.input.amount was expected", node)
        first, *rest = map(str, node.children)
        if first in _SCOPES and not rest:
            return first
        if first == "context" and rest:
            return ".".join(rest[1:] if rest[0] == "input" else rest)
        raise self.error("attributes of entities are not known here" if first in _SCOPES else "no such value", node)

    def value(self, node: Node) -> object:
        match getattr(node, "data", None):
            case "set":
                return tuple(map(self.value, node.children))
            case "entity":
                return self.entity(node)
            case "decimal":
                if not _DECIMAL.fullmatch(text := self.string(node.children[0])):
                    raise self.error("a decimal such as 1.25 was expected", node)
                return float(text)
            case None if node.type == "STRING":
                return self.string(node)
            case None if node.type == "NUMBER":
                if len(node.lstrip("-0")) > _MOST_DIGITS:
                    raise self.error("the number is beyond 64 bits", node)
                return int(node)
            case None:
                return node.type == "TRUE"
        raise self.error("a value was expected", node)

    def letters(self, node: Node) -> Iterator[tuple[str, str]]:
        """Yield the characters of a quoted text, and how each is written."""
        for found in _ESCAPE.finditer(str(node)[1:-1]):
            plain, ascii_code, code, stray = found.groups()
            number = int(ascii_code or code or "0", 16)
            if stray or number > sys.maxunicode or 0xD800 <= number < 0xE000:
                raise self.error("a backslash was expected only as in \\n, \\x41 or \\u{41}", node)
            letter = chr(number) if ascii_code or code else _ESCAPED.get(plain, plain) if plain else found[0]
            yield letter, found[0]

    def string(self, node: Node) -> str:
        letters = [*self.letters(node)]
        if any(written == r"\*" for _, written in letters):
            raise self.error(r"\* was expected only in a pattern of like", node)
        return "".join(letter for letter, _ in letters)

    def pattern(self, node: Node) -> str:
        """Return the regular expression that a pattern of ``like`` stands for, in which * is any characters."""
        return "(?s)" + "".join(".*" if written == "*" else re.escape(each) for each, written in self.letters(node))

    def entity(self, node: Node) -> str:
        return "::".join(map(str, node.children))

    # --- temporal blocks ---------------------------------------------------------------------------

    def block(self, node: Node) -> Condition:
        body = node.children[0]
        text = " ".join(self.text[body.meta.start_pos : body.meta.end_pos].split())
        return Block(self.formula(body), f"temporal {{ {text} }}")

    def formula(self, node: Node) -> Condition:
        children = node.children
        match node.data:
            case "all_of" if len(children) == 1:
                return self.formula(children[0])
            case "all_of":
                return And(tuple(map(self.formula, children)))
            case "negation":
                return Not(self.formula(children[0]))
            case "exists":
                return Exists(str(children[0].children[0]), self.formula(children[1]))
            case "timepoint":
                return Timepoint(str(children[0]))
            case "formerly":
                return Formerly(self.formula(children[1]), _window(children[0]), has_now=True)
            case "previous":
                return Previous(self.formula(children[1]), _window(children[0]))
            case "since":
                left, window, anchor = children
                return Since(self.formula(left), self.formula(anchor), _window(window), has_now=True)
            case "compare":
                left, operator, right = children
                return Compare(self.term(left), "=" if operator == "==" else str(operator), self.term(right))
        return self.event(node)

    def event(self, node: Node) -> Condition:
        entity, kind, *fields = node.children
        if str(kind) not in _PHASES:
            raise self.error(f"request or response was expected, not {kind}: other kinds need an event schema", kind)
        found = [field for each in fields for field in (each.children if each.data == "block" else (each,))]
        return Called(Pattern(self.string(entity.children[-1]), tuple(self.fields(found))), _PHASES[str(kind)])

    def fields(self, nodes: Sequence[Node]) -> Iterator[Comparison]:
        for node in nodes:
            *names, value = node.children
            path = ".".join(map(str, names[1:] if len(names) > 1 and names[0] == "input" else names))
            term = self.term(value)
            if term is not _WILDCARD:
                yield Comparison(_FIELDS.get(path, path), "=", term)

    def term(self, node: Node) -> object:
        match getattr(node, "data", None):
            case "path" if len(node.children) == 1 and node.children[0] not in _SCOPES:
                name = str(node.children[0])
                return _WILDCARD if name == "_" else Variable(name)
            case "path":
                return Reference(self.argument(node))
            case "wildcard":
                return _WILDCARD
            case "count":
                binders, body = node.children
                return Aggregate(Kind.COUNT, _names(binders), self.formula(body))
            case "sum":
                column, binders, body = node.children
                return Aggregate(Kind.SUM, _names(binders), self.formula(body), str(column))
        return self.value(node)


_WILDCARD = object()
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _names(binders: Node) -> tuple[str, ...]:
    return tuple(str(each.children[0]) for each in binders.children)


def _window(node: Node) -> int:
    return nanoseconds("".join(str(node.children[0]).split()))
