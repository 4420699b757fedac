"""What a repair of a domain found, as values."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from validator.model_repair.edits import Edit
from validator.records import dataclass
from validator.render.printed import Printed

__all__ = ["ModelRepair", "Repair", "Status"]


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

    printer = "validator.model_repair.output:repair_text"

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
