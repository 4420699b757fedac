"""Check a certificate that no valid plan is nearer, or cheaper, than a given one. One file, with no other import.

    plan-certify DOMAIN PROBLEM PLAN CERTIFICATE        or  python plan_certify.py DOMAIN PROBLEM PLAN CERTIFICATE
Model, ground actions and plan are read anew, by the definition of PDDL. The certificate gives
atoms      all that can ever hold: checked to be closed under all actions
groups     sets of atoms of which at most one holds at a time: checked to be invariants of all actions
variables  each some atoms within a group; a value is the number of the one that holds, or their count if none does
weights    integers by variable, place and value; their sum falls by at most the price of an edit, and ends at 0 or less
states     (place, values, cost so far) of which cost and bound are below what is claimed: closed under edits, no end
Atoms of no variable are forgotten, which allows more plans. With a bound of 1, only the plan's own actions count. An
inserted action that commutes with the next step may as well stand behind it: none does so, nor follows a skipped one.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, reduce
from itertools import chain, groupby, product
from pathlib import Path
from typing import Any, TypeAlias

Atom: TypeAlias = "tuple[str, ...]"
Case: TypeAlias = "dict[Atom, bool]"  # atoms, and whether each must hold
Effect: TypeAlias = "tuple[Case, Atom, bool]"  # under which condition an atom is added, or deleted
INSERTING, READY, ARRIVED = 0, 1, 2  # after an insertion that commutes with the next step, one that does not, or none
KNOWN = "domain problem :domain :predicates :functions :types :constants :objects :init :goal :metric"
PARTS = {"and": 0, "or": 0, "not": 1, "imply": 2, "forall": 2, "exists": 2, "when": 2, "=": 2, "increase": 2}  # 0: any


class RefusedError(Exception):
    """An obligation does not hold, or something is beyond this program."""


def need(holds: object, *what: object) -> None:
    if not holds:
        raise RefusedError(" ".join(map(str, what)))


def tree(text: str) -> Any:
    """Return a PDDL text as nested lists of words in lower case."""
    stack, plain = list[Any]([[]]), re.sub(r";[^\n\r]*", "", text).strip()
    need(re.fullmatch(r"[-\w()?:=+*/<>.!@#$%&^~| \t\n]*", plain, re.ASCII), f"beyond this program: a letter of {plain}")
    for word in re.findall(r"[()]|\??[^\s()?]+|\?", plain.lower()):
        if word == ")":
            done = stack.pop()
            need(not done or PARTS.get(done[0], 0) in (0, len(done) - 1), f"beyond this program: {done}")
            stack[-1].append(done)
        else:
            stack.append([]) if word == "(" else stack[-1].append(word)
    ((found,),) = stack
    return found


def once(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    found = [*pairs]
    need(len(found) == len(dict(found)), "a section, an action, a part, a name or an atom stands there twice")
    return dict(found)


def grouped(pairs: Iterable[tuple[Any, Any]]) -> defaultdict[Any, list[Any]]:
    found = defaultdict[Any, list[Any]](list)
    for key, value in pairs:
        found[key].append(value)
    return found


def typed(words: Iterable[Any], mark: str = "") -> list[tuple[str, list[str]]]:
    """Return names with their types, ``a b - t c - (either t u)``; variables with "?" as their mark."""
    rest, found = [*words, "-", "object"], list[tuple[str, list[str]]]()
    while rest:
        names, kind = rest[: rest.index("-")], rest[rest.index("-") + 1]
        need({name[0] if name[0] in "?-:" else "" for name in names} <= {mark}, f"beyond this program: {names}")
        found += [(name, kind[1:] if kind[0] == "either" else [kind]) for name in names]
        rest = rest[len(names) + 2 :]
    return found


def leaves(effect: Any, scope: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the atoms, negated atoms and rises of an effect, each after the quantifiers and conditions around it."""
    head, *parts = effect or ["and"]
    if head in ("and", "forall", "when"):
        inner = scope if head == "and" else (*scope, (head, parts[0]))
        for part in parts if head == "and" else parts[1:]:
            yield from leaves(part, inner)
    else:
        yield scope, effect


def joins(some: list[Case], others: list[Case]) -> list[Case]:
    """Return what each of some and each of others ask together, where they do not contradict each other."""
    found = [{**a, **b} for a, b in product(some, others) if not b or all(a.get(atom, v) is v for atom, v in b.items())]
    need(len(found) <= 5000, "beyond this program: a condition of more than 5000 alternatives")
    return found


class Model:
    """A domain and a problem; ``changed`` are the predicates that actions change."""

    def __init__(self, domain: str, problem: str) -> None:
        sections = [*tree(domain)[1:], *tree(problem)[1:]]
        one = once((head, rest) for head, *rest in sections if head not in (":action", ":requirements"))
        asked = {word for head, *rest in sections if head == ":requirements" for word in rest}
        beyond = {*one}.difference(KNOWN.split()) | (asked & {":open-world", ":true-negation"})
        need(not beyond, f"beyond this program: {', '.join(sorted(beyond))}")
        need(one.get(":metric", ["minimize", ["total-cost"]]) == ["minimize", ["total-cost"]], "beyond: the metric")
        self.has_costs, (self.goal,) = ":metric" in one, one[":goal"]
        self.values = once((tuple(fact[1]), fact[2]) for fact in one[":init"] if fact[0] == "=")
        types = typed([*one.get(":types", ()), "object"])
        self.parents = {k: [u for n, up in types if n == k for u in up if u != k] for n, up in types for k in (n, *up)}
        objects = [pair for section in (":constants", ":objects") for pair in typed(one.get(section, ()))]
        self.types = {name: {"object"}.union(*map(self.above, kinds)) for name, kinds in once(objects).items()}
        self.predicates = {"=", *(predicate[0] for predicate in one[":predicates"])}
        self.init: set[Atom] = {("=", name, name) for name in self.types}
        self.init |= {self.atom(fact, {}) for fact in one[":init"] if fact[0] not in ("=", "not")}
        self.schemas, self.changed = list[tuple[str, dict[str, list[str]], Any, list[Any]]](), set[str]()
        for name, rest in once((rest[0], rest[1:]) for head, *rest in sections if head == ":action").items():
            given = once(zip(rest[::2], rest[1::2], strict=True))
            parts = {":parameters": [], ":precondition": [], ":effect": []} | given
            need(len(parts) == 3, f"beyond this program: the parts of the action {name}")
            changes = [*leaves(parts[":effect"])]
            self.schemas.append((name, once(typed(parts[":parameters"], "?")), parts[":precondition"], changes))
            self.changed |= {leaf[1][0] if leaf[0] == "not" else leaf[0] for _, leaf in changes}
        need(PARTS.keys().isdisjoint(self.predicates - {"="} | self.changed - {"increase"}), "a predicate is a keyword")

    def above(self, kind: str) -> set[str]:
        return {kind}.union(*map(self.above, self.parents[kind]))

    def objects(self, kinds: Iterable[str]) -> list[str]:
        need(self.parents.keys() >= {*kinds}, f"a type is declared nowhere: {kinds}")
        return [name for name, types in self.types.items() if not types.isdisjoint(kinds)]

    def bindings(self, words: Any, env: dict[str, str]) -> list[dict[str, str]]:
        ranges = [[(name, value) for value in self.objects(kinds)] for name, kinds in once(typed(words, "?")).items()]
        return [{**env, **dict(pairs)} for pairs in product(*ranges)]

    def atom(self, words: list[str], env: dict[str, str]) -> Atom:
        need(isinstance(words, list) and words[0] in self.predicates, "beyond this program:", words[0])
        terms = [env[term] if term[0] == "?" else term for term in words[1:]]
        need(self.types.keys() >= {*terms}, "an object is declared nowhere:", words)
        return (words[0], *terms)

    def cases(self, formula: Any, env: dict[str, str], holds: bool = True) -> list[Case]:
        """Return a formula, or its negation, as alternatives of atoms that actions change."""
        head, *parts = formula or ["and"]
        if head in ("not", "imply"):
            return self.cases(parts[0] if head == "not" else ["and", parts[0], ["not", parts[1]]], env, not holds)
        if head in ("and", "or", "forall", "exists"):
            envs, body = ([env], parts) if head in ("and", "or") else (self.bindings(parts[0], env), parts[1:])
            is_and = (head in ("and", "forall")) is holds
            found = [self.cases(part, values, holds) for values in envs for part in body]
            return reduce(joins, found, [{}]) if is_and else [*chain(*found)]
        atom = self.atom(formula, env)
        return [{atom: holds}] if head in self.changed else [{}] if (atom in self.init) is holds else []

    def effects(self, changes: list[Any], env: dict[str, str]) -> Iterator[Effect]:
        for scope, leaf in (each for each in changes if each[1][0] != "increase"):
            under: list[tuple[dict[str, str], Case]] = [(env, {})]
            for head, words in scope:
                if head == "forall":
                    under = [(each, when) for inner, when in under for each in self.bindings(words, inner)]
                else:
                    under = [(inner, both) for inner, when in under for both in joins([when], self.cases(words, inner))]
            for inner, when in under:
                yield when, self.atom(leaf[1] if leaf[0] == "not" else leaf, inner), leaf[0] != "not"

    def cost(self, changes: list[Any], env: dict[str, str]) -> int:
        """Return what an action adds to (total-cost), or 1 for any step where no metric asks for it."""
        rises = [(scope, *leaf[1:]) for scope, leaf in changes if leaf[0] == "increase"]
        given = [v if isinstance(v, str) else self.values[tuple(env.get(t, t) for t in v)] for *_, v in rises]
        whole = all((scope, target) == ((), ["total-cost"]) for scope, target, _ in rises)
        need(whole and all(re.fullmatch(r"\d+(\.0*)?", v) for v in given), "beyond: costs of fractions or conditions")
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


class Problem:
    """A model and a plan as a modified problem on the variables of a certificate, and its obligations."""

    def __init__(self, model: Model, plan: list[str], certificate: Any) -> None:
        self.model, self.claim, self.known = model, certificate["claim"], dict[Any, dict[int, int]]()
        self.atoms = {tuple(tree(atom)) for atom in certificate["atoms"]}
        self.groups = [frozenset(tuple(tree(atom)) for atom in group) for group in certificate["groups"]]
        self.of = grouped((atom, group) for group in self.groups for atom in group)
        self.variables = [once((tuple(tree(a)), n) for n, a in enumerate(each)) for each in certificate["variables"]]
        self.owner = once((atom, number) for number, atoms in enumerate(self.variables) for atom in atoms)
        bound = certificate["bound"]  # of which each line that is no action takes one, as it can only be skipped
        own = plan if self.claim == "nearest" and bound < 2 else None  # all other plans have an edit
        self.actions = {action.name: action for action in self.ground(own)}
        self.moves = [(action.name, arcs) for action in self.actions.values() for arcs in self.moved(action)]
        least = (min(arcs.items(), key=lambda each: len(each[1]), default=(-1, {0: 0})) for _, arcs in self.moves)
        self.at = grouped(((v, n), move) for move, (v, arc) in zip(self.moves, least, strict=True) for n in arc)
        self.by_name = grouped(self.moves)
        self.steps = [line for line in plan if line in self.actions] if self.claim == "nearest" else []
        self.bound = {"nearest": bound - len(plan) + len(self.steps), "optimal": bound, "unsolvable": 1}[self.claim]
        need(self.claim != "optimal" or model.values.get(("total-cost",), "0") == "0", "beyond: a cost before step 1")
        goal = [] if (self.claim, certificate["quality"]) == ("nearest", "sound") else model.goal
        self.goals = [*filter(self.possible, model.cases(goal, {}))]
        self.weights = [[row for n, row in run for _ in range(min(n, len(plan) + 2))] for run in certificate["weights"]]
        self.start = tuple([*map(model.init.__contains__, each), True].index(True) for each in self.variables)

    def holds(self, v: int, value: int, case: Case) -> bool:
        return all((value == self.variables[v][a]) is holds for a, holds in case.items() if self.owner.get(a) == v)

    def possible(self, case: Case) -> bool:  # whether all that has to hold can, and no two atoms are in one group
        held = [id(group) for atom, holds in case.items() if holds for group in self.of.get(atom, ())]
        return len(held) == len(set(held)) and all(atom in self.atoms for atom, holds in case.items() if holds)

    def ground(self, plan: list[str] | None) -> Iterator[Action]:
        """Yield the actions, or those of a plan, that are possible where the atoms are all that can hold."""
        lines = [line[1:-1].split() for line in plan or () if "?" not in line]
        types = {(str(k), o) for each in self.model.schemas for k in each[1].values() for o in self.model.objects(k)}
        facts = {*types, *self.atoms, *((f":{name} {len(rest)}", *rest) for name, *rest in lines)}
        facts |= {atom for atom in self.model.init if atom[0] not in self.model.changed}
        known = grouped((key, a) for a in facts for key in (a[0], *((a[0], *each) for each in enumerate(a[1:]))))

        def join(asks: list[Atom], env: dict[str, str]) -> Iterator[dict[str, str]]:
            sized = []
            for ask in [(ask[0], *(env.get(term, term) for term in ask[1:])) for ask in asks]:
                keys = [(ask[0], n, term) for n, term in enumerate(ask[1:]) if term[0] != "?"]
                if len(keys) < len(ask) - 1:
                    sized.append((min((known[key] for key in keys), key=len, default=known[ask[0]]), ask))
                elif ask not in facts:
                    return
            atoms, ask = min(sized, key=lambda each: len(each[0]), default=([()], ()))
            for atom in atoms:
                inner, pairs = dict(env), [*zip(ask, atom, strict=True)][1:]
                if all((inner.setdefault(term, value) if term[0] == "?" else term) == value for term, value in pairs):
                    yield from join([each for _, each in sized if each is not ask], inner) if sized else [inner]

        for name, parameters, precondition, changes in self.model.schemas:
            parts = precondition[1:] if precondition[:1] == ["and"] else [precondition]
            asks: list[Atom] = [tuple(part) for part in parts if part and part[0] in self.model.predicates]
            asks += [(str(kinds), variable) for variable, kinds in parameters.items()]
            asks += [(f":{name} {len(parameters)}", *parameters)] if plan is not None else []
            rest = [part for part in parts if part and part[0] not in self.model.predicates - self.model.changed]
            for env in join(asks, {}):
                cases, effects = [*filter(self.possible, self.model.cases(["and", *rest], env))], list[Effect]()
                effects += self.model.effects(changes, env) if cases else ()
                owned = ((when, self.owner[atom]) for when, atom, _ in effects if atom in self.owner)
                for atom in {atom for when, owner in owned for atom in when if self.owner.get(atom) != owner}:
                    cases = [*filter(self.possible, joins(cases, [{atom: True}, {atom: False}]))]
                if cases:
                    price = self.model.cost(changes, env) if self.claim == "optimal" else int(self.claim == "nearest")
                    yield Action(f"({' '.join((name, *(env[each] for each in parameters)))})", cases, effects, price)

    def moved(self, action: Action) -> Iterator[dict[int, dict[int, int]]]:
        """Yield by alternative and variable that an action reads or sets the value after it for each value before."""
        for case in action.cases:
            does = defaultdict[int, tuple[Case, list[Effect]]](lambda: ({}, []))
            for atom in self.owner.keys() & case.keys():
                does[self.owner[atom]][0][atom] = case[atom]
            for when, atom, adds in action.effects:
                for both in (joins([case], [when]) if when else [case]) if atom in self.owner else ():
                    reads = {other: both[other] for other in both.keys() - case.keys()}  # of the same variable
                    does[self.owner[atom]][1].append((reads, atom, adds))
            arcs = {v: self.arcs(v, *done) for v, done in does.items()}
            if all(arcs.values()):
                yield arcs

    def arcs(self, v: int, case: Case, effects: list[Effect]) -> dict[int, int]:
        """Return for each value of a variable at which an action can be done the value after it."""
        variable, key = self.variables[v], (v, str(case), str(effects))
        if key not in self.known:
            self.known[key] = {old: old for old in range(len(variable) + 1) if self.holds(v, old, case)}
            for old, (when, atom, adds) in product([*self.known[key]], effects):
                if self.holds(v, old, when) and (adds or self.known[key][old] == variable[atom]):
                    self.known[key][old] = variable[atom] if adds else len(variable)
        return self.known[key]

    def check(self, states: Any) -> None:
        """Check all obligations. Raises RefusedError."""
        for atoms in map(set, self.variables):
            need(len(atoms) < 2 or any(map(atoms.issubset, self.groups)), f"no group has {atoms}")
        need({a for a in self.model.init if a[0] in self.model.changed} <= self.atoms, "the atoms lack an initial one")
        need(all(len(group & self.model.init) < 2 for group in self.groups), "two atoms of a group hold initially")
        for action, case in ((each, case) for each in self.actions.values() for case in each.cases):
            self.check_added(action, case)
        self.check_weights()
        self.check_states({(place, at, tuple(values)): cost for place, at, cost, values in states})

    def check_added(self, action: Action, case: Case) -> None:
        """Check that what an action adds is among the atoms, and the only one of its group after the action."""
        joint = [(b, a, adds) for when, a, adds in action.effects for b in (joins([case], [when]) if when else [case])]
        fired = [each for each in joint if each[0] is case or self.possible(each[0])]
        for when, atom in [(when, atom) for when, atom, adds in fired if adds]:
            need(atom in self.atoms, action.name, "adds what is not among the atoms:", atom)
            gone = {other for under, other, adds in fired if not adds and under.items() <= when.items()}
            for group in self.of.get(atom, ()):
                ends = any(held and other in group and (other == atom or other in gone) for other, held in when.items())
                need(ends, action.name, "adds to a group that may have another atom:", atom)
                others = [under for under, other, adds in fired if adds and other != atom and other in group]
                need(not any(map(self.possible, joins([when], others))), action.name, "adds two atoms of a group")

    def check_weights(self) -> None:
        """Check that the weights are a lower bound; keep how much less than its price an insertion lowers it."""
        weights, last, known, self.slack = self.weights, len(self.steps), dict[int, list[int]](), dict[str, list[int]]()
        shape = [[len(each) + 1] * (last + 1) for each in self.variables]
        need([[*map(len, rows)] for rows in weights] == shape, "the weights lack places or values, or have more")
        for goal in self.goals:
            ends = [[h for n, h in enumerate(rows[last]) if self.holds(v, n, goal)] for v, rows in enumerate(weights)]
            need(sum(max(each, default=-sys.maxsize) for each in ends) <= 0, "the weights are above 0 at an end")
        for place, step in enumerate(self.steps):
            now, then = [[rows[at] for rows in weights] for at in (place, place + 1)]
            falls = [max(map(int.__sub__, *rows)) for rows in zip(now, then, strict=True)]
            need(sum(falls) <= 1, f"the weights fall by more than 1 where {step} is skipped")
            for arcs in self.by_name[step]:
                moved = (max(now[v][a] - then[v][b] for a, b in arc.items()) - falls[v] for v, arc in arcs.items())
                need(sum(falls) + sum(moved) <= 0, f"the weights fall where {step} is kept")
        for name, arcs in self.moves:
            left = [self.actions[name].price] * (last + 1)
            for v, arc in arcs.items():
                if id(arc) not in known:
                    runs = ((max(row[a] - row[b] for a, b in arc.items()), same) for row, same in groupby(weights[v]))
                    known[id(arc)] = [fall for fall, same in runs for _ in same]
                left = [*map(int.__sub__, left, known[id(arc)])]
            need(min(left) >= 0, "the weights fall by more than the price of an insertion:", name)
            self.slack[name] = [*map(min, left, self.slack[name])] if name in self.slack else left

    def h(self, place: int, values: tuple[int, ...]) -> int:
        return sum(rows[place][n] for rows, n in zip(self.weights, values, strict=True))

    def successors(self, place: int, at: int, cost: int, values: tuple[int, ...]) -> Iterator[tuple[Any, int]]:
        """Yield what edits lead to, with its cost, where that and its bound are below what is claimed."""
        step = self.steps[place] if place < len(self.steps) else ""
        found = [((place + 1, ARRIVED, values), cost + 1)] if step and at == ARRIVED else []
        found += [((place + 1, ARRIVED, new), cost) for name, new in self.after(values) if name == step and at >= READY]
        room = self.bound - cost - self.h(place, values)
        for name, new in ((name, new) for name, new in self.after(values) if self.slack[name][place] < room):
            to = INSERTING if step and self.actions[name].commutes(self.actions[step]) else READY
            found.append(((place, to, new), cost + self.actions[name].price))
        yield from ((key, total) for key, total in found if total + self.h(key[0], key[2]) < self.bound)

    @cache  # noqa: B019
    def after(self, values: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
        moves = chain.from_iterable(self.at[key] for key in ((-1, 0), *enumerate(values)))
        able = ((name, arcs) for name, arcs in moves if all(values[v] in arc for v, arc in arcs.items()))
        return [(name, (*(arcs[v][n] if v in arcs else n for v, n in enumerate(values)),)) for name, arcs in able]

    def check_states(self, costs: dict[Any, int]) -> None:
        """Check that the states are closed below the claim, and that no repaired plan ends in one of them."""
        waiting = [((0, ARRIVED, self.start), 0)] if self.h(0, self.start) < self.bound else []
        for (place, at, values), cost in costs.items():
            ends = [all(self.holds(v, n, goal) for v, n in enumerate(values)) for goal in self.goals]
            need(place < len(self.steps) or not any(ends), "a repaired plan ends in one of the states, below the claim")
            waiting += self.successors(place, at, cost, values)
        for (place, at, values), cost in waiting:
            there = min(costs.get((place, other, values), cost + 1) for other in range(at, ARRIVED + 1))
            need(there <= cost, f"the states are not closed: one at place {place} is missing")


def steps_of(text: str) -> list[str]:
    """Return the steps of a plan, ``(name argument ...)`` line by line."""
    steps = [tree(line) for line in text.split("\n") if re.sub(r";.*", "", line).strip()]
    need(all(step and isinstance(step, list) for step in steps), "beyond this program: a line that is not a PDDL step")
    return [f"({' '.join(step)})" for step in steps]


def certified(domain: str, problem: str, plan: str, given: str) -> str:
    """Return what the text of a certificate proves. Raises RefusedError, and others for what cannot be read."""
    certificate = json.loads(given, parse_float=int, parse_constant=int)  # which no number with a point is
    digests = [hashlib.sha256(text.strip().encode()).hexdigest() for text in (domain, problem, plan)]
    need(certificate["digests"] == digests, "it is for another model, or another plan, as PDDL writes it")
    found = Problem(Model(domain, problem), steps_of(plan), certificate)
    found.check(certificate["states"])
    bound, kind = certificate["bound"], "sound" if certificate["quality"] == "sound" else "valid"
    near = f"no {kind} plan within {bound - 1} changed lines"
    said = {"nearest": near, "unsolvable": "no plan is valid", "optimal": f"no valid plan costs less than {bound}"}
    return f"certified: {said[found.claim]}"


def main() -> int:
    try:
        code, said = 0, certified(*(Path(name).read_text(encoding="utf-8-sig") for name in sys.argv[1:]))
    except RefusedError as error:
        code, said = 1, f"not certified: {error}"
    except Exception as error:
        code, said = 2, f"cannot read all four files: {error!r}" if len(sys.argv) == 5 else f"{__doc__}"
    print(said)
    return 0 if sys.argv[1:] in (["-h"], ["--help"]) else code


if __name__ == "__main__":
    sys.exit(main())
