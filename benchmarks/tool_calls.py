"""Tool calls: gold lists and corrupted ones of public collections, and catalogues of growing size.

A folder has ``nestful`` (``SET.jsonl`` with gold lists, ``SET-corrupted.jsonl``, ``SET-spec.json`` with the tools) and
``bfcl`` (``SET.jsonl``, each record with its tools); ``taskbench`` has specifications alone.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measure import interleaved
from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table, skipped
from validator.checking.report import Report
from validator.flow import check_tool_calls
from validator.flow.tools.specifications import read_tools

__all__ = ["run"]

Record = Mapping[str, Any]


def run(options: Options) -> list[Table]:
    """Return how gold lists and corrupted ones are judged, how these are repaired, and what a catalogue costs."""
    folder = options.folder or options.data / "tool_calls"
    if not folder.is_dir():
        return [skipped("tool calls", f"no folder {folder} (see --data)")]
    return [_gold(folder), _corrupted(folder), _sizes(options)]


def _records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


# --- gold lists ----------------------------------------------------------------------------------


def _gold(folder: Path) -> Table:
    """Return how many lists are judged as their record says; a form that is refused as a whole is wrong."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    wrong: list[str] = []
    for name, form, record, tools in _lists(folder):
        expected = {"valid": True, "data_error": False}.get(record["expected"])
        counts = found[name, form]
        try:
            answer = check_tool_calls(tools, record[form], repair=False).determination
        except Exception as error:  # a traceback is what is looked for
            wrong.append(f"{record['id']}, {form}: {type(error).__name__}: {error}")
            continue
        counts["consistent" if expected else "open" if expected is None else "inconsistent"] += 1
        counts["accepted"] += bool(answer and expected)
        counts["refused"] += answer is False and expected is False
    rows = tuple(
        (name, form, each["consistent"], each["accepted"], each["inconsistent"], each["refused"], each["open"])
        for (name, form), each in found.items()
    )
    total = sum(found.values(), Counter[str]())
    return Table(
        title="tool calls: gold lists",
        about="lists as published; consistent ones are to be accepted, those that contradict their tools refused",
        columns=("set", "form", "consistent", "accepted", "inconsistent", "refused", "open"),
        rows=(*rows, *_specifications(folder, wrong)),
        goals=(
            _share("consistent lists accepted", total["accepted"], total["consistent"], 1.0),
            _share("inconsistent lists refused", total["refused"], total["inconsistent"], 1.0),
        ),
        wrong=tuple(wrong),
    )


def _lists(folder: Path) -> Iterator[tuple[str, str, Record, Any]]:
    """Yield the set and the form of each list, its record, and the tools."""
    for path in sorted((folder / "nestful").glob("*-spec.json")):
        tools = json.loads(path.read_text(encoding="utf-8"))
        for record in _records(path.with_name(path.name.replace("-spec.json", ".jsonl"))):
            yield path.name.removesuffix("-spec.json"), "output", record, tools
    for path in sorted((folder / "bfcl").glob("*.jsonl")):
        for record in _records(path):
            for form in ("calls", "pythonic", "ground_truth"):
                yield path.stem, form, record, record["tools"]


def _specifications(folder: Path, wrong: list[str]) -> Iterator[tuple[Cell, ...]]:
    """Yield the collections that have tools alone, with how many of them are read."""
    for path in sorted((folder / "taskbench").glob("*/*.json")):
        try:
            tools = read_tools(json.loads(path.read_text(encoding="utf-8")))
            yield f"{path.parent.name}/{path.stem}", f"{len(list(tools.values()))} tools", None, None, None, None, None
        except Exception as error:  # as above
            wrong.append(f"{path}: {type(error).__name__}: {error}")


def _share(what: str, part: int, whole: int, limit: float) -> Goal:
    return Goal(what=what, measured=part / whole if whole else 1.0, limit=limit, unit="of 1", at_least=True)


# --- corruptions ---------------------------------------------------------------------------------


def _corrupted(folder: Path) -> Table:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    wrong: list[str] = []
    for path in sorted((folder / "nestful").glob("*-corrupted.jsonl")):
        specification = path.with_name(path.name.replace("-corrupted.jsonl", "-spec.json"))
        tools = json.loads(specification.read_text(encoding="utf-8"))
        names = {tool["name"] for tool in tools}
        for record in _records(path):
            try:
                wrong += _judge(record, tools, names, counts[record["kind"]])
            except Exception as error:  # a traceback is what is looked for
                wrong.append(f"{record['id']}: {type(error).__name__}: {error}")
    rows = tuple((kind, *(each[column] for column in _COUNTED)) for kind, each in sorted(counts.items()))
    total = sum(counts.values(), Counter[str]())
    return Table(
        title="tool calls: corrupted lists",
        about="one corruption each, repaired with every tool of the gold list as a goal",
        columns=("corruption", *_COUNTED),
        rows=rows,
        goals=(
            _share("corrupted lists refused", total["refused"], total["lists"], 1.0),
            _share("repaired to the gold list or one as near", total["as near"], total["lists"], 0.9),
        ),
        notes=(
            "fault: the calls at fault are those that were corrupted",
            "as near: accepted, calls all tools, and is the gold list or has no more changes than it",
        ),
        wrong=tuple(wrong),
    )


_COUNTED = ("lists", "refused", "fault", "accepted", "gold", "as near", "proven")


def _judge(record: Record, tools: Any, names: set[str], counts: Counter[str]) -> Iterator[str]:
    """Count what is found in a corrupted list; yield what is wrong with its repair."""
    goals = [call["name"] for call in record["gold"] if call["name"] in names]
    report = check_tool_calls(tools, record["calls"], goals=goals)
    mended = report.repaired_calls
    counts["lists"] += 1
    counts["refused"] += report.determination is False
    counts["fault"] += {each.step for each in report.failures} - {None} == {
        each["call"] - 1 for each in record["faults"]
    }
    counts["proven"] += report.proven
    if mended is None:
        return
    accepted = check_tool_calls(tools, mended, goals=goals, repair=False).determination is True
    counts["accepted"] += accepted
    counts["gold"] += mended == record["gold"]
    counts["as near"] += mended == record["gold"] or (accepted and _is_near(report, record))
    if not accepted:
        yield f"{record['id']}: the repair is not accepted"


def _is_near(report: Report, record: Record) -> bool:
    """Return whether a repair has no more changes than the gold list: two calls that change places are one or two."""
    most = 1 if record.get("gold_is_one_move", True) else 2
    return (report.planner_response.cost or 0) <= most


# --- sizes ---------------------------------------------------------------------------------------

SIZES = {200: None, 1_000: 0.2, 10_000: 0.5}
"""tools of a catalogue, and the CPU seconds that a right list may cost"""


def _sizes(options: Options) -> Table:
    rows: list[tuple[Cell, ...]] = []
    goals = []
    for size, limit in SIZES.items():
        tools = [_tool(number) for number in range(size)]
        right = [_call(place, size // 2 + place) for place in range(5)]
        lists: dict[str, Sequence[Record]] = {
            "right": right,
            "missing": [*right[:2], *right[3:]],
            "swapped": [right[1], right[0], *right[2:]],
            "unknown tool": [{**right[0], "name": f"{right[0]['name']}_v2"}, *right[1:]],
        }
        jobs = {name: partial(check_tool_calls, tools, calls) for name, calls in lists.items()}
        spent = {name: sample.cpu for name, sample in interleaved(jobs, options.runs or 3).items()}
        rows.append((size, *spent.values()))
        if limit is not None:
            goals.append(Goal(what=f"a right list, {size} tools", measured=spent["right"], limit=limit, unit="s"))
        if size == 1_000:
            goals.append(Goal(what="a missing call, 1,000 tools", measured=spent["missing"], limit=2.0, unit="s"))
    return Table(
        title="tool calls: catalogue",
        about="CPU seconds to check five calls, and to repair them, over a catalogue of tools that are a chain",
        columns=("tools", "right", "call missing", "calls swapped", "tool unknown"),
        rows=tuple(rows),
        goals=tuple(goals),
    )


def _tool(number: int) -> Record:
    properties = {f"a{number}": {"type": "string"}, "page": {"type": "integer"}}
    return {
        "name": f"tool_{number}",
        "parameters": {"type": "object", "properties": properties, "required": [f"a{number}"]},
        "output_parameters": {f"a{number + 1}": {"type": "string"}, "status": {"type": "string"}},
    }


def _call(place: int, number: int) -> Record:
    value = f"$var{place}.a{number}$" if place else "x"
    return {"name": f"tool_{number}", "arguments": {f"a{number}": value}, "label": f"var{place + 1}"}
