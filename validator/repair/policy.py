"""What "nearest" means."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Policy"]


class Policy(StrEnum):
    """What nearest means for SOUND and VALID."""

    EDITS = "edits"
    """the fewest changed lines"""
    KEEP = "keep"
    """keep every step that can be kept, then add as cheaply as possible"""
    MOVE = "move"
    """the same, and a step may be kept at another place, which is one change; the total cost counts second"""
