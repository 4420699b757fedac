"""The comparison of plans by name, and the command that shows it."""

from __future__ import annotations

import re

import pytest

from tests.support.places import ROOT
from validator import cli
from validator.metrics import compare

PUZZLE = ROOT / "domains" / "puzzle"
MODEL = [str(PUZZLE / "domain.pddl"), str(PUZZLE / "problem.pddl")]
GOOD, DETOUR, SWAPPED = (str(PUZZLE / f"{name}.plan") for name in ("good", "detour", "broken-swapped-steps"))


def test_one_name_is_a_list_of_one_and_one_text_is_no_list() -> None:
    (pair,) = compare(["a, b", "a"], metrics="lcs").pairs
    assert list(pair.scores) == ["lcs"]
    with pytest.raises(TypeError, match="a list of plans is needed"):
        compare("(a)")
    with pytest.raises(TypeError, match="a model is what prepare"):
        compare(["a", "b"], "domain.pddl")  # type: ignore[arg-type]


# --- the command ---------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["compare", *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_a_value_that_is_not_known_has_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *MODEL, GOOD, SWAPPED, DETOUR, "--metrics", "states,links")
    assert code == 0
    assert "1-2 states, links: the reference plan does not execute: step 4, precondition: (empty b1)" in out
    assert re.search(r"^pair +states +links$\n^1-2 +- +-$\n^1-3 +0.3638 +0.8148$", out, re.MULTILINE)
