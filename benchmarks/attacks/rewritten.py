"""Attacks on repaired domains as they are written back: untidy files to the command line, the diff applied, read again.

The text that comes out is read by the brute force's own reader, and its plans are executed by its own interpreter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.attacks.kind import Kind, has_solver, outcome
from tests.support.domain_edits import (
    Asked,
    Problem,
    UndefinedError,
    fewest_lines,
    is_met,
    least_cost,
    least_together,
    parsed,
    random_asked,
    repairs_of,
)
from validator.cli import main

__all__ = ["KINDS"]

_MOST = 2
"""edits that are tried together"""

_ENOUGH = 60.0

_REMARKS = ("; (and", "; a remark", ";", ";; :effect (q ?x))", '; "')


def _attack(seed: int) -> Iterator[str]:
    """Repair an untidy domain on the command line, alone or together with its plans, and apply what is printed."""
    if not has_solver():
        yield outcome(False)
        return
    asked, draw = random_asked(seed), Random(f"rewritten {seed}")
    seconds = _ENOUGH if draw.random() < 0.8 else 10 ** draw.uniform(-2.0, -0.5)
    is_joint = draw.random() < 0.35
    weights = [Fraction(draw.choice(("1", "1", "2", "0.5", "30"))) for _ in range(2)]
    try:
        with TemporaryDirectory() as name:
            folder = Path(name)
            text = untidy(asked.domain, draw)
            words = _files(folder, asked, text, draw)
            words += ["--joint", "--weights", *map(_number, weights)] if is_joint else []
            words += ["--time-limit", f"{seconds:.4f}"]
            code, printed = _run("repair-model", *words, "--format", "json")
            value, told = json.loads(printed), (seed, text, asked.problems, words, printed)
            model = value["model"] if is_joint else value
            expected = {"nothing to do": 0, "time limit": 3, "unsupported": 3}.get(model["status"], 1)
            assert code == expected, (told, code)
            if model["status"] == "unsupported":
                yield outcome(False)
                return
            _compare_model(asked, folder, text, model, told, is_limited=seconds < _ENOUGH)
            if is_joint:
                _compare_joint(asked, folder, text, value, weights, told)
            if model["proven"] and seconds == _ENOUGH and draw.random() < 0.3:
                _compare_text(folder, words, value, told)
    except UndefinedError:
        return
    yield outcome(value["proven"])


def untidy(domain: Any, draw: Random) -> str:
    """Return a domain as somebody might have written it: any layout, remarks, capitals, one condition without and."""
    end = draw.choice(("\n", "\n", "\r\n"))
    share, remarks, capitals = draw.choice((0.0, 0.2, 0.6)), draw.choice((0.0, 0.1)), draw.choice((0.0, 0.0, 0.1))

    def gap() -> str:
        if draw.random() >= share:
            return draw.choice((" ", " ", "  ", "\t"))
        remark = f" {draw.choice(_REMARKS)}" if draw.random() < remarks * 3 else ""
        return f"{remark}{end}{draw.choice(('', '  ', '    ', chr(9)))}"

    def written(tree: Any) -> str:
        if isinstance(tree, str):
            return tree.upper() if draw.random() < capitals else tree
        parts = [written(part) for part in tree]
        inner = parts[0] if parts else ""
        for part in parts[1:]:
            inner += ("" if share and draw.random() < 0.05 and part[0] == "(" and inner[-1:] == ")" else gap()) + part
        return f"({inner}{gap() if draw.random() < share / 3 else ''})"

    sections = [_looser(section, draw) for section in domain[1:]]
    body = "".join(f"{end}{draw.choice(('', '  '))}{written(section)}" for section in sections)
    return f"(define{body}){draw.choice((end, '', end + '; the end'))}"


def _looser(section: Any, draw: Random) -> Any:
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


def _files(folder: Path, asked: Asked, text: str, draw: Random) -> list[str]:
    """Write the files of a question, and return the words that name them."""
    (folder / "d.pddl").write_bytes(text.encode())
    words, fails = [str(folder / "d.pddl")], list[str]()
    for number, problem in enumerate(asked.problems):
        own = str(folder / f"p{number}.pddl")
        Path(own).write_text(problem.text())
        words.append(own)
        fails += [own] if problem.must_fail else []
        for kind, plans, names in (("good", problem.plans, words), ("bad", problem.must_fail, fails)):
            for place, plan in enumerate(plans):
                path = folder / f"{kind}{number}-{place}.plan"
                path.write_text(_lines(plan) or "; empty plan\n")
                names.append(str(path))
    words += ["--must-fail", *fails] if fails else []
    words += ["--protect", *sorted(asked.protected)] if asked.protected else []
    words += ["--facts"] if asked.facts else []
    if asked.prices:
        (folder / "costs.json").write_text(json.dumps({kind: float(price) for kind, price in asked.prices.items()}))
        words += ["--costs", str(folder / "costs.json")]
    return [*words, "--all", str(draw.choice((1, 3, 500)))]


def _run(*words: str) -> tuple[int, str]:
    out, wrong = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(wrong):
        code = main(list(words))
    assert code in (0, 1, 3), (words, code, wrong.getvalue())
    return code, out.getvalue()


def _lines(plan: Sequence[Sequence[str]]) -> str:
    return "".join(f"({' '.join(step)})\n" for step in plan)


def _number(price: Fraction) -> str:
    return str(float(price))


# --- what is said, and what is written ---------------------------------------------------------------


def _compare_model(
    asked: Asked, folder: Path, text: str, value: Mapping[str, Any], told: object, *, is_limited: bool
) -> None:
    least = least_cost(asked, _MOST)
    told = (told, least)
    assert least is None or Fraction(str(value["lower_bound"])) <= least + Fraction(1, 10**6), told
    match value["status"]:
        case "nothing to do":
            assert least == 0 and value["domain_text"] == text and not value["domain_diff"], told
        case "impossible":
            assert not value["proven"] or least is None, told
        case "repaired":
            cost = Fraction(str(value["cost"])).limit_denominator(10_000)
            assert not value["proven"] or least is None or cost <= least, told
            assert len(value["edits"]) > _MOST or (least is not None and least <= cost), told
            for number, one in enumerate((value, *value["alternatives"])):
                problems = _problems(asked, folder, one["problem_diffs"], told)
                after = _applied(folder, text, one["domain_diff"]) if one["domain_diff"] else text
                assert after == one["domain_text"], (told, number, after)
                assert is_met(asked, parsed(after), problems), (told, number, after)
            if value["complete"] and value["proven"]:
                others = repairs_of(asked, cost, _MOST)
                assert len(others) <= 1 + len(value["alternatives"]), (told, others)
        case _:
            assert is_limited and not value["proven"], told


def _applied(folder: Path, text: str, diff: str) -> str:
    """Return what the command makes of a text and a diff."""
    (folder / "x.diff").write_bytes(diff.encode())
    (folder / "x.text").write_bytes(text.encode())
    code, printed = _run("apply", str(folder / "x.diff"), str(folder / "x.text"))
    assert code == 0, diff
    return printed


def _problems(asked: Asked, folder: Path, diffs: Sequence[str], told: object) -> list[Problem]:
    """Return the problems with the diffs of their files applied, read again."""
    problems = list(asked.problems)
    for diff in diffs:
        named = re.match(r"--- a/p(\d)\.pddl\n", diff)
        assert named is not None, (told, diff)
        number = int(named[1])
        after = parsed(_applied(folder, problems[number].text(), diff))
        init = next(section[1:] for section in after if section[0] == ":init")
        problems[number] = replace(problems[number], init=frozenset(fact for fact in init if fact[0] != "="))
    return problems


def _compare_joint(
    asked: Asked, folder: Path, text: str, value: Mapping[str, Any], weights: Sequence[Fraction], told: object
) -> None:
    least = least_together(asked, *weights)
    told = (told, least)
    cost = None if value["cost"] is None else Fraction(str(value["cost"])).limit_denominator(10_000)
    assert not value["proven"] or least is None or (cost is not None and cost <= least), told
    if value["blame"] in ("neither", "unknown") and not value["plans"]:
        return
    plans = [(problem, plan) for problem in asked.problems for plan in problem.plans]
    assert len(value["plans"]) == len(plans), told
    alone = list[int | None]()
    for said, (problem, plan) in zip(value["plans"], plans, strict=True):
        fewest = fewest_lines(asked.domain, problem, plan, _MOST)
        alone.append(said["changes"])
        assert fewest is None or said["at_least"] <= fewest, (told, said, fewest)
        if said["changes"] is None:
            assert not said["proven"] or fewest is None, (told, said, fewest)
            continue
        assert fewest is None or said["changes"] >= fewest, (told, said, fewest)
        assert not said["proven"] or said["changes"] == (fewest if fewest is not None else said["changes"]), told
        after = _edited(folder, plan, said["diff"])
        assert is_met(asked, asked.domain, [replace(problem, plans=(after,), must_fail=())]), (told, said, after)
    _compare_blame(asked, value, weights, alone, told)
    if (mixed := value["mixed"]) is not None:
        _compare_mixed(asked, folder, text, mixed, weights, told)


def _compare_blame(
    asked: Asked, value: Mapping[str, Any], weights: Sequence[Fraction], alone: Sequence[int | None], told: object
) -> None:
    """Compare which is said to be wrong with what the answers side by side cost."""
    model = None
    if value["model"]["cost"] is not None:
        model = Fraction(str(value["model"]["cost"])).limit_denominator(10_000) * weights[0]
    failing = [replace(problem, plans=()) for problem in asked.problems]
    plans = None if None in alone or not is_met(asked, asked.domain, failing) else weights[1] * sum(map(int, alone))  # type: ignore[arg-type]
    known = [cost for cost in (model, plans) if cost is not None]
    if value["mixed"] is not None:
        cost = Fraction(str(value["mixed"]["cost"])).limit_denominator(10_000)
        assert value["blame"] == "both" and all(cost < one for one in known), (told, known)
        return
    expected = {(True, True): "unknown", (True, False): "the plan", (False, True): "the model"}.get(
        (model is None, plans is None)
    )
    if expected is None:
        assert model is not None and plans is not None
        expected = "either" if model == plans else "the model" if model < plans else "the plan"
    assert value["blame"] == expected, (told, model, plans)


def _compare_mixed(
    asked: Asked, folder: Path, text: str, mixed: Mapping[str, Any], weights: Sequence[Fraction], told: object
) -> None:
    after = _applied(folder, text, mixed["domain_diff"]) if mixed["domain_diff"] else text
    assert after == mixed["domain_text"], (told, after)
    said = iter(mixed["plans"])
    lines = sum(plan["changes"] for plan in mixed["plans"])
    prices = [asked.prices.get(edit["kind"], Fraction(1)) for edit in mixed["edits"]]
    assert Fraction(str(mixed["cost"])).limit_denominator(10_000) == sum(prices) * weights[0] + lines * weights[1], told
    problems = [
        replace(problem, plans=tuple(_edited(folder, plan, next(said)["diff"]) for plan in problem.plans))
        for problem in asked.problems
    ]
    changed = _problems(asked, folder, mixed["problem_diffs"], told)
    problems = [replace(one, init=other.init) for one, other in zip(problems, changed, strict=True)]
    assert is_met(asked, parsed(after), problems), (told, after, problems)


def _edited(folder: Path, plan: Sequence[Sequence[str]], diff: str) -> tuple[tuple[str, ...], ...]:
    if not diff:
        return tuple(map(tuple, plan))
    return tuple(
        tuple(line.strip("()").split())
        for line in _applied(folder, _lines(plan) or "; empty plan\n", diff).splitlines()
    )


def _compare_text(folder: Path, words: Sequence[str], value: Mapping[str, Any], told: object) -> None:
    """Compare the answer in words, of which the first diff is that of the domain alone."""
    _, printed = _run("repair-model", *words)
    model = value.get("model", value)
    if model["status"] == "repaired" and model["domain_diff"]:
        (folder / "x.diff").write_bytes(printed.encode())
        code, after = _run("apply", str(folder / "x.diff"), str(folder / "d.pddl"))
        assert code == 0 and after == model["domain_text"], (told, printed, after)
    if "blame" in value:
        proof = "proven" if value["proven"] else "not proven"
        assert printed.startswith(f"Wrong is {value['blame']} ({proof}): "), (told, printed)
    elif model["status"] == "repaired":
        assert ("and no other repair is as small" in printed) is (
            model["complete"] and not model["alternatives"] and bool(model["edits"])
        ), (told, printed)


KINDS = (
    Kind(
        name="domains: written back",
        against="sets of up to two edits, executed from the text by its own reader",
        attack=_attack,
        share=5,
    ),
)
