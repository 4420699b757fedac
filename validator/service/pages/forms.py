"""The fields of a form, made of the question that it asks, and the question that a form's texts ask."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import EnumType, StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from validator.questions.question import Face, Option, options_of
from validator.records import MISSING, dataclass

_RULE = re.compile(r"^---+[ \t]*$", re.MULTILINE)
"""what stands between two plans of a field"""


class Kind(StrEnum):
    """What a field of a form looks like, and how its text is read."""

    FLAG = "flag"
    CHOICE = "choice"
    NUMBER = "number"
    LINE = "line"
    AREA = "area"
    TEXTS = "texts"
    """an area; a line of --- stands between two items"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A field as a form shows it; ``default`` is what stands in it at first."""

    name: str
    label: str
    words: str
    kind: Kind
    choices: tuple[str, ...]
    default: Any
    is_needed: bool


@cache
def controls(kind: Any) -> Mapping[str, Control]:
    """Return the fields of a question that a page shows, by their names."""
    hints = _hints(kind)
    return {name: _control(name, one, _parts(hints[name])) for name, one in options_of(kind, Face.PAGE)}


_hints = cache(get_type_hints)


def _parts(hint: Any) -> tuple[Any, ...]:
    is_union = isinstance(hint, UnionType) or get_origin(hint) is Union
    return tuple(part for part in (get_args(hint) if is_union else (hint,)) if part is not NoneType)


def _control(name: str, one: Option, parts: tuple[Any, ...]) -> Control:
    listed: Iterable[Any] = next((part for part in parts if isinstance(part, EnumType)), ())
    choices = tuple(member.value for member in listed)
    is_needed = one.default is MISSING
    return Control(
        name=name,
        label=name.replace("_", " ").capitalize().replace("pddl", "PDDL"),
        words=one.told,
        kind=Kind.CHOICE if choices else _kind(parts),
        choices=choices,
        default=None if is_needed else one.default,
        is_needed=is_needed,
    )


def _kind(parts: tuple[Any, ...]) -> Kind:
    if bool in parts:
        return Kind.FLAG
    if float in parts or int in parts:
        return Kind.LINE if str in parts else Kind.NUMBER
    items = (item for part in parts if get_origin(part) is tuple for item in _parts(get_args(part)[0]))
    return Kind.TEXTS if any(get_origin(item) is tuple for item in items) else Kind.AREA


def read_form(kind: Any, given: Mapping[str, str]) -> dict[str, Any]:
    """Return a question's fields as JSON has them, from the texts of a form; what is empty has its default.

    Raises ValueError.
    """
    found: dict[str, Any] = {}
    for name, one in controls(kind).items():
        text = given.get(name, "")
        if one.kind is Kind.FLAG:
            found[name] = text != "no" if one.default else text == "yes"
        elif text.strip() or one.is_needed:
            found[name] = _value(one, text)
    return found


def _value(one: Control, text: str) -> Any:
    match one.kind:
        case Kind.NUMBER:
            return type(one.default)(text)
        case Kind.AREA:
            return text
        case Kind.TEXTS:
            return [part for part in _RULE.split(text) if part.strip()]
    return text.strip()


def question_of(kind: Any, body: Mapping[str, Any]) -> Any:
    """Return the question of what ``read_form`` returns, where no service checks the bounds of its numbers."""
    hints = _hints(kind)
    return kind(**{name: _made(_parts(hints[name]), value) for name, value in body.items()})


def _made(parts: tuple[Any, ...], value: Any) -> Any:
    listed = next((part for part in parts if isinstance(part, EnumType)), None)
    if listed is not None:
        return listed(value)
    return tuple(value) if isinstance(value, list) else value
