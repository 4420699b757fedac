"""What this program wants to reach where people wait: each goal with what was measured, and why it is missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.results import Found
from benchmarks.table import number

__all__ = ["AIMS", "Aim", "aims"]

_Goal = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """A goal as the page says it: the goals of a table, or those that ``of`` takes; the one farthest off counts.

    ``peer`` names another program and gives how many times of ours it takes. ``why`` is said where the goal is missed.
    """

    what: str
    title: str
    why: str
    of: Callable[[str], bool] = lambda what: True
    peer: Callable[[Found], str] = lambda tables: ""


def aims(tables: Found) -> Iterator[str]:
    """Yield the lines of the table of all goals."""
    yield "| what | goal | measured | a peer, times ours | reached |"
    yield "|---|---|---|---|---|"
    for aim in AIMS:
        goals = _goals(aim, tables)
        if not goals:
            yield f"| {aim.what} |  |  |  | not measured yet |"
            continue
        goal = max(goals, key=_off)
        bound = f"{'at least' if goal['at_least'] else 'at most'} {_plain(goal['limit'])} {goal['unit']}"
        reached = "yes" if goal["met"] else f"no: {aim.why}"
        yield f"| {aim.what} | {bound} | {number(goal['measured'])} | {aim.peer(tables)} | {reached} |"


def _goals(aim: Aim, tables: Found) -> Sequence[_Goal]:
    return [goal for goal in tables.get(aim.title, {"goals": ()})["goals"] if aim.of(goal["what"])]


def _off(goal: _Goal) -> float:
    """Return how many times the limit a figure is, or the other way round where it is the least."""
    one, other = goal["measured"], goal["limit"]
    return float(other / one if goal["at_least"] else one / other)


def _plain(limit: float) -> str:
    return f"{limit:,.0f}" if float(limit).is_integer() else f"{limit:g}"


# --- peers -----------------------------------------------------------------------------------------


def _cold(tables: Found) -> str:
    rows = {(row["command"], row["plan"]): row for row in tables["cold"]["rows"]}
    return f"unified-planning {number(rows['unified-planning', 'good.plan']['times ours'])}"


def _long(tables: Found) -> str:
    rows = [row for row in tables["peers: long plans"]["rows"] if row["steps"] == 100_000]
    return ", ".join(
        f"{row['program']} {number(row['times ours'])}" for row in rows if row["program"] != "plan-validator"
    )


def _gaico(tables: Found) -> str:
    least = min(row["gaico / ours"] for row in tables["peers: metrics by length"]["rows"])
    return f"GAICO {number(least)} at the least"


# --- goals -----------------------------------------------------------------------------------------


def _short_plans(what: str, call: str, *, why: str) -> Aim:
    """Return the goal of one call of the table of many short plans, beside unified-planning's rate."""

    def peer(tables: Found) -> str:
        rate = next(row["times the peer"] for row in tables["batch"]["rows"] if row["call"] == call)
        return f"unified-planning {number(rate)}"

    return Aim(what=what, title="batch", of=lambda said: said == call, peer=peer, why=why)


AIMS: Sequence[Aim] = (
    Aim(
        what="a small valid plan in a fresh process",
        title="cold",
        of=lambda what: "repair" not in what,
        peer=_cold,
        why="half of it is the interpreter and modules of the standard library, most of the rest importing",
    ),
    Aim(
        what="what a proven repair adds to that",
        title="cold",
        of=lambda what: "repair" in what,
        why="the search is imported, and a model that is not small is grounded by another process",
    ),
    _short_plans(
        "short plans on a model that was read",
        "check(domain text, problem text, plan text)",
        why="what is checked besides is looked up: the alarm and the clock around a check, the lines of the plan at "
        "their places, the sets of each step, the causes, the values of the report; none of them stands out",
    ),
    _short_plans(
        "short plans, each with a new problem",
        "check(domain text, new problem text, plan text)",
        why="reading the problem takes most of it, compiling the actions for it the rest",
    ),
    _short_plans(
        "short plans, each with a new domain and problem",
        "check(new domain text, new problem text, plan text)",
        why="two thirds are reading the texts (cutting them, then the actions, then the atoms in them), a "
        "sixth is compiling the actions and the steps that the plan takes; each is done once",
    ),
    Aim(
        what="a valid plan of 100,000 steps, whole process",
        title="peers: long plans",
        of=lambda what: "memory" not in what,
        peer=_long,
        why="half of it is reading the text, a value for each step with its place, half executing",
    ),
    Aim(
        what="the same, largest resident size",
        title="peers: long plans",
        of=lambda what: "memory" in what,
        why="a value for each step with its place is kept",
    ),
    Aim(
        what="LCS and Jaccard of two plans, at every length",
        title="peers: metrics by length",
        peer=_gaico,
        why="a plan is read as steps with arguments, where GAICO cuts a text at its commas",
    ),
    Aim(
        what="adherence of a trace of twenty calls to its plan",
        title="adherence",
        why="two thirds go into reading the trace, whose format is detected, and the plan, and the rest into the "
        "alignment; where the plan is a text or the trace a chat, reading takes three quarters",
    ),
    Aim(
        what="answers in English, the shorter ones",
        title="answers",
        of=lambda what: "short" in what,
        why="steps are distinguished from prose by the words of the model: each line is cut into pieces and clauses, "
        "compared with the names of actions, and checked for headings, quotations and corrections; the time is spread "
        "over all of these",
    ),
    Aim(
        what="recorded answers through `batch`",
        title="records",
        of=lambda what: "Dask" not in what,
        why="reading the answers takes most of the time of a worker",
    ),
)
