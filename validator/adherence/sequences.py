"""Steps and calls as steps of a model, and the execution of what lies between the plan and what was executed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from validator.adherence.calls import Argument, Call, Planned
from validator.adherence.recording import folded
from validator.adherence.values import Adherence
from validator.execute import Kind, Simulator, Trace
from validator.model import Action, GroundAtom, Model
from validator.plan import Plan, Step

__all__ = ["Entry", "Fault", "Run", "Sequences", "Translate", "pddl_steps"]

Translate: TypeAlias = Callable[[Planned | Call], Step | str]
"""Return the step of the model that a planned step or a call stands for, or why that is not known."""


def pddl_steps(model: Model) -> Translate:
    """Return how tool calls read as steps of a PDDL model.

    A tool is the action of the same name, whatever its case and joints. Arguments by the names of the action's
    parameters are put in their order; others keep the order in which they are written. Values are objects by name.
    """
    actions = {folded(name): action for name, action in model.domain.actions.items()}
    objects = {folded(name): name for name in model.problem.objects}

    def translate(side: Planned | Call) -> Step | str:
        if isinstance(side, Planned) and not side.is_readable:
            return "it cannot be read as a step"
        action = actions.get(folded(side.name))
        if side.arguments is None:
            if action is not None and not action.parameters:
                return Step(name=action.name)
            return "its arguments are not known"
        if any(argument.is_open for argument in side.arguments):
            return "some of its arguments are placeholders"
        ordered = side.arguments if action is None else _in_order(side.arguments, action)
        args = (argument.text for argument in ordered)
        known = tuple(arg if arg in model.problem.objects else objects.get(folded(arg), arg) for arg in args)
        return Step(name=side.name if action is None else action.name, args=known)

    return translate


def _in_order(arguments: Sequence[Argument], action: Action) -> Sequence[Argument]:
    names = [folded(parameter.name.lstrip("?")) for parameter in action.parameters]
    given = {folded(argument.name.lstrip("?")): argument for argument in arguments if argument.name is not None}
    if len(given) == len(arguments) and given.keys() == set(names):
        return [given[name] for name in names]
    return arguments


# --- one execution -------------------------------------------------------------------------------

Entry: TypeAlias = tuple[int, bool]
"""A row, and whether its call (else its planned step) is meant."""

Fault: TypeAlias = tuple[Entry | None, str]
"""The entry that could not be executed, None for the goal, and what was false."""


@dataclass(frozen=True)
class Run:
    """The execution of a sequence of entries."""

    entries: tuple[Entry, ...]
    trace: Trace
    tokens: tuple[Step, ...]

    @cached_property
    def faults(self) -> dict[Fault, Kind]:
        found: dict[Fault, Kind] = {}
        for failure in self.trace.failures:
            entry = None if failure.step is None else self.entries[failure.step]
            for literal in failure.unmet or (failure.detail,):
                found[entry, literal] = failure.kind
        return found

    def of(self, entry: Entry) -> list[Fault]:
        return [fault for fault in self.faults if fault[0] == entry]

    @cached_property
    def states(self) -> tuple[frozenset[GroundAtom], ...]:
        return tuple(self.trace.states())


class Sequences:
    """The sequences between the plan and the execution: some deviations undone, the others as they were executed."""

    def __init__(self, adherence: Adherence, simulator: Simulator, translate: Translate) -> None:
        self.simulator = simulator
        self.rows = adherence.rows
        self.layout = adherence.layout
        self.steps: dict[Entry, Step] = {}
        self.unknown: list[str] = []
        for number, row in enumerate(adherence.rows):
            for side in (row.planned, row.executed):
                if side is not None and not (isinstance(side, Call) and side.error is not None):
                    self._take((number, side is row.executed), side, translate)

    def _take(self, entry: Entry, side: Planned | Call, translate: Translate) -> None:
        step = translate(side)
        if isinstance(step, str):
            where = "call" if isinstance(side, Call) else "step"
            self.unknown.append(f"{where} {side.index + 1} {side}: {step}")
            return
        resolved = self.simulator.resolve(step)
        assert isinstance(resolved, Step)
        self.steps[entry] = replace(resolved, concurrent=side.batch, time=None, duration=None)

    def entries(self, undone: Collection[int]) -> tuple[Entry, ...]:
        """Return the sequence in which these rows are as planned and all others as executed."""
        found: list[Entry] = []
        for number, is_planned, is_executed in self.layout:
            as_planned = number in undone
            if (as_planned and is_planned) or (not as_planned and is_executed):
                found.append((number, not as_planned))
        return tuple(entry for entry in found if entry in self.steps)

    def planned(self) -> tuple[Entry, ...]:
        """Return the plan, with the planned step also where a call followed it."""
        places = (number for number, is_planned, _ in self.layout if is_planned)
        return tuple(entry for number in places if (entry := (number, False)) in self.steps)

    def run(self, entries: Sequence[Entry]) -> Run:
        tokens = tuple(self._apart(entries))
        return Run(tuple(entries), self.simulator.run(Plan(parts=tokens)), tokens)

    def _apart(self, entries: Sequence[Entry]) -> list[Step]:
        """Return the steps, with sets only where calls of one set (or steps of one) still stand side by side."""
        found = []
        for number, is_call in entries:
            step = self.steps[number, is_call]
            concurrent = None if step.concurrent is None else 2 * step.concurrent + is_call
            found.append(replace(step, concurrent=concurrent))
        return found
