"""The models that changes lead to, each prepared and grounded once."""

from __future__ import annotations

from collections.abc import Iterable

from validator.automata.pattern import Show
from validator.automata.world import World
from validator.checking.prepared import Prepared, prepare
from validator.foils.changed.changes import Change, changed
from validator.grounding.limits import Limits, Status
from validator.records import dataclass, field

__all__ = ["Worlds"]


@dataclass(kw_only=True)
class Worlds:
    """Models by the changes that lead to them; ``unpriced`` says why the costs of a model are not the planner's."""

    prepared: Prepared
    show: Show
    limits: Limits
    unpriced: str = ""
    _known: dict[frozenset[Change], World | str] = field(default_factory=dict)

    def of(self, changes: Iterable[Change] = ()) -> World | str:
        """Return the model after changes, or why there is none. Raises InputError for a change that cannot be made."""
        asked = frozenset(changes)
        if asked not in self._known:
            self._known[asked] = self._grounded(asked)
        return self._known[asked]

    def _grounded(self, changes: frozenset[Change]) -> World | str:
        prepared = prepare(changed(self.prepared.model, changes)) if changes else self.prepared
        if prepared.simulator.measure is None:
            self.unpriced = "the metric is not the minimum of total-cost, the only one whose cheapest value is known"
        try:
            task = prepared.task(self.limits)
        except ValueError as error:
            self.unpriced = f"the planner cannot be given the model's costs: {error}"
            task = prepared.task(self.limits, costs_matter=False)
        if isinstance(task, Status):
            return f"the {task.value} was met while the model was grounded"
        return World(simulator=prepared.simulator, task=task, show=self.show)
