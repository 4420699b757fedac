"""Formulas and proofs for VeriPB: what they say, and that they are checked, by VeriPB itself where it is installed.

Elsewhere ``refutes`` checks them: it reads OPB, and of the rules of proofs ``pol`` with sums, factors and literals.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.certificates.test_plan_certify import BY_STATES, NEAREST, OPTIMAL, TO_C, WALK
from tests.laws.test_certificates import certificates
from tests.support.laws import case_of, law
from validator.certificates import plan_certify
from validator.certificates.certificate import NoCertificate
from validator.certificates.pseudo_boolean import pseudo_boolean, written
from validator.cli import main
from validator.model.bundled import bundle

Row: TypeAlias = tuple[dict[str, int], int]
"""factors of variables, and the least that their sum may be"""


# --- a small checker ---------------------------------------------------------------------------------


def literal(name: str) -> Row:
    """Return that a literal is at least 0."""
    return ({name[1:]: -1}, -1) if name.startswith("~") else ({name: 1}, 0)


def plus(one: Row, other: Row, factor: int = 1) -> Row:
    assert factor > 0
    names = [*one[0], *(name for name in other[0] if name not in one[0])]
    terms = {name: one[0].get(name, 0) + factor * other[0].get(name, 0) for name in names}
    return {name: value for name, value in terms.items() if value}, one[1] + factor * other[1]


def rows(formula: str) -> list[Row]:
    found: list[Row] = []
    for line in formula.splitlines():
        if line.startswith("*"):
            continue
        *terms, relation, bound, end = line.split()
        assert relation in ("=", ">=") and end == ";"
        row: Row = {}, int(bound)
        for factor, name in zip(terms[::2], terms[1::2], strict=True):
            row = plus(row, ({name: int(factor)}, 0))
        found.append(row)
        if relation == "=":
            found.append(({name: -value for name, value in row[0].items()}, -row[1]))
    return found


def refutes(formula: str, proof: str) -> bool:
    """Return whether a proof shows that a formula has no solution."""
    known = rows(formula)
    head, loaded, *sums, output, conclusion, end = proof.splitlines()
    assert (head, output, end) == ("pseudo-Boolean proof version 3.0", "output NONE ;", "end pseudo-Boolean proof ;")
    assert loaded == f"f {len(known)} ;"
    for line in sums:
        rule, *words, last = line.split()
        assert rule == "pol" and last == ";"
        stack: list[Row] = []
        for word, following in pairwise([*words, ""]):
            if word == "*":
                continue
            if word == "+":
                other = stack.pop()
                stack.append(plus(stack.pop(), other))
            elif following == "*":
                stack.append(plus(({}, 0), stack.pop(), int(word)))
            else:
                stack.append(known[int(word) - 1] if word.isdigit() else literal(word))
        (found,) = stack
        known.append(found)
    number = int(re.fullmatch(r"conclusion UNSAT : (\d+) ;", conclusion)[1])  # type: ignore[index]
    terms, bound = known[number - 1]
    return sum(value for value in terms.values() if value > 0) < bound


def has_solution(known: list[Row], fixed: dict[str, int]) -> bool:
    """Return whether some values of variables satisfy all rows, by unit propagation and trying both values of one."""
    fixed, is_new = dict(fixed), True
    while is_new:
        is_new = False
        for terms, bound in known:
            most = sum(value * fixed[name] if name in fixed else max(value, 0) for name, value in terms.items())
            if most < bound:
                return False
            for name, value in terms.items():
                if name not in fixed and most - abs(value) < bound:
                    fixed[name], is_new = int(value > 0), True
    free = next((name for terms, _ in known for name in terms if name not in fixed), None)
    return free is None or any(has_solution(known, fixed | {free: value}) for value in (1, 0))


# --- what is written ---------------------------------------------------------------------------------


def veripb(folder: Path, formula: str, proof: str) -> bool | None:
    """Return whether VeriPB accepts a proof; None where it is not installed."""
    program = shutil.which("veripb")
    if program is None:
        return None
    (folder / "a.opb").write_text(formula, encoding="utf-8")
    (folder / "a.pbp").write_text(proof, encoding="utf-8")
    done = subprocess.run([program, folder / "a.opb", folder / "a.pbp"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and "s VERIFIED UNSATISFIABLE" in done.stdout


@pytest.mark.parametrize("certificate", [NEAREST, OPTIMAL, NEAREST | {"bound": 2, "plan": ["(go a b)", "(fly a c)"]}])
def test_a_certificate_without_states_is_a_refutation(certificate: dict[str, object], tmp_path: Path) -> None:
    found = pseudo_boolean(WALK, TO_C, certificate)
    assert isinstance(found, tuple)
    formula, proof = found
    assert refutes(formula, proof) and not has_solution(rows(formula), {})
    assert veripb(tmp_path, formula, proof) in (None, True)
    for weaker in (formula.replace("= 1 ;", "= 0 ;", 1), re.sub(r">= (\S+) ;\n\Z", ">= -9 ;\n", formula)):
        assert not refutes(weaker, proof) and veripb(tmp_path, weaker, proof) in (None, False)


def test_what_needs_states_or_free_insertions_has_no_refutation() -> None:
    free = WALK.replace("(increase (total-cost) 2)", "(increase (total-cost) 0)")
    needs_none = OPTIMAL | {"bound": 0, "weights": [[[1, [0, 0, 0, 0]]]]}
    for domain, certificate, why in ((WALK, BY_STATES, "2 states are left over"), (free, needs_none, "costs nothing")):
        found = pseudo_boolean(domain, TO_C, certificate)
        assert isinstance(found, NoCertificate) and why in found.reason


@law(6)
def test_a_formula_has_a_solution_where_its_bound_is_too_high(seed: int) -> None:
    case = case_of(seed, "ps", 60)
    plan = case.walk(3)
    for report in certificates(case, plan):
        found = report.certificate
        assert found is not None
        if found["claim"] == "unsolvable" or found["bound"] > 3:
            continue
        texts = pseudo_boolean(*case.texts, found)
        assert isinstance(texts, NoCertificate) or refutes(*texts)
        known = plan_certify.Problem(plan_certify.Model(*case.texts), found["plan"], found)
        for more in (0, 1):
            known.bound += more
            texts = written(known)
            if isinstance(texts, NoCertificate):
                continue
            assert not more or not refutes(*texts)
            assert has_solution(rows(texts[0]), {}) is bool(more), (case.texts, plan, found, more)


def test_the_command_writes_the_refutation_of_the_docs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = bundle("blocks")
    plan = next(path for path in blocks.plans if path.stem == "broken-missing-step")
    files = map(str, (blocks.domain, blocks.problem, plan))
    assert main(["check", *files, "--certify", str(tmp_path / "blocks.opb")]) == 1
    formula, proof = ((tmp_path / f"blocks.{suffix}").read_text(encoding="utf-8") for suffix in ("opb", "pbp"))
    assert refutes(formula, proof) and veripb(tmp_path, formula, proof) in (None, True)
    assert not capsys.readouterr().err
