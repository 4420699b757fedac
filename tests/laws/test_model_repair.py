"""Repairs of domains, in Python and written back by the command line, beside all sets of two edits of the text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.support.domain_edits import (
    Asked,
    is_met,
    least_cost,
    parsed,
    random_asked,
    repairs_of,
)
from tests.support.laws import command, law
from validator.model_repair import repair
from validator.model_repair.cases import Given
from validator.model_repair.result import Status

pytest.importorskip("pysat")

MOST = 2
"""edits that are tried together"""


def lines_of(plan: Sequence[Sequence[str]]) -> str:
    return "".join(f"({' '.join(step)})\n" for step in plan) or "; empty plan\n"


def asked_of(seed: int) -> tuple[Asked, Fraction | None, Random]:
    """Return a question and what the cheapest set of few edits costs."""
    asked = random_asked(seed)
    return asked, least_cost(asked, MOST), Random(f"model repair {seed}")


@law(20, quick=4)
def test_no_set_of_two_edits_is_cheaper_than_the_repair(seed: int) -> None:
    """Half of them with hardly any time."""
    asked, least, draw = asked_of(seed)
    seconds = 60.0 if draw.random() < 0.7 else 10 ** draw.uniform(-3.0, -0.5)
    cases = [
        Given(problem=one.text(), plans=list(map(lines_of, one.plans)), must_fail=list(map(lines_of, one.must_fail)))
        for one in asked.problems
    ]
    found = repair.repair_model(
        asked.text(),
        cases=cases,
        protect=sorted(asked.protected),
        costs={kind: str(float(price)) for kind, price in asked.prices.items()},
        time_limit=seconds,
    )
    told = (asked, seconds, found, least)
    if found.status is Status.UNSUPPORTED:
        return
    assert least is None or found.lower_bound <= least, told
    match found.status:
        case Status.NOTHING_TO_DO:
            assert least == 0, told
        case Status.IMPOSSIBLE:
            assert not found.proven or least is None, told
        case Status.REPAIRED:
            assert not found.mends and found.cost is not None, told
            assert is_met(parsed(found.domain_text), asked.problems), told
            assert least is None or not found.proven or found.cost <= least, told
            assert len(found.edits) > MOST or (least is not None and least <= found.cost), told
            assert all(other.cost == found.cost for other in found.alternatives), told
        case _:
            assert seconds < 1 and not found.proven, told


@law(15, quick=6)
def test_an_untidy_domain_is_written_back_with_the_edits_that_are_told(seed: int) -> None:
    """What the diff makes of the files is read by the brute force's own reader, and executed."""
    asked, least, draw = asked_of(seed)
    seconds = 60.0 if draw.random() < 0.8 else 10 ** draw.uniform(-2.0, -0.5)
    with TemporaryDirectory() as name:
        folder, text = Path(name), untidy(asked.domain, draw)
        words = [*files_of(folder, asked, text, draw), "--time-limit", f"{seconds:.4f}"]
        code, printed = command("repair-model", *words, "--format", "json")
        value, told = json.loads(printed), (text, asked.problems, words, printed, least)
        assert code == {"nothing to do": 0, "time limit": 3, "unsupported": 3}.get(value["status"], 1), (told, code)
        if value["status"] == "unsupported":
            return
        assert least is None or Fraction(str(value["lower_bound"])) <= least + Fraction(1, 10**6), told
        match value["status"]:
            case "nothing to do":
                assert least == 0 and value["domain_text"] == text and not value["domain_diff"], told
            case "impossible":
                assert not value["proven"] or least is None, told
            case "repaired":
                compare_repairs(asked, folder, text, value, least, told)
            case _:
                assert seconds < 60 and not value["proven"], told
        if value["status"] == "repaired" and value["domain_diff"] and value["proven"] and seconds == 60.0:
            _, printed = command("repair-model", *words)
            assert applied(folder, text, printed) == value["domain_text"], (told, printed)
            is_only = value["complete"] and not value["alternatives"] and bool(value["edits"])
            assert ("and the only repair of this size" in printed) is is_only, (told, printed)


def compare_repairs(
    asked: Asked, folder: Path, text: str, value: Mapping[str, Any], least: Fraction | None, told: object
) -> None:
    cost = Fraction(str(value["cost"])).limit_denominator(10_000)
    assert not value["proven"] or least is None or cost <= least, told
    assert len(value["edits"]) > MOST or (least is not None and least <= cost), told
    for one in (value, *value["alternatives"]):
        after = applied(folder, text, one["domain_diff"]) if one["domain_diff"] else text
        assert after == one["domain_text"] and is_met(parsed(after), asked.problems), (told, after)
    if value["complete"] and value["proven"]:
        assert len(repairs_of(asked, cost, MOST)) <= 1 + len(value["alternatives"]), told


def applied(folder: Path, text: str, diff: str) -> str:
    """Return what the command makes of a text and a diff."""
    (folder / "x.diff").write_bytes(diff.encode())
    (folder / "x.text").write_bytes(text.encode())
    code, printed = command("apply", folder / "x.diff", folder / "x.text")
    assert code == 0, diff
    return printed


def files_of(folder: Path, asked: Asked, text: str, draw: Random) -> list[Any]:
    """Write the files of a question, and return the words that name them."""
    (folder / "d.pddl").write_bytes(text.encode())
    words, fails = [folder / "d.pddl"], list[Path]()
    for number, problem in enumerate(asked.problems):
        own = folder / f"p{number}.pddl"
        own.write_text(problem.text())
        words.append(own)
        fails += [own] if problem.must_fail else []
        for kind, plans, names in (("good", problem.plans, words), ("bad", problem.must_fail, fails)):
            for place, plan in enumerate(plans):
                names.append(folder / f"{kind}{number}-{place}.plan")
                names[-1].write_text(lines_of(plan))
    prices = {kind: float(price) for kind, price in asked.prices.items()}
    (folder / "costs.json").write_text(json.dumps(prices))
    return [
        *words,
        *(["--must-fail", *fails] if fails else []),
        *(["--protect", *sorted(asked.protected)] if asked.protected else []),
        *(["--costs", folder / "costs.json"] if prices else []),
        *("--alternatives", draw.choice((0, 2, 499))),
    ]


def untidy(domain: Any, draw: Random) -> str:
    """Return a domain as somebody might have written it: any layout, remarks, capitals, one condition without and."""
    end, share = draw.choice(("\n", "\n", "\r\n")), draw.choice((0.0, 0.2, 0.6))
    remarks, capitals = draw.choice((0.0, 0.1)), draw.choice((0.0, 0.0, 0.1))

    def gap() -> str:
        if draw.random() >= share:
            return draw.choice((" ", " ", "  ", "\t"))
        said = draw.choice(("; (and", "; a remark", ";", ";; :effect (q ?x))", '; "'))
        return f"{f' {said}' if draw.random() < remarks * 3 else ''}{end}{draw.choice(('', '  ', '    ', chr(9)))}"

    def written(tree: Any) -> str:
        if isinstance(tree, str):
            return tree.upper() if draw.random() < capitals else tree
        parts = [written(part) for part in tree]
        inner = parts[0] if parts else ""
        for part in parts[1:]:
            is_close = share and draw.random() < 0.05 and part[0] == "(" and inner[-1:] == ")"
            inner += ("" if is_close else gap()) + part
        return f"({inner}{gap() if draw.random() < share / 3 else ''})"

    body = "".join(f"{end}{draw.choice(('', '  '))}{written(looser(part, draw))}" for part in domain[1:])
    return f"(define{body}){draw.choice((end, '', end + '; the end'))}"


def looser(section: Any, draw: Random) -> Any:
    """Return an action of which a part of one condition, or of none, is not written as a conjunction."""
    if section[0] != ":action":
        return section
    found, parts = [*section[:2]], dict(zip(section[2::2], section[3::2], strict=True))
    for key in (":parameters", ":precondition", ":effect"):
        part = parts[key]
        if key != ":parameters" and len(part) == 1 and draw.random() < 0.3:
            if draw.random() < 0.5:
                continue
            part = ()
        elif key != ":parameters" and len(part) == 2 and draw.random() < 0.4:
            part = part[1]
        found += [key, part]
    return tuple(found)
