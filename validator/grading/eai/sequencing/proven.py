"""Classes of faults that are proven: by executing, and by a planner on the problem of running the step after all.

For a step ``a`` that cannot run in the state ``s`` that the executed steps before it left:

1. additional step: ``a`` has effects, and all of them hold in ``s`` already;
2. wrong order: ``a`` could run in an earlier state of the execution;
3. missing step: steps inserted between ``s`` and ``a`` let ``a`` run;
4. wrong order as well: no steps inserted there do, but some inserted at the beginning do;
5. affordance: no state that can be reached allows ``a``.

The classes are tried in this order, so that each fault has exactly one. Every plan that is found is executed in the
whole scene before it counts; that there is none counts only where it is proven for the whole scene.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import ceil

from validator.execution.simulator import Simulator
from validator.grading.eai.sequencing.taxonomy import Error, static_test
from validator.grading.eai.world.formulas import conjuncts, substituted
from validator.grading.eai.world.state import State
from validator.grading.eai.world.unreachable import stays_false
from validator.grading.eai.world.world import World, bind
from validator.grounding.ground import ground
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import search
from validator.grounding.task import Task
from validator.model.values import Action, Formula, Literal, Model, Problem
from validator.records import dataclass
from validator.repair.edit import unmodified

__all__ = ["Prover"]

_SEARCH = "let(h, ff(), lazy_greedy([h], preferred=[h]))"
_BUSY = 30
"""How many times slower than by its CPU time a process may be on a busy machine."""
_WHOLE = 60
"""Scenes with up to so many objects are given to the planner whole; of larger ones first the part near the step."""
_NEAR = 8
"""An object is near when it shares a fact with one of the step's, and the step's has no more facts of that kind."""


@dataclass(kw_only=True)
class Prover:
    """Proves the classes of the faults in one world; ``seconds`` and ``memory`` limit each question to the planner.

    The seconds are of CPU time, so that a busy machine gives the same grades; by the clock there is much more.
    """

    world: World
    seconds: float = 30.0
    memory: int = 4 * 2**30

    def __post_init__(self) -> None:
        self._is_static: Callable[[Formula], bool] = static_test(self.world.domain)

    def __call__(self, action: Action, args: Sequence[str], index: int, states: Sequence[State]) -> Error | str:
        """Return the class of a fault, or why it is not known."""
        now = states[-1]
        if self._is_done(action, args, now):
            return Error.ADDITIONAL_STEP
        if any(self.world.failing(action, args, state) is None for state in states[:-1]):
            return Error.WRONG_ORDER
        if self._never(action, args, now):
            return Error.AFFORDANCE
        if self._one_step(action, args, now):
            return Error.MISSING_STEP
        inserted = self._reachable(action, args, now)
        if inserted is True:
            return Error.MISSING_STEP
        if isinstance(inserted, str):
            return inserted
        if len(states) == 1:
            return Error.AFFORDANCE
        earlier = self._reachable(action, args, states[0])
        if isinstance(earlier, str):
            return earlier
        return Error.WRONG_ORDER if earlier else Error.AFFORDANCE

    def _is_done(self, action: Action, args: Sequence[str], state: State) -> bool:
        added, deleted = self.world.effects(action, args, state)
        if not added and not any(isinstance(effect, Literal) for effect in action.effects):
            return False
        return all(atom in state for atom in added) and deleted <= added

    def _never(self, action: Action, args: Sequence[str], state: State) -> bool:
        """Return whether a condition is false that no action ever changes."""
        binding = bind(action, args)
        parts = (part for part in conjuncts(action.precondition) if self._is_static(part))
        return any(not self.world.holds(part, state, binding) for part in parts)

    def _one_step(self, action: Action, args: Sequence[str], state: State) -> bool:
        """Return whether one inserted step over the objects near the failing one suffices."""
        for other, others in self._steps(self._near(args, state)):
            if self.world.failing(other, others, state) is None:
                after = self.world.result(other, others, state)
                if self.world.failing(action, args, after) is None:
                    return True
        return False

    def _steps(self, names: Sequence[str]) -> Iterator[tuple[Action, tuple[str, ...]]]:
        for action in self.world.domain.actions.values():
            fits = [[name for name in names if self._fits(name, each.types)] for each in action.parameters]
            for args in product(*fits):
                yield action, args

    def _fits(self, name: str, types: frozenset[str]) -> bool:
        return not types.isdisjoint(self.world.domain.types.ancestors(self.world.objects[name]))

    def _near(self, args: Sequence[str], state: State, rounds: int = 1) -> tuple[str, ...]:
        """Return the objects of a step, the constants, and what is near them."""
        found = dict.fromkeys((*args, *self.world.domain.constants))
        for _ in range(rounds):
            for name in tuple(found):
                for predicate, parameters in self.world.domain.predicates.items():
                    for place in range(len(parameters)):
                        row = state.row((predicate, place, name))
                        if len(row) <= _NEAR:
                            found.update(dict.fromkeys(other for atom in sorted(row) for other in atom[1:]))
        return tuple(found)

    # --- the planner -----------------------------------------------------------------------------

    def _reachable(self, action: Action, args: Sequence[str], state: State) -> bool | str:
        """Return whether steps lead from a state to one in which a step can run, or why that is not known."""
        goal = substituted(action.precondition, bind(action, args))
        if stays_false(self.world, goal, state, self._is_static):
            return False
        by_the_clock = time.monotonic() + _BUSY * self.seconds
        limits = Limits(deadline=by_the_clock, memory=self.memory, cpu=max(1, ceil(self.seconds)))
        whole = tuple(self.world.objects)
        answer: bool | str = "no steps over the objects nearby were found; others may do"
        for part in (whole,) if len(whole) <= _WHOLE else (self._near(args, state, rounds=n) for n in (1, 2)):
            answer = self._ask(part, state, goal, action, args, limits)
            if answer is True:
                return True
        if answer is False and len(whole) > _WHOLE:
            return "no steps over the objects nearby were found; others may do"
        return answer

    def _ask(
        self, names: Sequence[str], state: State, goal: Formula, action: Action, args: Sequence[str], limits: Limits
    ) -> bool | str:
        """Ask the planner about the part of a scene that has some objects only."""
        task = ground(Simulator(self._model(names, state, goal)), limits)
        if isinstance(task, Status):
            return f"the grounding met its {task}"
        outcome = self._search(task, limits)
        if outcome.status is Status.SOLVED:
            return self._runs(task, outcome, action, args, state) or "the steps found do not run in the whole scene"
        return False if outcome.status is Status.UNSOLVABLE else f"the search met its {outcome.status}"

    def _model(self, names: Sequence[str], state: State, goal: Formula) -> Model:
        kept = set(names)
        problem = Problem(
            name="part",
            objects={name: types for name, types in self.world.objects.items() if name in kept},
            init=frozenset(atom for atom in state if kept.issuperset(atom[1:])),
            values={},
            goal=goal,
        )
        return Model(domain=self.world.domain, problem=problem)

    def _search(self, task: Task, limits: Limits) -> Outcome:
        if task.is_relaxed_unsolvable:
            return Outcome(status=Status.UNSOLVABLE)
        if task.goal == ():
            return Outcome(status=Status.SOLVED)
        return search(unmodified(task), _SEARCH, limits)

    def _runs(self, task: Task, outcome: Outcome, action: Action, args: Sequence[str], state: State) -> bool:
        """Execute the planner's steps, and the failing one behind them, in the whole scene."""
        for name in outcome.plan:
            if not name.startswith("i "):
                continue
            step = task.encoding.step(task.operators[int(name[2:])].name)
            inserted = self.world.domain.actions[step.name]
            if self.world.failing(inserted, step.args, state) is not None:
                return False
            state = self.world.result(inserted, step.args, state)
        return self.world.failing(action, args, state) is None
