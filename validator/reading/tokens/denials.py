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


# One of the first, and one of the second, is in whatever claims it; to look for them takes a tenth of the time.
_DENIES = re.compile(r"no[\st]|n't|unable|unsolvable|unreachable|impossible")
_WHAT = ("plan", "solution", "sequence", "series", "problem", "task", "goal")


def claims_no_plan(text: str) -> Span | None:
    """Return where a text says that there is no plan, or None."""
    lower = text.lower()
    if not any(word in lower for word in _WHAT) or _DENIES.search(lower) is None:
        return None
    match = _claims().search(text)
    return match.span() if match else None
