"""Gates as clauses (Tseitin 1968), edits as their variables, and the cheapest assignment.

It is found by RC2 (Ignatiev, Morgado and Marques-Silva 2019) of python-sat. Literals are integers, ``-x`` is the
negation of ``x``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Timer
from time import monotonic
from typing import Any

from validator.errors import NotInstalledError
from validator.model_repair.edits import Costs, Edit
from validator.records import dataclass
from validator.resources import of_extra

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


# --- the cheapest assignment -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MaxSatResult:
    """``true`` are the costly variables that are true; None when there is no assignment, or none was found.

    ``lower`` is a proven bound of the cost, and the cost of an assignment.
    """

    true: frozenset[int] | None
    lower: int
    is_open: bool = False
    """whether a limit was met before the question was decided"""


class Cheapest:
    """A formula whose variables in ``costs`` cost something when true; ``next`` finds one answer after another.

    To be used in a ``with``, which ends the search at the deadline and frees the solver. Raises
    NotInstalledError without python-sat.
    """

    def __init__(self, clauses: Sequence[Sequence[int]], costs: Mapping[int, int], deadline: float) -> None:
        try:
            from pysat.examples.rc2 import RC2
            from pysat.formula import WCNF
        except ModuleNotFoundError as error:
            raise NotInstalledError("python-sat", of_extra("model-repair")) from error
        self._clauses = clauses
        self._costs = costs
        self._deadline = deadline
        formula = WCNF()
        formula.extend(clauses)
        formula.extend([[-variable] for variable in costs], weights=list(costs.values()))
        self._is_empty = not all(clauses)
        self._solver: Any = None if self._is_empty else RC2(formula)

    def __enter__(self) -> Cheapest:
        if self._solver is not None:
            self._timer = _timer(self._solver, self._deadline)
        return self

    def __exit__(self, *_: object) -> None:
        if self._solver is not None:
            self._timer.cancel()
            self._timer.join()
            self._solver.delete()

    def next(self) -> MaxSatResult:
        """Return a cheapest assignment, or what is known of it at the deadline."""
        if self._is_empty:
            return MaxSatResult(None, 0)
        model = self._solver.compute(expect_interrupt=True)
        if model is None:
            return MaxSatResult(None, self._solver.cost, is_open=monotonic() >= self._deadline)
        true = frozenset(variable for variable in model if variable in self._costs)
        return MaxSatResult(true, self._solver.cost)

    def refuse(self, true: Iterable[int]) -> None:
        """Let variables not all be true from here on."""
        clause = [-variable for variable in sorted(true)]
        if clause:
            self._solver.add_clause(clause)
        else:
            self._is_empty = True

    def others(self, first: MaxSatResult, most: int) -> Iterator[MaxSatResult]:
        """Yield the further answers that cost as little as the first, at most so many."""
        answer = first
        for _ in range(most):
            self.refuse(answer.true or ())
            answer = self.next()
            if answer.true is None or answer.lower != first.lower:
                return
            yield answer


def _timer(solver: Any, deadline: float) -> Timer:
    """End a solver's search at a deadline."""
    timer = Timer(max(0.0, deadline - monotonic()), solver.interrupt)
    timer.daemon = True
    timer.start()
    return timer
