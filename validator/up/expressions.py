"""Expressions, conditions and effects of unified-planning as those of this package.

Names stay as they are. What has no counterpart is noted among the features, by a name that no execution follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING, Any

from validator.model.conditions import may_assign_twice
from validator.model.temporal import Trajectory
from validator.model.values import (
    TRUE,
    And,
    Arithmetic,
    Atom,
    Compare,
    Conditional,
    Effect,
    Equal,
    Exists,
    Expression,
    Fluent,
    Forall,
    Formula,
    Imply,
    Literal,
    Not,
    Number,
    NumericEffect,
    Or,
    Parameter,
)

if TYPE_CHECKING:
    from unified_planning.model import FNode


_MOST_VALUES = 1000
"""whole numbers of a type that are taken for objects"""

_AS_DECLARED: Mapping[str, Any] = {}

_TRUE_OR_FALSE = (TRUE, Or(()))


class ExpressionReader:
    """Reads expression trees; ``features`` names what was met beyond classical planning, with its first place."""

    def __init__(self, *, is_over_time: bool = False) -> None:
        self.is_over_time = is_over_time
        self.watched: dict[str, Any] = {}
        """fluents of numbers whose bounds nothing but the execution can keep, by name"""
        self.features: dict[str, str] = {}
        self.values: dict[str, set[str]] = {}
        """numbers and truths that stand where objects do, by name, with their types"""
        self._read: list[tuple[Parameter, Atom]] | None = None
        self._number = count()
        self.features_of: dict[str, set[str]] = {}
        """the features by the actions that use them; with an empty name, those that are used elsewhere"""
        self.within = ""

    def feature(self, name: str, place: str) -> None:
        self.features.setdefault(name, place)
        self.features_of.setdefault(self.within, set()).add(name)

    def parameters(self, signature: Iterable[Any], kinds: Mapping[str, Any] = _AS_DECLARED) -> tuple[Parameter, ...]:
        """Return parameters, with types that are narrower than declared by their names."""
        return tuple(Parameter(f"?{item.name}", self.types(item, kinds.get(item.name))) for item in signature)

    def types(self, item: Any, narrower: Any = None) -> frozenset[str]:
        """Return the types of a parameter; whole numbers with bounds and truths are objects of types of their own."""
        kind = narrower or item.type
        if kind.is_user_type():
            return frozenset((kind.name,))
        names = names_of(kind)
        if names is None:
            self.feature("unbounded-parameters", item.name)
            return frozenset(("object",))
        self.feature("parameters-that-are-numbers", item.name)
        for name in names:
            self.values.setdefault(name, set()).add(str(kind))
        return frozenset((str(kind),))

    # --- object fluents ------------------------------------------------------------------------

    def _with_values(self, build: Callable[[], Formula]) -> Formula:
        """Return a condition whose object fluents stand for their values: it holds only where all of them have one."""
        outer, self._read = self._read, []
        inner, found = build(), self._read
        self._read = outer
        if not found:
            return inner
        return Exists(tuple(each for each, _ in found), And((*(atom for _, atom in found), inner)))

    def _value(self, node: FNode) -> str:
        """Return the variable that stands for the value of an object fluent."""
        fluent = node.fluent()
        if self._read is None:
            self.feature("object-fluents-read-in-effects", str(node))
            return str(node)
        self.feature("fluents-of-objects", fluent.name)
        terms = tuple(map(self.term, node.args))
        variable = Parameter(f"?{fluent.name}@{next(self._number)}", frozenset((fluent.type.name,)))
        self._read.append((variable, Atom(predicate_of(fluent.name), (*terms, variable.name))))
        return variable.name

    def _assigned(self, effect: Any, condition: Formula, variables: tuple[Parameter, ...]) -> Iterator[Effect]:
        """Yield what an assignment to an object fluent does: one atom becomes true, all others of it false."""
        fluent = effect.fluent.fluent()
        self.feature("fluents-of-objects", fluent.name)
        terms, value = tuple(map(self.term, effect.fluent.args)), self.term(effect.value)
        other = Parameter("?value@", frozenset((fluent.type.name,)))
        lost = Literal(Atom(predicate_of(fluent.name), (*terms, other.name)), positive=False)
        gained = Literal(Atom(predicate_of(fluent.name), (*terms, value)))
        yield Conditional((*variables, other), And((condition, Not(Equal(other.name, value)))), (lost,))
        yield _under(condition, variables, gained)

    # --- effects -------------------------------------------------------------------------------

    def effects(self, found: Iterable[Any], place: str) -> tuple[Effect, ...]:
        """Return what happens at one time of an action or event."""
        effects = tuple(part for effect in found for part in self.effect(effect))
        if may_assign_twice(effects):
            self.feature("object-fluents-assigned-twice", place)
        return effects

    def effect(self, effect: Any) -> Iterator[Effect]:
        fluent = effect.fluent
        variables = tuple(Parameter(f"?{item.name}", self.types(item)) for item in effect.forall)
        condition = self.formula(effect.condition)
        if fluent.fluent().type.is_int_type() or fluent.fluent().type.is_real_type():
            yield _under(condition, variables, self.change(effect))
            return
        if fluent.fluent().type.is_user_type():
            yield from self._assigned(effect, condition, variables)
            return
        atom = Atom(fluent.fluent().name, tuple(map(self.term, fluent.args)))
        value = self.formula(effect.value)
        for wanted, positive in ((value, True), (Not(value), False)):
            if value in _TRUE_OR_FALSE:
                if (value == TRUE) is not positive:
                    continue
                when = condition
            else:
                when = And((condition, wanted))
            yield _under(when, variables, Literal(atom, positive))

    def change(self, effect: Any) -> NumericEffect:
        """Return what an effect does to a number; its bounds are the affair of ``validator.up.numeric``."""
        fluent = effect.fluent.fluent()
        self.feature("numeric-fluents", fluent.name)
        operator = "increase" if effect.is_increase() else "decrease" if effect.is_decrease() else "assign"
        terms = tuple(map(self.term, effect.fluent.args))
        return NumericEffect(operator, Fluent(fluent.name, terms), self.expression(effect.value))

    # --- expressions ---------------------------------------------------------------------------

    def formula(self, node: FNode) -> Formula:
        if node.is_bool_constant():
            return _TRUE_OR_FALSE[0 if node.is_true() else 1]
        if node.is_fluent_exp():
            if not node.fluent().type.is_bool_type():
                self.feature("other-conditions", str(node))
            return self._with_values(lambda: Atom(node.fluent().name, tuple(map(self.term, node.args))))
        if node.is_not():
            return Not(self.formula(node.arg(0)))
        if node.is_and():
            return And(tuple(map(self.formula, node.args)))
        if node.is_or():
            return Or(tuple(map(self.formula, node.args)))
        if node.is_implies():
            return Imply(self.formula(node.arg(0)), self.formula(node.arg(1)))
        if node.is_iff():
            left, right = map(self.formula, node.args)
            return And((Imply(left, right), Imply(right, left)))
        if node.is_forall() or node.is_exists():
            variables = tuple(Parameter(f"?{item.name}", self.types(item)) for item in node.variables())
            part = self.formula(node.arg(0))
            return Forall(variables, part) if node.is_forall() else Exists(variables, part)
        if node.is_equals() and _is_of_objects(node):
            return self._with_values(lambda: Equal(self.term(node.arg(0)), self.term(node.arg(1))))
        if node.is_le() or node.is_lt() or node.is_equals():
            self.feature("numeric-fluents", str(node))
            comparator = "<=" if node.is_le() else "<" if node.is_lt() else "="
            return self._with_values(lambda: Compare(comparator, *map(self.expression, node.args)))
        self.feature("other-conditions", str(node))
        return TRUE

    def term(self, node: FNode) -> str:
        if node.is_object_exp():
            return str(node.object().name)
        if node.is_parameter_exp():
            return f"?{node.parameter().name}"
        if node.is_variable_exp():
            return f"?{node.variable().name}"
        if node.is_int_constant() or node.is_bool_constant():
            return str(node)
        if node.is_fluent_exp() and node.fluent().type.is_user_type():
            return self._value(node)
        self.feature("other-terms", str(node))
        return str(node)

    def expression(self, node: FNode) -> Expression:
        if node.is_int_constant() or node.is_real_constant():
            return Number(Fraction(node.constant_value()))
        if node.is_fluent_exp():
            return Fluent(node.fluent().name, tuple(map(self.term, node.args)))
        for operator, is_it in (("+", node.is_plus), ("-", node.is_minus), ("*", node.is_times), ("/", node.is_div)):
            if is_it():
                return Arithmetic(operator, tuple(map(self.expression, node.args)))
        self.feature("other-expressions", str(node))
        return Number(Fraction(0))


def _under(condition: Formula, variables: tuple[Parameter, ...], effect: Literal | NumericEffect) -> Effect:
    """Return an effect that happens where a condition holds, for all values of some variables."""
    return effect if condition == TRUE and not variables else Conditional(variables, condition, (effect,))


def predicate_of(fluent: str) -> str:
    """Return the name of the predicate that holds the values of an object fluent."""
    return f"={fluent}"


def _is_of_objects(equality: FNode) -> bool:
    """Return whether an equality is one of objects, or of numbers and truths that stand where objects do."""
    if any(part.type.is_user_type() for part in equality.args):
        return True
    named = [part.is_parameter_exp() or part.is_variable_exp() for part in equality.args]
    plain = [part.is_int_constant() or part.is_bool_constant() for part in equality.args]
    return any(named) and all(one or other for one, other in zip(named, plain, strict=True))


def names_of(kind: Any) -> tuple[str, ...] | None:
    """Return the values of a type of truths or of few whole numbers as names; None for any other."""
    if kind.is_bool_type():
        return "true", "false"
    if not kind.is_int_type() or kind.lower_bound is None or kind.upper_bound is None:
        return None
    values = range(kind.lower_bound, kind.upper_bound + 1)
    return tuple(map(str, values)) if len(values) <= _MOST_VALUES else None


def object_name(value: FNode) -> str:
    return str(value.object().name) if value.is_object_exp() else str(value)


def trajectories(read: ExpressionReader, node: FNode, parameters: tuple[Parameter, ...] = ()) -> Iterator[Trajectory]:
    """Yield the trajectory constraints that a formula joins, each with the quantifiers in front of it.

    unified-planning's own reader of PDDL makes one formula of all the constraints of a problem.
    """
    read.feature("constraints", str(node))
    if node.is_and():
        for part in node.args:
            yield from trajectories(read, part, parameters)
    elif node.is_forall():
        inner = tuple(Parameter(f"?{item.name}", read.types(item)) for item in node.variables())
        yield from trajectories(read, node.arg(0), (*parameters, *inner))
    elif operator := _TRAJECTORIES.get(node.node_type.name, ""):
        yield Trajectory(operator=operator, parts=tuple(map(read.formula, node.args)), parameters=parameters)
    elif node.is_bool_constant():  # a constraint that unified-planning has simplified
        yield Trajectory(operator="always", parts=(read.formula(node),))
    else:
        read.feature("other-constraints", str(node))


_TRAJECTORIES = {
    "ALWAYS": "always",
    "SOMETIME": "sometime",
    "SOMETIME_BEFORE": "sometime-before",
    "SOMETIME_AFTER": "sometime-after",
    "AT_MOST_ONCE": "at-most-once",
}
