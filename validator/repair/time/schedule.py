"""Times for an order of starts and ends, as near as possible to those of the observed plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from validator.execution.time.acts.happening import Part
from validator.reading.plan import Step
from validator.records import dataclass
from validator.repair.time.grid import Grid
from validator.repair.time.search.network import ORIGIN, Constraint, Network
from validator.repair.time.search.node import Node, Order, Timed
from validator.repair.time.search.parts import Subject

__all__ = ["Schedule", "fewest_moves", "schedule"]

_TRIES = 2000
"""Networks that are tried for the most steps that can stay as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Steps with times, by the numbers of their subjects.

    ``moved`` are the observed steps whose time or duration is another one, ``shift`` is how much starts and ends move
    in all, in units of the grid. ``is_exact`` says that no times for the order move fewer steps.
    """

    steps: Mapping[int, Step]
    moved: frozenset[int]
    shift: int
    is_exact: bool


def schedule(order: Order, observed: Sequence[Timed], grid: Grid) -> Schedule:
    """Return times under which the fewest steps move; those are placed one by one, each as near as it still can be."""
    taking = [timed for timed in observed if timed.subject.number not in order.dropped]
    search = _Most(order.network, taking)
    network = order.network.copy()
    for timed in search.best:
        network.add(_ends(network, timed) or [])
    shift = 0
    for timed in taking:
        shift += _place(network, order, timed.subject, timed.time, timed.duration)
    for subject in order.subjects:
        _place(network, order, subject, None, None)
    steps = {subject.number: _step(network, subject, grid) for subject in order.subjects}
    kept = {timed.subject.number for timed in search.best}
    moved = frozenset(timed.subject.number for timed in taking) - kept
    return Schedule(steps=steps, moved=moved, shift=shift, is_exact=search.tries > 0)


def fewest_moves(node: Node, observed: Sequence[Timed]) -> int:
    """Return how many observed steps have other times in any plan beyond a node, at least: of those that have begun."""
    begun = [timed for timed in observed if timed.subject.number not in node.dropped.union(node.pending)]
    search = _Most(Network(node.times, node.constraints), begun)
    return len(begun) - len(search.best) if search.tries else 0


class _Most:
    """The search for the most observed steps that can stay as they are, all together.

    Without ``tries`` left, ``best`` need not be the most.
    """

    def __init__(self, network: Network, observed: Sequence[Timed]) -> None:
        self.candidates = [timed for timed in observed if _ends(network, timed) is not None]
        self.best: tuple[Timed, ...] = ()
        self.tries = _TRIES
        self.run(0, network, ())

    def run(self, place: int, network: Network, kept: tuple[Timed, ...]) -> None:
        if len(kept) > len(self.best):
            self.best = kept
        left = len(self.candidates) - place
        if not left or len(kept) + left <= len(self.best) or not self.tries:
            return
        self.tries -= 1
        timed, with_it = self.candidates[place], network.copy()
        if with_it.add(_ends(network, timed) or []):
            self.run(place + 1, with_it, (*kept, timed))
        self.run(place + 1, network, kept)


def _ends(network: Network, timed: Timed) -> list[Constraint] | None:
    """Return what keeps a step as it is observed; None for a step that does not state its times."""
    number = timed.subject.number
    if (number, Part.START) not in network.times:
        return None if timed.time is None else _at((number, Part.WHOLE), timed.time)
    if timed.time is None or timed.duration is None:
        return None
    return [*_at((number, Part.START), timed.time), *_at((number, Part.END), timed.time + timed.duration)]


def _at(key: tuple[int, Part], time: int) -> list[Constraint]:
    return [(ORIGIN, key, time), (key, ORIGIN, -time)]


def _place(network: Network, order: Order, subject: Subject, time: int | None, duration: int | None) -> int:
    """Fix the times of a step, as near as possible to given ones; return by how much they differ."""
    number = subject.number
    if (number, Part.START) not in network.times:
        return _fix(network, (number, Part.WHOLE), time)
    shift = _fix(network, (number, Part.START), time)
    start = network.times[number, Part.START]
    return shift + _fix(network, (number, Part.END), None if duration is None else start + duration)


def _fix(network: Network, key: tuple[int, Part], wanted: int | None) -> int:
    earliest = network.times.setdefault(key, 0)
    latest = network.latest(key)
    time = earliest
    if wanted is not None and wanted > earliest:
        time = wanted if latest is None else min(wanted, latest)
    network.add(_at(key, time))
    return 0 if wanted is None else abs(time - wanted)


def _step(network: Network, subject: Subject, grid: Grid) -> Step:
    assert subject.step is not None
    number = subject.number
    if (number, Part.START) not in network.times:
        time = grid.time(network.times[number, Part.WHOLE])
        return Step(name=subject.step.name, args=subject.step.args, time=time)
    start, end = network.times[number, Part.START], network.times[number, Part.END]
    return Step(name=subject.step.name, args=subject.step.args, time=grid.time(start), duration=grid.time(end - start))
