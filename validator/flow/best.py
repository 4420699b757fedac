"""The cheapest plans of a grounded task, the next best, and so on: each plan once, in the order of their costs.

A plan here is what its steps are, each as often as it is done; their order says nothing new. Of plans of which one has
all the steps of another and more, only the smaller counts. So a plan that is still missing does some step of every
known plan less often; forbidding each step of a known plan in turn, and again in what then comes out, finds it: the
tree of hitting sets (Reiter 1987, "A theory of diagnosis from first principles"), its nodes searched best first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor, wait
from heapq import heappop, heappush
from itertools import count

from validator.alarms import OutOfTime
from validator.grounding.limits import Limits, Status
from validator.grounding.operators import Operator, variable_text
from validator.grounding.planner import search
from validator.grounding.relaxation import reachable
from validator.grounding.strategies import BETTER, better, optimal_strategy
from validator.grounding.task import Task
from validator.reading.plan import Step
from validator.records import dataclass, field, replace
from validator.repair.cheapest import Optimum, find_optimum, plan_cost
from validator.repair.edit import LARGEST, own_steps, unmodified

__all__ = ["Others", "cheapest"]

_HEAD_START = 1.0
"""seconds that the proof has for itself, before any plan at all is looked for beside it"""

Steps = tuple[Step, ...]
Bans = frozenset[tuple[Step, int]]
"""steps, each with how often it may be done at most"""


# --- the first plan ------------------------------------------------------------------------------


def cheapest(task: Task, limits: Limits) -> Optimum:
    """Return a cheapest plan with its proof; where a limit comes before the proof, the best plan that was found."""
    known: list[Steps] = []
    try:
        with ThreadPoolExecutor(max_workers=1) as pool:
            proof = pool.submit(find_optimum, task, None, limits)
            wait([proof], timeout=_HEAD_START)
            if not proof.done():
                _climb(task, limits, proof.done, known)
            optimum = proof.result()
    except OutOfTime:  # in what does not look at the clock
        optimum = Optimum(status=Status.TIME_LIMIT, lower=0)
    if optimum.plan is not None or not known:
        return optimum
    return replace(optimum, plan=known[-1], upper=plan_cost(task, known[-1]))


def _climb(task: Task, limits: Limits, is_over: Callable[[], bool], known: list[Steps]) -> None:
    """Add plans to the known ones, each better than those before it, until something else is over."""
    for rung in BETTER:
        cost = plan_cost(task, known[-1]) if known else None
        outcome = search(unmodified(task), better(rung, cost), limits, lambda _: is_over())
        if outcome.status is Status.SOLVED:
            known.append(own_steps(task, outcome.plan))
        if is_over() or limits.seconds == 0:
            break


# --- the others ----------------------------------------------------------------------------------


@dataclass
class Others:
    """The other plans of a task, the cheapest first, behind a proven cheapest one.

    ``dearer`` says whether those count that cost more. Once all are yielded, or the caller has enough,
    ``is_complete`` says whether none is missing that is cheaper than the last one that was yielded or, when no more
    were to come, none at all.
    """

    task: Task
    first: Steps
    cost: int
    limits: Limits
    dearer: bool = False
    is_complete: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        self._dearest = max((operator.cost for operator in self.task.operators), default=0)
        self._known: list[Counter[Step]] = [Counter(self.first)]
        self._tried: set[Bans] = set()
        self._numbers = count()
        self._waiting: list[tuple[int, int, Bans, Steps | None]] = []

    def __iter__(self) -> Iterator[tuple[Steps, int]]:
        """Yield plans with their costs."""
        self._branch(frozenset(), Counter(self.first), self.cost)
        while self._waiting:
            if self.limits.seconds == 0:
                self.is_complete = False
                return
            cost, _, bans, plan = heappop(self._waiting)
            steps = Counter(plan) if plan is not None else None
            if (known := next((each for each in self._known if _keeps(each, bans)), None)) is not None:
                self._branch(bans, known, cost)
            elif plan is not None and steps is not None:
                self._known.append(steps)
                yield plan, cost
                self._branch(bans, steps, cost)
            else:
                self._solve(bans)

    def _branch(self, bans: Bans, steps: Counter[Step], cost: int) -> None:
        """Let the steps of a plan wait to be forbidden in turn."""
        for step, number in steps.items():
            inner = frozenset((other, most) for other, most in bans if other != step) | {(step, number - 1)}
            if inner not in self._tried:
                self._tried.add(inner)
                heappush(self._waiting, (cost, next(self._numbers), inner, None))

    def _solve(self, bans: Bans) -> None:
        """Let the cheapest plan wait that keeps the bans, if there is one that counts."""
        if not _reaches_goal(self.task, {number for step, most in bans if not most for number in self._of(step)}):
            return
        task = _banned(self.task, dict(bans))
        most = LARGEST if self.dearer else self.cost
        outcome = search(unmodified(task), optimal_strategy(task), self.limits, lambda bound: bound > most)
        if outcome.status is Status.SOLVED and (outcome.cost or 0) + self._dearest > LARGEST:
            self.is_complete = False
        elif outcome.status is Status.SOLVED and (outcome.cost or 0) <= most:
            plan = own_steps(task, outcome.plan)
            heappush(self._waiting, (outcome.cost or 0, next(self._numbers), bans, plan))
        elif outcome.status not in (Status.SOLVED, Status.UNSOLVABLE, Status.STOPPED):
            self.is_complete = False

    def _of(self, step: Step) -> Sequence[int]:
        return self.task.by_step.get(step, ())


def _keeps(steps: Mapping[Step, int], bans: Bans) -> bool:
    return all(steps.get(step, 0) <= most for step, most in bans)


def _banned(task: Task, bans: Mapping[Step, int]) -> Task:
    """Return a task in which steps are done so often at most; a step that may still be done is counted."""
    counters = {step: len(task.variables) + place for place, step in enumerate(_counted(bans))}
    operators: list[Operator] = []
    for operator in task.operators:
        step = task.encoding.step(operator.name)
        if step in counters:
            operators += (operator.also((), ((counters[step], value, value + 1),)) for value in range(bans[step]))
        elif step not in bans:
            operators.append(operator)
    return replace(
        task,
        variables=(*task.variables, *(variable_text(number, bans[step] + 1) for step, number in counters.items())),
        init=(*task.init, *(0 for _ in counters)),
        operators=tuple(operators),
    )


def _counted(bans: Mapping[Step, int]) -> list[Step]:
    return [step for step, most in bans.items() if most]


def _reaches_goal(task: Task, banned: Set[int]) -> bool:
    """Return whether the goal can be reached without the operators of some numbers when nothing is deleted.

    Where it cannot, no search is needed to say that there is no plan; of axioms nothing is said.
    """
    without = {id(task.operators[number]) for number in banned}
    found = set() if task.has_axioms else reachable(task, lambda operator: id(operator) in without)
    return task.has_axioms or all(any(found.issuperset(way) for way in ways) for ways in task.goal_stages)
