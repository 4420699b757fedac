"""Conditions and effects as trees that do not depend on how a formula is written, for comparing them.

Read from the groups of words of a PDDL text, names unchecked, so that an operator that names what is not declared
can be compared all the same. Negations stand at literals, ``imply`` is an ``or``, nested ``and`` and ``or`` are
flat, parts that say the same are one, and a quantifier stands as deep as it can.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from validator.model.pddl.scope import Scope
from validator.model.pddl.syntax import Group, Node, Word, chained
from validator.model.values import Parameter
from validator.records import dataclass


@dataclass(frozen=True, slots=True)
class Leaf:
    """A literal; the terms of ``=`` stand in no order."""

    predicate: str
    terms: tuple[str, ...]
    positive: bool = True


@dataclass(frozen=True, slots=True)
class Junction:
    """``kind`` is ``and`` or ``or``; no part is a junction of the same kind, and no two parts are equal."""

    kind: str
    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Quantified:
    """``kind`` is ``forall`` or ``exists``."""

    kind: str
    variables: tuple[str, ...]
    part: Tree


@dataclass(frozen=True, slots=True)
class When:
    condition: Tree
    effect: Tree


Tree: TypeAlias = Leaf | Junction | Quantified | When
NOTHING = Junction("and", ())

_DUAL = {"and": "or", "or": "and", "forall": "exists", "exists": "forall"}


def leaves(tree: Tree) -> Iterator[Leaf]:
    """Yield the literals of a tree."""
    match tree:
        case Leaf():
            yield tree
        case Junction(_, parts):
            for part in parts:
                yield from leaves(part)
        case Quantified(_, _, part):
            yield from leaves(part)
        case When(condition, effect):
            yield from leaves(condition)
            yield from leaves(effect)


def depth(tree: Tree) -> int:
    """Return how deep a tree is nested; a literal is 1."""
    match tree:
        case Leaf():
            return 1
        case Junction(_, parts):
            return 1 + max(map(depth, parts), default=0)
        case Quantified(_, _, part):
            return 1 + depth(part)
        case When(condition, effect):
            return 1 + max(depth(condition), depth(effect))


def condition_tree(scope: Scope, node: Node, positive: bool = True) -> Tree:
    """Read a condition, or its negation. Raises ModelError for a connective that is not used as one."""
    group = scope.group(node, "a condition")
    nodes = group.nodes
    if not nodes:
        return _junction("and" if positive else "or", ())
    head = scope.word(nodes[0], "a predicate or connective").text
    if head == "not":
        _count(scope, group, 1)
        return condition_tree(scope, nodes[1], not positive)
    if head in ("and", "or"):
        parts = tuple(condition_tree(scope, part, positive) for part in chained(group))
        return _junction(head if positive else _DUAL[head], parts)
    if head == "imply":
        _count(scope, group, 2)
        premise = condition_tree(scope, nodes[1], not positive)
        return _junction("or" if positive else "and", (premise, condition_tree(scope, nodes[2], positive)))
    if head in ("forall", "exists"):
        _count(scope, group, 2)
        part = condition_tree(scope, nodes[2], positive)
        return _quantified(head if positive else _DUAL[head], _variables(scope, nodes[1]), part)
    return _leaf(scope, group, positive)


def effect_tree(scope: Scope, node: Node) -> Tree:
    """Read an effect. Raises ModelError for a connective that is not used as one."""
    group = scope.group(node, "an effect")
    nodes = group.nodes
    if not nodes:
        return NOTHING
    head = scope.word(nodes[0], "a predicate or 'and', 'not', 'when', 'forall'").text
    if head == "and":
        return _junction("and", tuple(effect_tree(scope, part) for part in chained(group)))
    if head == "not":
        _count(scope, group, 1)
        return _leaf(scope, scope.group(nodes[1], "an atom"), False)
    if head == "when":
        _count(scope, group, 2)
        return When(condition_tree(scope, nodes[1]), effect_tree(scope, nodes[2]))
    if head == "forall":
        _count(scope, group, 2)
        return _quantified("forall", _variables(scope, nodes[1]), effect_tree(scope, nodes[2]))
    return _leaf(scope, group, True)


_CONNECTIVES = frozenset(("and", "or", "not", "imply", "forall", "exists", "when"))


def _leaf(scope: Scope, group: Group, positive: bool) -> Leaf:
    nodes = group.nodes or (Word("", group.offset),)
    head = scope.word(nodes[0], "a predicate")
    if not head.text or head.text in _CONNECTIVES:
        scope.source.fail(f"an atom was expected, not '({head.text} ...)'", group.offset)
    terms = tuple(scope.word(term, "a variable or an object").text for term in nodes[1:])
    return Leaf(head.text, terms, positive)


def _junction(kind: str, parts: tuple[Tree, ...]) -> Tree:
    found: dict[Tree, None] = {}
    for part in parts:
        inner = part.parts if isinstance(part, Junction) and part.kind == kind else (part,)
        found.update(dict.fromkeys(inner))
    return next(iter(found)) if len(found) == 1 else Junction(kind, tuple(found))


def _quantified(kind: str, variables: tuple[str, ...], part: Tree) -> Tree:
    """Return a quantified tree: ``forall`` of a conjunction is one of ``forall``, ``exists`` of an ``or`` likewise."""
    if isinstance(part, Junction) and part.kind == ("and" if kind == "forall" else "or"):
        return _junction(part.kind, tuple(_quantified(kind, variables, inner) for inner in part.parts))
    if isinstance(part, Quantified) and part.kind == kind:
        return Quantified(kind, (*variables, *part.variables), part.part)
    return Quantified(kind, variables, part)


def _variables(scope: Scope, node: Node) -> tuple[str, ...]:
    listed = scope.typed_list(scope.group(node, "a list of variables").nodes, "a variable")
    return tuple(word.text for word, _ in listed)


def _count(scope: Scope, group: Group, arguments: int) -> None:
    given = len(group.nodes) - 1
    if given != arguments:
        scope.source.fail(f"'{group.head}' takes {arguments} arguments, got {given}", group.offset)


def parameters_of(scope: Scope, node: Node) -> tuple[Parameter, ...]:
    """Read a list of parameters, types unchecked."""
    listed = scope.typed_list(scope.group(node, "a list of variables").nodes, "a variable")
    return tuple(Parameter(word.text, types or frozenset(("object",))) for word, types in listed)
