"""Steps that may be remarks, and remarks that may be steps.

What stands in text that was passed over, behind signs that nobody knew or in the midst of sentences, is mostly a
remark, and what stands in parentheses like a step is mostly one. Where the plan has its quality only if one of them is
the other, nothing can be said of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter

from validator.reading.plan import Dialect, Ignored, Plan, Step
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["mentions", "remarks"]

_GROUPS = re.compile(r"\(\s*+(?P<name>[^\s();,]++)(?P<given>(?:\s++[^\s();,]++)*+)\s*+\)")
_CALLS = re.compile(r"(?<![\w-])\d*+(?P<name>[^\W\d][\w-]*+)[\"'`]?[^\S\n]?\((?P<given>[^()\n]{0,1000})\)")
_WORDS = re.compile(r"(?<![\w-])\d*+(?P<name>[^\W\d_][\w-]*+)(?=(?P<given>(?:[^\S\n]++[\w-]++){1,20}+))")
_LINE_END = re.compile("\n")
_ITEM = re.compile(r"[ \t]*+(?:[-*•]|[^\n(;:.)]{1,40}[:.)])[ \t]++\S")
"""the beginning of a line with a bullet, a number or a label"""
_MOST = 200
"""steps that are looked at"""


def mentions(plan: Plan, known: Vocabulary) -> tuple[Step, ...]:
    """Return the model's steps that prose around a plan names, in the order of the text.

    None are those of comments, but behind a step in an item of a list, or behind a label: there a semicolon may be one
    of a sentence.
    """
    if not known.actions:
        return ()
    found: list[Step] = []
    for part in plan.parts:
        if not isinstance(part, Ignored) or part.kind == "space":
            continue
        if part.kind != "comment" or _ITEM.match(plan.text, plan.text.rfind("\n", 0, part.span[0]) + 1, part.span[0]):
            found += _steps(part, known)
            if len(found) > _MOST:
                return ()
    return tuple(found)


def _steps(part: Ignored, known: Vocabulary) -> list[Step]:
    found: dict[int, Step] = {}
    for pattern in (_WORDS, _CALLS, _GROUPS):
        for match in pattern.finditer(part.text):
            name, given = known.written(match["name"]) or "", match["given"].lower().replace(",", " ").split()
            wanted = known.actions.get(name, -1)
            given = given if pattern is _WORDS else [one.strip("\"'`") for one in given]
            args = given[:wanted] if pattern is _WORDS and wanted > 0 else given
            if len(args) == wanted and known.objects.issuperset(args):
                span = (part.span[0] + match.start(), part.span[0] + match.end())
                found[match.start("name")] = Step(name=name, args=tuple(args), span=span)
    return [found[place] for place in sorted(found)]


def remarks(plan: Plan, known: Vocabulary) -> tuple[Step, ...]:
    """Return the steps of a plan that name no action and may be none.

    They stand on the line of one that does, ``(lift b) (done)``, where on a line of several that do all are meant as
    steps; or they are calls in a program that have nothing of the model: ``robot = Robot()``, ``sleep(1)``.
    """
    steps = plan.steps
    names = {step.name for step in steps}
    foreign = {name for name in names - known.actions.keys() if known.action_of(name) is None}
    if not foreign or foreign == names:
        return ()
    ends = [match.start() for match in _LINE_END.finditer(plan.text)]
    lines = [bisect_left(ends, step.span[0]) for step in steps]
    own = Counter(line for line, step in zip(lines, steps, strict=True) if step.name not in foreign)
    is_program = plan.dialect in (Dialect.FUNCTIONAL, Dialect.CODE)
    return tuple(
        step
        for line, step in zip(lines, steps, strict=True)
        if step.name in foreign and (own[line] == 1 or (is_program and known.objects.isdisjoint(step.args)))
    )
