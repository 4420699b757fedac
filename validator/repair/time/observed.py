"""The observed plan of a repair, what is asked of the repair, and how near a plan is to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from validator.execution.simulator import Simulator
from validator.execution.time.execution import only_duration
from validator.execution.trace import Failure
from validator.grounding.limits import Limits, Status
from validator.grounding.numbers.relaxed_reachability import reachable_steps
from validator.model.formulas import Fluent, Number
from validator.model.values import Model
from validator.reading.plan import Step, Token
from validator.records import dataclass, replace
from validator.repair.time.grid import FINEST, Grid
from validator.repair.time.price import Budget
from validator.repair.time.search.nodes import Timed
from validator.repair.time.search.parts import Subject

__all__ = ["OWN_SEARCH", "Asked", "Nearest", "Observed"]

OWN_SEARCH = "plan-validator's search over orders"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
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
class Nearest:
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
    by: str = OWN_SEARCH
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

    def __init__(self, asked: Asked, possible: Collection[Step] | None = None) -> None:
        self.model: Model = asked.simulator.model
        self.steps = {
            index: self._with_duration(token)
            for index, token in enumerate(asked.tokens)
            if isinstance(token, Step) and not asked.simulator.malformed(0, token)
            if possible is None or Step(name=token.name, args=token.args) in possible
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
            subject = Subject(number=index, step=Step(name=step.name, args=step.args))
            found.append(Timed(subject=subject, rank=rank, time=time, duration=duration))
        return found

    def whole(self) -> list[Step]:
        return list(self.steps.values())

    def answer(self, kept: Mapping[int, Step], inserted: Sequence[Step] = (), finder: str = OWN_SEARCH) -> Nearest:
        """Return a plan with its distance."""
        kept = {index: self._as_written(index, step) for index, step in kept.items()}
        moved = [index for index, step in kept.items() if step is not self.steps[index]]
        changes = self.forced + len(self.steps) - len(kept) + len(inserted)
        return Nearest(
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
