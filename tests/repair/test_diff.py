"""StepDiffs and the unified diff: what git shows, and what applies again."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator import PlanError
from validator.reading.plan import Step
from validator.repair.diff import DiffAction, StepDiff, apply_diff, step_diffs, unified
from validator.repair.edit import Edit, Move


def old(found: tuple[StepDiff, ...]) -> list[str]:
    return [str(diff.step) for diff in found if diff.diff_type is not DiffAction.ADD]


def new(found: tuple[StepDiff, ...]) -> list[str]:
    return [str(diff.step) for diff in found if diff.diff_type is not DiffAction.DELETE]


def lines(steps: list[str]) -> str:
    return "".join(f"{step}\n" for step in steps)


# --- StepDiffs -----------------------------------------------------------------------------------


def test_deletions_come_before_additions_between_steps_that_stay() -> None:
    edits = [
        Edit(move=move, token=Step(name=name))
        for move, name in (
            (Move.INSERT, "a"),
            (Move.SKIP, "b"),
            (Move.INSERT, "c"),
            (Move.KEEP, "d"),
            (Move.INSERT, "e"),
            (Move.SKIP, "f"),
        )
    ]
    assert [str(diff) for diff in step_diffs(edits)] == ["-(b)", "+(a)", "+(c)", " (d)", "-(f)", "+(e)"]


# --- applying ------------------------------------------------------------------------------------

_CHANGES = st.lists(
    st.builds(
        StepDiff,
        diff_type=st.sampled_from([None, None, None, DiffAction.ADD, DiffAction.DELETE]),
        step=st.builds(
            Step,
            name=st.sampled_from(["a", "b", "pick-up", "stack"]),
            args=st.lists(st.sampled_from(["x", "y-1", "z_2"]), max_size=2).map(tuple),
        ),
    ),
    max_size=25,
).map(tuple)
_WIDTHS = st.none() | st.integers(min_value=0, max_value=6)


@given(found=_CHANGES, context=_WIDTHS)
def test_applying_the_diff_gives_the_repaired_plan(found: tuple[StepDiff, ...], context: int | None) -> None:
    text = unified(found, context)
    if text:
        assert apply_diff(text, lines(old(found))) == tuple(new(found))
    else:
        assert old(found) == new(found)


def test_a_diff_of_a_plan_over_time_applies_whatever_decimals_the_plan_has() -> None:
    diff = (
        "--- plan\n+++ plan (repaired)\n@@ -1,2 +1,2 @@\n 0: (heat m) [3]\n-3: (brew m) [2.5]\n+3.001: (brew m) [2.5]\n"
    )
    assert apply_diff(diff, "0.000: (heat m) [3.000]\n3.0: (brew m) [2.50]\n") == (
        "0: (heat m) [3]",
        "3.001: (brew m) [2.5]",
    )


@pytest.mark.skipif(shutil.which("patch") is None, reason="the program 'patch' is not installed")
@settings(max_examples=40)
@given(found=_CHANGES.filter(lambda found: any(diff.diff_type for diff in found)), context=_WIDTHS)
def test_the_program_patch_applies_it_too(
    tmp_path_factory: pytest.TempPathFactory, found: tuple[StepDiff, ...], context: int | None
) -> None:
    folder = tmp_path_factory.mktemp("patch")
    plan = folder / "plan"
    plan.write_text(lines(old(found)))
    subprocess.run(
        ["patch", "--quiet", "--force", "--fuzz=0", "--posix", "plan"],
        input=unified(found, context),
        text=True,
        cwd=folder,
        check=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    assert (plan.read_text() if plan.exists() else "") == lines(new(found))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "the diff has no hunk '@@ -a,b +c,d @@': reports without a repair, and of flows and tool calls, have none",
        ),
        (
            "nothing of the kind\n",
            "the diff has no hunk '@@ -a,b +c,d @@': reports without a repair, and of flows and tool calls, have none",
        ),
        ("@@ -1,2 +1,1 @@\n-(a)\n", "the last hunk of the diff is cut off"),
        ("@@ -1,1 +1,1 @@\n*(a)\n", "line 2 of the diff begins with none of '+', '-' and ' ': '*(a)'"),
        ("@@ -2,1 +2,1 @@\n-(a)\n+(b)\n", "the diff does not fit the plan at step 2; it was made for another plan"),
        ("@@ -1,1 +1,1 @@\n-(z)\n+(b)\n", "the diff does not fit the plan at step 1; it was made for another plan"),
    ],
)
def test_a_diff_that_is_none_or_of_another_plan_is_refused(text: str, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        apply_diff(text, "(a)\n(c)\n")
    assert caught.value.message == message


IN_WORDS = "1. Take block b from on top of d.\n2. Lift c.\n"


def test_a_diff_of_steps_is_refused_for_a_plan_in_words_alone() -> None:
    diff = "@@ -1,1 +1,2 @@\n (take b d)\n+(lower b)\n"
    with pytest.raises(PlanError, match="cannot be applied to a plan in words alone: give its model, too"):
        apply_diff(diff, IN_WORDS)
    assert apply_diff(diff, (Step(name="take", args=("b", "d")),)) == ("(take b d)", "(lower b)")


def test_a_diff_in_words_is_one_of_lines() -> None:
    diff = "@@ -1,2 +1,3 @@\n 1. Take block b from on top of d.\n+lower b\n 2. Lift c.\n"
    assert apply_diff(diff, IN_WORDS) == ("1. Take block b from on top of d.", "lower b", "2. Lift c.")
