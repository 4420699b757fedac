"""What is asked of a model with numbers or trajectory constraints, and what is answered."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Status
from validator.reading.plan import Step, Token
from validator.records import dataclass
from validator.repair.edit import Edit, kept_steps
from validator.repair.engines import Engines
from validator.repair.incumbent import Progress
from validator.repair.policy import Policy

__all__ = ["COUNTS", "EXECUTION", "GREEDY", "OWN_SEARCH", "Answer", "Asked"]

OWN_SEARCH = "plan-validator's exact search"

GREEDY = "plan-validator's greedy search"

COUNTS = "plan-validator's linear program"

EXECUTION = "execution"
"""proves that a plan without the quality needs a change"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a plan is wanted for.

    ``accepted`` executes a plan and says whether it has the quality, ``metric`` what one that has it costs.
    """

    simulator: Simulator
    tokens: tuple[Token, ...]
    policy: Policy
    with_goal: bool
    limits: Limits
    accepted: Callable[[tuple[Step, ...]], bool]
    metric: Callable[[tuple[Step, ...]], Fraction | None]
    engines: Engines
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The best edits that were found, with cost and lower bound in the terms of the weighting.

    ``engine`` found them, ``prover`` proved that there are no cheaper ones (empty: nobody did). That an engine
    ``claims`` it is no proof: engines round numbers, and understand some models otherwise. ``notes`` say why others
    did not help. With the status UNSOLVABLE there are none at all.
    """

    status: Status
    edits: tuple[Edit, ...] | None = None
    cost: Fraction | None = None
    lower: Fraction = Fraction(0)
    engine: str = OWN_SEARCH
    prover: str = ""
    claims: bool = False
    notes: tuple[str, ...] = ()

    def met(self, before: str) -> str:
        """Say which limit was met before something, or only that it did not come."""
        if self.status in (Status.SOLVED, Status.STOPPED):
            return f"the search ended before {before}"
        return f"the {self.status.value} was met before {before}"

    @property
    def engines(self) -> str:
        """Return the names of who found the edits and who proved them."""
        is_other = self.prover not in (self.engine, EXECUTION, "")
        return f"{self.engine}, {self.prover}" if is_other else self.engine

    @property
    def plan(self) -> tuple[Step, ...] | None:
        """Return the steps that the edits lead to."""
        return None if self.edits is None else kept_steps(self.edits)
