"""The diff of two versions of a text, as git writes it, and applying one."""

from __future__ import annotations

import re
from difflib import unified_diff

from validator.repair.diff import hunks_of, lines_of, patched


def diff_of(before: str, after: str, name: str) -> str:
    """Return the unified diff that turns one text into another; empty for equal ones. ``git apply`` takes it."""
    lines = unified_diff(lines_of(before), lines_of(after), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def is_text_diff(diff: str, text: str) -> bool:
    """Return whether a diff is one of a PDDL text, not of the steps of a plan."""
    return (
        text.lstrip().startswith((";", "(")) and re.search(r"\(\s*define\b", text.lower()) is not None and "@@" in diff
    )


def patched_text(diff: str, text: str) -> str:
    """Return a text with a diff applied. Raises PlanError when the diff is none, or was made for another text."""
    return "".join(patched(hunks_of(diff), lines_of(text), "text at line"))
