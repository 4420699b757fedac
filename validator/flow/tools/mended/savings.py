"""What a further call saves: where ids and coordinates would have to be asked for that no user knows."""

from __future__ import annotations

from collections.abc import Collection

from validator.flow.tools.declared.names import is_said
from validator.flow.tools.declared.specifications import Tool
from validator.flow.tools.mended.catalogue import Catalogue
from validator.flow.tools.mended.edits import CHANGE, State, ask_cost
from validator.reading.calls.objects import spelled
from validator.records import dataclass

__all__ = ["Savings"]


@dataclass(frozen=True)
class Savings:
    """Knows the catalogue, and what the open arguments of new calls cost. ``taken`` are labels that are not free."""

    catalogue: Catalogue
    taken: Collection[str]

    def open_bound(self, state: State, is_growing: bool) -> int:
        """Return what the open arguments of a state cost at least; ``is_growing``: new calls are still to come."""
        names = self.asked_for(state)
        if is_growing:
            names = {name for name in names if not self.catalogue.yielding((name,))}
        paying = self.paying(state, names)
        unsaid = [name for name in names if not is_said(name)]
        saved = min((cost / gain for _, gain, cost in paying), default=float("inf"))
        least = sum(min(float(ask_cost(name)), saved) for name in unsaid)
        return int(least) + sum(ask_cost(name) for name in names if is_said(name))

    def asked_for(self, state: State) -> set[str]:
        """Return the spelled names of the open arguments that nothing in the list gives."""
        known = self.known(state)
        return {name for call in state.calls for each in call.open if (name := spelled(each)) not in known}

    def known(self, state: State) -> set[str]:
        """Return the spelled names of all that calls of a state are given or yield."""
        found: set[str] = set()
        for call in state.calls:
            if call.name in self.catalogue.tools:
                found.update(map(spelled, call.arguments))
                found |= self.catalogue.yields(self.catalogue.tools[call.name])
        return found

    def paying(self, state: State, names: Collection[str]) -> list[tuple[Tool, int, int]]:
        """Return the tools that yield what no user says and need less to be said, with how much of it and the cost."""
        unsaid = {name for name in names if not is_said(name)}
        known, found = self.known(state) if unsaid else set(), []
        for tool in self.catalogue.yielding(unsaid):
            needs = self.catalogue.needs(tool)
            gain = self.catalogue.yields(tool).intersection(unsaid) - needs
            cost = CHANGE + sum(map(ask_cost, needs - known))
            if cost < sum(map(ask_cost, gain)):
                found.append((tool, len(gain), cost))
        return found
