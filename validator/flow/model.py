"""A flow: the values that it is made of, and what follows from them: items with their types, constraints, goals.

The terms are NL2Flow's (Chakraborti et al. 2023, "NL2Flow"). An *item* is a named datum that is known, uncertain or
unknown; an *operator* is a service that needs items and yields items; a *slot* is an item that the user may be asked
for; a *mapping* lets one item stand for another; a *constraint* is a text about items (``$price < 100``) that a plan
asserts, true or false, and that is never evaluated.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from validator.reading.plan import Step
from validator.records import dataclass

ROOT_TYPE = "generic"
"""The type of every item for which none is given."""

_VARIABLE = re.compile(r"\$([A-Za-z\d_]+)")


def variables_of(text: str) -> tuple[str, ...]:
    """Return the items that a constraint's text names as ``$item``, each once, in order of appearance."""
    return tuple(dict.fromkeys(_VARIABLE.findall(text)))


class ItemState(StrEnum):
    KNOWN = "known"
    UNCERTAIN = "uncertain"
    UNKNOWN = "unknown"


class GoalKind(StrEnum):
    OPERATOR = "operator"
    """an operator has run, with the given arguments where there are any"""
    KNOWN = "known"
    """an item, or every item of a type, is known"""
    USED = "used"
    """an operator has run on an item, or on every item of a type"""
    CONSTRAINT = "constraint"
    """a constraint has been decided"""


class GoalLogic(StrEnum):
    """How the groups of goals combine."""

    AND_AND = "and-and"
    """every goal of every group"""
    AND_OR = "and-or"
    """of every group, at least one goal"""
    OR_AND = "or-and"
    """of at least one group, every goal"""


class LifeCycle(StrEnum):
    """When a known item becomes uncertain, so that it has to be confirmed before it is used."""

    CONFIRM_ON_SLOT = "confirm-on-slot"
    CONFIRM_ON_MAPPING = "confirm-on-mapping"
    CONFIRM_ON_DETERMINATION = "confirm-on-determination"
    UNCERTAIN_ON_USE = "uncertain-on-use"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A constraint with a truth value, as in ``assert not $price < 100``."""

    text: str
    holds: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """An input of an operator. ``allowed_values`` tell the user what may be said; a plan does not depend on them."""

    item: str
    type: str | None = None
    required: bool = True
    allowed_values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    item: str
    type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A service. ``needs`` must have been decided before it runs, ``ensures`` are decided by its running.

    ``max_try`` is how often it may run on the same arguments, from 0 to 5.
    """

    name: str
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    needs: tuple[Claim, ...] = ()
    ensures: tuple[Claim, ...] = ()
    cost: int = 10
    max_try: int = 1

    @property
    def input_items(self) -> tuple[str, ...]:
        """Return the items that it takes, each once, in order."""
        return tuple(dict.fromkeys(entry.item for entry in self.inputs))

    @property
    def required_items(self) -> frozenset[str]:
        return frozenset(entry.item for entry in self.inputs if entry.required)

    @property
    def optional_items(self) -> frozenset[str]:
        """Return the items that it takes and does not need."""
        return frozenset(entry.item for entry in self.inputs if not entry.required)

    @property
    def output_items(self) -> tuple[str, ...]:
        return tuple(entry.item for entry in self.outputs)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryItem:
    item: str
    type: str | None = None
    state: ItemState = ItemState.UNKNOWN
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """How readily the user may be asked for an item: ``desirability`` from 0 (never) to 1.

    ``propagate`` gives it to every item of the same type; ``last_resort`` False lets the item be asked for at the
    price of a last resort even before the operators that could yield it have run.
    """

    item: str
    desirability: float = 0.5
    propagate: bool = False
    last_resort: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """``source`` may stand for ``target``; with the probability 0 it may not, whatever their types."""

    source: str
    target: str
    probability: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """``first`` has run before ``then`` does."""

    first: str
    then: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """When ``condition`` is decided, ``consequence`` is decided as well."""

    condition: Claim
    consequence: Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One goal: ``subject`` names an operator, an item or a type, ``claim`` a constraint.

    ``arguments`` are the items on which the operator has to run, None for any.
    """

    kind: GoalKind
    subject: str = ""
    claim: Claim | None = None
    arguments: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOptions:
    """How plans may be made.

    - ``ask_always``: a slot may be asked for at any time, at a high price.
    - ``ask_last_resort``: a slot may be asked for cheaply once every operator that could yield it has run.
    - ``ask_ordered``: the slots of an operator are asked for in the order of its inputs.
    - ``ask_together``: one question for all inputs of an operator.
    - ``map_types``: an item may stand for another of the same declared type.
    - ``map_transitive``: a declared mapping works both ways.
    - ``map_always``: an input never stands for itself: something is mapped to it, or it is asked for.
    - ``group_slots``, ``group_maps``, ``group_confirms``: what stands at the start of a plan is printed as one line.
    - ``multi_instance``: an operator runs once on each of the items that stand for its inputs.
    - ``retries``: it may run up to ``max_try`` times on the same ones; the first time costs 5,000 more.
    - ``labels``: results are labelled ``var1``, ``var2`` and so on.
    - ``lookahead``: how many items of each type, beyond those named, the user may be asked for.
    """

    ask_always: bool = True
    ask_last_resort: bool = False
    ask_ordered: bool = False
    ask_together: bool = False
    map_types: bool = True
    map_transitive: bool = False
    map_always: bool = False
    group_slots: bool = False
    group_maps: bool = False
    group_confirms: bool = False
    life_cycle: frozenset[LifeCycle] = frozenset()
    multi_instance: bool = True
    retries: bool = True
    labels: bool = False
    lookahead: int = 1
    goal_logic: GoalLogic = GoalLogic.AND_AND


GoalGroup: TypeAlias = tuple[Goal, ...]
"""Goals that combine as ``FlowOptions.goal_logic`` says."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Flow:
    """A flow. ``types`` map each declared type to its parent; ``history`` are steps that happened before.

    A step of the history has used up a try of its operator; its outputs are known only where ``memory`` says so.
    ``claims`` are constraints that were decided before.
    """

    name: str
    operators: tuple[Operator, ...] = ()
    goals: tuple[GoalGroup, ...] = ()
    types: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    memory: tuple[MemoryItem, ...] = ()
    slots: tuple[Slot, ...] = ()
    maps: tuple[Map, ...] = ()
    orders: tuple[Order, ...] = ()
    manifests: tuple[Manifest, ...] = ()
    history: tuple[Step, ...] = ()
    claims: tuple[Claim, ...] = ()
    starts_with: str | None = None
    ends_with: str | None = None
    options: FlowOptions = dataclasses.field(default_factory=FlowOptions)

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
            found.setdefault(re.sub(r"\s+", "_", item).lower(), item)
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
        yield from ((item, None) for item in self.goal_items())
        for text in self.constraints:
            yield from ((item, None) for item in self.variables(text))

    def goal_items(self) -> Iterator[str]:
        """Yield the items that the goals name."""
        for goal in self.all_goals:
            if goal.kind in (GoalKind.KNOWN, GoalKind.USED) and goal.subject not in self.type_names:
                yield goal.subject
            yield from goal.arguments or ()

    def _plain_items(self) -> Iterator[str]:
        yield from (item for item, _ in self.typed_mentions())
        yield from self.goal_items()

    @cached_property
    def type_names(self) -> frozenset[str]:
        """Return the names of all types but the root, declared or given to an item."""
        given = (entry.type for entry in (*self.memory, *_signatures(self.operators)) if entry.type)
        return frozenset((*self.types, *self.types.values(), *given)) - {ROOT_TYPE}

    @property
    def all_goals(self) -> Iterator[Goal]:
        return (goal for group in self.goals for goal in group)


def _signatures(operators: Iterable[Operator]) -> Iterator[Input | Output]:
    for operator in operators:
        yield from operator.inputs
        yield from operator.outputs
