"""What a flow means item by item before it is compiled: who yields it, what may stand for it, what a question costs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import prod

from validator.flow.model import ROOT_TYPE, Flow, GoalKind, ItemState, Slot
from validator.reading.plan import Step, Token
from validator.records import dataclass

_JOINED = r"\s+|[\",]"
_DESIRABILITY = 0.5
_ALWAYS, _LAST_RESORT = 100_000, 1_000


@dataclass(frozen=True)
class Analysis:
    """Facts about a flow that no plan changes."""

    flow: Flow

    @cached_property
    def new(self) -> Mapping[str, str]:
        """Return the unnamed items that the user may be asked for, with their types.

        Only items of a declared type can ever stand for another one, so that there are none of the root type.
        """
        options = self.flow.options
        used = sorted(set(self.flow.item_types.values()) - {ROOT_TYPE}) if options.map_types else ()
        return {
            f"new_object_{re.sub(_JOINED, '_', name.lower())}_{number}": name
            for name in used
            for number in range(options.lookahead)
        }

    @cached_property
    def types(self) -> Mapping[str, str]:
        """Return all items, the new ones last, with their types."""
        mapped = {item: ROOT_TYPE for entry in self.flow.maps for item in (entry.source, entry.target)}
        return {**mapped, **self.flow.item_types, **self.new}

    @cached_property
    def ancestors(self) -> Mapping[str, tuple[str, ...]]:
        """Return for each type itself and the types above it, without the root."""
        return {name: tuple(self._upward(name)) for name in (*self.flow.type_names, ROOT_TYPE)}

    def _upward(self, name: str) -> Iterator[str]:
        seen = {ROOT_TYPE}
        while name not in seen:
            yield name
            seen.add(name)
            name = self.flow.types.get(name, ROOT_TYPE)

    @cached_property
    def inputs(self) -> frozenset[str]:
        return frozenset(item for operator in self.flow.operators for item in operator.input_items)

    # --- slots ---------------------------------------------------------------------------------

    def desirability(self, item: str) -> float:
        """Return how readily the user may be asked for an item; 0 means never."""
        return self._slot(item).desirability

    def _slot(self, item: str) -> Slot:
        for slot in self.flow.slots:
            if slot.item == item or (slot.propagate and self.types.get(slot.item) == self.types[item]):
                return slot
        return Slot(item=item, desirability=_DESIRABILITY)

    def waits(self, item: str) -> tuple[str, ...]:
        """Return the operators that must have run before an item is asked for as a last resort."""
        slot = next((slot for slot in self.flow.slots if slot.item == item), None)
        if slot is not None and not slot.last_resort:
            return ()
        sources = {item, *(entry.source for entry in self.flow.maps if entry.target == item)}
        return tuple(operator.name for operator in self.flow.operators if not sources.isdisjoint(operator.output_items))

    def price(self, item: str) -> int:
        """Return what it costs to ask for an item at any time."""
        return int((2 - self.desirability(item)) * _ALWAYS)

    def last_resort_price(self, item: str) -> int:
        return int((2 - self.desirability(item)) * _LAST_RESORT)

    # --- mappings ------------------------------------------------------------------------------

    @cached_property
    def declared(self) -> frozenset[tuple[str, str]]:
        """Return the declared mappings (source, target) that may be made."""
        return frozenset(self._directed(possible=True)) - self.forbidden

    @cached_property
    def forbidden(self) -> frozenset[tuple[str, str]]:
        """Return the pairs that may not be mapped whatever their types are."""
        never = {slot.item for slot in self.flow.slots if not slot.desirability}
        types = {self.types[slot.item] for slot in self.flow.slots if not slot.desirability and slot.propagate}
        closed = [item for item, type_name in self.types.items() if item in never or type_name in types]
        return frozenset(self._directed(possible=False)) | {
            (new, item) for new, type_name in self.new.items() for item in closed if type_name == self.types[item]
        }

    def _directed(self, *, possible: bool) -> Iterator[tuple[str, str]]:
        for entry in self.flow.maps:
            if bool(entry.probability) is possible:
                yield entry.source, entry.target
                if self.flow.options.map_transitive:
                    yield entry.target, entry.source

    def shares_type(self, source: str, target: str) -> bool:
        """Return whether a source may be mapped because both have a declared type in common."""
        common = set(self.ancestors[self.types[source]]) & set(self.ancestors[self.types[target]])
        return self.flow.options.map_types and bool(common) and target not in self.new

    # --- what can become known -----------------------------------------------------------------

    def sources(self, item: str) -> tuple[str, ...]:
        """Return the items that may be mapped to an item and can be known at all, in order of the flow."""
        if item not in self._sources:
            self._sources[item] = tuple(
                source
                for source in self.types
                if source in self.reachable
                and (source != item or self.flow.options.map_always)
                and (source, item) not in self.forbidden
                and ((source, item) in self.declared or self.shares_type(source, item))
            )
        return self._sources[item]

    @cached_property
    def _sources(self) -> dict[str, tuple[str, ...]]:
        """Return what was asked for before."""
        return {}

    @cached_property
    def reachable(self) -> frozenset[str]:
        """Return the items that some sequence of steps could make known, were nothing ever in the way."""
        options = self.flow.options
        known = {entry.item for entry in self.flow.memory if entry.state is not ItemState.UNKNOWN}
        asked_at_all = self.inputs if options.ask_ordered or not options.ask_always else self.types
        if options.ask_last_resort and not options.ask_ordered:
            asked_at_all = self.types
        known |= {item for item in asked_at_all if self.desirability(item)}
        grown = True
        while grown:
            before = len(known)
            for operator in self.flow.operators:
                if operator.max_try and known.issuperset(operator.required_items):
                    known.update(operator.output_items)
            known |= {target for source, target in self.declared if source in known}
            shared = {name for item in known for name in self.ancestors[self.types[item]]}
            if options.map_types:
                known |= {item for item in self.types if shared & set(self.ancestors[self.types[item]])} - set(self.new)
            grown = len(known) > before
        return frozenset(known)


# --- which calls are distinguished ----------------------------------------------------------------

# Ten items that may stand for three inputs are two thousand calls, of which a plan makes one. Such a *wide* operator is
# compiled in two other ways instead. ``ANY``: one action for all its calls, which may be repeated and after which
# everything counts as used that could stand for an input. That allows all that the flow allows, and more: its cheapest
# plan costs at most what the flow's does. ``calls_of`` a plan: these calls alone, exactly as the flow has them, so that
# the plan is executed as in the flow. A plan of the first that the second executes at the same cost is therefore a
# cheapest plan of the flow; where it does not, all calls have to be distinguished.


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
        and prod(len({item, *analysis.sources(item)}) for item in operator.input_items) > _WIDE
    )


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
