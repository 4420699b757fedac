"""A repairer of domains that tries sets of edits on the text, read as nested lists, and executes what they come to.

Domains have types, constants, quantifiers, disjunctions, conditional effects and a derived predicate; edits have
prices, names may be protected. Nothing of the package is used.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import Any, TypeAlias

from tests.support.naive_reference import Reference, parse, shown, typed

Tree: TypeAlias = Any
"""a word, or a tuple of trees"""
Path: TypeAlias = tuple[int, ...]
Change: TypeAlias = tuple[str, str, Path, Tree]
"""(kind of edit, action or problem, place in the tree of the action, what is put in)"""
State: TypeAlias = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Problem:
    objects: Mapping[str, str]
    init: State
    goal: Tree
    plans: tuple[tuple[tuple[str, ...], ...], ...]
    must_fail: tuple[tuple[tuple[str, ...], ...], ...] = ()

    def text(self) -> str:
        facts = " ".join(shown(fact) for fact in sorted(self.init))
        objects = " ".join(f"{name} - {kind}" for name, kind in self.objects.items())
        head = f"(define (problem p) (:domain wide) (:objects {objects})"
        return f"{head}\n (:init {facts})\n (:goal {shown(self.goal)}))\n"


@dataclass(frozen=True)
class Asked:
    """A domain as a tree, problems with their plans, and what is allowed at which price."""

    domain: Tree
    problems: tuple[Problem, ...]
    prices: Mapping[str, Fraction] = field(default_factory=dict)
    protected: frozenset[str] = frozenset()

    def text(self) -> str:
        return "(define\n " + "\n ".join(map(shown, self.domain[1:])) + ")\n"


def parsed(text: str) -> Tree:
    """Return a text as nested tuples of lower-case words."""
    return _frozen(parse(text))


def _frozen(tree: Tree) -> Tree:
    return tree if isinstance(tree, str) else tuple(map(_frozen, tree))


# --- what a domain says ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Act:
    parameters: Mapping[str, str]
    condition: Tree
    effect: Tree


@dataclass(frozen=True)
class _Said:
    constants: Mapping[str, str]
    predicates: Mapping[str, tuple[str, ...]]
    acts: Mapping[str, _Act]
    derived: tuple[tuple[Tree, Tree], ...]


def _said(domain: Tree) -> _Said:
    constants: Mapping[str, str] = {}
    predicates: dict[str, tuple[str, ...]] = {}
    acts, derived = {}, []
    for section in domain[2:]:
        match section[0]:
            case ":constants":
                constants = _typed(section[1:])
            case ":predicates":
                predicates = {name: tuple(_typed(rest).values()) for name, *rest in section[1:]}
            case ":derived":
                derived.append((section[1], section[2]))
            case ":action":
                parts = dict(zip(section[2::2], section[3::2], strict=True))
                acts[section[1]] = _Act(
                    _typed(parts.get(":parameters", ())),
                    parts.get(":precondition", ("and",)) or ("and",),
                    parts.get(":effect", ("and",)) or ("and",),
                )
    return _Said(constants, predicates, acts, tuple(derived))


def _typed(words: Sequence[str]) -> dict[str, str]:
    return {name: kinds[0] if kinds else "object" for name, kinds in typed(list(words))}


# --- execution -------------------------------------------------------------------------------------


def is_met(domain: Tree, problems: Sequence[Problem]) -> bool:
    """Return whether all plans do as they must."""
    return all(
        _is_valid(reference, plan) is wanted
        for problem in problems
        for reference in [Reference(shown(domain), problem.text())]
        for wanted, plans in ((True, problem.plans), (False, problem.must_fail))
        for plan in plans
    )


def _is_valid(reference: Reference, plan: Sequence[Sequence[str]]) -> bool:
    found = reference.verdict("\n".join(map(shown, plan)))
    return found is not None and found[0]


# --- every edit ------------------------------------------------------------------------------------


def edits_with_prices(asked: Asked) -> list[tuple[Fraction, Change]]:
    """Return every edit that is allowed, with its price."""
    said, found = _said(asked.domain), list[Change]()
    strengthened = {step[0] for problem in asked.problems for plan in problem.must_fail for step in plan}
    for name, act in said.acts.items():
        found += [("remove precondition", name, place, ()) for place in _conjuncts(act.condition, (0,))]
        found += _of_effects(said, name, act.effect, act.parameters, (1,))
        if name in strengthened:
            own = act.condition[1:]
            for atom in _atoms(said, act.parameters):
                found += [("add precondition", name, (0,), one) for one in (atom, ("not", atom)) if one not in own]
    priced = [(asked.prices.get(change[0], Fraction(1)), change) for change in found]
    return [(price, change) for price, change in priced if not _is_protected(asked, said, change)]


def _is_protected(asked: Asked, said: _Said, change: Change) -> bool:
    _, name, place, what = change
    tree = what
    if not what:
        act = said.acts[name]
        tree = _at((act.condition, act.effect), place)
    return name in asked.protected or not asked.protected.isdisjoint(_words(tree))


def _words(tree: Tree) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    else:
        for part in tree:
            yield from _words(part)


def _at(tree: Tree, place: Path) -> Tree:
    for number in place:
        tree = tree[number]
    return tree


def _conjuncts(tree: Tree, place: Path) -> Iterator[Path]:
    """Yield the places of what can be left out of a conjunction, and of those that stand in it."""
    assert tree[0] == "and"
    for number, part in enumerate(tree[1:], 1):
        here = (*place, number)
        yield here
        match part:
            case ("or", *inner):
                inside = list(enumerate(inner, 1))
            case ("imply", _, conclusion):
                inside = [(2, conclusion)]
            case (("forall" | "exists"), _, body):
                inside = [(2, body)]
            case _:
                inside = []
        for at, one in inside:
            if one[0] == "and":
                yield from _conjuncts(one, (*here, at))


def _of_effects(said: _Said, name: str, tree: Tree, bound: Mapping[str, str], place: Path) -> list[Change]:
    """Return the edits of effects that happen together; ``tree`` is their conjunction."""
    assert tree[0] == "and"
    found, there, inside = list[Change](), set[Tree](), list[Change]()
    for number, part in enumerate(tree[1:], 1):
        here = (*place, number)
        match part:
            case ("forall", variables, body):
                known = {**bound, **_typed(variables)}
                if body[1:] and body[0] == "and":
                    inside += _of_effects(said, name, body, known, (*here, 2))
                else:
                    inside += _of_when(said, name, body, known, (*here, 2))
            case ("when", _, _):
                inside += _of_when(said, name, part, bound, here)
            case ("not", _):
                there.add(part)
                found.append(("remove delete effect", name, here, ()))
            case _:
                there.add(part)
                found.append(("remove add effect", name, here, ()))
    if there or len(place) == 1:
        for atom in _atoms(said, bound):
            if atom not in there:
                found.append(("add effect", name, place, atom))
            if ("not", atom) not in there:
                found.append(("add delete effect", name, place, ("not", atom)))
    return found + inside


def _of_when(said: _Said, name: str, tree: Tree, bound: Mapping[str, str], place: Path) -> list[Change]:
    assert tree[0] == "when"
    conditions = [("remove effect condition", name, at, ()) for at in _conjuncts(tree[1], (*place, 1))]
    return conditions + _of_effects(said, name, tree[2], bound, (*place, 2))


def _atoms(said: _Said, bound: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    known, derived = {**said.constants, **bound}, {head[0] for head, _ in said.derived}
    for name, kinds in said.predicates.items():
        if name in derived:
            continue
        yield from (
            (name, *terms)
            for terms in product(
                *([t for t, own in known.items() if kind == own or "object" in (kind, own)] for kind in kinds)
            )
        )


def edited(asked: Asked, changes: Sequence[Change]) -> Tree:
    """Return the domain with edits made."""
    domain = asked.domain
    for name in {name for _, name, _, _ in changes}:
        at = next(n for n, section in enumerate(domain) if section[:2] == (":action", name))
        (head, act, _, parameters, _, condition, _, effect) = domain[at]
        own = [change for change in changes if change[1] == name]
        condition, effect = _changed((condition, effect), (), own)
        action = (head, act, ":parameters", parameters, ":precondition", condition, ":effect", effect)
        domain = (*domain[:at], action, *domain[at + 1 :])
    return domain


def _changed(tree: Tree, place: Path, changes: Sequence[Change]) -> Tree:
    if isinstance(tree, str) or not changes:
        return tree
    gone = {where for kind, _, where, _ in changes if kind.startswith("remove")}
    more = [what for kind, _, where, what in changes if kind.startswith("add") and where == place]
    parts = [
        _changed(part, (*place, number), [one for one in changes if one[2][: len(place) + 1] == (*place, number)])
        for number, part in enumerate(tree)
        if (*place, number) not in gone
    ]
    return (*parts, *more)


def least_cost(asked: Asked, most: int) -> Fraction | None:
    """Return the least price of at most so many edits that make all plans what they must be."""
    every, best = edits_with_prices(asked), None
    for size in range(most + 1):
        for chosen in combinations(every, size):
            price = sum((price for price, _ in chosen), Fraction(0))
            changes = [change for _, change in chosen]
            if (best is None or price < best) and is_met(edited(asked, changes), asked.problems):
                best = price
    return best


def repairs_of(asked: Asked, cost: Fraction, most: int) -> list[tuple[Change, ...]]:
    """Return the sets of at most so many edits of a cost that make all plans what they must be."""
    every = edits_with_prices(asked)
    return [
        tuple(change for _, change in chosen)
        for size in range(most + 1)
        for chosen in combinations(every, size)
        if sum((price for price, _ in chosen), Fraction(0)) == cost
        and is_met(edited(asked, [change for _, change in chosen]), asked.problems)
    ]


# --- random domains --------------------------------------------------------------------------------

_KINDS = ("remove precondition", "add precondition", "add effect", "remove add effect", "add delete effect",
          "remove delete effect", "remove effect condition")  # fmt: skip


def random_asked(seed: int) -> Asked:
    """Return a small random domain with problems, and plans that it mostly does not admit."""
    draw = random.Random(f"wide {seed}")
    is_typed, has_derived = draw.random() < 0.5, draw.random() < 0.25
    kinds = ("t", "u", "object") if is_typed else ("object",)
    every = {"p": 0, "q": 1, "r": 1, "s": 2}
    predicates = {name: tuple(draw.choice(kinds) for _ in range(every[name])) for name in draw.sample(sorted(every), 2)}
    constants = {"k": draw.choice(kinds)} if draw.random() < 0.25 else {}
    said = _Said(constants, predicates, {}, ())
    derived: tuple[Tree, ...] = ()
    if has_derived:
        derived = ((":derived", ("d", "?v", "-", "object"), _derived_condition(draw, said)),)
    acts = [_action(draw, said, f"a{number}", kinds, bool(derived)) for number in range(draw.choice((1, 2)))]
    sections: list[Tree] = []
    if is_typed:
        sections.append((":types", "t", "u", "-", "object"))
    if constants:
        sections.append((":constants", *(word for name, kind in constants.items() for word in (name, "-", kind))))
    declared = [(name, *_declared(own)) for name, own in predicates.items()]
    declared += [("d", "?v", "-", "object")] if derived else []
    sections.append((":predicates", *declared))
    domain = ("define", ("domain", "wide"), *sections, *derived, *acts)
    objects = {"x": draw.choice(kinds), "y": draw.choice(kinds)}
    problems = tuple(_problem(draw, _said(domain), objects) for _ in range(draw.choice((1, 1, 2))))
    prices = {}
    if draw.random() < 0.6:
        choices = ("1/2", "1", "2", "5", "0.001", "123.4567")
        prices = {kind: Fraction(draw.choice(choices)) for kind in _KINDS if draw.random() < 0.6}
    names = [*predicates, *(act[1] for act in acts)]
    protected = frozenset(name for name in names if draw.random() < 0.12)
    return Asked(domain, problems, prices, protected)


def _declared(kinds: Sequence[str]) -> Iterator[str]:
    for number, kind in enumerate(kinds):
        yield from (f"?v{number}", "-", kind)


def _derived_condition(draw: random.Random, said: _Said) -> Tree:
    atoms = list(_atoms(said, {"?v": "object"})) or [("p",)]
    one = draw.choice(atoms)
    other = draw.choice(atoms)
    return draw.choice((one, ("or", one, other), ("and", one, ("not", other)), ("exists", ("?w", "-", "object"), one)))


def _literal(draw: random.Random, atoms: Sequence[Tree], share: float = 0.7) -> Tree:
    atom = draw.choice(atoms)
    return atom if draw.random() < share else ("not", atom)


def _conjunction(draw: random.Random, said: _Said, bound: Mapping[str, str], size: int, depth: int = 1) -> Tree:
    """Return a conjunction of literals and, seldom, of what holds conjunctions itself, none of them twice."""
    atoms, parts = list(_atoms(said, bound)), list[Tree]()
    for _ in range(size if atoms else 0):
        kind = draw.random()
        if depth and kind < 0.12:
            sides = (_conjunction(draw, said, bound, 2, 0), _literal(draw, atoms))
            part: Tree = ("or", *draw.sample(sides, 2))
        elif depth and kind < 0.2:
            part = ("imply", _literal(draw, atoms), _conjunction(draw, said, bound, 2, 0))
        elif depth and kind < 0.35:
            inner = {**bound, "?z": "object"}
            part = (draw.choice(("forall", "exists")), ("?z", "-", "object"), _conjunction(draw, said, inner, 2, 0))
        else:
            part = _literal(draw, atoms)
        if part not in parts:
            parts.append(part)
    return ("and", *parts)


def _effects(draw: random.Random, said: _Said, bound: Mapping[str, str], size: int) -> list[Tree]:
    atoms, parts = list(_atoms(said, bound)), list[Tree]()
    for _ in range(size if atoms else 0):
        part = _literal(draw, atoms, 0.6)
        if part not in parts:
            parts.append(part)
    return parts


def _action(draw: random.Random, said: _Said, name: str, kinds: Sequence[str], has_derived: bool) -> Tree:
    bound = {variable: draw.choice(kinds) for variable in ("?x", "?y")[: draw.choice((0, 1, 1, 2))]}
    conditions = list(_conjunction(draw, said, bound, draw.choice((0, 1, 2)))[1:])
    effects = _effects(draw, said, bound, draw.choice((0, 1, 2)))
    if draw.random() < 0.35:
        inner = {**bound, "?z": "object"} if draw.random() < 0.5 else bound
        body: Tree = ("and", *_effects(draw, said, inner, draw.choice((1, 2))))
        if draw.random() < 0.7 and body[1:]:
            body = ("when", _conjunction(draw, said, inner, draw.choice((1, 2)), 0), body)
        if body[1:]:
            if inner is not bound:
                effects.append(("forall", ("?z", "-", "object"), body))
            elif body[0] == "when":
                effects.append(body)
    if has_derived and draw.random() < 0.5:
        terms = [*bound, *said.constants]
        if terms:
            atom = ("d", draw.choice(terms))
            conditions.append(atom if draw.random() < 0.6 else ("not", atom))
    parameters = tuple(word for variable, kind in bound.items() for word in (variable, "-", kind))
    draw.shuffle(conditions)
    draw.shuffle(effects)
    return (":action", name, ":parameters", parameters, ":precondition", ("and", *conditions), ":effect",
            ("and", *effects))  # fmt: skip


def _problem(draw: random.Random, said: _Said, objects: Mapping[str, str]) -> Problem:
    known = {**said.constants, **objects}

    def of(kind: str) -> list[str]:
        return [name for name, own in known.items() if kind in ("object", own)]

    facts = [
        (name, *args) for name, kinds in said.predicates.items() if name != "d" for args in product(*map(of, kinds))
    ]
    init = frozenset(fact for fact in facts if draw.random() < 0.4)
    goals: list[Tree] = [
        fact if draw.random() < 0.75 else ("not", fact)
        for fact in draw.sample(facts, min(len(facts), draw.choice((0, 1, 1, 2))))
    ]
    if "d" in said.predicates and draw.random() < 0.5:
        goals.append(("d", draw.choice(sorted(known))))
    steps = [
        (name, *args) for name, act in said.acts.items() for args in product(*(of(k) for k in act.parameters.values()))
    ]

    def plan() -> tuple[tuple[str, ...], ...]:
        return tuple(draw.choice(steps) for _ in range(draw.choice((1, 1, 2, 3)))) if steps else ()

    plans = tuple(plan() for _ in range(draw.choice((1, 1, 2))))
    must_fail = tuple(plan() for _ in range(draw.choice((0, 0, 1))))
    return Problem(objects, init, ("and", *goals), plans, must_fail)
