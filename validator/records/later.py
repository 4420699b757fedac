"""What few classes need of a dataclass: a compiled initialiser, its signature, and the library's own description."""

from __future__ import annotations

from collections.abc import Callable
from types import MemberDescriptorType
from typing import Any

from validator.records.fields import FIELDS, MISSING, Field, Fields, set_field

__all__ = ["as_library", "compiled", "compiled_replace", "signature"]


def compiled(cls: Any) -> Callable[..., None]:
    """Return ``def __init__(self, *, a, b=default): ...``."""
    fields: Fields = getattr(cls, FIELDS)
    known: dict[str, Any] = {"_missing": MISSING, "_set": set_field}
    parameters: tuple[list[str], list[str]] = ([], [])
    lines = []
    for name, one in fields.items():
        known |= {f"_default_{name}": one.default, f"_make_{name}": one.default_factory}
        if one.init:
            parameters[one.kw_only].append(f"{name}={_default(name, one)}" if one.is_optional else name)
        if one.init or one.is_optional:
            lines.append(_assignment(cls, name, _value(name, one), known))
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    named = ["*", *parameters[1]] if parameters[1] else []
    head = f"def __init__({', '.join(['self', *parameters[0], *named])}):"
    exec("\n ".join([head, *lines, "pass"]), known)
    init: Any = known["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = {name: one.annotation for name, one in fields.items() if one.init} | {"return": None}
    return init  # type: ignore[no-any-return]


def compiled_replace(cls: Any) -> Callable[..., Any]:
    """Return ``def replace(self, *, a=_missing): ...``, which copies every field without the initialiser."""
    fields: Fields = getattr(cls, FIELDS)
    known: dict[str, Any] = {"_missing": MISSING, "_set": set_field, "_empty": object.__new__, "_cls": cls}
    lines = ["_made = _empty(_cls)"]
    for name in fields:
        value = f"self.{name} if {name} is _missing else {name}"
        lines.append(_assignment(cls, name, value, known, to="_made"))
    names = ", ".join(f"{name}=_missing" for name in fields)
    exec("\n ".join([f"def replace(self, *, {names}):", *lines, "return _made"]), known)
    known["replace"].__qualname__ = f"{cls.__qualname__}.__init__"  # as errors call it
    return known["replace"]  # type: ignore[no-any-return]


def _default(name: str, one: Field) -> str:
    return f"_default_{name}" if one.default is not MISSING else "_missing"


def _value(name: str, one: Field) -> str:
    if one.default_factory is MISSING:
        return name if one.init else f"_default_{name}"
    return f"_make_{name}() if {name} is _missing else {name}" if one.init else f"_make_{name}()"


def _assignment(cls: type, name: str, value: str, known: dict[str, Any], *, to: str = "self") -> str:
    """Return the line that sets a field; that of a slot is set by the slot, in half of the time."""
    slot = next((vars(kind)[name] for kind in cls.__mro__ if name in vars(kind)), None)
    if not isinstance(slot, MemberDescriptorType):
        return f"_set({to}, {name!r}, {value})"
    known[f"_set_{name}"] = slot.__set__
    return f"_set_{name}({to}, {value})"


def signature(cls: Any) -> Any:
    """Return the signature of the class as ``inspect`` wants it."""
    import inspect

    found = inspect.signature(compiled(cls))
    return found.replace(parameters=list(found.parameters.values())[1:])


def as_library(cls: Any, *, frozen: bool) -> Any:
    """Return the dataclass of the standard library that has these fields."""
    import dataclasses

    def written(one: Field) -> Any:
        default = {"default": one.default, "default_factory": one.default_factory}
        given: dict[str, Any] = {name: value for name, value in default.items() if value is not MISSING}
        return dataclasses.field(**given, init=one.init, repr=one.repr, compare=one.compare, kw_only=one.kw_only)

    fields: Fields = getattr(cls, FIELDS)
    spelled = [(name, one.annotation, written(one)) for name, one in fields.items()]
    return dataclasses.make_dataclass(cls.__name__, spelled, frozen=frozen)
