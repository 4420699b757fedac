"""JSON with places: the values of a text, of which objects, lists and texts know where they stand in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from validator.reading.plan import Span

__all__ = ["LocatedList", "LocatedObject", "LocatedText", "located", "span_of", "whole_value"]


class LocatedObject(dict[str, Any]):
    """An object with its place in the text."""

    __slots__ = ("span",)
    span: Span


class LocatedList(list[Any]):
    """A list with its place in the text."""

    __slots__ = ("span",)
    span: Span


class LocatedText(str):
    """A text with the place of its quotes."""

    span: Span


def span_of(value: object) -> Span:
    """Return where a value stands in its text; nowhere for one that does not know."""
    span = getattr(value, "span", (0, 0))
    return span if isinstance(span, tuple) else (0, 0)


def located(text: str, start: int = 0) -> tuple[Any, int]:
    """Return the JSON value that begins at a place, and the place behind it.

    Raises ValueError for what is no JSON, RecursionError for what is nested too deeply.
    """
    return _value(text, _blank(text, start))


def whole_value(text: str) -> Any:
    """Return the list or the object that a text is as a whole, or within one code fence; None for any other text."""
    fenced = _FENCE.fullmatch(text)
    start, end = fenced.span(1) if fenced else (0, len(text))
    if text[start:end].lstrip()[:1] not in ("[", "{"):
        return None
    try:
        value, behind = located(text, start)
    except (ValueError, RecursionError):
        return None
    return None if text[behind:end].strip() else value


_FENCE = re.compile(r"\s*```[^\n`]*\n(.*?)```\s*", re.DOTALL)
_BLANK = re.compile(r"[ \t\n\r]*")
_scalar: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().raw_decode


def _blank(text: str, place: int) -> int:
    match = _BLANK.match(text, place)
    return match.end() if match else place


def _value(text: str, start: int) -> tuple[Any, int]:
    sign = text[start : start + 1]
    if sign == '"':
        content, end = scanstring(text, start + 1, True)
        found = LocatedText(content)
        found.span = (start, end)
        return found, end
    if sign == "{":
        return _object(text, start)
    return _list(text, start) if sign == "[" else _scalar(text, start)


def _object(text: str, start: int) -> tuple[LocatedObject, int]:
    found = LocatedObject()
    place = _blank(text, start + 1)
    while text[place : place + 1] != "}":
        if found:
            place = _blank(text, _after(text, place, ","))
        key, place = scanstring(text, _after(text, place, '"'), True)
        found[key], place = _value(text, _blank(text, _after(text, _blank(text, place), ":")))
        place = _blank(text, place)
    found.span = (start, place + 1)
    return found, place + 1


def _list(text: str, start: int) -> tuple[LocatedList, int]:
    found = LocatedList()
    place = _blank(text, start + 1)
    while text[place : place + 1] != "]":
        if found:
            place = _blank(text, _after(text, place, ","))
        value, place = _value(text, place)
        found.append(value)
        place = _blank(text, place)
    found.span = (start, place + 1)
    return found, place + 1


def _after(text: str, place: int, sign: str) -> int:
    if text[place : place + 1] != sign:
        raise ValueError(f"{sign!r} was expected at character {place}")
    return place + 1
