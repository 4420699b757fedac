"""The gate: parts of a text in notations that are recognised and not read, each with its reason.

A fenced block is known by its language, other text by the signs of ``grammars/plan_unread.lark``. What is found is
never a step and never dropped: it is a piece that was not understood, so that nothing is said of a plan which has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from validator.reading.plan import Span, Unparsed
from validator.reading.tokens.layout import terminal
from validator.reading.tokens.vocabulary import Vocabulary
from validator.reading.values import FENCE

_GRAMMAR = "plan_unread.lark"
_NOTATIONS = {
    "MERMAID": ("a Mermaid diagram", "mermaid"),
    "GRAPHVIZ": ("a Graphviz drawing", "dot graphviz gv"),
    "SQL": ("SQL", "sql"),
    "TOML": ("TOML", "toml"),
    "INI": ("an INI file", "ini cfg conf"),
    "RECORDS": ("YAML, or arguments on a line of their own,", "yaml yml"),
    "DEFINITION": ("a plan as a definition", ""),
    "CSV": ("a CSV file", "csv tsv"),
    "DATA_FRAME": ("a printed data frame", ""),
    "HTTP": ("an HTTP request", "http rest"),
    "PROTOBUF": ("a protobuf message", "protobuf textproto proto pbtxt"),
    "RDF": ("RDF", "turtle ttl ntriples rdf"),
    "ANSWER_SET": ("an answer set, or a situation", ""),
    "CHAT": ("a chat", ""),
    "GRAPH": ("a graph of steps", ""),
    "TRAJECTORY": ("a recorded trajectory", ""),
    "RENAMED": ("the output of a planner that renames actions", ""),
    "BRANCHES": ("a plan that branches on what is seen", ""),
    "SAS": ("a task in SAS+", ""),
    "JULIA": ("Julia's print", ""),
    "XML": ("XML", ""),
    "CONTINGENT_FF": ("the output of Contingent-FF", ""),
    "POLICY": ("a table of states and actions", ""),
    "DIFF": ("a diff", "diff patch"),
}
"""terminal -> what it is a sign of, and the languages of code fences that say so"""
_SAID = {
    "a chat": "a chat is a trace of calls, with which 'adhere' compares a plan",
    "a diff": "it is a change of a plan, and no plan: 'apply' makes one of both",
    "what is struck out": "whether what is struck out is meant is not known",
}
_CALL = re.compile(r"(?<![\w.-])(?P<name>[^\W\d][\w.-]*+)\((?P<given>[^()]*+)\)")
_NAME = re.compile(r"[^\W\d][\w-]*")


def not_read(text: str, known: Vocabulary) -> list[Unparsed]:
    """Return the fenced blocks in notations that are not read, or else the text from the first sign of one on."""
    found = list(_fenced(text)) if "```" in text else []
    starts = [
        (match.start(), said)
        for name, (said, _) in _NOTATIONS.items()
        if (match := terminal(name, _GRAMMAR).search(text))
    ]
    if known.actions and "</" in text:
        elements = terminal("ELEMENT", _GRAMMAR).finditer(text)
        starts += [(match.start(), "XML") for match in elements if known.written(match["tag"])]
    if known.actions and (place := _timed_calls(text, known)) is not None:
        starts.append((place, "an answer set"))
    if not found and starts:
        start, said = min(starts)
        found.append(_unread(text, (text.rfind("\n", 0, start) + 1, len(text)), said))
    if not found and ("~~" in text or "</" in text):
        struck = terminal("STRUCK_OUT", _GRAMMAR).finditer(text)
        found += (_unread(text, match.span(), "what is struck out") for match in struck)
    return found


def _timed_calls(text: str, known: Vocabulary) -> int | None:
    """Return the first call of steps whose last argument, or first, is one too many and counts them."""
    calls = [match for match in _CALL.finditer(text) if known.written(match["name"])] if "(" in text else []
    for place in (-1, 0):
        arguments = [match["given"].split(",") for match in calls]
        said = {given[place].strip() for given in arguments}
        are_more = all(
            len(given) == known.actions[known.written(match["name"]) or ""] + 1
            for match, given in zip(calls, arguments, strict=True)
        )
        if calls and are_more and all(map(str.isdecimal, said)) and said.isdisjoint(known.objects):
            counted = sorted(map(int, said))
            if counted[0] in (0, 1) and counted == list(range(counted[0], counted[0] + len(counted))):
                return calls[0].start()
    return None


def _fenced(text: str) -> Iterator[Unparsed]:
    languages = {language: said for said, languages in _NOTATIONS.values() for language in languages.split()}
    for block in FENCE.finditer(text):
        said = languages.get(block["language"].lower())
        if said is not None and block["inside"].strip():
            yield _unread(text, block.span("inside"), said)


def _unread(text: str, span: Span, name: str) -> Unparsed:
    said = _SAID.get(name, f"{name} is not a plan notation that is read")
    first = text[slice(*span)].strip().split("\n", 1)[0]
    return Unparsed(text=first, reason=f"not understood: {said}", is_of_structure=True, span=span)


def program(text: str) -> list[Unparsed]:
    """Return the lines of a program that define, repeat or choose steps."""
    found = terminal("PROGRAM", _GRAMMAR).finditer(text) if ":" in text else ()
    return [_of_program(match) for match in found]


def computed(text: str, is_action: Callable[[str], object]) -> list[Unparsed]:
    """Return the lists of steps that a program computes: ``[take(x, y) for x, y in pairs]``, ``plan.append(...)``."""
    may_be = "[" in text or "+=" in text or "(" in text
    found = terminal("COMPUTED", _GRAMMAR).finditer(text) if may_be else ()
    return [_of_program(match) for match in found if any(map(is_action, _NAME.findall(match[0])))]


_ITEM = r"^[ \t]*(?:(?:step[ \t]*)?\d{1,4}[.:)][ \t]*|[-*•][ \t]+)?[`*]*"
_SEVERAL = r"(?:(?!1\b)\d{1,6}|two|three|four|five|six|seven|eight|nine|ten|several|many)"
_REPEATED = re.compile(
    _ITEM
    + r"(?:\([ \t]*(?P<group>[^\W\d][\w.-]*)[^()\n]*\)"
    + r"|(?P<call>[^\W\d][\w.-]*+)(?:\([^()\n]*\)|(?=[^()\n]*\()[^()\n]*))"
    + r"[ \t`,:-]*\(?(?:(?:repeat(?:ed)?|done|executed)[ \t]+)?"
    + r"(?:[x×*][ \t]?(?!1\b)\d+\b|(?!1\b)\d+[ \t]?[x×](?!\w)"
    + rf"|{_SEVERAL}[ \t]+times\b|twice\b|thrice\b|repeat(?:edly)?\b)",
    re.IGNORECASE | re.MULTILINE,
)
_TIME = r"\d+(?:\.\d+)?"
_AT = re.compile(
    rf"^[ \t]*(?:[-*•][ \t]+)?(?:at[ \t]+(?P<at>{_TIME})[ \t]*:|\[(?P<stamp>{_TIME})\])"
    rf"[ \t]*\(?[ \t]*(?P<name>[^\W\d][\w-]*)"
    rf"|^[ \t]*\(?(?P<first>[^\W\d][\w-]*+)[^@\n]*@[ \t]*(?P<behind>{_TIME})[ \t]*$"
    r"|^[ \t]*(?:[-*•][ \t]+)?\[?(?P<hour>\d{1,2}):(?P<minute>\d\d)\b\]?[ \t:–-]*(?P<done>[^\W\d][\w-]*)",
    re.IGNORECASE | re.MULTILINE,
)


def repeated(text: str, is_action: Callable[[str], object]) -> Iterator[Unparsed]:
    """Yield the steps that are told to be done several times: ``(f) x2``, ``f(a) * 2``, ``f a (repeat 2 times)``."""
    for match in _REPEATED.finditer(text):
        if is_action(match["group"] or match["call"]):
            yield _structure(text, match.span(), "it is to be done several times")


def disordered(text: str, is_action: Callable[[str], object]) -> list[Unparsed]:
    """Return the steps with times, ``[5.0] (f)``, ``at 1: (g)``, ``h@2``, where one is not later than the last.

    So are those with clock times, ``09:30 f``, where one is earlier than the last.
    """
    every = list(_AT.finditer(text))
    found = [match for match in every if is_action(match["name"] or match["first"] or match["done"])]
    clocks = [60 * int(match["hour"]) + int(match["minute"]) for match in every if match["hour"]]
    times = [float(match["at"] or match["stamp"] or match["behind"]) for match in found if not match["hour"]]
    wrong = [match for match in every if match["hour"]] if clocks != sorted(clocks) else []
    wrong += found if not all(before < after for before, after in pairwise(times)) else []
    return [_structure(text, match.span(), "the times of the steps are not in order") for match in wrong]


def _structure(text: str, span: Span, reason: str) -> Unparsed:
    start = span[0] + len(text[slice(*span)]) - len(text[slice(*span)].lstrip())
    return Unparsed.at(text, (start, span[1]), reason, is_of_structure=True)


def _of_program(match: re.Match[str]) -> Unparsed:
    said = match[0].strip().split("\n", 1)[0]
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    reason = "not understood: a program is not a plan"
    return Unparsed(text=said, reason=reason, is_of_structure=True, span=(start, start + len(said)))
