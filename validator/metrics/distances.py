"""How similar two plans are by their steps alone: no model takes part.

Every function takes plans in any form that ``read`` takes. Where one plan is the measure of the other, the generated
plan comes first and the reference second. Two empty plans are the same plan.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set

from validator.metrics.reading import PlanLike, read
from validator.repair.alignment import edit_length, lcs_length


def lcs(generated: PlanLike, reference: PlanLike) -> float:
    """Return the longest common subsequence over the length of the longer plan.

    GAICO's PlanningLCS. A set of steps at one time is one element; the computation is that of Hyyrö 2004.
    """
    one, other = read(generated).elements, read(reference).elements
    return common_share(one, other)


def common_share(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """Return the longest common subsequence over the length of the longer sequence; 1 for two empty ones."""
    longest = max(len(one), len(other))
    return lcs_length(one, other) / longest if longest else 1.0


def jaccard(generated: PlanLike, reference: PlanLike) -> float:
    """Return the share of the different steps of either plan that both have (Jaccard 1912). GAICO's PlanningJaccard."""
    return shared_part(read(generated).kinds, read(reference).kinds)


def shared_part(one: Set[Hashable], other: Set[Hashable]) -> float:
    """Return the share of the members of either set that both have; 1 for two empty ones."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if one or other else 1.0


def actions_distance(generated: PlanLike, reference: PlanLike) -> float:
    """Return 1 less the Jaccard similarity: the action-based distance of Nguyen et al. 2012.

    Nguyen, Do, Gerevini, Serina, Srivastava, Kambhampati, Generating diverse plans to handle unknown and partially
    known user preferences; first in Srivastava et al. 2007, Domain independent approaches for finding diverse plans.
    """
    return 1 - jaccard(generated, reference)


def stability_distance(generated: PlanLike, reference: PlanLike) -> int:
    """Return |A-B| + |B-A|: how many steps only one of the plans has.

    Fox, Gerevini, Long, Serina 2006, Plan stability: replanning versus plan repair. A step that a plan takes twice
    counts twice; where no plan repeats a step, A and B are sets.
    """
    one, other = read(generated).bag, read(reference).bag
    return (one - other).total() + (other - one).total()


def edit_distance(generated: PlanLike, reference: PlanLike) -> int:
    """Return the fewest insertions, deletions and replacements of elements between the plans (Levenshtein 1966)."""
    return edit_length(read(generated).elements, read(reference).elements)


def step_precision(generated: PlanLike, reference: PlanLike) -> float:
    """Return the share of the generated steps that the reference has too, each as often as it has it.

    van Rijsbergen 1979, Information Retrieval. A plan without steps has no wrong step: 1.
    """
    one, other = read(generated).bag, read(reference).bag
    return (one & other).total() / one.total() if one else 1.0


def step_recall(generated: PlanLike, reference: PlanLike) -> float:
    """Return the share of the reference's steps that the generated plan has too (van Rijsbergen 1979)."""
    return step_precision(reference, generated)


def step_f1(generated: PlanLike, reference: PlanLike) -> float:
    """Return the harmonic mean of precision and recall: twice the common steps over all steps (van Rijsbergen 1979)."""
    one, other = read(generated).bag, read(reference).bag
    both = one.total() + other.total()
    return 2 * (one & other).total() / both if both else 1.0
