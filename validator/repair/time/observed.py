"""The observed plan of a repair, what is asked of the repair, and how near to it an order of starts and ends can be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import TypeAlias

from validator.execution.simulator import Simulator
from validator.execution.time.execution import only_duration
from validator.execution.time.happening import Part
from validator.execution.trace import Failure
from validator.grounding.limits import Limits, Status
from validator.grounding.relaxed_reachability import reachable_steps
from validator.model.formulas import Fluent, Number
from validator.model.values import Model
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass, replace
from validator.repair.proved import Prover
from validator.repair.time.network import FINEST, ORIGIN, Constraint, Grid, Key, Network
from validator.repair.time.nodes import Node, Nodes, Order, Timed
from validator.repair.time.parts import Subject
from validator.repair.time.price import Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalQuestion:
    """What a plan is wanted for.

    ``accepted`` executes a plan and says whether it has the quality. ``failures`` are the faults of the observed plan,
    ``happening`` the times at which something happens in it. With a ``budget``, ``accepted`` plans cost no more, and
    ``known`` is one of them. ``steps`` are the ground steps of the model, where they are known already.
    """

    simulator: Simulator
    tokens: tuple[Token, ...]
    with_goal: bool
    epsilon: Fraction
    limits: Limits
    failures: tuple[Failure, ...]
    happening: tuple[Fraction, ...]
    accepted: Callable[[tuple[Step, ...]], bool]
    budget: Budget | None = None
    known: tuple[Step, ...] | None = None
    steps: tuple[Step, ...] | None = None

    def reachable(self) -> tuple[Step, ...] | Status:
        """Return the ground steps of the model, or the limit that was met. Raises PlannerError."""
        return reachable_steps(self.simulator.model, self.limits) if self.steps is None else self.steps


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalRepair:
    """The best plan that was found.

    ``kept`` has for each token that stays, by its index, the step that it becomes: the same, or one with other times;
    ``moved`` are the tokens of the latter, ``inserted`` are steps of no token. ``changed`` counts steps dropped and
    inserted, and steps at other times, ``shift`` is how much these move, in units of the grid. ``by`` found the plan,
    or proved that none is nearer; where it is not ``proven``, ``doubt`` says why. ``resolution`` are the times that
    there are: its multiples. ``kept`` is None without a plan.
    """

    status: Status
    kept: Mapping[int, Step] | None = None
    moved: frozenset[int] = frozenset()
    inserted: tuple[Step, ...] = ()
    changed: tuple[int, int] = (0, 0)
    shift: int = 0
    by: str = Prover.ORDERS
    proven: bool = False
    doubt: str = ""
    resolution: Fraction = Fraction(0)

    @property
    def plan(self) -> tuple[Step, ...]:
        """Return the steps in order of time."""
        return tuple(sorted((*(self.kept or {}).values(), *self.inserted), key=lambda step: step.time or Fraction(0)))

    @property
    def distance(self) -> tuple[int, int, int]:
        return (*self.changed, self.shift)


def named_durations(model: Model) -> Iterator[Fraction]:
    """Yield the durations that a model names: as numbers, and as values of functions."""
    bounds = [limit.bound for action in model.domain.durative.values() for limit in action.durations]
    yield from (bound.value for bound in bounds if isinstance(bound, Number))
    functions = {bound.function for bound in bounds if isinstance(bound, Fluent)}
    if functions:
        yield from (value for fluent, value in model.problem.values.items() if fluent[0] in functions)


class Observed:
    """The steps of the observed plan that fit the model, by the index of their token; ``forced`` counts all others.

    With the ``possible`` ground steps of the model, those that are none of them do not fit.
    """

    def __init__(self, asked: TemporalQuestion, possible: Collection[Step] | None = None) -> None:
        self.model: Model = asked.simulator.model
        self.steps = {
            index: self._with_duration(token)
            for index, token in enumerate(asked.tokens)
            if isinstance(token, Step) and not asked.simulator.malformed(0, token)
            if possible is None or bare(token) in possible
        }
        self.forced = len(asked.tokens) - len(self.steps)
        times = [time for step in self.steps.values() for time in (step.time, step.duration) if time is not None]
        times += (fact.time for fact in self.model.problem.timed)
        times += (each for each in named_durations(self.model) if FINEST % each.denominator == 0)
        self.grid = Grid.of(times, asked.epsilon)
        self.timed = list(self._timed())

    def _with_duration(self, step: Step) -> Step:
        """Return a step that states no duration with the only one that it may have."""
        if step.duration is not None or step.name not in self.model.domain.durative:
            return step
        return replace(step, duration=only_duration(self.model, step))

    def _timed(self) -> list[Timed]:
        found: list[Timed] = []
        rank = 0
        for index, step in self.steps.items():
            time = None if step.time is None else self.grid.units(step.time)
            rank = rank if time is None else time
            duration = None if step.duration is None else self.grid.units(step.duration)
            subject = Subject(number=index, step=bare(step))
            found.append(Timed(subject=subject, rank=rank, time=time, duration=duration))
        return found

    def whole(self) -> list[Step]:
        return list(self.steps.values())

    def answer(
        self, kept: Mapping[int, Step], inserted: Sequence[Step] = (), finder: str = Prover.ORDERS
    ) -> TemporalRepair:
        """Return a plan with its distance."""
        kept = {index: self._as_written(index, step) for index, step in kept.items()}
        moved = [index for index, step in kept.items() if step is not self.steps[index]]
        changes = self.forced + len(self.steps) - len(kept) + len(inserted)
        return TemporalRepair(
            status=Status.SOLVED,
            kept=kept,
            moved=frozenset(moved),
            inserted=tuple(inserted),
            changed=(changes, len(moved)),
            shift=sum(self._shift(index, kept[index]) for index in moved),
            by=finder,
        )

    def _as_written(self, index: int, step: Step) -> Step:
        """Return the observed step itself where the other one has its times."""
        old = self.steps[index]
        return old if (old.time, old.duration) == (step.time, step.duration) else step

    def _shift(self, index: int, step: Step) -> int:
        """Return by how much the start and the end of a step move, as far as both are known."""
        old = self.steps[index]
        if old.time is None or step.time is None:
            return 0
        moved = abs(step.time - old.time)
        if old.duration is not None and step.duration is not None:
            moved += abs(step.time + step.duration - old.time - old.duration)
        return self.grid.units(moved)


# --- times for an order of starts and ends --------------------------------------------------------

_TRIES = 2000
"""Networks that are tried for the most steps that can stay as they are."""


Taken: TypeAlias = list[tuple[Subject, Step]]
"""The steps of a plan, each with the observed step that it is, or with a number of its own."""


def scheduled(observed: Observed, order: Order, by: str) -> tuple[TemporalRepair, bool]:
    """Return the plan of an order under which the fewest observed steps move, and whether no times move fewer.

    Those that move are placed one by one, each as near as it still can be.
    """
    taking = [timed for timed in observed.timed if timed.subject.number not in order.dropped]
    search = _Most(order.network, taking)
    network = order.network.copy()
    for timed in search.best:
        network.add(_ends(network, timed) or [])
    for timed in taking:
        _place(network, timed.subject, timed.time, timed.duration)
    for subject in order.subjects:
        _place(network, subject, None, None)
    steps = [(subject, _step(network, subject, observed.grid)) for subject in order.subjects]
    return as_given(observed, steps, by), search.tries > 0


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


def _at(key: Key, time: int) -> list[Constraint]:
    return [(ORIGIN, key, time), (key, ORIGIN, -time)]


def _place(network: Network, subject: Subject, time: int | None, duration: int | None) -> None:
    """Fix the times of a step, as near as possible to given ones."""
    number = subject.number
    if (number, Part.START) not in network.times:
        _fix(network, (number, Part.WHOLE), time)
        return
    start = _fix(network, (number, Part.START), time)
    _fix(network, (number, Part.END), None if duration is None else start + duration)


def _fix(network: Network, key: Key, wanted: int | None) -> int:
    time = network.times.setdefault(key, 0)
    if wanted is not None and wanted > time:
        latest = network.latest(key)
        time = wanted if latest is None else min(wanted, latest)
    network.add(_at(key, time))
    return time


def _step(network: Network, subject: Subject, grid: Grid) -> Step:
    assert subject.step is not None
    number = subject.number
    if (number, Part.START) not in network.times:
        time = grid.time(network.times[number, Part.WHOLE])
        return Step(name=subject.step.name, args=subject.step.args, time=time)
    start, end = network.times[number, Part.START], network.times[number, Part.END]
    return Step(name=subject.step.name, args=subject.step.args, time=grid.time(start), duration=grid.time(end - start))


# --- known plans -------------------------------------------------------------------------------


def recognized(observed: Observed, simulator: Simulator, plan: Sequence[Step]) -> Taken:
    """Return the steps of a plan in order of time, with the observed steps in it."""
    left = dict(observed.steps)
    fresh = max(observed.steps, default=0) + 1
    found: Taken = []
    steps = (step for step in map(simulator.resolve, plan) if isinstance(step, Step))
    for place, step in enumerate(sorted(steps, key=lambda step: step.time or Fraction(0))):
        like = (number for number, old in left.items() if (old.name, old.args) == (step.name, step.args))
        number = next(like, fresh + place)
        left.pop(number, None)
        found.append((Subject(number=number, step=bare(step)), step))
    return found


def needed(
    observed: Observed, taken: Taken, accepted: Callable[[tuple[Step, ...]], bool], stop: Callable[[], bool]
) -> Taken:
    """Return the steps of a plan that is accepted without inserted ones that nobody needs."""
    for entry in reversed(taken):
        without = [other for other in taken if other is not entry]
        is_new = entry[0].number not in observed.steps
        if is_new and not stop() and accepted(tuple(step for _, step in without)):
            taken = without
    return taken


def as_given(observed: Observed, taken: Taken, by: str) -> TemporalRepair:
    """Return a plan at its own times."""
    kept = {subject.number: step for subject, step in taken if subject.number in observed.steps}
    return observed.answer(kept, [step for subject, step in taken if subject.number not in kept], by)


def order_of(nodes: Nodes, observed: Observed, taken: Taken, stop: Callable[[], bool]) -> Order | None:
    """Return the order of starts and ends of a plan; None where it does not execute in it, or ``stop`` says so."""
    parts = sorted(_parts(nodes, taken), key=lambda part: part[:2])
    groups = [[part[2:] for part in group] for _, group in groupby(parts, key=lambda part: part[0])]
    return nodes.follow(groups, frozenset(observed.steps) - {subject.number for subject, _ in taken}, stop)


def _parts(nodes: Nodes, taken: Taken) -> Iterator[tuple[Fraction, int, Subject, Part]]:
    """Yield the parts of a plan with their times; at one time ends come first, then timed facts, then starts."""
    last = Fraction(0)
    for subject, step in taken:
        part, start = nodes.parts.stated(subject, step.duration), step.time or Fraction(0)
        last = max(last, start + (step.duration or 0))
        yield start, 2, subject, part
        if part is Part.START:
            yield start + (step.duration or 0), 0, subject, Part.END
    for facts in nodes.facts:
        if facts.facts[0].time <= last:
            yield facts.facts[0].time, 1, facts, Part.FACT
