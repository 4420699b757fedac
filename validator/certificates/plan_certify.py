"""Check a certificate that no valid plan is nearer, or cheaper, than a given one. One file, with no other import.

    plan-certify DOMAIN PROBLEM PLAN CERTIFICATE        or  python plan_certify.py DOMAIN PROBLEM PLAN CERTIFICATE

Model, ground actions and plan are read anew, by the definition of PDDL. The certificate gives
atoms      all that can ever hold: checked to be closed under all actions
groups     sets of atoms of which at most one holds at a time: checked to be invariants of all actions
variables  each some atoms within a group; a value is the number of the one that holds, or their count if none does
weights    an integer for each variable, place of the plan (before and behind each step) and value. Their sum falls by
           at most the price of each edit, and is at most 0 where a repaired plan may end: a bound of what is to come
states     (place, values, cost so far) of which cost and bound are below what is claimed: closed under all edits below
           the claim, without an end among them
Atoms of no variable are forgotten, which allows more plans and forbids none. An inserted action that commutes with the
step behind it may as well stand behind that step: so no step follows such an insertion, and no skipped one does.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

Atom: TypeAlias = "tuple[str, ...]"
Case: TypeAlias = "dict[Atom, bool]"  # atoms, and whether each must hold
Effect: TypeAlias = "tuple[Case, Atom, bool]"  # under which condition an atom is added, or deleted
INSERTING, READY, ARRIVED = 0, 1, 2  # behind an insertion that commutes with the next step, one that does not, or none
MOST_CASES = 5000
KNOWN = """domain problem :domain :predicates :functions :requirements :types :constants :objects :action :init :goal
:metric :strips :typing :negative-preconditions :disjunctive-preconditions :equality :existential-preconditions
:universal-preconditions :quantified-preconditions :conditional-effects :adl :action-costs"""
WORDS = frozenset(("and", "or", "not", "imply", "forall", "exists", "when", "=", "increase"))


class RefusedError(Exception):
    pass  # an obligation does not hold, or something is beyond this program


def need(holds: object, what: str) -> None:
    if not holds:
        raise RefusedError(what)


def tree(text: str) -> Any:
    """Return a PDDL text as nested lists of words in lower case."""
    stack: list[Any] = [[]]
    for word in re.findall(r"[()]|\??[^\s()?]+", re.sub(r";[^\n]*", "", text).lower()):
        if word == ")":
            stack[-2].append(stack.pop())
        else:
            stack.append([]) if word == "(" else stack[-1].append(word)
    ((found,),) = stack
    return found


def typed(words: Iterable[Any]) -> list[tuple[str, Any]]:
    """Return names with their types, ``a b - t c - (either t u)``."""
    found, names, rest = list[tuple[str, Any]](), list[str](), iter([*words, "-", "object"])
    for word in rest:
        if word == "-":
            kind = next(rest)
            found += [(names.pop(0), kind[1:] if isinstance(kind, list) else [kind]) for _ in range(len(names))]
        else:
            names.append(word)
    return found


def joined(one: Case, other: Case) -> Case | None:
    return None if any(one.get(atom, v) != v for atom, v in other.items()) else {**one, **other}


class Model:
    """A domain and a problem; ``changed`` are the predicates that actions change."""

    def __init__(self, domain: str, problem: str) -> None:
        sections = [*tree(domain)[1:], *tree(problem)[1:]]
        one = {head: rest for head, *rest in sections if head != ":action"}
        names = [rest[0] if head == ":action" else head for head, *rest in sections if head != ":requirements"]
        need(len(names) == len({*names}), "a section or an action stands there twice")
        beyond = {*one, *(w for head, *rest in sections if head == ":requirements" for w in rest)} - {*KNOWN.split()}
        need(not beyond, f"beyond this program: {', '.join(sorted(beyond))}")
        need(one.get(":metric", ["minimize", ["total-cost"]]) == ["minimize", ["total-cost"]], "beyond: the metric")
        self.has_costs, self.goal = ":metric" in one, one[":goal"][0]
        self.init = {tuple(fact) for fact in one[":init"] if fact[0] not in ("=", "not")}
        self.values = {tuple(fact[1]): fact[2] for fact in one[":init"] if fact[0] == "="}
        parents, self.of_type = dict(typed(one.get(":types", ()))), defaultdict[str, list[str]](list)

        def above(kind: str) -> set[str]:
            return {kind}.union(*map(above, parents.get(kind, ())))

        for name, kinds in typed([*one.get(":constants", ()), *one.get(":objects", ())]):
            for kind in {"object"}.union(*map(above, kinds)):
                self.of_type[kind].append(name)
        self.schemas = []
        for name, *rest in (rest for head, *rest in sections if head == ":action"):
            parts = {":parameters": [], ":precondition": [], **dict(zip(rest[::2], rest[1::2], strict=True))}
            self.schemas.append((name, typed(parts[":parameters"]), parts[":precondition"], parts[":effect"]))
        self.predicates = self.changed = {predicate[0] for predicate in one[":predicates"]}
        need(WORDS.isdisjoint(self.predicates), "a predicate is called as a word of PDDL")
        self.changed = {atom[0] for *_, effect in self.schemas for _, atom, _ in self.effects(effect, {}, {})}

    def objects(self, kinds: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(name for kind in kinds for name in self.of_type[kind]))

    def bindings(self, words: Any, env: dict[str, str]) -> list[dict[str, str]]:
        ranges = [[(name, value) for value in self.objects(kinds)] for name, kinds in typed(words)]
        return [{**env, **dict(pairs)} for pairs in product(*ranges)]

    def atom(self, words: list[str], env: dict[str, str]) -> Atom:
        need(words[0] in self.predicates, f"beyond this program: {words[0]}")
        return tuple(env.get(term, term) for term in words)

    def cases(self, formula: Any, env: dict[str, str], holds: bool = True) -> list[Case]:
        """Return a formula, or its negation, as alternatives of atoms that actions change."""
        head = formula[0] if formula else "and"
        if head in ("not", "imply"):
            inner = formula[1] if head == "not" else ["and", formula[1], ["not", formula[2]]]
            return self.cases(inner, env, not holds)
        if head in ("and", "or", "forall", "exists"):
            parts = [(part, env) for part in formula[1:]]
            if head in ("forall", "exists"):
                parts = [(formula[2], each) for each in self.bindings(formula[1], env)]
            is_and = (head in ("and", "forall")) is holds
            found: list[Case] = [{}] if is_and else []
            for part, values in parts:
                cases = self.cases(part, values, holds)
                both = [joined(a, b) for a in found for b in cases] if is_and else [*found, *cases]
                found = [case for case in both if case is not None]
                need(len(found) <= MOST_CASES, "beyond this program: a condition of too many alternatives")
            return found
        if head == "=":
            return [{}] if (len({env.get(term, term) for term in formula[1:]}) == 1) is holds else []
        atom = self.atom(formula, env)
        return [{atom: holds}] if head in self.changed else [{}] if (atom in self.init) is holds else []

    def effects(self, effect: Any, env: dict[str, str], when: Case) -> Iterator[Effect]:
        head = effect[0] if effect else "and"
        if head == "and":
            for part in effect[1:]:
                yield from self.effects(part, env, when)
        elif head == "forall":
            for inner in self.bindings(effect[1], env):
                yield from self.effects(effect[2], inner, when)
        elif head == "when":
            for case in self.cases(effect[1], env):
                if (both := joined(when, case)) is not None:
                    yield from self.effects(effect[2], env, both)
        elif head != "increase":
            yield when, self.atom(effect[1] if head == "not" else effect, env), head != "not"

    def cost(self, effect: Any, env: dict[str, str]) -> int:
        """Return what an action adds to (total-cost), or 1 for any step where no metric asks for it."""
        rises = [part for part in (effect[1:] if effect[:1] == ["and"] else [effect]) if part[:1] == ["increase"]]
        whole = str(effect).count("'increase'") == len(rises) and all(part[1] == ["total-cost"] for part in rises)
        given = [v if isinstance(v, str) else self.values[tuple(env.get(t, t) for t in v)] for *_, v in rises]
        whole = whole and all(re.fullmatch(r"\d+(\.0*)?", v) for v in given)
        need(whole, "beyond this program: costs that are no integers, or under a condition")
        return sum(int(v.partition(".")[0]) for v in given) if self.has_costs else 1


class Action:
    """A ground action: alternatives of its precondition, effects (deletes first), what an insertion costs."""

    def __init__(self, name: str, cases: list[Case], effects: list[Effect], price: int) -> None:
        self.name, self.cases, self.price = name, cases, price
        self.effects = sorted(effects, key=lambda effect: effect[2])
        self.sets = {atom for _, atom, _ in self.effects}
        self.reads = {atom for case in (*cases, *(when for when, _, _ in effects)) for atom in case}

    def commutes(self, other: Action) -> bool:
        return self.sets.isdisjoint(other.sets | other.reads) and other.sets.isdisjoint(self.reads)


def holds(variable: dict[Atom, int], value: int, case: Case) -> bool:
    return all((value == variable[atom]) is wanted for atom, wanted in case.items() if atom in variable)


class Problem:
    """A model and a plan as a modified problem on the variables of a certificate, and its obligations."""

    def __init__(self, model: Model, plan: list[str], certificate: Any) -> None:
        self.model, self.claim, self.known = model, certificate["claim"], dict[Any, dict[int, int]]()
        self.atoms = {tuple(tree(atom)) for atom in certificate["atoms"]}
        self.groups = [frozenset(tuple(tree(atom)) for atom in group) for group in certificate["groups"]]
        self.of = defaultdict[Atom, list[frozenset[Atom]]](list)
        for group in self.groups:
            for atom in group:
                self.of[atom].append(group)
        named = [[tuple(tree(atom)) for atom in atoms] for atoms in certificate["variables"]]
        self.variables = [{atom: n for n, atom in enumerate(atoms)} for atoms in named]
        self.owner = {atom: number for number, atoms in enumerate(self.variables) for atom in atoms}
        need(len(self.owner) == sum(map(len, named)), "an atom stands in two variables")
        self.actions = {action.name: action for action in self.ground()}
        self.moves = {name: [*self.moved(action)] for name, action in self.actions.items()}
        self.steps = [line for line in plan if line in self.actions] if self.claim == "nearest" else []
        self.bound = 1 if self.claim == "unsolvable" else certificate["bound"]
        self.bound -= len(plan) - len(self.steps) if self.claim == "nearest" else 0  # lines that can only be skipped
        is_any = (self.claim, certificate["quality"]) == ("nearest", "sound")
        self.goals = [*filter(self.possible, model.cases([] if is_any else model.goal, {}))]
        self.weights = [[row for n, row in runs for _ in range(n)] for runs in certificate["weights"]]
        self.start = tuple([*map(model.init.__contains__, each), True].index(True) for each in self.variables)

    def possible(self, case: Case) -> bool:
        """Return whether atoms that have to hold can, and no two of them are in one group."""
        held = [id(group) for atom, holds in case.items() if holds for group in self.of.get(atom, ())]
        return len(held) == len(set(held)) and all(atom in self.atoms for atom, holds in case.items() if holds)

    def ground(self) -> Iterator[Action]:
        """Yield the actions that are possible where the atoms are all that can hold."""
        known = defaultdict[Any, list[Atom]](list)  # by predicate, and by that and an argument
        every = [kinds for _, parameters, *_ in self.model.schemas for _, kinds in parameters]
        types = {(str(kinds), name) for kinds in every for name in self.model.objects(kinds)}
        for atom in (*types, *self.atoms, *(atom for atom in self.model.init if atom[0] not in self.model.changed)):
            for key in (atom[0], *((atom[0], *each) for each in enumerate(atom[1:]))):
                known[key].append(atom)

        def join(asks: list[Atom], env: dict[str, str]) -> Iterator[dict[str, str]]:
            if not asks:
                yield env
                return
            sized = []
            for ask in asks:
                keys = [(ask[0], n, v) for n, term in enumerate(ask[1:]) if (v := env.get(term, term))[0] != "?"]
                sized.append((min((known[key] for key in keys), key=len, default=known[ask[0]]), ask))
            atoms, ask = min(sized, key=lambda each: len(each[0]))
            for atom in atoms:
                inner, pairs = dict(env), zip(ask[1:], atom[1:], strict=True)
                if all((inner.setdefault(term, value) if term[0] == "?" else term) == value for term, value in pairs):
                    yield from join([each for each in asks if each is not ask], inner)

        for name, parameters, precondition, effect in self.model.schemas:
            asks = [self.model.atom(part, {}) for part in conjuncts(precondition)]
            for env in join([*asks, *((str(types), v) for v, types in parameters)], {}):
                cases, effects = [*filter(self.possible, self.model.cases(precondition, env))], list[Effect]()
                effects += self.model.effects(effect, env, {}) if cases else ()
                owned = ((when, self.owner[atom]) for when, atom, _ in effects if atom in self.owner)
                for atom in {atom for when, owner in owned for atom in when if self.owner.get(atom) != owner}:
                    split = (joined(case, {atom: holds}) for case in cases for holds in (True, False))
                    cases = [case for case in split if case is not None and self.possible(case)]
                    need(len(cases) <= MOST_CASES, f"beyond this program: an action {name} of too many alternatives")
                if cases:
                    price = self.model.cost(effect, env) if self.claim == "optimal" else int(self.claim == "nearest")
                    ground = f"({' '.join((name, *(env[variable] for variable, _ in parameters)))})"
                    yield Action(ground, cases, effects, price)

    def moved(self, action: Action) -> Iterator[dict[int, dict[int, int]]]:
        """Yield by alternative and variable that an action reads or sets the value behind it for each value before."""
        for case in action.cases:
            does = defaultdict[int, tuple[Case, list[Effect]]](lambda: ({}, []))
            for atom in self.owner.keys() & case.keys():
                does[self.owner[atom]][0][atom] = case[atom]
            for when, atom, adds in action.effects:
                if atom in self.owner and (both := joined(case, when)) is not None:
                    reads = {other: both[other] for other in both.keys() - case.keys()}  # of the same variable
                    does[self.owner[atom]][1].append((reads, atom, adds))
            arcs = {v: self.arcs(v, *done) for v, done in does.items()}
            if all(arcs.values()):
                yield arcs

    def arcs(self, v: int, case: Case, effects: list[Effect]) -> dict[int, int]:
        """Return for each value of a variable at which an action can be done the value behind it."""
        variable, key = self.variables[v], (v, str(case), str(effects))
        if key not in self.known:
            self.known[key] = {old: old for old in range(len(variable) + 1) if holds(variable, old, case)}
            for old in self.known[key]:
                for when, atom, adds in effects:
                    if holds(variable, old, when) and (adds or self.known[key][old] == variable[atom]):
                        self.known[key][old] = variable[atom] if adds else len(variable)
        return self.known[key]

    def check(self, states: Any) -> None:
        """Check all obligations. Raises RefusedError."""
        for atoms in map(set, self.variables):
            need(len(atoms) < 2 or any(map(atoms.issubset, self.groups)), f"no group has {atoms}")
        need({a for a in self.model.init if a[0] in self.model.changed} <= self.atoms, "the atoms lack an initial one")
        need(all(len(group & self.model.init) < 2 for group in self.groups), "two atoms of a group hold at first")
        for action, case in ((each, case) for each in self.actions.values() for case in each.cases):
            self.check_added(action, case)
        self.check_weights()
        self.check_states({(place, at, tuple(values)): cost for place, at, cost, values in states})

    def check_added(self, action: Action, case: Case) -> None:
        """Check that what an action adds is among the atoms, and the only one of its group behind the action."""
        fired = [(both, atom, adds) for when, atom, adds in action.effects if (both := joined(case, when)) is not None]
        fired = [each for each in fired if self.possible(each[0])]
        for when, atom in [(when, atom) for when, atom, adds in fired if adds]:
            need(atom in self.atoms, f"{action.name} adds {atom}, which is not among the atoms")
            gone = {other for under, other, adds in fired if not adds and under.items() <= when.items()}
            for group in self.of.get(atom, ()):
                ends = any(when.get(other) and (other == atom or other in gone) for other in group)
                need(ends, f"{action.name} adds {atom} to a group that may have another atom")
                for under, other, adds in fired:
                    both = joined(when, under) if adds and other != atom and other in group else None
                    need(both is None or not self.possible(both), f"{action.name} adds {atom} and {other} to a group")

    def check_weights(self) -> None:
        """Check that the weights are a lower bound; keep how much less than its price an insertion lowers it."""
        weights, last, self.slack = self.weights, len(self.steps), dict[str, list[int]]()
        for goal in self.goals:
            most = 0
            for rows, each in zip(weights, self.variables, strict=True):
                held = [rows[last][n] for n in range(len(each) + 1) if holds(each, n, goal)]
                most += max(held, default=-sys.maxsize)
            need(most <= 0, "the weights are above 0 where a plan may end")
        for place, step in enumerate(self.steps):
            falls = [max(a - b for a, b in zip(rows[place], rows[place + 1], strict=True)) for rows in weights]
            need(sum(falls) <= 1, f"the weights fall by more than 1 where {step} is skipped")
            for arcs in self.moves[step]:
                kept = sum(falls) - sum(falls[v] for v in arcs)
                for v, arc in arcs.items():
                    kept += max(weights[v][place][a] - weights[v][place + 1][b] for a, b in arc.items())
                need(kept <= 0, f"the weights fall where {step} is kept")
        known: dict[int, list[int]] = {}
        for name, alternatives in self.moves.items():
            for arcs in alternatives:
                left = [self.actions[name].price] * (last + 1)
                for v, arc in arcs.items():
                    if id(arc) not in known:
                        known[id(arc)] = [max(row[a] - row[b] for a, b in arc.items()) for row in weights[v]]
                    left = [*map(int.__sub__, left, known[id(arc)])]
                need(min(left) >= 0, f"the weights fall by more than the price where {name} is inserted")
                self.slack[name] = [*map(min, left, self.slack.get(name, left))]

    def h(self, place: int, values: tuple[int, ...]) -> int:
        return sum(rows[place][n] for rows, n in zip(self.weights, values, strict=True))

    def successors(self, place: int, at: int, cost: int, values: tuple[int, ...]) -> Iterator[tuple[Any, int]]:
        """Yield what edits lead to, with its cost, where that and its bound are below what is claimed."""
        step = self.steps[place] if place < len(self.steps) else ""
        found = [((place + 1, ARRIVED, values), cost + 1)] if step and at == ARRIVED else []
        found += [((place + 1, ARRIVED, new), cost) for new in self.after(step, values)] if step and at >= READY else []
        room = self.bound - cost - self.h(place, values)
        for name, slack in self.slack.items():
            if slack[place] < room:
                to = INSERTING if step and self.actions[name].commutes(self.actions[step]) else READY
                found += [((place, to, new), cost + self.actions[name].price) for new in self.after(name, values)]
        yield from ((key, total) for key, total in found if total + self.h(key[0], key[2]) < self.bound)

    def after(self, name: str, values: tuple[int, ...]) -> list[tuple[int, ...]]:
        able = [arcs for arcs in self.moves[name] if all(values[v] in arc for v, arc in arcs.items())]
        return [tuple(arcs[v][old] if v in arcs else old for v, old in enumerate(values)) for arcs in able]

    def check_states(self, costs: dict[Any, int]) -> None:
        """Check that the states are closed below the claim, and that no repaired plan ends in one of them."""
        waiting = [((0, ARRIVED, self.start), 0)] if self.h(0, self.start) < self.bound else []
        for (place, at, values), cost in costs.items():
            ends = [all(map(holds, self.variables, values, [goal] * len(values))) for goal in self.goals]
            need(place < len(self.steps) or not any(ends), "a repaired plan ends in one of the states, below the claim")
            waiting += self.successors(place, at, cost, values)
        for (place, at, values), cost in waiting:
            there = min(costs.get((place, other, values), cost + 1) for other in range(at, ARRIVED + 1))
            need(there <= cost, f"the states are not closed: one at place {place} is missing")


def conjuncts(formula: Any) -> Iterator[Any]:  # those that are atoms
    if formula[:1] in ([], ["and"]):
        for part in formula[1:]:
            yield from conjuncts(part)
    elif formula[0] not in WORDS:
        yield formula


def steps_of(text: str) -> list[str]:
    """Return the lines of a plan, comments aside: ``(name argument ...)`` in lower case and one blank between words."""
    lines = [re.sub(r"\s+", " ", re.sub(r"\s*;.*", "", line).strip().lower()) for line in text.splitlines()]
    return [re.sub(r" ?([()]) ?", r"\1", line) for line in lines if line]


def certified(domain: str, problem: str, plan: str, given: str) -> str:
    """Return what the text of a certificate proves. Raises RefusedError, and others for what cannot be read."""
    certificate = json.loads(given, parse_float=int, parse_constant=int)  # which no number with a point is
    bound, is_same = certificate["bound"], steps_of(plan) == certificate["plan"]
    for text, digest in zip((domain, problem, "" if is_same else plan), certificate["digests"], strict=True):
        need(
            not text or hashlib.sha256(text.encode()).hexdigest() == digest, "it is for another model, or another plan"
        )
    found = Problem(Model(domain, problem), certificate["plan"], certificate)
    found.check(certificate["states"])
    near = f"no {'sound' if certificate['quality'] == 'sound' else 'valid'} plan within {bound - 1} changed lines"
    said = {"nearest": near, "unsolvable": "no plan is valid", "optimal": f"no valid plan costs less than {bound}"}
    return f"certified: {said[found.claim]}{'' if is_same else ', with the plan read as the certificate reads it'}"


def main() -> int:
    try:
        print(certified(*(Path(name).read_text(encoding="utf-8") for name in sys.argv[1:])))
    except (RefusedError, OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError) as error:
        is_refused = isinstance(error, RefusedError)
        print(f"not certified: {error}" if is_refused else f"cannot read DOMAIN PROBLEM PLAN CERTIFICATE: {error!r}")
        return 1 if is_refused else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
