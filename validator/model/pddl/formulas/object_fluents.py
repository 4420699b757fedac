"""Object fluents (PDDL 3.1) as predicates: ``(= (loc t) x)`` is the atom ``("=loc", "t", "x")``.

A function has one value or none, so that an assignment makes one atom true and all others of the function false.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from validator.model.pddl.scope import Scope, Variables
from validator.model.pddl.syntax import Group, Node, Word
from validator.model.values import (
    TRUE,
    And,
    Atom,
    Conditional,
    Effect,
    Equal,
    Exists,
    Formula,
    Literal,
    Not,
    Parameter,
)


def predicate_of(function: str) -> str:
    """Return the name of the predicate that holds the values of an object function."""
    return f"={function}"


def is_object_fluent(scope: Scope, node: Node) -> bool:
    head = node.head if isinstance(node, Group) else node.text
    return head in scope.object_functions and (isinstance(node, Group) or head not in scope.objects)


class _Terms:
    """Gives every object fluent that stands as a term a variable of its own, bound to its value."""

    def __init__(self, scope: Scope, variables: Variables) -> None:
        self.scope = scope
        self.variables = dict(variables)
        self.parameters: list[Parameter] = []
        self.values: list[Formula] = []
        self._numbers = count(len(variables))

    def term(self, node: Node) -> Node:
        """Return a node as a word: the variable that stands for an object fluent, any other as it is."""
        if not is_object_fluent(self.scope, node):
            return node
        function, terms, types = self.fluent(node)
        parameter = Parameter(f"?{function}@{next(self._numbers)}", types)
        self.variables[parameter.name] = types
        self.parameters.append(parameter)
        self.values.append(Atom(predicate_of(function), (*terms, parameter.name)))
        return Word(parameter.name, node.offset)

    def fluent(self, node: Node) -> tuple[str, tuple[str, ...], frozenset[str]]:
        """Return the name of an object function, its terms and the types of its value."""
        nodes = node.nodes if isinstance(node, Group) else (node,)
        head = self.scope.word(nodes[0], "a function")
        words = tuple(map(self.term, nodes[1:]))
        terms = self.scope.terms(words, self.scope.functions[head.text], self.variables, head, "function")
        return head.text, terms, self.scope.predicates[predicate_of(head.text)][-1].types

    def value(self, node: Node, function: str, types: frozenset[str]) -> str:
        """Return a term that stands for a value of an object function."""
        (term,) = self.scope.terms(
            (self.term(node),), (Parameter("?value@", types),), self.variables, Word(function, node.offset), "function"
        )
        return term

    def around(self, inner: Formula) -> Formula:
        """Return a condition that holds where every fluent has a value and ``inner`` holds of the values."""
        return Exists(tuple(self.parameters), And((*self.values, inner))) if self.parameters else inner


def equal_objects(scope: Scope, left: Node, right: Node, variables: Variables) -> Formula:
    """Read an equality of which one side at least is an object fluent."""
    if not is_object_fluent(scope, left):
        left, right = right, left
    terms = _Terms(scope, variables)
    function, arguments, types = terms.fluent(left)
    if isinstance(right, Word) and right.text == "undefined" and right.text not in scope.objects:
        value = Parameter("?value@", types)
        return terms.around(Not(Exists((value,), Atom(predicate_of(function), (*arguments, value.name)))))
    return terms.around(Atom(predicate_of(function), (*arguments, terms.value(right, function, types))))


def with_plain_terms(
    scope: Scope, nodes: tuple[Node, ...], variables: Variables, read: Callable[[tuple[Node, ...], Variables], Formula]
) -> Formula:
    """Read an atom some of whose terms are object fluents."""
    terms = _Terms(scope, variables)
    words = (nodes[0], *map(terms.term, nodes[1:]))
    return terms.around(read(words, terms.variables))


def with_plain_terms_in_effect(
    scope: Scope,
    nodes: tuple[Node, ...],
    variables: Variables,
    read: Callable[[tuple[Node, ...], Variables], tuple[Effect, ...]],
) -> tuple[Effect, ...]:
    """Read an effect on an atom some of whose terms are object fluents."""
    terms = _Terms(scope, variables)
    words = (nodes[0], *map(terms.term, nodes[1:]))
    return _where_defined(terms, nodes[0].offset, read(words, terms.variables))


def _where_defined(terms: _Terms, offset: int, found: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """Return effects that read object fluents; that these have values becomes a condition of the action.

    Where the action cannot ask for that, since the effect is conditional or timed, it is noted as not executed.
    """
    if not terms.parameters:
        return found
    if terms.scope.values_needed is None:
        terms.scope.feature("object-fluents-read-in-effects", offset)
        return ()
    terms.scope.values_needed.append(terms.around(TRUE))
    return (Conditional(tuple(terms.parameters), And(tuple(terms.values)), found),)


def assigned(scope: Scope, group: Group, variables: Variables) -> tuple[Effect, ...]:
    """Read ``(assign (loc ?t) VALUE)``."""
    nodes = group.nodes
    if group.head != "assign" or len(nodes) != 3:
        scope.source.fail("'(assign (FUNCTION ...) OBJECT)' was expected", group.offset)
    terms = _Terms(scope, variables)
    function, arguments, types = terms.fluent(nodes[1])
    other = Parameter("?value@", types)
    lost = Literal(Atom(predicate_of(function), (*arguments, other.name)), positive=False)
    if isinstance(nodes[2], Word) and nodes[2].text == "undefined" and nodes[2].text not in scope.objects:
        return _where_defined(terms, group.offset, (Conditional((other,), TRUE, (lost,)),))
    value = terms.value(nodes[2], function, types)
    of_variable = terms.variables.get(value)
    given = [scope.objects[value]] if of_variable is None else [frozenset((each,)) for each in of_variable]
    if any(types.isdisjoint(scope.types.ancestors(each)) for each in given):
        scope.feature("object-fluents-of-other-types", group.offset)
    gained = Literal(Atom(predicate_of(function), (*arguments, value)))
    others = Conditional((other,), Not(Equal(other.name, value)), (lost,))
    return _where_defined(terms, group.offset, (others, gained))
