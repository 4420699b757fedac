"""The execution of what lies between the plan and what was executed: some deviations undone, the others not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TypeAlias

from validator.adherence.model import Entry, Interpreted
from validator.adherence.result import Adherence
from validator.execution.simulator import Simulator
from validator.execution.trace import Failure, Kind, Trace
from validator.grounding.limits import Limits
from validator.model.values import GroundAtom
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass, replace

Fault: TypeAlias = tuple[Entry | None, str]
"""The entry that could not be executed, None for the goal, and what was false."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """The execution of a sequence of entries; the trace counts its steps by their places among them."""

    trace: Trace
    entries: tuple[Entry, ...]

    @cached_property
    def faults(self) -> dict[Fault, Kind]:
        found: dict[Fault, Kind] = {}
        for failure in self.trace.failures:
            entry = None if failure.step is None else self.entries[failure.step]
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

    @cached_property
    def states(self) -> tuple[frozenset[GroundAtom], ...]:
        """Return the initial state and the state after each entry."""
        return tuple(self.trace.states())


class Sequences:
    """The sequences between the plan and the execution: some deviations undone, the others as they were executed."""

    def __init__(self, adherence: Adherence, interpreted: Interpreted, limits: Limits | None) -> None:
        self.limits = limits
        self.simulator: Simulator = interpreted.prepared.simulator
        self.rows = adherence.rows
        self.layout = adherence.layout
        self.steps = {entry: self.simulator.resolve(token) for entry, token in interpreted.steps.items()}
        self.unknown = interpreted.unknown

    def entries(self, undone: Collection[int]) -> tuple[Entry, ...]:
        """Return the sequence in which these rows are as planned and all others as executed."""
        found = (
            (number, number not in undone)
            for number, is_planned, is_executed in self.layout
            if (is_planned if number in undone else is_executed)
        )
        return tuple(entry for entry in found if entry in self.steps)

    def planned(self) -> tuple[Entry, ...]:
        """Return the plan, with the planned step also where a call followed it."""
        places = (number for number, is_planned, _ in self.layout if is_planned)
        return tuple(entry for number in places if (entry := (number, False)) in self.steps)

    def before(self, place: int) -> tuple[Entry, ...]:
        """Return what was executed before a place of the layout."""
        found = ((number, True) for number, _, is_executed in self.layout[:place] if is_executed)
        return tuple(entry for entry in found if entry in self.steps)

    def run(self, entries: Sequence[Entry]) -> Run:
        """Execute a sequence of entries."""
        steps = tuple(map(self._apart, entries))
        return Run(trace=self.simulator.run(Plan(parts=steps)), entries=tuple(entries))

    def _apart(self, entry: Entry) -> Token:
        """Return a step; its set is another one for a call than for a planned step."""
        step = self.steps[entry]
        if isinstance(step, Step) and step.concurrent is not None:
            return replace(step, concurrent=2 * step.concurrent + entry[1])
        return step

    def by_calls(self, run: Run) -> tuple[list[Failure], list[Token]]:
        """Return the failures of a run of calls alone by their numbers, and the steps that the calls are."""
        numbers = {
            place: call.index
            for place, (row, is_call) in enumerate(run.entries)
            if is_call and (call := self.rows[row].executed) is not None
        }
        shown: list[Token] = [Step(name="")] * (max(numbers.values(), default=-1) + 1)
        for place, index in numbers.items():
            shown[index] = self.steps[run.entries[place]]
        failures = [
            replace(
                failure,
                step=None if failure.step is None else numbers[failure.step],
                causes=tuple(
                    cause if cause.step is None else replace(cause, step=numbers[cause.step])
                    for cause in failure.causes
                ),
            )
            for failure in run.trace.failures
        ]
        return failures, shown
