"""Plans whose steps are open too: each may be left out, and others may be put in, at a cost.

Between the steps stand slots; each holds one ground action at most, and those of a gap are filled from the first on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from validator.model.values import Domain
from validator.model_repair.cases import Case
from validator.model_repair.costs import Costs
from validator.model_repair.encoding.choices import Choices
from validator.model_repair.encoding.circuit import Circuit
from validator.model_repair.encoding.instance import Instance, must_fail
from validator.model_repair.encoding.space import Occurrence, Space, space_of
from validator.model_repair.encoding.unrolled import Unrolled
from validator.model_repair.encoding.uses import Uses
from validator.records import dataclass, field

__all__ = ["MOST_OCCURRENCES", "PlanEdits", "encode_editable", "number_of_occurrences"]

MOST_OCCURRENCES = 20_000
"""ground actions in all slots together; above it no steps are put in"""

Ground: TypeAlias = tuple[str, tuple[str, ...]]
"""a step: an action and its arguments"""


@dataclass(slots=True)
class PlanEdits:
    """The variables that edit plans: ``skips`` of a step (case, index), ``inserts`` into a gap (case, index, step)."""

    skips: dict[int, tuple[int, int]] = field(default_factory=dict)
    inserts: dict[int, tuple[int, int, Ground]] = field(default_factory=dict)

    def plan(self, number: int, case: Case, true: frozenset[int]) -> list[tuple[str, Ground]]:
        """Return the lines of an edited plan: the steps, with `` ``, ``-`` or ``+``."""
        skipped = {self.skips[v][1] for v in true if v in self.skips and self.skips[v][0] == number}
        put_in = sorted((v, *self.inserts[v]) for v in true if v in self.inserts and self.inserts[v][0] == number)
        lines: list[tuple[str, Ground]] = []
        for gap in range(len(case.steps) + 1):
            lines += [("+", ground) for _, _, at, ground in put_in if at == gap]
            if gap < len(case.steps):
                lines.append(("-" if gap in skipped else " ", case.steps[gap]))
        return lines


def number_of_occurrences(case: Case) -> int:
    """Return how many ground actions a case's model has, which may be too many to be listed."""
    model = case.model
    return sum(
        prod(len(model.objects_of(parameter.types)) for parameter in action.parameters)
        for action in model.domain.actions.values()
    )


def _occurrences_of(case: Case) -> list[Ground]:
    model = case.model
    return [
        (name, objects)
        for name, action in model.domain.actions.items()
        for objects in product(*(model.objects_of(parameter.types) for parameter in action.parameters))
    ]


def encode_editable(
    domain: Domain, cases: Sequence[Case], costs: Costs, price: int, slots: int, deadline: float
) -> tuple[Instance, PlanEdits]:
    """Write the formula: an edited plan of each case is valid, and plans that must fail do.

    ``price`` is the cost of a step that is left out or put in, ``slots`` the number of steps that may be put into each
    gap. Raises OutOfTimeError.
    """
    circuit = Circuit()
    choices = Choices(circuit, costs)
    space = space_of(domain, domain.actions)
    strengthened = frozenset(name for case in cases if case.must_fail for name, _ in case.steps)
    edits = PlanEdits()
    wanted: set[str] = set()
    unwanted: set[str] = set()
    runs = []
    for number, case in enumerate(cases):
        moments = _moments(number, case, space, circuit, choices, edits, price, 0 if case.must_fail else slots)
        uses = Uses(case.model, wanted, unwanted)
        for when, moment in enumerate(moments):
            for occurrence in moment:
                uses.read_step(space, occurrence, when, strengthened, case.must_fail)
        for positive in (True, False) if case.must_fail else (True,):
            uses.read(case.model.problem.goal, {}, len(moments), positive)
        runs.append((case, moments, uses))
    for case, moments, uses in runs:
        run = Unrolled(case.model, circuit, choices, space, uses, deadline, strengthened, (), case.number)
        possible = not must_fail(run, case) if case.must_fail else _valid(run, moments)
        if not possible:
            return Instance(circuit, choices, f"{case.name}: no allowed edit helps"), edits
    return Instance(circuit, choices), edits


def _moments(
    number: int,
    case: Case,
    space: Space,
    circuit: Circuit,
    choices: Choices,
    edits: PlanEdits,
    price: int,
    slots: int,
) -> list[list[Occurrence]]:
    grounds = _occurrences_of(case) if slots else []
    moments: list[list[Occurrence]] = []
    for gap in range(len(case.steps) + 1):
        before = None
        for _ in range(slots):
            variables = [circuit.variable() for _ in grounds]
            for variable, ground in zip(variables, grounds, strict=True):
                edits.inserts[variable] = (number, gap, ground)
                choices.costs[variable] = price
            used = _at_most_one(circuit, variables)
            if before is not None:
                circuit.require(-used, before)
            before = used
            moments.append([_occurrence(space, g, v) for v, g in zip(variables, grounds, strict=True)])
        if gap < len(case.steps):
            moments.append(list(_kept(number, gap, case, space, circuit, choices, edits, price)))
    return moments


def _kept(
    number: int, at: int, case: Case, space: Space, circuit: Circuit, choices: Choices, edits: PlanEdits, price: int
) -> Iterator[Occurrence]:
    """Yield a step of the plan unless it is none of the model; it may be left out where the plan must be valid."""
    name, objects = case.steps[at]
    if case.must_fail:
        yield _occurrence(space, (name, objects))
        return
    skip = circuit.variable()
    edits.skips[skip] = (number, at)
    choices.costs[skip] = price
    if at in case.unusable:
        circuit.require(skip)
    else:
        yield _occurrence(space, (name, objects), -skip)


def _occurrence(space: Space, ground: Ground, guard: int = 1) -> Occurrence:
    name, objects = ground
    parameters = space.schemas[name].action.parameters
    return Occurrence(name, dict(zip((parameter.name for parameter in parameters), objects, strict=True)), guard)


def _at_most_one(circuit: Circuit, variables: Sequence[int]) -> int:
    """Let one variable be true at most (a ladder: Gent and Nightingale 2004); return whether one is."""
    some = -1
    for variable in variables:
        circuit.require(-some, -variable)
        some = circuit.any_of((some, variable))
    return some


def _valid(run: Unrolled, moments: Sequence[Sequence[Occurrence]]) -> bool:
    for moment in moments:
        run.check_time()
        for occurrence in moment:
            for removal, holds in run.required(occurrence):
                run.circuit.require(-occurrence.guard, removal, holds)
        run.step(moment)
    goals = [run.circuit.require(holds) for _, holds in run.goals()]
    return all(goals)
