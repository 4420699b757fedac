"""The product of a policy and a model: a run is followed in both, call by call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from validator.policies.evaluation import Holds
from validator.policies.events import Event
from validator.policies.policy import Broken, Policy, Progress
from validator.policies.values import Truth

if TYPE_CHECKING:
    from validator.policies.executor import Executor, ModelState


@dataclass(frozen=True, slots=True)
class Position:
    """How far a run is: in its policy, and in the model that its calls are executed on, where there is one."""

    progress: Progress
    state: ModelState = None


@dataclass(frozen=True, slots=True)
class Transition:
    """What a call does to a run: where it leads, the rules that it breaks, and whether the model can execute it."""

    after: Position
    broken: tuple[Broken, ...]
    executable: Truth = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Product:
    """A policy, and the model that the calls are executed on as well; None for a policy alone.

    With ``to_goal`` a run must end where the model's goal holds.
    """

    policy: Policy
    executor: Executor | None = None
    to_goal: bool = False

    @property
    def start(self) -> Position:
        return Position(self.policy.start, None if self.executor is None else self.executor.start)

    def holds(self, state: ModelState) -> Holds | None:
        """Return what tells which facts of the model hold in a state."""
        return None if self.executor is None else partial(self.executor.holds, state)

    def after(self, position: Position, event: Event, *, is_made: bool = True, name: str | None = None) -> Transition:
        """Return what a call does to a run; the policy remembers it if it ``is_made``. ``name`` is the model's."""
        state = position.state
        progress, broken = self.policy.after(position.progress, event, self.holds(state), is_made=is_made)
        if self.executor is None:
            return Transition(Position(progress), broken)
        judged = self.executor.judge(state, replace(event, name=name) if name else event)
        return Transition(Position(progress, judged.after), broken, judged.allowed, judged.reason)

    def may_end(self, position: Position) -> bool:
        """Return whether a run may end here."""
        is_short = self.to_goal and self.executor is not None and self.executor.unmet(position.state)
        return not is_short and self.policy.is_kept(position.progress)
