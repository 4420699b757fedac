"""What an author may have meant: a value in another form, ``"5"`` where a number is declared, a name that is near."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from difflib import SequenceMatcher, get_close_matches

from validator.flow.tools.schema import ANY, Schema
from validator.flow.tools.validation import is_taken


def converted(value: object, schema: Schema) -> list[object]:
    """Return what a value may stand for in a schema that it does not fit, the likeliest first; nothing is made up."""
    found: list[object] = []
    for each in _forms(value, schema):
        if is_taken(each, schema) and each not in found:
            found.append(each)
    return found


def _forms(value: object, schema: Schema) -> Iterator[object]:
    if isinstance(value, str):
        yield from _read(value)
        yield from _alike(value, schema)
    elif isinstance(value, bool | int | float):
        yield json.dumps(value)
        yield str(value)
        yield from (int(value) for _ in range(1) if isinstance(value, float) and value.is_integer())
    if isinstance(value, list) and len(value) == 1:
        yield value[0]
        yield from converted(value[0], schema)
    if isinstance(value, list) and schema.items is not None:
        yield from _items(value, schema.items)
    if isinstance(value, dict) and schema.fields:
        yield from _fields(value, schema)
    if "array" in schema.types and not isinstance(value, list | dict):
        items = schema.items or ANY
        first = value if is_taken(value, items) else next(iter(converted(value, items)), None)
        yield from ([first] for _ in range(1) if first is not None)


def _read(text: str) -> Iterator[object]:
    """Yield what a text says as a value: a number, a word for truth, JSON."""
    word = text.strip()
    yield from ({"true": True, "false": False, "yes": True, "no": False}[w] for w in (word.lower(),) if w in _WORDS)
    try:
        yield json.loads(word.replace(",", "") if word.replace(",", "").replace(".", "").isdigit() else word)
    except (ValueError, RecursionError):
        return


_WORDS = frozenset(("true", "false", "yes", "no"))


def _alike(text: str, schema: Schema) -> Iterator[object]:
    """Yield the allowed texts that differ in case or joint, then those that are like it."""
    allowed = [each for each in schema.values if isinstance(each, str)]
    yield from (
        each for each in allowed if each.casefold().replace("_", " ") == text.strip().casefold().replace("_", " ")
    )
    yield from get_close_matches(text, allowed, n=3, cutoff=0.6) if len(text) <= 200 else ()


def _items(value: list[object], items: Schema) -> Iterator[object]:
    new = [each if is_taken(each, items) else next(iter(converted(each, items)), None) for each in value]
    if all(each is not None for each in new):
        yield new


def _fields(value: dict[str, object], schema: Schema) -> Iterator[object]:
    """Yield an object with its fields in another form; one that is wrong and not needed, or not known, is left out."""
    new = {}
    for name, each in value.items():
        inner = schema.fields.get(name, ANY)
        fit = is_taken(each, inner)
        found = each if fit else next(iter(converted(each, inner)), None)
        if found is None and name not in schema.required and "$" not in str(each):
            continue
        if found is None:
            return
        if name in schema.fields or not schema.is_closed:
            new[name] = found
    if schema.required <= new.keys() and new != value:
        yield new


# --- names ---------------------------------------------------------------------------------------

_LOOKED_UP = frozenset(("id", "ids", "uuid", "guid", "key", "token", "hash", "coordinates"))
_LOOKED_UP |= {"lat", "latitude", "lon", "lng", "long", "longitude"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_said(name: str) -> bool:
    """Return whether a user can say a value of this name; ids and coordinates other calls yield."""
    words = _WORD.findall(name)
    return not words or words[-1].casefold() not in _LOOKED_UP


def unlike(one: str, other: str) -> float:
    """Return from 0 to 1 how far two names differ; parts of the one that the other has count as alike."""
    one, other = one.casefold(), other.casefold()
    if one == other:
        return 0.0
    if len(one) + len(other) > 400:
        return 1.0
    rest = 1 - SequenceMatcher(None, one, other).ratio()
    return rest / 2 if one in other or other in one else rest


def words(name: str) -> set[str]:
    return {word.casefold().rstrip("s") for word in _WORD.findall(name)}


def is_misspelt(one: str, other: str) -> bool:
    """Return whether two labels are the same word, though not the same; other numbers are other words."""
    letters = ["".join(filter(str.isalpha, each.casefold())) for each in (one, other)]
    digits = ["".join(filter(str.isdigit, each)) for each in (one, other)]
    return digits[0] == digits[1] and unlike(*letters) <= 0.25
