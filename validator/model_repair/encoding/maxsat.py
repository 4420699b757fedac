"""The cheapest assignment of a formula, by RC2 (Ignatiev, Morgado and Marques-Silva 2019) of python-sat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Timer
from time import monotonic
from typing import Any

from validator.errors import PlannerError
from validator.records import dataclass

__all__ = ["Answer", "Cheapest"]

MISSING = "model repair needs python-sat: pip install 'plan-validator[model-repair]'"


@dataclass(frozen=True, slots=True)
class Answer:
    """``true`` are the costly variables that are true; None when there is no assignment, or none was found.

    ``lower`` is a proven bound of the cost.
    """

    true: frozenset[int] | None
    cost: int | None
    lower: int
    is_open: bool = False
    """whether a limit was met before the question was decided"""


class Cheapest:
    """A formula whose variables in ``costs`` cost something when true; ``next`` finds one answer after another.

    To be used in a ``with``, which ends the search at the deadline and frees the solver. Raises PlannerError when
    python-sat is not installed.
    """

    def __init__(self, clauses: Sequence[Sequence[int]], costs: Mapping[int, int], deadline: float) -> None:
        try:
            from pysat.examples.rc2 import RC2
            from pysat.formula import WCNF
        except ModuleNotFoundError as error:
            raise PlannerError(MISSING) from error
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

    def next(self) -> Answer:
        """Return a cheapest assignment, or what is known of it at the deadline."""
        if self._is_empty:
            return Answer(None, None, 0)
        model = self._solver.compute(expect_interrupt=True)
        if model is None:
            return Answer(None, None, self._solver.cost, is_open=monotonic() >= self._deadline)
        true = frozenset(variable for variable in model if variable in self._costs)
        return Answer(true, self._cost(true), self._solver.cost)

    def _cost(self, true: Iterable[int]) -> int:
        return sum(map(self._costs.__getitem__, true))

    def refuse(self, true: Iterable[int]) -> None:
        """Let variables not all be true from here on."""
        clause = [-variable for variable in sorted(true)]
        if clause:
            self._solver.add_clause(clause)
        else:
            self._is_empty = True

    def others(self, first: Answer, most: int) -> Iterator[Answer]:
        """Yield the further answers that cost as little as the first, at most so many."""
        answer = first
        for _ in range(most):
            self.refuse(answer.true or ())
            answer = self.next()
            if answer.true is None or answer.cost != first.cost:
                return
            yield answer


def _timer(solver: Any, deadline: float) -> Timer:
    """End a solver's search at a deadline."""
    timer = Timer(max(0.0, deadline - monotonic()), solver.interrupt)
    timer.daemon = True
    timer.start()
    return timer
