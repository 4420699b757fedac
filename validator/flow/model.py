"""A flow, and what follows from its parts: the items with their types, the constraints, the goals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from validator.flow.parts import (
    ROOT_TYPE,
    Claim,
    FlowOptions,
    Goal,
    GoalGroup,
    GoalKind,
    GoalLogic,
    Input,
    ItemState,
    LifeCycle,
    Manifest,
    Map,
    MemoryItem,
    Operator,
    Order,
    Output,
    Slot,
    variables_of,
)
from validator.reading.plan import Step

__all__ = [
    "ROOT_TYPE",
    "Claim",
    "Flow",
    "FlowOptions",
    "Goal",
    "GoalGroup",
    "GoalKind",
    "GoalLogic",
    "Input",
    "ItemState",
    "LifeCycle",
    "Manifest",
    "Map",
    "MemoryItem",
    "Operator",
    "Order",
    "Output",
    "Slot",
    "variables_of",
]


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A flow. ``types`` map each declared type to its parent; ``history`` are steps that happened before.

    A step of the history has used up a try of its operator; its outputs are known only where ``memory`` says so.
    ``claims`` are constraints that were decided before.
    """

    name: str
    operators: tuple[Operator, ...] = ()
    goals: tuple[GoalGroup, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict, hash=False)
    memory: tuple[MemoryItem, ...] = ()
    slots: tuple[Slot, ...] = ()
    maps: tuple[Map, ...] = ()
    orders: tuple[Order, ...] = ()
    manifests: tuple[Manifest, ...] = ()
    history: tuple[Step, ...] = ()
    claims: tuple[Claim, ...] = ()
    starts_with: str | None = None
    ends_with: str | None = None
    options: FlowOptions = field(default_factory=FlowOptions)

    @cached_property
    def by_name(self) -> Mapping[str, Operator]:
        return {operator.name: operator for operator in self.operators}

    def item_of(self, variable: str) -> str:
        """Return the item that ``$variable`` names: the one of that name, or the one that has blanks for its ``_``."""
        return self._by_variable.get(variable) or self._by_variable.get(variable.lower(), variable)

    @cached_property
    def _by_variable(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for item in self._plain_items():
            found.setdefault(_blanks_joined(item).lower(), item)
        return {**found, **{item: item for item in self._plain_items()}}

    def variables(self, claim: Claim | str) -> tuple[str, ...]:
        """Return the items that a constraint is about."""
        text = claim if isinstance(claim, str) else claim.text
        return tuple(dict.fromkeys(map(self.item_of, variables_of(text))))

    @cached_property
    def constraints(self) -> tuple[str, ...]:
        """Return the text of every constraint, each once, in order of appearance."""
        return tuple(dict.fromkeys(claim.text for claim in self._claims()))

    def consequences(self, claim: Claim) -> list[Claim]:
        """Return a claim with all that it makes manifest."""
        found, waiting = [claim], [claim]
        while waiting:
            decided = waiting.pop()
            for manifest in self.manifests:
                if manifest.condition == decided and manifest.consequence not in found:
                    found.append(manifest.consequence)
                    waiting.append(manifest.consequence)
        return found

    def _claims(self) -> Iterator[Claim]:
        for operator in self.operators:
            yield from operator.needs
            yield from operator.ensures
        yield from (goal.claim for group in self.goals for goal in group if goal.claim is not None)
        for manifest in self.manifests:
            yield from (manifest.condition, manifest.consequence)
        yield from self.claims

    @cached_property
    def item_types(self) -> Mapping[str, str]:
        """Return every item with its type, in order of first appearance."""
        found: dict[str, str] = {}
        for item, type_name in (*self.typed_mentions(), *self._plain_mentions()):
            if item not in found or (type_name and found[item] == ROOT_TYPE):
                found[item] = type_name or ROOT_TYPE
        return found

    def typed_mentions(self) -> Iterator[tuple[str, str | None]]:
        """Yield the items of the memory and of all operators, with the type that is given there."""
        yield from ((entry.item, entry.type) for entry in (*self.memory, *_signatures(self.operators)))

    def _plain_mentions(self) -> Iterator[tuple[str, str | None]]:
        yield from ((item, None) for item in self._goal_items())
        for text in self.constraints:
            yield from ((item, None) for item in self.variables(text))

    def _goal_items(self) -> Iterator[str]:
        for goal in self.all_goals:
            if goal.kind in (GoalKind.KNOWN, GoalKind.USED) and goal.subject not in self.type_names:
                yield goal.subject
            yield from goal.arguments or ()

    def _plain_items(self) -> Iterator[str]:
        yield from (item for item, _ in self.typed_mentions())
        yield from self._goal_items()

    @cached_property
    def type_names(self) -> frozenset[str]:
        """Return the names of all types but the root, declared or given to an item."""
        given = (entry.type for entry in (*self.memory, *_signatures(self.operators)) if entry.type)
        return frozenset((*self.types, *self.types.values(), *given)) - {ROOT_TYPE}

    @property
    def all_goals(self) -> Iterator[Goal]:
        return (goal for group in self.goals for goal in group)


def _blanks_joined(name: str) -> str:
    return re.sub(r"\s+", "_", name)


def _signatures(operators: Iterable[Operator]) -> Iterator[Input | Output]:
    for operator in operators:
        yield from operator.inputs
        yield from operator.outputs
