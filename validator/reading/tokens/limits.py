"""How large a plan text may be."""

from __future__ import annotations

__all__ = ["MAX_CHARACTERS", "MAX_OTHERS", "MAX_PIECES", "MAX_STEPS"]

MAX_CHARACTERS = 16 * 2**20
"""A plan text may have this many characters (16 Mi)."""

MAX_STEPS = 100_000
"""A plan may have this many steps."""

MAX_PIECES = 700_000
"""A plan text may have this many pieces of all kinds: a step has at most seven of its own."""

MAX_OTHERS = 50_000
"""A plan text may have this many pieces that are neither steps nor what belongs to them."""
