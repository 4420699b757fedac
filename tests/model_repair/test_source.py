"""Edits written into texts: what is read again is what was edited, and comments, layout and names stay."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.support.applied_edits import applied
from tests.support.places import ROOT, SHARED
from validator.errors import ModelError, PlanError
from validator.model.pddl import read_domain
from validator.model.values import TRUE, And, Atom, Conditional, Domain, Effect, Exists, Forall, Formula, Imply, Not, Or
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.patch import diff_of, patched
from validator.model_repair.rewrite import rewritten
from validator.model_repair.space import Body, Part, all_of, space_of

DATA = SHARED / "data"
DOMAINS = sorted([*ROOT.glob("domains/*/domain.pddl"), *ROOT.glob("tests/conformance/cases/*/domain.pddl")])
ADL = """(define (domain Office) ; a comment
  (:requirements :adl)
  (:types Room Thing - object)
  (:predicates (At ?t - Thing ?r - Room) (open ?r - Room) (wet ?t - Thing) (in ?t - Thing))
  (:action Move ; another
    :parameters (?From ?to - Room)
    :precondition (or (and (open ?from) (open ?to)) ; either both
                      (forall (?t - Thing) (and (wet ?t) (not (in ?t)))))
    :effect (and (open ?to)
                 (forall (?t - Thing)
                   (when (and (in ?t) (wet ?t)) ; what is carried
                         (and (At ?t ?to) (not (At ?t ?From)))))))
  (:action rest :parameters () :precondition () :effect (and)))
"""


def removals(parts: tuple[Part, ...]) -> list[Edit]:
    return [edit for part in parts for edit in ([part.edit] if part.edit else []) + removals(part.parts or ())]


def body_edits(action: str, body: Body) -> list[Edit]:
    found = [edit for _, _, edit in body.literals] + removals(body.condition)
    return found + [edit for inner in body.inner for edit in body_edits(action, inner)]


def random_edits(domain: Domain, draw: random.Random, number: int) -> list[Edit]:
    """Return edits of any kind, in one domain."""
    space = space_of(domain, domain.actions)
    every: list[Edit] = []
    for name, schema in space.schemas.items():
        every += removals(schema.precondition) + body_edits(name, schema.body)
        bodies = [body for body in schema.body.walk() if body.literals or not body.scope]
        for body in bodies:
            there = {(atom, positive) for atom, positive, _ in body.literals}
            atoms = list(all_of(space.terms(name, body)))
            for atom in draw.sample(atoms, min(3, len(atoms))):
                for kind in (Kind.ADD_ADD, Kind.ADD_DELETE):
                    if (atom, kind is Kind.ADD_ADD) not in there:
                        every.append(Edit(kind, name, atom, scope=body.scope))
        every += draw.sample(space.preconditions(name), min(2, len(space.preconditions(name))))
    return draw.sample(every, min(number, len(every)))


def simple(formula: Formula) -> Formula:
    """Return a condition with conjunctions flat and what is always true left out."""
    match formula:
        case And(parts):
            flat = [part for one in map(simple, parts) for part in (one.parts if isinstance(one, And) else (one,))]
            return flat[0] if len(flat) == 1 else And(tuple(sorted(flat, key=str)))
        case Or(parts):
            found = tuple(map(simple, parts))
            return TRUE if TRUE in found else Or(found)
        case Imply(premise, conclusion):
            return TRUE if simple(conclusion) == TRUE else Imply(premise, simple(conclusion))
        case Forall(parameters, part):
            return TRUE if simple(part) == TRUE else Forall(parameters, simple(part))
        case Exists(parameters, part):
            return TRUE if simple(part) == TRUE else Exists(parameters, simple(part))
        case _:
            return formula


def plain(effects: tuple[Effect, ...]) -> frozenset[object]:
    """Return effects in no order, with what is empty left out."""
    found: list[object] = []
    for effect in effects:
        if not isinstance(effect, Conditional):
            found.append(effect)
        elif inner := plain(effect.effects):
            found.append((effect.parameters, simple(effect.condition), inner))
    return frozenset(found)


def comments(text: str) -> list[str]:
    return re.findall(r";[^\n]*", text)


def agrees(text: str, seed: int) -> None:
    """Edit a text and its values at random and compare them; the diff leads from the one text to the other."""
    draw = random.Random(seed)
    domain = read_domain(text)
    edits = random_edits(domain, draw, draw.choice((1, 1, 2, 4, 8)))
    after = rewritten(text, edits)
    found, expected = read_domain(after), applied(domain, edits)
    for name, action in expected.actions.items():
        assert simple(found.actions[name].precondition) == simple(action.precondition), (edits, after)
        assert plain(found.actions[name].effects) == plain(action.effects), (edits, after)
    if all(isinstance(edit.formula, Atom | Not) for edit in edits):  # what stands inside of a part goes with it
        assert comments(after) == comments(text)
    assert patched(diff_of(text, after, "domain.pddl"), text) == after if after != text else True


def classical(path: Path) -> str:
    text = path.read_text()
    try:
        domain = read_domain(text)
    except ModelError:
        pytest.skip("the domain cannot be read, on purpose")
    if domain.features or domain.axioms or domain.object_functions:
        pytest.skip("the domain is beyond classical planning")
    return text


@pytest.mark.parametrize("path", DOMAINS[::12], ids=lambda path: path.parent.name)
def test_what_is_read_again_is_what_was_edited(path: Path) -> None:
    agrees(classical(path), len(path.parent.name))


@pytest.mark.parametrize("seed", range(12))
def test_conditional_effects_and_disjunctions_are_edited_where_they_stand(seed: int) -> None:
    agrees(ADL, seed)


@pytest.mark.deep
@pytest.mark.parametrize("path", [*DOMAINS, *sorted(DATA.glob("*/*/domain.pddl"))], ids=str)
def test_what_is_read_again_is_what_was_edited_in_many_domains(path: Path) -> None:
    text = classical(path)
    for seed in range(2):
        agrees(text, seed)


def edited(text: str, *edits: Edit) -> str:
    return rewritten(text, edits)


HEAD = "(define (domain d) (:predicates (p) (Q ?x))\n  (:action a :parameters (?x)"
X = Atom("q", ("?x",))


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
    ],
)
def test_layout_comments_and_names_are_kept(before: str, edit: Edit, after: str) -> None:
    gap = " " if before else ""
    assert edited(f"{HEAD}{gap}{before}))\n", edit) == f"{HEAD}{gap}{after}))\n"


def test_a_diff_is_refused_for_another_text() -> None:
    diff = diff_of("a\nb\n", "a\nc\n", "x")
    assert patched(diff, "a\nb\n") == "a\nc\n"
    with pytest.raises(PlanError, match="does not fit the text at line 1"):
        patched(diff, "a\nd\n")
    with pytest.raises(PlanError, match="no hunk"):
        patched("", "a\n")


@pytest.mark.parametrize(
    ("before", "after"), [("a\nb", "a\nc"), ("a", ""), ("", "a\n"), ("a\n", "a"), ("a\r\nb\n", "b\n")]
)
def test_a_diff_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    assert patched(diff_of(before, after, "x"), before) == after
