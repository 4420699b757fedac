"""Whether a task has a plan at all, by a search for any plan and a proof that there is none, side by side."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from threading import Event

from validator.edit import unmodified
from validator.errors import PlannerError
from validator.execute import Simulator
from validator.foils.compile import ConstrainedSimulator, constrain
from validator.foils.constraints import Constraint, Show, violations
from validator.plan import Step
from validator.planner import Limits, Outcome, Status, search
from validator.repair import optimal_strategy
from validator.task import Task

__all__ = ["Oracle"]

_GREEDY = "let(h, ff(), lazy_greedy([h], preferred=[h]))"
_HEAD_START = 0.5
"""seconds that the search for a plan has before a proof is looked for beside it"""


@dataclass(kw_only=True)
class Oracle:
    """Says which constraints a plan can keep to, and remembers the plans that it has seen.

    ``plans`` are plans known to be valid. Each question gets ``seconds`` at most.
    """

    task: Task
    simulator: Simulator
    show: Show
    limits: Limits
    seconds: float
    plans: list[tuple[Step, ...]] = field(default_factory=list)

    def possible(self, constraints: Sequence[Constraint]) -> bool | None:
        """Return whether a plan keeps to constraints; None when a limit was met before that was known."""
        if any(True for _ in self.keeping(constraints)):
            return True
        task = constrain(self.task, constraints, self.show)
        if task.is_relaxed_unsolvable:
            return False
        if task.goal == ():
            self.plans.append(())
            return True
        outcome = self._settle(task)
        if outcome.status is Status.SOLVED:
            own = (int(name[2:]) for name in outcome.plan if name.startswith("i "))
            plan = tuple(task.encoding.step(task.operators[number].name) for number in own)
            if not ConstrainedSimulator(self.simulator, constraints, self.show).run(plan).is_valid:
                raise PlannerError("the planner's answer does not execute")
            self.plans.append(plan)
            return True
        return False if outcome.status is Status.UNSOLVABLE else None

    def keeping(self, constraints: Sequence[Constraint]) -> Iterator[tuple[Step, ...]]:
        """Yield the known plans that keep to constraints."""
        for plan in self.plans:
            shown = [self.show(step) for step in plan]
            if not any(True for each in constraints for _ in violations(each, shown)):
                yield plan

    def _settle(self, task: Task) -> Outcome:
        text = unmodified(task)
        limits = replace(self.limits, deadline=min(self.limits.deadline, time.monotonic() + self.seconds))
        over = Event()
        settled: list[Outcome] = []

        def run(strategy: str, proves: bool) -> Outcome:
            outcome = search(text, strategy, limits, lambda _: over.is_set())
            if outcome.status is Status.SOLVED or (proves and outcome.status is Status.UNSOLVABLE):
                settled.append(outcome)
                over.set()
            return outcome

        with ThreadPoolExecutor(max_workers=2) as pool:
            try:
                # With axioms the heuristic may take a state for a dead end that is none.
                first = pool.submit(run, _GREEDY, not task.has_axioms)
                wait([first], timeout=min(_HEAD_START, limits.seconds))
                if not settled:
                    pool.submit(run, optimal_strategy(task), True).result()
                outcome = first.result()
            finally:
                over.set()
        return settled[0] if settled else outcome
