"""What every search for a nearest plan of a classical model comes to, and the names of all searches."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction

from validator.errors import PlannerError
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.execution.trace import Trace
from validator.grounding.limits import Status
from validator.reading.plan import Step
from validator.records import dataclass
from validator.repair.edit import Edit, Move, kept_steps


class Prover(StrEnum):
    """What finds plans and proves bounds; the proofs of Fast Downward are named in ``grounding.planner``."""

    EXECUTION = "execution"
    """a plan that lacks the quality needs one change at least, and a token that is no step of the model is skipped"""
    RELAXATION = "delete relaxation"
    LOCAL_SEARCH = "local search"
    """finds a repair, and proves nothing"""
    A_STAR = "A* in this process"
    PROJECTION = "cost partitioning of a projection"
    COST_PARTITIONING = "cost partitioning"
    PLANNER_GREEDY = "greedy search (Fast Downward)"
    """finds a plan, and proves nothing, as the next one"""
    GREEDY = "plan-validator's greedy search"
    EXACT = "plan-validator's exact search"
    """of models with numbers"""
    ORDERS = "plan-validator's search over orders"
    """of starts and ends, over time"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """The best way found from the observed plan to one with the quality, and how much better another one could be.

    ``edits`` is None when none was found: with ``status`` UNSOLVABLE there is none, with a limit there may be.
    ``lower`` and ``upper`` bound the least cost in the modified task; ``upper`` is that of ``edits``. ``proven`` says
    that they meet. ``by`` names the search that proved it; without a proof the one that found the edits, or, without
    edits, the one whose lower bound is the highest.
    """

    status: Status
    lower: int = 0
    upper: int | None = None
    edits: tuple[Edit, ...] | None = None
    proven: bool = False
    by: str = ""

    @classmethod
    def of(cls, edits: tuple[Edit, ...], *, lower: int, by: str) -> Proved:
        """Return a repair by the policy ``edits``, which is proven where it changes as few lines as any must."""
        upper = sum(edit.move is not Move.KEEP for edit in edits)
        proven = upper <= lower
        status = Status.SOLVED if proven else Status.STOPPED
        by = Prover.EXECUTION if proven and by == Prover.LOCAL_SEARCH else by
        return cls(status=status, lower=min(lower, upper), upper=upper, edits=edits, proven=proven, by=by)

    @property
    def plan(self) -> tuple[Step, ...] | None:
        """Return the repaired plan, without times and outputs."""
        return None if self.edits is None else kept_steps(self.edits)


@dataclass(frozen=True, slots=True, kw_only=True)
class CostBounds:
    """Bounds of the cheapest cost of a model beyond classical planning, and the plan of the upper one.

    What is None is not known. ``by`` proved the lower bound, ``why`` says why the bounds do not meet. With the status
    UNSOLVABLE there is no plan.
    """

    status: Status
    lower: Fraction | None
    upper: Fraction | None = None
    plan: tuple[Step, ...] | None = None
    by: str = ""
    why: str = ""


def executed(
    simulator: Simulator, plan: Sequence[Step], *, with_goal: bool, whose: str = "the planner's answer"
) -> Trace:
    """Return the execution of what was found. Raises PlannerError when that lacks what was asked for."""
    trace = simulator.run(plan)
    if not (trace.is_valid if with_goal else trace.is_sound):
        faults = "; ".join(sentences(trace.failures[:3], plan))
        raise PlannerError(f"{whose} does not execute: {faults}")
    return trace
