"""What a flow must be before it means anything: names that exist, each once, with one type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.errors import ModelError, did_you_mean
from validator.flow.model import ROOT_TYPE, Flow, GoalKind

_STEPS = ("ask", "map", "confirm", "assert")


def check_names(flow: Flow) -> None:
    """Raise ModelError, naming the culprit, for a flow that contradicts itself or speaks of what it does not have."""
    _check_operators(flow)
    _check_types(flow)
    _check_items(flow)
    for name, where in _named_operators(flow):
        if name not in flow.by_name:
            raise ModelError(f"{where}: the flow has no operator '{name}'{did_you_mean(name, flow.by_name)}")
    for step in flow.history:
        _check_arguments(flow, step.name, step.args, "history")
    for goal in flow.all_goals:
        if goal.kind is GoalKind.OPERATOR and goal.arguments is not None:
            _check_arguments(flow, goal.subject, goal.arguments, "goals")
        if goal.kind is GoalKind.CONSTRAINT and goal.claim is None:
            raise ModelError("goals: a goal of the kind constraint needs a claim")


def misspelt_items(flow: Flow) -> tuple[str, ...]:
    """Return a warning for each item that only the memory, a goal or a constraint names, and nearly as it is called."""
    known = {entry.item for entry in flow.slots} | {item for each in flow.maps for item in (each.source, each.target)}
    known |= {entry.item for operator in flow.operators for entry in operator.inputs}
    known |= {entry.item for operator in flow.operators for entry in operator.outputs}
    mentioned = [(entry.item, "memory") for entry in flow.memory if entry.type is None]
    mentioned += [(item, "goals") for item in flow.goal_items()]
    mentioned += [(item, f"constraint '{text}'") for text in flow.constraints for item in flow.variables(text)]
    unknown = dict.fromkeys(pair for pair in mentioned if pair[0] not in known)
    named = ((item, where, did_you_mean(item, {*known, *flow.type_names})) for item, where in unknown)
    return tuple(f"{where}: no operator has an item '{item}'{near}" for item, where, near in named if near)


def _check_operators(flow: Flow) -> None:
    seen: set[str] = set()
    for operator in flow.operators:
        if operator.name in seen:
            raise ModelError(f"operators: '{operator.name}' is declared twice")
        if operator.name in _STEPS:
            raise ModelError(f"operators: '{operator.name}' is the name of a step that every flow has")
        seen.add(operator.name)
    for name in (*seen, *flow.item_types, *flow.type_names, *flow.constraints):
        if not name.strip() or "\n" in name or "\r" in name:
            raise ModelError(f"a name must not be empty or go over a line end: {name!r}")


def _check_types(flow: Flow) -> None:
    for name in flow.types:
        above, seen = name, {ROOT_TYPE}
        while above not in seen:
            seen.add(above)
            above = flow.types.get(above, ROOT_TYPE)
        if above != ROOT_TYPE:
            raise ModelError(f"types: '{above}' is above itself")
    given: dict[str, str] = {}
    for item, type_name in flow.typed_mentions():
        if type_name and given.setdefault(item, type_name) != type_name:
            raise ModelError(f"item '{item}' has two types, '{given[item]}' and '{type_name}'")


def _check_items(flow: Flow) -> None:
    known = flow.item_types
    mentioned = [(entry.item, "slots") for entry in flow.slots]
    mentioned += [(item, "maps") for entry in flow.maps for item in (entry.source, entry.target)]
    for item, where in mentioned:
        if item not in known:
            raise ModelError(f"{where}: no operator, memory or goal has an item '{item}'{did_you_mean(item, known)}")
    seen: set[str] = set()
    for entry in flow.memory:
        if entry.item in seen:
            raise ModelError(f"memory: item '{entry.item}' is given twice")
        seen.add(entry.item)


def _named_operators(flow: Flow) -> Iterator[tuple[str, str]]:
    yield from ((name, "orders") for order in flow.orders for name in (order.first, order.then))
    yield from ((step.name, "history") for step in flow.history)
    yield from ((goal.subject, "goals") for goal in flow.all_goals if goal.kind is GoalKind.OPERATOR)
    yield from ((name, "starts_with") for name in (flow.starts_with,) if name is not None)
    yield from ((name, "ends_with") for name in (flow.ends_with,) if name is not None)


def _check_arguments(flow: Flow, name: str, args: Iterable[str], where: str) -> None:
    """Check that a step has an item for each input of its operator, or none at all."""
    given, wanted = tuple(args), flow.by_name[name].input_items
    if given and len(given) != len(wanted):
        takes = ", ".join(wanted) or "nothing"
        raise ModelError(f"{where}: '{name}' takes {takes}, got {', '.join(given)}")
