"""How the fields of a dataclass are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["FIELDS", "MISSING", "Field", "Fields", "field", "set_field"]

MISSING: Any = object()
FIELDS = "__record_fields__"
"""the attribute of a class that holds its fields by name"""

set_field: Callable[[object, str, object], None] = object.__setattr__


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


field = Field
Fields = Mapping[str, Field]
