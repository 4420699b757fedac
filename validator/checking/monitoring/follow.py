"""A plan under way as a stream: steps and changes of the world go in one by one, a verdict comes out at each.

After a surprise the rest of the plan is executed from where it is, and where that fails a repair is looked for. The
repair becomes the plan that is followed from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from validator.checking.monitoring.expected_state import Moment, look_back, moment, problem_from
from validator.checking.monitoring.observed_state import State, changed, seen
from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Report
from validator.errors import UnsupportedError
from validator.execution.faults import sentences
from validator.execution.time.acts.happening import is_temporal
from validator.execution.time.execution import execute
from validator.execution.trace import Failure, Kind
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass, replace
from validator.repair.sequences import lcs_length

__all__ = ["Event", "Follower", "Happened"]


_NO_STEP = (Kind.UNKNOWN_ACTION, Kind.UNKNOWN_OBJECT, Kind.WRONG_ARITY, Kind.WRONG_TYPE, Kind.SYNTAX)
"""faults of what is no step of the model: it was not understood, rather than wrong"""

_UNKNOWN = "the state is not known: tell the whole of it"


class Happened(StrEnum):
    """What kind of thing was told."""

    BEGIN = "begin"
    AS_PLANNED = "step"
    """the next step of the plan"""
    UNPLANNED = "unplanned step"
    IMPOSSIBLE = "impossible step"
    """the model has no such step, or not in this state: the state is not known any more"""
    CHANGE = "change"
    STATE = "state"
    UNREAD = "not understood:"
    """a line, or the name of a step: the state is not known any more"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The verdict after something happened.

    ``determination`` says of the rest as it was whether it is valid, None where the state is not known; ``faults``
    count its steps from 1. ``rest`` is what is to come, repaired if it was ``repaired``. ``proven`` says that no nearer
    rest would do, or that none would where a repair was looked for; where none was, that the verdict is. ``kept`` of
    the steps stay where it was repaired, and ``distance`` counts those that were added or deleted (plan stability: Fox,
    Gerevini, Long and Serina 2006). ``unread`` is how much of all that was told so far was not understood.
    """

    happened: Happened
    text: str
    executed: int
    determination: bool | None
    rest: tuple[Token, ...]
    faults: tuple[str, ...] = ()
    repaired: bool = False
    proven: bool = False
    kept: int = 0
    distance: int = 0
    reason: str = ""
    warnings: tuple[str, ...] = ()
    unread: int = 0


class Follower:
    """Follows a plan without times; ``repair`` answers with a report on a rest from a state."""

    def __init__(
        self, prepared: Prepared, plan: Iterable[Token], repair: Callable[[Prepared, Plan], Report] | None = None
    ) -> None:
        if back := look_back(prepared.model):
            raise UnsupportedError(f"a stream is not judged with {', '.join(back)}, which look back at what happened")
        if is_temporal(prepared.model):
            names = ", ".join(prepared.model.features)
            raise UnsupportedError(f"a stream is followed where steps have no times, not with {names}")
        self._prepared, self._repair = prepared, repair
        self._rest = tuple(map(prepared.simulator.resolve, plan))
        self._executed = 0
        self._start = moment(prepared.simulator, ())
        self._now: Moment | None = self._start
        self._unread = 0
        self._missed = 0
        """what was not understood since the state was known last: steps of the plan, perhaps"""

    def begin(self) -> Event:
        """Judge the whole plan."""
        return self._judged(Happened.BEGIN, "")

    def step(self, step: Step, *, where: str = "") -> Event:
        """Take a step that was executed, the next one of the plan or another; ``where`` comes before its faults."""
        token = self._prepared.simulator.resolve(step)
        self._executed += 1
        after = moment(self._from(self._now or self._start).simulator, (token,))
        told = next(iter(sentences(after.faults, [token])), "").partition(": ")[2]
        if any(fault.kind in _NO_STEP for fault in after.faults):
            return self.unread(str(step), f"{where}{told}")
        if self._now is None:
            return self._unknown(Happened.AS_PLANNED if self._pass(token) else Happened.UNPLANNED, str(step))
        if after.faults:
            self._now, why = None, f"{where}the model does not allow this step here: {told}"
            return self._unknown(Happened.IMPOSSIBLE, str(step), why)
        self._now = after
        is_planned = bool(self._rest) and _same(self._rest[0], token)
        self._rest = self._rest[is_planned:]
        return self._judged(Happened.AS_PLANNED if is_planned else Happened.UNPLANNED, str(step))

    def change(self, text: str) -> Event:
        """Take facts, ``(not FACT)`` that are not as planned; the rest is. Raises ModelError."""
        now = changed(text, self._now or self._start, self._prepared.model)
        if self._now is None:
            return self._unknown(Happened.CHANGE, text.strip())
        self._now = now
        return self._judged(Happened.CHANGE, text.strip())

    def state(self, state: State, *, is_complete: bool = False) -> Event:
        """Take a whole state, as ``check_rest`` does. Raises ModelError."""
        was_known, before = self._now is not None, self._now or self._start
        self._now, warnings = seen(state, before, self._prepared.model, is_complete=is_complete)
        warnings = warnings if was_known else (*self._done_unread(self._now), *warnings)
        return replace(self._judged(Happened.STATE, str(state).strip()), warnings=warnings)

    def unread(self, text: str, why: str) -> Event:
        """Take what was not understood: it may have been a step or a change, after which no state is known."""
        self._unread += 1
        self._missed += 1
        self._now = None
        return self._unknown(Happened.UNREAD, text, why)

    # --- while the state is not known ----------------------------------------------------------------

    def _pass(self, token: Token) -> bool:
        """Go on after a step of the plan, if it is one; before it only as many may stand as were not understood."""
        near = self._rest[: self._missed + 1]
        place = next((at for at, one in enumerate(near) if _same(one, token)), None)
        if place is not None:
            self._rest, self._missed = self._rest[place + 1 :], self._missed - place
        return place is not None

    def _done_unread(self, now: Moment) -> tuple[str, ...]:
        """Leave out of the rest the first steps that what was not understood may have been, where it is valid then."""
        missed, self._missed = self._missed, 0
        here = self._from(now)
        for number in range(missed + 1):
            failures, unknown = _executed(here, self._rest[number:])
            if not failures and not unknown:
                done, self._rest = self._rest[:number], self._rest[number:]
                return (f"what was not understood is taken for {' '.join(map(str, done))}",) if done else ()
        return ()

    # --- verdicts ------------------------------------------------------------------------------------

    def _event(self, happened: Happened, text: str, determination: bool | None) -> Event:
        return Event(
            happened=happened,
            text=text,
            executed=self._executed,
            determination=determination,
            rest=self._rest,
            proven=determination is not None,
            unread=self._unread,
        )

    def _unknown(self, happened: Happened, text: str, why: str = "") -> Event:
        return replace(self._event(happened, text, None), reason=f"{why}; {_UNKNOWN}" if why else _UNKNOWN)

    def _judged(self, happened: Happened, text: str) -> Event:
        """Execute the rest, and repair it where it fails."""
        assert self._now is not None
        here = self._from(self._now)
        failures, unknown = _executed(here, self._rest)
        faults = tuple(sentences(failures, self._rest))
        if unknown:
            return replace(self._event(happened, text, None), faults=faults, reason=unknown)
        event = replace(self._event(happened, text, not failures), faults=faults)
        return event if self._repair is None or not failures else self._repaired(event, here, self._repair)

    def _repaired(self, event: Event, here: Prepared, repair: Callable[[Prepared, Plan], Report]) -> Event:
        report = repair(here, Plan(parts=self._rest))
        if report.repaired_plan is None:
            return replace(event, proven=report.proven, reason=report.reason or "no plan reaches the goal from here")
        before, self._rest = self._rest, report.repaired_plan
        kept = lcs_length(list(map(_bare, before)), list(map(_bare, self._rest)))
        return replace(
            event,
            rest=self._rest,
            repaired=True,
            proven=bool(report.proven),
            kept=kept,
            distance=len(before) + len(self._rest) - 2 * kept,
        )

    def _from(self, now: Moment) -> Prepared:
        return prepare(problem_from(self._prepared.model, now))


def _executed(here: Prepared, tokens: Sequence[Token]) -> tuple[Sequence[Failure], str]:
    """Return what fails of a rest, and why that is not known."""
    rest = Plan(parts=tuple(tokens))
    if not here.model.features:
        return here.simulator.run(rest).failures, ""
    found = execute(here.simulator, rest)
    return found.failures, "; ".join((*found.open, *found.open_goal))


def _bare(token: Token) -> object:
    return (token.name, token.args) if isinstance(token, Step) else token


def _same(one: Token, other: Token) -> bool:
    return isinstance(one, Step) and isinstance(other, Step) and _bare(one) == _bare(other)
