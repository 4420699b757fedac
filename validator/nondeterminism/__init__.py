"""Nondeterminism: sets of states, from uncertain initial states and effects with several outcomes, and policies.

A ``Transitions`` (a model with its outcomes) and a ``Strategy`` (a sequence, a state-action table, a tree) come in; an
``Explored`` with every reachable state, and the shortest run to where it goes wrong, comes out. Open ``transitions``
first. ``explore`` follows a strategy and judges what it finds, ``policy`` has the strategies and reads tables,
``edits`` finds the fewest edits of one.
"""

from __future__ import annotations

import re

TABLE = re.compile(r"^[ \t]*If holds:", re.MULTILINE | re.IGNORECASE)
OTHER = re.compile(
    r"^(?:%%[ \t]*\n[ \t]*policy[ \t]+\d+\b|Controller -- CS = Controller State"
    r"|[ \t]*-?\d+\|\|-?\d+[ \t]*---[^\n]*SON)",
    re.MULTILINE,
)
"""policies of MyND, FOND-SAT and Contingent-FF, which are not read"""


def is_listing(text: str) -> bool:
    """Return whether a text is a policy as a planner prints it."""
    return bool(TABLE.search(text) or OTHER.search(text))
