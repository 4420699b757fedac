"""What can be seen of a repair where the plan runs on the repaired domain: what it lets happen that it should not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from validator.errors import ValidatorError
from validator.execution.simulator import Simulator
from validator.execution.trace import Trace
from validator.model.conditions import holds
from validator.model.values import Domain, GroundAtom, Model
from validator.model_repair.cases import Case
from validator.model_repair.edits import Edit
from validator.model_repair.space.applied import applied
from validator.reading.plan import Step

__all__ = ["run_features"]

_MOST_STATES = 8
"""along a plan, in which each of as many of its steps is tried"""

_Group = tuple[str, int]
"""atoms of a predicate that differ at one place only"""


def run_features(domain: Domain, case: Case, edits: Collection[Edit]) -> dict[str, float]:
    """Return what is seen of a set of edits of literals, by name; nothing where the plan is not run, or has numbers.

    - ``run breaks a mutex group``: how many predicates have, at one of their places, at most one true atom for all
      else that they say initially, and two somewhere along the plan (Helmert 2009, section 5).
    - ``run admits its steps elsewhere``: the share of the plan's steps that can be executed in its other states; the
      more there are, the more plans the domain admits that nobody asked for.
    - ``run has steps without effect``: the share of steps that change nothing.
    """
    if domain.features or case.model.problem.features:
        return {}
    simulator = Simulator(Model(domain=applied(domain, edits), problem=case.model.problem))
    steps = [Step(name=name, args=args) for name, args in case.steps]
    try:
        trace = simulator.run(steps)
    except ValidatorError:
        return {}
    if not trace.is_valid or not steps:
        return {}
    return {
        "run breaks a mutex group": float(len(set(_broken(trace)))),
        "run admits its steps elsewhere": _admitted(simulator, steps, list(trace.states())),
        "run has steps without effect": sum(not (c.added or c.deleted) for c in trace.changes) / len(steps),
    }


def _broken(trace: Trace) -> Iterator[_Group]:
    """Yield each group of which at most one atom held initially whatever its other arguments, and not later."""
    true: Counter[tuple[str, int, GroundAtom]] = Counter(key for atom in trace.init for key in _keys(atom))
    open_from_the_start = {key[:2] for key, number in true.items() if number > 1}
    for change in trace.changes:
        true.subtract(key for atom in change.deleted for key in _keys(atom))
        for key in (key for atom in change.added for key in _keys(atom)):
            true[key] += 1
            if true[key] > 1 and key[:2] not in open_from_the_start:
                yield key[:2]


def _keys(atom: GroundAtom) -> Iterator[tuple[str, int, GroundAtom]]:
    for place in range(1, len(atom)):
        yield atom[0], place, (*atom[1:place], *atom[place + 1 :])


def _admitted(simulator: Simulator, steps: list[Step], states: list[frozenset[GroundAtom]]) -> float:
    stride = max(1, len(steps) // _MOST_STATES)
    some = range(0, len(steps), stride)
    tried = [(state, step) for state in some for step in some if state != step]
    return sum(_is_met(simulator, states[state], steps[step]) for state, step in tried) / (len(tried) or 1)


def _is_met(simulator: Simulator, state: frozenset[GroundAtom], step: Step) -> bool:
    schema, view = simulator.schema(step.name), simulator.view(state)
    return holds(simulator.model, schema.action.precondition, schema.binding(step.args), view)
