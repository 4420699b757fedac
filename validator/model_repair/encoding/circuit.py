"""Propositional gates as clauses (Tseitin 1968), and edits as their variables.

Literals are integers, ``-x`` is the negation of ``x``.
"""

from __future__ import annotations

from collections.abc import Iterable

from validator.model_repair.edits import Costs, Edit

__all__ = ["FALSE", "TRUE", "Choices", "Circuit"]

TRUE = 1
FALSE = -1


class Circuit:
    """Clauses that grow; variable 1 is true. Equal gates are one gate, constants are never written."""

    def __init__(self) -> None:
        self.variables = 1
        self.clauses: list[list[int]] = [[TRUE]]
        self._gates: dict[frozenset[int], int] = {}

    def variable(self) -> int:
        """Return a new variable."""
        self.variables += 1
        return self.variables

    def all_of(self, parts: Iterable[int]) -> int:
        """Return the literal that is true when all parts are."""
        kept = set(parts)
        kept.discard(TRUE)
        if not kept:
            return TRUE
        if FALSE in kept or any(-part in kept for part in kept):
            return FALSE
        if len(kept) == 1:
            return kept.pop()
        return self._gate(frozenset(kept))

    def _gate(self, parts: frozenset[int]) -> int:
        gate = self._gates.get(parts)
        if gate is None:
            gate = self._gates[parts] = self.variable()
            self.clauses.append([gate, *(-part for part in parts)])
            self.clauses.extend([-gate, part] for part in parts)
        return gate

    def any_of(self, parts: Iterable[int]) -> int:
        """Return the literal that is true when some part is."""
        return -self.all_of(-part for part in parts)

    def require(self, *parts: int) -> bool:
        """Demand that some part is true; return False when none can be."""
        if TRUE in parts:
            return True
        clause = [part for part in parts if part != FALSE]
        self.clauses.append(clause)
        return bool(clause)


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
