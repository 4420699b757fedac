"""Other orders in which arguments may be meant that have names of their own: ``{"target": "d", "block": "b"}``.

Names that no parameter has tell no place. Where a plan lacks its quality with such arguments as they stand, and would
have it with them in another order, nothing can be said of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations, product

from validator.reading.plan import Plan, Step
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["orders"]

_MOST = 120
"""orders that are tried"""
_SIGNS = re.compile(r"[\W_]+")
_COUNTED = re.compile(r"[a-z]*\d+")


def orders(plan: Plan, known: Vocabulary) -> tuple[tuple[Step, ...], ...]:
    """Return in each other order the steps that it changes; one without a step where there are too many orders.

    The same names stand for the same places in all steps of an action.
    """
    groups: dict[tuple[str, frozenset[str]], list[Step]] = {}
    for step in plan.steps:
        names, wanted = _names(step), _spelled(known.parameters.get(step.name, ()))
        if len(set(names)) == len(wanted) and len(set(names) - set(wanted)) > 1:
            groups.setdefault((step.name, frozenset(names)), []).append(step)
    ways: list[list[tuple[Step, ...]]] = []
    count = 1
    for (name, _), steps in groups.items():
        ways.append(list(_ways(steps, _spelled(known.parameters[name]), known)))
        count *= max(len(ways[-1]), 1)
        if count > _MOST:
            return ((),)
    own = {step.span: step.args for step in plan.steps}
    found = (tuple(step for way in chosen for step in way if step.args != own[step.span]) for chosen in product(*ways))
    return tuple(changed for changed in found if changed)


def _names(step: Step) -> tuple[str, ...]:
    """Return the names with which the arguments of a step are written; none where one has none or all are counted."""
    names = _spelled([each.name for each in step.written or () if each.name is not None])
    is_open = len(names) == len(step.written or ()) and not all(map(_COUNTED.fullmatch, names))
    return names if is_open else ()


def _spelled(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(_SIGNS.sub("", name).lower() for name in names)


def _ways(steps: Sequence[Step], wanted: Sequence[str], known: Vocabulary) -> Iterator[tuple[Step, ...]]:
    """Yield some steps in each order that kinds allow, where names that are parameters' keep their places."""
    names = _names(steps[0])
    free = sorted(set(names) - set(wanted))
    for chosen in permutations(free):
        rest = iter(chosen)
        order = [name if name in names else next(rest) for name in wanted]
        way = [_in(order, step, known) for step in steps]
        if all(isinstance(step, Step) and (known.lexicon is None or known.lexicon.takes(step)) for step in way):
            yield tuple(step for step in way if isinstance(step, Step))


def _in(order: Sequence[str], step: Step, known: Vocabulary) -> object:
    """Return a step with its arguments in the order of some names."""
    given = {name: each.text for name, each in zip(_names(step), step.written or (), strict=True)}
    return known.step(step.name, [given[name] for name in order], step.span)
