"""What a repair of a domain found: as values, as a text for people, and as plain values for programs."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction
from typing import Any

from validator.model_repair.edits import Edit, Kind
from validator.records import dataclass
from validator.render.json import picked
from validator.render.printed import Printed
from validator.texts import counted, decimal

_SAY = {
    Kind.REMOVE_PRECONDITION: "{action}: the precondition {literal} is superfluous",
    Kind.ADD_PRECONDITION: "{action}: the precondition {literal} is missing",
    Kind.ADD_ADD: "{action}: the effect {literal} is missing",
    Kind.REMOVE_ADD: "{action}: the effect {literal} is superfluous",
    Kind.ADD_DELETE: "{action}: the effect (not {literal}) is missing",
    Kind.REMOVE_DELETE: "{action}: the effect (not {literal}) is superfluous",
    Kind.REMOVE_CONDITION: "{action}: the condition {literal} of an effect is superfluous",
}


def said(edit: Edit) -> str:
    """Return an edit as a sentence."""
    return _SAY[edit.kind].format(action=edit.action, literal=edit.literal)


class Status(StrEnum):
    """What came of it."""

    REPAIRED = "repaired"
    NOTHING_TO_DO = "nothing to do"
    """every plan does as it must on the domain as it is"""
    IMPOSSIBLE = "impossible"
    """no set of allowed edits is a repair (proven)"""
    TIME_LIMIT = "time limit"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """One set of edits that repairs the domain, written into its text, read again, and executed.

    ``words`` say of each edit why it is there, ``reasons`` what speaks for this repair and against it.
    """

    edits: tuple[Edit, ...]
    cost: Fraction
    domain_text: str
    domain_diff: str
    words: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ModelRepair(Printed):
    """What a repair of a domain found; the best ranked repair, and the others of the same cost.

    - ``proven``: whether no set of allowed edits costs less; ``lower_bound`` is what any costs at least.
    - ``mends``: what was changed in the text before that it can be read and that the plans' steps are steps of it; they
      are not proven to be the fewest, and ``proven`` is about the edits on top of them.
    - ``alternatives``: the other repairs of the same cost, the likeliest first; ``is_complete`` says whether those
      that are told (this one among them) are all that there are, ``count`` how many were compared.
    """

    printer = "validator.model_repair.result:repair_text"

    status: Status
    reason: str = ""
    edits: tuple[Edit, ...] = ()
    cost: Fraction | None = None
    proven: bool = False
    lower_bound: Fraction = Fraction(0)
    domain_text: str = ""
    domain_diff: str = ""
    words: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    alternatives: tuple[Repair, ...] = ()
    mends: tuple[str, ...] = ()
    count: int = 0
    is_complete: bool = False
    warnings: tuple[str, ...] = ()


# --- as text and as values -------------------------------------------------------------------------


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
    edits = counted(len(found.edits), "edit")
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
        **picked(found, "status", "reason", "proven"),
        "cost": None if found.cost is None else float(found.cost),
        "lower_bound": float(found.lower_bound),
        "edits": _edits(found),
        **picked(found, "mends", *_OF_EACH),
        "alternatives": [{"edits": _edits(other), **picked(other, *_OF_EACH)} for other in found.alternatives],
        "compared": found.count,
        "complete": found.is_complete,
        "warnings": list(found.warnings),
    }


_OF_EACH = ("words", "reasons", "domain_text", "domain_diff")


def _edits(repair: ModelRepair | Repair) -> list[dict[str, object]]:
    return [picked(edit, "kind", "action", "literal") for edit in repair.edits]
