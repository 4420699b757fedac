"""A repair of a domain as a text for people, and as plain values for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from validator.model_repair.joint import verdict
from validator.model_repair.result import EditedPlan, JointRepair, ModelRepair, Repair, Status
from validator.model_repair.words import said
from validator.texts import decimal

__all__ = ["joint_text", "joint_value", "repair_text", "repair_value"]


def repair_text(found: ModelRepair) -> str:
    """Return the result in words; the diff of the domain comes last, so that the text can be applied as one."""
    return "".join(f"{line}\n" for line in _lines(found)) + "".join(
        f"\n{diff}" for diff in (found.domain_diff, *found.problem_diffs) if diff
    )


def _lines(found: ModelRepair) -> Iterator[str]:
    if found.status is Status.NOTHING_TO_DO:
        yield "The domain does with every plan what it must."
        return
    if found.status is not Status.REPAIRED:
        yield f"No repair ({found.status.value}{', proven' if found.proven else ''}): {found.reason}"
        return
    if found.mends:
        yield f"{len(found.mends)} fault{'s' * (len(found.mends) > 1)} of the text mended:"
        yield from (f"- {mend}" for mend in found.mends)
    if not found.edits:
        yield "That is enough: every plan does what it must."
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
    if found.proven:
        return f"{edits}{cost} (proven: no fewer will do)" if not cost else f"{edits}{cost} (proven cheapest)"
    return f"{edits}{cost} (not proven: at least {decimal(found.lower_bound)})"


def _standing(found: ModelRepair) -> str:
    if found.count == 1:
        return ", and no other repair is as small" if found.is_complete else ""
    shown = 1 + len(found.alternatives)
    more = "" if found.is_complete else f", of which {shown} {'is' if shown == 1 else 'are'} shown"
    return f", the likeliest of {found.count} repairs that are as small{more}"


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
        "problem_diffs": list(found.problem_diffs),
        "alternatives": [
            {
                "edits": _edits(other),
                "words": list(other.words),
                "reasons": list(other.reasons),
                "domain_text": other.domain_text,
                "domain_diff": other.domain_diff,
                "problem_diffs": list(other.problem_diffs),
            }
            for other in found.alternatives
        ],
        "compared": found.count,
        "complete": found.is_complete,
        "warnings": list(found.warnings),
    }


def _edits(repair: ModelRepair | Repair) -> list[dict[str, str]]:
    return [{"kind": edit.kind.value, "action": edit.action, "literal": edit.literal} for edit in repair.edits]


# --- domain and plans together -------------------------------------------------------------------


def joint_text(found: JointRepair) -> str:
    """Return the answers side by side: the verdict, the domain alone, the plans alone, both where that is cheapest."""
    proof = "proven" if found.proven else "not proven"
    lines = [f"Wrong is {found.blame.value} ({proof}): {verdict(found)}.", "", "The domain alone:"]
    shown = ["".join(f"{line}\n" for line in lines), repair_text(found.model)]
    if found.plans:
        shown += ["\nThe plans alone:\n", *map(_plan_text, found.plans)]
    if found.mixed is not None:
        shown.append("\nBoth:\n")
        shown += [f"- {sentence}\n" for sentence in found.mixed.repair.words]
        repair = found.mixed.repair
        shown += [repair.domain_diff, *repair.problem_diffs, *map(_plan_text, found.mixed.plans)]
    return "".join(shown)


def _plan_text(plan: EditedPlan) -> str:
    if plan.changes is None:
        return f"{plan.name}: {plan.reason}\n"
    return f"{plan.name}: {plan.changes} changed line{'s' * (plan.changes != 1)}\n{plan.diff}"


def joint_value(found: JointRepair) -> dict[str, Any]:
    """Return the answers as JSON values."""
    mixed = found.mixed
    return {
        "blame": found.blame.value,
        "verdict": verdict(found),
        "proven": found.proven,
        "cost": None if found.cost is None else float(found.cost),
        "model": repair_value(found.model),
        "plans": list(map(_plan_value, found.plans)),
        "mixed": None
        if mixed is None
        else {
            "cost": float(mixed.cost),
            "edits": _edits(mixed.repair),
            "words": list(mixed.repair.words),
            "domain_text": mixed.repair.domain_text,
            "domain_diff": mixed.repair.domain_diff,
            "problem_diffs": list(mixed.repair.problem_diffs),
            "plans": list(map(_plan_value, mixed.plans)),
        },
    }


def _plan_value(plan: EditedPlan) -> dict[str, Any]:
    return {
        "name": plan.name,
        "changes": plan.changes,
        "at_least": plan.at_least,
        "proven": plan.proven,
        "diff": plan.diff,
        "reason": plan.reason,
    }
