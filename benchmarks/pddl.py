"""Reading PDDL: problems and domains of some megabytes, and derived predicates."""

from __future__ import annotations

from functools import partial

from benchmarks.measure import interleaved
from benchmarks.models import DOMAIN, VALUES_DOMAIN, facts_problem, grid_model, grounded_domain
from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table
from validator.checking.prepared import prepare
from validator.model.pddl import read_domain, read_model, read_problem
from validator.model.pddl.syntax import parse
from validator.reading.tokens import tokenize

__all__ = ["run"]

SIZES = (500_000, 1_000_000, 4_000_000)
GOAL = 0.2
"""CPU seconds a megabyte (a million characters) of facts"""
DOMAIN_GOAL = 0.3
"""the same of a domain with many actions"""
DERIVED_GOAL = 0.3
"""CPU seconds of a model with derived predicates"""


def run(options: Options) -> list[Table]:
    """Measure problem files by size, domains of many actions, and plans on models with derived predicates."""
    return [_problems(options), _domains(options), _derived(options)]


def _problems(options: Options) -> Table:
    rows: list[tuple[Cell, ...]] = []
    goals = []
    for kind, domain_text, size in [("facts", DOMAIN, size) for size in SIZES] + [("values", VALUES_DOMAIN, SIZES[1])]:
        text = facts_problem(size, values=kind == "values")
        domain = read_domain(domain_text)
        jobs = {"read": partial(read_problem, text, domain), "parse": partial(parse, text, kind)}
        samples = interleaved(jobs, options.runs or 3)
        problem, megabytes, spent = samples["read"].result, len(text) / 1e6, samples["read"].cpu
        speed, facts = spent / megabytes, len(problem.init) + len(problem.values)
        rows.append((kind, megabytes, len(problem.objects), facts, spent, speed, samples["parse"].cpu))
        if kind == "facts":
            goals.append(Goal(what=f"a problem of {megabytes:.1f} MB", measured=speed, limit=GOAL, unit="s a MB"))
    return Table(
        title="read: problems",
        about="CPU seconds to read a problem with typed objects and flat facts, the domain read before",
        columns=("kind", "MB", "objects", "facts", "read s", "s a MB", "of it parsing s"),
        rows=tuple(rows),
        goals=tuple(goals),
        notes=("values: initial values of a function, (= (distance room1 room2) 7), in place of facts",),
    )


def _domains(options: Options) -> Table:
    """Measure domains of many actions: generated ones, and published ones where they are there."""
    texts = {f"ground, {size / 1e6:.0f} MB": grounded_domain(size, variables=False) for size in SIZES[1:]}
    texts["one variable, 1 MB"] = grounded_domain(SIZES[1], variables=True)
    for file in sorted((options.data / "published" / "slow").glob("*/domain.pddl")):
        if file.stat().st_size > SIZES[0]:
            texts[file.parent.name] = file.read_text(encoding="utf-8")
    samples = interleaved({name: partial(read_domain, text) for name, text in texts.items()}, options.runs or 5)
    rows: list[tuple[Cell, ...]] = []
    for name, text in texts.items():
        sample, size = samples[name], len(text) / 1e6
        rows.append((name, size, len(sample.result.actions), sample.cpu, sample.cpu / size, sample.spread / size))
    goals = [Goal(what=str(row[0]), measured=float(str(row[4])), limit=DOMAIN_GOAL, unit="s a MB") for row in rows]
    return Table(
        title="read: domains",
        about="CPU seconds to read a domain with an action for each ground step",
        columns=("domain", "MB", "actions", "read s", "s a MB", "± s a MB"),
        rows=tuple(rows),
        goals=tuple(goals),
        notes=("±: half of the distance between the fastest and the slowest run",),
    )


def _derived(options: Options) -> Table:
    """Measure plans on power grids whose paths are derived predicates, and published ones where they are there."""
    jobs = {}
    for nodes, steps in ((50, 0), (100, 0), (200, 0), (200, 20)):
        domain, problem, plan = grid_model(nodes, steps)
        jobs[f"grid of {nodes}, {steps} steps"] = partial(_checked, domain, problem, plan or " ")
    for file in sorted((options.data / "published" / "slow").glob("*derived*/domain.pddl")):
        texts = (file.parent / name for name in ("domain.pddl", "problem.pddl"))
        jobs[file.parent.name] = partial(_checked, *(part.read_text(encoding="utf-8") for part in texts), " ")
    samples = interleaved(jobs, options.runs or 5)
    rows = tuple((name, sample.result, sample.cpu, sample.spread) for name, sample in samples.items())
    return Table(
        title="read: derived predicates",
        about="CPU seconds to read a model with derived predicates and to execute a plan",
        columns=("model", "atoms, derived ones as well", "cpu s", "± s"),
        rows=rows,
        goals=tuple(
            Goal(what=name, measured=sample.cpu, limit=DERIVED_GOAL, unit="s") for name, sample in samples.items()
        ),
    )


def _checked(domain: str, problem: str, plan: str) -> int:
    """Execute a plan, and return how many atoms hold at first."""
    prepared = prepare(read_model(domain, problem))
    prepared.simulator.run(tokenize(plan, prepared.vocabulary))
    return len(prepared.simulator.view(prepared.model.problem.init))
