"""The table of formats, ``formats.toml``: conditions and paths, read when the first trace is."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any

from validator.reading.calls.objects import ARGUMENTS, ERRORS, IDENTITIES, NAMES, RESULTS
from validator.reading.traces.paths import meets, value_at
from validator.records import dataclass

_ROLES = ("user", "assistant", "tool", "system")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What objects that meet the condition ``when`` say; ``name`` is the format of rows, empty for wrappings."""

    when: str
    says: tuple[Any, ...]
    name: str = ""


@lru_cache(maxsize=1)
def formats() -> Mapping[str, Any]:
    """Return the tables by their names; ``roles`` has the role that a word says, ``any`` one condition for a table."""
    found = tomllib.loads(Path(__file__).with_name("formats.toml").read_text(encoding="utf-8"))
    words = found["words"]
    found["served"] = frozenset(words["served"].split("|"))
    found["roles"] = {word: role for role in _ROLES for word in words[role].split("|")}
    words["role"] = "|".join(found["roles"])

    def entries(rows: list[list[Any]], name: str = "") -> list[Entry]:
        return [Entry(when=Template(when).substitute(words), says=tuple(says), name=name) for when, *says in rows]

    found |= {table: entries(rows) for table, rows in found["wrappings"].items()}
    found["rows"] = [entry for name, rows in found["rows"].items() for entry in entries(rows, name)]
    found["any"] = {table: " or ".join(entry.when for entry in found[table]) for table in ("messages", "parts", "rows")}
    found["any"] |= {table: " or ".join(found[table].values()) for table in ("spans", "unread")}
    found["kinds"] = {word: kind for kind, words in found["kinds"].items() for word in words.split()}
    found["keys"] = {of: frozenset(text.split()) for of, text in found["keys"].items()}
    found["keys"]["of_records"] |= {*NAMES, *ARGUMENTS, *RESULTS, *ERRORS, *IDENTITIES}
    names = {what: tuple(text.split()) for what, text in found["names"].items()}
    found["names"] = {**names, "input": ("input", "inputs", *ARGUMENTS), "output": ("output", "outputs", *RESULTS)}
    return found


def plain(value: object, paths: Mapping[str, str]) -> dict[str, object]:
    """Return an object with plain keys, each with what stands at its paths, or with the text behind ``=``."""
    return {key: path[1:] if path.startswith("=") else value_at(value, path) for key, path in paths.items()}


def unwrapped(value: Mapping[str, object], table: str) -> tuple[Mapping[str, object], str]:
    """Return an object without the wrappings of a table that it has, in their order, and the form that one marks."""
    form = ""
    for entry in formats()[table] if meets(value, formats()["any"][table]) else ():
        if meets(value, entry.when):
            paths = {"around": "", "form": "=", **entry.says[0]}
            own = plain(value, paths)
            around, mark = own.pop("around"), own.pop("form")
            value, form = {**(around if isinstance(around, Mapping) else {}), **own}, form or str(mark)
    return value, form
