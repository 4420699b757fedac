"""Plans over time of which each line is a stamp and a step: read in one pass, or not at all.

    0.0: a(k) [4.0]      unified-planning's own print; an instantaneous action has no duration
    4.1: z(k)
    0: start (a k)       what editors call happenings: the start and the end of one step
    4: end (a k)

The start and the end of a step are one step, whose duration is the difference. An end without a start, or a start
without an end, is not understood; neither is a text in which a step starts again before it has ended, since either end
may be that of either.
"""

from __future__ import annotations

import re
from fractions import Fraction

from validator.reading.plan import Dialect, Ignored, Part, Plan, Step, Unparsed
from validator.reading.tokens.blocks.denials import claims_no_plan
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import replace

__all__ = ["read_stamped"]

_NUMBER = r"(?:\d{1,30}(?:\.\d{1,30})?|\.\d{1,30})"
_SIDE = r"(?P<{}>start|begin|starts|begins|started|end|finish|ends|finishes|ended|finished)"
_LINE = re.compile(
    rf"(?P<stamp>-?{_NUMBER})[ \t]*:[ \t]*"
    rf"(?:{_SIDE.format('before')}(?=[ \t(])[ \t]*)?"
    r"(?P<step>\((?P<group>[^()\n]+)\)|(?P<call>[^\s()\[\],;:]+)[ \t]*\((?P<given>[^()\n]*)\)"
    r"|(?P<words>[^\s()\[\],;:]++(?:[ \t]++[^\s()\[\],;:]++)*+))"
    rf"(?:[ \t]+{_SIDE.format('behind')})?"
    rf"(?:[ \t]*\[[ \t]*(?P<duration>{_NUMBER})[ \t]*\])?[ \t]*",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"(?:(?P<first>start|begin|end)[-_](?P<then>.+)|(?P<name>.+)[-_](?P<last>start|begin|end))", re.IGNORECASE
)
_TITLE = re.compile(r"\s*(?:TimeTriggeredPlan|SequentialPlan|plan)[ \t]*:[ \t]*", re.IGNORECASE)
_BLANK = " \t\r\n\f\v\ufeff"
_PAIR = re.compile(r"start|begin|end|finish")


def read_stamped(text: str, vocabulary: Vocabulary) -> Plan | None:
    """Return the plan that a text is; None for one with anything but stamped steps of a model with time."""
    if not vocabulary.has_time:
        return None
    parts: list[Part] = []
    waiting: dict[tuple[str, tuple[str, ...]], int] = {}
    has_steps = False
    dialect = Dialect.PDDL
    place = 0
    for line in text.splitlines(keepends=True):
        start, place = place, place + len(line)
        match = _LINE.fullmatch(line.strip(_BLANK))
        if match is None:
            if not _is_beside(line, has_steps=has_steps):
                return None
            kind = "comment" if line.lstrip().startswith(";") else "prose" if line.strip() else "space"
            parts.append(Ignored(kind=kind, text=line, span=(start, place)))
            continue
        has_steps = True
        dialect = Dialect.FUNCTIONAL if match["call"] else Dialect.WORDS if match["words"] else dialect
        found = _named(match, vocabulary)
        if found is None:
            return None
        side, name, args = found
        begin = start + line.index(match[0])
        span = (begin + match.start("step"), begin + match.end("step"))
        parts.append(Ignored(kind="markup", text=text[start : span[0]], span=(start, span[0])))
        time, stated = Fraction(match["stamp"]), match["duration"]
        step = Step(name=name, args=args, time=time, duration=None if stated is None else Fraction(stated), span=span)
        if side == "end":
            known = waiting.pop((name, args), None)
            parts.append(_ended(parts, known, step, text))
        elif side and (name, args) in waiting:
            return None
        else:
            if side:
                waiting[name, args] = len(parts)
            parts.append(step)
        parts.append(Ignored(kind="space", text=text[span[1] : place], span=(span[1], place)))
    if not has_steps:
        return None
    for place in waiting.values():
        begun = parts[place]
        reason = f"the start of {begun}, whose end is not there"
        parts[place] = Unparsed(text=text[slice(*begun.span)], reason=reason, span=begun.span)
    kept = tuple(part for part in parts if not isinstance(part, Ignored) or part.text)
    return Plan(parts=kept, text=text, dialect=dialect)


def _is_beside(line: str, *, has_steps: bool) -> bool:
    """Return whether a line is a title before the steps, a comment that says nothing of the plan, or blank."""
    if line.lstrip().startswith(";"):
        return claims_no_plan(line) is None and "cost" not in line.lower()
    return not line.strip() or (not has_steps and _TITLE.fullmatch(line.rstrip("\r\n")) is not None)


def _named(match: re.Match[str], vocabulary: Vocabulary) -> tuple[str, str, tuple[str, ...]] | None:
    """Return which side of a step a line is, and the step; None where the model does not know its names."""
    call = f"{match['call']} {(match['given'] or '').replace(',', ' ')}"
    given = match["group"] or match["words"] or call
    words = given.lower().split()
    side = (match["before"] or match["behind"] or "").lower()
    if not side and len(words) > 1 and _PAIR.fullmatch(words[-1]) and words[-1] not in vocabulary.objects:
        side, words = words[-1], words[:-1]
    if not side and words and vocabulary.written(words[0]) is None:
        joined = _JOINED.fullmatch(words[0])
        if len(words) > 1 and _PAIR.fullmatch(words[0]) is not None:
            side, words = words[0], words[1:]
        elif joined is not None:
            side = joined["first"] or joined["last"]
            words[0] = joined["then"] or joined["name"]
    action = vocabulary.written(words[0]) if words else None
    if action is None or not vocabulary.objects.issuperset(words[1:]):
        return None
    return ("end" if side[:3] in ("end", "fin") else side), action, tuple(words[1:])


def _ended(parts: list[Part], known: int | None, end: Step, text: str) -> Part:
    """Give the step that a line ends its duration; return what the line is itself."""
    start = None if known is None else parts[known]
    shown = text[end.span[0] : end.span[1]]
    if known is None or not isinstance(start, Step) or start.time is None or end.time is None:
        return Unparsed(text=shown, reason=f"the end of {end}, whose start is not there", span=end.span)
    length = end.time - start.time
    if length < 0 or start.duration not in (None, length):
        return Unparsed(text=shown, reason=f"the end of {end} is not where its duration ends", span=end.span)
    parts[known] = replace(start, duration=length)
    return Ignored(kind="markup", text=shown, span=end.span)
