"""Sentences with figures, as the pages show them; each is made of the tables of one or more suites."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.results import Found
from benchmarks.table import number

__all__ = ["WORDS", "machines"]

_SHOWN = ("plan-validator", "unified-planning", "up-fast-downward")


def machines(found: Sequence[Mapping[str, Any]]) -> str:
    """Return when and on what something was measured; each value once, the load as a range."""

    def each(values: Sequence[object]) -> str:
        return " and ".join(dict.fromkeys(map(str, values)))

    loads = sorted(float(machine["load"]) for machine in found)
    load = f"{loads[0]:g}" if loads[0] == loads[-1] else f"{loads[0]:g} to {loads[-1]:g}"
    packages = [
        f"{name} {each(versions)}"
        for name in _SHOWN
        if (versions := [machine["packages"][name] for machine in found if name in machine["packages"]])
    ]
    return (
        f"Measured in {each([machine['month'] for machine in found])} "
        f"on {each([machine['cpu'] for machine in found])}, "
        f"{each([machine['cores'] for machine in found])} cores with a load of {load} before the start, "
        f"{each([machine['python'] for machine in found])}, {', '.join(packages)}."
    )


def _readme(tables: Found) -> str:
    cold = {(row["command"], row["plan"]): row["cpu s"] for row in tables["cold"]["rows"]}
    rates = {row["call"]: row["plans a cpu s"] for row in tables["batch"]["rows"]}
    long = next(row for row in tables["execute"]["rows"] if row["steps"] == 10_000)
    machine = tables["cold"]["machine"]
    return (
        f"A check in a fresh process takes {number(cold['plan-validator check', 'good.plan'])} s of CPU, with a proven "
        f"repair {number(cold['plan-validator check', 'broken-order.plan'])} s; unified-planning's validator takes "
        f"{number(cold['unified-planning', 'broken-order.plan'])} s to decide the same plan. In one process "
        f"{round(rates['check(prepared, None, plan text)'], -2):,.0f} short plans are checked in a CPU second, and "
        f"10,000 steps execute in {number(long['run s'])} s. (`python -m benchmarks`, {machine['cpu']}, "
        f"{machine['python']}; see [performance](docs/performance.md).)"
    )


def _worker(tables: Found) -> str:
    shares = {row["part"]: row["percent"] for row in tables["records, parts"]["rows"]}
    return (
        f"Batches: {shares['reading the text']:.0f} % of the time of a worker goes into reading texts (telling lines "
        f"of a plan from prose among it), {shares['execution and the report']:.0f} % into execution and the report, "
        f"{shares['the report as JSON']:.0f} % into its JSON. A model is read once by each worker. Nothing is kept of "
        "a record that is done: ids are in a temporary database on disk; what the run grows by in the beginning are "
        "holes that freed results leave."
    )


def _soak(tables: Found) -> str:
    rows = tables["service: soak"]["rows"]
    kills = tables["service: kills"]["rows"]
    served, working = ([row[f"{name} MiB"] for row in rows[1:]] for name in ("service", "workers"))
    jobs, done, lost = (sum(row[name] for row in kills) for name in ("jobs", "said to be done", "of them lost"))
    return (
        f"Under the mixed load ({tables['service: soak']['about']}) the service had "
        f"{number(served[0])} MiB of resident memory after the first sixth of the time, {number(served[2])} after half "
        f"of it and {number(served[-1])} at the end, its workers {number(working[0])}, {number(working[2])} and "
        f"{number(working[-1])}: up to 8 MiB of answers are remembered. No process and no file was left. "
        "Workers were killed at random under load, then the service, and once both at the same moment; of "
        f"{jobs:,} jobs {done:,} had been reported as done, and {lost:,} of these were lost."
    )


def _sequencing(tables: Found) -> str:
    grades = {row["switches"]: row for row in tables["eai grades"]["rows"]}
    default = grades["default"]
    differing = default["answers"] - default["equal"]
    return (
        f"Of the {default['answers']:,} answers {differing} differ by default from the corrected grades: "
        f"{default['differ by parsing or vocabulary']} have actions without arguments or the three actions that the "
        f"table lacks; {differing - default['differ by parsing or vocabulary']} hinge on the neighbours of "
        "a grabbed thing."
    )


WORDS: Mapping[str, Callable[[Found], str]] = {
    "readme": _readme,
    "worker": _worker,
    "soak": _soak,
    "sequencing": _sequencing,
}
