"""Planned steps and calls as steps of a model: what every kind of model says of them, and how it is asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

from validator.adherence.result import Adherence
from validator.checking.prepared import Prepared
from validator.execution.trace import Failure
from validator.grounding.limits import Limits
from validator.model.values import GroundAtom
from validator.reading.calls import Call, Planned
from validator.reading.plan import Step, Token
from validator.reading.stated.plan_reader import Written
from validator.reading.tokens import Vocabulary
from validator.records import dataclass, field

__all__ = ["Entry", "Interpreted", "Interpreter", "State", "Supply", "Translate", "sides", "unknown"]

Translate: TypeAlias = Callable[[Planned | Call], Step | str]
"""Return the step of the model that a planned step or a call stands for, or why that is not known."""

State: TypeAlias = frozenset[GroundAtom]

Entry: TypeAlias = tuple[int, bool]
"""A row, and whether its call (else its planned step) is meant."""


class Supply(Protocol):
    """Follows one execution, and says which steps that leave no call must have been done in it.

    ``notes`` are what was seen on the way that is no fault.
    """

    notes: list[str]

    def is_denied(self, entry: Entry) -> bool:
        """Return whether what comes later shows that a planned step that leaves no call was not done."""

    def before(self, entry: Entry, state: State) -> tuple[tuple[Step, ...], State]:
        """Return the steps that were done before an entry, and the state behind them."""

    def done(self, entry: Entry) -> None:
        """Take down that an entry was executed."""


@dataclass(frozen=True, kw_only=True)
class Interpreted:
    """Planned steps and calls as steps of a model.

    ``steps`` are the model's, without the sides that are not known, of which ``unknown`` says why. ``faults`` are those
    that a step has in itself. ``shown``, ``told`` and ``seen`` put the model's steps, failures and plans (from a state)
    into the words of the one who wrote the model; ``missing`` says what an unknown action is.

    Where there are steps that leave no call, ``is_whole`` says whether the plan has those that it needs written in it.
    ``supply`` begins to follow a sequence. ``is_possible`` says whether one entry may be executable behind others, and
    False is a proof. ``arrange`` says what to do before each of some steps so that the fewest fail, or which limit was
    met.
    """

    prepared: Prepared
    steps: Mapping[Entry, Token]
    unknown: tuple[str, ...] = ()
    faults: Mapping[Entry, tuple[Failure, ...]] = field(default_factory=dict)
    shown: Callable[[Token], Token] = lambda token: token
    told: Callable[[Failure], Failure] = lambda failure: failure
    seen: Callable[[State, Sequence[Step]], tuple[Token, ...]] = lambda _, steps: tuple(steps)
    is_whole: bool = False
    supply: Callable[[Sequence[Entry]], Supply] | None = None
    is_possible: Callable[[Entry, Sequence[Entry]], bool] = lambda *_: True
    arrange: Callable[[Sequence[Step], Limits], Sequence[Sequence[Step]] | str] | None = None
    missing: str = "the model has no action"


def sides(adherence: Adherence) -> Iterator[tuple[Entry, Planned | Call]]:
    """Yield what can be executed: the planned steps, and the calls that did not fail."""
    for number, row in enumerate(adherence.rows):
        for side in (row.planned, row.executed):
            if side is not None and not (isinstance(side, Call) and side.error is not None):
                yield (number, side is row.executed), side


def unknown(side: Planned | Call, reason: str) -> str:
    """Say of a planned step or a call that it is not known which step of the model it is."""
    return f"{'call' if isinstance(side, Call) else 'step'} {side.index + 1} {side}: {reason}"


class Interpreter(ABC):
    """A model that the calls of one trace are executed on.

    ``parameters`` are the tools that it knows, each with the names of its arguments, ``reads`` says whether they
    change nothing. ``vocabulary`` are the names by which a plan of PDDL is read, ``written`` is how plans are written
    where the model has a way of its own; ``unrecorded`` are the names of the steps that leave no call in the trace.
    """

    vocabulary: Vocabulary | None = None
    written: Written | None = None
    unrecorded: frozenset[str] = frozenset()

    def __init__(self, parameters: Mapping[str, tuple[str, ...]], reads: Mapping[str, bool]) -> None:
        self.parameters, self.reads = parameters, reads

    @abstractmethod
    def interpreted(self, adherence: Adherence) -> Interpreted:
        """Return planned steps and calls as steps of the model. Raises ModelError."""
