"""Whether a task has a plan at all, by a search for any plan and a proof that there is none, side by side."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

from validator.errors import PlannerError
from validator.execution.simulator import Simulator
from validator.foils.compiled.compile import ConstrainedSimulator, constrain
from validator.foils.compiled.constraints import AtMost, Constraint, Show, violations
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import search
from validator.grounding.strategies import optimal_strategy
from validator.grounding.task import Task
from validator.reading.plan import Step
from validator.records import dataclass, field, replace
from validator.repair.edit import unmodified

__all__ = ["Oracle"]

_GREEDY = "let(h, ff(), lazy_greedy([h], preferred=[h]))"
_WITH_LANDMARKS = "let(h, ff(), let(l, landmark_sum(lm_rhw(), pref=true), lazy_greedy([h, l], preferred=[h, l])))"
"""The first search of LAMA (Richter and Westphal 2010): 4 s where it takes 11 s without landmarks, for parking cars."""

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
        outcome = self._settle(constraints, task)
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

    def _settle(self, constraints: Sequence[Constraint], task: Task) -> Outcome:
        """Search for a plan, and beside it for proofs that there is none."""
        limits = replace(self.limits, deadline=min(self.limits.deadline, time.monotonic() + self.seconds))
        race = _Race(limits)
        with ThreadPoolExecutor(max_workers=4) as pool:
            try:
                # With axioms the heuristic may take a state for a dead end that is none.
                greedy = _GREEDY if task.has_axioms or task.has_conditional_effects else _WITH_LANDMARKS
                first = pool.submit(race.run, unmodified(task), greedy, proves=not task.has_axioms)
                wait([first], timeout=min(_HEAD_START, limits.seconds))
                if race.settled is None:
                    proofs = [pool.submit(race.run, unmodified(task), optimal_strategy(task), proves=True)]
                    for place, constraint in enumerate(constraints):
                        if isinstance(constraint, AtMost) and not task.has_axioms:
                            others = (*constraints[:place], *constraints[place + 1 :])
                            proofs.append(
                                pool.submit(race.count, self._counting(constraint, others), constraint.number)
                            )
                    wait([first, *proofs])
                outcome = first.result()
            finally:
                race.over.set()
        return race.settled or outcome

    def _counting(self, constraint: AtMost, others: Sequence[Constraint]) -> Task:
        """Return a task in which a plan costs what the constraint counts."""
        task = constrain(self.task, others, self.show)
        counted = (
            replace(operator, cost=int(constraint.step.matches(self.show(task.encoding.step(operator.name)))))
            for operator in task.operators
        )
        return replace(task, operators=tuple(counted))


class _Race:
    """Searches side by side, which end when one of them has settled the question."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.over = Event()
        self.settled: Outcome | None = None

    def run(self, text: str, strategy: str, *, proves: bool) -> Outcome:
        """Search for a plan; ``proves`` says whether the search can prove that there is none."""
        outcome = search(text, strategy, self.limits, lambda _: self.over.is_set())
        if outcome.status is Status.SOLVED or (proves and outcome.status is Status.UNSOLVABLE):
            self._settle(outcome)
        return outcome

    def count(self, task: Task, most: int) -> Outcome:
        """Search for the least number of counted steps, until it is proven to be more than ``most``."""
        strategy = optimal_strategy(task)
        outcome = search(unmodified(task), strategy, self.limits, lambda low: low > most or self.over.is_set())
        if outcome.lower_bound > most or outcome.status is Status.UNSOLVABLE:
            self._settle(Outcome(status=Status.UNSOLVABLE))
        return outcome

    def _settle(self, outcome: Outcome) -> None:
        if self.settled is None:
            self.settled = outcome
        self.over.set()
