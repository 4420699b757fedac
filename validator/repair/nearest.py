"""The nearest plan that has a quality: the modified problem solved, every answer executed again."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event

from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import search
from validator.grounding.strategies import BETTER, SECOND_PROOF, better, has_second_proof, optimal_strategy
from validator.grounding.task import Task
from validator.grounding.walk import step_costs
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass
from validator.repair.alignment import aligned
from validator.repair.edit import LARGEST, Edit, EditTask, Move, Weighting, compile_edit, unmodified
from validator.repair.policy import Policy
from validator.repair.search.answer import Repair
from validator.repair.search.race import HEAD_START, Race
from validator.repair.search.skips import with_fewest_skips
from validator.repair.search.standing import Progress, Standing

__all__ = ["Optimum", "Progress", "Repair", "find_optimum", "known_to_be", "optimal_strategy", "plan_cost", "repair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """What is known of the cheapest plan's cost, in scaled integers; ``plan`` is one of the upper bound's cost."""

    status: Status
    lower: int
    upper: int | None = None
    plan: tuple[Step, ...] | None = None

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
        return Optimum(status=Status.UNSOLVABLE, lower=0)
    if task.goal == ():
        return Optimum(status=Status.SOLVED, lower=0, upper=0, plan=())
    plan, upper = (None, None) if known is None else (tuple(known), plan_cost(task, known))
    text = unmodified(task)
    over = Event()
    settled: list[Outcome] = []

    def prove(strategy: str) -> Outcome:
        reached = False

        def stop(bound: int) -> bool:
            nonlocal reached
            reached = upper is not None and bound >= upper
            return reached or over.is_set()

        outcome = search(text, strategy, limits, stop)
        if reached or outcome.status in (Status.SOLVED, Status.UNSOLVABLE):
            settled.append(outcome)
            over.set()
        return outcome

    with ThreadPoolExecutor(max_workers=2) as pool:
        try:
            proof = pool.submit(prove, optimal_strategy(task))
            wait([proof], timeout=min(HEAD_START, limits.seconds))
            if not proof.done() and only_compare and upper is not None:
                if (cheaper := _cheaper(task, text, upper, limits, proof)) is not None:
                    over.set()
                    cost, lower = plan_cost(task, cheaper), proof.result().lower_bound
                    return Optimum(status=Status.STOPPED, lower=min(lower, cost), upper=cost, plan=cheaper)
            elif not proof.done() and has_second_proof(task):
                pool.submit(prove, SECOND_PROOF).result()
            outcome = proof.result()
        finally:
            over.set()
    outcome = settled[0] if settled else outcome
    if outcome.status is Status.SOLVED:
        found = _own_steps(task, outcome)
        cost = plan_cost(task, found)
        if upper is None or cost < upper:
            plan, upper = found, cost
    if upper is None or outcome.status not in (Status.SOLVED, Status.STOPPED):
        return Optimum(status=outcome.status, lower=outcome.lower_bound, upper=upper, plan=plan)
    if not _fits(task, upper):
        return Optimum(status=Status.COST_LIMIT, lower=0, upper=upper, plan=plan)
    return Optimum(status=Status.SOLVED, lower=upper, upper=upper, plan=plan)


def known_to_be(status: Status, task: Task, known: Sequence[Step] | None) -> Optimum:
    """Return what is known without a search, given a valid plan or none."""
    if known is None:
        return Optimum(status=status, lower=0)
    return Optimum(status=status, lower=0, upper=plan_cost(task, known), plan=tuple(known))


def _cheaper(task: Task, text: str, cost: int, limits: Limits, proof: Future[Outcome]) -> tuple[Step, ...] | None:
    """Return a plan that costs less, if one is found before the proof ends."""
    for rung in BETTER:
        outcome = search(text, better(rung, cost), limits, lambda _: proof.done())
        if outcome.status is Status.SOLVED:
            found = _own_steps(task, outcome)
            if plan_cost(task, found) < cost:
                return found
        if proof.done():
            break
    return None


def _own_steps(task: Task, outcome: Outcome) -> tuple[Step, ...]:
    """Return the steps of a plan of the unmodified task, without the operator that only reaches the goal."""
    own = [int(name[2:]) for name in outcome.plan if name.startswith("i ")]
    return tuple(task.encoding.step(task.operators[number].name) for number in own)


def _fits(task: Task, cost: int) -> bool:
    """Return whether no path that is looked at before a plan of this cost can overflow."""
    return cost + max((operator.cost for operator in task.operators), default=0) <= LARGEST


def plan_cost(task: Task, steps: Sequence[Step]) -> int:
    """Return the cost of steps in the task's scaled integers."""
    return sum(step_costs(task, steps))


def repair(
    task: Task,
    simulator: Simulator,
    tokens: Sequence[Token],
    policy: Policy,
    limits: Limits,
    *,
    with_goal: bool,
    optimum: Optimum | None = None,
    progress: Progress | None = None,
    known: Sequence[Edit] | None = None,
    least: int = 0,
) -> Repair:
    """Find the nearest plan that is sound, with ``with_goal`` valid, with a proven ``optimum`` cheapest.

    ``known`` are edits to such a plan, whose steps the task has, and ``least`` is what any costs at least. ``progress``
    is called, from more than one thread, with the lower bound and the cost of the best plan so far.
    Raises OverflowError when the costs do not fit 30 bits, PlannerError when the planner fails or answers with a
    plan that does not execute.
    """
    if with_goal and task.is_relaxed_unsolvable:
        return Repair(status=Status.UNSOLVABLE, proven=True)

    def prepared(weighting: Weighting) -> Race:
        edit_task = compile_edit(task, tokens, weighting, with_goal=with_goal)
        cheapest = None if optimum is None else optimum.upper
        told = progress or (lambda lower, best: None)
        standing = Standing(edit_task, simulator, with_goal=with_goal, cheapest=cheapest, progress=told)
        _begin(standing, optimum)
        standing.lower = max(standing.lower, least)
        if known is not None:
            standing.take(tuple(known))
        return Race(standing)

    race = prepared(_weighting(tokens, policy, optimum, task))
    if optimum is None and policy is Policy.KEEP:
        return with_fewest_skips(race, limits, prepared)
    return race.run(limits)


def _begin(standing: Standing, optimum: Optimum | None) -> None:
    """Offer what is known at no cost, and the bounds that hold in any case."""
    edit_task = standing.edit_task
    first = _greedy(edit_task, standing.simulator, standing.with_goal)
    if first is not None:
        standing.offer(first)
    if optimum is not None and optimum.plan is not None:
        cost = plan_cost(edit_task.task, optimum.plan)
        standing.lower = max(standing.lower, edit_task.weighting.insert * cost + edit_task.forced_cost)
        standing.take(aligned(edit_task.tokens, optimum.plan))
    elif first is None or first.cost:
        # As it stands the plan lacks the quality, so that one change at least is needed.
        standing.lower = max(standing.lower, 1)


def _weighting(tokens: Sequence[Token], policy: Policy, optimum: Optimum | None, task: Task) -> Weighting:
    if optimum is not None:
        most_edits = len(tokens) + len(optimum.plan or ())
        weighting = Weighting.cheapest(most_edits)
        dearest = max((operator.cost for operator in task.operators), default=0)
        if weighting.insert * ((optimum.upper or 0) + dearest + 1) + most_edits > LARGEST:
            raise OverflowError("the costs of the modified problem do not fit the planner's 30 bits")
        return weighting
    return Weighting.keeping(len(tokens)) if policy is Policy.KEEP else Weighting.edits()


def _greedy(edit_task: EditTask, simulator: Simulator, with_goal: bool) -> Repair | None:
    """Return the plan without the steps that fail, if that has the quality: an upper bound at no cost."""
    kept = set(edit_task.kept)
    edits: list[Edit] = []
    trace = simulator.run(Plan(parts=tuple(_bare_tokens(edit_task.tokens))))
    failing = {failure.step for failure in trace.failures}
    places = Plan(parts=tuple(edit_task.tokens)).places
    for index, token in enumerate(edit_task.tokens):
        keep = index in kept and places[index] not in failing
        edits.append(Edit(move=Move.KEEP if keep else Move.SKIP, token=token))
    candidate = Repair(status=Status.SOLVED, edits=tuple(edits), cost=edit_task.cost(edits))
    again = simulator.run(Plan(parts=candidate.plan or ()))
    return candidate if (again.is_valid if with_goal else again.is_sound) else None


def _bare_tokens(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens without times and sets, so that they execute one after the other."""
    return [Step(name=token.name, args=token.args) if isinstance(token, Step) else token for token in tokens]
