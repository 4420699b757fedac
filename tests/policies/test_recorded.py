"""Thirty policies on forty recorded runs, decided as by a checker of plain Python that knows nothing of ours.

The runs are those of tau-bench's airline, in the lists of calls that were made of them without this package.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.support.places import SHARED
from validator.policies import conform, read_policy
from validator.policies.conform import follow
from validator.policies.events import Event

DATA = SHARED / "data" / "traces"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded traces are not here")

Calls = list[tuple[str, dict[str, Any]]]
READS = ("get_reservation_details", "get_user_details", "search_direct_flight", "search_onestop_flight", "think",
         "calculate", "list_all_airports")  # fmt: skip
CHANGES = ("book_reservation", "cancel_reservation", "update_reservation_flights", "update_reservation_baggages",
           "update_reservation_passengers", "send_certificate")  # fmt: skip


# --- the checker: lists of calls, loops, and nothing else ------------------------------------------


def places(calls: Calls, name: str, **wanted: Any) -> list[int]:
    return [
        place
        for place, (tool, arguments) in enumerate(calls)
        if tool == name and all(arguments.get(key) == value for key, value in wanted.items())
    ]


def precedes(calls: Calls, first: str, second: str) -> bool:
    earliest = min(places(calls, first), default=10**6)
    return all(place > earliest for place in places(calls, second))


def responds(calls: Calls, first: str, second: str) -> bool:
    latest = max(places(calls, second), default=-1)
    return all(place < latest for place in places(calls, first))


def in_order(calls: Calls, *names: str) -> bool:
    at = -1
    for name in names:
        at = next((place for place in places(calls, name) if place > at), -1)
        if at < 0:
            return False
    return True


def number(calls: Calls, *names: str) -> int:
    return sum(tool in names for tool, _ in calls)


def read_first(calls: Calls, tool: str) -> bool:
    """Return whether each reservation that a tool changes was read before."""
    seen = set()
    for name, arguments in calls:
        if name == "get_reservation_details":
            seen.add(arguments["reservation_id"])
        if name == tool and arguments["reservation_id"] not in seen:
            return False
    return True


def thought_each_time(calls: Calls) -> bool:
    """Return whether there was a thought between any two bookings or changes of flights."""
    thought = False
    for name, _ in calls:
        if name == "think":
            thought = True
        if name in ("book_reservation", "update_reservation_flights"):
            if not thought:
                return False
            thought = False
    return True


def dag(calls: Calls) -> bool:
    """Return whether user and reservation were read in any order, and then something was calculated."""
    both = max(
        min(places(calls, "get_user_details"), default=10**6),
        min(places(calls, "get_reservation_details"), default=10**6),
    )
    return any(place > both for place in places(calls, "calculate"))


POLICIES: list[tuple[str, Callable[[Calls], bool]]] = [
    ("never cancel_reservation", lambda c: not places(c, "cancel_reservation")),
    ("never update_*", lambda c: not any(tool.startswith("update_") for tool, _ in c)),
    ("never transfer_*", lambda c: not places(c, "transfer_to_human_agents")),
    ("never book_reservation(cabin = business)", lambda c: not places(c, "book_reservation", cabin="business")),
    ("never book_reservation(insurance = yes)", lambda c: not places(c, "book_reservation", insurance="yes")),
    ("get_user_details before book_reservation", lambda c: precedes(c, "get_user_details", "book_reservation")),
    ("get_user_details before get_reservation_details",
     lambda c: precedes(c, "get_user_details", "get_reservation_details")),
    ("search_direct_flight before update_reservation_flights",
     lambda c: precedes(c, "search_direct_flight", "update_reservation_flights")),
    ("calculate before book_reservation", lambda c: precedes(c, "calculate", "book_reservation")),
    ("get_user_details before search_direct_flight before book_reservation",
     lambda c: precedes(c, "get_user_details", "search_direct_flight")
     and precedes(c, "search_direct_flight", "book_reservation")),
    ("cancel_reservation then book_reservation", lambda c: responds(c, "cancel_reservation", "book_reservation")),
    ("calculate then update_reservation_flights", lambda c: responds(c, "calculate", "update_reservation_flights")),
    ("get_reservation_details then think", lambda c: responds(c, "get_reservation_details", "think")),
    ("at most 1 book_reservation", lambda c: number(c, "book_reservation") <= 1),
    ("at most 3 get_reservation_details", lambda c: number(c, "get_reservation_details") <= 3),
    ("at most 0 send_certificate", lambda c: number(c, "send_certificate") <= 0),
    ("at most 2 update_*", lambda c: sum(tool.startswith("update_") for tool, _ in c) <= 2),
    ("at least 1 get_user_details", lambda c: number(c, "get_user_details") >= 1),
    ("at least 2 get_reservation_details", lambda c: number(c, "get_reservation_details") >= 2),
    (f"read-only {', '.join(READS)}\nallow update_reservation_flights, transfer_to_human_agents",
     lambda c: all(tool in (*READS, "update_reservation_flights", "transfer_to_human_agents") for tool, _ in c)),
    ("get_reservation_details gives (read ?reservation_id)\ncancel_reservation only if (read ?reservation_id)",
     lambda c: read_first(c, "cancel_reservation")),
    ("get_reservation_details gives (read ?reservation_id)\nupdate_reservation_flights only if (read ?reservation_id)",
     lambda c: read_first(c, "update_reservation_flights")),
    ("think gives (thought)\nbook_reservation ends (thought)\nupdate_reservation_flights ends (thought)\n"
     "book_reservation only if (thought)\nupdate_reservation_flights only if (thought)", thought_each_time),
    ("update_reservation_flights only if cabin in [economy, basic_economy]",
     lambda c: all(a["cabin"] in ("economy", "basic_economy") for t, a in c if t == "update_reservation_flights")),
    ('update_reservation_flights only if payment_id ~ "gift_card_\\\\d+" or cabin != economy',
     lambda c: all(a["payment_id"].startswith("gift_card_") or a["cabin"] != "economy"
                   for t, a in c if t == "update_reservation_flights")),
    ("order get_user_details < get_reservation_details < calculate",
     lambda c: in_order(c, "get_user_details", "get_reservation_details", "calculate")),
    ("order {get_user_details, get_reservation_details} < calculate", dag),
]  # fmt: skip


@cache
def runs() -> list[tuple[str, Calls]]:
    records = json.loads((DATA / "expected.json").read_text())
    return [
        (each["file"], [(call["name"], call["arguments"]) for call in each["calls"]])
        for each in records
        if each["format"] == "tau_bench"
    ]


def test_there_are_27_policies_and_forty_runs_and_no_policy_is_kept_by_all_or_by_none() -> None:
    assert (len(POLICIES), len(runs())) == (27, 40)
    shares = [sum(is_kept(calls) for _, calls in runs()) for _, is_kept in POLICIES]
    assert sum(0 < share < 40 for share in shares) >= 22


@pytest.mark.parametrize(("policy", "is_kept"), POLICIES, ids=[text.replace("\n", "; ") for text, _ in POLICIES])
def test_a_policy_is_decided_as_by_the_checker(policy: str, is_kept: Callable[[Calls], bool]) -> None:
    for file, calls in runs():
        found = conform(policy, DATA / file, repair=False) if policy is POLICIES[0][0] else None
        run = [Event(name, arguments) for name, arguments in calls]
        kept = all(finding.kept for finding in follow(read_policy(policy), run))
        assert kept is is_kept(calls), file
        assert found is None or found.kept is (kept if calls else None), file
