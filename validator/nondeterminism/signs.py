"""What a policy as a planner prints it is known by: light, since each text of a plan is looked at."""

from __future__ import annotations

import re

__all__ = ["COMPACT", "CONTROLLER", "TABLE", "is_listing"]

TABLE = re.compile(r"^[ \t]*If holds:", re.MULTILINE | re.IGNORECASE)
COMPACT = re.compile(r"^%%[ \t]*\n[ \t]*policy[ \t]+\d+\b", re.MULTILINE)
CONTROLLER = re.compile(r"^Controller -- CS = Controller State", re.MULTILINE)
_TREE = re.compile(r"^[ \t]*-?\d+\|\|-?\d+[ \t]*---(?=[^\n]*SON)", re.MULTILINE)


def is_listing(text: str) -> bool:
    """Return whether a text is a policy as a planner prints it."""
    return any(sign.search(text) for sign in (TABLE, COMPACT, CONTROLLER, _TREE))
