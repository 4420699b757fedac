"""What authors write around a plan and into it: thoughts, tags, quoted models, markup, letters that count items."""

from __future__ import annotations

import re
import unicodedata

from validator.reading.plan import Span
from validator.texts import blank

__all__ = [
    "blanked",
    "bulleted",
    "line_ended",
    "model_parts",
    "models",
    "narrow",
    "numbered",
    "printed_alone",
    "tagged",
    "thoughts",
    "undated",
    "unescaped",
    "unmarked",
    "without_tags",
]

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


_MODEL = re.compile(
    r"(\(\s*define\s*\(\s*(?:domain|problem)\b|\(\s*def(?:domain|problem)\b)|[()]|;[^\n]*|```", re.IGNORECASE
)
_SECTION = re.compile(r"^(begin|end)_(\w+)[^\S\n]*$", re.MULTILINE)


def models(text: str) -> list[Span]:
    """Return where a text quotes a domain or problem of PDDL or SHOP, or a task in SAS+, of which no line is a step.

    One that is never closed ends with its code fence; outside of a fence it is left, since what follows may be a plan.
    """
    if "begin_operator\n" in text or "begin_state\n" in text:
        return _sections(text)
    if "def" not in text.lower():
        return []
    found: list[Span] = []
    start, depth = -1, 0
    for match in _MODEL.finditer(text):
        sign = match[0][0]
        if start < 0:
            start, depth = (match.start(), match[1].count("(")) if match[1] else (-1, 0)
        elif sign == "`":
            found.append((start, match.start()))
            start = -1
        elif sign != ";":
            depth += match[0].count("(") if sign == "(" else -1
            if not depth:
                found.append((start, match.end()))
                start = -1
    return found


_PART = re.compile(
    r"(\(\s*:(?:objects|init|goal|metric|requirements|types|predicates|functions|constants|domain|problem|derived"
    r"|(?:durative-)?action\s+[\w-]+\s+:parameters)(?![\w-]))|[()]|;[^\n]*",
    re.IGNORECASE,
)


def model_parts(text: str) -> list[Span]:
    """Return where a text quotes parts of a model alone, as lessons do: ``(:objects a b - block)``, ``(:init ...)``.

    One that is never closed is left, since what follows may be a plan.
    """
    if "(:" not in text and "( :" not in text:
        return []
    found: list[Span] = []
    start, depth = -1, 0
    for match in _PART.finditer(text):
        sign = match[0][0]
        if start < 0:
            start, depth = (match.start(), 1) if match[1] else (-1, 0)
        elif sign != ";":
            depth += 1 if sign == "(" else -1
            if not depth:
                found.append((start, match.end()))
                start = -1
    return found


def _sections(text: str) -> list[Span]:
    """Return the sections of a task as Fast Downward writes it for its search."""
    found: list[Span] = []
    opened: re.Match[str] | None = None
    for match in _SECTION.finditer(text):
        if match[1] == "begin":
            opened = match
        elif opened is not None and opened[2] == match[2]:
            found.append((opened.start(), match.end()))
            opened = None
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


_WIDE = str.maketrans("（），、：；＝［］｛｝【】⟨⟩〈〉《》", "(),,:;=[]{}[][][][]")


def narrow(text: str) -> str:
    """Return a text of the same length with the brackets and signs of English for those of other writings.

    They are those of Chinese and Japanese, and the angles around sequences in mathematics.
    """
    return text if text.isascii() else text.translate(_WIDE)


_ESCAPE = re.compile(r"(?<!\\)\\(?=[()\[\]{}_*#+.!$|>~`-]|$)")
_WORD = re.compile(r"\S+")


def unescaped(text: str) -> str:
    """Return a text of the same length without the backslashes of LaTeX and Markdown before signs: ``\\(a b\\)``.

    Blanks in front of a word stand for those in it, so that no other word moves.
    """
    if "\\" not in text:
        return text
    return _WORD.sub(lambda match: _ESCAPE.sub("", match[0]).rjust(len(match[0])), text)


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


_HTML = re.compile(
    r"<(?P<begins>li|p|br[ ]*/?|tr|div|h[1-6])(?:[ ][^<>\n]{0,200})?>"
    r"|</?(?:ol|ul|li|p|b|i|strong|em|code|pre|span|div|td|th|tr|table|tbody|thead|html|body|h[1-6])"
    r"(?:[ ][^<>\n]{0,200})?>",
    re.IGNORECASE,
)


_OF_SHOP = re.compile(r"(?<=\()!|(?<=\))[ \t]++\d{1,9}(?:\.\d{1,9})?[ \t]*+(?=[()])")
"""the sign of an action, and its cost behind it: ``((!stack a b) 1.0 ...)``"""
_ARROW = re.compile(r"(?<![\w)])(?:-{2,9}|={1,9})(?=\()|(?<=\))[-=]{1,9}>")


_NODE = re.compile(
    r"^[^\S\n]*+\d{1,9}\|\|-?\d{1,9}[^\S\n]*+---(?=[^\S\n])|---[^\S\n]*+SON:[^\S\n]*+-?\d++\|\|-?\d++",
    re.MULTILINE,
)
"""what Contingent-FF prints around a step: ``0||0 --- MOVE A B --- SON: 1||0``"""


def unmarked(text: str) -> str:
    """Return a text of the same length without HTML's tags, arrows, SHOP's signs: ``<li>``, ``--(a b)-->``, ``(!a)``.

    The tags of lists and paragraphs begin lines. What is struck out, ``~~a~~`` or ``<del>a</del>``, is left out.
    """
    if "~~" in text or "</" in text:
        text = _STRUCK.sub(lambda struck: " " * len(struck[0]), text)
    if ")-" in text or ")=" in text or "-(" in text:
        text = _ARROW.sub(lambda arrow: " " * len(arrow[0]), text)
    if "||" in text and "SON:" in text:
        text = _NODE.sub(lambda match: " " * len(match[0]), text)
    if "(!" in text:
        text = _OF_SHOP.sub(lambda match: " " * len(match[0]), text)
    if "[" in text:
        text = _TICKED.sub(lambda match: "- ".ljust(len(match[0])), text)
    if ("</" not in text and "<br" not in text.lower()) or "<tool_name>" in text:  # whose parameters may be called b
        return text
    return _HTML.sub(_line_of, text)


_STRUCK = re.compile(r"~~(?!\s)[^~\n]{1,400}~~|<(del|s|strike)>[^<\n]{1,400}</\1>", re.IGNORECASE)
_TICKED = re.compile(r"^[^\S\n]*\[(?:x|done|ok|pass(?:ed)?|success)\](?=[^\S\n])", re.MULTILINE | re.IGNORECASE)
"""what says of a line that it was done"""


def _line_of(tag: re.Match[str]) -> str:
    """Return the line and the bullet that a tag begins, filled with blanks."""
    begun = (tag["begins"] or "").lower()
    return ("\n- " if begun == "li" else "\n" if begun else "").ljust(len(tag[0]))


_DATED = re.compile(
    r"^[^\S\n]*\[?\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?(?:Z|[+-]\d\d:?\d\d)?\]?(?=[\s:,])[:,]?",
    re.MULTILINE,
)
_SIGNED = re.compile(r"^(?P<before>[^\S\n]*)(?P<sign>[^\w\s\x00-\x7f]{1,3})(?=[^\S\n]+\S)", re.MULTILINE)
_NTH = re.compile(
    r"^(?P<before>[^\S\n]*)(?:第[^\S\n]*[\d一二三四五六七八九十百]{1,4}[^\S\n]*[步歩]|(?:步骤|步驟|ステップ)[^\S\n]*"
    r"[\d一二三四五六七八九十百]{1,4})[^\S\n]*[:.,]?",
    re.MULTILINE,
)
_DENYING = frozenset("❌✗✘✖❎🚫⛔⊘🛑⚠")


_LOGGED = re.compile(
    r"^[^\S\n]*+(?:\[(?!(?:INFO|DEBUG|WARN|NOTICE|TRACE))[\w.@/-]{1,60}\][^\S\n]*+){0,3}+"
    r"(?:[\[(<]?[^\S\n]*+(?:INFO|DEBUG|WARN(?:ING)?|NOTICE|TRACE)[^\S\n]*+[\])>]?(?=[\s:\[|,-]))"
    r"(?:[^\S\n]*+(?:\[[\w.@/ :,-]{1,60}\]|[:|-](?=\s)|:[A-Za-z_][\w.]{0,60}:))*+",
    re.MULTILINE,
)
"""``[INFO] [1709134273.98] [planner]:``, ``INFO:root:``, ``INFO -``: what a logger writes before what it is told"""


def undated(text: str) -> str:
    """Return a text of the same length without the dates and levels with which lines of logs begin."""
    if "-" in text:
        text = _DATED.sub(lambda match: " " * len(match[0]), text)
    if "INFO" in text or "DEBUG" in text or "WARN" in text or "NOTICE" in text or "TRACE" in text:
        text = _LOGGED.sub(lambda match: " " * len(match[0]), text)
    return text


def bulleted(text: str) -> str:
    """Return a text of the same length in which signs at the beginning of lines are bullets, but those that say no.

    So is the number of a step in Chinese.
    """
    if text.isascii():
        return text
    text = _NTH.sub(lambda match: match["before"] + "•".ljust(len(match[0]) - len(match["before"])), text)
    return _SIGNED.sub(_bullet, text)


def _bullet(match: re.Match[str]) -> str:
    sign = match["sign"]
    if not _DENYING.isdisjoint(sign) or (unicodedata.category(sign[0]) != "So" and not "\u2190" <= sign[0] <= "\u21ff"):
        return match[0]
    return match["before"] + "•".ljust(len(sign))


_LETTERED = re.compile(
    r"^(?P<before>[^\S\n]*(?:\*\*|__)?\(?)(?P<sign>[a-z]|[A-Z]|[ivx]{2,5}|[IVX]{2,5})[.)](?=(?:\*\*|__)?[^\S\n])"
    r"(?![^\S\n]*\[[\d.]{1,30}\][^\S\n]*$)",  # a duration is no item: ``(a) [2]`` is a step
    re.MULTILINE,
)
_ROMAN = {
    "".join((tens, ones)): 10 * ten + one
    for ten, tens in enumerate(("", "x", "xx"))
    for one, ones in enumerate(("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"))
}


def numbered(text: str) -> str:
    """Return a text of the same length in which items that letters or Roman numbers count are counted by digits.

    Two at least must follow each other, the first of them ``a`` or ``i``.
    """
    runs: dict[tuple[str, bool, bool], list[tuple[re.Match[str], int]]] = {}
    counted: dict[int, tuple[re.Match[str], int]] = {}
    for match in _LETTERED.finditer(text):
        sign = match["sign"].lower()
        for is_roman, number in ((False, ord(sign) - 96 if len(sign) == 1 else 0), (True, _ROMAN.get(sign, 0))):
            key = (match["before"], match["sign"].isupper(), is_roman)
            run = runs.get(key, [])
            if number == 1:
                runs[key] = [(match, number)]
            elif number and run and run[-1][1] + 1 == number:
                run.append((match, number))
                counted |= {one.start("sign"): (one, place) for one, place in run[-2:]}
    signs = list(text)
    for match, number in counted.values():
        start, end = match.start("sign"), match.end()
        written = f"{number}{text[end - 1]}"
        signs[start:end] = (written if len(written) <= end - start else "-").ljust(end - start)
    return "".join(signs)
