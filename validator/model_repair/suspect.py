"""Whether the model is to be suspected rather than the plan: one edit of the domain would make plans valid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from validator.errors import InputError
from validator.model_repair.cases import PlanSource
from validator.model_repair.edits import Edit
from validator.model_repair.repair import repair_model
from validator.model_repair.words import said

__all__ = ["suspicion"]

_ALL = 199


def suspicion(domain: str | Path, problem: str | Path, plans: Sequence[PlanSource], *, time_limit: float = 5.0) -> str:
    """Return in words which one edit of a domain makes the most of some invalid plans valid; empty without one.

    Plans that were not understood are passed over. ``time_limit`` is in seconds for each plan. Raises PlannerError
    without python-sat.
    """
    found: Counter[Edit] = Counter()
    for plan in plans:
        found.update(_single(domain, problem, plan, time_limit))
    if not found:
        return ""
    edit, number = found.most_common(1)[0]
    others = sum(count == number for count in found.values()) - 1
    which = "the plan" if len(plans) == 1 else f"{number} of {len(plans)} plans"
    also = "" if not others else f"; {others} other edit{'s do' if others > 1 else ' does'} as well"
    return f"the model may be wrong: one edit of the domain makes {which} valid: {said(edit)}{also}"


def _single(domain: str | Path, problem: str | Path, plan: PlanSource, time_limit: float) -> Iterator[Edit]:
    """Yield the edits of which each alone makes a plan valid, the likeliest first."""
    try:
        repair = repair_model(domain, problem, plan, alternatives=_ALL, time_limit=time_limit)
    except InputError:
        return
    if repair.proven and len(repair.edits) == 1:
        yield repair.edits[0]
        yield from (one.edits[0] for one in repair.alternatives)
