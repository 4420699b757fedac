"""What in a text is no part of its plan, wherever it stands, and what that is, in words.

Thoughts, quoted models and parts of them are found here, tags around answers, and where in the output of a planner its
plan stands. A planner that goes on looking prints one plan after another; the last one is its answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from validator.reading.plan import Span
from validator.reading.tokens.layout import terminal
from validator.reading.tokens.transcripts import Transcript, transcript
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import dataclass
from validator.texts import blank, straight


@dataclass(frozen=True, slots=True, kw_only=True)
class Asides:
    """``visible`` is as long as the text, with blanks for what was left out, which ``said`` tells.

    Of a transcript nothing is left out yet: ``talk`` says what is to be.
    """

    visible: str
    said: tuple[str, ...]
    talk: Transcript | None
    is_thought: bool = False
    """whether all of it is a thought"""
    is_commented: bool = False
    """whether steps stand in comments"""


def without_asides(text: str, known: Vocabulary | None = None, *, with_talk: bool = True) -> Asides:
    """Leave out thoughts, quoted models, what a planner prints and what is commented out.

    ``with_talk`` looks for a transcript in the rest.
    """
    hidden = thoughts(text)
    visible = blanked(text, hidden) if hidden else text
    is_thought = bool(hidden) and visible.isspace()
    if is_thought:  # all of it is a thought: better that than nothing
        visible = blanked(text, [match.span() for match in _THOUGHTS.finditer(text)])
    quoted = models(visible)
    visible = blanked(visible, quoted) if quoted else visible
    log = printed(visible)
    if log is not None:
        visible = blanked(visible, [(0, log.span[0]), (log.span[1], len(text))])
    comments = commented_out(visible, known) if known is not None and known.actions else []
    visible = blanked(visible, comments) if comments else visible
    talk = transcript(visible) if with_talk else None
    said = tuple(_said((("thoughts", hidden), ("models", quoted), ("comments", comments)), log, talk))
    return Asides(visible=visible, said=said, talk=talk, is_thought=is_thought, is_commented=bool(comments))


def _said(found: Sequence[tuple[str, Sequence[Span]]], log: Printed | None, talk: Transcript | None) -> Iterator[str]:
    for name, spans in found:
        if spans:
            yield f"{name}, {sum(end - start for start, end in spans)} characters of them"
    if log is not None:
        last = f", of whose {log.plans} plans the last one counts" if log.plans > 1 else ""
        yield f"what {log.planner} prints around its plan{last}"
    if talk is not None and talk.is_answered:
        yield "what is thought and answered between commands" if talk.commands else "what is answered between steps"
        refused = sum(command.is_refused for command in talk.commands)
        if refused:
            yield f"{refused} command{'s' * (refused > 1)} refused by the world: no change comes of that"


def blanked(text: str, spans: Sequence[Span]) -> str:
    """Return a text of the same length in which nothing but the line ends is left of some parts of it."""
    parts, place = [], 0
    for start, end in spans:
        parts.append(text[place:start])
        parts.append(blank(text[start:end]))
        place = end
    return "".join((*parts, text[place:]))


_NAME = re.compile(r"[^\W\d][\w-]*+")
_COMMENTED = re.compile(
    r"""^[^\S\n]*+(?:\#|//|%|--|/\*|<!--)[^\S\n]*+(?:\\item\b|await\b|-\s|<\w[^<>\n]*+>)?+[^\S\n]*+
    (?:(?<=-\s)|(?=[^\n]{0,99}?[(\"'\[]))[\"'(\[{]*+(?:[^\W\d]\w*+\.)*+(?P<name>[^\W\d][\w-]*+)[^\n]*+""",
    re.MULTILINE | re.VERBOSE,
)
"""a line that is a comment of a program or of markup, and begins as a step does"""


def commented_out(text: str, known: Vocabulary) -> list[Span]:
    """Return the steps that stand in comments, where a text has others."""
    lines = [match for match in _COMMENTED.finditer(text) if known.written(match["name"]) is not None]
    found = [match.span() for match in lines]
    rest = blanked(text, found) if found else ""
    return found if any(map(known.written, _NAME.findall(rest))) else []


# --- tags ------------------------------------------------------------------------------------------

_THOUGHTS = re.compile(
    r"<\s*(?P<closes>/?)\s*(?:think(?:ing)?|thoughts?|reasoning|scratch_?pad|reflection|analysis|internal_monologue|"
    r"inner_monologue)\s*>",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"<\s*(?P<closes>/?)\s*(?P<name>final_?answer|answer|final(?:_?plan)?|plan|solution|output|result)\s*>",
    re.IGNORECASE,
)


def thoughts(text: str) -> list[Span]:
    """Return what stands in ``<think>`` and its like; a thought that is never closed reaches to the end.

    One that is closed without having been opened (the prompt may have opened it) begins with the text.
    """
    found: list[Span] = []
    opened: int | None = None
    for match in _THOUGHTS.finditer(text) if "<" in text else ():
        if not match["closes"]:
            opened = match.start() if opened is None else opened
        else:
            start = match.start() if found else 0
            found.append((start if opened is None else opened, match.end()))
            opened = None
    if opened is not None:
        found.append((opened, len(text)))
    return found


def tagged(text: str) -> list[Span]:
    """Return what stands between tags such as ``<answer>`` and ``</answer>``, the tags left out; no nested ones."""
    found: list[Span] = []
    opened: re.Match[str] | None = None
    for match in _ANSWERS.finditer(text) if "<" in text else ():
        if opened is None:
            opened = None if match["closes"] else match
        elif match["closes"] and match["name"].lower() == opened["name"].lower():
            found.append((opened.end(), match.start()))
            opened = None
    return found


# --- models ----------------------------------------------------------------------------------------

_OF_MODELS = re.compile(
    r"(?P<model>\(\s*define\s*\(\s*(?:domain|problem)\b|\(\s*def(?:domain|problem)\b)"
    r"|(?P<part>\(\s*:(?:objects|init|goal|metric|requirements|types|predicates|functions|constants|domain|problem|derived"
    r"|(?:durative-)?action\s+[\w-]+\s+:parameters)(?![\w-]))"
    r"|[()]|;[^\r\n]*|```",
    re.IGNORECASE,
)


def models(text: str) -> list[Span]:
    """Return where a text quotes a domain or problem of PDDL or SHOP, of which no line is a step.

    Parts of one may stand alone, as lessons have them: ``(:objects a b - block)``. A model that is never closed ends
    with its code fence; outside of a fence it is left, since what follows may be a plan, and so is a part.
    """
    if "(:" not in text and "( :" not in text and "def" not in text.lower():
        return []
    found: list[Span] = []
    opened: list[tuple[int, int, bool]] = []
    depth = 0
    for match in _OF_MODELS.finditer(text):
        start, sign = match.start(), match[0][0]
        if match["model"] or match["part"]:
            opened.append((start, depth, match["model"] is not None))
        depth += match[0].count("(") if sign == "(" else -(sign == ")")
        ends = bool(opened) and depth <= opened[-1][1]
        if sign == "`" and any(is_model for _, _, is_model in opened):
            begin, ends = next(begin for begin, _, is_model in opened if is_model), False
            found = [*(span for span in found if span[0] < begin), (begin, start)]
            opened.clear()
        elif ends:
            begin, depth, _ = opened.pop()
            found = [*(span for span in found if span[0] < begin), (begin, match.end())]
    return found


# --- what planners print ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """The output of a planner: who printed it, where its last plan stands, and how many there are."""

    planner: str
    span: Span
    plans: int


_LOGS = "planner_logs.lark"
_PLANNERS = {
    "LPG": "LPG",
    "FF": "FF",
    "ENHSP": "ENHSP",
    "FAST_DOWNWARD": "Fast Downward",
    "POPF": "POPF",
    "OPTIC": "POPF",
    "TFD": "TFD",
    "LAPKT": "LAPKT",
    "PLANSYS": "PlanSys2",
    "PLANSYS_LOG": "PlanSys2",
    "MADAGASCAR": "Madagascar",
}


def printed(text: str) -> Printed | None:
    """Return where the plan stands in the output of a planner, or None for another text."""
    if terminal("HINT", _LOGS).search(text) is None:
        return None
    for name, planner in _PLANNERS.items():
        begins = list(terminal(f"{name}_BEGINS", _LOGS).finditer(text))
        if begins:
            start = begins[-1].end()
            ends = terminal(f"{name}_ENDS", _LOGS).search(text, start)
            return Printed(planner=planner, span=(start, ends.start() if ends else len(text)), plans=len(begins))
    return None


# --- signs -----------------------------------------------------------------------------------------

_UNPRINTED = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]|\x1b\][^\x07\x1b\n]*+(?:\x07|\x1b\\)|\x1b[@-Z\\-_]"
    "|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe0e\ufe0f\ufeff]"
)
"""What a terminal is told (ECMA-48), and signs that nobody sees."""
_WIDE = re.compile("（([^（）()\\n]*)）")
"""a parenthesis as keyboards for Chinese and Japanese write it"""
_EMPTY = " \t\r\n\ufeff"


def printed_alone(text: str) -> str:
    """Return a text of the same length with blanks for what is not seen: colours, byte order marks, controls.

    Curved quotes are plain. A text of nothing else is left as it is: it is no empty plan.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _WIDE.sub(lambda match: f"({match[1]})", straight(text))
    shown = _UNPRINTED.sub(lambda match: " " * len(match[0]), text)
    return shown if shown.strip() or not text.strip(_EMPTY) else text


_WRITTEN_END = re.compile(r"(?<!\\)\\n(?=\s*(?:\d{1,3}[.):]|[-*•(]\s?|Step\b|\\n|[\"'\]}]|$))|(?<=\))\\n(?=\w[\w-]*\()")
_VALUE = re.compile(r"^[^\S\n]*+[\[{\"'][^\n]*\\n", re.MULTILINE)
_WRITTEN_ENDS = re.compile(r"(?<!\\)\\n")


def line_ended(text: str) -> str:
    """Return a text of the same length in which written-out line ends are such: ``"1. pick a\\n2. put a"``.

    Where a line with one begins as a value they all are; elsewhere those before an item or a parenthesis, since
    ``\\n`` begins words of LaTeX too.
    """
    if "\\n" not in text:
        return text
    return (_WRITTEN_ENDS if _VALUE.search(text) else _WRITTEN_END).sub(" \n", text)


# --- steps inside of something else ---------------------------------------------------------------


def unwrapped(text: str, vocabulary: Vocabulary) -> str:
    """Take the steps of a text out of what stands around them, as far as the names of the model tell them."""
    if "(:" in text:
        text = _KEYWORD.sub(
            lambda name: name[0] if vocabulary.written(name[1]) is None else name[0].replace(":", " "), text
        )
    if vocabulary.parted is not None:
        text = vocabulary.parted.sub(lambda match: _in_one(match, vocabulary), text)
    return text


def _in_one(match: re.Match[str], vocabulary: Vocabulary) -> str:
    """Return the name of an action for its words; those of a parenthesis that says more than objects stay."""
    said = (match["given"] or "").lower().split()
    return vocabulary.spoken[tuple(match[0].lower().split(" "))] if vocabulary.objects.issuperset(said) else match[0]


_KEYWORD = re.compile(r"\(:([^\W\d][\w-]*+)")
"""``(:LOAD-TRUCK p t)``: an action that is written as the keywords of PDDL are"""
