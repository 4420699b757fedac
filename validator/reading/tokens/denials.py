"""What a text says that has no plan: that there is none."""

from __future__ import annotations

import re
from functools import cache

from validator.reading.plan import Span

__all__ = ["claims_no_plan"]


@cache
def _claims() -> re.Pattern[str]:
    return re.compile(
        r"""\bno\s(?:(?:valid|possible|feasible|known|such|executable|legal|correct|sound)\s)*(?:plan|solution)\b
            (?!\s(?:text|file|format))
          | \bno\s(?:possible\s|valid\s)?(?:sequence|series)\sof\s(?:actions|steps)\b
          | \b(?:cannot|can\snot|can't|could\snot|couldn't|unable\sto|not\spossible\sto)\s
            (?:find|generate|produce|construct|create)\s(?:a|any)\s(?:\w+\s)?(?:plan|solution)\b
          | \b(?:plan|solution)\s(?:does\snot|doesn't)\sexist\b
          | \b(?:problem|task|goal)\sis\s(?:\w+\s)?(?:unsolvable|unreachable|impossible)\b
          | \b(?:problem|task|goal)\s(?:cannot|can't)\sbe\s(?:\w+\s)?(?:solved|reached|achieved)\b
        """,
        re.IGNORECASE | re.VERBOSE,
    )


# One of these is in whatever claims it; without regard to case, looking for it alone takes a tenth of the time.
_DENIES = re.compile(r"no[\st]|n't|unable|unsolvable|unreachable|impossible")


def claims_no_plan(text: str) -> Span | None:
    """Return where a text says that there is no plan, or None."""
    match = _claims().search(text) if _DENIES.search(text.lower()) else None
    return match.span() if match else None
