"""What stands around the steps of a plan: prose that may be a step, and words that leave open whether a step is one.

Not understood is not wrong, and not right either: that a plan was followed can be said only where nothing in it may be
a step that was not read. A remark is known by its form; any other sentence may tell somebody to do something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from validator.reading.calls.written import CALL, closed
from validator.reading.lexicon.english import ARTICLES, DOUBT
from validator.reading.plan import Dialect, Ignored, Plan, Span
from validator.reading.tokens.asides import blanked
from validator.reading.tokens.phrases import heading, is_denied, mark_of, unmarked
from validator.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """``unread`` are pieces that may be steps, ``open`` those by which a step may be left out, repeated or replaced."""

    unread: tuple[str, ...] = ()
    open: tuple[str, ...] = ()

    def __add__(self, other: Around) -> Around:
        return Around(unread=(*self.unread, *other.unread)[:_MOST], open=(*self.open, *other.open)[:_MOST])


NOTHING = Around()
_MOST = 20
"""pieces of a kind that are told"""
_STEP = "\0"
"""what stands in the place of each letter of a step"""
_STEPS = re.compile("\0+")
_GROUP = re.compile(r"\s*\(\s*[^\s()]")


def around_plan(plan: Plan) -> Around:
    """Return what stands around the steps of a plan text as it was read."""
    ignored = [part for part in plan.parts if isinstance(part, Ignored) and part.kind != "space"]
    if not ignored:
        return NOTHING
    steps = [part.span for part in plan.parts if not isinstance(part, Ignored)]
    is_pddl = plan.dialect is Dialect.PDDL
    hidden = [part.span for part in ignored if (part.kind == "comment" and is_pddl) or "`" in part.text]
    return around_spans(blanked(plan.text, hidden), steps, plan.text)


def around_items(text: str, items: Iterable[str]) -> Around:
    """Return what stands around the items of a list in a text, and on no line of theirs."""
    hidden: list[Span] = []
    place = 0
    for item in items:
        start = text.find(item, place)
        if start >= 0:
            place = start + len(item)
            hidden.append((max(text.rfind("\n", 0, start) + 1, hidden[-1][1] if hidden else 0), place))
    return around_spans(blanked(text, hidden), (), text)


def around_spans(shown: str, steps: Iterable[Span], text: str) -> Around:
    """Return what stands around the steps at some places of a text; ``shown`` is the text without what says nothing."""
    parts, place = [], 0
    for start, end in steps:
        parts += [shown[place:start], re.sub(r"[^\n]", _STEP, text[start:end])]
        place = end
    said = "".join((*parts, shown[place:]))
    found = NOTHING
    for line, whole in zip(said.split("\n"), text.split("\n"), strict=True):
        if _STEP in line:
            before, *behind = _STEPS.split(line)
            found += _of_step(before, behind, whole)
        elif words := heading(line):
            found += Around(open=(_shown(words),)) if _CONDITIONAL.search(words) else NOTHING
        elif _may_be_a_step(line):
            found += Around(unread=(_shown(line),))
    return found


def around_item(text: str) -> Around:
    """Return what stands in an item of a plan around the call that it is, or in the sentence that names its tools."""
    call = CALL.search(text) or _GROUP.match(text)
    end = None if call is None else closed(text, call.start())
    if call is not None and end is not None:
        return _of_step(text[: call.start()], [text[end:]], text)
    words = unmarked(text)
    if _CONDITIONAL.search(text) or _TIMES.search(words) or _doubts(words, first=True):
        return Around(open=(_shown(text),))
    return Around(unread=(_shown(text),)) if _GOES_ON.search(text) else NOTHING


def _of_step(before: str, behind: Sequence[str], whole: str) -> Around:
    """Return what stands before the first step on a line, and behind each."""
    is_doubtful = _doubts(before) or any(_doubts(each, first=True) for each in behind)
    if is_doubtful or any(map(_CONDITIONAL.search, (before, *behind))):
        return Around(open=(_shown(whole),))
    inside = (words for each in behind for words in _IN_PARENTHESES.findall(each))
    is_more = any(map(_GOES_ON.search, behind)) or any(map(_may_be_a_step, inside))
    return Around(unread=(_shown(whole),)) if is_more else NOTHING


def _shown(text: str) -> str:
    return " ".join(text.split())


# --- what it says --------------------------------------------------------------------------------

_CONDITIONAL = re.compile(
    r"\b(?:if|unless|until|otherwise|optional(?:ly)?|alternatively|as\s+(?:often|long|many)\b|for\s+(?:each|every)\b"
    r"|(?:when|where|as)\s+(?:needed|necessary|required|appropriate)|(?:plan|option|alternative)\s+[b-z2-9]\b)",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"(?<!\w)(?:(?:\d+|two|three|four|five|several|many)\s+times|twice|thrice|[x×]\s*\d+)\b", re.IGNORECASE
)
_OPEN = DOUBT | frozenset(("avoid", "while", "when", "whenever", "possibly", "every", "repeatedly"))
"""what a sentence says of a step so that it may be made or not, and how often"""
_JOINS = frozenset(("but", "and", "only"))
_WORDS = re.compile(r"[^\W\d_]+")
_GOES_ON = re.compile(
    r"^\s*+(?:,|;|&|\+|->|=>|→|>)?+\s*+(?:and|then|before|after|followed\s+by|afterwards?|next|finally)\b[\W_]*[^\W\d_]"
    r"|^\s*(?:;|&|\+|->|=>|→)[\W_]*[^\W\d_]|(?:\band|,)\s+then\b|[;.]\s*(?:then|next|finally|after\s+that)\b",
    re.IGNORECASE,
)
"""how more steps follow on the line of one"""
_IN_PARENTHESES = re.compile(r"\(([^()]*)\)")
_TAG = re.compile(r"</?[\w:-]+[^<>]{0,99}>|\[/?[\w ]{1,30}\]")
_COMMENT = re.compile(r"\s*(?:#|//|--|/\*|;|<!--)")
_LABEL = re.compile(
    r"(?:why|notes?|n\.?b|reason(?:ing)?|rationale|goals?|results?|expected|purpose|explanation|thoughts?|cost|total|time"
    r"|duration|date|author|task|context|summary|precondition|effect|state)s?\s*[:=-]",
    re.IGNORECASE,
)
_REMARK = re.compile(
    rf"(?:(?:{'|'.join(sorted(ARTICLES))}|here|there|it|their|his|her|all|which|because)\b"
    r"|(?:i\s+)?hope\b|thanks?\b|let\s+me\s+know\b|feel\s+free\b|(?:i|we)\s+(?:have|am|are|think|believe|assume)\b"
    r"|(?:sure|certainly|of\s+course|okay|ok|yes|done|end|start|good\s+luck)\W*$)",
    re.IGNORECASE,
)
_OBLIGES = re.compile(
    r"\b(?:must|should|shall|needs?\s+to|have\s+to|has\s+to|ought|will\s+be|to\s+be|is\s+then|are\s+then)\b",
    re.IGNORECASE,
)
_ENDS_WITH_CALL = re.compile(r"(?<![\w./-])[^\W\d][\w./-]*+\([^()]*+\)\W*$")


def _doubts(text: str, *, first: bool = False) -> bool:
    """Return whether words deny a step, repeat it or put another one in its place; ``first`` asks for the first one."""
    words = _WORDS.findall(text.lower())
    if first:
        is_again = _TIMES.match(text.lstrip(" \t_([,:;-")) is not None
        return is_again or next((word for word in words if word not in _JOINS), "") in _OPEN
    return not _OPEN.isdisjoint(words)


def _may_be_a_step(line: str) -> bool:
    """Return whether a line of prose may tell somebody to do something: whatever is not surely a remark."""
    if _COMMENT.match(line) or is_denied(line):
        return False
    bare = _TAG.sub(" ", line)
    words = unmarked(bare).lstrip("(* ")
    if not _WORDS.search(words) or _LABEL.match(words):
        return False
    is_remark = _REMARK.match(words) is not None and mark_of(bare).order is None and not _ENDS_WITH_CALL.search(words)
    return not is_remark or _OBLIGES.search(words) is not None


def is_remark(line: str) -> bool:
    """Return whether a line of a plan is surely no step: blank, a heading, a fence, a comment, a remark."""
    bare = line.strip()
    if not bare or bare.startswith(("```", "~~~", "#")) or bare.rstrip("*_").endswith(":"):
        return True
    if CALL.search(bare) or len(_WORDS.findall(bare)) == 1:
        return False  # the name of a tool may be any word
    return not _may_be_a_step(line)
