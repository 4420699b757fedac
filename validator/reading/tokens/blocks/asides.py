"""What is left of a text without all that is no part of its plan, wherever it stands: and what that was, in words.

Thoughts, quoted models and parts of them are found here, tags around answers, and where in the output of a planner its
plan stands. A planner that goes on looking prints one plan after another; the last one is its answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from validator.reading.plan import Span
from validator.reading.tokens.blocks.transcripts import Transcript, transcript
from validator.records import dataclass
from validator.texts import blank

__all__ = ["blanked", "line_ended", "printed_alone", "tagged", "thoughts", "without_asides"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asides:
    """``visible`` is as long as the text, with blanks for what was left out, which ``said`` tells.

    Of a transcript nothing is left out yet: ``talk`` says what is to be.
    """

    visible: str
    said: tuple[str, ...]
    talk: Transcript | None


def without_asides(text: str, *, with_talk: bool = True) -> Asides:
    """Leave out thoughts, quoted models and what a planner prints; ``with_talk`` looks for a transcript in the rest."""
    hidden = thoughts(text)
    visible = blanked(text, hidden) if hidden else text
    if hidden and visible.isspace():
        visible = without_tags(text)  # all of it is a thought: better that than nothing
    quoted = models(visible)
    visible = blanked(visible, quoted) if quoted else visible
    log = printed(visible)
    if log is not None:
        visible = blanked(visible, [(0, log.span[0]), (log.span[1], len(text))])
    talk = transcript(visible) if with_talk else None
    return Asides(visible=visible, said=tuple(_said(hidden, quoted, log, talk)), talk=talk)


def _said(hidden: list[Span], quoted: list[Span], log: Printed | None, talk: Transcript | None) -> Iterator[str]:
    if hidden:
        yield f"thoughts, {_characters(hidden)} characters of them"
    if quoted:
        yield f"models, {_characters(quoted)} characters of them"
    if log is not None:
        last = f", of whose {log.plans} plans the last one counts" if log.plans > 1 else ""
        yield f"what {log.planner} prints around its plan{last}"
    if talk is not None:
        yield "what is thought and answered between commands" if talk.commands else "what is answered between steps"
        refused = sum(command.is_refused for command in talk.commands)
        if refused:
            yield f"{refused} command{'s' * (refused > 1)} refused by the world: no change comes of that"


def _characters(spans: list[Span]) -> int:
    return sum(end - start for start, end in spans)


_THOUGHT = r"think(?:ing)?|thoughts?|reasoning|scratch_?pad|reflection|analysis|internal_monologue|inner_monologue"
_OPENS = re.compile(rf"<\s*({_THOUGHT})\s*>", re.IGNORECASE)
_CLOSES = re.compile(rf"<\s*/\s*({_THOUGHT})\s*>", re.IGNORECASE)
_TAG = re.compile(
    r"<\s*(final_?answer|answer|final_?plan|plan|solution|output|result)\s*>"
    r"|<\s*/\s*(final_?answer|answer|final_?plan|plan|solution|output|result)\s*>",
    re.IGNORECASE,
)


def thoughts(text: str) -> list[Span]:
    """Return what stands in ``<think>`` and its like; a thought that is never closed reaches to the end.

    One that is closed without having been opened (the prompt may have opened it) begins with the text.
    """
    if "<" not in text:
        return []
    marks = sorted(
        [(match.start(), match.end(), True) for match in _OPENS.finditer(text)]
        + [(match.start(), match.end(), False) for match in _CLOSES.finditer(text)]
    )
    found: list[Span] = []
    opened: int | None = None
    for start, end, opens in marks:
        if opens:
            opened = start if opened is None else opened
        else:
            found.append(((0 if not found else start) if opened is None else opened, end))
            opened = None
    if opened is not None:
        found.append((opened, len(text)))
    return found


def without_tags(text: str) -> str:
    """Return a text with blanks in place of the tags around thoughts."""
    return blanked(text, sorted(match.span() for pattern in (_OPENS, _CLOSES) for match in pattern.finditer(text)))


def tagged(text: str) -> list[Span]:
    """Return what stands between tags such as ``<answer>`` and ``</answer>``, the tags left out; no nested ones."""
    if "<" not in text:
        return []
    found: list[Span] = []
    opened: tuple[str, int] | None = None
    for match in _TAG.finditer(text):
        if match[1] and opened is None:
            opened = match[1].lower(), match.end()
        elif match[2] and opened is not None and opened[0] == match[2].lower():
            found.append((opened[1], match.start()))
            opened = None
    return found


_INSIDE = r"|[()]|;[^\n]*|```"
_MODEL = re.compile(rf"(\(\s*define\s*\(\s*(?:domain|problem)\b|\(\s*def(?:domain|problem)\b){_INSIDE}", re.IGNORECASE)
_PART = re.compile(
    r"(\(\s*:(?:objects|init|goal|metric|requirements|types|predicates|functions|constants|domain|problem|derived"
    rf"|(?:durative-)?action\s+[\w-]+\s+:parameters)(?![\w-])){_INSIDE}",
    re.IGNORECASE,
)


def models(text: str) -> list[Span]:
    """Return where a text quotes a domain or problem of PDDL or SHOP, of which no line is a step.

    Parts of one may stand alone, as lessons have them: ``(:objects a b - block)``. A model that is never closed ends
    with its code fence; outside of a fence it is left, since what follows may be a plan, and so is a part.
    """
    found = _quoted(text, _MODEL, ends_with_fence=True) if "def" in text.lower() else []
    if "(:" in text or "( :" in text:
        found += _quoted(blanked(text, found), _PART)
    return sorted(found)


def _quoted(text: str, opening: re.Pattern[str], *, ends_with_fence: bool = False) -> list[Span]:
    """Return the parentheses of a text that begin in one way, each to where it is closed."""
    found: list[Span] = []
    start, depth = -1, 0
    for match in opening.finditer(text):
        sign = match[0][0]
        if start < 0:
            start, depth = (match.start(), match[1].count("(")) if match[1] else (-1, 0)
        elif sign == "`" and ends_with_fence:
            found.append((start, match.start()))
            start = -1
        elif sign in "()":
            depth += match[0].count("(") if sign == "(" else -1
            if not depth:
                found.append((start, match.end()))
                start = -1
    return found


def blanked(text: str, spans: list[Span]) -> str:
    """Return a text of the same length in which nothing but the line ends is left of some parts of it."""
    parts, place = [], 0
    for start, end in spans:
        parts.append(text[place:start])
        parts.append(blank(text[start:end]))
        place = end
    return "".join((*parts, text[place:]))


_UNPRINTED = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]|\x1b\][^\x07\x1b\n]*+(?:\x07|\x1b\\)|\x1b[@-Z\\-_]"
    "|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe0e\ufe0f\ufeff]"
)
"""What a terminal is told (ECMA-48), and signs that nobody sees."""
_EMPTY = " \t\r\n\ufeff"


def printed_alone(text: str) -> str:
    """Return a text of the same length with blanks for what is not seen: colours, byte order marks, controls.

    A text of nothing else is left as it is: it is no empty plan.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = _UNPRINTED.sub(lambda match: " " * len(match[0]), text)
    return shown if shown.strip() or not text.strip(_EMPTY) else text


_WRITTEN_END = re.compile(r"(?<!\\)\\n(?=\s*(?:\d{1,3}[.):]|[-*•(]\s?|Step\b|\\n|[\"'\]}]|$))")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """The output of a planner: who printed it, where its last plan stands, and how many there are."""

    planner: str
    span: Span
    plans: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Format:
    planner: str
    begins: re.Pattern[str]
    """right before the first step"""
    ends: re.Pattern[str]
    """right behind the last step"""


def _format(planner: str, begins: str, ends: str) -> _Format:
    flags = re.MULTILINE
    return _Format(planner=planner, begins=re.compile(begins, flags), ends=re.compile(ends, flags))


_FORMATS = (
    _format(
        "LPG",
        r"^(?:Last plan|Plan) computed:[^\n]*\n(?:\s*Time: \(ACTION\)[^\n]*\n)?",
        r"^\s*(?:METRIC_VALUE|Solution number|Total time)",
    ),
    _format("FF", r"^ff: found legal plan as follows[^\n]*\n", r"^\s*(?:time spent|total (?:cost|time)|plan cost)"),
    _format(
        "ENHSP",  # which has no line before the plan of a problem of PDDL+
        r"^(?:Found Plan:|Problem Solved(?=[ \t\r]*\n[ \t]*[\d(]))[^\n]*\n",
        r"^\s*(?:Plan-Length|Duration|Metric|Planning Time)",
    ),
    _format(
        "Fast Downward",  # whose driver ends with "Solution found."
        r"^(?:\[t=[^\]\n]*\] )?Solution found(?!\.[ \t]*$)[^\n]*\n(?:(?:\[t=[^\]\n]*\] )?Actual search time[^\n]*\n)?",
        r"^(?:\[t=[^\]\n]*\] )?Plan length:",
    ),
    _format(
        "POPF", r"^(?:[^\n;(]*\(\d[^\n;]*)?;;;; Solution Found[^\n]*\n", r"^\s*(?:;;;;|\* All goal deadlines|Cost:)"
    ),
    _format(
        "POPF",  # OPTIC goes on looking behind each plan: "b (9.000 | 4.004)" for a better value, "(G)" for a goal
        r"^; Plan found with metric[^\n]*\n",
        r"^\s*(?:;(?!.*\()\s*(?:Plan found|All goal|Error)"
        r"|\* All goal deadlines|b \(\d|\(G\)|Resorting to|Running WA\*)",
    ),
    _format(
        "TFD",  # which prints each plan once more where it moves its steps
        r"^(?:Found new plan|Rescheduled Plan|new Plan):[^\n]*\n",
        r"^\s*(?:Rescheduled Plan|new Plan|Solution with|Plan length|Makespan|Evaluated)",
    ),
    _format("LAPKT", r"^Plan found with cost: [^\n]*\n(?=\s*1\. \()", r"^(?!\s*\d+\. \()"),
    _format("PlanSys2", r"^>[ \t]+get plan[ \t\r]*\nplan:[ \t\r]*\n", r"^(?![ \t]*[\d(])"),
    _format("PlanSys2", r"\bExecuting Plan with \d+ actions[ \t\r]*\n", r"^(?![ \t]*\()"),
    _format("Madagascar", r"^PLAN FOUND:[^\n]*\n", r"^\s*(?:\d+ actions in the plan|total time)"),
)
_HINT = re.compile(
    r"[Pp]lan computed|found legal plan|Found Plan:|Solution found|Solution Found|Plan found|Found new plan|"
    r"Rescheduled Plan|new Plan:|PLAN FOUND|Problem Solved|> +get plan|"
    r"Executing Plan with"
)


def printed(text: str) -> Printed | None:
    """Return where the plan stands in the output of a planner, or None for another text."""
    if _HINT.search(text) is None:
        return None
    for kind in _FORMATS:
        begins = list(kind.begins.finditer(text))
        if begins:
            start = begins[-1].end()
            ends = kind.ends.search(text, start)
            return Printed(planner=kind.planner, span=(start, ends.start() if ends else len(text)), plans=len(begins))
    return None
