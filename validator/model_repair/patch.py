"""The diff of two versions of a text, as git writes it, and applying one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff

from validator.errors import PlanError

__all__ = ["diff_of", "is_text_diff", "patched"]

_NO_END = "\\ No newline at end of file"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*")


def _lines(text: str) -> list[str]:
    """Return lines with their ends; only a line feed ends one, as in git."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def diff_of(before: str, after: str, name: str) -> str:
    """Return the unified diff that turns one text into another; empty for equal ones. ``git apply`` takes it."""
    lines = unified_diff(_lines(before), _lines(after), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_END}\n" for line in lines)


def is_text_diff(diff: str, text: str) -> bool:
    """Return whether a diff is one of a PDDL text, not of the steps of a plan."""
    return (
        text.lstrip().startswith((";", "(")) and re.search(r"\(\s*define\b", text.lower()) is not None and "@@" in diff
    )


def patched(diff: str, text: str) -> str:
    """Return a text with a diff applied. Raises PlanError when the diff is none, or was made for another text."""
    lines, found, position = _lines(text), [], 0
    hunks = list(_hunks(diff))
    if not hunks:
        raise PlanError("the diff has no hunk '@@ -N,N +N,N @@'")
    for start, old, new in hunks:
        if start < position or lines[start : start + len(old)] != old:
            raise PlanError(f"the diff does not fit the text at line {start + 1}; it was made for another text")
        found += lines[position:start] + new
        position = start + len(old)
    return "".join(found + lines[position:])


def _hunks(diff: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield for each hunk of the first file: the index of the first old line, the old lines, the new ones."""
    lines = _lines(diff)
    position, found = 0, False
    while position < len(lines):
        match = _HUNK.fullmatch(lines[position].rstrip("\r\n"))
        if found and lines[position].startswith("--- "):
            return  # the diff of another file
        position += 1
        if match is None:
            continue
        found = True
        start, wanted = int(match[1]), [int(match[2] or 1), int(match[4] or 1)]
        sides: tuple[list[str], list[str]] = ([], [])
        while position < len(lines) and (any(wanted) or lines[position].startswith("\\")):
            sign, line = lines[position][:1], lines[position][1:]
            touched = {" ": (0, 1), "-": (0,), "+": (1,), "\\": ()}.get(sign)
            if touched is None:
                raise PlanError(f"line {position + 1} of the diff is none of a hunk: {lines[position].rstrip()}")
            for side in touched:
                sides[side].append(line)
                wanted[side] -= 1
            if sign == "\\":
                for side in {"-": (0,), "+": (1,), " ": (0, 1)}[lines[position - 1][:1]]:
                    sides[side][-1] = sides[side][-1].removesuffix("\n")
            position += 1
        yield start - (1 if int(match[2] or 1) else 0), *sides
