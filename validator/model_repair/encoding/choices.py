"""The open edits: each is a variable, made when it is first asked for, and has a cost."""

from __future__ import annotations

from collections.abc import Iterable

from validator.model_repair.costs import Costs
from validator.model_repair.edits import Edit
from validator.model_repair.encoding.circuit import FALSE, Circuit

__all__ = ["Choices"]


class Choices:
    """Edits as literals of a circuit; one that is not allowed is false."""

    def __init__(self, circuit: Circuit, costs: Costs) -> None:
        self._circuit = circuit
        self._costs = costs
        self._known: dict[Edit, int] = {}
        self.costs: dict[int, int] = {}
        """variable -> what it costs to choose it"""
        self._edits: dict[int, Edit] = {}

    def lit(self, edit: Edit) -> int:
        """Return the literal that says that an edit is made."""
        found = self._known.get(edit)
        if found is None:
            cost = self._costs.of(edit)
            found = self._known[edit] = FALSE if cost is None else self._circuit.variable()
            if cost is not None:
                self.costs[found] = cost
                self._edits[found] = edit
        return found

    def chosen(self, true: Iterable[int]) -> frozenset[Edit]:
        """Return the edits among the variables that are true."""
        return frozenset(self._edits[variable] for variable in true if variable in self._edits)

    def variables(self, edits: Iterable[Edit]) -> list[int]:
        return [self._known[edit] for edit in edits]
