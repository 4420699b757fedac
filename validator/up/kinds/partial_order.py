"""Partial-order plans: the orders that a plan leaves open and that differ.

Two steps that do not interfere (Blum and Furst 1997) do the same in either order, wherever they stand side by side. Any
two orders of a plan are made of each other by exchanging neighbours that the plan does not order; where these do not
interfere, what can be executed and which state comes of it stays as it is. So of the orders that put the interfering
steps the same way, one stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from validator.execution.time.acts.effects import Update
from validator.execution.time.acts.happening import bound
from validator.execution.time.acts.interference import Reads, interference
from validator.model.conditions import Binding, bindings, ground
from validator.model.numeric import fluent_key
from validator.model.values import Conditional, Effect, Literal, Model, NumericEffect
from validator.reading.plan import Plan, Step
from validator.up.problems import step_of

if TYPE_CHECKING:
    from unified_planning.plans import PartialOrderPlan

__all__ = ["orders"]

_Touched = tuple[Reads, Update]


def orders(model: Model, plan: PartialOrderPlan) -> Iterator[Plan]:
    """Yield one sequence of each class of orders that may differ; none where the plan orders steps in a circle."""
    adjacency = plan.get_adjacency_list
    nodes = list(adjacency)
    numbers = {node: number for number, node in enumerate(nodes)}
    steps = [step_of(node) for node in nodes]
    after = [0] * len(nodes)
    for node, following in adjacency.items():
        for other in following:
            after = _ordered(after, numbers[node], numbers[other])
    if any(after[number] >> number & 1 for number in range(len(nodes))):
        return
    touched = [_touched(model, step) for step in steps]
    has_constraints = bool(model.domain.constraints or model.problem.constraints)  # these see each state
    pairs = [
        (one, other)
        for other in range(len(nodes))
        for one in range(other)
        if has_constraints or _interfere(touched[one], touched[other])
    ]
    for sequence in _sequences(after, pairs, 0):
        yield Plan(parts=tuple(steps[number] for number in sequence))


def _ordered(after: Sequence[int], first: int, second: int) -> list[int]:
    """Return, as bits of numbers, what comes after each step when two more are ordered."""
    behind = after[second] | 1 << second
    return [later | behind if number == first or later >> first & 1 else later for number, later in enumerate(after)]


def _sequences(after: Sequence[int], pairs: Sequence[tuple[int, int]], begin: int) -> Iterator[list[int]]:
    for place in range(begin, len(pairs)):
        one, other = pairs[place]
        if not (after[one] >> other & 1 or after[other] >> one & 1):
            yield from _sequences(_ordered(after, one, other), pairs, place + 1)
            yield from _sequences(_ordered(after, other, one), pairs, place + 1)
            return
    # What comes after a step has fewer steps after it.
    yield sorted(range(len(after)), key=lambda number: -after[number].bit_count())


# --- what steps read and change ------------------------------------------------------------------


def _interfere(one: _Touched | None, other: _Touched | None) -> bool:
    if one is None or other is None:  # a step that does not fit the model is at fault anywhere
        return False
    return interference(one, other, lambda predicate: False, lambda update: (set(), set())) is not None


def _touched(model: Model, step: Step) -> _Touched | None:
    """Return all that a step may read or change, in whatever state."""
    action = model.domain.actions.get(step.name)
    if action is None or len(action.parameters) != len(step.args):
        return None
    binding, reads, update = bound(action.parameters, step.args), Reads(), Update()
    reads.add(model, binding, action.precondition)
    reads.add_effects(model, binding, action.effects)
    _change(model, action.effects, binding, update)
    return reads, update


def _change(model: Model, effects: Iterable[Effect], outer: Binding, update: Update) -> None:
    for effect in effects:
        if isinstance(effect, Literal):
            (update.adds if effect.positive else update.deletes).add(ground(effect.atom, outer))
        elif isinstance(effect, NumericEffect):
            update.changes[fluent_key(effect.fluent, outer)].append((effect.operator, Fraction(0)))
        else:
            assert isinstance(effect, Conditional)
            for binding in bindings(model, effect.parameters, outer):
                _change(model, effect.effects, binding, update)
