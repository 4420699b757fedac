"""Axioms and conditional effects: the nearest valid plans with both compiled away, and as the translator makes them."""

from __future__ import annotations

import time
from collections.abc import Mapping

from benchmarks.adl import corrupted, lift
from benchmarks.measure import cost_of
from benchmarks.table import Cell, Table
from validator.checking.prepared import Prepared, prepare
from validator.grounding.compile_away import compile_away
from validator.grounding.encoding.encode import encode
from validator.grounding.planner import Limits, Status, search
from validator.grounding.processes.translation import translate
from validator.grounding.task import Task, parse
from validator.model.pddl import read_model
from validator.reading.tokens import tokenize
from validator.repair.edit import Weighting, compile_edit, unmodified

__all__ = ["axioms"]

FLOORS, PASSENGERS, CORRUPTIONS, LIMIT = 30, 14, 8, 20.0
MODELS = 2

_SEARCHES: Mapping[str, tuple[bool, str]] = {
    "A*, LM-cut, both compiled away": (True, "astar(lmcut())"),
    "A*, blind, both compiled away": (True, "astar(blind())"),
    "A*, blind, as the translator makes them": (False, "astar(blind())"),
    "A*, hmax, as the translator makes them": (False, "astar(hmax())"),
}


def axioms() -> Table:
    """Return the CPU seconds of each search for the first lifts that have a plan, with the same corrupted plan."""
    rows: list[tuple[Cell, ...]] = []
    wrong: list[str] = []
    seed = done = 0
    while done < MODELS:
        prepared = prepare(read_model(*lift(FLOORS, PASSENGERS, seed)))
        raw = _raw(prepared)
        plain = compile_away(raw)
        found = search(unmodified(plain), "let(h, ff(), lazy_greedy([h], preferred=[h]))", _limits())
        seed += 1
        if found.status is not Status.SOLVED:
            continue
        done += 1
        numbers = [int(name[2:]) for name in found.plan if name.startswith("i ")]
        steps = [str(plain.encoding.step(plain.operators[number].name)) for number in numbers]
        tokens = tokenize("\n".join(corrupted(steps, CORRUPTIONS, CORRUPTIONS)), prepared.vocabulary).tokens
        costs = set()
        for name, (is_compiled, strategy) in _SEARCHES.items():
            task = plain if is_compiled else raw
            text = compile_edit(task, tokens, Weighting.edits(), with_goal=True).text
            spent, outcome = cost_of(lambda text=text, strategy=strategy: search(text, strategy, _limits()))  # type: ignore[misc]
            solved = outcome.status is Status.SOLVED
            costs |= {outcome.cost} if solved else set()
            number_of_axioms = int(task.axioms.partition("\n")[0])
            cells = (name, len(task.operators), number_of_axioms, outcome.cost if solved else None)
            rows.append((done, *cells, spent.children if solved else None))
        if len(costs) > 1:
            wrong.append(f"the proven costs differ: {sorted(map(str, costs))}")
    return Table(
        title="searches: axioms",
        about=f"a lift with rules, {FLOORS} floors, {PASSENGERS} passengers, plans corrupted {CORRUPTIONS} times",
        columns=("model", "search", "operators", "axioms", "changed lines", "cpu s"),
        rows=tuple(rows),
        notes=(f"without changed lines: no proof in {LIMIT:.0f} s of the clock",),
        wrong=tuple(wrong),
    )


def _limits() -> Limits:
    return Limits(deadline=time.monotonic() + LIMIT, memory=4 * 2**30)


def _raw(prepared: Prepared) -> Task:
    """Return the task as the translator makes it."""
    encoding = encode(prepared.simulator)
    text = translate(encoding.domain, encoding.problem, _limits())
    assert isinstance(text, str)
    return parse(text, encoding, unit=False)
