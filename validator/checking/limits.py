"""The limits that a check has by default."""

from __future__ import annotations

__all__ = ["DEFAULT_MEMORY_LIMIT", "DEFAULT_TIME_LIMIT"]

DEFAULT_TIME_LIMIT = 30.0
DEFAULT_MEMORY_LIMIT = 4 * 2**30
