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

from validator.reading.plan import Dialect, Plan, Step, Token, Unparsed, tiled
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
    found: list[Token] = []
    begun: dict[tuple[str, tuple[str, ...]], int] = {}
    dialect = Dialect.PDDL
    place = 0
    for line in text.splitlines(keepends=True):
        start, place = place, place + len(line)
        match = _LINE.fullmatch(line.strip(_BLANK))
        if match is None:
            if not _is_beside(line, has_steps=bool(found)):
                return None
            continue
        named = _named(match, vocabulary)
        if named is None:
            return None
        dialect = Dialect.FUNCTIONAL if match["call"] else Dialect.WORDS if match["words"] else dialect
        side = named[0]
        begin = start + line.index(match[0])
        span = (begin + match.start("step"), begin + match.end("step"))
        stated = None if match["duration"] is None else Fraction(match["duration"])
        step = Step(name=named[1], args=named[2], time=Fraction(match["stamp"]), duration=stated, span=span)
        if side == "end":
            _end(found, begun.pop(named[1:], None), step, text)
            continue
        if side and named[1:] in begun:
            return None
        if side:
            begun[named[1:]] = len(found)
        found.append(step)
    for index in begun.values():
        reason = f"the start of {found[index]}, whose end is not there"
        found[index] = Unparsed.at(text, found[index].span, reason)
    return Plan(parts=tiled(text, found), text=text, dialect=dialect) if found else None


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


def _end(found: list[Token], begun: int | None, end: Step, text: str) -> None:
    """Give the step that a line ends its duration; a line that ends none is not understood."""
    start = None if begun is None else found[begun]
    if begun is None or not isinstance(start, Step) or start.time is None or end.time is None:
        found.append(Unparsed.at(text, end.span, f"the end of {end}, whose start is not there"))
        return
    length = end.time - start.time
    if length < 0 or start.duration not in (None, length):
        found.append(Unparsed.at(text, end.span, f"the end of {end} is not where its duration ends"))
        return
    found[begun] = replace(start, duration=length)
