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
    is_met,
    least_cost,
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
    """Repair an untidy domain on the command line, and apply what is printed."""
    if not has_solver():
        yield outcome(False)
        return
    asked, draw = random_asked(seed), Random(f"rewritten {seed}")
    seconds = _ENOUGH if draw.random() < 0.8 else 10 ** draw.uniform(-2.0, -0.5)
    try:
        with TemporaryDirectory() as name:
            folder = Path(name)
            text = untidy(asked.domain, draw)
            words = _files(folder, asked, text, draw)
            words += ["--time-limit", f"{seconds:.4f}"]
            code, printed = _run("repair-model", *words, "--format", "json")
            model, told = json.loads(printed), (seed, text, asked.problems, words, printed)
            expected = {"nothing to do": 0, "time limit": 3, "unsupported": 3}.get(model["status"], 1)
            assert code == expected, (told, code)
            if model["status"] == "unsupported":
                yield outcome(False)
                return
            _compare_model(asked, folder, text, model, told, is_limited=seconds < _ENOUGH)
            if model["proven"] and seconds == _ENOUGH and draw.random() < 0.3:
                _compare_text(folder, words, model, told)
    except UndefinedError:
        return
    yield outcome(model["proven"])


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


def _compare_text(folder: Path, words: Sequence[str], model: Mapping[str, Any], told: object) -> None:
    """Compare the answer in words, of which the first diff is that of the domain."""
    _, printed = _run("repair-model", *words)
    if model["status"] == "repaired" and model["domain_diff"]:
        (folder / "x.diff").write_bytes(printed.encode())
        code, after = _run("apply", str(folder / "x.diff"), str(folder / "d.pddl"))
        assert code == 0 and after == model["domain_text"], (told, printed, after)
    if model["status"] == "repaired":
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
