"""What two sets of defects do to the grade of one answer, and which defects of them make the difference."""

from __future__ import annotations

from validator.grading.eai.defects import Defect
from validator.grading.eai.sequencing.sequencing import Grade
from validator.grading.eai.tasks.household import grade
from validator.grading.eai.tasks.virtualhome import Household

__all__ = ["differences"]


def differences(task: Household, text: str, before: frozenset[Defect], after: frozenset[Defect]) -> str | None:
    """Return how a grade differs, with the defects; None when it does not.

    A defect makes the difference when it alone, switched over from one set to the other, changes the grade. Where none
    does so alone, all in which the sets differ are named together.
    """
    first, second = _told(grade(task, text, before)), _told(grade(task, text, after))
    if first == second:
        return None
    switched = sorted(before ^ after)
    alone = [each for each in switched if _told(grade(task, text, before ^ {each})) != first]
    causes = ", ".join(alone) if alone else f"together: {', '.join(switched)}"
    return f"{first} -> {second}  [{causes}]"


def _told(found: Grade) -> str:
    """Return what counts of a grade."""
    failed = found.execution.failed if found.execution is not None else None
    goals = f"{found.matched.total:g} of {found.totals.total:g} goals"
    return f"{found.verdict.value}{f' at {failed.label}' if failed is not None else ''}, {goals}"
