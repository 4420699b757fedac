"""Numeric expressions of PDDL, and numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from validator.errors import did_you_mean
from validator.model.pddl.scope import Scope, Variables
from validator.model.pddl.syntax import Node, Word, chained
from validator.model.values import Arithmetic, Expression, Fluent, Number

__all__ = ["expression", "number"]

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$")
_GLUED = re.compile(r"([-+*/])(\d+(?:\.\d*)?)$")
_PREDEFINED = {
    "total-time": "metrics",
    "is-violated": "metrics",
    "#t": "the rates of continuous effects",
    "?duration": "the conditions and effects of durative actions",
}
"""what needs no declaration, and where alone it means something"""


@lru_cache(maxsize=4096)
def number(text: str) -> Fraction | None:
    """Return the exact value of a decimal literal, or None if the text is none."""
    return Fraction(text) if len(text) < 400 and _NUMBER.match(text) else None


def expression(scope: Scope, node: Node, variables: Variables) -> Expression:
    """Read a numeric expression."""
    if isinstance(node, Word):
        value = number(node.text)
        if value is not None:
            return Number(value)
        return _fluent(scope, (node,), variables, node)
    nodes = node.nodes
    if not nodes:
        scope.source.fail("a number or function was expected, not '()'", node.offset)
    nodes = _operator_apart(scope, nodes)
    head = scope.word(nodes[0], "a function or one of + - * /")
    if head.text in ("+", "-", "*", "/"):
        if len(nodes) < 2:
            scope.source.fail(f"'{head.text}' needs an operand", head.offset)
        parts = chained(node) if head.text in ("+", "*") and head is node.nodes[0] else nodes[1:]
        return Arithmetic(head.text, tuple(expression(scope, part, variables) for part in parts))
    return _fluent(scope, nodes, variables, head)


def _operator_apart(scope: Scope, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the nodes of an expression whose operator and first number may stand together, as in ``(*2 (f))``."""
    head = nodes[0]
    found = _GLUED.match(head.text) if isinstance(head, Word) and head.text not in scope.functions else None
    if found is None:
        return nodes
    message = f"a blank is missing between '{found[1]}' and '{found[2]}'"
    scope.tolerate("missing-blank", message, head.offset)
    return (Word(found[1], head.offset), Word(found[2], head.offset + len(found[1])), *nodes[1:])


def _fluent(scope: Scope, nodes: tuple[Node, ...], variables: Variables, head: Word) -> Fluent:
    if head.text in _PREDEFINED and head.text not in scope.functions and head.text not in scope.predefined:
        scope.source.fail(f"'{head.text}' means something in {_PREDEFINED[head.text]} only", head.offset)
    if head.text == "is-violated" and head.text not in scope.functions:
        if len(nodes) != 2:
            scope.source.fail("'(is-violated PREFERENCE)' was expected", head.offset)
        scope.feature("preferences", head.offset)
        name = scope.word(nodes[1], "the name of a preference")
        if name.text not in scope.preferences:
            hint = did_you_mean(name.text, sorted(scope.preferences))
            scope.source.fail(f"undeclared preference '{name.text}'{hint}", name.offset)
        return Fluent(head.text, (name.text,))
    if head.text in _PREDEFINED and head.text not in scope.functions:
        return Fluent(head.text, ())
    if head.text in scope.object_functions:
        scope.source.fail(f"function '{head.text}' has an object as its value, not a number", head.offset)
    if head.text not in scope.functions:
        if head.text == "reward":
            scope.feature("rewards", head.offset)
            return Fluent("reward", ())
        if head.text not in scope.predefined or len(nodes) > 1:
            scope.source.fail(
                f"undeclared function '{head.text}'{did_you_mean(head.text, scope.functions)}", head.offset
            )
        scope.warn("function 'total-cost' is not declared in :functions", head.offset)
        scope.functions[head.text] = ()
    terms = scope.terms(nodes[1:], scope.functions[head.text], variables, head, "function")
    return Fluent(head.text, terms)
