"""Rows that stand in YAML, tables, or on lines of their own, as values; and what a row says of its step.

Some tell when they are done, whether they failed, their order, of which run they are. What they mean as steps is said
in ``validator.reading.tokens.notations.records``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from validator.reading.calls.objects import spelled
from validator.reading.tokens.phrases import refuses
from validator.reading.values import Value

__all__ = [
    "are_disordered",
    "has_failed",
    "mappings",
    "records_of_lines",
    "rows_of_table",
    "run_of",
    "runs_of",
    "times_of",
    "yaml_values",
]

_MOST = 250_000
"""Characters of one block of YAML; a longer one is not read as one."""

_YAML = re.compile(
    r"^[^\S\n]*+-(?: ++| *+\n ++)[\w\-]++ *+:(?: |$)[^\n]*+(?:\n(?!---)[^\S\n]*+(?:-|[\w\-]++ *+:|[^\s\w-])[^\n]*+)*+",
    re.MULTILINE,
)


def yaml_values(text: str) -> Iterator[Value]:
    """Yield the lists of mappings that a text has in YAML: ``- action: stack`` and the lines that belong to it."""
    for match in _YAML.finditer(text):
        block = match[0]
        if len(block) > _MOST or ("\n" not in block and "," not in block):
            continue
        indent = len(block) - len(block.lstrip(" "))
        value = _composed(block, match.start()) or _composed(block[indent:], match.start() + indent)
        if value is not None and value.kind == "list":
            yield value


def _composed(block: str, start: int) -> Value | None:
    """Return a block of YAML as a value; a mark of the order of bytes may have indented its first line alone."""
    import yaml  # which few texts need

    try:
        node = yaml.compose(block, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return None
    return _of_yaml(node, start)


def _of_yaml(node: Any, start: int) -> Value:
    span = (start + node.start_mark.index, start + node.end_mark.index)
    if node.id == "mapping":
        return Value(tuple((str(key.value), _of_yaml(value, start)) for key, value in node.value), "mapping", span)
    if node.id == "sequence":
        return Value(tuple(_of_yaml(item, start) for item in node.value), "list", span)
    return Value(str(node.value), "text", span, node.style is None)


# --- records on lines, and tables ------------------------------------------------------------------

_LEAD = r"^[^\S\n]*+(?:(?:[-*+]|\d{1,4}[.)])[^\S\n]++)?+[*_`]*+"
_SAID = r"[^\S\n]*+[*_`]*+:[*_`]*+[^\S\n]*+"
_GIVEN = r"(?:param(?:eter)?s?|arg(?:ument)?s?|objects)(?:[ _]\w++)?"
_RECORD = re.compile(
    rf"{_LEAD}(?:action|operator)(?:[ _]name)?{_SAID}"
    rf"(?:(?P<name>[^\n:,;|]++)[,;|][^\S\n]*+[*_`]*+{_GIVEN}{_SAID}(?P<beside>[^\n]*+)$|(?P<alone>[^\n:]++)$"
    rf"(?:(?:[^\S\n]*+\n)++{_LEAD}{_GIVEN}{_SAID}(?P<given>[^\n]*+)$)?+)",
    re.MULTILINE | re.IGNORECASE,
)


def records_of_lines(text: str) -> tuple[Value, ...]:
    """Return the actions that stand with their arguments on lines of their own, as mappings.

    ``Action: stack``, and below it or behind it ``Parameters: a, b``; without any of these there are none.
    """
    found = list(_RECORD.finditer(text))
    if all(match["given"] is match["beside"] is None for match in found):
        return ()
    return tuple(_mapping(match, _record(match)) for match in found)


def _record(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    yield "action", (match["name"] or match["alone"]).strip(" \t*_`\"'")
    given = (match["beside"] or match["given"] or "").strip(" \t*_`[]()")
    if given and given.lower() not in ("none", "-", "n/a"):
        yield "args", given


def _mapping(match: re.Match[str], pairs: Iterable[tuple[str, str]]) -> Value:
    span = match.span()
    return Value(tuple((name.lower(), Value(said, "text", span)) for name, said in pairs), "mapping", span)


_RULE = re.compile(r"[\s|:-]++")


def rows_of_table(text: str) -> Iterator[tuple[Value, ...]]:
    """Yield the tables of a text (Markdown), each as its rows: mappings from the words of its head to its cells."""
    if "|" not in text or "--" not in text:
        return
    head: list[str] = []
    rows: list[Value] = []
    place, before = 0, ""
    for line in (*text.split("\n"), ""):
        if "|" not in line:
            if rows:
                yield tuple(rows)
            head, rows = [], []
        elif "--" in line and _RULE.fullmatch(line):
            head = [name.lower() for name in _cells(before)]
        elif head:
            span = (place, place + len(line))
            pairs = zip(head, _cells(line), strict=False)
            rows.append(Value(tuple((name, Value(cell, "text", span)) for name, cell in pairs), "mapping", span))
        before = line
        place += len(line) + 1


def _cells(line: str) -> list[str]:
    return [cell.strip(" *`\t") for cell in line.strip().strip("|").split("|")]


# --- what a row says of its step ------------------------------------------------------------------

_TIMES = ("time", "start_time", "dispatch_time", "start", "begin", "at", "t")
_ENDS = ("end", "end_time", "finish", "until")
_DURATIONS = ("duration", "dur", "length")
_NUMBER = re.compile(r"\s*+(\d{1,30}+(?:\.\d{1,30}+)?)\s*+s?\s*+")
_RUNS = (
    *("plan_id", "run", "run_id", "trace_id", "episode", "episode_id"),
    *("trial", "case_id", "problem_id", "instance_id"),
)
"""columns and keys that say of which plan a row is a step"""
_COUNTS = ("step", "order", "index", "idx", "number", "no", "n", "id", "step_id", "step_number", "seq")


def mappings(value: Value) -> Iterator[Value]:
    """Yield the mappings in a value, the outer ones first."""
    if value.kind == "mapping":
        yield value
    for inner in (*value.items(), *(one for _, one in value.pairs())):
        yield from mappings(inner)


def _texts(row: Value) -> dict[str, str]:
    """Return the texts of a row by its keys, spelled."""
    return {spelled(name): inner.text for name, inner in row.pairs() if inner.text}


def times_of(row: Value) -> tuple[Fraction, Fraction | None] | None:
    """Return when an object says that its step begins, and how long it takes."""
    numbers = {name: Fraction(match[1]) for name, said in _texts(row).items() if (match := _NUMBER.fullmatch(said))}
    time, end, duration = (
        next((numbers[name] for name in names if name in numbers), None) for names in (_TIMES, _ENDS, _DURATIONS)
    )
    if time is None:
        return None
    if duration is None and end is not None and end > time:
        duration = end - time
    return time, duration


def run_of(row: Value) -> str:
    """Return of which plan a row says by a number or a name that it is a step; "" for one that does not."""
    own = _texts(row)
    return next((f"{name} {own[name]}" for name in _RUNS if name in own), "")


def runs_of(rows: Sequence[Value]) -> Sequence[Sequence[Value]]:
    """Return the rows of each plan apart, where all say of which one they are."""
    runs: dict[str, list[Value]] = {}
    for row in rows:
        runs.setdefault(run_of(row), []).append(row)
    return [rows] if "" in runs else list(runs.values())


def has_failed(row: Value) -> bool:
    """Return whether a record of what was done says that it failed: no change comes of that."""
    own = _texts(row)
    return own.get("success", own.get("succeeded", "")).lower() == "false" or refuses(own.get("status", ""))


def are_disordered(items: Sequence[Value], *, by_time: bool = False) -> bool:
    """Return whether items say by numbers, or by times, that they are to be taken in another order than theirs."""
    names = (*_COUNTS, *_TIMES) if by_time else _COUNTS
    rows = [_texts(item) for item in items if item.kind == "mapping"]
    said = [next((match for name in names if (match := _NUMBER.fullmatch(row.get(name, "")))), None) for row in rows]
    numbers = [Fraction(match[1]) for match in said if match is not None]
    return 1 < len(set(numbers)) == len(numbers) == len(rows) and numbers != sorted(numbers)
