"""Which kind each check of a BEHAVIOR action is, in the benchmark's evaluator.

A step is in the wrong order there when its whole precondition held in an earlier state; the steps that put something
somewhere never are. To clean of dust and of stains are two such steps in one.
"""

from __future__ import annotations

from validator.grading.eai.sequencing.taxonomy import Check, Checks, Kind, by_form
from validator.grading.eai.world.formulas import conjuncts
from validator.model.values import Action, And, Atom, Domain, Exists, Formula, Not, Or

__all__ = ["behavior_checks"]


def behavior_checks(domain: Domain) -> Checks:
    """Return the checks of the bundled domain ``behavior``."""
    of_form = by_form(domain)

    def check(action: Action, index: int) -> Check:
        part = conjuncts(action.precondition)[index]
        kind = of_form(action, index).kind
        if _is_about_things(part):
            kind = Kind.AFFORDANCE
        elif _is_satisfied(action, part):
            kind = Kind.SATISFIED
        is_put = "_place_" in action.name or "_transfer_" in action.name
        return Check(kind=kind, wanted=() if is_put else (_wanted(action, part),))

    return check


def _wanted(action: Action, part: Formula) -> Formula:
    """Return the precondition; of cleaning, which the evaluator checks for dust and for stains apart, that part."""
    match part:
        case Or((Not(Atom(("dusty" | "stained") as dirt, terms)), Atom() as remover, _)):
            rest = (each for each in conjuncts(action.precondition) if not _is_about_dirt(each))
            return And((Atom(dirt, terms), remover, *rest))
        case _:
            return action.precondition


def _is_about_dirt(part: Formula) -> bool:
    return isinstance(part, Or) and isinstance(part.parts[0], Not)


def _is_about_things(part: Formula) -> bool:
    """Return whether sizes or the parts of a sliced thing are to blame."""
    match part:
        case Not(Atom("in-parts")):
            return True
        case Not(Exists(_, inner)):
            return any(isinstance(each, Atom) and each.predicate == "too-big" for each in conjuncts(inner))
        case _:
            return False


def _is_satisfied(action: Action, part: Formula) -> bool:
    """Return whether what the step is for holds already."""
    if action.name.endswith("_grasp"):
        return isinstance(part, Not) and isinstance(part.part, Atom) and part.part.predicate in ("in-left", "in-right")
    return action.name == "clean" and isinstance(part, Or) and Atom("dusty", ("?o",)) in part.parts
