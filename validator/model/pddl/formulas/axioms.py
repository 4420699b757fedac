"""Derived predicates must be stratified: none may depend on its own negation (PDDL 2.2; Thiebaux et al. 2005)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from validator.model.formulas import parts_of
from validator.model.pddl.scope import Scope
from validator.model.pddl.syntax import Group
from validator.model.values import Atom, Axiom, Expression, Formula, Imply, Not

__all__ = ["check_stratified", "dependencies", "strata"]


def dependencies(condition: Formula | Expression, positive: bool = True) -> Iterator[tuple[str, bool]]:
    """Yield each predicate of a condition with whether it is needed true."""
    match condition:
        case Atom(predicate, _):
            yield predicate, positive
        case Not(part):
            yield from dependencies(part, not positive)
        case Imply(premise, conclusion):
            yield from dependencies(premise, not positive)
            yield from dependencies(conclusion, positive)
        case _:
            for each in parts_of(condition):
                yield from dependencies(each, positive)


def strata(axioms: Iterable[Axiom]) -> dict[str, int] | str:
    """Return the stratum of each derived predicate, from 0, or the name of one that has none.

    A predicate stands at least as high as each it needs true, and higher than each it needs false; more
    levels than predicates mean a cycle through a negation.
    """
    rules = [(axiom.predicate, dict.fromkeys(dependencies(axiom.condition))) for axiom in axioms]
    level = {predicate: 0 for predicate, _ in rules}
    changed = True
    while changed:
        changed = False
        for predicate, needs in rules:
            for needed, positive in needs:
                least = level.get(needed, -1) + (0 if positive else 1)
                if level[predicate] < least:
                    level[predicate] = least
                    changed = True
                    if least > len(level):
                        return predicate
    return level


def check_stratified(scope: Scope, axioms: Sequence[Axiom], sections: Sequence[Group]) -> None:
    """Raise ModelError at the rule of a derived predicate that depends on its own negation."""
    found = strata(axioms)
    if isinstance(found, str):
        section = next(part for axiom, part in zip(axioms, sections, strict=True) if axiom.predicate == found)
        scope.source.fail(
            f"derived predicate '{found}' depends on its own negation; the axioms are not stratified", section.offset
        )
