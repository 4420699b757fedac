"""A repair in a model too large to be grounded soon: in a part that is about the faults, which grows.

First and between the parts, projections of the whole tell what any repair in it changes at least (``projecting``): all
steps of the whole have an image there, and often what is found there is a plan of the whole.

A part has the observed steps, and all steps among the objects that matter most (``concerned``), as many as are
grounded in a second; then four times as many, and so on. Whatever plan a part has, the model has. What a part has not
says nothing: proven is only what meets the bounds of projections, or the changes that the observed steps contradict
each other for (``conflicts``), or what is proven in the whole model, which is grounded beside the parts as soon as
there is a repair, where that may end in time. Where there is none after a second the whole is grounded at once, and
is searched as soon as it is there: greedy search may find there what no part has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from time import monotonic
from typing import TypeAlias

from validator.alarms import OutOfTime
from validator.execution.simulator import Simulator
from validator.grounding.ground import ground
from validator.grounding.limits import Limits, Status
from validator.grounding.task import Task
from validator.model.values import Model
from validator.reading.plan import Plan, Token
from validator.records import dataclass, replace
from validator.repair.edit import Move, Weighting, kept_steps
from validator.repair.nearest import repair
from validator.repair.parts.conflicts import conflicts
from validator.repair.parts.part import GroundAction, Parts, part_of
from validator.repair.parts.projecting import Projecting
from validator.repair.policy import Policy
from validator.repair.search.answer import Repair
from validator.repair.search.standing import Progress

__all__ = ["Whole", "repair_in_parts"]

Whole: TypeAlias = Callable[[Limits, Callable[[], bool], int], Task | Status]
"""Grounds the whole model within limits, and until it is not wanted any more; others come before it by so much."""

_SIZES = (2_000, 8_000, 30_000)
"""steps among objects in a part"""

_OBJECTS = (24, 48, 144)
"""objects that a projection tells apart, before each part and behind it"""

_PROJECTED = 0.15
"""of the time that is left, for one"""

_SHARE = 0.4
"""of the time that is left, for all but the last part"""

_PATIENCE = 1.0
"""seconds for a first repair before the whole is grounded beside the parts"""

_BEHIND = 10
"""how nice the grounding of the whole is to the parts where there is a repair, which it may prove"""

_SECONDS, _HOPE = 3e-4, 2.0
"""that a step takes to be grounded, and by how much this may be wrong"""


def repair_in_parts(
    simulator: Simulator,
    tokens: Sequence[Token],
    policy: Policy,
    limits: Limits,
    whole: Whole,
    *,
    with_goal: bool,
    progress: Progress,
    known: Repair | None = None,
) -> Repair:
    """Find a near plan that is sound, with ``with_goal`` valid; ``known`` is a first one, or a bound.

    Errors as in ``validator.repair.nearest.repair``.
    """
    growing = _Growing(simulator, tokens, policy, limits, with_goal, progress)
    if known is not None:
        growing.begin(known)
    over = Event()

    def soon() -> Task | Status:
        growing.is_decided.wait(min(_PATIENCE, limits.seconds))
        return Status.STOPPED if growing.best is not None or over.is_set() else whole(limits, over.is_set, 0)

    with ThreadPoolExecutor(max_workers=2) as pool:
        try:
            growing.grounding = pool.submit(soon)
            return growing.run(lambda: pool.submit(whole, limits, over.is_set, _BEHIND))
        except OutOfTime:
            return growing.known(Status.TIME_LIMIT)
        finally:
            over.set()
            growing.is_decided.set()


@dataclass
class _Growing:
    simulator: Simulator
    tokens: Sequence[Token]
    policy: Policy
    limits: Limits
    with_goal: bool
    progress: Progress

    def __post_init__(self) -> None:
        simulator = self.simulator
        self.parts = Parts(simulator.model)
        self.projecting = Projecting(simulator, self.tokens, with_goal=self.with_goal)
        self.steps, self.order = self.projecting.steps, self.projecting.order
        trace = simulator.run(Plan(parts=tuple(self.steps)))
        self.weighting = Weighting.keeping(len(self.tokens)) if self.policy is Policy.KEEP else Weighting.edits()
        self.least = 0
        self._require(0 if (trace.is_valid if self.with_goal else trace.is_sound) else 1)
        self.best: Repair | None = None
        self.is_decided = Event()
        """whether there is a repair, or no part has one"""
        self.grounding: Future[Task | Status] = Future()
        """the whole, which may not have been begun"""

    def begin(self, known: Repair) -> None:
        """Take a repair, and what any in the whole model costs at least."""
        self.least = max(self.least, known.lower_bound)
        if known.edits is not None:
            self._take(known)

    def run(self, whole: Callable[[], Future[Task | Status]]) -> Repair:
        """Look for a repair in parts until one is proven, or none is nearer; then ``whole`` is begun, if in vain."""
        for size, objects in zip(_SIZES, _OBJECTS, strict=True):
            self._project(objects)
            if self._is_proven:
                break
            is_last = size == _SIZES[-1] and self._is_not_begun
            is_done = self._look(size, _shared(self.limits, 1.0 if is_last else _SHARE, self._is_whole_awaited))
            self._project(objects)
            if self.best is not None and self._is_not_begun and not self._is_proven and self._may_be_whole:
                self.grounding = whole()
            if is_done or self._is_proven or self.limits.seconds == 0 or _is_there(self.grounding):
                break
        if self.best is not None and self._is_proven:
            return replace(self.best, status=Status.SOLVED, proven=True, lower_bound=self.least)
        is_in_vain = self.best is not None and not self._may_be_whole
        self.is_decided.set()
        task = Status.STOPPED if is_in_vain else self.grounding.result()
        if task is Status.STOPPED and not is_in_vain:
            task = whole().result()
        if isinstance(task, Task):
            return self._repaired(task, self.limits, self.progress)
        return self.known(Status.TIME_LIMIT if self.limits.seconds == 0 else task)

    def known(self, status: Status) -> Repair:
        """Return the best repair so far, which is not proven."""
        if self.best is None:
            return Repair(status=status, lower_bound=self.least)
        return replace(self.best, status=status, proven=False, lower_bound=self.least)

    @property
    def _is_not_begun(self) -> bool:
        """Return whether there was a repair before the whole was to be grounded."""
        return self.grounding.done() and self.grounding.result() is Status.STOPPED

    def _is_whole_awaited(self) -> bool:
        """Return whether the whole is there while nothing is known."""
        return self.best is None and _is_there(self.grounding)

    @property
    def _may_be_whole(self) -> bool:
        """Return whether there seems to be time to ground the whole model; where nothing is known it is tried."""
        return self.parts.size() * _SECONDS < _HOPE * self.limits.seconds

    @property
    def _is_proven(self) -> bool:
        """Return whether the best repair costs what any does; of skips that all may be spared, cost says nothing."""
        if self.best is None or self.best.edits is None or (self.best.cost or 0) > self.least:
            return False
        skips = sum(edit.move is Move.SKIP for edit in self.best.edits)
        return self.policy is not Policy.KEEP or skips == len(self.tokens) - len(self.steps)

    def _look(self, size: int, limits: Limits) -> bool:
        """Look for a nearer plan in a part, and return whether there is none, and one is known."""
        task = self._ground(part_of(self.simulator.model, self._chosen(size)), limits)
        if not isinstance(task, Task):
            return False
        self._require(sum(1 for _ in conflicts(task, self.steps, with_goal=self.with_goal)))
        found = self._repaired(task, limits, lambda lower, best: self.progress(self.least, best))
        if found.edits is None:
            return False
        before = self.best
        self._take(found)
        return found.proven and before is not None and found.cost == before.cost

    def _take(self, found: Repair) -> None:
        self.best = found
        self.is_decided.set()

    def _require(self, changes: int) -> None:
        """Take it that any repair in the whole model changes so much beside the steps that do not fit the model."""
        skipped = (len(self.tokens) - len(self.steps)) * self.weighting.skip
        self.least = max(self.least, skipped + changes * min(self.weighting.skip, self.weighting.insertion(0)))

    def _project(self, objects: int) -> None:
        """Raise the bound by a projection, and take what is found there."""
        if self.policy is Policy.EDITS and not self._is_proven:
            known = Repair(status=Status.STOPPED) if self.best is None else self.best
            limits = _shared(self.limits, _PROJECTED, self._is_whole_awaited)
            found = self.projecting.look(objects, replace(known, lower_bound=self.least), limits, limits.seconds)
            self.least = found.lower_bound
            if found.edits is not None:
                self._take(found)
            self.progress(self.least, found.cost)

    def _chosen(self, most: int) -> set[GroundAction]:
        """Return the steps of a part: observed ones, those of the best plan, all among as many objects as can be."""
        count, found = 2, list[GroundAction]()
        while (more := self.parts.among(set(self.order[:count]), most)) is not None:
            found = more
            if count >= len(self.order):
                break
            count += 1 + count // 4
        steps = (*self.steps, *(kept_steps(self.best.edits or ()) if self.best is not None else ()))
        return {(name, step.args) for step in steps for name in self.simulator.admitted(step)} | set(found)

    def _ground(self, part: Model, limits: Limits) -> Task | Status:
        simulator = Simulator(part)
        try:
            return ground(simulator, limits)
        except ValueError:
            if self.policy is not Policy.EDITS:
                raise
            return ground(simulator, limits, with_costs=False)

    def _repaired(self, task: Task, limits: Limits, progress: Progress) -> Repair:
        return repair(
            task,
            self.simulator,
            self.tokens,
            self.policy,
            limits,
            with_goal=self.with_goal,
            progress=progress,
            known=None if self.best is None else self.best.edits,
            least=self.least,
        )


def _is_there(whole: Future[Task | Status]) -> bool:
    return whole.done() and isinstance(whole.result(), Task)


def _shared(limits: Limits, share: float, is_over: Callable[[], bool]) -> Limits:
    return replace(limits, deadline=monotonic() + share * limits.seconds, is_over=is_over)
