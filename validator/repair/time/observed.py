"""The observed plan of a repair, what is asked of the repair, and how near to it an order of starts and ends can be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby

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
from validator.repair.time.nodes import Node, Nodes, Order
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
        self.subjects = list(self._subjects())

    def _with_duration(self, step: Step) -> Step:
        """Return a step that states no duration with the only one that it may have."""
        if step.duration is not None or step.name not in self.model.domain.durative:
            return step
        return replace(step, duration=only_duration(self.model, step))

    def _subjects(self) -> Iterator[Subject]:
        rank = 0
        for index, step in self.steps.items():
            time = None if step.time is None else self.grid.units(step.time)
            rank = rank if time is None else time
            duration = None if step.duration is None else self.grid.units(step.duration)
            yield Subject(number=index, step=bare(step), rank=rank, time=time, duration=duration)

    def matched(self, plan: Iterable[Step], by: str) -> TemporalRepair:
        """Return a plan at its own times, with the observed steps in it."""
        left, kept, inserted = dict(self.steps), dict[int, Step](), list[Step]()
        for step in sorted(plan, key=lambda step: step.time or Fraction(0)):
            like = (number for number, old in left.items() if (old.name, old.args) == (step.name, step.args))
            number = next(like, None)
            if number is None:
                inserted.append(step)
            else:
                kept[number] = step
                del left[number]
        return self.answer(kept, inserted, by)

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


def scheduled(observed: Observed, order: Order, by: str) -> tuple[TemporalRepair, bool]:
    """Return the plan of an order under which the fewest observed steps move, and whether no times move fewer.

    Those that move are placed one by one, each as near as it still can be.
    """
    search = _Most(order.network, [subject for subject in order.subjects if subject.number in observed.steps])
    network = order.network.copy()
    for subject in search.best:
        network.add(_as_observed(network, subject) or [])
    for subject in order.subjects:
        _place(network, subject)
    steps = {subject.number: _step(network, subject, observed.grid) for subject in order.subjects}
    kept = {number: step for number, step in steps.items() if number in observed.steps}
    inserted = [step for number, step in steps.items() if number not in kept]
    return observed.answer(kept, inserted, by), search.tries > 0


def fewest_moves(node: Node, observed: Sequence[Subject]) -> int:
    """Return how many observed steps have other times in any plan beyond a node, at least: of those that have begun."""
    begun = [subject for subject in observed if subject.number not in node.dropped.union(node.pending)]
    search = _Most(Network(node.times, node.constraints), begun)
    return len(begun) - len(search.best) if search.tries else 0


class _Most:
    """The search for the most observed steps that can stay as they are, all together.

    Without ``tries`` left, ``best`` need not be the most.
    """

    def __init__(self, network: Network, observed: Sequence[Subject]) -> None:
        self.candidates = [subject for subject in observed if _as_observed(network, subject) is not None]
        self.best: tuple[Subject, ...] = ()
        self.tries = _TRIES
        self.run(0, network, ())

    def run(self, place: int, network: Network, kept: tuple[Subject, ...]) -> None:
        if len(kept) > len(self.best):
            self.best = kept
        left = len(self.candidates) - place
        if not left or len(kept) + left <= len(self.best) or not self.tries:
            return
        self.tries -= 1
        subject, with_it = self.candidates[place], network.copy()
        if with_it.add(_as_observed(network, subject) or []):
            self.run(place + 1, with_it, (*kept, subject))
        self.run(place + 1, network, kept)


def _as_observed(network: Network, subject: Subject) -> list[Constraint] | None:
    """Return what keeps a step as it is observed; None for a step that does not state its times."""
    number, time, duration = subject.number, subject.time, subject.duration
    is_durative = (number, Part.START) in network.times
    if time is None or (is_durative and duration is None):
        return None
    if not is_durative:
        return _at((number, Part.WHOLE), time)
    return [*_at((number, Part.START), time), *_at((number, Part.END), time + (duration or 0))]


def _at(key: Key, time: int) -> list[Constraint]:
    return [(ORIGIN, key, time), (key, ORIGIN, -time)]


def _place(network: Network, subject: Subject) -> None:
    """Fix the times of a step, as near as possible to those that are observed."""
    number = subject.number
    if (number, Part.START) not in network.times:
        _fix(network, (number, Part.WHOLE), subject.time)
        return
    start = _fix(network, (number, Part.START), subject.time)
    _fix(network, (number, Part.END), None if subject.duration is None else start + subject.duration)


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


def needed(
    answer: TemporalRepair, accepted: Callable[[tuple[Step, ...]], bool], stop: Callable[[], bool]
) -> tuple[Step, ...]:
    """Return the steps of a plan that is accepted without inserted ones that nobody needs."""
    for step in reversed(answer.inserted):
        without = replace(answer, inserted=tuple(each for each in answer.inserted if each is not step))
        if not stop() and accepted(without.plan):
            answer = without
    return answer.plan


def order_of(nodes: Nodes, answer: TemporalRepair, stop: Callable[[], bool]) -> Order | None:
    """Return the order of starts and ends of a plan; None where it does not execute in it, or ``stop`` says so."""
    kept = answer.kept or {}
    fresh = enumerate(answer.inserted, max(nodes.observed, default=0) + 1)
    taken = [(nodes.observed[number], step) for number, step in kept.items()]
    taken += [(Subject(number=number, step=bare(step)), step) for number, step in fresh]
    parts = sorted(_parts(nodes, taken), key=lambda part: part[:2])
    groups = [[part[2:] for part in group] for _, group in groupby(parts, key=lambda part: part[0])]
    return nodes.follow(groups, frozenset(nodes.observed) - kept.keys(), stop)


def _parts(nodes: Nodes, taken: Iterable[tuple[Subject, Step]]) -> Iterator[tuple[Fraction, int, Subject, Part]]:
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
