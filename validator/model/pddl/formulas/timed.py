"""Durative actions, processes and timed facts: PDDL 2.1 (Fox and Long 2003), 2.2 and PDDL+ (Fox and Long 2006)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NoReturn, TypeAlias

from validator.model.pddl.formulas.conditions import formula, plain_atom
from validator.model.pddl.formulas.effects import effects
from validator.model.pddl.formulas.expressions import expression
from validator.model.pddl.formulas.soft import named_preference
from validator.model.pddl.scope import Scope, Variables
from validator.model.pddl.syntax import Flat, Group, Node, Word, Wrapped, chained
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
    And,
    Arithmetic,
    Conditional,
    Expression,
    Fluent,
    Forall,
    Formula,
    Number,
    Parameter,
)
from validator.records import dataclass, field

__all__ = ["durative_action", "process"]
_Outer: TypeAlias = tuple[Parameter, ...]

_TIME = Fluent("#t", ())
_WHEN: dict[tuple[str, ...], When] = {("at", "start"): When.START, ("at", "end"): When.END, ("over", "all"): When.ALL}


def durative_action(
    scope: Scope, name: str, parameters: tuple[Parameter, ...], parts: Mapping[str, Node], variables: Variables
) -> DurativeAction:
    """Read the parts of a durative action; ``:precondition`` is taken for ``:condition``."""
    conditions: list[TimedCondition] = []
    preferences: list[Preference] = []
    durations: list[DurationBound] = []
    body = _Body(scope)
    if ":duration" in parts:
        _durations(scope, parts[":duration"], variables, When.START, durations)
    with scope.defining("?duration"):
        for key in (":condition", ":precondition"):
            if key in parts:
                for timed, preference in _conditions(scope, parts[key], variables, ()):
                    if preference is None:
                        conditions.append(timed)
                    else:
                        preferences.append(preference)
        if ":effect" in parts:
            body.read(parts[":effect"], variables, ())
    return DurativeAction(
        name=name,
        parameters=parameters,
        durations=tuple(durations),
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
        body.rates(parts[":effect"], variables, ())
    return Process(
        name=name,
        parameters=parameters,
        condition=TRUE if condition is None else formula(scope, condition, variables),
        effects=tuple(body.continuous),
    )


# --- durations ---------------------------------------------------------------------------------


def _durations(scope: Scope, node: Node, variables: Variables, when: When, found: list[DurationBound]) -> None:
    group = scope.group(node, "a duration such as (= ?duration 5)")
    nodes, head = group.nodes, group.head
    if not nodes:
        return
    if head == "and":
        for part in chained(group):
            _durations(scope, part, variables, when, found)
    elif head == "at" and len(nodes) == 3 and isinstance(nodes[1], Word) and nodes[1].text in ("start", "end"):
        _durations(scope, nodes[2], variables, _WHEN[("at", nodes[1].text)], found)
    elif head in ("=", "<=", ">=", "<", ">") and len(nodes) == 3:
        if not isinstance(nodes[1], Word) or nodes[1].text != "?duration":
            scope.source.fail("'?duration' was expected", nodes[1].offset)
        if head != "=":
            scope.uses("duration-inequalities", group.offset)
        found.append(DurationBound(when=when, comparator=head, bound=expression(scope, nodes[2], variables)))
    else:
        scope.source.fail("a duration such as (= ?duration 5) was expected", group.offset)


# --- conditions --------------------------------------------------------------------------------


def _when(scope: Scope, group: Group, nodes: tuple[Node, ...]) -> When | None:
    """Return the time of ``(at start X)``, ``(at end X)`` or ``(over all X)``; None for anything else."""
    if len(nodes) == 3 and isinstance(nodes[1], Word):
        return _WHEN.get((group.head, nodes[1].text))
    return None


def _conditions(
    scope: Scope, node: Node, variables: Variables, outer: _Outer
) -> Iterator[tuple[TimedCondition, Preference | None]]:
    """Yield the timed conditions; with a preference where it is one of its conditions."""
    if isinstance(node, Wrapped) and not outer:
        words, body = node.split()
        known, plain = _WHEN.get(words), plain_atom(scope, body, variables) if isinstance(body, Flat) else None
        if known is not None and plain is not None:
            yield TimedCondition(when=known, condition=plain), None
            return
    group = scope.group(node, "a timed condition such as (at start (p))")
    nodes, head = group.nodes, group.head
    if not nodes:
        return
    when = _when(scope, group, nodes)
    if when is not None and isinstance(nodes[2], Group) and nodes[2].head == "preference":
        name, soft = named_preference(scope, nodes[2])
        yield _soft(name, when, formula(scope, soft, variables), outer)
    elif when is not None:
        yield TimedCondition(when=when, condition=_around(outer, formula(scope, nodes[2], variables))), None
    elif head == "and":
        for part in chained(group):
            yield from _conditions(scope, part, variables, outer)
    elif head == "forall" and len(nodes) == 3:
        parameters, inner = scope.quantified(nodes[1], variables)
        yield from _conditions(scope, nodes[2], inner, (*outer, *parameters))
    elif head == "preference":
        name, soft = named_preference(scope, group)
        inside = list(_conditions(scope, soft, variables, ()))
        if len(inside) != 1 or inside[0][1] is not None:
            scope.source.fail("one timed condition was expected in a preference", group.offset)
        yield _soft(name, inside[0][0].when, inside[0][0].condition, outer)
    else:
        scope.source.fail("'(at start ...)', '(at end ...)' or '(over all ...)' was expected", group.offset)


def _soft(name: str, when: When, condition: Formula, outer: _Outer) -> tuple[TimedCondition, Preference]:
    preference = Preference(name=name, parameters=outer, condition=condition, when=when)
    return TimedCondition(when=when, condition=condition), preference


def _around(outer: _Outer, condition: Formula) -> Formula:
    return Forall(outer, condition) if outer else condition


# --- effects -----------------------------------------------------------------------------------


@dataclass
class _Body:
    """The effects of one durative action or process, as they are read."""

    scope: Scope
    effects: list[TimedEffect] = field(default_factory=list)
    continuous: list[ContinuousEffect] = field(default_factory=list)

    def read(self, node: Node, variables: Variables, outer: _Outer) -> None:
        """Read timed effects."""
        if isinstance(node, Wrapped) and not outer:
            words, changed = node.split()
            known = _WHEN.get(words)
            if known in (When.START, When.END):
                self.effects.append(TimedEffect(when=known, effects=effects(self.scope, changed, variables)))
                return
        group = self.scope.group(node, "a timed effect such as (at end (p))")
        nodes, head = group.nodes, group.head
        when = _when(self.scope, group, nodes)
        if when is When.ALL:
            self.scope.source.fail("an effect is '(at start ...)' or '(at end ...)'", group.offset)
        if when is not None:
            inner = effects(self.scope, nodes[2], variables)
            self.effects.append(TimedEffect(when=when, effects=(Conditional(outer, TRUE, inner),) if outer else inner))
        elif not nodes or head == "and":
            for part in chained(group):
                self.read(part, variables, outer)
        elif head == "forall" and len(nodes) == 3:
            parameters, bound = self.scope.quantified(nodes[1], variables)
            self.read(nodes[2], bound, (*outer, *parameters))
        elif head == "when" and len(nodes) == 3:
            self._conditional(group, nodes, variables, outer)
        elif head in ("increase", "decrease"):
            self._rate(group, nodes, variables, outer)
        else:
            self.scope.source.fail("'(at start ...)' or '(at end ...)' was expected", group.offset)

    def _conditional(self, group: Group, nodes: tuple[Node, ...], variables: Variables, outer: _Outer) -> None:
        self.scope.uses("conditional-effects", group.offset)
        timed = [part for part, preference in _conditions(self.scope, nodes[1], variables, ()) if preference is None]
        at = {when: _conjunction(part.condition for part in timed if part.when is when) for when in When}
        then = _Body(self.scope)
        then.read(nodes[2], variables, ())
        if at[When.ALL] != TRUE or then.continuous:
            self.scope.feature("conditional-effects-over-all", group.offset)
        for effect in then.effects:
            if effect.earlier is not None or (effect.when is When.START and at[When.END] != TRUE):
                self.scope.feature("conditional-effects-over-all", group.offset)
            now = at[effect.when]
            inner = effect.effects if now == TRUE else (Conditional((), now, effect.effects),)
            if effect.when is When.END and at[When.START] != TRUE:
                earlier = TimedEffect(when=When.END, effects=inner, parameters=outer, earlier=at[When.START])
                self.effects.append(earlier)
            else:
                self.effects.append(
                    TimedEffect(when=effect.when, effects=(Conditional(outer, TRUE, inner),) if outer else inner)
                )

    def rates(self, node: Node, variables: Variables, outer: _Outer) -> None:
        """Read the effects of a process."""
        group = self.scope.group(node, "an effect such as (increase (x) (* #t 2))")
        nodes, head = group.nodes, group.head
        if not nodes or head == "and":
            for part in chained(group):
                self.rates(part, variables, outer)
        elif head == "forall" and len(nodes) == 3:
            parameters, bound = self.scope.quantified(nodes[1], variables)
            self.rates(nodes[2], bound, (*outer, *parameters))
        elif head in ("increase", "decrease"):
            self._rate(group, nodes, variables, outer)
        else:
            self.scope.source.fail("a process has effects such as (increase (x) (* #t 2)) only", group.offset)

    def _rate(self, group: Group, nodes: tuple[Node, ...], variables: Variables, outer: _Outer) -> None:
        self.scope.feature("continuous-effects", group.offset)
        if len(nodes) != 3:
            self.scope.source.fail(f"'{group.head}' takes 2 arguments, got {len(nodes) - 1}", group.offset)
        with self.scope.defining("total-cost"):
            fluent = expression(self.scope, nodes[1], variables)
        if not isinstance(fluent, Fluent):
            self.scope.source.fail(f"'{group.head}' changes a function, not a number", nodes[1].offset)
        with self.scope.defining("#t"):
            rate = _rate_of(expression(self.scope, nodes[2], variables))
        if rate is None:
            self._no_rate(nodes[2])
        sign = 1 if group.head == "increase" else -1
        self.continuous.append(ContinuousEffect(parameters=outer, fluent=fluent, rate=rate, sign=sign))

    def _no_rate(self, node: Node) -> NoReturn:
        self.scope.source.fail("a rate such as (* #t 2) was expected: #t times an expression without #t", node.offset)


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
    if isinstance(value, Arithmetic):
        return any(map(_reads_time, value.operands))
    return value == _TIME


def _conjunction(conditions: Iterator[Formula]) -> Formula:
    found = tuple(conditions)
    return TRUE if not found else found[0] if len(found) == 1 else And(found)
