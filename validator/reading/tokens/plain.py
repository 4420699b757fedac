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
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from validator.reading.plan import MAX_STEPS, Dialect, Ignored, Part, Plan, Step, Token, Unparsed, tiled
from validator.reading.tokens.layout import MAX_OTHERS
from validator.reading.tokens.phrases import claims_no_plan, has_failed, speaks_of_plans
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import replace
from validator.texts import counted

_PIECE = re.compile(
    r"""(?:\(([ \t]*+[\w.@+*/!$%&^~#-][\w.@+*/!$%&^~# \t-]*+)\)
        |(;(?:[^\r\n<\[{(="'`]|\((?!\s*[("'\[{])|=(?!["']))*+(?![^\r\n]))
        |([\s\S]))
        (\s*+)""",
    re.ASCII | re.VERBOSE,
)
"""What stands in a step's parentheses, a comment that no other notation could take for its own, or else a character;
and the blanks behind it."""
_SPACE = re.compile(r"\s*", re.ASCII)
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

    Names are known as the model writes them, in upper or lower case.
    """
    if not vocabulary.actions:
        return None
    if len(text) < _SHORT and vocabulary.lines:
        again = _known_lines(text, vocabulary)
        if again is not None:
            return again
    parts: list[Part] = []
    comments: list[str] = []
    known: dict[str, tuple[str, tuple[str, ...]]] = {}
    place = _SPACE.match(text).end()  # type: ignore[union-attr]
    if place:
        parts.append(Ignored(kind="space", text=text[:place], span=(0, place)))
    for inner, comment, other, space in map(re.Match.groups, _PIECE.finditer(text, place)):
        start = place
        if inner is not None:
            step = known.get(inner)
            if step is None:
                name, *args = inner.lower().split()
                if name not in vocabulary.actions or not vocabulary.objects.issuperset(args) or name[0].isdigit():
                    return None
                step = known[inner] = (name, tuple(args))
            place += len(inner) + 2
            parts.append(Step(name=step[0], args=step[1], span=(start, place)))
        elif other is None:
            if parts and "\n" not in text[parts[-1].span[0] : start] and has_failed(comment):
                return None  # it may say that the step before it failed
            comments.append(comment)
            place += len(comment)
            parts.append(Ignored(kind="comment", text=comment, span=(start, place)))
        else:
            return None
        if space == "\n" and place < _SHORT:
            parts.append(_line_end(place))
            place += 1
        elif space:
            start, place = place, place + len(space)
            parts.append(Ignored(kind="space", text=space, span=(start, place)))
    if place != len(text) or not known or not _is_bare(text, comments, known):
        return None
    if len(text) < _SHORT and len(vocabulary.lines) < _MOST_LINES:
        vocabulary.lines.update({f"({inner})": step for inner, step in known.items()})
    if len(comments) > MAX_OTHERS or (len(parts) > MAX_STEPS and _steps(parts) > MAX_STEPS):
        return None
    return Plan(parts=tuple(parts), text=text, warnings=_warnings(comments, vocabulary))


def _known_lines(text: str, vocabulary: Vocabulary) -> Plan | None:
    """Return the plan of a short text whose lines are all known; None for any other."""
    known, placed = vocabulary.lines, vocabulary.placed
    lines = text.split("\n")
    has_end = not lines[-1]
    if has_end:
        lines.pop()
    parts: list[Part] = []
    place = 0
    for line in lines:
        found = placed.get((line, place))
        if found is None:
            step = known.get(line)
            if step is None:
                return None
            end = place + len(line)
            found = (Step(name=step[0], args=step[1], span=(place, end)), _line_end(end))
            if len(placed) < _MOST_LINES:
                placed[line, place] = found
        parts += found
        place += len(line) + 1
    if not parts or (speaks_of_plans(text.lower()) and claims_no_plan(_inside(lines)) is not None):
        return None
    if not has_end:
        parts.pop()
    return Plan(parts=tuple(parts), text=text)


def _inside(lines: list[str]) -> str:
    return " ".join([line[1:-1] for line in dict.fromkeys(lines)])


@cache
def _line_end(place: int) -> Ignored:
    """Return the end of a line at a place, of which short plans have many in common."""
    return Ignored(kind="space", text="\n", span=(place, place + 1))


def _steps(parts: list[Part]) -> int:
    return sum(isinstance(part, Step) for part in parts)


def _is_bare(text: str, comments: list[str], known: Iterable[str]) -> bool:
    """Return whether the comments say nothing of the plan: not that there is none, who printed it, or several costs."""
    if not comments:
        return claims_no_plan(" ".join(known)) is None
    first, has_more, _ = text.strip().partition("\n")
    said = "\n".join((*comments, *known))
    if not has_more or first.rstrip().endswith(_GOES_ON) or claims_no_plan(said) is not None:
        return False
    lower = said.lower()
    if sum("cost" in comment.lower() for comment in comments) > 1:
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
