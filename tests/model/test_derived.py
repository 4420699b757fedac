"""Derived predicates against their definition: rounds over every binding until nothing is new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.execution.simulator import Simulator
from validator.model import derived as closures
from validator.model.conditions import bindings, ground, holds
from validator.model.derived import Closure, strata
from validator.model.pddl import read_model
from validator.model.values import (
    Action,
    And,
    Atom,
    Axiom,
    Conditional,
    Domain,
    Effect,
    Equal,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Literal,
    Model,
    Not,
    Or,
    Parameter,
    Problem,
    Types,
)
from validator.reading.plan import Step
from validator.records import replace

T, U, ANY = frozenset(("t",)), frozenset(("u",)), frozenset(("object",))
OBJECTS = {"a": T, "b": T, "c": U, "d": T | U}
VARIABLES = ("?x", "?y", "?z")
ARITY = {"e": 2, "f": 1, "p": 1, "q": 2, "r": 1}
DERIVED = ("p", "q", "r")

PARAMETERS = st.builds(Parameter, st.sampled_from(VARIABLES), st.sampled_from((T, U, ANY)))
TERMS = st.sampled_from((*VARIABLES, "a", "c"))
ATOMS = st.sampled_from(sorted(ARITY)).flatmap(
    lambda name: st.tuples(*[TERMS] * ARITY[name]).map(lambda terms: Atom(name, terms))
)
FORMULAS: st.SearchStrategy[Formula] = st.recursive(
    ATOMS | st.builds(Equal, TERMS, TERMS),
    lambda part: st.one_of(
        st.builds(Not, part),
        st.builds(And, st.lists(part, max_size=3).map(tuple)),
        st.builds(Or, st.lists(part, max_size=3).map(tuple)),
        st.builds(Imply, part, part),
        st.builds(Exists, st.tuples(PARAMETERS), part),
        st.builds(Forall, st.tuples(PARAMETERS), part),
    ),
    max_leaves=8,
)
AXIOMS = st.sampled_from(DERIVED).flatmap(
    lambda name: st.tuples(st.just(name), st.tuples(*[st.sampled_from((T, U, ANY))] * ARITY[name]), FORMULAS)
)
FACTS = [(name, *terms) for name in ("e", "f") for terms in (
    [(one,) for one in OBJECTS] if ARITY[name] == 1 else [(one, other) for one in OBJECTS for other in OBJECTS]
)]  # fmt: skip
STATES = st.sets(st.sampled_from(FACTS), max_size=8).map(frozenset)


def axiom(name: str, types: tuple[frozenset[str], ...], condition: Formula) -> Axiom:
    """Return an axiom, its condition closed by quantifiers over what its head does not name."""
    names = VARIABLES[: len(types)]
    outside = tuple(Parameter(name, ANY) for name in VARIABLES[len(types) :])
    parameters = tuple(Parameter(name, known) for name, known in zip(names, types, strict=True))
    return Axiom(predicate=name, parameters=parameters, condition=Exists(outside, condition))


def model_of(axioms: tuple[Axiom, ...]) -> Model:
    named = {name: tuple(Parameter(f"?{place}") for place in range(arity)) for name, arity in ARITY.items()}
    types = Types({"t": ANY, "u": ANY})
    domain = Domain(name="d", types=types, constants={}, predicates=named, functions={}, actions={}, axioms=axioms)
    return Model(domain=domain, problem=Problem(name="q", objects=OBJECTS, init=frozenset(), values={}, goal=And(())))


def by_definition(model: Model, state: frozenset[GroundAtom]) -> set[GroundAtom]:
    levels = strata(model.domain.axioms)
    assert isinstance(levels, dict)
    atoms = set(state)
    for level in sorted(set(levels.values())):
        rules = [axiom for axiom in model.domain.axioms if levels[axiom.predicate] == level]
        size = -1
        while size < len(atoms):
            size = len(atoms)
            atoms |= {
                (rule.predicate, *(binding[parameter.name] for parameter in rule.parameters))
                for rule in rules
                for binding in bindings(model, rule.parameters, {})
                if holds(model, rule.condition, binding, atoms)
            }
    return atoms


@given(st.lists(AXIOMS, min_size=1, max_size=4), st.lists(STATES, min_size=1, max_size=4))
def test_states_one_after_the_other_are_extended_as_defined(
    parts: list[tuple[str, tuple[frozenset[str], ...], Formula]], states: list[frozenset[GroundAtom]]
) -> None:
    model = model_of(tuple(axiom(*part) for part in parts))
    if isinstance(strata(model.domain.axioms), str):
        return
    closure = Closure(model)
    for state in states:
        assert set(closure.extend(state)) == by_definition(model, state)


def test_a_state_with_its_derived_atoms_is_extended_to_itself() -> None:
    model = read_model(
        "(define (domain d) (:predicates (e ?x ?y) (p ?x ?y))"
        " (:derived (p ?x ?y) (or (e ?x ?y) (exists (?z) (and (e ?x ?z) (p ?z ?y))))))",
        "(define (problem q) (:domain d) (:objects a b c) (:init (e a b) (e b c)) (:goal (p a c)))",
    )
    closure = Closure(model)
    whole = closure.extend(model.problem.init)
    assert closure.extend(whole) == whole
    assert closure.extend(model.problem.init - {("e", "b", "c")}) == {("e", "a", "b"), ("p", "a", "b")}


@pytest.mark.parametrize(("most", "computed"), [(closures._MOST_KEPT, 2), (0, 4)])
def test_a_state_that_comes_again_is_not_looked_at_again(
    most: int, computed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = read_model(
        "(define (domain d) (:predicates (e ?x) (p ?x)) (:derived (p ?x) (not (e ?x))))",
        "(define (problem q) (:domain d) (:objects a) (:init (e a)) (:goal (p a)))",
    )
    found: list[object] = []
    move = closures._Now.move

    def counted(now: closures._Now, state: frozenset[GroundAtom], values: Mapping[GroundAtom, Fraction]) -> None:
        found.append(state)
        move(now, state, values)

    monkeypatch.setattr(closures, "_MOST_KEPT", most)
    monkeypatch.setattr(closures._Now, "move", counted)
    closure, with_it, without = Closure(model), frozenset({("e", "a")}), frozenset[GroundAtom]()
    for _ in range(2):
        assert closure.extend(with_it) == with_it
        assert closure.extend(without) == {("p", "a")}
    assert len(found) == computed


def test_a_condition_that_holds_in_too_many_ways_to_take_apart_is_tested_whole() -> None:
    ways = " ".join("(or (e ?x ?x) (e ?x a) (not (e a ?x)))" for _ in range(8))
    model = read_model(
        f"(define (domain d) (:constants a b) (:predicates (e ?x ?y) (p ?x)) (:derived (p ?x) (and {ways})))",
        "(define (problem q) (:domain d) (:init (e a b) (e b a)) (:goal (p a)))",
    )
    assert set(Closure(model).extend(model.problem.init)) == by_definition(model, model.problem.init)


# --- what follows from a step ---------------------------------------------------------------------

EFFECTS: st.SearchStrategy[Effect] = st.recursive(
    st.builds(Literal, st.builds(Atom, st.just("e"), st.tuples(TERMS, TERMS)), st.booleans()),
    lambda inner: st.builds(
        Conditional, st.lists(PARAMETERS, max_size=1).map(tuple), FORMULAS, st.lists(inner, max_size=2).map(tuple)
    ),
    max_leaves=4,
)


def changes_by_definition(
    model: Model, effect: Effect, binding: dict[str, str], state: set[GroundAtom]
) -> Iterator[tuple[GroundAtom, bool]]:
    if isinstance(effect, Literal):
        yield ground(effect.atom, binding), effect.positive
    elif isinstance(effect, Conditional):
        for inner in bindings(model, effect.parameters, binding):
            if holds(model, effect.condition, inner, state):
                for each in effect.effects:
                    yield from changes_by_definition(model, each, inner, state)


@given(AXIOMS, st.lists(EFFECTS, min_size=1, max_size=2), st.lists(STATES, min_size=1, max_size=3))
def test_effects_are_those_of_every_binding_that_makes_their_condition_true(
    part: tuple[str, tuple[frozenset[str], ...], Formula], effects: list[Effect], states: list[frozenset[GroundAtom]]
) -> None:
    bare = model_of((axiom(*part),))
    if isinstance(strata(bare.domain.axioms), str):
        return
    action = Action(
        name="go", parameters=tuple(Parameter(each) for each in VARIABLES), precondition=And(()), effects=tuple(effects)
    )
    model = replace(bare, domain=replace(bare.domain, actions={"go": action}))
    simulator, args = Simulator(model), ("a", "b", "c")
    for state in states:
        given = dict(zip(VARIABLES, args, strict=True))
        found = [*chain.from_iterable(
            changes_by_definition(model, each, given, by_definition(model, state)) for each in effects
        )]  # fmt: skip
        adds, deletes = ({atom for atom, positive in found if positive is wanted} for wanted in (True, False))
        step = Step(name="go", args=args)
        assert simulator.changes(step, state) == (adds, deletes)
        made, undone = simulator.changes(step, state, is_alone=True)
        assert (made, undone & state) == (adds, deletes & state)
