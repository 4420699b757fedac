"""All recognition problems below a folder, each a line of results, and tables of how well that went."""

from __future__ import annotations

import json
import re
import resource
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean, median
from typing import Any

from validator.errors import InputError, ValidatorError
from validator.recognize.inputs.dataset import read_problem_set
from validator.recognize.problem import Settings
from validator.recognize.recognizer import Recognizer
from validator.records import dataclass, replace
from validator.render.json import json_text
from validator.texts import columns

__all__ = ["Result", "Row", "by_group", "by_level", "find_problems", "recognize_all", "summary_text", "summary_value"]

_ARCHIVES = (".tar", ".tar.bz2", ".tar.gz", ".tar.xz", ".tbz2", ".tgz", ".txz")
_LEVEL = re.compile(r"_(full|\d{1,3})(?:_\d+)?$")
"""The observability in a name of the public data sets: ``..._hyp-3_50_1``, ``..._hyp-3_full``."""

_COLUMNS = ("problems", "accuracy", "spread", "precision", "unproven", "cpu s", "median", "most")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was found for one problem.

    ``name`` is its path below the folder, ``group`` the first part of that, unless it is a number, ``level`` the
    observability in per cent, where the path says it. ``hit`` says whether the goal that was pursued is among the best,
    None where it is not known. ``cpu`` is in seconds. ``error`` says why there is no answer.
    """

    name: str
    group: str
    level: int | None
    settings: str
    goals: int = 0
    observations: int = 0
    spread: int = 0
    hit: bool | None = None
    exact: bool = False
    cpu: float = 0.0
    error: str = ""


def find_problems(folder: Path) -> tuple[Path, ...]:
    """Return the recognition problems below a folder: folders with a template, and archives."""
    folders = {path.parent for path in folder.rglob("template.pddl")}
    archives = {
        path for path in folder.rglob("*.t*") if path.name.endswith(_ARCHIVES) and not path.name.startswith("._")
    }
    return tuple(sorted(folders | archives))


def recognize_all(folder: Path, settings: Settings, output: Path | None = None) -> Iterator[Result]:
    """Yield the result of each problem, those first that ``output`` has already; new ones are written after them.

    Ctrl-C ends the whole: an answer that it cut off is not kept as the problem's. Raises InputError for a folder
    without problems, and for an output that other settings made.
    """
    problems = find_problems(folder)
    if not problems:
        raise InputError("no recognition problem was found: no template.pddl, and no archive", source=str(folder))
    shown = str(replace(settings, workers=1))  # by which the answers differ
    known = {} if output is None else _known(output, shown)
    for path in problems:
        name = path.relative_to(folder).as_posix()
        if name in known:
            yield known[name]
            continue
        result = _result(path, name, settings, shown)
        if output is not None:
            with output.open("a", encoding="utf-8") as file:
                file.write(json_text(asdict(result), indent=None))
        yield result


def _known(output: Path, settings: str) -> dict[str, Result]:
    """Return the results that a file has; a last line that was torn is taken off."""
    if not output.is_file():
        return {}
    text = output.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        output.write_text(whole, encoding="utf-8")
    try:
        found = [_result_of(json.loads(line)) for line in whole.splitlines()]
    except (TypeError, ValueError):
        raise InputError(
            "not the results of recognition: another file, or another version's", source=str(output)
        ) from None
    if any(one.settings != settings for one in found):
        raise InputError("these results were made with other settings; name another file", source=str(output))
    return {one.name: one for one in found}


def _result_of(value: dict[str, Any]) -> Result:
    value.pop("schema", None)
    return Result(**value)


def _result(path: Path, name: str, settings: Settings, shown: str) -> Result:
    begin = _cpu()
    first, is_below, _ = name.partition("/")
    group = first if is_below and not first.isdigit() else ""
    result = Result(name=name, group=group, level=_level(name), settings=shown)
    try:
        problem = read_problem_set(path)
        found = Recognizer(problem, settings, answers_interrupted=False).recognize(problem.observations)
    except (ValidatorError, ValueError, OSError) as error:
        return replace(result, error=str(error).partition("\n")[0], cpu=_cpu() - begin)
    true = problem.true_goals
    return replace(
        result,
        goals=len(problem.hypotheses),
        observations=len(problem.observations),
        spread=len(found.best),
        hit=None if not true else not true.isdisjoint(found.best),
        exact=found.exact,
        cpu=_cpu() - begin,
        error=found.reason,
    )


def _level(name: str) -> int | None:
    """Return the observability in per cent: a folder with a number for a name, or what the problem's name says."""
    *folders, last = name.split("/")
    numbers = [int(part) for part in folders if part.isdigit() and int(part) <= 100]
    if numbers:
        return numbers[-1]
    match = _LEVEL.search(last.partition(".tar")[0])
    return None if match is None else 100 if match[1] == "full" else int(match[1])


def _cpu() -> float:
    """Return the CPU seconds of this process and of those that it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


# --- how well ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Means over some problems; None where no problem says anything.

    ``precision`` is the share of the true goal among the best, 0 where it is not among them. ``errors`` are those
    without an answer: nothing else counts them.
    """

    name: str
    problems: int
    errors: int
    accuracy: float | None
    spread: float | None
    precision: float | None
    unproven: float | None
    cpu: float
    median: float
    most: float


def by_group(results: Sequence[Result]) -> tuple[Row, ...]:
    """Return a row for each group, and one for all."""
    groups = sorted({one.group for one in results})
    rows = [_row(group or "-", [one for one in results if one.group == group]) for group in groups]
    return (*rows, _row("all", results))


def by_level(results: Sequence[Result]) -> tuple[Row, ...]:
    """Return a row for each observability."""
    levels = sorted({one.level for one in results if one.level is not None})
    return tuple(_row(f"{level} %", [one for one in results if one.level == level]) for level in levels)


def _row(name: str, results: Sequence[Result]) -> Row:
    answered = [one for one in results if not one.error]
    judged = [one for one in answered if one.hit is not None]
    seconds = [one.cpu for one in results] or [0.0]
    return Row(
        name=name,
        problems=len(results),
        errors=len(results) - len(answered),
        accuracy=_mean([bool(one.hit) for one in judged]),
        spread=_mean([one.spread for one in answered]),
        precision=_mean([1 / one.spread if one.hit else 0.0 for one in judged]),
        unproven=_mean([not one.exact for one in answered]),
        cpu=mean(seconds),
        median=median(seconds),
        most=max(seconds),
    )


def _mean(values: Sequence[float]) -> float | None:
    return mean(map(float, values)) if values else None


def summary_text(results: Sequence[Result]) -> str:
    """Return two tables, and the problems without an answer."""
    lines = _table("group", by_group(results))
    if levels := by_level(results):
        lines += ["", *_table("observed", levels)]
    lines += [f"no answer: {one.name}: {one.error}" for one in results if one.error]
    return "\n".join(lines) + "\n"


def _table(head: str, rows: Sequence[Row]) -> list[str]:
    cells: list[tuple[str, ...]] = [(head, *_COLUMNS)]
    for row in rows:
        shares = (getattr(row, name.replace("cpu s", "cpu")) for name in _COLUMNS[1:])
        cells.append((row.name, str(row.problems), *("" if share is None else f"{share:.3f}" for share in shares)))
    return list(columns(cells, "lr"))


def summary_value(results: Sequence[Result]) -> dict[str, object]:
    """Return the tables as plain values."""
    return {
        "groups": list(map(asdict, by_group(results))),
        "levels": list(map(asdict, by_level(results))),
        "errors": [{"name": one.name, "error": one.error} for one in results if one.error],
    }
