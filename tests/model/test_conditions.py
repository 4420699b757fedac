"""Quantified conditions hold as trying every binding says, whatever atoms of the state are looked at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from validator.model.conditions import bindings, holds
from validator.model.pddl import read_model
from validator.model.values import And, Atom, Exists, Forall, Formula, Imply, Model, Not, Or, Parameter

OBJECTS = ("a", "b", "c")
MODEL = read_model(
    "(define (domain d) (:types k) (:predicates (e ?x ?y) (u ?x)))",
    "(define (problem p) (:domain d) (:objects a b - k c) (:init) (:goal (and)))",
)
TERMS = st.sampled_from(("?x", "?y", "?z", "?w", "a", "c"))
ATOMS = st.one_of(
    st.builds(lambda one, two: Atom("e", (one, two)), TERMS, TERMS), st.builds(lambda one: Atom("u", (one,)), TERMS)
)
PARTS = st.recursive(
    st.one_of(ATOMS, ATOMS.map(Not)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, max_size=3).map(lambda parts: Or(tuple(parts))),
        st.builds(Imply, inner, inner),
        inner.map(Not),
        inner.map(lambda part: Exists((Parameter("?w", frozenset(("object",))),), part)),
    ),
    max_leaves=6,
)
QUANTIFIED = tuple(
    Parameter(name, frozenset((kind,))) for name, kind in (("?x", "object"), ("?y", "k"), ("?z", "object"))
)
STATES = st.sets(
    st.one_of(
        st.tuples(st.just("e"), st.sampled_from(OBJECTS), st.sampled_from(OBJECTS)),
        st.tuples(st.just("u"), st.sampled_from(OBJECTS)),
    ),
    max_size=7,
)


def _plain(model: Model, formula: Formula, binding: dict[str, str], state: set[tuple[str, ...]]) -> bool:
    match formula:
        case Not(part):
            return not _plain(model, part, binding, state)
        case And(parts):
            return all(_plain(model, part, binding, state) for part in parts)
        case Or(parts):
            return any(_plain(model, part, binding, state) for part in parts)
        case Imply(premise, conclusion):
            return not _plain(model, premise, binding, state) or _plain(model, conclusion, binding, state)
        case Forall(parameters, part):
            return all(_plain(model, part, inner, state) for inner in bindings(model, parameters, binding))
        case Exists(parameters, part):
            return any(_plain(model, part, inner, state) for inner in bindings(model, parameters, binding))
        case Atom():
            return (formula.predicate, *(binding.get(term, term) for term in formula.terms)) in state
        case _:
            raise AssertionError(formula)


@given(PARTS, STATES, st.sampled_from((Forall, Exists)), st.sampled_from(OBJECTS))
def test_quantifiers_hold_as_every_binding_says(part: Formula, state: set[tuple[str, ...]], kind: type, w: str) -> None:
    formula = kind(QUANTIFIED, part)
    assert holds(MODEL, formula, {"?w": w}, state) is _plain(MODEL, formula, {"?w": w}, state)
