"""Durative actions, processes and timed facts: PDDL 2.1 (Fox and Long 2003), 2.2 and PDDL+ (Fox and Long 2006)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TypeAlias

from validator.model.formulas import conjunction
from validator.model.pddl.formulas.conditions import NO_PREFERENCE, expression, formula
from validator.model.pddl.formulas.effects import effects
from validator.model.pddl.formulas.soft import named_preference
from validator.model.pddl.scope import Scope, Variables
from validator.model.pddl.syntax import Group, Node, Word
from validator.model.temporal import (
    ContinuousEffect,
    DurationBound,
    DurativeAction,
    Preference,
    Process,
    TimedCondition,
    TimedEffect,
    When,
)
from validator.model.values import (
    TRUE,
    Arithmetic,
    Conditional,
    Effect,
    Expression,
    Fluent,
    Forall,
    Formula,
    Number,
    Parameter,
    walk,
)
from validator.records import dataclass, field

_Outer: TypeAlias = tuple[Parameter, ...]

_TIME = Fluent("#t", ())
_WHEN: dict[tuple[str, ...], When] = {("at", "start"): When.START, ("at", "end"): When.END, ("over", "all"): When.ALL}


def durative_action(
    scope: Scope, name: str, parameters: tuple[Parameter, ...], parts: Mapping[str, Node], variables: Variables
) -> DurativeAction:
    """Read the parts of a durative action; ``:precondition`` is taken for ``:condition``."""
    conditions: list[TimedCondition] = []
    preferences: list[Preference] = []
    durations: tuple[DurationBound, ...] = ()
    body = _Body(scope)
    if ":duration" in parts:
        durations = tuple(_durations(scope, parts[":duration"], variables, When.START))
    with scope.defining("?duration"):
        for key in (":condition", ":precondition"):
            if key in parts:
                for timed, preference in _conditions(scope, parts[key], variables):
                    if preference is None:
                        conditions.append(timed)
                    else:
                        preferences.append(preference)
        if ":effect" in parts:
            body.read(parts[":effect"], variables)
    return DurativeAction(
        name=name,
        parameters=parameters,
        durations=durations,
        conditions=tuple(conditions),
        effects=tuple(body.effects),
        continuous=tuple(body.continuous),
        preferences=tuple(preferences),
    )


def process(
    scope: Scope, name: str, parameters: tuple[Parameter, ...], parts: Mapping[str, Node], variables: Variables
) -> Process:
    """Read the parts of a process; its effects are continuous ones only."""
    condition = parts.get(":precondition", parts.get(":condition"))
    body = _Body(scope)
    if ":effect" in parts:
        body.rates(parts[":effect"], variables)
    return Process(
        name=name,
        parameters=parameters,
        condition=TRUE if condition is None else formula(scope, condition, variables),
        effects=tuple(body.continuous),
    )


# --- durations ---------------------------------------------------------------------------------


def _durations(scope: Scope, node: Node, variables: Variables, when: When) -> Iterator[DurationBound]:
    for group, bound, outer in scope.leaves(node, variables, "a duration such as (= ?duration 5)"):
        nodes, (at, inner) = group.nodes, _at(group)
        if at in (When.START, When.END) and not outer:
            yield from _durations(scope, inner, bound, at)
        elif group.head not in ("=", "<=", ">=", "<", ">") or len(nodes) != 3 or outer:
            scope.source.fail("a duration such as (= ?duration 5) was expected", group.offset)
        elif not isinstance(nodes[1], Word) or nodes[1].text != "?duration":
            scope.source.fail("'?duration' was expected", nodes[1].offset)
        else:
            yield DurationBound(when=when, comparator=group.head, bound=expression(scope, nodes[2], bound))


# --- conditions --------------------------------------------------------------------------------


def _at(group: Group) -> tuple[When | None, Node]:
    """Return the time and the rest of ``(at start X)``, ``(at end X)`` or ``(over all X)``; None for anything else."""
    nodes = group.nodes
    when = _WHEN.get((group.head, nodes[1].text)) if len(nodes) == 3 and isinstance(nodes[1], Word) else None
    return when, nodes[-1]


def _conditions(scope: Scope, node: Node, variables: Variables) -> Iterator[tuple[TimedCondition, Preference | None]]:
    """Yield the timed conditions; with a preference where it is one of its conditions."""
    for group, bound, outer in scope.leaves(node, variables, "a timed condition such as (at start (p))"):
        when, body = _at(group)
        if when is not None and isinstance(body, Group) and body.head == "preference":
            name, soft = named_preference(scope, body)
            yield _soft(name, when, formula(scope, soft, bound), outer)
        elif when is not None:
            condition = formula(scope, body, bound)
            yield TimedCondition(when=when, condition=Forall(outer, condition) if outer else condition), None
        elif group.head == "preference":
            name, soft = named_preference(scope, group)
            inside = list(_conditions(scope, soft, bound))
            if len(inside) != 1 or inside[0][1] is not None:
                scope.source.fail("one timed condition was expected in a preference", group.offset)
            yield _soft(name, inside[0][0].when, inside[0][0].condition, outer)
        else:
            scope.source.fail("'(at start ...)', '(at end ...)' or '(over all ...)' was expected", group.offset)


def _soft(name: str, when: When, condition: Formula, outer: _Outer) -> tuple[TimedCondition, Preference]:
    preference = Preference(name=name, parameters=outer, condition=condition, when=when)
    return TimedCondition(when=when, condition=condition), preference


# --- effects -----------------------------------------------------------------------------------


@dataclass
class _Body:
    """The effects of one durative action or process, as they are read."""

    scope: Scope
    effects: list[TimedEffect] = field(default_factory=list)
    continuous: list[ContinuousEffect] = field(default_factory=list)

    def read(self, node: Node, variables: Variables) -> None:
        """Read timed effects."""
        for group, bound, outer in self.scope.leaves(node, variables, "a timed effect such as (at end (p))"):
            when, body = _at(group)
            if when is When.ALL:
                self.scope.source.fail("an effect is '(at start ...)' or '(at end ...)'", group.offset)
            if when is not None:
                self._add(when, outer, effects(self.scope, body, bound))
            elif group.head == "when" and len(group.nodes) == 3:
                self._conditional(group, bound, outer)
            elif group.head in ("increase", "decrease"):
                self._rate(group, bound, outer)
            else:
                self.scope.source.fail("'(at start ...)' or '(at end ...)' was expected", group.offset)

    def _add(self, when: When, outer: _Outer, inner: tuple[Effect, ...]) -> None:
        self.effects.append(TimedEffect(when=when, effects=(Conditional(outer, TRUE, inner),) if outer else inner))

    def _conditional(self, group: Group, variables: Variables, outer: _Outer) -> None:
        _, condition, effect = group.nodes
        timed: list[TimedCondition] = []
        for part, preference in _conditions(self.scope, condition, variables):
            if preference is not None:
                self.scope.source.fail(NO_PREFERENCE, condition.offset)
            timed.append(part)
        at = {when: conjunction(part.condition for part in timed if part.when is when) for when in When}
        then = _Body(self.scope)
        then.read(effect, variables)
        if at[When.ALL] != TRUE or then.continuous:
            self.scope.feature("conditional-effects-over-all", group.offset)
        for found in then.effects:
            if found.earlier is not None or (found.when is When.START and at[When.END] != TRUE):
                self.scope.feature("conditional-effects-over-all", group.offset)
            now = at[found.when]
            inner = found.effects if now == TRUE else (Conditional((), now, found.effects),)
            if found.when is When.END and at[When.START] != TRUE:
                earlier = TimedEffect(when=When.END, effects=inner, parameters=outer, earlier=at[When.START])
                self.effects.append(earlier)
            else:
                self._add(found.when, outer, inner)

    def rates(self, node: Node, variables: Variables) -> None:
        """Read the effects of a process."""
        for group, bound, outer in self.scope.leaves(node, variables, "an effect such as (increase (x) (* #t 2))"):
            if group.head not in ("increase", "decrease"):
                self.scope.source.fail("a process has effects such as (increase (x) (* #t 2)) only", group.offset)
            self._rate(group, bound, outer)

    def _rate(self, group: Group, variables: Variables, outer: _Outer) -> None:
        self.scope.feature("continuous-effects", group.offset)
        self.scope.takes(group, 2)
        _, changed, by = group.nodes
        with self.scope.defining("total-cost"):
            fluent = expression(self.scope, changed, variables)
        if not isinstance(fluent, Fluent):
            self.scope.source.fail(f"'{group.head}' changes a function, not a number", changed.offset)
        with self.scope.defining("#t"):
            rate = _rate_of(expression(self.scope, by, variables))
        if rate is None:
            expected = "a rate such as (* #t 2) was expected: #t times an expression without #t"
            self.scope.source.fail(expected, by.offset)
        sign = 1 if group.head == "increase" else -1
        self.continuous.append(ContinuousEffect(parameters=outer, fluent=fluent, rate=rate, sign=sign))


def _rate_of(value: Expression) -> Expression | None:
    """Return what ``#t`` is multiplied by, or None where the expression is no such product."""
    if value == _TIME:
        return Number(Fraction(1))
    if isinstance(value, Arithmetic) and value.operator == "*":
        rest = tuple(operand for operand in value.operands if operand != _TIME)
        if len(rest) == len(value.operands) - 1 and not any(map(_reads_time, rest)):
            return rest[0] if len(rest) == 1 else Arithmetic("*", rest)
        timed = [operand for operand in value.operands if _reads_time(operand)]
        inner = _rate_of(timed[0]) if len(timed) == 1 else None
        others = tuple(operand for operand in value.operands if operand not in timed)
        return None if inner is None else Arithmetic("*", (*others, inner))
    if isinstance(value, Arithmetic) and value.operator == "/" and not any(map(_reads_time, value.operands[1:])):
        inner = _rate_of(value.operands[0])
        return None if inner is None else Arithmetic("/", (inner, *value.operands[1:]))
    if isinstance(value, Arithmetic) and value.operator == "-" and len(value.operands) == 1:
        inner = _rate_of(value.operands[0])
        return None if inner is None else Arithmetic("-", (inner,))
    return None


def _reads_time(value: Expression) -> bool:
    return _TIME in walk(value)
