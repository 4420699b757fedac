"""What conditions need, once objects are known: atoms that hold or not, gauges of numbers, ways to choose from.

A gauge holds where an expression is above zero, or zero. Where the expression is a weighted sum and a step changes its
values by amounts that never change, the step brings the same everywhere, so that it is known how often it must be
taken: the subgoaling relaxation of simple numeric conditions (Scala, Haslum and Thiébaux 2016). Elsewhere what it
brings in the state at hand stands for that.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import partial
from math import inf
from sys import float_info
from typing import TypeAlias

from validator.execution.time.effects import combined
from validator.execution.time.metric import changed_functions, effects_of
from validator.model.conditions import Binding, bindings, folded, ground
from validator.model.numeric import Missing, Situation, Weights, evaluate, fluent_key, linear, truth
from validator.model.temporal import DURATION
from validator.model.values import (
    Arithmetic,
    Atom,
    Compare,
    Conditional,
    Effect,
    Expression,
    Fluent,
    Formula,
    GroundAtom,
    Literal,
    Model,
    Number,
    NumericEffect,
    changed_predicates,
    fluents_of,
    functions_of,
)
from validator.records import dataclass, replace

Known: TypeAlias = Mapping[GroundAtom, Fraction]

LEAST = 1e-6
"""What is missing of a gauge that is just not more than zero, and what differences of floats may be."""

LATER = 8
"""How often a step is taken to be needed that brings nothing now, and may bring something once values have changed."""

CONTRARY = 10_000
"""How often a step is taken to be needed that has only made more missing so far: rather than to go on, others do."""


def as_float(value: Fraction) -> float:
    """Return the nearest float: the largest for a number that is beyond all of them."""
    try:
        return float(value)
    except OverflowError:
        return float_info.max if value > 0 else -float_info.max


@dataclass(frozen=True, slots=True)
class Gauge:
    """Holds where ``expression`` is more than zero, or also where it is zero unless ``is_strict``.

    ``weights`` and ``constant`` are those of a weighted sum, None where it is none.
    """

    expression: Expression
    is_strict: bool
    weights: tuple[tuple[GroundAtom, float], ...] | None
    constant: float

    @classmethod
    def of(cls, expression: Expression, is_strict: bool) -> Gauge:
        weights = linear(expression)
        if weights is None:
            return cls(expression, is_strict, None, 0.0)
        constant = as_float(weights.pop((), Fraction(0)))
        return cls(expression, is_strict, tuple((key, as_float(one)) for key, one in weights.items() if one), constant)

    @property
    def reads(self) -> Iterable[GroundAtom]:
        if self.weights is not None:
            return [key for key, _ in self.weights]
        return {(fluent.function, *fluent.terms) for fluent in fluents_of(self.expression)}

    def missing_at(self, value: float) -> float:
        """Return how much is missing where the expression has a value, not above zero where the gauge holds."""
        return LEAST - value if self.is_strict else -value

    def missing(self, situation: Situation) -> float:
        value = self.value(situation)
        return inf if value is None else self.missing_at(as_float(value))

    def value(self, situation: Situation) -> Fraction | None:
        found = evaluate(self.expression, {}, situation)
        return None if isinstance(found, Missing) else found


@dataclass(frozen=True, slots=True)
class Change:
    """A numeric effect of a ground step."""

    key: GroundAtom
    operator: str
    value: Expression


def gauges_of(comparison: Compare, binding: Binding, known: Known) -> list[Gauge]:
    """Return the gauges that hold together where a comparison does; ``known`` are the values that never change."""
    left, right = (bound_expression(side, binding, known) for side in (comparison.left, comparison.right))
    above, below = Arithmetic("-", (left, right)), Arithmetic("-", (right, left))
    match comparison.comparator:
        case ">" | ">=":
            return [Gauge.of(above, comparison.comparator == ">")]
        case "<" | "<=":
            return [Gauge.of(below, comparison.comparator == "<")]
        case _:
            return [Gauge.of(above, False), Gauge.of(below, False)]


def bound_expression(expression: Expression, binding: Binding, known: Known) -> Expression:
    """Return an expression about objects, with the values that never change in place of their names."""
    if isinstance(expression, Fluent):
        key = fluent_key(expression, binding)
        return Number(known[key]) if key in known else Fluent(key[0], key[1:])
    if isinstance(expression, Arithmetic):
        operands = tuple(bound_expression(operand, binding, known) for operand in expression.operands)
        return Arithmetic(expression.operator, operands)
    return expression


def changes(effects: Iterable[object], binding: Binding, known: Known) -> Iterator[Change]:
    """Yield the unconditional numeric effects of a ground step."""
    for effect in effects:
        if isinstance(effect, NumericEffect):
            key, value = fluent_key(effect.fluent, binding), bound_expression(effect.value, binding, known)
            yield Change(key, effect.operator, value)


def gain_of(gauge: Gauge, change: Change, linear: Callable[[Expression], Weights | None]) -> Weights | None:
    """Return what a change brings as a weighted sum of the values before it; None where it is none.

    ``linear`` is that of ``validator.model.numeric``, or what remembers its answers.
    """
    if gauge.weights is None:
        return None
    weight = next((weight for key, weight in gauge.weights if key == change.key), 0.0)
    if not weight:
        return {}
    amount = linear(change.value)
    if amount is None:
        return None
    factor = Fraction(weight)
    match change.operator:
        case "increase":
            found = amount
        case "decrease":
            factor, found = -factor, amount
        case "assign":
            found = {**amount, change.key: amount.get(change.key, Fraction(0)) - 1}
        case _:
            scale = amount.get((), Fraction(0))
            if amount.keys() - {()} or not scale:
                return None
            found = {change.key: (scale if change.operator == "scale-up" else 1 / scale) - 1}
    return {key: factor * each for key, each in found.items()}


def gain_in(gauge: Gauge, done: Sequence[Change], situation: Situation) -> float:
    """Return what a step brings in a situation."""
    before, values = gauge.value(situation), dict(situation.values)
    for change in done:
        amount = evaluate(change.value, {}, situation)
        if isinstance(amount, Missing) or (change.operator == "scale-down" and not amount):
            return 0.0
        after = combined(change.key, ((change.operator, amount),), situation.values.get(change.key, Fraction(0)))
        assert isinstance(after, Fraction)
        values[change.key] = after
    now = gauge.value(replace(situation, values=values))
    if now is None:
        return 0.0
    return inf if before is None else as_float(now - before)


# --- conditions and effects ---------------------------------------------------------------------

Need: TypeAlias = Hashable
"""``(atom, True)`` for an atom that must hold, ``(atom, False)`` for one that must not, a ``Gauge``, or a number that
stands for a choice."""

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


class Requirements:
    """The conditions of a model as sets of needs.

    What never changes is not needed, it is so or it is not. ``choices`` has for each disjunction the ways to meet it.
    """

    def __init__(self, model: Model, init: Iterable[GroundAtom], values: Known) -> None:
        self.model = model
        self.derived = {axiom.predicate for axiom in model.domain.axioms}
        changed = changed_predicates(effects_of(model)) | self.derived
        self.changing: Set[str] = changed_functions(model)
        self.known = {key: value for key, value in values.items() if key[0] not in self.changing}
        self._static = Situation(model=model, atoms=frozenset(init), values=self.known)
        self._changed = changed
        self.choices: dict[int, list[frozenset[Need]]] = {}
        self._chosen: dict[frozenset[frozenset[Need]], int] = {}

    def of(self, formula: Formula, binding: Binding, duration: Fraction | None = None) -> frozenset[Need] | None:
        """Return what a condition needs; None where it cannot hold. What is asked of an unknown duration may hold."""
        known: Known = self.known if duration is None else ChainMap({(DURATION.function,): duration}, self.known)
        return folded(self.model, formula, binding, partial(self._leaf, known), self._all, self._any)

    def _leaf(self, known: Known, formula: Formula, binding: Binding, wanted: bool) -> frozenset[Need] | None:
        if isinstance(formula, Compare):
            is_open = DURATION.function in functions_of(formula) and (DURATION.function,) not in known
            return frozenset() if is_open else self._compared(formula, binding, wanted, known)
        if isinstance(formula, Atom):
            if formula.predicate in self.derived and not wanted:
                return frozenset()  # what deletes would bring about; the relaxation has none
            if formula.predicate in self._changed:
                return frozenset(((ground(formula, binding), wanted),))
        return frozenset() if truth(formula, binding, self._static) is wanted else None

    def _compared(self, comparison: Compare, binding: Binding, wanted: bool, known: Known) -> frozenset[Need] | None:
        if wanted:
            return self._gauges(gauges_of(comparison, binding, known))
        ways = "<>" if comparison.comparator == "=" else (_OPPOSITE[comparison.comparator],)
        turned = (Compare(way, comparison.left, comparison.right) for way in ways)
        return self._any(self._gauges(gauges_of(each, binding, known)) for each in turned)

    @staticmethod
    def _gauges(gauges: Iterable[Gauge]) -> frozenset[Need] | None:
        """Return those gauges that are not settled for ever."""
        found = set[Need]()
        for gauge in gauges:
            if gauge.weights != ():
                found.add(gauge)
            elif gauge.missing_at(gauge.constant) > 0:
                return None
        return frozenset(found)

    @staticmethod
    def _all(found: Iterable[frozenset[Need] | None]) -> frozenset[Need] | None:
        needs = set[Need]()
        for part in found:
            if part is None:
                return None
            needs |= part
        return frozenset(needs)

    def _any(self, found: Iterable[frozenset[Need] | None]) -> frozenset[Need] | None:
        ways = [part for part in found if part is not None]
        if not ways:
            return None
        if len(ways) == 1 or not all(ways):
            return min(ways, key=len)
        number = self._chosen.setdefault(frozenset(ways), len(self._chosen))
        self.choices[number] = ways
        return frozenset((number,))

    # --- effects -------------------------------------------------------------------------------

    def outcomes(
        self, effects: Iterable[Effect], binding: Binding
    ) -> Iterator[tuple[frozenset[Need], set[Need], list[Effect], Binding]]:
        """Yield what effects bring about: under which needs, which atoms, and which effects on numbers."""
        brought, numbers = set[Need](), list[Effect]()
        for effect in effects:
            if isinstance(effect, Literal):
                brought.add((ground(effect.atom, binding), effect.positive))
            elif isinstance(effect, Conditional):
                for inner in bindings(self.model, effect.parameters, binding):
                    needs = self.of(effect.condition, inner)
                    if needs is not None:
                        for more, others, rest, deeper in self.outcomes(effect.effects, inner):
                            yield needs | more, others, rest, deeper
            else:
                numbers.append(effect)
        if brought or numbers:
            yield frozenset(), brought, numbers, binding

    def rules(self) -> Iterator[tuple[frozenset[Need], Need]]:
        """Yield the needs of each derived atom, once for each axiom and its objects."""
        for axiom in self.model.domain.axioms:
            for binding in bindings(self.model, axiom.parameters, {}):
                needs = self.of(axiom.condition, binding)
                if needs is not None:
                    atom = (axiom.predicate, *(binding[parameter.name] for parameter in axiom.parameters))
                    yield needs, (atom, True)
