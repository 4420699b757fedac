"""Programs as plans: which lines define functions, and which steps are done only if, or as often as, a line says.

def plan():
    unstack("b", "a")
    if not clear("b"):      what stands below is not understood: a plan has no conditions
        put_down("c")
plan()                      no step
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator

from validator.reading.plan import Span, Unparsed
from validator.records import dataclass

__all__ = ["Program", "comprehended", "program"]

_DEFINES = re.compile(r"^[^\S\n]*(?:async[ ]+)?def[ ]+(\w+)[ ]*\(([^)\n]*)\)[^:\n]*:", re.MULTILINE)
_CALL = re.compile(r"^[^\S\n]*(?:\w+[ ]*=[ ]*)?(?:await[ ]+)?(?:\w+\.)?(\w+)\([^()\n]*\)[^\S\n]*$", re.MULTILINE)
"""a call on a line of its own"""
_GOVERNS = re.compile(
    r"^(?P<indent>[^\S\n]*)"
    r"(?:(?:async[ ]+)?for[ ]+\w+(?:[ ]*,[ ]*\w+)*[ ]+in\b|while\b|if\b|elif\b|else\b|try\b|except\b)"
    r"[^\n]*?:[^\S\n]*(?P<behind>[^\n#]*)",
    re.MULTILINE,
)
_COMPREHENDS = re.compile(
    r"\[[^\[\]\n]{1,400}[)\]}\"']\s+for\s+\w+(?:\s*,\s*\w+)*\s+in\s+[^\n\]]{1,200}\]", re.IGNORECASE
)
_NAME = re.compile(r"[^\W\d][\w-]*")
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
    mains = {match.start(): match.end() for match in _MAIN.finditer(text)}
    governed: list[Unparsed] = []
    functions: list[re.Match[str]] = []
    for match in _DEFINES.finditer(text):
        if not all(_OWN.fullmatch(each) for each in match[2].split(",")):
            governed.append(_unread(text, *match.span(), f"'{match[1]}' is done with what its call gives it"))
        elif match[1].lower() not in actions:
            functions.append(match)
    names = [match[1] for match in functions]
    known = frozenset(names)
    calls = [call for call in _CALL.finditer(text) if call[1] in known] if names else []
    if calls and [call[1] for call in calls] != names:
        reason = "the functions are not called once each in the order in which they stand"
        governed.append(_unread(text, *functions[0].span(), reason))
    for match in _GOVERNS.finditer(text):
        if match.start() in mains:
            continue
        behind = match["behind"].strip()
        start = match.start("behind") if behind else _below(text, match.end(), len(match["indent"].expandtabs()))
        if start is not None:
            said = text[match.start() : match.start("behind")].strip()
            end = text.find("\n", start)
            governed.append(_unread(text, start, len(text) if end < 0 else end, f"it depends on '{said}'"))
    hidden = sorted([*mains.items(), *(match.span() for match in (*functions, *calls))])
    return Program(hidden=tuple(hidden), governed=tuple(governed)) if hidden or governed else None


def comprehended(text: str, is_action: Callable[[str], object]) -> Iterator[Unparsed]:
    """Yield the lists of steps that a text computes: ``[take(x, y) for x, y in pairs]``."""
    for match in _COMPREHENDS.finditer(text) if " for " in text and "[" in text else ():
        if any(is_action(name) for name in _NAME.findall(match[0])):
            yield _unread(text, *match.span(), "its steps are computed")


def _below(text: str, end: int, indent: int) -> int | None:
    """Return where the first line begins that is indented further than the one that ends here."""
    for line in re.finditer(r"\n([^\S\n]*)(?=[^\s#])", text[end : end + 2000]):
        return end + line.end() if len(line[1].expandtabs()) > indent else None
    return None


def _unread(text: str, start: int, end: int, reason: str) -> Unparsed:
    return Unparsed(text=text[start:end].strip(), reason=reason, span=(start, end))
