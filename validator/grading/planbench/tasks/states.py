"""The state after a plan: answers to PlanBench's execution task, compared with an execution."""

from __future__ import annotations

import re

from validator.checking.prepared import Prepared
from validator.grading.planbench.tasks.asked import sayable
from validator.grading.planbench.tasks.facts import Facts, read_facts
from validator.model.pddl.write import atom_text
from validator.model.values import GroundAtom
from validator.reading.plan import Plan

__all__ = ["compare_state", "state_after"]

_END = re.compile(r"\[(?:STATEMENT|PLAN|ACTION SEQUENCE|RESULTING STATE END)\]")


def state_after(model: Prepared, plan: Plan) -> frozenset[GroundAtom]:
    """Return the facts that can be said of the state after a plan. Raises ValueError for one that does not execute."""
    trace = model.simulator.run(plan)
    faults = [failure for failure in trace.failures if failure.step is not None]
    if faults:
        raise ValueError(f"the plan of the prompt cannot be executed: step {(faults[0].step or 0) + 1}")
    *_, state = trace.states()
    return sayable(model, state)


def compare_state(text: str, known: frozenset[GroundAtom], model: Prepared) -> tuple[bool | None, str]:
    """Return whether an answer states exactly a state, and in words what is wrong; None: it was not understood.

    Facts that are denied must be false. A fact that is not true decides; one that is missing only where all was read.
    """
    found = read_facts(_END.split(text)[0], model.lexicon)
    false = [fact.atom for fact in found.facts if fact.positive is not (fact.atom in known)]
    missing = sorted(known - found.atoms)
    if false:
        return False, f"not so: {_shown(false)}"
    if found.unread or not found.facts:
        return None, f"not understood: {_first(found, text)}"
    return not missing, f"missing: {_shown(missing)}" if missing else ""


def _shown(atoms: list[GroundAtom]) -> str:
    more = f" and {len(atoms) - 3} more" if len(atoms) > 3 else ""
    return " ".join(map(atom_text, atoms[:3])) + more


def _first(found: Facts, text: str) -> str:
    return repr((found.unread or (" ".join(text.split())[:80],))[0])
