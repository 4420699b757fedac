"""A plan under way as a stream: steps and changes of the world go in one by one, a verdict comes out at each.

While the rest is valid, a change is looked up in its causal links, which takes microseconds; only where something
depends on it the rest is executed, and only where that fails a repair is looked for. The repair becomes the plan that
is followed from then on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Report
from validator.checking.under_way.links import Links, Threat
from validator.checking.under_way.moment import Moment, asks_of_the_way, look_back, moment, problem_from, still_asked
from validator.checking.under_way.progressed import BrokenError, UnsettledError
from validator.checking.under_way.seen import State, changed, differences, seen
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
    rest would do, or that none would where a repair was looked for; where none was, that the verdict is. ``threats``
    are what depends on the surprise, ``microseconds`` what looking them up took. ``kept`` of the steps stay where it
    was repaired, and ``distance`` counts those that were added or deleted (plan stability: Fox, Gerevini, Long and
    Serina 2006).
    ``unread`` is how much of all that was told so far was not understood.
    """

    happened: Happened
    text: str
    executed: int
    determination: bool | None
    rest: tuple[Token, ...]
    threats: tuple[Threat, ...] = ()
    microseconds: float = 0.0
    faults: tuple[str, ...] = ()
    repaired: bool = False
    proven: bool = False
    kept: int = 0
    distance: int = 0
    reason: str = ""
    warnings: tuple[str, ...] = ()
    unread: int = 0

    @property
    def matters(self) -> bool:
        """Return whether the rest is not what it was, or not known to be."""
        return self.determination is not True or bool(self.threats)


class Follower:
    """Follows a plan without times; ``repair`` answers with a report on a rest from a state.

    With numbers there are no causal links: after each surprise the rest is executed.
    """

    def __init__(
        self, prepared: Prepared, plan: Iterable[Token], repair: Callable[[Prepared, Plan], Report] | None = None
    ) -> None:
        if back := look_back(prepared.model):
            raise UnsupportedError(f"a stream is not judged with {', '.join(back)}, which look back at what happened")
        if is_temporal(prepared.model):
            names = ", ".join(prepared.model.features)
            raise UnsupportedError(f"a stream is followed where steps have no times, not with {names}")
        self._prepared, self._repair = prepared, repair
        self._model = prepared.model
        """with what its constraints still ask of what is to come"""
        self._settled: tuple[bool | None, str] | None = None
        """whether a rest can be valid behind what has happened, and why: False, or None where that is not known"""
        self._rest = tuple(map(prepared.simulator.resolve, plan))
        self._executed = 0
        self._now: Moment | None = moment(prepared.simulator, ())
        self._links: Links | None = None
        """those of the rest, where it is valid and its model is classical"""
        self._is_valid = False
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
        after = moment(self._from(self._now or self._first).simulator, (token,))
        told = next(iter(sentences(after.faults, [token])), "").partition(": ")[2]
        if any(fault.kind in _NO_STEP for fault in after.faults):
            return self.unread(str(step), f"{where}{told}")
        if self._now is None:
            return self._unknown(Happened.AS_PLANNED if self._pass(token) else Happened.UNPLANNED, str(step))
        if after.faults:
            self._now, why = None, f"{where}the model does not allow this step here: {told}"
            return self._unknown(Happened.IMPOSSIBLE, str(step), why)
        before, self._now = self._now, after
        self._go_on(after)
        if self._rest and _same(self._rest[0], token):
            self._rest = self._rest[1:]
            self._note(self._from(after), is_valid=self._is_valid)
            going_on = self._fine if self._is_valid else self._judged
            return going_on(Happened.AS_PLANNED, str(step))
        return self._surprised(Happened.UNPLANNED, str(step), before)

    def change(self, text: str) -> Event:
        """Take facts, ``(not FACT)`` that are not as planned; the rest is. Raises ModelError."""
        before = self._now
        now = changed(text, before or self._first, self._prepared.model)
        if before is None:
            return self._unknown(Happened.CHANGE, text.strip())
        self._now = now
        return self._surprised(Happened.CHANGE, text.strip(), before)

    def state(self, state: State, *, is_complete: bool = False) -> Event:
        """Take a whole state, as ``check_rest`` does. Raises ModelError."""
        before, was_known = self._now or self._first, self._now is not None
        self._now, warnings = seen(state, before, self._prepared.model, is_complete=is_complete)
        if not was_known:
            self._note(self._prepared, is_valid=False)
            if asks_of_the_way(self._model):
                self._settled = None, "what happened meanwhile is not known, and constraints look back at it"
            warnings = (*self._done_unread(), *warnings)
        return replace(self._surprised(Happened.STATE, str(state).strip(), before), warnings=warnings)

    def unread(self, text: str, why: str) -> Event:
        """Take what was not understood: it may have been a step or a change, after which no state is known."""
        self._unread += 1
        self._missed += 1
        self._now = None
        return self._unknown(Happened.UNREAD, text, why)

    def _go_on(self, after: Moment) -> None:
        """Note what constraints still ask behind a step."""
        if asks_of_the_way(self._model) and self._settled is None:
            try:
                self._model = still_asked(self._model, after, after)
            except BrokenError as error:
                self._settled = False, f"what happened violates {error}"
            except UnsettledError as error:
                self._settled = None, str(error)

    # --- while the state is not known ----------------------------------------------------------------

    @property
    def _first(self) -> Moment:
        return moment(self._prepared.simulator, ())

    def _pass(self, token: Token) -> bool:
        """Go on behind a step of the plan, if it is one; before it only as many may stand as were not understood."""
        near = self._rest[: self._missed + 1]
        place = next((at for at, one in enumerate(near) if _same(one, token)), None)
        if place is not None:
            self._rest, self._missed = self._rest[place + 1 :], self._missed - place
        return place is not None

    def _done_unread(self) -> tuple[str, ...]:
        """Leave out of the rest the first steps that what was not understood may have been, where it is valid then."""
        missed, self._missed = self._missed, 0
        assert self._now is not None
        here = self._from(self._now)
        for number in range(missed + 1):
            failures, unknown = self._executed_rest(here, self._rest[number:])
            if not failures and not unknown:
                done, self._rest = self._rest[:number], self._rest[number:]
                return (f"what was not understood is taken for {' '.join(map(str, done))}",) if done else ()
        return ()

    # --- verdicts ------------------------------------------------------------------------------------

    def _surprised(self, happened: Happened, text: str, before: Moment) -> Event:
        """Look up what depends on a surprise; where nothing does, and the rest was valid, it still is."""
        assert self._now is not None
        facts = list(differences(before, self._now))
        if self._links is None:
            return self._judged(happened, text)
        begin = time.perf_counter()
        threats = self._links.threats(facts)
        spent = 1e6 * (time.perf_counter() - begin)
        if not threats:
            return self._fine(happened, text, spent)
        return replace(self._judged(happened, text), threats=threats, microseconds=spent)

    def _fine(self, happened: Happened, text: str, spent: float = 0.0) -> Event:
        return Event(
            happened=happened,
            text=text,
            executed=self._executed,
            determination=True,
            rest=self._rest,
            microseconds=spent,
            proven=True,
            unread=self._unread,
        )

    def _unknown(self, happened: Happened, text: str, why: str = "") -> Event:
        return Event(
            happened=happened,
            text=text,
            executed=self._executed,
            determination=None,
            rest=self._rest,
            reason=f"{why}; {_UNKNOWN}" if why else _UNKNOWN,
            unread=self._unread,
        )

    def _judged(self, happened: Happened, text: str) -> Event:
        """Execute the rest, and repair it where it fails."""
        assert self._now is not None
        if self._settled is not None:
            determination, why = self._settled
            self._is_valid = False
            known = determination is not None
            return replace(self._fine(happened, text), determination=determination, proven=known, reason=why)
        here = self._from(self._now)
        failures, unknown = self._executed_rest(here, self._rest)
        self._note(here, is_valid=not failures and not unknown)
        if self._is_valid:
            return self._fine(happened, text)
        faults = tuple(sentences(failures, self._rest))
        event = replace(self._fine(happened, text), determination=False, faults=faults)
        if unknown:
            return replace(event, determination=None, proven=False, reason=unknown)
        return event if self._repair is None else self._repaired(event, here, self._repair)

    def _executed_rest(self, here: Prepared, tokens: Sequence[Token]) -> tuple[Sequence[Failure], str]:
        """Return what fails of a rest, and why that is not known."""
        rest = Plan(parts=tuple(tokens))
        if not here.model.features:
            return here.simulator.run(rest).failures, ""
        found = execute(here.simulator, rest)
        return found.failures, "; ".join((*found.open, *found.open_goal))

    def _note(self, here: Prepared, *, is_valid: bool) -> None:
        """Note whether the rest is valid from here, and on what it depends."""
        self._is_valid = is_valid
        self._links = Links(here.simulator, self._rest) if is_valid and not here.model.features else None

    def _repaired(self, event: Event, here: Prepared, repair: Callable[[Prepared, Plan], Report]) -> Event:
        report = repair(here, Plan(parts=self._rest))
        if report.repaired_plan is None:
            return replace(event, proven=report.proven, reason=report.reason or "no plan reaches the goal from here")
        before, self._rest = self._rest, report.repaired_plan
        self._note(here, is_valid=True)
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
        return prepare(problem_from(self._model, now))


def _bare(token: Token) -> object:
    return (token.name, token.args) if isinstance(token, Step) else token


def _same(one: Token, other: Token) -> bool:
    return isinstance(one, Step) and isinstance(other, Step) and _bare(one) == _bare(other)
