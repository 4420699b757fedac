"""Repairs of random domains beside a repairer that tries every set of edits; needs pysat."""

from __future__ import annotations

from tests.support.model_repair_oracle import Change, Trial, plan_text, random_trial, smallest
from validator.model.values import Atom, Not
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.repair import repair_model
from validator.model_repair.result import ModelRepair, Status

__all__ = ["agree", "compared"]

MOST = 2
ALL = 10_000


def repaired(trial: Trial) -> ModelRepair:
    return repair_model(
        trial.domain.text(),
        trial.problem_text(),
        [plan_text(plan) for plan in trial.plans],
        must_fail=[plan_text(plan) for plan in trial.must_fail],
        alternatives=ALL,
    )


def change_of(edit: Edit) -> Change:
    """Return an edit in the oracle's values."""
    negated = isinstance(edit.formula, Not)
    atom = edit.formula.part if isinstance(edit.formula, Not) else edit.formula
    assert isinstance(atom, Atom)
    what, _, part = edit.kind.value.partition(" ")
    part = "precondition" if "precondition" in part else "effect"
    positive = not negated if part == "precondition" else edit.kind in (Kind.ADD_ADD, Kind.REMOVE_ADD)
    return (f"{what} {part}", edit.action, (atom.predicate, *atom.terms), positive)


def agree(seed: int, *, must_fail: bool) -> str:
    """Compare both repairers; return what the smallest repair is like."""
    return compared(seed, random_trial(seed, must_fail=must_fail))


def compared(seed: int, trial: Trial) -> str:
    expected = smallest(trial, MOST)
    found = repaired(trial)
    said = f"seed {seed}: {found.status}, {found.reason}\n{trial}"
    if expected is None:
        assert found.status is Status.IMPOSSIBLE or (found.proven and len(found.edits) > MOST), said
        return "more"
    if expected == {frozenset()}:
        assert found.status is Status.NOTHING_TO_DO, said
        return "none"
    assert found.status is Status.REPAIRED and found.proven, said
    sets = {frozenset(map(change_of, edits)) for edits in (found.edits, *(one.edits for one in found.alternatives))}
    if found.is_complete:
        assert sets == expected, f"{said}\n{sets - expected}\n{expected - sets}"
    else:
        assert sets <= expected, said
    return str(len(found.edits))
