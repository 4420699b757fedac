"""Items of a plan that name several tools: ``search_flight, book_flight``, ``Call `a` and `b` first``.

Names written as only those of tools are, with an underscore, in camel case or in backticks, mean tools even where no
call of them is known: a tool that is never called is the very step that a comparison looks for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from validator.reading.calls import folded
from validator.reading.calls.written import CALL
from validator.reading.tokens.phrases import mark_of

_OF_TOOL = r"(?:`[^\W\d][\w.-]*`|(?<![\w`])(?:[^\W\d]\w*_\w+|[a-z][a-z0-9]*[A-Z]\w*)(?:[.-]\w+)*)"
_NEXT = r"(?:\s*,\s*(?:and\s+)?(?:then\s+)?|\s*(?:[;&+]|->|=>|→)\s*|\s+(?:and\s+then|and|then)\s+)"
_LEFT_OPEN = r"\s*(?:\||\s/\s|\s(?:or|-|–|—)\s|[:(]|\.\s)\s*"
_SIGN = re.compile(rf"(?P<next>{_NEXT})|{_LEFT_OPEN}", re.IGNORECASE)
_NAMED_SO = re.compile(_OF_TOOL)
_RUN = re.compile(rf"{_OF_TOOL}(?:{_NEXT}{_OF_TOOL})+")
_WORD = re.compile(r"[^\W\d][\w.-]*")
_AGAIN = re.compile(
    r"(?P<name>`?[^\W\d][\w.-]*`?)\s*\(?(?:[x×*]\s?(?!1\b)\d+|\b(?:twice|thrice|(?!1\b|one\b)\w+\s+times))"
)
_CALLS = re.compile(r"\b(?:call|invoke|run|execute)(?:\s+(?:the|tools?|functions?))*\s*$", re.IGNORECASE)
_EMPHASIS = re.compile(r"\*{1,2}(?=[^\W\d])|(?<=\w)\*{1,2}|[\"']")


def listed(text: str, known: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the tools that an item names beside each other; none where it is open which of them are steps.

    So it is of one to call several times. None for an item that names one tool or gives arguments.
    ``known`` are the tools of a trace, by their folded names.
    """
    mark = text[: mark_of(text).end].rstrip("`*\"'")
    line = _EMPHASIS.sub("", text[len(mark) :]).strip(" \t.!)")
    if CALL.search(line) or any(sign in line for sign in "={["):
        return None
    again = _AGAIN.fullmatch(line)
    if again is not None and (_NAMED_SO.fullmatch(again["name"]) or folded(again["name"].strip("`")) in known):
        return ()
    signs = list(_SIGN.finditer(line))
    ends = zip((0, *(sign.end() for sign in signs)), (*(sign.start() for sign in signs), len(line)), strict=True)
    names = [line[start:end] for start, end in ends]
    if signs and all(_NAMED_SO.fullmatch(name) or folded(name) in known for name in names):
        is_clear = all(sign["next"] for sign in signs)
        return tuple(map(_bare, names)) if is_clear else ()
    if signs and all(_WORD.fullmatch(name) for name in names) and not any(sign[0].strip().isalpha() for sign in signs):
        return ()  # as `search, book` is, of which one is known, or none
    return _in_sentence(line, known)


def _in_sentence(line: str, known: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the tools that stand beside each other in a sentence, or the one that it says to call."""
    named = {_bare(each) for each in _NAMED_SO.findall(line)}
    runs = [(run, list(map(_bare, _NAMED_SO.findall(run[0])))) for run in _RUN.finditer(line)]
    runs = [(run, names) for run, names in runs if any(folded(name) in known for name in names)]
    if not runs:
        (only,) = named if len(named) == 1 else ("",)
        is_called = bool(only) and any(_CALLS.search(line[: each.start()]) for each in _NAMED_SO.finditer(line))
        return (only,) if is_called and folded(only) not in known else None
    run, names = runs[0]
    others = [name for name in named.difference(names) if folded(name) in known]
    is_sure = all(folded(name) in known for name in names) or _CALLS.search(line[: run.start()])
    return tuple(names) if is_sure and not others and len(runs) == 1 else ()


def _bare(name: str) -> str:
    return name.strip("`")
