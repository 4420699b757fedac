"""How many steps must be dropped or inserted at least, and what they add to the price."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from fractions import Fraction

from validator.grounding.limits import checked
from validator.model.temporal import When
from validator.model.values import GroundAtom
from validator.records import dataclass
from validator.repair.time.search.parts import Parts, Subject

__all__ = ["Relaxed", "fewest_changes", "least_price"]


@dataclass(frozen=True, slots=True)
class Relaxed:
    """What a step needs at its start, inside, at its end and in all, and what it may make true at its start and in all.

    A step without an end starts with all of it. What an invariant needs may come from a step that starts together with
    this one, and because of it.
    """

    at_start: frozenset[GroundAtom]
    inside: frozenset[GroundAtom]
    at_end: frozenset[GroundAtom]
    needs: frozenset[GroundAtom]
    first_adds: frozenset[GroundAtom]
    adds: frozenset[GroundAtom]

    @classmethod
    def of(cls, parts: Parts, subject: Subject, free: Set[str] = frozenset()) -> Relaxed:
        """Return the record of a step; atoms of ``free`` predicates are needed by nothing."""

        def needs(*whens: When) -> frozenset[GroundAtom]:
            return frozenset(atom for atom in parts.needs(subject, *whens) if atom[0] not in free)

        lasts, first_adds = parts.durative(subject) is not None, frozenset(parts.adds(subject, When.START))
        inside, at_end = (needs(when) if lasts else frozenset[GroundAtom]() for when in (When.ALL, When.END))
        return cls(needs(When.START), inside, at_end, needs(), first_adds, frozenset(parts.adds(subject)))


def fewest_changes(
    start: Iterable[GroundAtom],
    steps: Iterable[Relaxed],
    insertable: Sequence[Relaxed],
    wanted: frozenset[GroundAtom],
    is_over: Callable[[], bool],
) -> int | None:
    """Return a number of steps dropped and inserted without which no plan is to be had; None where none is at all.

    ``steps`` are to come, ``wanted`` is what must hold at the end. The bound is that of the plan in which nothing is
    deleted, all comparisons of numbers come out as they should, and every atom is reached on the shortest way by itself
    (Bonet and Geffner 2001); a step that has started ends for nothing. Raises TimeoutError as soon as it is over.
    """
    reached, left, begun, waiting = set(start), list(steps), list[Relaxed](), list(insertable)
    changes = 0
    while True:
        left, begun = _closed(reached, left, begun, is_over)
        if wanted <= reached and (changes or not left):
            return changes  # the steps that are left may be dropped as well
        ready = [step for step in checked(waiting, is_over) if step.at_start <= reached]
        if not ready and not wanted <= reached:
            return None
        waiting = [step for step in waiting if not step.at_start <= reached]
        begun += ready
        changes += 1


def _closed(
    reached: set[GroundAtom], left: list[Relaxed], begun: list[Relaxed], is_over: Callable[[], bool]
) -> tuple[list[Relaxed], list[Relaxed]]:
    """Let all that is within reach start and end; return the steps that have not ended."""
    while True:
        before = len(reached), len(left), len(begun)
        for step in checked((*left, *begun), is_over):
            if step.at_start <= reached:
                reached |= step.first_adds
        left, begun = _unended(reached, left), _unended(reached, begun)
        if before == (len(reached), len(left), len(begun)):
            return left, begun


def _unended(reached: set[GroundAtom], steps: Iterable[Relaxed]) -> list[Relaxed]:
    left = []
    for step in steps:
        if step.needs <= reached:
            reached |= step.adds
        else:
            left.append(step)
    return left


def least_price(
    atoms: Iterable[GroundAtom], steps: Sequence[tuple[Relaxed, Fraction]], wanted: frozenset[GroundAtom]
) -> Fraction:
    """Return what steps add at least until all of some atoms hold, each reached on the cheapest way by itself."""
    cheapest = dict.fromkeys(atoms, Fraction(0))
    grown = True
    while grown:
        grown = False
        for step, price in steps:
            if not step.at_start <= cheapest.keys():
                continue
            total = price + max((cheapest[atom] for atom in step.at_start), default=Fraction(0))
            for atom in step.adds | step.first_adds:
                if atom not in cheapest or total < cheapest[atom]:
                    cheapest[atom], grown = total, True
    return max((cheapest.get(atom, Fraction(0)) for atom in wanted), default=Fraction(0))
