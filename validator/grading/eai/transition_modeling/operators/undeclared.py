"""Operators that name what nobody declared, as Fast Downward took them up to version 23.06.

An undeclared name or an unbound variable was taken as it stood: no parameter is ever bound to it, so that an atom
with such a term is an atom of its own. Here it becomes an atom of a predicate of its own, without the term.
"""

from __future__ import annotations

from collections.abc import Mapping

from validator.model.pddl.scope import OBJECT, Scope
from validator.model.pddl.syntax import Node, Word
from validator.model.values import (
    Action,
    And,
    Atom,
    Conditional,
    Effect,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Literal,
    Not,
    Or,
    Parameter,
)
from validator.records import dataclass, field, replace

__all__ = ["TolerantScope", "without_undeclared"]


@dataclass(slots=True)
class TolerantScope(Scope):
    """A scope that takes every name; ``undeclared`` collects those that were not declared, marked as such."""

    undeclared: set[str] = field(default_factory=set)

    def term(self, node: Node, variables: Mapping[str, frozenset[str]]) -> str:
        if isinstance(node, Word) and node.text not in variables and node.text not in self.objects:
            name = f"undeclared {node.text}"
            self.undeclared.add(name)
            self.objects[name] = OBJECT
            return name
        return Scope.term(self, node, variables)


def without_undeclared(
    action: Action, undeclared: frozenset[str]
) -> tuple[Action, Mapping[str, tuple[Parameter, ...]]]:
    """Return an action in which no atom has an undeclared term, and the predicates that stand for such atoms."""
    rewriter = _Rewriter(undeclared)
    rewritten = replace(
        action,
        precondition=rewriter.formula(action.precondition),
        effects=tuple(map(rewriter.effect, action.effects)),
    )
    return rewritten, rewriter.predicates


@dataclass(slots=True)
class _Rewriter:
    undeclared: frozenset[str]
    predicates: dict[str, tuple[Parameter, ...]] = field(default_factory=dict)

    def atom(self, atom: Atom) -> Atom:
        if self.undeclared.isdisjoint(atom.terms):
            return atom
        known = tuple(term for term in atom.terms if term not in self.undeclared)
        name = " ".join((atom.predicate, *(term if term in self.undeclared else "_" for term in atom.terms)))
        self.predicates[name] = tuple(Parameter(f"?{place}") for place in range(len(known)))
        return Atom(name, known)

    def formula(self, formula: Formula) -> Formula:
        match formula:
            case Atom():
                return self.atom(formula)
            case Equal(left, right):
                return Or(()) if left != right and not self.undeclared.isdisjoint((left, right)) else formula
            case Not(part):
                return Not(self.formula(part))
            case And(parts):
                return And(tuple(map(self.formula, parts)))
            case Or(parts):
                return Or(tuple(map(self.formula, parts)))
            case Imply(premise, conclusion):
                return Imply(self.formula(premise), self.formula(conclusion))
            case Forall(parameters, part):
                return Forall(parameters, self.formula(part))
            case Exists(parameters, part):
                return Exists(parameters, self.formula(part))
            case _:
                return formula

    def effect(self, effect: Effect) -> Effect:
        match effect:
            case Literal(atom, positive):
                return Literal(self.atom(atom), positive)
            case Conditional(parameters, condition, effects):
                return Conditional(parameters, self.formula(condition), tuple(map(self.effect, effects)))
            case _:
                return effect
