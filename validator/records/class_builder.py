"""From a class as it is written to a dataclass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from validator.records.fields import FIELDS, MISSING, Field, Fields, set_field

__all__ = ["dataclass", "replace"]

_SINGLE_CALLS = 8
"""calls of an initialiser before its compilation is worth it"""


def dataclass(
    cls: type | None = None,
    *,
    frozen: bool = False,
    slots: bool = False,
    kw_only: bool = False,
    eq: bool = True,
    repr: bool = True,
) -> Any:
    """Make a class a dataclass, or return what makes one: as ``dataclasses.dataclass``."""

    def made(cls: type) -> type:
        return _made(cls, frozen=frozen, slots=slots, kw_only=kw_only, eq=eq, repr=repr)

    return made if cls is None else made(cls)


_replacers: dict[type, Callable[..., Any] | int] = {}
"""What copies the values of a class, or how many calls there were before it is compiled."""


def replace(value: Any, /, **changes: Any) -> Any:
    """Return a value with other fields: as ``dataclasses.replace``, of any dataclass."""
    found = _replacers.get(value.__class__, 0)
    return _replaced(value, found, changes) if isinstance(found, int) else found(value, **changes)


def _replaced(value: Any, calls: int, changes: dict[str, Any]) -> Any:
    kind = value.__class__
    fields: Fields | None = getattr(kind, FIELDS, None)
    if fields is None:
        import dataclasses

        return dataclasses.replace(value, **changes)
    _replacers[kind] = calls + 1
    if calls == _SINGLE_CALLS and _is_copied(kind, fields):
        from validator.records.introspection import compiled_replace

        _replacers[kind] = compiled_replace(kind)
    for name, one in fields.items():
        if one.init and name not in changes:
            changes[name] = getattr(value, name)
        elif not one.init and name in changes:
            raise ValueError(f"field {name} is declared with init=False, it cannot be specified with replace()")
    return kind(**changes)


def _is_copied(kind: type, fields: Fields) -> bool:
    """Return whether a value is its fields as they are given, and nothing that an initialiser makes of them."""
    return FIELDS in vars(kind) and not hasattr(kind, "__post_init__") and all(one.init for one in fields.values())


def _made(cls: Any, *, frozen: bool, slots: bool, kw_only: bool, eq: bool, repr: bool) -> type:
    inherited: dict[str, Field] = {}
    for base in cls.__mro__[-2:0:-1]:
        if "__dataclass_fields__" in vars(base) and FIELDS not in vars(base):
            raise TypeError(f"{cls.__name__} cannot inherit from {base.__name__}, a dataclass of the standard library")
        inherited |= vars(base).get(FIELDS, {})
    own = _own_fields(cls, kw_only)
    methods = _methods(vars(cls), {**inherited, **own}, frozen=frozen, slots=slots, eq=eq)
    if not repr:
        methods.pop("__repr__", None)
    if slots:
        return _slotted(cls, own, tuple(name for name in own if name not in inherited), methods)
    for name, method in methods.items():
        setattr(cls, name, method)
    return cls  # type: ignore[no-any-return]


def _own_fields(cls: Any, kw_only: bool) -> dict[str, Field]:
    found = {}
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        if str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            continue
        default = vars(cls).get(name, MISSING)
        one = default if isinstance(default, Field) else Field(default=default)
        one.annotation, one.kw_only = annotation, kw_only
        if one is default and one.default is MISSING:
            delattr(cls, name)
        elif one is default:
            setattr(cls, name, one.default)
        found[name] = one
    return found


def _slotted(cls: type, own: Fields, slots: tuple[str, ...], methods: Mapping[str, object]) -> type:
    """Return the class once more with slots, which a class that is there cannot get."""
    kept = {name: value for name, value in vars(cls).items() if name not in own}
    kept.pop("__dict__", None)
    kept.pop("__weakref__", None)
    made: type = type(cls)(cls.__name__, cls.__bases__, {**kept, **methods, "__slots__": slots})
    made.__qualname__ = cls.__qualname__
    return made


# --- methods -------------------------------------------------------------------------------------


def _methods(written: Mapping[str, Any], fields: Fields, *, frozen: bool, slots: bool, eq: bool) -> dict[str, object]:
    """Return the methods of a class with these fields; of what is ``written`` in it only the initialiser is lost."""
    found: dict[str, object] = {"__repr__": _repr(fields), **(_LATER if not frozen else _LATER_FROZEN)}
    found["__match_args__"] = tuple(name for name, one in fields.items() if one.init and not one.kw_only)
    if frozen:
        found["__setattr__"] = found["__delattr__"] = _refused(fields)
    if frozen and slots:
        found["__getstate__"], found["__setstate__"] = _state, _set_state
    if eq:
        found["__eq__"], make_hash = _equality(fields)
        if written.get("__hash__") is None and ("__eq__" in written or "__hash__" not in written):
            found["__hash__"] = make_hash if frozen else None
    found = {name: method for name, method in found.items() if name not in written or name == "__hash__"}
    return {**found, FIELDS: fields, "__init__": _first_init(fields)}


def _repr(fields: Fields) -> Callable[[Any], str]:
    shown = tuple(name for name, one in fields.items() if one.repr)

    def as_text(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    return as_text


def _first_init(fields: Fields) -> Callable[..., None]:
    """Return an initialiser that sets the fields one by one, until calls are so many that they get a compiled one."""
    left = _SINGLE_CALLS

    def init(self: Any, *values: Any, **given: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0 or values or not _fits(given, fields):
            from validator.records.introspection import compiled

            home: Any = next(kind for kind in type(self).__mro__ if vars(kind).get("__init__") is init)
            home.__init__ = compiled(home)
            home.__init__(self, *values, **given)
            return
        for name, one in fields.items():
            if name in given or one.is_optional:
                set_field(self, name, given[name] if name in given else one.value())
        if hasattr(self, "__post_init__"):
            self.__post_init__()

    return init


def _fits(given: Mapping[str, object], fields: Fields) -> bool:
    """Return whether an initialiser takes these arguments; the compiled one says what is wrong with others."""
    needed = (name for name, one in fields.items() if one.init and not one.is_optional)
    return all(name in given for name in needed) and all(name in fields and fields[name].init for name in given)


class _Later:
    """An attribute of a class that is made when it is first asked for."""

    __slots__ = ("frozen", "name")

    def __init__(self, name: str, frozen: bool) -> None:
        self.name, self.frozen = name, frozen

    def __get__(self, value: object, owner: type) -> Any:
        from validator.records.introspection import as_library, signature

        home = next(kind for kind in owner.__mro__ if vars(kind).get(self.name) is self)
        is_signature = self.name == "__signature__"
        made = signature(home) if is_signature else getattr(as_library(home, frozen=self.frozen), self.name)
        setattr(home, self.name, made)
        return made


_NAMES = ("__signature__", "__dataclass_fields__", "__dataclass_params__")
_LATER = {"__replace__": replace, **{name: _Later(name, False) for name in _NAMES}}
_LATER_FROZEN = {"__replace__": replace, **{name: _Later(name, True) for name in _NAMES}}


def _refused(fields: Fields) -> Callable[..., None]:
    def refuse(self: object, name: str, *value: object) -> None:
        if name in fields or vars(type(self)).get(FIELDS) is fields:
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
        (object.__setattr__ if value else object.__delattr__)(self, name, *value)

    return refuse


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in getattr(self, FIELDS)]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(getattr(self, FIELDS), state, strict=True):
        set_field(self, name, value)


def _equality(fields: Fields) -> tuple[Callable[[object, object], Any], Callable[[object], int]]:
    """Return what compares two values by the fields that take part, and what hashes one by them."""
    names = [name for name, one in fields.items() if one.compare]
    key: Callable[[object], Any] = attrgetter(*names) if names else type

    def equal(self: object, other: object) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return equal, lambda self: hash(key(self))
