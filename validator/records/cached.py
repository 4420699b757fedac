"""An attribute that is computed when it is first read, without the lock that the library's takes for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["cached_property"]


class cached_property:  # noqa: N801 -- used as the library's
    """As ``functools.cached_property`` is from Python 3.12 on: of two threads that compute it one is heard."""

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
