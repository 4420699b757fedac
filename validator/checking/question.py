"""What is asked of a plan, and the clock that says where the time went."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import TYPE_CHECKING

from validator.checking.prepared import Prepared
from validator.checking.report import Quality
from validator.execution.run import gathered
from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits
from validator.model.values import Model
from validator.reading.plan import Dialect, Plan, Token
from validator.records import dataclass, field
from validator.repair import Policy

if TYPE_CHECKING:
    from validator.execution.time.happening import Separation
    from validator.reading.lexicon import TemplateSource
    from validator.repair.incumbent import Progress


class Clock:
    """Adds up wall-clock seconds by phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, phase: str) -> _Phase:
        return _Phase(self.seconds, phase)


class _Phase:
    """A phase while it lasts."""

    __slots__ = ("_name", "_seconds", "_start")

    def __init__(self, seconds: dict[str, float], name: str) -> None:
        self._seconds, self._name = seconds, name

    def __enter__(self) -> None:
        self._start = time.monotonic()

    def __exit__(self, *raised: object) -> None:
        total = self._seconds.get(self._name, 0.0) + time.monotonic() - self._start
        self._seconds[self._name] = int(total * 1e6 + 0.5) / 1e6  # rounded, in a third of the time of ``round``


FAILED = "failed"
"""the status of a planner that gave no answer"""


@dataclass(frozen=True, slots=True)
class NoTask:
    """Why a planner could not be asked: a status for programs and a reason for people."""

    status: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a plan is checked, as ``validator.check`` has it.

    The searches have until ``deadline``, a time of ``time.monotonic``; what does not look at it is ended at ``latest``.
    """

    quality: Quality
    policy: Policy
    repair: bool
    deadline: float
    latest: float
    memory_limit: int
    dialect: Dialect | None
    context: int | None
    progress: Progress | None
    planner: str | None
    epsilon: Fraction | None
    tolerance: Fraction | None
    trace: bool
    strict: bool
    strict_pddl: bool
    templates: TemplateSource | None
    certify: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A model, a plan, the quality that is asked for, and what the answer may cost."""

    prepared: Prepared
    plan: Plan
    quality: Quality
    policy: Policy
    limits: Limits
    clock: Clock
    context: int | None = None
    progress: Progress | None = None
    epsilon: Fraction | None = None
    tolerance: Fraction | None = None
    trace: bool = False
    tokens: tuple[Token, ...] = field(init=False)
    """of the plan, in the model's own spelling"""

    def __post_init__(self) -> None:
        tokens = self.simulator.resolved(self.plan.tokens or self.plan.unread)
        if self.tolerance and not self.model.features:
            tokens = gathered(tokens, self.apart.together)
        object.__setattr__(self, "tokens", tokens)

    @classmethod
    def of_empty_plan(cls, prepared: Prepared, limits: Limits) -> Question:
        """Return the question for a cheapest plan, as it is asked of the empty plan."""
        return cls(
            prepared=prepared,
            plan=Plan(parts=()),
            quality=Quality.OPTIMAL,
            policy=Policy.EDITS,
            limits=limits,
            clock=Clock(),
        )

    @property
    def model(self) -> Model:
        return self.prepared.model

    @property
    def simulator(self) -> Simulator:
        return self.prepared.simulator

    @property
    def is_beyond_classical(self) -> bool:
        """Return whether a plan is executed like plans with numbers or time.

        So are simultaneous steps of a unified-planning problem: it shows the conflicts that its validator sees.
        """
        times = [step.time for step in self.plan.steps if step.time is not None]
        return bool(self.model.features) or (self.model.problem.is_from_up and len(times) > len(set(times)))

    # --- over time, and with numbers -----------------------------------------------------------

    @property
    def apart(self) -> Separation:
        """Return how far apart acts must be, and how near durations."""
        from validator.execution.time.execution import DEFAULT_SEPARATION
        from validator.execution.time.happening import Separation

        if self.tolerance is not None:
            return Separation.as_val(self.tolerance)
        return DEFAULT_SEPARATION if self.epsilon is None else Separation.of(self.epsilon)

    def cost(self, steps: tuple[Token, ...]) -> Fraction | None:
        """Return what a plan costs, None where its metric has no value."""
        from validator.execution.time.execution import execute

        return execute(self.simulator, Plan(parts=steps), self.apart).cost
