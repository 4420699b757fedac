"""Dataclasses that cost little to define: the standard library's, whose methods are made when they are first needed.

The library compiles six functions for each class while its module is imported, and imports ``inspect`` for that: with a
hundred classes this was half of a small check in a fresh process. What is here takes the same arguments (all but
``order`` and what nobody uses), and its classes are dataclasses to ``dataclasses.fields``, ``replace`` and the others.
To a type checker it is the library's own. Open ``class_builder`` first: from a class as it is written to a dataclass;
``introspection`` has what few classes need, ``cached`` the attributes of a class that are computed when they are first
read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from functools import cached_property
else:
    from validator.records.cached import cached_property
    from validator.records.class_builder import dataclass, replace
    from validator.records.fields import field

__all__ = ["cached_property", "dataclass", "field", "replace"]
