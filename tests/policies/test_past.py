"""Conditions on the calls before a call, beside plain loops over the run."""

from __future__ import annotations

import random
from typing import Any

import pytest

from validator.policies import conform


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


@pytest.mark.parametrize(
    ("policy", "before", "kept"),
    [
        ("p only if not formerly a(x = ?x)", "a(x=1)", None),
        ("p only if not [formerly a(x = ?x) or n = 2]", "a(x=1)", None),
        ("p only if not formerly a(x = ?x)", "b(x=1)", True),
        ("p only if not [not formerly a(x = ?x)]", "a(x=1)", False),
        ("p only if formerly a(x = ?x)", "a(x=1)", False),
        ("p only if no a(x = ?x) since b", "b a(x=1)", None),
        ("p only if count a(x = ?x) < 1", "a(x=1)", None),
        ("p only if count a(x = ?x) < 2", "a(x=1)", True),
    ],
)
def test_a_call_is_not_allowed_by_leaving_out_what_is_compared(policy: str, before: str, kept: bool | None) -> None:
    result = conform(policy, calls(f"{before} p(n=1)"), repair=False)
    assert result.kept is kept
    if kept is None:
        assert "x is absent" in result.findings[0].faults[0].said
