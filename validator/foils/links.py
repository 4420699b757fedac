"""What the steps that two plans do not share are there for: their causal links, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from validator.execution.simulator import Simulator
from validator.metrics.effects.links import Link, causal_links
from validator.reading.plan import Plan, Step, Token

__all__ = ["link_sentences", "purpose"]

_MOST = 3
"""links of one step that are told"""


def link_sentences(
    simulator: Simulator, before: Sequence[Step] | None, after: Sequence[Step], seen: Callable[[Token], Token]
) -> Iterator[str]:
    """Yield a sentence for each step that only one of two valid plans has: ``-`` of the first, ``+`` of the second."""
    if before is None or not _has_links(simulator):
        return
    for sign, one, other in (("-", before, after), ("+", after, before)):
        lost = Counter(one) - Counter(other)
        if lost:
            links = causal_links(Plan(parts=tuple(one)), simulator)
            for step in dict.fromkeys(step for step in one if step in lost):
                yield f"{sign}{seen(step)} {_serves(step, links, seen)}"


def purpose(simulator: Simulator, steps: Sequence[Step], step: Step) -> str:
    """Return what a step of a valid plan is there for, as a sentence; empty for a flow, whose steps are not actions."""
    if not _has_links(simulator):
        return ""
    return f"{step} {_serves(step, causal_links(Plan(parts=tuple(steps)), simulator), lambda token: token)}"


def _has_links(simulator: Simulator) -> bool:
    return not any(action.step for action in simulator.model.domain.actions.values())


def _serves(step: Step, links: frozenset[Link], seen: Callable[[Token], Token]) -> str:
    own = sorted(
        (link.condition, "the goal" if link.consumer is None else str(seen(link.consumer)))
        for link in links
        if link.producer == step
    )
    if not own:
        return "makes nothing true that is needed later."
    told = [f"{condition} for {consumer}" for condition, consumer in own[:_MOST]]
    more = f", and {len(own) - _MOST} more" if len(own) > _MOST else ""
    return f"provides {', '.join(told)}{more}."
