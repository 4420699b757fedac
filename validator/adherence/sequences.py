"""The execution of what lies between the plan and what was executed: some deviations undone, the others not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from validator.adherence.models.interpreted import Entry, Interpreted, State, Supply
from validator.adherence.result import Adherence
from validator.adherence.values import RowKind
from validator.execution.simulator import Simulator
from validator.execution.trace import Cause, Failure, Kind, Origin, Trace
from validator.grounding.limits import Limits
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass, replace

__all__ = ["Fault", "Run", "Sequences"]

Fault: TypeAlias = tuple[Entry | None, str]
"""The entry that could not be executed, None for the goal, and what was false."""


_OPEN = "whether steps that leave no call can have been done otherwise is not known"


@dataclass(frozen=True, kw_only=True)
class Run:
    """The execution of a sequence of entries.

    ``tokens`` are what was executed, each with the entry that it stands for in ``owners``; None for a step that was
    supplied. ``failures`` are told in the words of the model, by the indices of the tokens; ``left_open`` says why they
    are not proven, where other steps that leave no call might help. ``notes`` tell what was seen that is no fault.
    """

    trace: Trace
    tokens: tuple[Token, ...]
    owners: tuple[Entry | None, ...]
    failures: tuple[Failure, ...]
    left_open: str = ""
    notes: tuple[str, ...] = ()

    @cached_property
    def faults(self) -> dict[Fault, Kind]:
        found: dict[Fault, Kind] = {}
        for failure in self.failures:
            entry = None if failure.step is None else self.owners[failure.step]
            for literal in failure.unmet or (failure.detail,):
                found[entry, literal] = failure.kind
        return found

    def of(self, entry: Entry) -> list[Fault]:
        return self._by_entry.get(entry, [])

    @cached_property
    def _by_entry(self) -> dict[Entry | None, list[Fault]]:
        found: dict[Entry | None, list[Fault]] = {}
        for fault in self.faults:
            found.setdefault(fault[0], []).append(fault)
        return found

    @property
    def failing(self) -> set[Entry]:
        return {entry for entry, _ in self.faults if entry is not None}

    @cached_property
    def states(self) -> tuple[State, ...]:
        """Return the initial state and the state behind each entry's own token."""
        init, *behind = self.trace.states()
        return (init, *(state for state, owner in zip(behind, self.owners, strict=True) if owner is not None))

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Return the entries that were executed, behind which the ``states`` are."""
        return tuple(owner for owner in self.owners if owner is not None)


class Sequences:
    """The sequences between the plan and the execution: some deviations undone, the others as they were executed."""

    def __init__(self, adherence: Adherence, interpreted: Interpreted, limits: Limits | None) -> None:
        self.interpreted = interpreted
        self.limits = limits
        self.simulator: Simulator = interpreted.prepared.simulator
        self.rows = adherence.rows
        self.layout = adherence.layout
        self.steps = {entry: self.simulator.resolve(token) for entry, token in interpreted.steps.items()}
        self.unknown = interpreted.unknown
        self.left_open: list[str] = []

    def is_unrecorded(self, number: int) -> bool:
        return self.rows[number].kind is RowKind.UNRECORDED

    @cached_property
    def _followed(self) -> Mapping[int, int | None]:
        """Return for each row that leaves no call the step by which it is told whether it was done.

        That is the next one of the plan that leaves a call; behind the last one, that one; None where there is none.
        """
        found: dict[int, int | None] = {}
        planned = [number for number, is_planned, _ in self.layout if is_planned]
        following = next((number for number in reversed(planned) if not self.is_unrecorded(number)), None)
        for number in reversed(planned):
            if self.is_unrecorded(number):
                found[number] = following
            else:
                following = number
        return found

    def _is_taken_as_done(self, number: int, undone: Collection[int]) -> bool:
        """Return whether a row is one that leaves no call, and the plan was followed where it stands."""
        if not self.is_unrecorded(number):
            return False
        by = self._followed[number]
        return by is None or by in undone or self.rows[by].executed is not None

    def entries(self, undone: Collection[int]) -> tuple[Entry, ...]:
        """Return the sequence in which these rows are as planned and all others as executed.

        What leaves no call is in it where the plan is followed.
        """
        found: list[Entry] = []
        for number, is_planned, is_executed in self.layout:
            as_planned = number in undone or self._is_taken_as_done(number, undone)
            if (as_planned and is_planned) or (not as_planned and is_executed):
                found.append((number, not as_planned))
        return tuple(entry for entry in found if entry in self.steps)

    def planned(self) -> tuple[Entry, ...]:
        """Return the plan, with the planned step also where a call followed it."""
        places = (number for number, is_planned, _ in self.layout if is_planned)
        return tuple(entry for number in places if (entry := (number, False)) in self.steps)

    def before(self, place: int) -> tuple[Entry, ...]:
        """Return what was executed before a place of the layout."""
        found = (
            (number, is_executed)
            for number, _, is_executed in self.layout[:place]
            if is_executed or self._is_taken_as_done(number, ())
        )
        return tuple(entry for entry in found if entry in self.steps)

    def run(self, entries: Sequence[Entry], *, as_written: bool = False) -> Run:
        """Execute a sequence; ``as_written`` supplies nothing and takes every step for one that has to be executed."""
        steps = self._apart(entries)
        if as_written or self.interpreted.supply is None:
            return self._executed(list(steps.values()), entries)
        supply = self.interpreted.supply(entries)
        run = replace(self._executed(*self._supplied(steps, supply)), notes=tuple(supply.notes))
        if self._is_doubtful(run, steps):
            run = self._decided(run, steps)
            self.left_open += filter(None, (run.left_open,))
        return run

    def _executed(self, tokens: Sequence[Token], owners: Sequence[Entry | None]) -> Run:
        trace = self.simulator.run(Plan(parts=tuple(tokens)))
        failures = tuple(self._told(trace.failures, owners))
        return Run(trace=trace, tokens=tuple(tokens), owners=tuple(owners), failures=failures)

    def _apart(self, entries: Sequence[Entry]) -> dict[Entry, Token]:
        """Return the steps, with sets only where calls of one set (or steps of one) still stand side by side."""
        found = {}
        for number, is_call in entries:
            step = self.steps[number, is_call]
            if isinstance(step, Step) and step.concurrent is not None:
                step = replace(step, concurrent=2 * step.concurrent + is_call)
            found[number, is_call] = step
        return found

    # --- what leaves no call -------------------------------------------------------------------

    def _supplied(self, steps: Mapping[Entry, Token], supply: Supply) -> tuple[list[Token], list[Entry | None]]:
        """Return what was done, with the steps that leave no call: those of the plan where they apply, and others."""
        tokens: list[Token] = []
        owners: list[Entry | None] = []
        state: State = self.simulator.model.problem.init
        for together in self._happenings(steps):
            first = together[0]
            if self.is_unrecorded(first[0]) and (
                supply.is_denied(first) or not self.simulator.run_from(state, (steps[first],), with_goal=False).is_sound
            ):
                continue
            for entry in together:
                found, state = supply.before(entry, state)
                tokens += found
                owners += [None] * len(found)
            own = [steps[entry] for entry in together]
            *_, state = self.simulator.run_from(state, own, with_goal=False).states()
            tokens += own
            owners += together
            for entry in together:
                supply.done(entry)
        return tokens, owners

    def _happenings(self, steps: Mapping[Entry, Token]) -> list[list[Entry]]:
        """Return the entries of each set together, the others alone; what leaves no call within it goes before it."""
        found: list[list[Entry]] = []
        last = {_concurrent(step): entry for entry, step in steps.items()}
        open_set: list[Entry] | None = None
        for entry, step in steps.items():
            concurrent = _concurrent(step)
            if open_set is not None and self.is_unrecorded(entry[0]):
                found.insert(-1, [entry])
                continue
            if open_set is None or concurrent is None or concurrent != _concurrent(steps[open_set[0]]):
                found.append([entry])
            else:
                open_set.append(entry)
            open_set = found[-1] if concurrent is not None and last[concurrent] != entry else None
        return found

    def _is_doubtful(self, run: Run, steps: Mapping[Entry, Token]) -> bool:
        """Return whether a call that could not be executed might be, were something else done before."""
        failing = run.failing
        unmet = {entry for (entry, _), kind in run.faults.items() if kind is Kind.PRECONDITION}
        possible: list[Entry] = []
        for together in self._happenings(steps) if unmet else ():
            if any(self.interpreted.is_possible(entry, possible) for entry in together if entry in unmet):
                return True
            possible += (entry for entry in together if entry not in failing)
        return False

    def _decided(self, run: Run, steps: Mapping[Entry, Token]) -> Run:
        """Return the run in which the fewest calls fail, left open where that is not proven."""
        if self.limits is None or self.interpreted.arrange is None:
            return replace(run, left_open=f"{_OPEN}: the planner was not asked")
        calls = {
            entry: step for entry, step in steps.items() if isinstance(step, Step) and not self.is_unrecorded(entry[0])
        }
        found = self.interpreted.arrange(list(calls.values()), self.limits)
        if isinstance(found, str):
            return replace(run, left_open=f"{_OPEN}: the {found} was met")
        before = dict(zip(calls, found, strict=True))
        recorded = {entry: step for entry, step in steps.items() if not self.is_unrecorded(entry[0])}
        tokens: list[Token] = []
        owners: list[Entry | None] = []
        for together in self._happenings(recorded):
            done = [step for entry in together for step in before.get(entry, ())]
            tokens += (*done, *(steps[entry] for entry in together))
            owners += (*([None] * len(done)), *together)
        other = self._executed(tokens, owners)
        if len(other.failing) < len(run.failing):
            return other
        has_sets = any(len(together) > 1 for together in self._happenings(recorded))
        return replace(run, left_open=f"{_OPEN}: calls were made at once") if has_sets else run

    # --- in words ------------------------------------------------------------------------------

    def _told(self, failures: Sequence[Failure], owners: Sequence[Entry | None]) -> Iterator[Failure]:
        """Yield failures in the words of the model; what is wrong with a step in itself is told once."""
        known = set()
        for failure in failures:
            entry = None if failure.step is None else owners[failure.step]
            if entry is None or entry not in self.interpreted.faults:
                yield self.interpreted.told(failure)
            elif entry not in known:
                known.add(entry)
                yield from (replace(own, step=failure.step) for own in self.interpreted.faults[entry])

    def by_calls(self, run: Run) -> tuple[list[Failure], list[Token]]:
        """Return the failures of a run by the numbers of calls, and the steps that the calls are."""
        calls: dict[int, tuple[int, Token]] = {}
        for place, owner in enumerate(run.owners):
            call = None if owner is None else self.rows[owner[0]].executed
            if call is not None and owner is not None and owner[1]:
                calls[place] = call.index, self.interpreted.shown(run.tokens[place])
        shown: list[Token] = [Step(name="")] * (max((index for index, _ in calls.values()), default=-1) + 1)
        for index, token in calls.values():
            shown[index] = token
        numbers = {place: index for place, (index, _) in calls.items()}
        failures = [
            replace(
                failure,
                step=None if failure.step is None else numbers[failure.step],
                causes=tuple(self._cause(cause, run, numbers) for cause in failure.causes),
            )
            for failure in run.failures
        ]
        return failures, shown

    def _cause(self, cause: Cause, run: Run, calls: Mapping[int, int]) -> Cause:
        """Return a cause by the number of its call, or in words where the step behind it left none."""
        if cause.step is None or cause.step in calls:
            return cause if cause.step is None else replace(cause, step=calls[cause.step])
        did = "deleted it" if cause.origin is Origin.DELETED else "made the atom true"
        return replace(cause, step=None, detail=f"{self.interpreted.shown(run.tokens[cause.step])} {did}")


def _concurrent(step: Token) -> int | None:
    return step.concurrent if isinstance(step, Step) else None
