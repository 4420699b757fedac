"""Tools that change nothing: declared so, without effects in the model, or named by a verb of reading.

Calling one beside the plan costs nothing, and leaving one out of a plan takes nothing from what it accomplishes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from validator.adherence.values import Row
from validator.reading.calls import folded
from validator.reading.calls.objects import spelled
from validator.reading.calls.tools import own_name
from validator.records import replace

_READING = frozenset(
    (
        *("get", "list", "search", "find", "lookup", "read", "view", "fetch", "query", "show", "describe", "count"),
        *("calculate", "compute", "think", "retrieve", "browse", "inspect", "check", "compare", "estimate", "weather"),
        *("grep", "glob", "ls", "cat"),
    )
)
_CHANGING = frozenset(
    (
        *("and", "or", "in", "out", "create", "update", "set", "delete", "remove", "insert", "write", "send", "book"),
        *("replace", "reset", "clear", "move", "save", "add", "cancel", "pay", "submit", "execute", "run", "mark"),
    )
)


def _is_named_so(name: str) -> bool:
    """Return whether the verb of a name reads, and no other word of it changes: ``get_user``, not ``get_or_create``."""
    first, *rest = spelled(own_name(name)).strip("_").split("_")
    return first in _READING and _CHANGING.isdisjoint(rest)


def reading_tools(names: Iterable[str], declared: Mapping[str, bool], in_model: Mapping[str, bool]) -> dict[str, str]:
    """Return the tools that change nothing, by their folded names, each with how that is known.

    What is ``declared`` of a tool, and what a model says of it, decides; a name only where neither says anything. Of
    tools that fold together each has to change nothing.
    """
    said: dict[str, tuple[bool, str]] = {}
    for told, how in ((declared, "as is declared"), (in_model, "in the model")):
        changing = {folded(name) for name, reads in told.items() if not reads}
        said |= {folded(name): (folded(name) not in changing, how) for name in told}
    found: dict[str, str] = {}
    for name in names:
        reads, how = said.get(folded(name)) or (_is_named_so(name), "by its name")
        if reads:
            found[folded(name)] = how
    return found


def with_reads(rows: Sequence[Row], reads: Mapping[str, str]) -> tuple[Row, ...]:
    """Return rows that say of the steps and calls of such tools how it is known that they change nothing."""
    return tuple(_with_read(row, reads) for row in rows) if reads else tuple(rows)


def _with_read(row: Row, reads: Mapping[str, str]) -> Row:
    side = row.planned or row.executed
    how = None if side is None else reads.get(folded(side.name))
    if how is None:
        return row
    reason = row.reason
    if row.planned is None and row.is_deviation:
        reason = f"{reason.removesuffix('.')}; it changes nothing ({how}), and costs nothing."
    return replace(row, reads=how, reason=reason)
