"""The fields of a form, made of the question that it asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import EnumType
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from validator.questions.question import Face, Option, options_of
from validator.records.fields import MISSING

__all__ = ["Control", "controls", "read_form"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A field as a form shows it: ``kind`` is flag, choice, number, line or area."""

    name: str
    label: str
    words: str
    kind: str
    choices: tuple[str, ...]
    default: Any
    is_needed: bool


@cache
def controls(kind: Any) -> Mapping[str, Control]:
    """Return the fields of a question that a page shows, by their names."""
    hints = get_type_hints(kind)
    return {name: _control(name, one, _parts(hints[name])) for name, one in options_of(kind, Face.PAGE)}


def _parts(hint: Any) -> tuple[Any, ...]:
    is_union = isinstance(hint, UnionType) or get_origin(hint) is Union
    return tuple(part for part in (get_args(hint) if is_union else (hint,)) if part is not NoneType)


def _control(name: str, one: Option, parts: tuple[Any, ...]) -> Control:
    listed: Iterable[Any] = next((part for part in parts if isinstance(part, EnumType)), ())
    choices = tuple(member.value for member in listed)
    if bool in parts:
        kind = "flag"
    elif choices:
        kind = "choice"
    elif float in parts or int in parts:
        kind = "line" if str in parts else "number"
    else:
        kind = "area"
    label = name.replace("_", " ").capitalize()
    is_needed = one.default is MISSING
    default = None if is_needed else one.default
    return Control(
        name=name, label=label, words=one.told, kind=kind, choices=choices, default=default, is_needed=is_needed
    )


def read_form(kind: Any, given: Mapping[str, str]) -> dict[str, Any]:
    """Return a question's fields from the texts of a form; what is empty has its default. Raises ValueError."""
    found: dict[str, Any] = {}
    for name, one in controls(kind).items():
        text = given.get(name, "")
        if one.kind == "flag":
            found[name] = text != "no" if one.default else text == "yes"
        elif text.strip() or one.is_needed:
            found[name] = _value(one, text)
    return found


def _value(one: Control, text: str) -> Any:
    if one.kind == "number":
        return type(one.default)(text)
    return text if one.kind == "area" else text.strip()
