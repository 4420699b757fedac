"""Which search proves the nearest plan best: every optimal search of the planner, and those of this program.

The models of the suite ``ipc`` without axioms; plans with four and with eight corruptions; a short limit for each
search, so that a search that needs longer counts as not proven.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from random import Random
from statistics import median
from typing import TypeAlias

from benchmarks.adl import corrupted, lift
from benchmarks.measure import cost_of
from benchmarks.models import DOMAIN, ring
from benchmarks.options import Options
from benchmarks.table import Cell, Table, skipped
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.grounding.compile_away import compile_away
from validator.grounding.encoding.encode import encode
from validator.grounding.planner import Limits, Status, search
from validator.grounding.processes.translation import translate
from validator.grounding.task import Task, parse
from validator.model.pddl import read_model
from validator.reading.tokens import tokenize
from validator.repair.cost_partitioning.layers import Swept
from validator.repair.cost_partitioning.problem import Plain
from validator.repair.cost_partitioning.prove import prove, sweep
from validator.repair.edit import EditTask, Weighting, compile_edit, unmodified

__all__ = ["run"]

LIMIT = 3.0
"""seconds that one search may take"""

SHARE = 3
"""every how manyth of these plans is searched for"""

MEMORY = 4 * 2**30
"""bytes that a search may take"""

LONG, LONG_LIMIT, TRIALS = 1000, 60.0, 5
"""steps of a long plan, seconds for its check, and plans for each number of faults"""

_MERGE_AND_SHRINK = (
    "merge_and_shrink(shrink_strategy=shrink_bisimulation(greedy=false), merge_strategy=merge_sccs("
    "order_of_sccs=topological, merge_selector=score_based_filtering(scoring_functions=[goal_relevance(), dfp(), "
    "total_order()])), label_reduction=exact(before_shrinking=true, before_merging=false), max_states=50k, "
    "threshold_before_merge=1, main_loop_max_time=2)"
)
SEARCHES = {
    "lmcut": "astar(lmcut())",
    "lmcut, stubborn sets": "astar(lmcut(), pruning=limited_pruning(pruning=atom_centric_stubborn_sets(), "
    "min_required_pruning_ratio=0.2))",
    "hmax": "astar(hmax())",
    "blind": "astar(blind())",
    "landmark costs": "astar(landmark_cost_partitioning(lm_rhw()))",
    "cartesian abstractions": "astar(cegar(max_time=2))",
    "pattern databases": "astar(cpdbs(patterns=hillclimbing(max_time=2)))",
    "merge and shrink": f"astar({_MERGE_AND_SHRINK})",
}

_Prover: TypeAlias = Callable[[Plain, Callable[[int], bool]], Swept]

OWN: Mapping[str, _Prover] = {
    "cost partitioning, windows first": lambda problem, go_on: prove(problem, lambda: inf, go_on, MEMORY),
    "cost partitioning": lambda problem, go_on: sweep(problem, lambda: inf, go_on, MEMORY),
}


def run(options: Options) -> list[Table]:
    """Return for each search how many plans it proved, and the CPU seconds it took for those that all proved."""
    tasks = list(_tasks(options))[::SHARE]
    if not tasks:
        return [skipped("searches", f"no models in {options.ipc} (see --data)")]
    names = (*SEARCHES, *OWN)
    seconds: dict[str, list[float | None]] = {name: [] for name in names}
    costs: list[set[int]] = []
    for name, task in tasks:
        found: set[int] = set()
        for search_name, strategy in SEARCHES.items():
            spent, cost = _solve(task, strategy)
            seconds[search_name].append(spent)
            found |= set() if cost is None else {cost}
        for search_name, prover in OWN.items():
            spent, cost = _solve_own(task, prover)
            seconds[search_name].append(spent)
            found |= set() if cost is None else {cost}
        costs.append(found)
        print(f"searches: {name} done", file=sys.stderr)
    wrong = tuple(name for (name, _), found in zip(tasks, costs, strict=True) if len(found) > 1)
    common = [i for i in range(len(tasks)) if all(seconds[name][i] is not None for name in names)]
    rows = []
    for name in names:
        proven = sorted(spent for spent in seconds[name] if spent is not None)
        shared = sum(seconds[name][i] or 0.0 for i in common)
        middle = proven[len(proven) // 2] if proven else None
        rows.append((name, f"{len(proven)} of {len(tasks)}", middle, shared))
    return [
        _long(),
        axioms(),
        Table(
            title="searches",
            about=f"nearest valid plans at four and eight corruptions, at most {LIMIT:.0f} s a search",
            columns=("search", "proven", "median cpu s", "cpu s of the common"),
            rows=tuple(rows),
            notes=(f"common: the {len(common)} plans that every search proved",),
            wrong=tuple(f"the proven costs differ: {name}" for name in wrong),
        ),
    ]


def _long() -> Table:
    """Check plans of a thousand steps with some faults: missing steps, steps from elsewhere, swapped neighbours."""
    generated = ring(30, 60, LONG)
    prepared = prepare(read_model(DOMAIN, generated.problem))
    prepared.task(Limits(deadline=time.monotonic() + 60, memory=MEMORY))
    rows: list[tuple[Cell, ...]] = []
    for faults in (1, 2, 4, 8, 16):
        reports, seconds = [], []
        for trial in range(TRIALS):
            plan = "\n".join(_corrupted(generated.steps, faults, trial))
            cost, report = cost_of(partial(check, prepared, None, plan, time_limit=LONG_LIMIT))
            reports.append(report)
            seconds.append(cost.cpu)
        proven = sum(report.proven for report in reports)
        windows = [report.timings.get("repair: cost partitioning", 0.0) for report in reports]
        edits = ", ".join(str(report.planner_response.cost) for report in reports)
        rows.append((faults, f"{proven} of {TRIALS}", edits, median(seconds), max(seconds), median(windows)))
    return Table(
        title="searches: long plans",
        about=f"nearest valid plans to plans of {LONG} steps, at most {LONG_LIMIT:.0f} s each; windows: by the clock",
        columns=("faults", "proven", "edits", "median cpu s", "worst cpu s", "median windows s"),
        rows=tuple(rows),
    )


def _corrupted(steps: Sequence[str], faults: int, seed: int) -> list[str]:
    random = Random(100 * faults + seed)
    lines = list(steps)
    for _ in range(faults):
        place = random.randrange(len(lines) - 1)
        match random.randrange(3):
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, random.choice(steps))
            case _:
                lines[place : place + 2] = [lines[place + 1], lines[place]]
    return lines


def _tasks(options: Options) -> Iterator[tuple[str, EditTask]]:
    index = options.ipc / "index.json"
    if not index.is_file():
        return
    for model in json.loads(index.read_text(encoding="utf-8")):
        folder = index.parent / model["domain"]
        if options.only not in (None, model["domain"]):
            continue
        prepared = prepare(read_model(folder / "domain.pddl", folder / "problem.pddl"))
        task = prepared.task(Limits(deadline=time.monotonic() + 60, memory=MEMORY))
        if not isinstance(task, Task) or task.has_axioms or task.has_conditional_effects:
            continue
        for broken in model["broken"]:
            if broken["corruptions"] >= 4:
                plan = tokenize((folder / broken["file"]).read_text(encoding="utf-8"), prepared.vocabulary)
                name = f"{model['domain']} {broken['file']}"
                yield name, compile_edit(task, plan.tokens, Weighting.edits(), with_goal=True)


def _solve(task: EditTask, strategy: str) -> tuple[float | None, int | None]:
    """Return the CPU seconds and the cost of a proof; None for both when the limit came first."""
    limits = Limits(deadline=time.monotonic() + LIMIT, memory=MEMORY)
    cost, outcome = cost_of(lambda: search(task.text, strategy, limits))
    return (cost.children, outcome.cost) if outcome.status is Status.SOLVED else (None, None)


def _solve_own(task: EditTask, prover: _Prover) -> tuple[float | None, int | None]:
    """Return the same for a search of this program."""
    end = time.process_time() + LIMIT

    def call() -> Swept | None:
        with suppress(TimeoutError):
            problem = Plain(task, with_goal=True, is_over=lambda: time.process_time() > end)
            return prover(problem, lambda bound: time.process_time() < end)
        return None

    cost, found = cost_of(call)
    return (None, None) if found is None or found.names is None else (cost.own, found.lower)


FLOORS, PASSENGERS, CORRUPTIONS, AXIOMS_LIMIT = 30, 14, 8, 20.0
MODELS = 2

_OF_AXIOMS: Mapping[str, tuple[bool, str]] = {
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
        for name, (is_compiled, strategy) in _OF_AXIOMS.items():
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
        notes=(f"without changed lines: no proof in {AXIOMS_LIMIT:.0f} s of the clock",),
        wrong=tuple(wrong),
    )


def _limits() -> Limits:
    return Limits(deadline=time.monotonic() + AXIOMS_LIMIT, memory=MEMORY)


def _raw(prepared: Prepared) -> Task:
    """Return the task as the translator makes it."""
    encoding = encode(prepared.simulator)
    text = translate(encoding.domain, encoding.problem, _limits())
    assert isinstance(text, str)
    return parse(text, encoding, unit=False)
