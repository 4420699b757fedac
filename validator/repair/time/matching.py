"""Plans that are known, brought as near to the observed plan as their order of starts and ends allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from validator.execution.simulator import Simulator
from validator.execution.time.acts.happening import Part
from validator.reading.plan import Step
from validator.repair.time.observed import Nearest, Observed
from validator.repair.time.schedule import schedule
from validator.repair.time.search.node import Order
from validator.repair.time.search.nodes import Nodes
from validator.repair.time.search.parts import Subject

__all__ = ["matched", "order_of", "scheduled"]

_Taken = list[tuple[Subject, Step]]


def scheduled(observed: Observed, order: Order, finder: str) -> tuple[Nearest, bool]:
    """Return the plan of an order at times near the observed ones, and whether no times for it move fewer steps."""
    found = schedule(order, observed.timed, observed.grid)
    kept = {number: step for number, step in found.steps.items() if number in observed.steps}
    inserted = [step for number, step in found.steps.items() if number not in observed.steps]
    return observed.answer(kept, inserted, finder), found.is_exact


def matched(
    observed: Observed,
    nodes: Nodes | None,
    simulator: Simulator,
    plan: Sequence[Step],
    accepted: Callable[[tuple[Step, ...]], bool],
    finder: str,
) -> Nearest | None:
    """Return a plan with the observed steps in it recognised; None where it is not accepted.

    Steps of no line that nobody needs are left out, and the others take the observed times as far as they can.
    """
    taken = _without_needless(_taken(observed, simulator, plan), observed, accepted)
    if taken is None:
        return None
    best = _as_given(observed, taken, finder)
    dropped = frozenset(observed.steps) - {subject.number for subject, _ in taken}
    order = None if nodes is None else order_of(nodes, taken, dropped)
    if order is not None:
        nearer, _ = scheduled(observed, order, finder)
        if nearer.distance < best.distance and accepted(nearer.plan):
            return nearer
    return best


def _taken(observed: Observed, simulator: Simulator, plan: Sequence[Step]) -> _Taken:
    """Return the steps of a plan, each with the observed step that it is, or with a number of its own."""
    left = dict(observed.steps)
    fresh = max(observed.steps, default=0) + 1
    found: _Taken = []
    steps = (step for step in map(simulator.resolve, plan) if isinstance(step, Step))
    for place, step in enumerate(sorted(steps, key=lambda step: step.time or Fraction(0))):
        like = (number for number, old in left.items() if (old.name, old.args) == (step.name, step.args))
        number = next(like, fresh + place)
        left.pop(number, None)
        found.append((Subject(number=number, step=Step(name=step.name, args=step.args)), step))
    return found


def _without_needless(taken: _Taken, observed: Observed, accepted: Callable[[tuple[Step, ...]], bool]) -> _Taken | None:
    if not accepted(tuple(step for _, step in taken)):
        return None
    for entry in reversed(taken):
        without = [other for other in taken if other is not entry]
        if entry[0].number not in observed.steps and accepted(tuple(step for _, step in without)):
            taken = without
    return taken


def _as_given(observed: Observed, taken: _Taken, finder: str) -> Nearest:
    kept = {subject.number: step for subject, step in taken if subject.number in observed.steps}
    return observed.answer(kept, [step for subject, step in taken if subject.number not in kept], finder)


def order_of(
    nodes: Nodes, taken: _Taken, dropped: frozenset[int] = frozenset(), stop: Callable[[], bool] = lambda: False
) -> Order | None:
    """Return the order of starts and ends of a plan; None where it does not execute in it, or ``stop`` says so."""
    parts = sorted(_parts(nodes, taken), key=lambda part: part[:2])
    groups = [[part[2:] for part in group] for _, group in groupby(parts, key=lambda part: part[0])]
    return nodes.follow(groups, dropped, stop)


def _parts(nodes: Nodes, taken: _Taken) -> Iterator[tuple[Fraction, int, Subject, Part]]:
    """Yield the parts of a plan with their times; at one time ends come first, then timed facts, then starts."""
    last = Fraction(0)
    for subject, step in taken:
        part, start = nodes.parts.first(subject), step.time or Fraction(0)
        last = max(last, start + (step.duration or 0))
        yield start, 2, subject, part
        if part is Part.START:
            yield start + (step.duration or 0), 0, subject, Part.END
    for facts in nodes.facts:
        if facts.facts[0].time <= last:
            yield facts.facts[0].time, 1, facts, Part.FACT
