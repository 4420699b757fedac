"""The cheapest assignment of a formula, by RC2 (Ignatiev, Morgado and Marques-Silva 2019) of python-sat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from time import monotonic
from typing import Any

from validator.errors import PlannerError

__all__ = ["Answer", "Cheapest", "is_installed"]

MISSING = "model repair needs python-sat: pip install 'plan-validator[model-repair]'"


@dataclass(frozen=True, slots=True)
class Answer:
    """``true`` are the costly variables that are true; None when there is no assignment, or none was found.

    ``lower`` is a proven bound of the cost; the answer is a cheapest one when its own cost is that.
    """

    true: frozenset[int] | None
    cost: int | None
    lower: int
    is_open: bool = False
    """whether a limit was met before the question was decided"""


def is_installed() -> bool:
    """Return whether the solver is there."""
    from importlib.util import find_spec

    return find_spec("pysat") is not None


class Cheapest:
    """A formula whose variables in ``costs`` cost something when they are true. ``next`` finds one answer after another.

    Raises PlannerError when python-sat is not installed. ``close`` frees the solver.
    """

    def __init__(self, clauses: Sequence[Sequence[int]], costs: Mapping[int, int]) -> None:
        try:
            from pysat.examples.rc2 import RC2
            from pysat.formula import WCNF
        except ModuleNotFoundError as error:
            raise PlannerError(MISSING) from error
        self._clauses = clauses
        self._costs = costs
        formula = WCNF()
        formula.extend(clauses)
        formula.extend([[-variable] for variable in costs], weights=list(costs.values()))
        self._is_empty = not all(clauses)
        self._solver: Any = None if self._is_empty else RC2(formula)

    def close(self) -> None:
        if self._solver is not None:
            self._solver.delete()

    def next(self, deadline: float) -> Answer:
        """Return a cheapest assignment, or what is known of it at the deadline."""
        if self._is_empty:
            return Answer(None, None, 0)
        with _interrupted(self._solver, deadline):
            model = self._solver.compute(expect_interrupt=True)
            was_stopped = model is None and monotonic() >= deadline
        if was_stopped:
            return Answer(None, None, self._solver.cost, is_open=True)
        if model is None:
            return Answer(None, None, self._solver.cost)
        true = frozenset(variable for variable in model if variable in self._costs)
        return Answer(true, sum(map(self._costs.__getitem__, true)), self._solver.cost)

    def refuse(self, true: Sequence[int]) -> None:
        """Let variables not all be true from here on."""
        self._solver.add_clause([-variable for variable in true])
        if not true:
            self._is_empty = True

    def any_within(self, deadline: float) -> Answer:
        """Return some assignment with few costly variables, without a claim that none is cheaper."""
        from pysat.solvers import Solver

        with Solver(name="g3", bootstrap_with=self._clauses) as solver:
            solver.set_phases([-variable for variable in self._costs])
            with _interrupted(solver, deadline):
                if not solver.solve_limited(expect_interrupt=True):
                    return Answer(None, None, 0, is_open=True)
            true = set(solver.get_model() or ()) & set(self._costs)
            for variable in sorted(true, key=self._costs.__getitem__, reverse=True):
                fixed = [-other for other in self._costs if other not in true or other == variable]
                with _interrupted(solver, deadline):
                    if solver.solve_limited(assumptions=fixed, expect_interrupt=True):
                        true &= set(solver.get_model() or ())
        return Answer(frozenset(true), sum(map(self._costs.__getitem__, true)), 0, is_open=True)


def answers(cheapest: Cheapest, deadline: float, most: int, cost: int | None) -> Iterator[Answer]:
    """Yield the further answers of a cost, at most so many."""
    for _ in range(most):
        answer = cheapest.next(deadline)
        if answer.true is None or answer.cost != cost:
            return
        yield answer
        cheapest.refuse(sorted(answer.true))


@contextmanager
def _interrupted(solver: Any, deadline: float) -> Iterator[None]:
    """End a solver's search at a deadline."""
    timer = Timer(max(0.0, deadline - monotonic()), solver.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        solver.clear_interrupt()
