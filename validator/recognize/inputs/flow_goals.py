"""Candidate goals of a flow: a list of which each member is what the flow's own ``goals`` may be.

- known: booking
- {name: a day out, prior: 2, operator: weather}
- name: travel
  goals: [{known: ticket}, {constraint: $ticket.price < 100}]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from validator.errors import ModelError, did_you_mean
from validator.flow.definition.integrity import check_names
from validator.flow.definition.reader import read_groups
from validator.flow.model import Flow, Goal, GoalGroup, GoalKind, GoalLogic
from validator.reading.fields import Fields, members
from validator.records import dataclass, replace

__all__ = ["FlowGoal", "check_goals", "own_goal", "read_flow_goals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowGoal:
    """A candidate goal; ``lines`` are the places from 0 of the list where it stands, equal ones being one."""

    groups: tuple[GoalGroup, ...]
    name: str
    prior: Fraction = Fraction(1)
    lines: tuple[int, ...] = (0,)


def own_goal(flow: Flow) -> FlowGoal:
    """Return the flow's own goal as the only candidate. Raises ModelError for a flow without one."""
    if not any(flow.goals):
        raise ModelError(f"the flow '{flow.name}' has no goal; candidate goals are needed")
    return FlowGoal(groups=flow.goals, name=_words(flow.goals, flow))


def read_flow_goals(document: object, flow: Flow, source: str = "") -> tuple[FlowGoal, ...]:
    """Read candidate goals from a JSON document; ``source`` names it in errors.

    Goals that are the same become one, with the sum of their priors. Raises ModelError for what is no goal, speaks of
    what the flow does not have, or is no goal at all.
    """
    try:
        return _merged(_candidates(document, flow), flow.options.goal_logic)
    except ModelError as error:
        error.source = error.source or source
        raise


def _candidates(document: object, flow: Flow) -> Iterator[FlowGoal]:
    for number, (where, value) in enumerate(members(document, "goals")):
        name, prior, goals = None, Fraction(1), value
        if isinstance(value, Mapping):
            fields = Fields(value, where)
            name, prior = fields.optional_text("name"), _prior(fields)
            goals = {key: each for key, each in value.items() if key not in ("name", "prior")}
            if "goals" in fields:
                goals = fields.raw("goals")
                fields.end()
        groups = read_groups(goals, f"{where}.goals" if isinstance(value, Mapping) and "goals" in value else where)
        if not any(groups):
            raise ModelError(f"{where}: a goal was expected, such as {{known: ITEM}}, not nothing")
        check_goals(groups, flow, where)
        yield FlowGoal(groups=groups, name=name or _words(groups, flow), prior=prior, lines=(number,))


def _merged(candidates: Iterable[FlowGoal], logic: GoalLogic) -> tuple[FlowGoal, ...]:
    found: dict[object, FlowGoal] = {}
    for one in candidates:
        key = frozenset(map(frozenset, one.groups))
        if logic is GoalLogic.AND_AND:
            key = frozenset({frozenset().union(*key)})
        same = found.get(key)
        if same is not None:
            one = replace(same, prior=same.prior + one.prior, lines=(*same.lines, *one.lines))
        elif any(one.name == other.name for other in found.values()):
            raise ModelError(f"goals[{one.lines[0]}]: another goal is named '{one.name}'")
        found[key] = one
    if not found:
        raise ModelError("goals: no candidate goal was found; a list was expected, such as [{known: ITEM}]")
    if not any(one.prior for one in found.values()):
        raise ModelError("goals: the priors of all goals are 0")
    return tuple(found.values())


def _prior(fields: Fields) -> Fraction:
    value = fields.raw("prior")
    if value is None:
        return Fraction(1)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise ModelError(f"{fields.path('prior')}: a number from 0 was expected, not {value!r}")
    return Fraction(str(value))


def _words(groups: Iterable[GoalGroup], flow: Flow) -> str:
    """Return groups of goals in words, as they combine."""
    logic = flow.options.goal_logic
    inner, outer = (" or ", " and ") if logic is GoalLogic.AND_OR else (" and ", " or ")
    parts = [inner.join(map(_goal, group)) for group in groups if group]
    if logic is GoalLogic.AND_AND:
        return " and ".join(parts)
    return outer.join(f"({each})" if inner in each and len(parts) > 1 else each for each in parts)


def _goal(goal: Goal) -> str:
    match goal.kind:
        case GoalKind.OPERATOR:
            return f"run {goal.subject}" + (f" on {_listed(goal.arguments)}" if goal.arguments else "")
        case GoalKind.KNOWN:
            return f"know {goal.subject}"
        case GoalKind.USED:
            return f"use {goal.subject}"
    return f"decide that {goal.claim.text} is {'true' if goal.claim.holds else 'false'}" if goal.claim else ""


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def check_goals(groups: tuple[GoalGroup, ...], flow: Flow, where: str) -> None:
    """Raise ModelError for goals that speak of an operator or an item that the flow does not have.

    A flow's own goal may be the only one to mention an item; of a candidate that would be a slip of the pen.
    """
    try:
        check_names(replace(flow, goals=(*flow.goals, *groups)))
    except ModelError as error:
        raise ModelError(f"{where}: {error.message.removeprefix('goals: ')}") from None
    for goal in (goal for group in groups for goal in group):
        for item in _items(goal, flow):
            if item not in flow.item_types:
                raise ModelError(f"{where}: the flow has no item '{item}'{did_you_mean(item, flow.item_types)}")


def _items(goal: Goal, flow: Flow) -> Iterator[str]:
    """Yield the items that a goal speaks of."""
    if goal.kind in (GoalKind.KNOWN, GoalKind.USED) and goal.subject not in flow.type_names:
        yield goal.subject
    if goal.claim is not None:
        yield from flow.variables(goal.claim)
    yield from goal.arguments or ()
