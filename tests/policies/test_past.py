"""Conditions on the calls before a call: what they mean, what is not known, how runs are repaired."""

from __future__ import annotations

import random
from typing import Any

import pytest

from validator import PlanGuard
from validator.policies import conform, read_policy


def calls(text: str) -> list[dict[str, Any]]:
    """Return calls: ``a@60(x=1)`` is a call of ``a`` after 60 seconds, ``a!`` one that failed."""
    found = []
    for each in text.split():
        head, _, inner = each.rstrip(")").partition("(")
        name, _, time = head.partition("@")
        arguments = dict(pair.split("=") for pair in inner.split(",")) if inner else {}
        values = {key: int(value) if value.isdecimal() else value for key, value in arguments.items()}
        found.append(
            {"name": name.strip("!"), "arguments": values, **({"error": "no"} if "!" in name else {"result": 1})}
        )
        if time:
            found[-1]["timestamp"] = int(time)
    return found


@pytest.mark.parametrize(
    ("condition", "run", "kept"),
    [
        ("formerly a", "a p", True),
        ("formerly a", "p a", False),
        ("formerly a", "a! p", False),
        ("formerly a within 1m", "a@0 p@60", True),
        ("formerly a within 1m", "a@0 p@61", False),
        ("formerly a within 1m", "a p@61", None),
        ("formerly a within 1m", "b p", False),
        ("formerly a(x = ?x) within 1h", "a@0(x=1) p@9(x=1)", True),
        ("formerly a(x = ?x) within 1h", "a@0(x=2) p@9(x=1)", False),
        ("formerly a(x = ?x)", "a(x=<unknown>) p(x=1)", None),
        ("formerly a(x > 5)", "a(x=6) p", True),
        ("not formerly a within 1m", "a@0 p@61", True),
        ("formerly a within 1m", "a@100 p@50", True),
        ("formerly a within 1m", "a@100 b@40 p@50", True),
        ("count p within 1m <= 2", "p@100 p@40 p@50", False),
        ("previous a", "a b p", False),
        ("previous a", "b a p", True),
        ("previous a", "a b! p", False),
        ("previous a within 5s", "a@0 p@6", False),
        ("no b since a", "a p", True),
        ("no b since a", "a b p", False),
        ("no b since a", "a b a p", True),
        ("no b since a within 1m", "a@0 p@90", False),
        ("no b(x = ?x) since a(x = ?x)", "a(x=1) a(x=2) b(x=1) p(x=2)", True),
        ("no b(x = ?x) since a(x = ?x)", "a(x=1) a(x=2) b(x=1) p(x=1)", False),
        ("only b since a", "a b b p", True),
        ("only b since a", "a b c p", False),
        ("only b since a", "a b c! p", False),
        ("count p <= 2", "p p", True),
        ("count p <= 2", "p p p", False),
        ("count p within 1m <= 2", "p@0 p@30 p@90", True),
        ("count p within 1m <= 2", "p@0 p@30 p@60", False),
        ("count p within 1m <= 2", "p@0 p p@60", None),
        ("count p(x = ?x) <= 1", "p(x=1) p(x=2)", True),
        ("count a >= 2", "a a p", True),
        ("count a < 2", "a a p", False),
        ("sum x of a < 3", "a(x=2) p", True),
        ("sum x of p within 1d <= 10", "p@0(x=4) p@5(x=6)", True),
        ("sum x of p within 1d <= 10", "p@0(x=4) p@5(x=7)", False),
        ("sum x of p within 1d <= 10", "p@0(x=9) p@86401(x=9)", True),
        ("sum x of p <= 10", "p(x=4) p(x=4) p(x=2)", True),
        ("distinct x of p <= 2", "p(x=1) p(x=2) p(x=1)", True),
        ("distinct x of p <= 2", "p(x=1) p(x=2) p(x=3)", False),
        ("distinct x of p within 10s <= 1", "p@0(x=1) p@20(x=2)", True),
        ("formerly a and [count p <= 1 or x > 5]", "a p(x=1) p(x=6)", True),
        ("count <= 2 or no = 1", "p(count=2)", True),
    ],
)
def test_what_a_condition_on_the_past_means(condition: str, run: str, kept: bool | None) -> None:
    assert conform(f"p only if {condition}", calls(run), repair=False).kept is kept


@pytest.mark.parametrize(
    ("policy", "warnings"),
    [
        ("p only if not formerly a(x = ?idd)", ("no call of 'p' has the argument 'idd' (did you mean 'id'?)",)),
        ("p only if not formerly a(x = ?other)", ("no call of 'p' has the argument 'other'",)),
        ("p only if not formerly a(xx = ?id)", ("no call of 'a' has the argument 'xx' (did you mean 'x'?)",)),
        ("p only if not formerly a(x = ?id, result.ok = true)", ()),
    ],
)
def test_an_argument_that_no_call_has_is_a_warning(policy: str, warnings: tuple[str, ...]) -> None:
    assert conform(policy, calls("a(x=1) p(id=2)"), repair=False).warnings == warnings


def test_sums_are_exact() -> None:
    run = [{"name": "p", "arguments": {"x": each}, "result": 1} for each in (0.1, 0.2)]
    assert conform("p only if sum x of p <= 0.3", run, repair=False).kept is True


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_sum_with_what_is_no_finite_number_is_not_known(value: float) -> None:
    run = [{"name": "p", "arguments": {"x": each}, "result": 1} for each in (1, value)]
    assert conform("p only if sum x of p <= 3", run, repair=False).kept is None


@pytest.mark.parametrize(
    ("policy", "run", "cost", "repaired"),
    [
        ("p only if formerly a", "p", 1, "(a) (p)"),
        ("p only if formerly a(x = ?x)", "p(x=1) a(x=2)", 1, None),
        ("p only if formerly a within 1m", "a@0 p@90", 1, None),
        ("p only if formerly a", "p a", 1, None),
        ("p only if count p within 1m <= 2", "p@0 p@30 p@60 p@61", 1, None),
        ("p only if no b since a", "a b p", 1, None),
        ("p only if no b since a\nat least 1 b\nat least 1 p", "a b p", 1, None),
    ],
)
def test_the_nearest_run(policy: str, run: str, cost: int, repaired: str | None) -> None:
    found = conform(policy, calls(run), time_limit=60)
    assert found.kept is False and found.repair is not None and found.repair.cost == cost
    if repaired is not None:
        assert " ".join(map(str, found.repair.run)) == repaired


def test_a_guard_has_a_clock() -> None:
    now = [0.0]
    guard = PlanGuard("pay only if count pay within 1h <= 2", clock=lambda: now[0])
    for _ in range(2):
        guard.after(guard.before("pay"), "ok")
    assert not guard.before("pay").allowed
    now[0] = 3601.0
    assert guard.before("pay").allowed


def test_a_policy_with_the_past_is_written_as_it_is_read() -> None:
    text = """p only if formerly a(x = ?x) within 1h and not previous b within 90s
    q only if no "of" since only within 1.5d or only s_* since "count"
    r only if count a within 1h < 3 and sum x.y of a >= 0.5 and distinct x of a(y = 1) within 2m = 1
    """
    policy = read_policy(text)
    assert policy == read_policy(str(policy))
    named = read_policy("order one\n: a < b, one < c")
    assert named == read_policy(str(named))


# --- the same, by plain loops over the run -------------------------------------------------------

Made = tuple[str, int, int | None]
"""name, argument x, time; None where it is not known"""


def near(now: Made, before: Made, window: int | None) -> bool:
    return window is None or (now[2] is not None and before[2] is not None and now[2] - before[2] <= window)


def plain(kind: str, run: list[Made], window: int | None, number: int) -> bool:
    """Return whether each p of a run in which all is known keeps its condition."""
    for at, now in enumerate(run):
        if now[0] != "p":
            continue
        past = [(place, each) for place, each in enumerate(run[:at]) if near(now, each, window)]
        counted = [each for each in run[: at + 1] if each[0] == "p" and near(now, each, window)]
        holds = {
            "formerly": lambda past=past, now=now: any(e[0] == "a" and e[1] == now[1] for _, e in past),
            "previous": lambda past=past, at=at: any(place == at - 1 and e[0] == "a" for place, e in past),
            "since": lambda past=past, at=at: any(
                e[0] == "a" and all(later[0] != "b" for later in run[place + 1 : at]) for place, e in past
            ),
            "only": lambda past=past, at=at: any(
                e[0] == "a" and all(later[0] == "b" for later in run[place + 1 : at]) for place, e in past
            ),
            "count": lambda counted=counted: len(counted) <= number,
            "sum": lambda counted=counted: sum(e[1] for e in counted) <= number,
            "distinct": lambda counted=counted: len({e[1] for e in counted}) <= number,
        }[kind]
        if not holds():
            return False
    return True


CONDITIONS = {
    "formerly": "formerly a(x = ?x){window}",
    "previous": "previous a{window}",
    "since": "no b since a{window}",
    "only": "only b since a{window}",
    "count": "count p{window} <= {number}",
    "sum": "sum x of p{window} <= {number}",
    "distinct": "distinct x of p{window} <= {number}",
}


@pytest.mark.parametrize("kind", CONDITIONS)
def test_conditions_on_the_past_are_what_plain_loops_say(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(150):
        window = rng.choice([None, 60, 120])
        number = rng.randint(1, 4)
        times = sorted(rng.choice(range(0, 240, 30)) for _ in range(rng.randint(1, 6)))
        run: list[Made] = [(rng.choice("abppc"), rng.randint(1, 2), time) for time in times]
        said = CONDITIONS[kind].format(window="" if window is None else f" within {window}s", number=number)
        records = [{"name": n, "arguments": {"x": x}, "result": 1, "timestamp": time} for n, x, time in run]
        found = conform(f"p only if {said}", records, repair=False)
        assert found.kept is plain(kind, run, window, number), (said, run)
        unknown = [record if rng.random() < 0.7 else record | {"timestamp": None} for record in records]
        without = conform(f"p only if {said}", unknown, repair=False)
        assert without.kept in (None, found.kept), (said, unknown)


@pytest.mark.parametrize("kind", CONDITIONS)
def test_repaired_runs_keep_their_conditions(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(15):
        run = [(rng.choice("abpp"), rng.randint(1, 2), 30 * time) for time in range(rng.randint(1, 5))]
        window, number = rng.choice([None, 60]), rng.randint(1, 2)
        said = CONDITIONS[kind].format(window="" if window is None else f" within {window}s", number=number)
        records = [{"name": n, "arguments": {"x": x}, "result": 1, "timestamp": time} for n, x, time in run]
        policy = f"p only if {said}\nat least 1 p"
        found = conform(policy, records, time_limit=60)
        if found.kept is not False:
            continue
        assert found.repair is not None and found.repair.edits is not None, (policy, run)
        again = [
            {
                "name": e.name,
                "arguments": dict(e.values),
                "result": 1,
                "timestamp": None if e.time is None else e.time / 10**9,
            }
            for e in found.repair.run
        ]
        if all(each["timestamp"] is not None and each["timestamp"] >= 0 for each in again):
            assert conform(policy, again, repair=False).kept, (policy, run, again)
