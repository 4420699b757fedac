"""The cost of a model's cheapest plan: A* on the unmodified task, and a search for a cheaper plan beside it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event

from validator.grounding.limits import HEAD_START, Limits, Outcome, Status
from validator.grounding.planner import better, optimal_strategy, prover_of, search
from validator.grounding.task import Task, step_costs
from validator.reading.plan import Step
from validator.records import dataclass
from validator.repair.edit import LARGEST, own_steps, unmodified
from validator.repair.proved import Prover


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """What is known of the cheapest plan's cost, in scaled integers; ``plan`` is one of the upper bound's cost."""

    status: Status
    lower: int
    upper: int | None = None
    plan: tuple[Step, ...] | None = None
    by: str = ""
    """the search that proved the lower bound"""

    @property
    def is_proven(self) -> bool:
        return self.status is Status.UNSOLVABLE or self.lower == self.upper


def find_optimum(task: Task, known: Sequence[Step] | None, limits: Limits, *, only_compare: bool = False) -> Optimum:
    """Find the cost of the model's cheapest plan.

    ``known`` is a valid plan: as soon as the lower bound meets its cost, it is proven cheapest and the last and
    largest layer of the search is spared. With ``only_compare`` any cheaper plan is enough, and is looked for beside
    the proof. Nothing is proven with costs that do not fit the 30 bits of the search, which could then take a dear
    plan for a cheap one.
    """
    if task.is_relaxed_unsolvable:
        return Optimum(status=Status.UNSOLVABLE, lower=0, by=Prover.RELAXATION)
    if task.goal == ():
        return Optimum(status=Status.SOLVED, lower=0, upper=0, plan=(), by=Prover.EXECUTION)
    plan, upper = (None, None) if known is None else (tuple(known), plan_cost(task, known))
    text, strategy, over = unmodified(task), optimal_strategy(task), Event()
    by = prover_of(strategy)

    def stop(bound: int) -> bool:
        return (upper is not None and bound >= upper) or over.is_set()

    with ThreadPoolExecutor(max_workers=1) as pool:
        try:
            proof = pool.submit(search, text, strategy, limits, stop)
            wait([proof], timeout=min(HEAD_START, limits.seconds))
            if not proof.done() and only_compare and upper is not None:
                cheaper = _cheaper(task, text, upper, limits, proof)
                if cheaper is not None:
                    over.set()
                    cost, lower = plan_cost(task, cheaper), proof.result().lower_bound
                    return Optimum(status=Status.STOPPED, lower=min(lower, cost), upper=cost, plan=cheaper, by=by)
            outcome = proof.result()
        finally:
            over.set()
    if outcome.status is Status.SOLVED:
        found = own_steps(task, outcome.plan)
        cost = plan_cost(task, found)
        if upper is None or cost < upper:
            plan, upper = found, cost
    if upper is None or outcome.status not in (Status.SOLVED, Status.STOPPED):
        return Optimum(status=outcome.status, lower=outcome.lower_bound, upper=upper, plan=plan, by=by)
    if upper + task.dearest > LARGEST:  # a path that is looked at before may have overflowed
        return Optimum(status=Status.COST_LIMIT, lower=0, upper=upper, plan=plan, by=by)
    return Optimum(status=Status.SOLVED, lower=upper, upper=upper, plan=plan, by=by)


def known_to_be(status: Status, task: Task, known: Sequence[Step] | None) -> Optimum:
    """Return what is known without a search, given a valid plan or none."""
    if known is None:
        return Optimum(status=status, lower=0)
    return Optimum(status=status, lower=0, upper=plan_cost(task, known), plan=tuple(known))


def _cheaper(task: Task, text: str, cost: int, limits: Limits, proof: Future[Outcome]) -> tuple[Step, ...] | None:
    """Return a plan that costs less, if one is found before the proof ends."""
    outcome = search(text, better(cost), limits, lambda _: proof.done())
    found = own_steps(task, outcome.plan) if outcome.status is Status.SOLVED else None
    return None if found is None or plan_cost(task, found) >= cost else found


def plan_cost(task: Task, steps: Sequence[Step]) -> int:
    """Return the cost of steps in the task's scaled integers."""
    return sum(step_costs(task, steps))
