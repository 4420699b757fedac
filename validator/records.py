"""Dataclasses that cost little to define: the standard library's, whose methods are made when they are first needed.

The library compiles six functions for each class while its module is imported, and imports ``inspect`` for that: with a
hundred classes this was half of a small check in a fresh process. What is here takes the same arguments (all but
``order`` and what nobody uses), and its classes are dataclasses to ``dataclasses.fields``, ``replace`` and the others.
To a type checker it is the library's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from functools import cached_property

__all__ = ["FIELDS", "MISSING", "Field", "cached_property", "dataclass", "field", "replace"]

MISSING: Any = object()
FIELDS = "__record_fields__"
"""the attribute of a class that holds its fields by name"""

_set_field: Callable[[object, str, object], None] = object.__setattr__


class Field:
    """How a field is written: its default, what makes one, and what it takes part in."""

    __slots__ = ("annotation", "compare", "default", "default_factory", "init", "kw_only", "repr")

    def __init__(
        self,
        *,
        default: Any = MISSING,
        default_factory: Any = MISSING,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
    ) -> None:
        self.default, self.default_factory = default, default_factory
        self.init, self.repr, self.compare = init, repr, compare
        self.annotation: Any = ""
        self.kw_only = False

    @property
    def metadata(self) -> Mapping[str, Any] | None:
        """Return what others may read of the field; the library's own dataclasses have it too."""
        return None

    @property
    def is_optional(self) -> bool:
        return self.default is not MISSING or self.default_factory is not MISSING

    def value(self) -> Any:
        return self.default if self.default is not MISSING else self.default_factory()


_Fields = Mapping[str, Field]


class _CachedProperty:
    """An attribute that is computed when it is first read, without a lock, as the library's from Python 3.12 on."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, value: object, owner: type) -> Any:
        if value is None:
            return self
        found = value.__dict__[self._name] = self._compute(value)
        return found


_SINGLE_CALLS = 8
"""calls of an initialiser before its compilation is worth it"""


def _dataclass(
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


def _replace(value: Any, /, **changes: Any) -> Any:
    """Return a value with other fields: as ``dataclasses.replace``, of any dataclass."""
    found = _replacers.get(value.__class__, 0)
    return _replaced(value, found, changes) if isinstance(found, int) else found(value, **changes)


def _replaced(value: Any, calls: int, changes: dict[str, Any]) -> Any:
    kind = value.__class__
    fields: _Fields | None = getattr(kind, FIELDS, None)
    if fields is None:
        import dataclasses

        return dataclasses.replace(value, **changes)
    _replacers[kind] = calls + 1
    if calls == _SINGLE_CALLS and _is_copied(kind, fields):
        _replacers[kind] = _compiled_replace(kind)
    for name, one in fields.items():
        if one.init and name not in changes:
            changes[name] = getattr(value, name)
        elif not one.init and name in changes:
            raise ValueError(f"field {name} is declared with init=False, it cannot be specified with replace()")
    return kind(**changes)


def _is_copied(kind: type, fields: _Fields) -> bool:
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


def _slotted(cls: type, own: _Fields, slots: tuple[str, ...], methods: Mapping[str, object]) -> type:
    """Return the class once more with slots, which a class that is there cannot get."""
    kept = {name: value for name, value in vars(cls).items() if name not in own}
    kept.pop("__dict__", None)
    kept.pop("__weakref__", None)
    made: type = type(cls)(cls.__name__, cls.__bases__, {**kept, **methods, "__slots__": slots})
    made.__qualname__ = cls.__qualname__
    return made


# --- methods -------------------------------------------------------------------------------------


def _methods(written: Mapping[str, Any], fields: _Fields, *, frozen: bool, slots: bool, eq: bool) -> dict[str, object]:
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


def _repr(fields: _Fields) -> Callable[[Any], str]:
    shown = tuple(name for name, one in fields.items() if one.repr)

    def as_text(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    return as_text


def _first_init(fields: _Fields) -> Callable[..., None]:
    """Return an initialiser that sets the fields one by one, until calls are so many that they get a compiled one."""
    left = _SINGLE_CALLS

    def init(self: Any, *values: Any, **given: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0 or values or not _fits(given, fields):
            home: Any = next(kind for kind in type(self).__mro__ if vars(kind).get("__init__") is init)
            home.__init__ = _compiled(home)
            home.__init__(self, *values, **given)
            return
        for name, one in fields.items():
            if name in given or one.is_optional:
                _set_field(self, name, given[name] if name in given else one.value())
        if hasattr(self, "__post_init__"):
            self.__post_init__()

    return init


def _fits(given: Mapping[str, object], fields: _Fields) -> bool:
    """Return whether an initialiser takes these arguments; the compiled one says what is wrong with others."""
    needed = (name for name, one in fields.items() if one.init and not one.is_optional)
    return all(name in given for name in needed) and all(name in fields and fields[name].init for name in given)


class _Later:
    """An attribute of a class that is made when it is first asked for."""

    __slots__ = ("frozen", "name")

    def __init__(self, name: str, frozen: bool) -> None:
        self.name, self.frozen = name, frozen

    def __get__(self, value: object, owner: type) -> Any:
        home = next(kind for kind in owner.__mro__ if vars(kind).get(self.name) is self)
        is_signature = self.name == "__signature__"
        made = _signature(home) if is_signature else getattr(_as_library(home, frozen=self.frozen), self.name)
        setattr(home, self.name, made)
        return made


_NAMES = ("__signature__", "__dataclass_fields__", "__dataclass_params__")
_LATER = {"__replace__": _replace, **{name: _Later(name, False) for name in _NAMES}}
_LATER_FROZEN = {"__replace__": _replace, **{name: _Later(name, True) for name in _NAMES}}


def _refused(fields: _Fields) -> Callable[..., None]:
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
        _set_field(self, name, value)


def _equality(fields: _Fields) -> tuple[Callable[[object, object], Any], Callable[[object], int]]:
    """Return what compares two values by the fields that take part, and what hashes one by them."""
    names = [name for name, one in fields.items() if one.compare]
    key: Callable[[object], Any] = attrgetter(*names) if names else type

    def equal(self: object, other: object) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return equal, lambda self: hash(key(self))


# --- what few classes need -------------------------------------------------------------------------


def _compiled(cls: Any) -> Callable[..., None]:
    """Return ``def __init__(self, *, a, b=default): ...``."""
    fields: _Fields = getattr(cls, FIELDS)
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
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    named = ["*", *parameters[1]] if parameters[1] else []
    head = f"def __init__({', '.join(['self', *parameters[0], *named])}):"
    exec("\n ".join([head, *lines, "pass"]), known)
    init: Any = known["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = {name: one.annotation for name, one in fields.items() if one.init} | {"return": None}
    return init  # type: ignore[no-any-return]


def _compiled_replace(cls: Any) -> Callable[..., Any]:
    """Return ``def replace(self, *, a=_missing): ...``, which copies every field without the initialiser."""
    fields: _Fields = getattr(cls, FIELDS)
    known: dict[str, Any] = {"_missing": MISSING, "_empty": object.__new__, "_cls": cls}
    values = {name: f"self.{name} if {name} is _missing else {name}" for name in fields}
    lines = ["_made = _empty(_cls)", *_assignments(cls, values, known, to="_made")]
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


def _signature(cls: Any) -> Any:
    """Return the signature of the class as ``inspect`` wants it."""
    import inspect

    found = inspect.signature(_compiled(cls))
    return found.replace(parameters=list(found.parameters.values())[1:])


def _as_library(cls: Any, *, frozen: bool) -> Any:
    """Return the dataclass of the standard library that has these fields."""
    import dataclasses

    def written(one: Field) -> Any:
        default = {"default": one.default, "default_factory": one.default_factory}
        given: dict[str, Any] = {name: value for name, value in default.items() if value is not MISSING}
        shown: dict[str, Any] = {
            name: getattr(one, name) for name in ("init", "repr", "compare", "kw_only", "metadata")
        }
        return dataclasses.field(**given, **shown)

    fields: _Fields = getattr(cls, FIELDS)
    spelled = [(name, one.annotation, written(one)) for name, one in fields.items()]
    return dataclasses.make_dataclass(cls.__name__, spelled, frozen=frozen)


if not TYPE_CHECKING:
    cached_property, dataclass, field, replace = _CachedProperty, _dataclass, Field, _replace
