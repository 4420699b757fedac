"""A repair of a domain as a text for people, and as plain values for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from validator.model_repair.explanations import said
from validator.model_repair.result import ModelRepair, Repair, Status
from validator.texts import decimal

__all__ = ["repair_text", "repair_value"]


def repair_text(found: ModelRepair) -> str:
    """Return the result in words; the diff of the domain comes last, so that the text can be applied as one."""
    text = "".join(f"{line}\n" for line in _lines(found))
    return f"{text}\n{found.domain_diff}" if found.domain_diff else text


def _lines(found: ModelRepair) -> Iterator[str]:
    if found.status is Status.NOTHING_TO_DO:
        yield "The domain already treats every plan as required."
        return
    if found.status is not Status.REPAIRED:
        yield f"No repair ({found.status.value}{', proven' if found.proven else ''}): {found.reason}"
        return
    if found.mends:
        yield f"{len(found.mends)} fault{'s' * (len(found.mends) > 1)} of the text corrected:"
        yield from (f"- {mend}" for mend in found.mends)
    if not found.edits:
        yield "No further edit is needed: every plan does what it must."
        return
    yield f"{_count(found)}{_standing(found)}:"
    yield from (f"- {sentence}" for sentence in found.words)
    yield from (f"  {reason}" for reason in found.reasons)
    for number, other in enumerate(found.alternatives, 2):
        yield f"{number}. {'; '.join(map(said, other.edits))}"
        yield from (f"  {reason}" for reason in other.reasons)
    yield from found.warnings


def _count(found: ModelRepair) -> str:
    assert found.cost is not None
    edits = f"{len(found.edits)} edit{'s' if len(found.edits) > 1 else ''}"
    cost = "" if found.cost == len(found.edits) else f" of cost {decimal(found.cost)}"
    return f"{edits}{cost} ({'proven cheapest' if cost else 'proven: the fewest'})"


def _standing(found: ModelRepair) -> str:
    if found.count == 1:
        return ", and the only repair of this size" if found.is_complete else ""
    shown = 1 + len(found.alternatives)
    more = "" if found.is_complete else f", of which {shown} {'is' if shown == 1 else 'are'} shown"
    return f", the most plausible of {found.count} repairs of this size{more}"


def repair_value(found: ModelRepair) -> dict[str, Any]:
    """Return the result as JSON values."""
    return {
        "status": found.status.value,
        "reason": found.reason,
        "proven": found.proven,
        "cost": None if found.cost is None else float(found.cost),
        "lower_bound": float(found.lower_bound),
        "edits": _edits(found),
        "mends": list(found.mends),
        "words": list(found.words),
        "reasons": list(found.reasons),
        "domain_text": found.domain_text,
        "domain_diff": found.domain_diff,
        "alternatives": [
            {
                "edits": _edits(other),
                "words": list(other.words),
                "reasons": list(other.reasons),
                "domain_text": other.domain_text,
                "domain_diff": other.domain_diff,
            }
            for other in found.alternatives
        ],
        "compared": found.count,
        "complete": found.is_complete,
        "warnings": list(found.warnings),
    }


def _edits(repair: ModelRepair | Repair) -> list[dict[str, str]]:
    return [{"kind": edit.kind.value, "action": edit.action, "literal": edit.literal} for edit in repair.edits]
