"""Programs as plans: which lines define functions, and which steps are done only if, or as often as, a line says.

def plan():
    unstack("b", "a")
    if not clear("b"):      what stands below is not understood: a plan has no conditions
        put_down("c")
plan()                      no step
"""

from __future__ import annotations

import re
from collections.abc import Container

from validator.reading.plan import Span, Unparsed
from validator.records import dataclass

__all__ = ["Program", "program"]

_DEFINES = re.compile(r"^([^\S\n]*)(?:async[ ]+)?def[ ]+(\w+)[ ]*\(([^)\n]*)\)[^:\n]*:", re.MULTILINE)
_GOVERNS = re.compile(
    r"^(?P<indent>[^\S\n]*)"
    r"(?:(?:async[ ]+)?for[ ]+\w+(?:[ ]*,[ ]*\w+)*[ ]+in\b|while\b|if\b|elif\b|else\b|try\b|except\b)"
    r"[^\n]*?:[^\S\n]*(?P<behind>[^\n#]*)",
    re.MULTILINE,
)
_MAIN = re.compile(r"^if[ ]+__name__[ ]*==[^\n]*:[^\S\n]*(?:#[^\n]*)?$", re.MULTILINE)
_OWN = re.compile(r"self|cls|\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """``hidden`` are definitions and calls of functions that are the plan; ``governed`` what is not always done."""

    hidden: tuple[Span, ...]
    governed: tuple[Unparsed, ...]


def program(text: str, actions: Container[str]) -> Program | None:
    """Return what a text of calls has of a program; None where it has neither functions nor conditions."""
    if ":" not in text:
        return None
    hidden = [match.span() for match in _MAIN.finditer(text)]
    governed: list[Unparsed] = []
    calls: list[tuple[int, str]] = []
    functions: list[re.Match[str]] = []
    for match in _DEFINES.finditer(text):
        if not all(_OWN.fullmatch(each) for each in match[3].split(",")):
            reason = f"'{match[2]}' is done with what its call gives it"
            governed.append(_unread(text, match.start(), match.end(), reason))
        elif match[2].lower() not in actions:
            functions.append(match)
            hidden.append(match.span())
            called = _calls(text, match[2])
            hidden += called
            calls += ((start, match[2]) for start, _ in called)
    if calls and [name for _, name in sorted(calls)] != [match[2] for match in functions]:
        reason = "the functions are not called once each in the order in which they stand"
        governed.append(_unread(text, *functions[0].span(), reason))
    for match in _GOVERNS.finditer(text):
        if not any(start <= match.start() < end for start, end in hidden):
            behind = match["behind"].strip()
            start = match.start("behind") if behind else _below(text, match.end(), len(match["indent"].expandtabs()))
            if start is not None:
                said = text[match.start() : match.start("behind")].strip()
                end = text.find("\n", start)
                governed.append(_unread(text, start, len(text) if end < 0 else end, f"it depends on '{said}'"))
    return Program(hidden=tuple(sorted(hidden)), governed=tuple(governed)) if hidden or governed else None


def _calls(text: str, name: str) -> list[Span]:
    """Return where a function is called on a line of its own."""
    call = re.compile(
        rf"^[^\S\n]*(?:\w+[ ]*=[ ]*)?(?:await[ ]+)?(?:\w+\.)?{re.escape(name)}\([^()\n]*\)[^\S\n]*$", re.MULTILINE
    )
    return [match.span() for match in call.finditer(text)]


def _below(text: str, end: int, indent: int) -> int | None:
    """Return where the first line begins that is indented further than the one that ends here."""
    for line in re.finditer(r"\n([^\S\n]*)(?=[^\s#])", text[end : end + 2000]):
        return end + line.end() if len(line[1].expandtabs()) > indent else None
    return None


def _unread(text: str, start: int, end: int, reason: str) -> Unparsed:
    return Unparsed(text=text[start:end].strip(), reason=reason, span=(start, end))
