"""Small random recorded runs of tools, and what is to be counted of them: by looking through every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

__all__ = ["Fed", "Made", "always_before", "declared", "fed", "random_runs", "required", "shown_to_yield"]


@dataclass(frozen=True)
class Made:
    """A call with its arguments and its result; ``values`` are those that the result holds."""

    name: str
    arguments: dict[str, str]
    result: Any
    values: tuple[str, ...]
    is_failed: bool = False

    @property
    def record(self) -> dict[str, Any]:
        told = {"error": "not found"} if self.is_failed else {"result": self.result}
        return {"name": self.name, "arguments": self.arguments, **told}


@dataclass(frozen=True)
class Fed:
    """How many calls gave a tool an input by a name, in how many a result had it before, and of which tools."""

    given: int
    fed: int
    sources: dict[str, int]


def random_runs(seed: int) -> list[list[Made]]:
    """Return runs that mostly go the same way: of three or four tools, each with its inputs, and some calls more."""
    draw = Random(f"recordings {seed}")
    names = ["find", "look", "book", "pay"][: draw.randint(2, 4)]
    inputs = {name: draw.sample(["city", "id", "key"], draw.randint(0, 2)) for name in names}
    is_loose = draw.random() < 0.5
    runs = []
    for _ in range(draw.randint(1, 5)):
        order = [name for name in names if draw.random() < 0.85]
        if draw.random() < 0.3:
            draw.shuffle(order)
        order += [draw.choice(names) for _ in range(draw.choice((0, 0, 1, 2, 12)))]
        runs.append(_run(draw, order, inputs, is_loose=is_loose))
    return runs


def _run(draw: Random, order: Sequence[str], inputs: dict[str, list[str]], *, is_loose: bool) -> list[Made]:
    made, known = list[Made](), list[str]()
    for name in order:
        own = [each for each in inputs[name] if not is_loose or draw.random() < 0.85]
        arguments = {
            each: draw.choice(known) if known and draw.random() < (0.6 if is_loose else 0.95) else _value(draw)
            for each in own
        }
        values = tuple(_value(draw) for _ in range(draw.randint(0, 2)))
        is_failed = draw.random() < 0.1
        made.append(Made(name, arguments, _result(draw, values), values, is_failed))
        if not is_failed or draw.random() < 0.2:
            known += values
    return made


def _value(draw: Random) -> str:
    return f"{draw.choice('uvwxyz')}-{draw.randint(100, 999)}" if draw.random() < 0.93 else draw.choice(("a", "b7"))


def _result(draw: Random, values: Sequence[str]) -> Any:
    match draw.randrange(3):
        case 0:
            return {"found": list(values)}
        case 1:
            return [{"id": value} for value in values]
        case _:
            return f"there are {' and '.join(values)} here" if values else "nothing"


def declared(draw: Random, runs: Sequence[Sequence[Made]]) -> list[dict[str, Any]]:
    """Return declarations that fit the runs, of all tools or most: some inputs that every call gave are required."""
    found = []
    for name in sorted({call.name for run in runs for call in run}):
        always = required(runs, name, 1)
        inputs = sorted({key for run in runs for call in run if call.name == name for key in call.arguments})
        needed = [key for key in inputs if always.get(key) and draw.random() < 0.8]
        outputs = draw.sample(["city", "id", "key"], draw.randint(0, 2))
        found.append(
            {
                "name": name,
                "inputSchema": {"type": "object", "properties": {key: {} for key in inputs}, "required": needed},
                "outputSchema": {"type": "object", "properties": {key: {} for key in outputs}},
            }
        )
    return found[: len(found) - (draw.random() < 0.3)]


def _good(runs: Sequence[Sequence[Made]]) -> list[list[Made]]:
    """Return the runs without calls that failed; those that have no call are none."""
    found = [[call for call in run if not call.is_failed] for run in runs]
    return [run for run in found if run]


def always_before(runs: Sequence[Sequence[Made]], support: int) -> dict[tuple[str, str], int]:
    """Return the pairs of tools of which the first was called before the second in each run with the second."""
    found, good = {}, _good(runs)
    names = {call.name for run in good for call in run}
    for then in names:
        having = [[call.name for call in run] for run in good if any(call.name == then for call in run)]
        for first in names - {then}:
            if len(having) >= support and all(first in run[: run.index(then)] for run in having):
                found[first, then] = len(having)
    return found


def fed(runs: Sequence[Sequence[Made]]) -> dict[tuple[str, str], Fed]:
    """Return of each input what is told of its values of three characters or more."""
    found: dict[tuple[str, str], Fed] = {}
    for run in _good(runs):
        for place, call in enumerate(run):
            for name, value in call.arguments.items():
                if len(value) < 3:
                    continue
                old = found.get((call.name, name), Fed(0, 0, {}))
                having = {before.name for before in run[:place] if value in before.values}
                sources = {tool: old.sources.get(tool, 0) + (tool in having) for tool in (*old.sources, *having)}
                found[call.name, name] = Fed(old.given + 1, old.fed + bool(having), sources)
    return found


def required(runs: Sequence[Sequence[Made]], tool: str, support: int) -> dict[str, bool]:
    """Return the inputs that a tool was given, and whether it was given each in every call, of runs enough."""
    own = [[call for call in run if call.name == tool] for run in _good(runs)]
    calls = [call for run in own for call in run]
    names = {name for call in calls for name in call.arguments}
    is_shown = sum(bool(run) for run in own) >= support
    return {name: is_shown and all(name in call.arguments for call in calls) for name in names}


def shown_to_yield(runs: Sequence[Sequence[Made]], tool: str, item: str) -> int:
    """Return in how many runs a call was given by a name what a result of a tool had before."""
    return sum(
        any(
            call.arguments.get(item) in before.values
            for place, call in enumerate(run)
            for before in run[:place]
            if before.name == tool and len(call.arguments.get(item, "")) > 2
        )
        for run in _good(runs)
    )
