"""All plans together on one domain with open edits: what must hold of the edits, and what each costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from validator.model.pddl.write import formula_text
from validator.model.values import Domain
from validator.model_repair.actions import Schema
from validator.model_repair.candidates import Occurrence, Space, space_of
from validator.model_repair.cases import Case
from validator.model_repair.edits import Costs
from validator.model_repair.encoding.circuit import Choices, Circuit
from validator.model_repair.encoding.numbers import courses
from validator.model_repair.encoding.unrolled import Unrolled
from validator.model_repair.encoding.uses import Uses
from validator.records import dataclass

__all__ = ["NUMBERS", "Instance", "encode"]

NUMBERS = "numeric-fluents"
"""the only feature beyond classical planning of models that are repaired"""


@dataclass(frozen=True, slots=True)
class Instance:
    """``impossible`` says why no edit can help, where that shows while the formula is written."""

    circuit: Circuit
    choices: Choices
    impossible: str = ""


def encode(domain: Domain, cases: Sequence[Case], costs: Costs, deadline: float) -> Instance:
    """Write the formula: plans that must be valid are, and plans that must fail do.

    Raises OutOfTimeError, and NotRepairedError for numbers and axioms that are not repaired.
    """
    circuit = Circuit()
    choices = Choices(circuit, costs)
    space = space_of(domain, {name for case in cases for name, _ in case.steps})
    strengthened = frozenset(name for case in cases if case.must_fail for name, _ in case.steps)
    wanted: set[str] = set()
    unwanted: set[str] = set()
    uses = [_uses(case, space, strengthened, wanted, unwanted) for case in cases]
    for case, used in zip(cases, uses, strict=True):
        numbers = courses(case) if NUMBERS in case.model.features else ()
        run = Unrolled(case.model, circuit, choices, space, used, deadline, strengthened, numbers)
        impossible = _must_fail(run, case) if case.must_fail else _must_hold(run, case)
        if impossible:
            return Instance(circuit, choices, impossible)
    return Instance(circuit, choices)


def occurrences(case: Case, schemas: Mapping[str, Schema]) -> list[Occurrence]:
    return [
        Occurrence(name, dict(zip((p.name for p in schemas[name].action.parameters), args, strict=True)))
        for name, args in case.steps
    ]


def _uses(case: Case, space: Space, strengthened: frozenset[str], wanted: set[str], unwanted: set[str]) -> Uses:
    """Note what a plan reads."""
    used = Uses(case.model, wanted, unwanted)
    for when, step in enumerate(occurrences(case, space.schemas)):
        used.read_step(space, step, when, strengthened, case.must_fail)
    for positive in (True, False) if case.must_fail else (True,):
        used.read(case.model.problem.goal, {}, len(case.steps), positive)
    return used


def _must_hold(run: Unrolled, case: Case) -> str:
    """Demand that a plan is valid; return why it cannot be."""
    for number, step in enumerate(occurrences(case, run.space.schemas), 1):
        run.check_time()
        for removal, holds in run.required(step):
            if not run.circuit.require(removal, holds):
                return f"{case.name}: no allowed edit makes step {number} applicable"
        run.step(step)
    for part, holds in run.goals():
        if not run.circuit.require(holds):
            return f"{case.name}: no allowed edit makes {formula_text(part, {})} of the goal true"
    return ""


def _must_fail(run: Unrolled, case: Case) -> str:
    """Demand that some step of a plan is not applicable or that a goal is not met; return why neither can be."""
    fails = []
    for step in occurrences(case, run.space.schemas):
        run.check_time()
        fails += [-run.circuit.any_of(pair) for pair in run.required(step)]
        run.step(step)
    fails += [-holds for _, holds in run.goals()]
    return "" if run.circuit.require(*fails) else f"{case.name}: no allowed edit makes this plan fail"
