"""Greedy search in the moments of plans over time: a goal is reached when it holds and nothing runs any more.

The relaxation is that of starts and ends as actions (Do and Kambhampati 2003; Coles et al. 2008): an end needs its
start, and of time it knows only what ``lasting`` says. What runs must end, so that ends are among what is promising.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial

from validator.grounding.limits import checked
from validator.grounding.numbers.states import State
from validator.model.numeric import Situation, truth
from validator.model.values import TRUE, Action, And, Atom, Formula, Literal, Model
from validator.reading.plan import Step
from validator.records import replace
from validator.repair.greedy.needs import Requirements
from validator.repair.greedy.relaxation import Estimate, Relaxation
from validator.repair.greedy.search import Greedy, Target
from validator.repair.time.greedy.envelopes import LASTS, Lasting, ended
from validator.repair.time.greedy.snap_actions import end_of
from validator.repair.time.greedy.states import Moment, Moments

__all__ = ["Overlapping"]

_MOST_BYTES = 2**30
"""of the states that are kept: where hundreds of steps run, their clocks take the memory"""


class Overlapping(Greedy):
    """Greedy searches among the starts and ends of some ground steps, in the moments of a model over time.

    ``is_over`` ends everything: the preparation with a TimeoutError.
    """

    def __init__(
        self,
        moments: Moments,
        steps: Sequence[Step],
        goal: Formula,
        is_over: Callable[[], bool],
    ) -> None:
        self.moments = moments
        durative = moments.timed.domain.durative
        lasting = {end_of(step): ended(step) for step in steps if step.name in durative}
        self._lasting = Lasting(self.moments, steps, is_over)
        self.moments.lasting = self._lasting.holding
        snaps = [part for step in checked(steps, is_over) for part in self.moments.parts(step)]
        snaps += [step for _, step in self.moments.facts()]
        whole = And((goal, *lasting.values()))
        super().__init__(self.moments.model, snaps, whole, is_over, self.moments)
        self.target = Target(goal, {}, self.relaxation.needs(goal, {}))
        self._ends = {place for place, ground in enumerate(self.steps) if ground.step in lasting}
        self.is_over = partial(_is_over, is_over, self.moments)
        self._over = {end: self.relaxation.needs(over, {}) or () for end, over in lasting.items()}

    def _relaxed(self, model: Model, goal: Formula) -> Relaxation:
        told = Action(name=LASTS, parameters=(), precondition=TRUE, effects=(Literal(Atom(LASTS, ())),))
        actions = {**model.domain.actions, told.name: told}  # which says that it changes how long something holds
        model = replace(model, domain=replace(model.domain, actions=actions))
        requirements = Requirements(model, model.problem.init, self.moments.values)
        return Relaxation(requirements, list(map(self._lasting.told, self.steps)), goal, self.is_over)

    def searched(self, start: State, target: Target, nodes: float, ahead: bool) -> tuple[tuple[Step, ...] | None, bool]:
        """Return a plan of starts and ends as ``Greedy`` does.

        Where there is none when moments that differ in their clocks alone are taken for one, they are told apart.
        """
        plan, is_exhausted = super().searched(start, target, nodes, ahead)
        if is_exhausted and target is self.target and not self.moments.is_exact:
            return self._exactly().searched(start, target, nodes, ahead)
        return plan, is_exhausted

    def _exactly(self) -> Overlapping:
        other = copy(self)
        other.states = other.moments = copy(self.moments)
        other.moments.is_exact = True
        other.is_over = partial(_is_over, self.is_over, other.moments)
        return other

    def _is_reached(self, state: State, situation: Situation, target: Target) -> bool:
        assert isinstance(state, Moment)
        if not super()._is_reached(state, situation, target):
            return False
        if target is not self.target:
            return True
        # Whether what happens behind the end of a plan counts is not settled, so that nothing there may undo the goal.
        late = self.moments.behind(state) if self.moments.may_end(state) else None
        return late is not None and all(truth(target.formula, target.binding, each) is True for each in late)

    def _estimate(self, state: State, situation: Situation, target: Target) -> Estimate:
        assert isinstance(state, Moment)
        if target is self.target and target.needs is not None:
            needs = [need for end in state.clock.waiting for need in self._over.get(end, ())]
            target = Target(target.formula, target.binding, (*target.needs, *needs))
        if state.lasts:
            situation = replace(situation, atoms=situation.atoms | state.lasts)
        estimate = super()._estimate(state, situation, target)
        # What starts first can run beside what starts later; what ends first makes time pass for all.
        is_end = self._ends.__contains__
        return replace(
            estimate,
            applicable=sorted(estimate.applicable, key=is_end),
            promising=sorted(estimate.promising, key=is_end),
            plan=sorted(estimate.plan, key=lambda step_often: is_end(step_often[0])),
        )


def _is_over(is_over: Callable[[], bool], moments: Moments) -> bool:
    return moments.size > _MOST_BYTES or is_over()
