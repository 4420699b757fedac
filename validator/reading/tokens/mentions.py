"""Steps that stand in text which was passed over: behind signs that nobody knew, in the midst of sentences.

Mostly they are remarks on the plan. Where the plan lacks its quality without them and has it with them, they may have
been meant, and nothing can be said of it.
"""

from __future__ import annotations

import re

from validator.reading.plan import Ignored, Plan, Step
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["mentions"]

_GROUPS = re.compile(r"\(\s*+(?P<name>[^\s();,]++)(?P<given>(?:\s++[^\s();,]++)*+)\s*+\)")
_CALLS = re.compile(r"(?P<name>[^\W\d][\w-]*+)[^\S\n]?\((?P<given>[^()\n]{0,1000})\)")
_WORDS = re.compile(r"(?P<name>[^\W\d_][\w-]*+)(?=(?P<given>(?:[^\S\n]++[\w-]++){1,20}+))")
_MOST = 200
"""steps that are looked at"""


def mentions(plan: Plan, known: Vocabulary) -> tuple[Step, ...]:
    """Return the model's steps that prose around a plan names, in the order of the text; none of comments."""
    if not known.actions:
        return ()
    found: list[Step] = []
    for part in plan.parts:
        if isinstance(part, Ignored) and part.kind in ("prose", "markup"):
            found += _steps(part, known)
            if len(found) > _MOST:
                return ()
    return tuple(found)


def _steps(part: Ignored, known: Vocabulary) -> list[Step]:
    found: dict[int, Step] = {}
    for pattern in (_WORDS, _CALLS, _GROUPS):
        for match in pattern.finditer(part.text):
            name, given = match["name"].lower(), match["given"].lower().replace(",", " ").split()
            wanted = known.actions.get(name, -1)
            args = given[:wanted] if pattern is _WORDS and wanted > 0 else given
            if len(args) == wanted and known.objects.issuperset(args):
                span = (part.span[0] + match.start(), part.span[0] + match.end())
                found[match.start("name")] = Step(name=name, args=tuple(args), span=span)
    return [found[place] for place in sorted(found)]
