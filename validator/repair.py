"""The nearest plan that has a quality: the modified problem solved, every answer executed again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from threading import Event
from typing import TypeAlias

from validator.bridge import bridge
from validator.edit import LARGEST, Edit, EditTask, Move, Policy, Weighting, compile_edit, unmodified
from validator.errors import PlannerError
from validator.execute import Simulator
from validator.plan import Plan, Step, Token
from validator.planner import Limits, Outcome, Status, search
from validator.polish import polish
from validator.regression import Regression
from validator.task import Task
from validator.walk import step_costs

__all__ = ["Optimum", "Progress", "Repair", "find_optimum", "optimal_strategy", "plan_cost", "repair"]

Progress: TypeAlias = Callable[[int, int | None], None]

LM_CUT = "astar(lmcut(), pruning=limited_pruning(pruning=atom_centric_stubborn_sets(), min_required_pruning_ratio=0.2))"
"""A* with LM-cut, and stubborn sets (Wehrle and Helmert 2014) for as long as they prune.

They cost nothing on competition models, and spare the orders of independent steps, of which flows are full: 0.02 s
where it takes 10 s without.
"""

SECOND_PROOF = "astar(cpdbs(patterns=hillclimbing(max_time=2)))"

_LADDER = (
    ("let(h, ff(), lazy_greedy([h], preferred=[h]{bound}))", 2.0),
    ("let(h, ff(), lazy_wastar([h], preferred=[h], w=3{bound}))", 1.0),
    (SECOND_PROOF, inf),
    ("let(h, ff(), lazy_wastar([h], preferred=[h], w=2{bound}))", inf),
    ("let(h, ff(), lazy_wastar([h], preferred=[h], w=1{bound}))", inf),
)
"""What is tried beside the proof, one after the other, each with the seconds that it gets.

Greedy and weighted searches for better and better plans prove nothing (Richter, Thayer and Ruml 2010); in between, a
second proof with pattern databases (Haslum et al. 2007), which proves what LM-cut is too slow for.
"""

_HEAD_START = 0.5
"""Seconds that the proof has for itself: most repairs are done by then, and a second process would only cost."""

_BACKWARD_START = 2.0
"""Seconds that the backward search then has before better plans are looked for beside it."""

_BRIDGE = 2.0
_POLISH = 2.0
"""Seconds for a first repair of a long plan, and for making it better."""


def optimal_strategy(task: Task) -> str:
    """Return the search that proves a cheapest plan: its heuristic must be admissible on the task.

    LM-cut (Helmert and Domshlak 2009) and stubborn sets handle neither conditional effects nor axioms; hmax is
    admissible with conditional effects, not with axioms.
    """
    if task.has_axioms:
        return "astar(blind())"
    return "astar(hmax())" if task.has_conditional_effects else LM_CUT


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """The best way found from the observed plan to one with the quality.

    ``edits`` is None when none was found: with ``status`` UNSOLVABLE there is none, with a limit there may be.
    ``cost`` and ``lower_bound`` are costs of the modified task; ``proven`` says that they meet. ``seconds`` are those
    of each phase, by the clock; phases run side by side.
    """

    status: Status
    edits: tuple[Edit, ...] | None = None
    cost: int | None = None
    lower_bound: int = 0
    proven: bool = False
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def plan(self) -> tuple[Step, ...] | None:
        """Return the repaired plan, without times and outputs."""
        if self.edits is None:
            return None
        kept = (edit.token for edit in self.edits if edit.move is not Move.SKIP)
        return tuple(Step(name=token.name, args=token.args) for token in kept if isinstance(token, Step))


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
            wait([proof], timeout=min(_HEAD_START, limits.seconds))
            if not proof.done() and only_compare and upper is not None:
                if (cheaper := _cheaper(task, text, upper, limits, proof)) is not None:
                    over.set()
                    cost, lower = plan_cost(task, cheaper), proof.result().lower_bound
                    return Optimum(status=Status.STOPPED, lower=min(lower, cost), upper=cost, plan=cheaper)
            elif not proof.done() and _has_second_proof(task):
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


def _has_second_proof(task: Task) -> bool:
    """Return whether pattern databases can be built: they know neither conditional effects nor axioms."""
    return not task.has_axioms and not task.has_conditional_effects


def _cheaper(task: Task, text: str, cost: int, limits: Limits, proof: Future[Outcome]) -> tuple[Step, ...] | None:
    """Return a plan that costs less, if one is found before the proof ends."""
    for rung, _ in _LADDER:
        if rung is SECOND_PROOF:
            continue
        outcome = search(text, rung.format(bound=f", bound={cost}"), limits, lambda _: proof.done())
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
) -> Repair:
    """Find the nearest plan that is sound, with ``with_goal`` valid, with a proven ``optimum`` cheapest.

    ``progress`` is called, from more than one thread, with the lower bound and the cost of the best plan so far.
    Raises OverflowError when the costs do not fit 30 bits, PlannerError when the planner fails or answers with a
    plan that does not execute.
    """
    if with_goal and task.is_relaxed_unsolvable:
        return Repair(status=Status.UNSOLVABLE, proven=True)
    weighting = _weighting(tokens, policy, optimum, task)
    edit_task = compile_edit(task, tokens, weighting, with_goal=with_goal)
    race = _Race(edit_task, simulator, with_goal, progress or (lambda lower, best: None))
    first = _greedy(edit_task, simulator, with_goal)
    if first is not None and (optimum is None or plan_cost(task, first.plan or ()) == optimum.upper):
        race.offer(first)
    if optimum is None and (first is None or first.cost):
        # As it stands the plan lacks the quality, so that one change at least is needed.
        race.lower = max(race.lower, 1)
    return race.run(limits)


class _Race:
    """The proof and the search for better plans, side by side; each stops when the other makes it needless."""

    def __init__(self, edit_task: EditTask, simulator: Simulator, with_goal: bool, progress: Progress) -> None:
        self.progress = progress
        self.edit_task = edit_task
        self.simulator = simulator
        self.with_goal = with_goal
        self.best: Repair | None = None
        self.lower = edit_task.forced_cost
        self.over = Event()
        self.settled: Outcome | None = None
        self.seconds: dict[str, float] = {}

    def offer(self, found: Repair) -> None:
        """Take a repair that is cheaper than the best one."""
        if self.best is None or (found.cost or 0) < (self.best.cost or 0):
            self.best = found
            self.progress(self.lower, found.cost)
        if self._is_met():
            self.over.set()

    def run(self, limits: Limits) -> Repair:
        if self._is_met():
            return self._result(Outcome(status=Status.STOPPED))
        strategy = optimal_strategy(self.edit_task.task)
        with ThreadPoolExecutor(max_workers=3) as pool:
            try:
                proof = pool.submit(self._prove, "proof", strategy, limits)
                wait([proof], timeout=min(_HEAD_START, limits.seconds))
                if not proof.done():
                    self._bridge(limits)
                    backward = pool.submit(self._regress, limits)
                    wait([backward], timeout=0.0 if self.best is None else min(_BACKWARD_START, limits.seconds))
                    pool.submit(self._climb, limits).result()
                    backward.result()
                outcome = proof.result()
            except KeyboardInterrupt:
                outcome = Outcome(status=Status.INTERRUPTED)
            finally:
                self.over.set()
        return self._result(self.settled or outcome)

    @contextmanager
    def _timed(self, phase: str) -> Iterator[None]:
        """Add up the seconds of a phase."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds[phase] = round(self.seconds.get(phase, 0.0) + time.monotonic() - start, 6)

    def _raise_lower(self, bound: int) -> None:
        """Take a lower bound, without the tokens that can only be skipped."""
        if bound + self.edit_task.forced_cost > self.lower:
            self.lower = bound + self.edit_task.forced_cost
            self.progress(self.lower, None if self.best is None else self.best.cost)
        if self._is_met():
            self.over.set()

    def _prove(self, phase: str, strategy: str, limits: Limits) -> Outcome:
        """Search for a cheapest plan, until the lower bound meets the best plan known."""

        def stop(bound: int) -> bool:
            self._raise_lower(bound)
            return self._is_done()

        with self._timed(phase):
            outcome = search(self.edit_task.text, strategy, limits, stop)
        if outcome.status in (Status.SOLVED, Status.UNSOLVABLE):
            self.settled = outcome
            self.over.set()
        return outcome

    def _regress(self, limits: Limits) -> None:
        """Prove by backward search and windows, where the task allows it."""
        if self._is_done() or not Regression.suits(self.edit_task):
            return

        def go_on(bound: int) -> bool:
            self._raise_lower(bound)
            return not self._is_done() and limits.seconds > 0

        def bound() -> float:
            return inf if self.best is None else (self.best.cost or 0) - self.edit_task.forced_cost

        with self._timed("windows"):
            search_ = Regression(self.edit_task, with_goal=self.with_goal)
            known = () if self.best is None else self.edit_task.places(self.best.edits or ())
            found = search_.prove(known, bound, go_on, limits.memory)
            if found.names is not None:
                self.offer(self._checked(self.edit_task.edits(found.names)))
            self._raise_lower(found.lower)

    def _climb(self, limits: Limits) -> None:
        """Search for better and better plans, and for a second proof, until a proof is done."""
        self._polish(limits)
        for rung, seconds in _LADDER:
            if self._is_done():
                return
            within = replace(limits, deadline=min(limits.deadline, time.monotonic() + seconds))
            if rung is SECOND_PROOF:
                if _has_second_proof(self.edit_task.task):
                    self._prove("second proof", rung, within)
                continue
            bound = "" if self.best is None else f", bound={(self.best.cost or 0) - self.edit_task.forced_cost}"
            with self._timed("better plans"):
                outcome = search(self.edit_task.text, rung.format(bound=bound), within, lambda _: self._is_done())
            if outcome.status is Status.SOLVED:
                self.offer(self._found(outcome))

    def _is_done(self) -> bool:
        return self.over.is_set()

    def _bridge(self, limits: Limits) -> None:
        """Offer a repair fault by fault, which is there early even for long plans."""
        strategy = optimal_strategy(self.edit_task.task)
        within = replace(limits, deadline=min(limits.deadline, time.monotonic() + _BRIDGE))
        with self._timed("bridge"):
            edits = bridge(self.edit_task, strategy, within, with_goal=self.with_goal)
        if edits is not None:
            self.offer(self._checked(edits))

    def _polish(self, limits: Limits) -> None:
        """Make the best plan better, change by change."""
        best = self.best
        if best is None or best.edits is None or self._is_done():
            return
        strategy = optimal_strategy(self.edit_task.task)
        within = replace(limits, deadline=min(limits.deadline, time.monotonic() + _POLISH))
        with self._timed("better plans"):
            polish(self.edit_task, best.edits, strategy, within, self._take, self._is_done, with_goal=self.with_goal)

    def _take(self, edits: tuple[Edit, ...]) -> None:
        self.offer(self._checked(edits))

    def _is_met(self) -> bool:
        return self.best is not None and self.lower >= (self.best.cost or 0)

    def _found(self, outcome: Outcome) -> Repair:
        """Read a plan of the modified task."""
        return self._checked(self.edit_task.edits(outcome.plan))

    def _checked(self, edits: tuple[Edit, ...]) -> Repair:
        """Return a repair after executing the plan that it stands for."""
        repaired = Repair(status=Status.SOLVED, edits=edits, cost=self.edit_task.cost(edits))
        trace = self.simulator.run(Plan(parts=repaired.plan or ()))
        if not (trace.is_valid if self.with_goal else trace.is_sound):
            faults = "; ".join(str(failure) for failure in trace.failures[:3])
            raise PlannerError(f"the planner's answer does not execute: {faults}")
        return repaired

    def _result(self, outcome: Outcome) -> Repair:
        if outcome.status is Status.UNSOLVABLE:
            return Repair(status=Status.UNSOLVABLE, proven=True, seconds=self.seconds)
        if outcome.status is Status.SOLVED:
            self.best = self._found(outcome)
            self.lower = self.best.cost or 0
        if self.best is None:
            return Repair(status=outcome.status, lower_bound=self.lower, seconds=self.seconds)
        proven = self._is_met() and _means_nearest(self.edit_task, self.best)
        status = Status.SOLVED if proven or outcome.status is Status.SOLVED else outcome.status
        lower = min(self.lower, self.best.cost or 0)
        return replace(self.best, status=status, lower_bound=lower, proven=proven, seconds=self.seconds)


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


def _means_nearest(edit_task: EditTask, repaired: Repair) -> bool:
    """Return whether the cheapest plan is the nearest: insertions together must cost less than one skipped step."""
    weighting = edit_task.weighting
    dearest = max((operator.cost for operator in edit_task.task.operators), default=0)
    if (repaired.cost or 0) + max(weighting.skip, weighting.insertion(dearest)) > LARGEST:
        return False
    if weighting.keep or weighting.insert == 0:
        return True
    skips = sum(edit.move is Move.SKIP for edit in repaired.edits or ())
    return (repaired.cost or 0) - skips * weighting.skip < weighting.skip
