"""From a class as it is written to a dataclass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from validator.records.fields import FIELDS, MISSING, Field, Fields, set_field

__all__ = ["dataclass", "replace"]

_SINGLE_CALLS = 8
"""calls of an initialiser before its compilation is worth it"""


def dataclass(
    cls: type | None = None, *, frozen: bool = False, slots: bool = False, kw_only: bool = False, eq: bool = True
) -> Any:
    """Make a class a dataclass, or return what makes one: as ``dataclasses.dataclass``."""

    def made(cls: type) -> type:
        return _made(cls, frozen=frozen, slots=slots, kw_only=kw_only, eq=eq)

    return made if cls is None else made(cls)


def replace(value: Any, /, **changes: Any) -> Any:
    """Return a value with other fields: as ``dataclasses.replace``, of any dataclass."""
    fields: Fields | None = getattr(value, FIELDS, None)
    if fields is None:
        import dataclasses

        return dataclasses.replace(value, **changes)
    for name, one in fields.items():
        if one.init and name not in changes:
            changes[name] = getattr(value, name)
        elif not one.init and name in changes:
            raise ValueError(f"field {name} is declared with init=False, it cannot be specified with replace()")
    return value.__class__(**changes)


def _made(cls: type, *, frozen: bool, slots: bool, kw_only: bool, eq: bool) -> type:
    inherited: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited |= vars(base).get(FIELDS, {})
    own = dict(_own_fields(cls, kw_only))
    if slots:
        cls = _slotted(cls, own, tuple(name for name in own if name not in inherited))
    fields = inherited | own
    written = frozenset(vars(cls))
    for name, method in _methods(cls, fields, frozen=frozen, slots=slots).items():
        if name == "__init__" or name not in written:
            setattr(cls, name, method)
    if eq:
        _add_equality(cls, fields, frozen=frozen)
    return cls


def _own_fields(cls: type, kw_only: bool) -> Iterator[tuple[str, Field]]:
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        if str(annotation).removeprefix("typing.").startswith("ClassVar"):
            continue
        default = vars(cls).get(name, MISSING)
        one = default if isinstance(default, Field) else Field(default=default)
        one.annotation, one.kw_only = annotation, kw_only
        if one.default is not MISSING:
            setattr(cls, name, one.default)
        elif one is default:
            delattr(cls, name)
        yield name, one


def _slotted(cls: type, own: Fields, slots: tuple[str, ...]) -> type:
    """Return the class once more with slots, which a class that is there cannot get."""
    kept = {name: value for name, value in vars(cls).items() if name not in (*own, "__dict__", "__weakref__")}
    made: type = type(cls)(cls.__name__, cls.__bases__, {**kept, "__slots__": slots})
    made.__qualname__ = cls.__qualname__
    return made


# --- methods -------------------------------------------------------------------------------------


def _methods(cls: type, fields: Fields, *, frozen: bool, slots: bool) -> dict[str, object]:
    shown = tuple(name for name, one in fields.items() if one.repr)

    def as_text(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    found: dict[str, object] = {
        FIELDS: fields,
        "__init__": _first_init(cls, fields),
        "__repr__": as_text,
        "__replace__": replace,
        "__match_args__": tuple(name for name, one in fields.items() if one.init and not one.kw_only),
    }
    found |= {name: _Later(name, frozen) for name in ("__signature__", "__dataclass_fields__", "__dataclass_params__")}
    if frozen:
        found |= {"__setattr__": _refused(cls, fields), "__delattr__": _refused(cls, fields)}
    if frozen and slots:
        found |= {"__getstate__": _state, "__setstate__": _set_state}
    return found


def _first_init(cls: Any, fields: Fields) -> Callable[..., None]:
    """Return an initialiser that sets the fields one by one, until calls are so many that they get a compiled one."""
    left = _SINGLE_CALLS
    ends = getattr(cls, "__post_init__", None)

    def init(self: object, *values: Any, **given: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0 or values or not _fits(given, fields):
            from validator.records.later import compiled

            cls.__init__ = compiled(cls)
            cls.__init__(self, *values, **given)
            return
        for name, one in fields.items():
            if name in given or one.is_optional:
                set_field(self, name, given[name] if name in given else one.value())
        if ends is not None:
            ends(self)

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
        from validator.records.later import as_library, signature

        home = next(kind for kind in owner.__mro__ if vars(kind).get(self.name) is self)
        is_signature = self.name == "__signature__"
        made = signature(home) if is_signature else getattr(as_library(home, frozen=self.frozen), self.name)
        setattr(home, self.name, made)
        return made


def _refused(cls: type, fields: Fields) -> Callable[..., None]:
    def refuse(self: object, name: str, *value: object) -> None:
        if type(self) is cls or name in fields:
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
        method = "__setattr__" if value else "__delattr__"
        getattr(super(cls, self), method)(name, *value)

    return refuse


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in getattr(self, FIELDS)]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(getattr(self, FIELDS), state, strict=True):
        set_field(self, name, value)


def _add_equality(cls: Any, fields: Fields, *, frozen: bool) -> None:
    """Let the fields that take part decide what is equal, and its hash, where the class does not say it itself."""
    names = [name for name, one in fields.items() if one.compare]
    key: Callable[[object], Any] = attrgetter(*names) if names else type

    def equal(self: object, other: object) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    is_own = "__eq__" in vars(cls)
    if not is_own:
        cls.__eq__ = equal
    if vars(cls).get("__hash__") is None and (is_own or "__hash__" not in vars(cls)):
        cls.__hash__ = (lambda self: hash(key(self))) if frozen else None
