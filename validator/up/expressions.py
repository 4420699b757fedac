"""Expressions, conditions and effects of unified-planning as those of this package.

Names stay as they are. What has no counterpart is noted among the features, by a name that no execution follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

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

__all__ = ["ExpressionReader", "object_name"]

_TRUE_OR_FALSE = (TRUE, Or(()))


class ExpressionReader:
    """Reads expression trees; ``features`` names what was met beyond classical planning, with its first place."""

    def __init__(self) -> None:
        self.features: dict[str, str] = {}

    def feature(self, name: str, place: str) -> None:
        self.features.setdefault(name, place)

    def parameters(self, signature: Iterable[Any]) -> tuple[Parameter, ...]:
        return tuple(Parameter(f"?{item.name}", self.types(item)) for item in signature)

    def types(self, item: Any) -> frozenset[str]:
        if not item.type.is_user_type():
            self.feature("parameters-that-are-numbers", item.name)
            return frozenset(("object",))
        return frozenset((item.type.name,))

    # --- effects -------------------------------------------------------------------------------

    def effect(self, effect: Any) -> Iterator[Effect]:
        fluent = effect.fluent
        variables = tuple(Parameter(f"?{item.name}", self.types(item)) for item in effect.forall)
        condition = self.formula(effect.condition)
        if fluent.fluent().type.is_int_type() or fluent.fluent().type.is_real_type():
            change = self.change(effect)
            yield change if condition == TRUE and not variables else Conditional(variables, condition, (change,))
            return
        if not effect.is_assignment() or not fluent.fluent().type.is_bool_type():
            self.feature("object-fluents", str(fluent))
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
            literal = Literal(atom, positive)
            yield literal if when == TRUE and not variables else Conditional(variables, when, (literal,))

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
            return Atom(node.fluent().name, tuple(map(self.term, node.args)))
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
        if node.is_equals() and all(map(_is_term, node.args)):
            return Equal(self.term(node.arg(0)), self.term(node.arg(1)))
        if node.is_equals() and any(part.type.is_user_type() for part in node.args):
            self.feature("object-fluents", str(node))
            return TRUE
        if node.is_le() or node.is_lt() or node.is_equals():
            self.feature("numeric-fluents", str(node))
            comparator = "<=" if node.is_le() else "<" if node.is_lt() else "="
            return Compare(comparator, *map(self.expression, node.args))
        self.feature("other-conditions", str(node))
        return TRUE

    def term(self, node: FNode) -> str:
        if node.is_object_exp():
            return str(node.object().name)
        if node.is_parameter_exp():
            return f"?{node.parameter().name}"
        if node.is_variable_exp():
            return f"?{node.variable().name}"
        self.feature("object-fluents", str(node))
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


def _is_term(node: FNode) -> bool:
    return bool(node.is_object_exp() or node.is_parameter_exp() or node.is_variable_exp())


def object_name(value: FNode) -> str:
    return str(value.object().name) if value.is_object_exp() else str(value)
