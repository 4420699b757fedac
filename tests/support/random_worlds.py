"""Small random models with what features say, up to all that the syntax of classical PDDL allows, and plans for them.

Types of several levels, ``either``, types without objects, constants, arities 0 to 3, conditions nested as they come
(quantifiers in each other, shadowed names, ``imply``, equality), one object for two parameters, atoms that an action
both adds and deletes, conditional effects for all objects, recursive axioms over negated ones, prices that are 0 or
read from functions of several arguments, goals that hold at once or never, and names in capitals here and there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.support.edit_oracle import CHEAP, Oracle, State

Texts = tuple[str, str]
"""of a domain and of a problem"""


_TYPES = ("vessel", "ship", "boat", "port", "Crate")
_STATIC = (("near", 2), ("open", 1))
_CHANGING = (("calm", 0), ("on", 1), ("at", 2), ("tied", 3), ("seen", 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What a model has beside types, constants, static facts and prices that are read from functions.

    ``depth`` is how deep conditions and effects are nested: quantifiers, disjunctions and the like. Names in capitals,
    ``either``, predicates of three arguments and effects that contradict each other are ``odd``.
    """

    depth: int = 2
    conditional: bool = True
    axioms: bool = True
    odd: bool = True


EVERYTHING, SIMPLE = Features(), Features(depth=1, odd=False)
PLAIN, CONDITIONAL = (Features(depth=0, conditional=has, axioms=False, odd=False) for has in (False, True))


@dataclass(frozen=True)
class _Derived:
    name: str
    arity: int


class _World:
    """The random parts of one model."""

    def __init__(self, seed: int, prices: Sequence[str], features: Features) -> None:
        self.random, self.prices, self.features = Random(f"world {seed}"), prices, features
        draw, is_odd = self.random, features.odd
        self.types = list(_TYPES[: draw.randint(2, len(_TYPES) if is_odd else 2)])
        self.parents = {name: draw.choice(["object", *self.types[:number]]) for number, name in enumerate(self.types)}
        self.constants = [(f"C{number}", self.kind()) for number in range(draw.choice((0, 1, 1, 2)))]
        self.objects = [(f"o{number}", self.kind()) for number in range(draw.randint(1 + (not self.constants), 3))]
        self.changing = draw.sample(_CHANGING if is_odd else _CHANGING[:3], draw.randint(2, 3))
        self.derived = [
            _Derived(f"d{number}", draw.choice((0, 1, 1, 2)) if is_odd else 1)
            for number in range(draw.choice((0, 0, 1, 2) if is_odd else (0, 0, 1)) if features.axioms else 0)
        ]
        self.priced = draw.randint(1, 2)

    def kind(self) -> str:
        draw = self.random
        if self.features.odd and draw.random() < 0.15:
            return f"(either {' '.join(draw.sample(self.types, 2))})"
        return draw.choice([*self.types, "object"])

    def said(self, name: str) -> str:
        """Return a name as it may be written as well."""
        return name.upper() if self.features.odd and self.random.random() < 0.03 else name

    # --- conditions ------------------------------------------------------------------------------

    def atom(self, terms: Sequence[str], known: Sequence[tuple[str, int]]) -> str:
        fitting = [one for one in known if terms or not one[1]]
        if not fitting:
            return "(and)"
        name, arity = self.random.choice(fitting)
        return f"({' '.join((self.said(name), *self.random.choices(terms, k=arity)))})" if arity else f"({name})"

    def read(self, below: int) -> list[tuple[str, int]]:
        """Return what a condition may read: of the derived predicates those before a place."""
        derived = [(one.name, one.arity) for one in self.derived[:below]]
        return [*self.changing, *self.changing, *_STATIC, *derived, *derived]

    def condition(self, terms: Sequence[str], depth: int, below: int, share: float = 0.65) -> str:
        draw, depth = self.random, min(depth, self.features.depth)
        kind = draw.random() if depth else draw.random() * 0.5
        if kind < 0.42 or (kind < 0.5 and not terms):
            atom = self.atom(terms, self.read(below))
            return atom if draw.random() < share else f"(not {atom})"
        if kind < 0.5:
            return f"(= {draw.choice(terms)} {draw.choice(terms)})"
        if kind < 0.58:
            return f"(not {self.condition(terms, depth - 1, below)})"
        if kind < 0.66:
            return f"(imply {self.condition(terms, depth - 1, below)} {self.condition(terms, depth - 1, below)})"
        if kind < 0.8:
            parts = " ".join(self.condition(terms, depth - 1, below) for _ in range(draw.randint(0, 3)))
            return f"({draw.choice(('and', 'or', 'or'))} {parts})"
        names, inner = self.variables(terms)
        return f"({draw.choice(('forall', 'exists'))} ({names}) {self.condition(inner, depth - 1, below)})"

    def variables(self, terms: Sequence[str]) -> tuple[str, list[str]]:
        """Return declared variables, of which one may hide a parameter, and the terms in their scope."""
        names = self.random.sample(("?u", "?v", "?x0"), self.random.choice((1, 1, 2)))
        return self.parameters(names), [*dict.fromkeys((*terms, *names, *names))]

    def parameters(self, names: Sequence[str]) -> str:
        untyped = self.random.random() < 0.1
        return " ".join(names) if untyped else " ".join(f"{name} - {self.kind()}" for name in names)

    # --- effects ---------------------------------------------------------------------------------

    def effect(self, terms: Sequence[str], depth: int) -> str:
        draw = self.random
        kind = draw.random() if depth and self.features.conditional else 0.0
        if kind < 0.6 or (kind >= 0.75 and not self.features.depth):
            atom = self.atom(terms, self.changing)
            if atom == "(and)" or draw.random() < 0.55:
                return atom
            return f"(not {atom})" if not self.features.odd or draw.random() < 0.85 else f"(and (not {atom}) {atom})"
        if kind < 0.75:
            return f"(when {self.condition(terms, 1, len(self.derived))} {self.effect(terms, depth - 1)})"
        if kind < 0.85:
            return f"(and {self.effect(terms, depth - 1)} {self.effect(terms, depth - 1)})"
        names, inner = self.variables(terms)
        return f"(forall ({names}) {self.effect(inner, depth - 1)})"

    def action(self, number: int) -> str:
        draw = self.random
        named = [f"?x{place}" for place in range(draw.choice((0, 1, 1, 2, 2, 3) if self.features.odd else (0, 1, 2)))]
        terms = [*named, *(name for name, _ in self.constants)]
        parts = [f":parameters ({self.parameters(named)})"]
        if draw.random() < 0.9:
            conditions = [
                self.condition(terms, 2, len(self.derived), 0.75) for _ in range(draw.choice((0, 0, 1, 1, 2)))
            ]
            whole = " ".join(conditions)
            parts.append(f":precondition {whole if len(conditions) == 1 else f'(and {whole})'}")
        effects = [self.effect(terms, 2) for _ in range(draw.randint(1, 3))]
        if draw.random() < 0.8:
            price = draw.choice(self.prices)
            if terms and draw.random() < 0.3:
                price = f"(price {' '.join(draw.choices(terms, k=self.priced))})"
            effects.append(f"(increase (total-cost) {price})")
        return f"(:action {self.said(f'move{number}')} {' '.join(parts)} :effect (and {' '.join(effects)}))"

    # --- the whole -------------------------------------------------------------------------------

    def axiom(self, number: int) -> str:
        one = self.derived[number]
        names = [f"?y{place}" for place in range(one.arity)]
        terms = [*names, *(name for name, _ in self.constants)]
        condition = self.condition(terms, 2, number)
        if self.random.random() < 0.5 and one.arity:
            again = f"(exists (?w) (and (near ?w {names[0]}) ({one.name} {' '.join(('?w', *names[1:]))})))"
            condition = f"(or {condition} {again})"
        return f"(:derived ({' '.join((one.name, *names))}) {condition})"

    def texts(self) -> Texts:
        draw = self.random
        types = " ".join(f"{name} - {parent}" for name, parent in self.parents.items())
        constants = " ".join(f"{name} - {kind}" for name, kind in self.constants)
        declared = [*self.changing, *_STATIC, *((one.name, one.arity) for one in self.derived)]
        predicates = " ".join(f"({name}{''.join(f' ?a{n}' for n in range(arity))})" for name, arity in declared)
        priced = " ".join(f"?a{number}" for number in range(self.priced))
        axioms = " ".join(self.axiom(number) for number in range(len(self.derived)))
        actions = " ".join(self.action(number) for number in range(draw.randint(2, 4)))
        domain = (
            f"(define (domain world) (:requirements :adl :derived-predicates :action-costs) (:types {types})"
            f" {f'(:constants {constants})' if constants else ''} (:predicates {predicates})"
            f" (:functions (total-cost) - number (price {priced}) - number) {axioms} {actions})"
        )
        names = [name for name, _ in (*self.constants, *self.objects)]
        share = draw.choice((0.1, 0.3, 0.6))
        every = [atom for name, arity in (*self.changing, *_STATIC) for atom in _atoms(name, arity, names)]
        facts = [self.said(atom) for atom in every if draw.random() < share]
        prices = [f"(= {atom} {draw.choice(self.prices)})" for atom in _atoms("price", self.priced, names)]
        begin = draw.choice(("", "(= (total-cost) 0)", "(= (total-cost) 0)", "(= (total-cost) 7.25)"))
        goals = [self.condition(names, draw.choice((0, 0, 1, 3)), len(self.derived)) for _ in range(draw.randint(0, 3))]
        objects = " ".join(f"{name} - {kind}" for name, kind in self.objects)
        metric = "(:metric minimize (total-cost))" if draw.random() < 0.8 else ""
        return domain, (
            f"(define (problem one) (:domain world) (:objects {objects}) (:init {' '.join((*facts, *prices, begin))})"
            f" (:goal (and {' '.join(goals)})) {metric})"
        )


def _atoms(name: str, arity: int, names: Sequence[str]) -> list[str]:
    found = [name]
    for _ in range(arity):
        found = [f"{begun} {one}" for begun in found for one in names]
    return [f"({atom})" for atom in found]


def random_world(seed: int, prices: Sequence[str] = CHEAP, features: Features = EVERYTHING) -> Texts:
    return _World(seed, prices, features).texts()


def random_moves(seed: int) -> Texts:
    """Return a model whose actions mostly add as much as they take away: of many atoms one holds at a time."""
    random = Random(f"moves {seed}")
    known = random.sample((("free", 0), ("p", 1), ("q", 1), ("r", 2), ("w", 2)), random.randint(2, 4))
    objects = [f"o{number}" for number in range(random.randint(2, 3))]

    def atom(terms: Sequence[str]) -> str:
        name, arity = random.choice(known)
        return f"({' '.join((name, *(random.choice(terms) for _ in range(arity))))})"

    actions = []
    for number in range(random.randint(2, 4)):
        named = [f"?x{place}" for place in range(random.randint(1, 2))]
        terms = [*named, "c"] if random.random() < 0.2 else named
        needs = [atom(terms) for _ in range(random.randint(1, 3))]
        deletes = [need for need in needs if random.random() < 0.85]
        if random.random() < 0.1:
            deletes.append(atom(terms))
        adds = [atom(terms) for _ in range(max(0, len(deletes) + random.choice((-1, 0, 0, 0, 0, 1))))]
        if len(named) > 1 and random.random() < 0.2:
            needs.append("(not (= ?x0 ?x1))")
        if random.random() < 0.1:
            needs.append(f"(not {atom(terms)})")
        types = " ".join(f"{name} - {random.choice(('s', 'object', 'object'))}" for name in named)
        effects = " ".join((*adds, *(f"(not {gone})" for gone in deletes)))
        actions.append(
            f"(:action a{number} :parameters ({types}) :precondition (and {' '.join(needs)}) :effect (and {effects}))"
        )
    declared = " ".join(f"({name}{''.join(f' ?y{at}' for at in range(arity))})" for name, arity in known)
    domain = (
        "(define (domain d) (:requirements :adl) (:types s) (:constants c - s)"
        f" (:predicates {declared}) {' '.join(actions)})"
    )
    kinds = " ".join(f"{name} - {random.choice(('s', 'object'))}" for name in objects)
    init = " ".join(sorted({atom([*objects, "c"]) for _ in range(random.randint(1, 5))}))
    goal = atom([*objects, "c"])
    return domain, f"(define (problem q) (:domain d) (:objects {kinds}) (:init {init}) (:goal {goal}))"


def with_goal_in_reach(texts: Texts, random: Random) -> Texts:
    """Return a model whose goal is part of what a random walk leads to."""
    domain, problem = texts
    oracle = Oracle(*texts)
    state = oracle.init
    for _ in range(random.randint(1, 5)):
        if ways := oracle.successors(state):
            _, state, _ = random.choice(ways)
    changing = sorted(state ^ oracle.init) or sorted(state)
    chosen = random.sample(changing, min(len(changing), random.randint(1, 3)))
    atoms = [(f"({' '.join(atom)})", atom in state) for atom in chosen]
    goal = " ".join(atom if holds else f"(not {atom})" for atom, holds in atoms)
    return domain, f"{problem[: problem.index('(:goal')]}(:goal (and {goal})){_behind_goal(problem)}"


def _behind_goal(problem: str) -> str:
    """Return what stands behind the goal, which is the last section but the metric."""
    return f" {problem[problem.index('(:metric') :]}" if "(:metric" in problem else ")"


def states_of(oracle: Oracle, most: int) -> list[State] | None:
    """Return all states that can be reached, None where they are more than a number."""
    found = oracle.ways(oracle.init, most)
    return None if len(found) > most else list(found)


def way_to_goal(oracle: Oracle, state: State) -> list[str] | None:
    """Return a shortest way to the goal, None where there is none."""
    ways = (way for end, way in oracle.ways(state).items() if oracle.is_goal(end))
    return next((list(map(str, way)) for way in ways), None)


def wrong_walk(oracle: Oracle, random: Random, steps: int, faults: int, *, to_goal: bool = False) -> list[str]:
    """Return a walk of some steps in which some are dropped, exchanged, replaced, repeated, or no steps at all.

    With ``to_goal`` it goes on to the goal, if it can be reached, before it is made wrong.
    """
    state, walk = oracle.init, list[str]()
    while len(walk) < steps and (ways := oracle.successors(state)):
        step, state, _ = random.choice(ways)
        walk.append(str(step))
    if to_goal:
        walk += way_to_goal(oracle, state) or []
    names = [one[1:-1].split()[0] for one in map(str, oracle.steps)] or ["move0"]
    for _ in range(faults):
        place = random.randint(0, len(walk))
        match random.randrange(6):
            case 0:
                del walk[place : place + 1]
            case 1 if place + 1 < len(walk):
                walk[place], walk[place + 1] = walk[place + 1], walk[place]
            case 2 | 3 if oracle.steps:
                walk[place : place + random.randint(0, 1)] = [str(random.choice(oracle.steps))]
            case 4 if walk:
                walk.insert(place, random.choice(walk))
            case _:
                args = random.choices(oracle.reference.objects or ["o0"], k=random.randint(0, 3))
                walk.insert(place, f"({' '.join((random.choice(names), *args))})")
    return walk


def shouted(plan: Sequence[str], random: Random) -> str:
    """Return the text of a plan with some lines in capitals, which mean the same."""
    return "".join(f"{line.upper() if random.random() < 0.1 else line}\n" for line in plan)
