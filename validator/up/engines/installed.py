"""Which installed engines of unified-planning may help with a plan, and what to install where none is there.

Nothing of unified-planning is imported before an engine is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from validator.errors import ModelError, UnsupportedError
from validator.grounding.limits import Limits
from validator.reading.plan import Plan, Token
from validator.repair.engines import Engine, TimeEngine
from validator.repair.policy import Policy
from validator.repair.proved import Proved

if TYPE_CHECKING:
    from unified_planning.model import Problem as UpProblem

    from validator.up.edit.problem import EditProblem
    from validator.up.engines.planner import UpPlanner

__all__ = ["Installed"]

_FOR_NUMBERS = "to look further, install an engine for numbers: pip install up-enhsp (it needs Java), or up-tamer"
_FOR_TIME = "to look further, install an engine for plans over time: pip install up-aries, or up-tamer"

_MOST = 4
"""Engines that run side by side."""


class Installed:
    """The engines for one model: those that are installed, or ``engine`` alone where the user has named one.

    ``read`` gives the model as unified-planning's problem; it is None where the model is neither PDDL nor such a
    problem.
    """

    def __init__(self, read: Callable[[], UpProblem] | None, engine: UpPlanner | None = None) -> None:
        self._read = read
        self._engine = engine

    @property
    def is_named(self) -> bool:
        """Return whether the user has named one engine."""
        return self._engine is not None

    def for_plan(
        self, tokens: Sequence[Token], policy: Policy, *, with_goal: bool
    ) -> tuple[list[Engine], tuple[str, ...]]:
        """Return engines for the modified problem of a plan, and notes on why others are none."""
        plan = Plan(parts=tuple(tokens))
        return self._with(lambda engine: engine.modified(plan, policy, with_goal=with_goal))

    def for_cost(self) -> tuple[list[Engine], tuple[str, ...]]:
        """Return engines for the cheapest plan of the model, and notes on why others are none."""
        return self._with(lambda engine: engine.cost_problem())

    def for_time(self, tokens: Sequence[Token], *, with_goal: bool) -> tuple[list[TimeEngine], tuple[str, ...]]:
        """Return engines for a plan over time, and notes on why others are none."""
        engines, note = self._engines(_FOR_TIME)
        if not engines:
            return [], (note,)
        from validator.up.engines.time import time_problem

        try:
            problem = time_problem(engines[0].problem, tokens, with_goal=with_goal)
        except UnsupportedError as error:
            return [], (str(error),)
        found: dict[str, TimeEngine] = {}
        refused: list[str] = []
        for engine in engines:
            if len(found) < _MOST and engine.package not in found:
                try:
                    run = partial(problem.run, engine, *problem.for_engine(engine))
                except UnsupportedError as error:
                    refused.append(str(error))
                    continue
                found[engine.package] = TimeEngine(name=engine.name, package=engine.package, run=run)
        return list(found.values()), () if found else self._why_none(refused, note)

    def _with(self, form: Callable[[UpPlanner], EditProblem]) -> tuple[list[Engine], tuple[str, ...]]:
        engines, note = self._engines(_FOR_NUMBERS)
        if not engines:
            return [], (note,)
        # of a package, one engine that proves and one that does not
        found: dict[tuple[str, bool], Engine] = {}
        refused: list[str] = []
        for engine in engines:
            kind = engine.package, engine.proves
            if len(found) < _MOST and kind not in found:
                try:
                    run = partial(_run, engine, form(engine))
                except UnsupportedError as error:
                    refused.append(str(error))
                    continue
                found[kind] = Engine(name=engine.name, run=run)
        return list(found.values()), () if found else self._why_none(refused, note)

    def _why_none(self, refused: Sequence[str], note: str) -> tuple[str, ...]:
        return tuple(refused[:1]) if self._engine else (note,)

    def _engines(self, wanted: str) -> tuple[list[UpPlanner], str]:
        """Return the engines that there are, and what to do where none of them helps."""
        if self._engine is not None:
            return [self._engine], ""
        if self._read is None:
            return [], "engines are given PDDL or a unified-planning problem, and the model is neither"
        from validator.up.engines.planner import planners

        try:
            return list(planners(self._read())), wanted
        except ModelError as error:
            return [], str(error)


def _run(engine: UpPlanner, problem: EditProblem, limits: Limits, stop: Callable[[], bool]) -> Proved:
    return engine.nearest(problem, limits, stop)
