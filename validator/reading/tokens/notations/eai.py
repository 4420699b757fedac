"""The Embodied Agent Interface's two forms of JSON: actions as keys, which may be there again, and as objects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from validator.errors import PlanError
from validator.reading.plan import Dialect, Ignored, Plan, Step, Token, Unparsed, tiled
from validator.reading.tokens.layout import MAX_STEPS
from validator.reading.tokens.phrases import claims_no_plan
from validator.reading.values import Value, is_argument, json_values, span_of
from validator.records import replace

__all__ = ["looks_like_json", "read_json"]

_JSON_OBJECT = re.compile(r"""\{\s*["'][^"'\s]+["']\s*:\s*\[(?!\s*(?:["'][^"'\n]*\(|[\[{]))""")
_JSON_LIST = re.compile(r"""\[\s*\{\s*["']action["']\s*:\s*["'][^"'\n]*["']\s*[,}\]](?!\s*["'](?!object["']))""")
_REST = re.compile(r"[^\s,\[\](){}]")
_FENCE = re.compile(r"```[^\n`]*+")
_OBJECT, _LIST = '"ACTION": ["OBJECT", ...]', '{"action": "NAME", "object": "NAME"}'


def looks_like_json(text: str) -> Dialect | None:
    """Return which of the two JSON forms a text holds, or None."""
    if _JSON_LIST.search(text):
        return Dialect.EAI_LIST
    objects = (found.start() for found in _JSON_OBJECT.finditer(text))
    return Dialect.EAI_OBJECT if any(not is_argument(text, start) for start in objects) else None


def read_json(text: str, dialect: Dialect) -> Plan:
    """Read either JSON form. Prose may stand around it; what is inside and no step, or cut off, is Unparsed."""
    if text.count("{" if dialect is Dialect.EAI_LIST else "[") > MAX_STEPS:
        raise PlanError(f"the plan text has more than {MAX_STEPS} steps")
    found: list[Token] = []
    for value in json_values(text, may_be_cut=True):
        tokens = list(_items(value, text) if dialect is Dialect.EAI_LIST else _pairs(value, text))
        found += tokens
        rest = _REST.search(text, tokens[-1].span[1] if tokens else value.span[0]) if value.is_cut else None
        if rest is not None:
            found.append(Unparsed.at(text, (rest.start(), len(text.rstrip())), "the text ends inside of it"))
    parts = (
        replace(part, kind="prose") if isinstance(part, Ignored) and _REST.search(_FENCE.sub("", part.text)) else part
        for part in tiled(text, found)
    )
    return Plan(parts=tuple(parts), dialect=dialect, text=text, claims_no_plan=claims_no_plan(text))


def _pairs(value: Value, text: str) -> Iterator[Token]:
    """Read ``{"WALK": ["couch", "352"]}``."""
    for item in value.items():
        yield from _pairs(item, text)
    for key, inner in value.pairs():
        span = (span_of(key)[0], inner.span[1])
        if inner.kind == "list" and not inner.is_cut and all(_is_name(each) for each in inner.items()):
            yield Step(name=key.lower(), args=_numbered([each.text for each in inner.items()]), span=span)
        else:
            yield Unparsed.at(text, span, f"{_OBJECT} was expected")
    if value.kind == "text":
        yield Unparsed.at(text, value.span, f"{_OBJECT} was expected")


def _is_name(value: Value) -> bool:
    return value.kind == "text" and (not value.is_bare or value.text.isdigit())


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Return arguments; a name followed by its number is one object, ``couch_352``."""
    found: list[str] = []
    for name in names:
        if name.isdigit() and found and not found[-1].rpartition("_")[2].isdigit():
            found[-1] = f"{found[-1]}_{name}"
        else:
            found.append(name.strip())
    return tuple(found)


def _items(value: Value, text: str) -> Iterator[Token]:
    """Read ``[{"action": "LEFT_GRASP", "object": "candle_0"}]``."""
    own = {key: inner.text for key, inner in value.pairs() if _is_name(inner)}
    if own.keys() == {"action", "object"} and not value.is_cut and len(value.pairs()) == len(own):
        objects = tuple(part.strip() for part in own["object"].split(",") if part.strip())
        yield Step(name=own["action"].strip().lower(), args=objects, span=value.span)
    elif value.kind == "list":
        for item in value.items():
            yield from _items(item, text)
    else:
        yield Unparsed.at(text, value.span, f"{_LIST} was expected")
