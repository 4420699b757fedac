"""Domains as language models write them: faults of the text and of names are mended, each is named, plans are valid."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.places import ROOT
from validator import check, repair_model
from validator.errors import ModelError
from validator.model_repair.mending import readable
from validator.model_repair.result import Status, repair_text

pytest.importorskip("pysat")

FOLDERS = sorted(path.parent for path in ROOT.glob("domains/*/problem.pddl"))
BLOCKS = ROOT / "domains" / "blocks"
PROBLEM, GOOD = BLOCKS / "problem.pddl", BLOCKS / "good.plan"


def test_a_domain_that_is_only_mended_needs_no_edits() -> None:
    found = repair_model((BLOCKS / "domain.pddl").read_text().replace(":effect", ":effects", 1), PROBLEM, GOOD)
    assert (found.status, found.edits, len(found.mends)) == (Status.REPAIRED, (), 1)
    assert "No further edit is needed" in repair_text(found)


@pytest.mark.parametrize(
    ("precondition", "mends"),
    [
        ("(and (and (hand-empty) (held ?b)) (and (on-table ?b) (clear ?b)))", 0),
        ("(and (hand-empty) (and (on-table ?b) (and (clear ?b) (held ?b))))", 0),
        ("(hand-empty) (held ?b) (on-table ?b) (clear ?b)", 1),
    ],
)
def test_an_edit_finds_its_place_in_nested_conjunctions_and_beside_others(precondition: str, mends: int) -> None:
    text = (BLOCKS / "domain.pddl").read_text().replace("(and (hand-empty) (on-table ?b) (clear ?b))", precondition)
    found = repair_model(text, PROBLEM, GOOD)
    assert list(map(str, found.edits)) == ["lift: remove precondition (held ?b)"] and len(found.mends) == mends
    assert check(found.domain_text, PROBLEM, GOOD, repair=False).determination is True


def test_edits_are_written_where_a_name_touches_a_keyword_or_the_end_is_missing() -> None:
    text = (BLOCKS / "domain.pddl").read_text().replace("(on ?top ?below) (clear ?top)", "(clear ?top)", 1)
    for broken in (text.replace("lift\n    :", "lift:"), text.rstrip()[:-1]):
        found = repair_model(broken.replace("(held ?b)\n    :effect", "(held ?c)\n    :effect"), PROBLEM, GOOD)
        assert len(found.mends) == 2 and check(found.domain_text, PROBLEM, GOOD, repair=False).determination is True


def test_the_predicates_of_the_problem_are_declared() -> None:
    text = (BLOCKS / "domain.pddl").read_text().replace("on-table", "ontable")
    found = repair_model(text, PROBLEM, GOOD)
    assert found.mends == ("predicate 'ontable' becomes 'on-table', as in the problem",)
    assert check(found.domain_text, PROBLEM, GOOD, repair=False).determination is True


# --- what has no mend --------------------------------------------------------------------------------


def test_what_has_no_mend_is_told_as_it_was() -> None:
    with pytest.raises(ModelError, match="the text is empty"):
        repair_model("\n", PROBLEM, GOOD)
    with pytest.raises(ModelError, match=r"a predicate such as .* was expected"):
        repair_model("(define (domain d) (:predicates of))\n", PROBLEM, GOOD)


# --- a fault of each kind, put into each bundled domain --------------------------------------------


def _one(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Callable[[str, random.Random], str]:
    def change(text: str, draw: random.Random) -> str:
        found = list(re.finditer(pattern, text))
        if not found:
            pytest.skip("there is nothing to put the fault into")
        match = draw.choice(found)
        put = new if isinstance(new, str) else new(match)
        return text[: match.start()] + put + text[match.end() :]

    return change


FAULTS = {
    "a keyword": _one(r":precondition\b", ":preconditions"),
    "a section": _one(r"\(:predicates", "(:predicate"),
    "a parenthesis": _one(r"\)\s*\n\s*(?=\(:action)", "\n\n  "),
    "a last parenthesis": _one(r"\)\s*$", "\n"),
    "a question mark": _one(r"(?<=:parameters \()\?", ""),
    "a variable": _one(r"\?\w+(?=\)+\s*\n\s*:effect)", lambda match: f"{match[0]}s"),
    "a declaration": _one(r"(?<=\n)    \(\w[^()]*\)(?! - number)(?=[^\n]*\n    \()", ""),
    "a type": _one(r" - \w+(?=\)\s*\n\s*:precondition)", lambda match: f"{match[0]}s"),
}


def broken(folder: Path, fault: str, seed: int) -> None:
    text = FAULTS[fault]((folder / "domain.pddl").read_text(), random.Random(seed))
    problem, plan = folder / "problem.pddl", folder / "good.plan"
    found = repair_model(text, problem, plan)
    assert found.status in (Status.REPAIRED, Status.NOTHING_TO_DO), (fault, found.reason)
    assert check(found.domain_text, problem, plan, repair=False).determination is True, fault


@pytest.mark.deep
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_fault_of_each_kind_is_mended_in_each_domain(folder: Path, fault: str) -> None:
    for seed in range(2):
        broken(folder, fault, seed)


# --- parentheses ------------------------------------------------------------------------------------


def test_most_single_parentheses_are_put_right() -> None:
    right = 0
    for seed in range(16):
        draw = random.Random(seed)
        text = (draw.choice(FOLDERS) / "domain.pddl").read_text()
        plain = re.sub(r";[^\n]*", lambda match: " " * len(match[0]), text)
        at = draw.choice([place for place, sign in enumerate(plain) if sign == ")"])
        changed = text[:at] + (text[at + 1 :] if seed % 2 else f"){text[at:]}")
        try:
            readable(changed, ())
        except ModelError:
            continue
        right += 1
    assert right >= 11
