"""The short cut for plain lists of steps beside the whole way: what both read, they read alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.checking.prepared import prepare
from validator.model.bundled import bundle
from validator.reading.plan import Plan
from validator.reading.tokens import Vocabulary, read
from validator.reading.tokens.plain import read_plain
from validator.reading.tokens.text import read_any

BUNDLE = bundle("blocks").domain.parents[1]
BLOCKS = prepare(bundle("blocks").domain, bundle("blocks").problem).vocabulary

names = st.sampled_from(["take", "LIFT", "lower", "a", "B", "d", "e", "1", "no", "plan"])
steps = st.lists(names, max_size=3).map(lambda words: f"({' '.join(words)})")
REMARKS = (
    "cost = 8 (unit cost)|no plan exists|(lift b)|,|(|'|[a]|{|=|Plan found|->|<think>|;|1.|- |step 2:|0.5:|not|a|\r"
)
MORE = "makespan|the goal is unreachable|\u2192|```"
remarks = st.lists(st.sampled_from(f"{REMARKS}|{MORE}".split("|")), max_size=3).map(lambda said: f";{' '.join(said)}")
blanks = st.sampled_from(["\n", " ", "", "\n\n", "\r\n", "\t", "\n  ", "\x0b", "\u2028"])
texts = st.lists(
    st.one_of(steps, steps, remarks, st.sampled_from(["0.5: ", "x", "(lift b)", "(take a b)\n"])), max_size=5
)


@st.composite
def plans(draw: st.DrawFn) -> str:
    return "".join(f"{draw(blanks)}{piece}{draw(blanks)}" for piece in draw(texts))


def _spans(plan: Plan) -> list[object]:
    return [(part, part.span) for part in plan.parts]


def _is_read_alike(text: str, known: Vocabulary) -> bool:
    """Return whether a text is plain; it fails where the whole way reads it otherwise."""
    plain = read_plain(text, known)
    if plain is None:
        return False
    for is_literal in (False, True):
        whole = read_any(text, known, None, is_literal)
        assert whole.candidates == read(text, known, strict=is_literal).candidates
        assert (whole.plan, whole.plan.warnings, whole.plan.text) == (plain, plain.warnings, text)
        assert _spans(whole.plan) == _spans(plain)
        assert (len(whole.candidates), whole.missed, whole.passed_over, whole.no_plan) == (1, (), (), None)
        assert whole.plan.claims_no_plan is None
    return True


@settings(max_examples=150, deadline=None)
@given(text=plans())
def test_what_is_read_at_once_is_read_alike(text: str) -> None:
    _is_read_alike(text, BLOCKS)


@pytest.mark.parametrize("problem", sorted(BUNDLE.glob("*/problem.pddl")), ids=lambda problem: problem.parent.name)
def test_bundled_plans_are_read_alike(problem: Path) -> None:
    known = prepare(problem.with_name("domain.pddl"), problem).vocabulary
    found = {
        plan.name: _is_read_alike(plan.read_text(encoding="utf-8"), known) for plan in problem.parent.glob("*.plan")
    }
    assert not any(path.name == "good.plan" for path in problem.parent.glob("*.plan")) or found["good.plan"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "; nothing\n",
        "(lift b) and (lower b)",
        "0.5: (lift b)\n",
        "(lift zzz)\n",
        "lift b\n",
        "(lift b)\n(lower",
        "; no plan exists\n(lift b)\n",
        "; Plan found with metric 3\n(lift b)\n",
        "\ufeff(lift b)\n",
        "<think>(lift b)</think>\n(lower b)\n",
    ],
)
def test_anything_else_is_left_to_the_whole_way(text: str) -> None:
    assert read_plain(text, BLOCKS) is None


def test_a_step_in_a_comment_is_told() -> None:
    plan = read_plain("; (lift b) comes later\n(take a b)\n", BLOCKS)
    assert plan is not None
    assert plan.warnings == ("1 step stands in a comment and is not part of the plan",)
