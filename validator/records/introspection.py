"""What few classes need of a dataclass: a compiled initialiser, its signature, and the library's own description."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MemberDescriptorType
from typing import Any

from validator.records.fields import FIELDS, MISSING, Field, Fields

__all__ = ["as_library", "compiled", "compiled_replace", "signature"]


_WORTH_A_TWIN = 3
"""fields of a frozen class with slots from which on it pays to set them in a class that is not frozen"""


def compiled(cls: Any) -> Callable[..., None]:
    """Return ``def __init__(self, *, a, b=default): ...``."""
    fields: Fields = getattr(cls, FIELDS)
    known: dict[str, Any] = {"_missing": MISSING}
    parameters: tuple[list[str], list[str]] = ([], [])
    values = {}
    for name, one in fields.items():
        known |= {f"_default_{name}": one.default, f"_make_{name}": one.default_factory}
        if one.init:
            parameters[one.kw_only].append(f"{name}={_default(name, one)}" if one.is_optional else name)
        if one.init or one.is_optional:
            values[name] = _value(name, one)
    lines = _assignments(cls, values, known)
    twin = _twin(cls) if len(values) >= _WORTH_A_TWIN else None
    if twin is not None:
        known |= {"_cls": cls, "_twin": twin, "_become": vars(object)["__class__"].__set__}
        slow = [f" {line}" for line in lines]
        fast = [f" self.{name} = {value}" for name, value in values.items()]
        lines = ["if self.__class__ is _cls:", " _become(self, _twin)", *fast, " self.__class__ = _cls", "else:", *slow]
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
    known: dict[str, Any] = {"_missing": MISSING, "_empty": object.__new__, "_cls": cls, "_twin": _twin(cls)}
    values = {name: f"self.{name} if {name} is _missing else {name}" for name in fields}
    if known["_twin"] is None:
        lines = ["_made = _empty(_cls)", *_assignments(cls, values, known, to="_made")]
    else:
        fast = (f"_made.{name} = {value}" for name, value in values.items())
        lines = ["_made = _empty(_twin)", *fast, "_made.__class__ = _cls"]
    names = ", ".join(f"{name}=_missing" for name in fields)
    exec("\n ".join([f"def replace(self, *, {names}):", *lines, "return _made"]), known)
    known["replace"].__qualname__ = f"{cls.__qualname__}.__init__"  # as errors call it
    return known["replace"]  # type: ignore[no-any-return]


def _twin(cls: Any) -> type | None:
    """Return a class with the same slots that is not frozen, as which a value is filled; None where it needs none.

    To set an attribute is a tenth of what it takes to call what sets a slot behind the class's back.
    """
    if "__slots__" not in vars(cls) or cls.__setattr__ is object.__setattr__ or cls.__bases__ != (object,):
        return None
    return type(cls.__name__, (), {"__slots__": vars(cls)["__slots__"]})


def _default(name: str, one: Field) -> str:
    return f"_default_{name}" if one.default is not MISSING else "_missing"


def _value(name: str, one: Field) -> str:
    if one.default_factory is MISSING:
        return name if one.init else f"_default_{name}"
    return f"_make_{name}() if {name} is _missing else {name}" if one.init else f"_make_{name}()"


def _assignments(cls: Any, values: Mapping[str, str], known: dict[str, Any], *, to: str = "self") -> list[str]:
    """Return the lines that set fields: plainly, in a frozen class by its slots or in what holds its attributes."""
    if cls.__setattr__ is object.__setattr__:
        return [f"{to}.{name} = {value}" for name, value in values.items()]
    slots = {name: _slot(cls, name) for name in values}
    known |= {f"_set_{name}": slot.__set__ for name, slot in slots.items() if slot is not None}
    lines = [] if all(slots.values()) else [f"_held = {to}.__dict__"]
    for name, value in values.items():
        lines.append(f"_held[{name!r}] = {value}" if slots[name] is None else f"_set_{name}({to}, {value})")
    return lines


def _slot(cls: type, name: str) -> MemberDescriptorType | None:
    """Return the slot of a field, which a class or one that it inherits from has."""
    found = next((vars(kind)[name] for kind in cls.__mro__ if name in vars(kind)), None)
    return found if isinstance(found, MemberDescriptorType) else None


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
        shown: dict[str, Any] = {
            name: getattr(one, name) for name in ("init", "repr", "compare", "kw_only", "metadata")
        }
        return dataclasses.field(**given, **shown)

    fields: Fields = getattr(cls, FIELDS)
    spelled = [(name, one.annotation, written(one)) for name, one in fields.items()]
    return dataclasses.make_dataclass(cls.__name__, spelled, frozen=frozen)
