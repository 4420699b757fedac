"""Which calls of an operator are distinguished: all of them, or where they are too many, those that a plan makes.

Ten items that may stand for three inputs are two thousand calls, of which a plan makes one. Such a *wide* operator is
compiled in two other ways instead. ``ANY``: one action for all its calls, which may be repeated and after which
everything counts as used that could stand for an input. That allows all that the flow allows, and more: its cheapest
plan costs at most what the flow's does. ``calls_of`` a plan: these calls alone, exactly as the flow has them, so that
the plan is executed as in the flow. A plan of the first that the second executes at the same cost is therefore a
cheapest plan of the flow; where it does not, all calls have to be distinguished.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from validator.flow.compiled.analysis import Analysis
from validator.flow.model import Flow, GoalKind, Operator
from validator.reading.plan import Step, Token
from validator.records import dataclass

__all__ = ["ANY", "Call", "Instances", "calls_of", "wide_operators"]

_WIDE = 100
"""how many calls of one operator are distinguished as a matter of course"""

Call = tuple[str, tuple[str, ...]]
"""an operator and the items that stand for its inputs"""


@dataclass(frozen=True, slots=True)
class Instances:
    """The calls of wide operators that are distinguished; ``others`` says whether one action stands for any call."""

    calls: frozenset[Call]
    others: bool = False


ANY = Instances(frozenset(), others=True)


def wide_operators(flow: Flow) -> frozenset[str]:
    """Return the operators with too many calls that may all be taken for one: nothing tells of which they were."""
    if not flow.options.multi_instance or any(goal.kind is GoalKind.USED for goal in flow.all_goals):
        return frozenset()
    analysis = Analysis(flow)
    distinct = {step.name for step in flow.history}
    distinct |= {goal.subject for goal in flow.all_goals if goal.kind is GoalKind.OPERATOR and goal.arguments}
    return frozenset(
        operator.name
        for operator in flow.operators
        if operator.name not in distinct
        and (operator.max_try == 1 or not flow.options.retries)
        and _number(analysis, operator) > _WIDE
    )


def _number(analysis: Analysis, operator: Operator) -> int:
    return prod(len({item, *analysis.sources(item)}) for item in operator.input_items)


def calls_of(flow: Flow, tokens: Iterable[Token]) -> Instances:
    """Return the calls that the steps of a plan make, each with the items that stand for its inputs then."""
    stands: dict[str, str] = {}
    found: set[Call] = set()
    for token in tokens:
        if not isinstance(token, Step):
            continue
        operator = flow.by_name.get(token.name)
        if operator is not None:
            found.add((operator.name, tuple(stands.get(item, item) for item in operator.input_items)))
            if not flow.options.map_always:
                stands.update((item, item) for item in operator.output_items)
        elif token.name == "map" and len(token.args) == 2:
            stands[token.args[1]] = token.args[0]
        elif token.name == "ask":
            stands.update(zip(token.args, token.args, strict=True))
    return Instances(frozenset(found))
