"""Engines beside our own searches: what a repair asks of them, whoever they are.

``validator.up.engines.installed`` finds those of unified-planning. A repair takes any object that can do the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from validator.grounding.limits import Limits, Status
from validator.reading.plan import Step, Token
from validator.records import dataclass
from validator.repair.policy import Policy
from validator.repair.proved import Proved

__all__ = ["WITH_MORE_TIME", "Engine", "Engines", "TimeEngine", "found_by"]

WITH_MORE_TIME = "with more time, an engine for numbers may help: pip install up-enhsp (it needs Java), or up-tamer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """An engine with its problem. ``run`` solves it, until the function that it is given says that nobody waits.

    ``run`` raises PlannerError when the engine fails.
    """

    name: str
    run: Callable[[Limits, Callable[[], bool]], Proved]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeEngine:
    """An engine with the modified problem of a plan over time. ``run`` returns its steps, with times."""

    name: str
    package: str
    run: Callable[[Limits, Callable[[], bool]], tuple[Status, tuple[Step, ...] | None]]


class Engines(Protocol):
    """The engines that may help with one model; each question is answered with notes on why others do not help."""

    @property
    def is_named(self) -> bool:
        """Whether the user has named one engine, which is to answer in place of our own search."""

    def for_plan(
        self, tokens: Sequence[Token], policy: Policy, *, with_goal: bool
    ) -> tuple[list[Engine], tuple[str, ...]]:
        """Return engines for the modified problem of a plan."""

    def for_cost(self) -> tuple[list[Engine], tuple[str, ...]]:
        """Return engines for the cheapest plan of the model."""

    def for_time(self, tokens: Sequence[Token], *, with_goal: bool) -> tuple[list[TimeEngine], tuple[str, ...]]:
        """Return engines for a plan over time."""


def found_by(engine: str, prover: str, claims: bool = False) -> str:
    """Say who found a repair, and who proved that none is nearer, or ``claims`` it without a proof that counts."""
    if not prover:
        return (
            f"found by {engine}, which says that none is nearer; not proven"
            if claims
            else f"found by {engine}, not proven"
        )
    return f"found and proven by {engine}" if prover == engine else f"found by {engine}, proven by {prover}"
