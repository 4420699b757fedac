"""Edits written into texts: what is read again is what was edited, and comments, layout and names stay."""

from __future__ import annotations

import pytest

from validator.errors import PlanError
from validator.model.values import Atom, Not
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.patch import diff_of, patched_text
from validator.model_repair.rewrite import rewritten

HEAD = "(define (domain d) (:predicates (p) (Q ?x))\n  (:action a :parameters (?x)"
X, Y = (Atom("q", (name,)) for name in ("?x", "?y"))
WHEN = ":effect (and (p) (forall (?y) (when (and (p) (Q ?y)) (and (p) (not (Q ?y))))))"


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        (":precondition (p)", Edit(Kind.REMOVE_PRECONDITION, "a", Atom("p", ()), places=((),)), ":precondition (and)"),
        (":precondition (p)", Edit(Kind.ADD_PRECONDITION, "a", Not(X)), ":precondition (and (p) (not (Q ?x)))"),
        (
            ":effect (and\n    (p) ; one\n    )",
            Edit(Kind.ADD_ADD, "a", X),
            ":effect (and\n    (p) ; one\n    (Q ?x)\n    )",
        ),
        (":effect (and\r\n    (p))", Edit(Kind.ADD_DELETE, "a", X), ":effect (and\r\n    (p)\r\n    (not (Q ?x)))"),
        (":effect (and (p) (Q ?x))", Edit(Kind.REMOVE_ADD, "a", X, places=((1,),)), ":effect (and (p))"),
        (
            ":effect (and (p)\n    (Q ?x) ; why\n    )",
            Edit(Kind.REMOVE_ADD, "a", X, places=((1,),)),
            ":effect (and (p)\n    ; why\n    )",
        ),
        (
            ":effect (and (p) ; why\n    (Q ?x))",
            Edit(Kind.REMOVE_ADD, "a", X, places=((1,),)),
            ":effect (and (p) ; why\n    )",
        ),
        (
            ":effect (and (p)\n    (Q ?x))",
            Edit(Kind.REMOVE_ADD, "a", X, places=((1,),)),
            ":effect (and (p))",
        ),
        (
            ":effect (and (p)\n    (Q ?x)\n    (not (p)))",
            Edit(Kind.REMOVE_ADD, "a", X, places=((1,),)),
            ":effect (and (p)\n    (not (p)))",
        ),
        ("", Edit(Kind.ADD_ADD, "a", X), "\n  :effect (and (Q ?x))"),
        (
            ":precondition (or (p) (and (p) (Q ?x)))",
            Edit(Kind.REMOVE_PRECONDITION, "a", X, places=((1, 1),)),
            ":precondition (or (p) (and (p)))",
        ),
        (
            ":precondition (forall (?y) (imply (p) (and (p) (Q ?y))))",
            Edit(Kind.REMOVE_PRECONDITION, "a", Y, places=((0, 1, 1),)),
            ":precondition (forall (?y) (imply (p) (and (p))))",
        ),
        (
            WHEN,
            Edit(Kind.REMOVE_CONDITION, "a", Y, places=((1, 0, -1, 1),)),
            WHEN.replace("(p) (Q ?y)) (and", "(p)) (and"),
        ),
        (WHEN, Edit(Kind.REMOVE_DELETE, "a", Y, places=((1, 0, 1),)), WHEN.replace(" (not (Q ?y))", "")),
        (WHEN, Edit(Kind.ADD_ADD, "a", X, scope=(1, 0)), WHEN.replace("(not (Q ?y))", "(not (Q ?y)) (Q ?x)")),
    ],
)
def test_layout_comments_and_names_are_kept(before: str, edit: Edit, after: str) -> None:
    gap = " " if before else ""
    assert rewritten(f"{HEAD}{gap}{before}))\n", (edit,)) == f"{HEAD}{gap}{after}))\n"


def test_a_diff_is_refused_for_another_text() -> None:
    diff = diff_of("a\nb\n", "a\nc\n", "x")
    assert patched_text(diff, "a\nb\n") == "a\nc\n"
    with pytest.raises(PlanError, match="does not fit the text at line 1"):
        patched_text(diff, "a\nd\n")
    with pytest.raises(PlanError, match="no hunk"):
        patched_text("", "a\n")


@pytest.mark.parametrize(
    ("before", "after"), [("a\nb", "a\nc"), ("a", ""), ("", "a\n"), ("a\n", "a"), ("a\r\nb\n", "b\n")]
)
def test_a_diff_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    assert patched_text(diff_of(before, after, "x"), before) == after
