"""Whether a value is what a JSON schema takes: by all that the schema says, numbers, patterns, choices and conditions.

A reference to a result stands for whatever that is, and what is not known here is left open: a pattern that cannot be
read, a keyword of which the reader knows nothing, a schema that leads too deep. (JSON Schema, draft 2020-12, and what
earlier drafts and OpenAPI say otherwise.)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from validator.errors import did_you_mean
from validator.flow.tools.schema import Schema, enumerated, is_of_types, referred, types_of
from validator.reading.regexes import search
from validator.reading.values import equal
from validator.records import dataclass

IsOpen: TypeAlias = Callable[[str], bool | None]
"""Whether a text stands for a value that is not known: True for all of it, None for a part, False for none."""

_DEEPEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """What a value breaks of a schema, ``where`` within it, in the words after "takes"; ``near`` suggests a name."""

    why: str
    where: str
    value: object
    near: str = ""
    is_type: bool = False


_Answer: TypeAlias = str | Breach | None
"""why a value is not taken; what one inside it breaks; None for what is not known"""


def is_taken(value: object, schema: Schema) -> bool:
    """Return whether nothing in a schema speaks against a value; a text with a ``$`` may stand for another one."""
    if not is_of_types(value, schema.types):
        return False
    return next(breaches(value, schema, lambda text: "$" in text), None) is None


def breaches(value: object, schema: Schema, is_open: IsOpen) -> Iterator[Breach]:
    """Yield what a value breaks of a schema."""
    for found in _Judge(schema.root, is_open).look(value, schema.raw, "", 0):
        if found is not None:
            yield found


def unread(value: object, schema: Schema, is_open: IsOpen) -> tuple[str, ...]:
    """Return what of a schema was not understood, where that decides whether it takes a value."""
    judge = _Judge(schema.root, is_open)
    holds = _truth(judge.look(value, schema.raw, "", 0))
    return tuple(dict.fromkeys(judge.unread)) if holds is None else ()


def _truth(found: Iterator[Breach | None]) -> bool | None:
    seen = list(found)
    return False if any(each is not None for each in seen) else None if seen else True


class _Judge:
    """Looks at a value by a schema: yields each breach, and None for what is not known."""

    def __init__(self, root: object, is_open: IsOpen) -> None:
        self.root = root
        self.is_open = is_open
        self.unread: list[str] = []

    def look(self, value: object, schema: object, where: str, depth: int) -> Iterator[Breach | None]:
        if schema is False:
            yield Breach(why="nothing", where=where, value=value)
            return
        if isinstance(schema, str):
            schema = {"type": schema}
        if not isinstance(schema, Mapping):
            return
        opened = self.is_open(value) if isinstance(value, str) else False
        if opened:
            yield None
            return
        types = types_of(schema)
        if not is_of_types(value, types):
            yield Breach(why=str(Schema(types=types)), where=where, value=value, is_type=True)
            return
        if (unknown := self._unknown(schema, depth)) is not None:
            self.unread.append(unknown)
            yield None
            return
        if isinstance(target := schema.get("$ref"), str):
            yield from self.look(value, referred(target, self.root), where, depth + 1)
        if opened is None:
            yield None
        else:
            yield from self._listed(value, schema, types, where)
        for found in self._parts(value, schema, where, depth, is_known=opened is not None):
            yield Breach(why=found, where=where, value=value) if isinstance(found, str) else found

    def _parts(
        self, value: object, schema: Mapping[str, Any], where: str, depth: int, *, is_known: bool
    ) -> Iterator[_Answer]:
        """Yield what is found of a value by its kind, and by the choices of a schema."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield from _of_number(value, schema)
        elif isinstance(value, str) and is_known:
            yield from self._text(value, schema)
        elif isinstance(value, list | tuple):
            yield from self._list(value, schema, where, depth)
        elif isinstance(value, Mapping):
            yield from self._object(value, schema, where, depth)
        yield from self._choices(value, schema, where, depth)

    def _unknown(self, schema: Mapping[str, Any], depth: int) -> str | None:
        """Return what of a schema, beside what is inside it, is not understood."""
        target = schema.get("$ref")
        if isinstance(target, str) and referred(target, self.root) is None:
            return f"$ref to {target}"
        if depth > _DEEPEST:
            return "schemas within each other without end"
        if isinstance(schema.get("items"), list):
            return "items as a list"
        return next((key for key in schema if key in _UNKNOWN), None)

    def _truth_of(self, value: object, schema: object, where: str, depth: int) -> bool | None:
        return _truth(self.look(value, schema, where, depth + 1))

    # --- values ----------------------------------------------------------------------------------

    def _listed(
        self, value: object, schema: Mapping[str, Any], types: frozenset[str], where: str
    ) -> Iterator[Breach | None]:
        values, of_items = enumerated(schema, types)
        several = value if of_items and isinstance(value, list | tuple) else (value,)
        for each in several if values else ():
            if isinstance(each, str) and self.is_open(each) is not False:
                yield None
            elif not any(equal(each, one) for one in values):
                why = f"{'items that are ' if of_items else ''}one of {', '.join(map(_shown, values))}"
                texts = (text for text in values if isinstance(text, str))
                near = did_you_mean(each, texts) if isinstance(each, str) else ""
                yield Breach(why=why, where=where, value=each, near=near)

    def _text(self, value: str, schema: Mapping[str, Any]) -> Iterator[_Answer]:
        yield from _of_size(len(value), schema, "Length", "letters")
        pattern = schema.get("pattern")
        holds = search(pattern, value) if isinstance(pattern, str) else True
        if holds is None:
            self.unread.append(f"the pattern {pattern}")
            yield None
        elif not holds:
            yield f"a text like {pattern}"

    def _list(self, value: Sequence[object], schema: Mapping[str, Any], where: str, depth: int) -> Iterator[_Answer]:
        yield from _of_size(len(value), schema, "Items", "items")
        if schema.get("uniqueItems") is True:
            if any(equal(one, other) for place, one in enumerate(value) for other in value[:place]):
                yield "items that differ"
            elif any(isinstance(each, str) and self.is_open(each) is not False for each in value):
                yield None
        heads = _list_at(schema, "prefixItems")
        for place, each in enumerate(value):
            inner = heads[place] if place < len(heads) else schema.get("items")
            if inner is not None:
                yield from self.look(each, inner, f"{where}[{place}]", depth + 1)
        if (contained := schema.get("contains")) is not None:
            truths = [self._truth_of(each, contained, where, depth) for each in value]
            least = schema.get("minContains", 1)
            most = schema.get("maxContains", len(truths))
            if truths.count(True) > most or len(truths) - truths.count(False) < least:
                yield "items of which some are as is declared"
            elif None in truths:
                yield None

    def _object(
        self, value: Mapping[str, object], schema: Mapping[str, Any], where: str, depth: int
    ) -> Iterator[_Answer]:
        yield from _of_size(len(value), schema, "Properties", "fields")
        needed = [name for name in _list_at(schema, "required") if isinstance(name, str)]
        for name, others in _table_at(schema, "dependentRequired").items():
            needed += others if name in value and isinstance(others, list) else ()
        yield from (f"an object with '{name}'" for name in needed if name not in value)
        for name, inner in _table_at(schema, "dependentSchemas").items():
            if name in value:
                yield from self.look(value, inner, where, depth + 1)
        fields, patterns = _table_at(schema, "properties"), _table_at(schema, "patternProperties")
        others = schema.get("additionalProperties")
        for name, each in value.items():
            place = f"{where}.{name}"
            if "propertyNames" in schema:
                yield from self.look(name, schema["propertyNames"], place, depth + 1)
            holds = {pattern: search(pattern, name) for pattern in patterns}
            if None in holds.values():
                self.unread += (f"the pattern {pattern}" for pattern in holds if holds[pattern] is None)
                yield None
                continue
            inner = [fields[name]] if name in fields else []
            inner += [patterns[pattern] for pattern in patterns if holds[pattern]]
            if not inner and others is not None:
                if others is False:
                    near = did_you_mean(name, fields)
                    yield Breach(why=f"an object without '{name}'", where=where, value=value, near=near)
                    continue
                inner = [others]
            for one in inner:
                yield from self.look(each, one, place, depth + 1)

    # --- choices and conditions ------------------------------------------------------------------

    def _choices(self, value: object, schema: Mapping[str, Any], where: str, depth: int) -> Iterator[_Answer]:
        for inner in _list_at(schema, "allOf"):
            yield from self.look(value, inner, where, depth + 1)
        for key, why in (("anyOf", "one of several forms"), ("oneOf", "exactly one of several forms")):
            options = _list_at(schema, key)
            truths = [self._truth_of(value, option, where, depth) for option in options]
            if not truths or (key == "anyOf" and True in truths):
                continue
            if (True not in truths and None not in truths) or (key == "oneOf" and truths.count(True) > 1):
                yield why
            elif None in truths:
                yield None
        if "not" in schema and (excluded := self._truth_of(value, schema["not"], where, depth)) is not False:
            yield None if excluded is None else "what is not excluded"
        if "if" in schema:
            meets = self._truth_of(value, schema["if"], where, depth)
            branch = schema.get("then" if meets else "else")
            if meets is None:
                yield None
            elif branch is not None:
                yield from self.look(value, branch, where, depth + 1)


_UNKNOWN = frozenset(
    ("$dynamicRef", "$recursiveRef", "unevaluatedProperties", "unevaluatedItems", "dependencies", "additionalItems")
)


def _list_at(schema: Mapping[str, Any], key: str) -> list[Any]:
    found = schema.get(key)
    return found if isinstance(found, list) else []


def _table_at(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = schema.get(key)
    return found if isinstance(found, Mapping) else {}


def _of_number(value: float, schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the limits of a number that it breaks; limits are excluded by a number of their own, or by a word."""
    number = Fraction(str(value)) if value == value and abs(value) != float("inf") else None
    if number is None:
        return
    limits = {key: _number(schema.get(key)) for key in _LIMITS}
    for key, other, is_above, word in _BOUNDS:
        least, strict = limits[key], limits[other]
        if least is not None and schema.get(other) is True:
            least, strict = None, least
        distance = -1 if is_above else 1
        if least is not None and (number - least) * distance > 0:
            yield f"a number of at {word} {schema[key]}"
        if strict is not None and (number - strict) * distance >= 0:
            yield f"a number {'above' if is_above else 'below'} {float(strict):g}"
    step = limits["multipleOf"]
    if step is not None and step > 0 and (number / step).denominator != 1:
        yield f"a multiple of {schema['multipleOf']}"


_BOUNDS = (("minimum", "exclusiveMinimum", True, "least"), ("maximum", "exclusiveMaximum", False, "most"))
_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def _number(value: object) -> Fraction | None:
    return Fraction(str(value)) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _of_size(size: int, schema: Mapping[str, Any], what: str, word: str) -> Iterator[str]:
    least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
    if isinstance(least, int | float) and size < least:
        yield f"at least {least} {word}"
    if isinstance(most, int | float) and size > most:
        yield f"at most {most} {word}"


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
