"""How long a guard takes to decide on a call: 10,000 calls by rules, by a plan, on a PDDL model."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator
from functools import partial
from itertools import count

from benchmarks.options import Options
from benchmarks.table import Goal, Table
from validator.checking.prepared import prepare
from validator.guard import PlanGuard
from validator.model.bundled import bundle
from validator.model.values import Model

__all__ = ["run"]

CALLS = 10_000
GOAL = 1.0
"""milliseconds, which 99 of 100 decisions stay below"""
LONGEST = 10.0
"""milliseconds, which no decision on a hostile call takes longer than"""
_TEXT = 100_000
"""characters of hostile names and values"""

_Call = tuple[str, dict[str, object]]

_RULES = """
read-only get_*, search_*, think
never delete_*
at most 20000 book
get_user before book
book only if amount <= 500 and (confirmed ?booking)
confirm gives (confirmed ?booking)
book ends (confirmed ?booking)
book then receipt
order get_user < {search_flight, search_hotel} < book
pay only if currency in [EUR, USD] and iban ~ "[A-Z]{2}[0-9]+"
either never refund or at most 20000 refund
budget 100000
"""

_WINDOWS = """
book only if formerly get_user(user = ?user) within 1h
book only if no delete_* since get_user within 8h
search_* only if count search_* within 10m <= 200
pay only if sum amount of pay within 1h <= 1000000 and not previous pay within 1s
book only if distinct user of book within 1h <= 1000
refund only if formerly pay within 30d
"""


def run(options: Options) -> list[Table]:
    """Measure decisions, allowed and denied ones."""
    calls = CALLS if options.cases is None else options.cases
    rows, goals = [], []
    for name, guard, source in _cases():
        times, denied = _timed(guard, source, calls)
        middle, late, longest = (_milliseconds(times, share) for share in (0.5, 0.99, 1))
        rows.append((name, calls, denied, middle, late, longest))
        goals.append(Goal(what=f"{name}: 99 of 100 decisions", measured=late, limit=GOAL, unit="ms"))
        if name.startswith("hostile"):
            goals.append(Goal(what=f"{name}: every decision", measured=longest, limit=LONGEST, unit="ms"))
    about = "milliseconds of CPU to decide on a call; no search takes part"
    columns = ("guard", "calls", "denied", "median", "99 of 100", "longest")
    return [Table(title="guard", about=about, columns=columns, rows=tuple(rows), goals=tuple(goals))]


def _timed(guard: PlanGuard, source: Iterator[_Call], calls: int) -> tuple[list[int], int]:
    """Return the nanoseconds of each decision, and how many calls were denied."""
    times, denied = [], 0
    gc.collect()
    gc.freeze()  # else a decision pays for what the benchmark itself has in memory
    for _ in range(calls):
        name, arguments = next(source)
        begun = time.thread_time_ns()
        decision = guard.before(name, arguments)
        times.append(time.thread_time_ns() - begun)
        if decision:
            guard.after(decision, "done")
        denied += not decision
    return sorted(times), denied


def _milliseconds(times: list[int], share: float) -> float:
    return times[min(len(times) - 1, int(share * len(times)))] / 1e6


# --- guards, and calls for them ------------------------------------------------------------------


def _cases() -> Iterator[tuple[str, PlanGuard, Iterator[_Call]]]:
    rng = random.Random(8)
    guarded = partial(PlanGuard, repair=False)
    yield "12 rules", guarded(_RULES), _shopping(rng)
    yield "6 rules on the last hours", guarded(_WINDOWS, clock=count(0.0, 20.0).__next__), _shopping(rng)
    yield "hostile calls, 15 rules", guarded(_HOSTILE_RULES), _hostile(rng)
    yield "hostile calls, 15 rules and known tools", guarded(_HOSTILE_RULES, tools=_declared()), _hostile(rng)
    plan = [{"name": f"tool{rng.randrange(50)}", "arguments": {"x": rng.randrange(9)}} for _ in range(500)]
    yield "a plan of 500 steps", guarded(plan=plan), _following(rng, plan)
    for name in ("trip", "blocks"):
        files = bundle(name)
        prepared = prepare(files.domain, files.problem)
        yield f"PDDL: {name}", guarded(prepared), _walking(rng, prepared.model)


def _hostile(rng: random.Random) -> Iterator[_Call]:
    """Yield calls whose names, arguments and values of 100 kB are made to take long."""
    long = ("a" * _TEXT, "а" * _TEXT, "\u200b" * _TEXT, "a." * (_TEXT // 2), "__" * (_TEXT // 2), "\U0001d41a" * _TEXT)
    ends = ("!", "@", "x", "0", "")
    deep: object = 1
    for _ in range(500):
        deep = {"x": deep}
    while True:
        text, kind = rng.choice(long) + rng.choice(ends), rng.randrange(8)
        name = rng.choice(("pay", "book", "refund", "get_user", "rеfund", "pay()", "mcp__shop__pay"))
        if kind == 0:
            yield text, {}
        elif kind == 1:
            yield name, {text: 1, "amount": 1}
        elif kind == 2:
            yield name, {f"amount{place}": place for place in range(255)} | {"Amount": 1}
        elif kind == 3:
            yield name, {"iban": text, "amount": text, "booking": text, "currency": text}
        elif kind == 4:
            yield name, {"iban": "a" * rng.randrange(20, 40), "amount": "9" * _TEXT, "currency": "EUR"}
        elif kind == 5:
            yield name, {"booking": [1] * (_TEXT // 4), "amount": {"x": text}, "currency": ["EUR"] * 1000}
        elif kind == 6:
            yield "".join(rng.choice("pаy_.\u200b/:-аеo0l1") for _ in range(256)), {"amount": deep}
        else:
            yield name, {"booking": rng.randrange(9), "amount": rng.randrange(600), "iban": "a" * 64 + "!"}


_HOSTILE_RULES = (
    _RULES
    + """
pay only if iban ~ "([a-zA-Z0-9]+[._-]?)+@[a-z]+[.]com"
never refund(iban ~ "(a+)+")
never book(amount ~ "(a|a)*b")
"""
)


def _declared() -> list[dict[str, object]]:
    names = ("get_user", "think", "search_flight", "search_hotel", "confirm", "book", "pay", "receipt", "refund")
    given = {each: {} for each in ("booking", "amount", "currency", "iban")}
    names = (*names, "get_x", "search_x", "delete_x")
    return [{"name": name, "inputSchema": {"type": "object", "properties": given}} for name in names]


def _shopping(rng: random.Random) -> Iterator[_Call]:
    names = ("get_user", "think", "search_flight", "search_hotel", "confirm", "book", "pay", "receipt", "refund")
    while True:
        booking, amount = rng.randrange(20), rng.randrange(600)
        iban = f"DE{rng.randrange(10**9)}"
        yield rng.choice(names), {"booking": booking, "amount": amount, "currency": "EUR", "iban": iban}


def _following(rng: random.Random, plan: list[dict[str, object]]) -> Iterator[_Call]:
    """Yield the steps of a plan, with a wrong call before every other of them, and wrong ones behind the last."""
    for step in plan:
        arguments = step["arguments"]
        assert isinstance(arguments, dict)
        yield str(step["name"]), {"x": rng.randrange(10, 20)}
        yield str(step["name"]), arguments
    while True:
        yield f"tool{rng.randrange(50)}", {"x": rng.randrange(9)}


def _walking(rng: random.Random, model: Model) -> Iterator[_Call]:
    """Yield actions on objects of their types, which the state allows or not."""
    while True:
        action = rng.choice(list(model.domain.actions.values()))
        chosen = {each.name.lstrip("?"): rng.choice(model.objects_of(each.types)) for each in action.parameters}
        yield action.name, dict(chosen)
