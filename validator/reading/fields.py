"""Reading JSON values with errors that say where: ``operators[2].inputs[0].item_id: a text was expected, not 5``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from reprlib import Repr
from typing import Any, TypeVar

from validator.errors import ModelError, Names

_Choice = TypeVar("_Choice", bound=StrEnum)


class Fields:
    """An object of a JSON document, read key by key; ``end`` refuses the keys that nobody asked for."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, Mapping):
            raise ModelError(f"{where or 'the document'}: an object was expected, not {_shown(value)}")
        self._value: Mapping[str, Any] = value
        self.where = where
        self._asked: set[str] = set()

    def path(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def __contains__(self, key: str) -> bool:
        return self._value.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._value)

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield all keys as texts with their values, where any key may stand."""
        self._asked.update(self._value)
        yield from ((str(key), value) for key, value in self._value.items())

    def equals(self, other: Fields) -> bool:
        """Return whether two objects hold the same."""
        return self._value == other._value

    def raw(self, key: str) -> Any:
        self._asked.add(key)
        return self._value.get(key)

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; without a default the key is needed, and the text is not empty."""
        value = self.raw(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise ModelError(f"{self.path(key)}: a name was expected, not {_shown(value)}")
        return value

    def optional_text(self, key: str) -> str | None:
        return self.text(key) if key in self else self.raw(key)

    def flag(self, key: str, default: bool) -> bool:
        value = self.raw(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise ModelError(f"{self.path(key)}: true or false was expected, not {_shown(value)}")
        return value

    def whole(self, key: str, default: int, least: int, most: int) -> int:
        value = self.raw(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            wanted = f"a whole number from {least} to {most}"
            raise ModelError(f"{self.path(key)}: {wanted} was expected, not {_shown(value)}")
        return value

    def share(self, key: str, default: float) -> float:
        """Return a number from 0 to 1."""
        value = self.raw(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise ModelError(f"{self.path(key)}: a number from 0 to 1 was expected, not {_shown(value)}")
        return float(value)

    def choice(self, key: str, kinds: Mapping[str, _Choice], default: _Choice) -> _Choice:
        """Return what a word stands for; case does not matter."""
        value = self.raw(key)
        return default if value is None else choose(value, kinds, self.path(key))

    def entries(self, key: str) -> Iterator[tuple[str, Any]]:
        """Yield the members of a list, each with its path; a single value stands for a list of one."""
        yield from entries(self.raw(key), self.path(key))

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(text_at(value, path) for path, value in self.entries(key))

    def end(self, ignored: Iterable[str] = ()) -> None:
        """Refuse a key that was not asked for, with the nearest one that is."""
        known = {*self._asked, *ignored}
        for key in self._value:
            if key not in known:
                near = Names(known).nearest(key)
                told = f" (did you mean {near!r}?)" if near else f"; there are {', '.join(sorted(known))}"
                raise ModelError(f"{self.path(key)}: unknown key{told}")


def entries(value: object, where: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list | tuple):
        yield from ((f"{where}[{number}]", member) for number, member in enumerate(value))
    elif value is not None:
        yield where, value


def members(value: object, where: str) -> Iterator[tuple[str, Any]]:
    """Yield the members of what must be a list, each with its path."""
    if not isinstance(value, Iterable) or isinstance(value, str | Mapping):
        raise ModelError(f"{where}: a list was expected, not {_shown(value)}")
    yield from ((f"{where}[{number}]", member) for number, member in enumerate(value))


def choose(value: object, kinds: Mapping[str, _Choice], where: str) -> _Choice:
    if isinstance(value, str) and value.lower() in kinds:
        return kinds[value.lower()]
    raise ModelError(f"{where}: one of {', '.join(kinds)} was expected, not {_shown(value)}")


def text_at(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ModelError(f"{where}: a name was expected, not {_shown(value)}")
    return value


def _shown(value: object) -> str:
    text = "nothing" if value is None else _REPR.repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_REPR = Repr()  # which ends early: with its aliases, a small text of YAML can stand for a value without end
_REPR.maxstring = _REPR.maxother = 100
