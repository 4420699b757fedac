"""Plans that are steps and nothing else, as planners write them: read in one pass, or not at all.

    (lift b)             steps in parentheses
    0.0: a(k) [4.0]      steps over time, as unified-planning prints them; an instantaneous one has no duration
    4.1: z(k)
    0: start (a k)       happenings: the start and the end of one step, whose duration is the difference
    4: end (a k)

An end without a start, or a start without an end, is not understood; neither is a text in which a step starts again
before it has ended, since either end may be that of either. Whatever is not surely such a text is left to
``text``, which reads it from scratch. Both say the same of steps in parentheses; a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from validator.reading.plan import MAX_STEPS, Dialect, Ignored, Part, Plan, Step, Token, Unparsed, tiled
from validator.reading.tokens.layout import MAX_OTHERS
from validator.reading.tokens.phrases import claims_no_plan, has_failed, speaks_of_plans
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import replace
from validator.texts import counted

_BLANKS = r"[ \t\r\f\v]*+"
_LINE = re.compile(
    rf"""{_BLANKS}(?:\(([ \t]*+[\w.@+*/!$%&^~#-][\w.@+*/!$%&^~# \t-]*+)\))?+{_BLANKS}
        (;(?:[^\r<\[{{(="'`]|\((?!\s*[("'\[{{])|=(?!["']))*+)?+{_BLANKS}""",
    re.ASCII | re.VERBOSE,
)
"""What stands in a step's parentheses, and a comment that no other notation could take for its own."""
_COMMENTED = re.compile(r"\(\s*([^\s()]+)(?=[\s)])")
_GOES_ON = (",", "(")
"""how the first line of several ends that may be one of commas"""
_SHORT = 4_096
"""characters of a text up to which ends of lines are kept"""
_MOST_LINES = 20_000
"""lines of a model that are kept, and lines at their places in texts"""
_PLANNERS = ("plan found", "found legal plan", "found plan", "solution found", "plan computed", "makespan")
"""what the output of a planner says, whose plan is a part of it"""


def read_plain(text: str, vocabulary: Vocabulary) -> Plan | None:
    """Return the plan that a text is; None for one that has anything but known steps, comments and blanks.

    Names are known as the model writes them, in upper or lower case. There is one step on a line.
    """
    parts: list[Part] = []
    comments: list[str] = []
    placed = vocabulary.placed
    place = end = 0
    for line in text.split("\n") if vocabulary.actions else ():
        begin, place = place, place + len(line) + 1
        step = placed.get((line, begin))
        if step is not None:
            if begin == end + 1:
                parts.append(_line_end(end))
            else:
                _space(parts, text, end, begin)
            parts.append(step)
            end = begin + len(line)
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            return None
        inner, comment = match.groups()
        if inner is not None:
            named = _known(inner, vocabulary)
            if named is None or (comment is not None and has_failed(comment)):  # it may say that the step failed
                return None
            start = begin + match.start(1) - 1
            _space(parts, text, end, start)
            end = begin + match.end(1) + 1
            step = Step(name=named[0], args=named[1], span=(start, end))
            parts.append(step)
            if end - start == len(line) and end < _SHORT and len(placed) < _MOST_LINES:
                placed[line, begin] = step
        if comment is not None:
            start = begin + match.start(2)
            _space(parts, text, end, start)
            end = start + len(comment)
            comments.append(comment)
            parts.append(Ignored(kind="comment", text=comment, span=(start, end)))
    _space(parts, text, end, len(text))
    count = len(parts) if len(parts) <= MAX_STEPS else sum(isinstance(part, Step) for part in parts)
    if count > MAX_STEPS or len(comments) > MAX_OTHERS or Step not in map(type, parts) or not _is_bare(text, comments):
        return None
    return Plan(parts=tuple(parts), text=text, warnings=_warnings(comments, vocabulary))


def _space(parts: list[Part], text: str, start: int, end: int) -> None:
    """Add the blanks between two parts, if there are any."""
    if start + 1 == end < _SHORT and text[start] == "\n":
        parts.append(_line_end(start))
    elif start < end:
        parts.append(Ignored(kind="space", text=text[start:end], span=(start, end)))


@cache
def _line_end(place: int) -> Ignored:
    """Return the end of a line at a place, of which short plans have many in common."""
    return Ignored(kind="space", text="\n", span=(place, place + 1))


def _known(inner: str, vocabulary: Vocabulary) -> tuple[str, tuple[str, ...]] | None:
    """Return the step that stands in parentheses; None where a name is not known."""
    found = vocabulary.lines.get(inner)
    if found is None:
        name, *args = inner.lower().split()
        if name not in vocabulary.actions or not vocabulary.objects.issuperset(args) or name[0].isdigit():
            return None
        found = (name, tuple(args))
        if len(vocabulary.lines) < _MOST_LINES:
            vocabulary.lines[inner] = found
    return found


def _is_bare(text: str, comments: Sequence[str]) -> bool:
    """Return whether a text says nothing of the plan: not that there is none, who printed it, or several costs."""
    lower = text.lower()
    if speaks_of_plans(lower) and claims_no_plan(text) is not None:
        return False
    if not comments:
        return True
    first, has_more, _ = text.strip().partition("\n")
    if not has_more or first.rstrip().endswith(_GOES_ON) or sum("cost" in each.lower() for each in comments) > 1:
        return False
    return not any(words in lower for words in _PLANNERS)


def _warnings(comments: list[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    count = sum(is_commented(comment, vocabulary) for comment in comments)
    return (in_comments(count),) if count else ()


def is_commented(comment: str, vocabulary: Vocabulary) -> bool:
    """Return whether a comment has a step in it."""
    return "(" in comment and any(vocabulary.written(name) for name in _COMMENTED.findall(comment))


def in_comments(count: int) -> str:
    """Return the warning of steps that stand in comments."""
    stand = counted(count, "step stands in a comment and is", "steps stand in comments and are")
    return f"{stand} not part of the plan"


# --- over time ------------------------------------------------------------------------------------

_NUMBER = r"(?:\d{1,30}(?:\.\d{1,30})?|\.\d{1,30})"
_SIDE = r"(?P<{}>start|begin|starts|begins|started|end|finish|ends|finishes|ended|finished)"


@cache
def _stamped_line() -> re.Pattern[str]:
    """Return what finds a step behind a stamp; plans without time do not need it."""
    return re.compile(
        rf"(?:t[ \t]?=[ \t]?)?(?P<stamp>-?{_NUMBER})(?:[ \t]?s)?[ \t]*:[ \t]*"
        rf"(?:{_SIDE.format('before')}(?=[ \t(])[ \t]*)?"
        r"(?P<step>\((?P<group>[^()\n]+)\)|(?P<call>[^\s()\[\],;:]+)[ \t]*\((?P<given>[^()\n]*)\)"
        r"|(?P<words>[^\s()\[\],;:]++(?:[ \t]++[^\s()\[\],;:]++)*+))"
        rf"(?:[ \t]+{_SIDE.format('behind')})?"
        rf"(?:[ \t]*\[[ \t]*(?P<duration>{_NUMBER})(?:[ \t]?s)?[ \t]*\])?[ \t]*",
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
        match = _stamped_line().fullmatch(line.strip(_BLANK))
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
