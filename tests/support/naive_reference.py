"""A second executor of PDDL plans, written from the papers and as plainly as they are, without any of ``validator``.

It tells whether a plan is valid and what it costs, for small models: types, numbers, durative actions, timed literals,
derived predicates, trajectory constraints and preferences. It reads the text of model and plan by itself, evaluates the
lists as they are written, copies the whole state at every step, and stops at the first fault. All states of a classical
model come from it too, for the brute forces that look at everything (``edit_oracle``).

Sources, by the number of the definition: Fox and Long, JAIR 20, 2003 (states 2, satisfaction 9, mutual exclusion 12,
happenings 13, plans 14 to 20); Edelkamp and Hoffmann 2004 (axioms); Gerevini et al., AIJ 173, 2009, section 3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import Any

EPSILON = Fraction(1, 1000)


class InvalidError(Exception):
    """The plan is not valid; the message says why, for the reader of a failing test, and ``time`` since when."""

    time: Fraction | None = None


def parse(text: str) -> Any:
    """Return one list of words and lists."""
    stack: list[list[Any]] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", re.sub(r";.*", "", text)):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word.lower())
    return stack[0][0]


def shown(tree: Any) -> str:
    """Return the text of a list of words and lists."""
    return tree if isinstance(tree, str) else f"({' '.join(map(shown, tree))})"


Price = tuple[Fraction, Fraction]
ONE: Price = (Fraction(1), Fraction(0))


def fewest(one: Sequence[object], other: Sequence[object], insert: Callable[[Any], Price] = lambda line: ONE) -> Price:
    """Return the least price of skips, 1 each, and insertions between two plans, by the textbook's recursion."""
    best: dict[tuple[int, int], Price] = {}
    for i, j in product(range(len(one) + 1), range(len(other) + 1)):
        ways = [] if i or j else [(Fraction(0), Fraction(0))]
        if i:
            ways.append((best[i - 1, j][0] + 1, best[i - 1, j][1]))
        if j:
            first, second = insert(other[j - 1])
            ways.append((best[i, j - 1][0] + first, best[i, j - 1][1] + second))
        if i and j and one[i - 1] == other[j - 1]:
            ways.append(best[i - 1, j - 1])
        best[i, j] = min(ways)
    return best[len(one), len(other)]


def distance(one: Sequence[object], other: Sequence[object]) -> int:
    """Return the fewest insertions and deletions."""
    return int(fewest(one, other)[0])


def put(tree: Any, binding: dict[str, str]) -> Any:
    """Return a list with its variables replaced by objects, but for those that a quantifier in it has."""
    if isinstance(tree, str):
        return binding.get(tree, tree)
    if tree[:1] in (["forall"], ["exists"]):
        inner = {name: value for name, value in binding.items() if name not in tree[1]}
        return [*tree[:2], *(put(part, inner) for part in tree[2:])]
    return [put(part, binding) for part in tree]


def typed(words: list[Any]) -> list[tuple[str, list[str]]]:
    """Return the names of a typed list, each with its types: those of ``either``, or one, or none."""
    found: list[tuple[str, list[str]]] = []
    waiting: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "-":
            kind = next(rest)
            types = list(kind[1:]) if isinstance(kind, list) else [kind]
            found += [(name, types) for name in waiting]
            waiting = []
        else:
            waiting.append(word)
    return found + [(name, []) for name in waiting]


@dataclass
class World:
    """A state: the atoms that hold, the values that are defined, and, once asked for, the derived atoms too."""

    atoms: Set[tuple[str, ...]]
    values: dict[tuple[str, ...], Fraction]
    all_atoms: Set[tuple[str, ...]] | None = None


@dataclass
class Act:
    """A ground simple action: what stands at one time."""

    time: Fraction
    name: str
    condition: Any
    effects: list[Any]
    duration: Fraction | None = None
    is_step: bool = True
    preferences: list[tuple[str, Any]] = field(default_factory=list)


class Reference:
    def __init__(self, domain: str, problem: str, start: World | None = None, epsilon: Fraction = EPSILON) -> None:
        self.start, self.epsilon = start, epsilon
        self.domain = parse(domain)
        self.problem = parse(problem)
        above: dict[str, list[str]] = {}
        for name, parents in typed(self._sections(":types")):
            above.setdefault(name, []).extend(parents)
        self.types: dict[str, set[str]] = {}
        for name, kinds in (*typed(self._sections(":constants")), *typed(self._sections(":objects"))):
            own, waiting = self.types.setdefault(name, {"object"}), list(kinds)
            while waiting:
                kind = waiting.pop()
                waiting += above.get(kind, []) if kind not in own else []
                own.add(kind)
        self.objects = list(self.types)
        self.derived = [part for part in self.domain if part[0] == ":derived"]
        self.strata = self._strata()
        self.actions = {part[1]: part for part in self.domain if part[0] in (":action", ":durative-action")}
        self.violated: dict[str, int] = {}
        self.first_fault: Fraction | None = None
        """the time of the first happening, or the beginning of the first interval, that is at fault"""

    def _sections(self, name: str) -> list[Any]:
        return [item for part in (*self.domain, *self.problem) if part[0] == name for item in part[1:]]

    # --- conditions: definition 9; what is undefined makes a comparison neither true nor false ---

    def value(self, tree: Any, world: World, duration: Fraction | None) -> Fraction | None:
        if isinstance(tree, str):
            if tree == "?duration":
                return duration
            return Fraction(tree) if re.match(r"[-+.\d]", tree) else world.values.get((tree,))
        if tree[0] in "+-*/":
            parts = [self.value(part, world, duration) for part in tree[1:]]
            if any(part is None for part in parts):
                return None
            if tree[0] == "-" and len(parts) == 1:
                return -parts[0]  # type: ignore[operator]
            if tree[0] == "/" and parts[1] == 0:
                return None
            first, second = parts
            assert first is not None and second is not None
            return {"+": first + second, "-": first - second, "*": first * second}.get(
                tree[0], first / second if second else None
            )
        return world.values.get(tuple(tree))

    def truth(self, tree: Any, world: World, duration: Fraction | None = None) -> bool | None:
        if not tree or tree[0] in ("and", "or", "forall", "exists"):
            parts = [self.truth(part, world, duration) for part in self._parts(tree)]
            wanted = bool(tree) and tree[0] in ("or", "exists")
            if wanted in parts:
                return wanted
            return None if None in parts else not wanted
        if tree[0] == "not":
            inner = self.truth(tree[1], world, duration)
            return None if inner is None else not inner
        if tree[0] == "imply":
            return self.truth(["or", ["not", tree[1]], tree[2]], world, duration)
        if tree[0] == "=" and all(isinstance(part, str) and part in self.types for part in tree[1:]):
            return bool(tree[1] == tree[2])
        if tree[0] in ("<", "<=", "=", ">=", ">"):
            left, right = (self.value(part, world, duration) for part in tree[1:])
            if left is None or right is None:
                return None
            sign = (left > right) - (left < right)
            return {"<": sign < 0, "<=": sign <= 0, "=": sign == 0, ">=": sign >= 0, ">": sign > 0}[tree[0]]
        return tuple(tree) in self.closed(world)

    def closed(self, world: World) -> Set[tuple[str, ...]]:
        """Return the atoms with the derived ones: of each stratum the least fixpoint."""
        if world.all_atoms is None:
            found = World(set(world.atoms), world.values)
            found.all_atoms = found.atoms
            for rules in self.strata:
                while True:
                    new = {head for head, condition in rules if self.truth(condition, found)}
                    if new <= found.atoms:
                        break
                    found.atoms |= new  # type: ignore[operator]
            world.all_atoms = found.atoms
        return world.all_atoms

    def _strata(self) -> list[list[tuple[tuple[str, ...], Any]]]:
        """Return the ground rules in the order in which they are applied: a negated predicate is done before."""
        level = {head[0]: 0 for _, head, _ in self.derived}
        for _ in level:
            for _, head, condition in self.derived:
                for name, is_negated in self._mentioned(condition, False):
                    if name in level:
                        level[head[0]] = max(level[head[0]], level[name] + is_negated)
        found: list[list[tuple[tuple[str, ...], Any]]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
        for _, head, condition in self.derived:
            names = [name for name, _ in typed(head[1:])]
            for binding in self._bindings(head[1:]):
                ground = (head[0], *(binding.get(name, name) for name in names))
                found[level[head[0]]].append((ground, put(condition, binding)))
        return found

    def _mentioned(self, tree: Any, is_negated: bool) -> list[tuple[str, bool]]:
        """Return the predicates of a condition, and whether what they are in is negated."""
        if not tree or tree[0] in ("<", "<=", "=", ">=", ">"):
            return []
        match tree:
            case ["not", part]:
                return self._mentioned(part, not is_negated)
            case ["imply", first, second]:
                return self._mentioned(first, not is_negated) + self._mentioned(second, is_negated)
            case ["forall" | "exists", _, part]:
                return self._mentioned(part, is_negated)
            case ["and" | "or", *parts]:
                return [each for part in parts for each in self._mentioned(part, is_negated)]
        return [(tree[0], is_negated)]

    def _bindings(self, parameters: list[Any]) -> list[dict[str, str]]:
        variables = [(name, kinds) for name, kinds in typed(parameters) if name[0] == "?"]
        choices = [
            [one for one, types in self.types.items() if not kinds or types & set(kinds)] for _, kinds in variables
        ]
        return [dict(zip([name for name, _ in variables], chosen, strict=True)) for chosen in product(*choices)]

    def _parts(self, tree: Any) -> list[Any]:
        if not tree:
            return []
        if tree[0] in ("and", "or"):
            return list(tree[1:])
        return [put(tree[2], binding) for binding in self._bindings(tree[1])]

    def initial(self) -> World:
        """Return the initial state, in which ``total-cost`` is 0 where nothing else is said."""
        if self.start is not None:
            return self.start
        facts = [fact for fact in self._sections(":init") if not isinstance(fact[-1], list) and fact[0] != "="]
        values = {tuple(fact[1]): Fraction(fact[2]) for fact in self._sections(":init") if fact[0] == "="}
        return World(set(map(tuple, facts)), {("total-cost",): Fraction(0), **values})

    # --- effects -------------------------------------------------------------------------------

    def plain(self, effects: list[Any], world: World, duration: Fraction | None) -> list[Any]:
        """Return the literals and changes of values that effects come to, all read in one state."""
        found: list[Any] = []
        for effect in effects:
            if not effect:
                continue
            if effect[0] == "and":
                found += self.plain(effect[1:], world, duration)
            elif effect[0] == "forall":
                for binding in self._bindings(effect[1]):
                    found += self.plain([put(effect[2], binding)], world, duration)
            elif effect[0] == "when":
                holds = self.truth(effect[1], world, duration)
                if holds is None:
                    raise InvalidError(f"the condition {effect[1]} of an effect is undefined")
                found += self.plain([effect[2]], world, duration) if holds else []
            elif effect[0] in ("assign", "increase", "decrease", "scale-up", "scale-down"):
                value = self.value(effect[2], world, duration)
                key = (effect[1],) if isinstance(effect[1], str) else tuple(effect[1])
                if value is None or (effect[0] != "assign" and key not in world.values):
                    raise InvalidError(f"{effect} reads what is undefined")
                if effect[0] == "scale-down" and not value:
                    raise InvalidError(f"{effect} divides by zero")
                found.append((effect[0], key, value))
            else:
                found.append(effect)
        return found

    def reads(self, tree: Any, found: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
        """Return the atoms and fluents that a condition or an expression mentions."""
        if isinstance(tree, str):
            found.add((tree,))
        elif not tree:
            pass
        elif tree[0] in ("and", "or", "forall", "exists"):
            for part in self._parts(tree):
                self.reads(part, found)
        elif tree[0] in ("not", "imply", "<", "<=", "=", ">=", ">", "+", "-", "*", "/"):
            for part in tree[1:]:
                self.reads(part, found)
        else:
            found.add(tuple(tree))
        return found

    def effect_reads(self, effects: list[Any], world: World, found: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
        """Return what effects mention: conditions, and what those do whose condition holds (definition 5)."""
        for effect in effects:
            if not effect:
                continue
            if effect[0] == "and":
                self.effect_reads(effect[1:], world, found)
            elif effect[0] == "forall":
                for binding in self._bindings(effect[1]):
                    self.effect_reads([put(effect[2], binding)], world, found)
            elif effect[0] == "when":
                self.reads(effect[1], found)
                if self.truth(effect[1], world):
                    self.effect_reads([effect[2]], world, found)
            elif effect[0] in ("assign", "increase", "decrease", "scale-up", "scale-down"):
                self.reads(effect[2], found)
        return found

    # --- mutual exclusion: definition 12 -------------------------------------------------------

    def beneath(self, touched: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
        """Return what is touched, and what derived atoms among it are derived from."""
        found = set(touched)
        for head, condition in [rule for rules in self.strata for rule in rules]:
            if head in touched:
                self.reads(condition, found)
        return found if found == touched else self.beneath(found)

    def exclude(self, one: Act, other: Act, effects: dict[int, list[Any]], worlds: dict[int, World]) -> str | None:
        """Return why two acts may not be together; ``effects`` and ``worlds`` are of each as it takes place."""
        sides = []
        for act in (one, other):
            read = self.effect_reads(act.effects, worlds[id(act)], self.reads(act.condition, set()))
            for _, condition in act.preferences:
                self.reads(condition, read)
            touched = self.beneath(read)
            found = effects[id(act)]
            adds = {tuple(effect) for effect in found if isinstance(effect, list) and effect[0] != "not"}
            deletes = {tuple(effect[1]) for effect in found if isinstance(effect, list) and effect[0] == "not"}
            changes = [effect for effect in found if isinstance(effect, tuple)]
            additive = {key for _, key, _ in changes}
            additive -= {key for operator, key, _ in changes if operator not in ("increase", "decrease")}
            sides.append((touched, adds, deletes, {key for _, key, _ in changes}, additive))
        for (touched, adds, *_), (_, more, fewer, changed, _) in (sides, sides[::-1]):
            if touched & (more | fewer | changed):
                return f"{touched & (more | fewer | changed)} is read and changed"
            if adds & fewer:
                return f"{adds & fewer} is added and deleted"
        both = sides[0][3] & sides[1][3]
        return f"{both} is changed twice" if both - (sides[0][4] & sides[1][4]) else None

    # --- happenings: definition 13 -------------------------------------------------------------

    def happen(self, acts: list[Act], before: World, near: list[tuple[Act, list[Any], World]]) -> World:
        try:
            return self._happen(acts, before, near)
        except InvalidError as error:
            error.time = acts[0].time
            raise

    def _happen(self, acts: list[Act], before: World, near: list[tuple[Act, list[Any], World]]) -> World:
        effects: dict[int, list[Any]] = {id(act): found for act, found, _ in near}
        worlds = {id(act): world for act, _, world in near}
        for act in acts:
            if self.truth(act.condition, before, act.duration) is not True:
                raise InvalidError(f"{act.name} at {act.time}: {act.condition} is not satisfied")
            effects[id(act)] = self.plain(act.effects, before, act.duration)
            worlds[id(act)] = before
        for one, other in [*combinations(acts, 2), *product([act for act, _, _ in near], acts)]:
            why = None if not (one.is_step or other.is_step) else self.exclude(one, other, effects, worlds)
            if why is not None:
                raise InvalidError(f"{one.name} at {one.time} and {other.name} at {other.time}: {why}")
        for act in acts:
            for name, condition in act.preferences:
                self.violated[name] = self.violated.get(name, 0) + (self.truth(condition, before) is not True)
        found = [effect for act in acts for effect in effects[id(act)]]
        near += [(act, effects[id(act)], before) for act in acts]
        atoms, values = set(before.atoms), dict(before.values)
        atoms -= {tuple(effect[1]) for effect in found if isinstance(effect, list) and effect[0] == "not"}
        atoms |= {tuple(effect) for effect in found if isinstance(effect, list) and effect[0] != "not"}
        changes = [effect for effect in found if isinstance(effect, tuple)]
        for key in {key for _, key, _ in changes}:
            own = [(operator, value) for operator, changed, value in changes if changed == key]
            values[key] = self.changed(key, own, before.values.get(key))
        return World(atoms, values)

    def changed(self, key: object, changes: list[tuple[str, Fraction]], before: Fraction | None) -> Fraction:
        operators = {operator for operator, _ in changes}
        if operators <= {"increase", "decrease"}:
            assert before is not None
            for operator, value in changes:
                before += value if operator == "increase" else -value
            return before
        if len(set(changes)) > 1 or (len(changes) > 1 and operators != {"assign"}):
            raise InvalidError(f"{key} is changed in two ways: {changes}")
        ((operator, value),) = set(changes)
        if operator == "assign":
            return value
        assert before is not None
        return before * value if operator == "scale-up" else before / value

    # --- classical models: every ground step, and what it does to a state ------------------------

    @cached_property
    def steps(self) -> dict[tuple[str, ...], tuple[str, dict[str, Any]]]:
        """The kind and the parts of each ground action, by name and arguments."""
        found = {}
        for name, parts in self.actions.items():
            keys = dict(zip(parts[2::2], parts[3::2], strict=True))
            for binding in self._bindings(keys.pop(":parameters", [])):
                found[name, *binding.values()] = parts[0], {key: put(value, binding) for key, value in keys.items()}
        return found

    def ground(self) -> dict[tuple[str, ...], Act]:
        """Return the act of each step."""
        return {step: self._simple(Fraction(0), step[0], keys) for step, (_, keys) in self.steps.items()}

    def after(self, act: Act, world: World) -> World | None:
        """Return the state behind a step alone, None where it cannot be executed."""
        try:
            return self.happen([act], world, [])
        except InvalidError:
            return None

    def goal(self) -> Any:
        return next((part[1] for part in self.problem if part[0] == ":goal"), [])

    # --- plans: definitions 14 to 20 -----------------------------------------------------------

    def acts(self, plan: str) -> tuple[list[list[Act]], list[tuple[Fraction, Fraction, Any, Fraction]], bool]:
        """Return the happenings of a plan, and the invariants as ``(from, to, condition, duration)``."""
        found: list[Act] = []
        invariants: list[tuple[Fraction, Fraction, Any, Fraction]] = []
        is_timed = any(part[0] == ":durative-action" for part in self.domain)
        for number, line in enumerate(filter(str.strip, plan.splitlines()), 1):
            match = re.match(r"(?:([\d./]+):\s*)?\(([^)]*)\)(?:\s*\[([\d./]+)\])?", line)
            if match is None:
                continue
            time = Fraction(number) if match[1] is None else Fraction(match[1])
            name, *arguments = match[2].lower().split()
            kind, keys = self.steps.get((name, *arguments), (":action", {":precondition": ["or"]}))
            if kind == ":action":
                found.append(self._simple(time, name, keys))
                continue
            length = Fraction(match[3])
            bounds = keys[":duration"][1:] if keys[":duration"][0] == "and" else [keys[":duration"]]
            conditions = keys[":condition"][1:]
            effects = keys[":effect"][1:]
            for when, at in (("start", time), ("end", time + length)):
                condition = ["and", *(part[2] for part in conditions if part[:2] == ["at", when])]
                condition += [self.loose(bound[2]) for bound in bounds if bound[:2] == ["at", when]]
                condition += [self.loose(bound) for bound in bounds if bound[0] != "at" and when == "start"]
                effect = [part[2] for part in effects if part[:2] == ["at", when]]
                found.append(Act(at, f"{when} {name}", condition, effect, length))
            whole = ["and", *(part[2] for part in conditions if part[:2] == ["over", "all"])]
            invariants.append((time, time + length, whole, length))
            if length < 0:
                raise InvalidError("a duration is negative")
        for fact in self._sections(":init"):
            if fact[0] == "at" and isinstance(fact[2], list):
                is_timed = True
                effect = ["assign", *fact[2][1:]] if fact[2][0] == "=" else fact[2]
                found.append(Act(Fraction(fact[1]), "timed", [], [effect], is_step=False))
        times = sorted({act.time for act in found})
        return [[act for act in found if act.time == time] for time in times], invariants, is_timed

    def _simple(self, time: Fraction, name: str, keys: dict[str, Any]) -> Act:
        hard, soft = self.split(keys.get(":precondition", []))
        return Act(time, name, hard, [keys.get(":effect", [])], preferences=soft)

    def loose(self, bound: Any) -> Any:
        """Return a bound of the duration with the tolerance of docs/semantics.md."""
        comparator, _, limit = bound
        if comparator == "=":
            return ["and", self.loose(["<=", "?duration", limit]), self.loose([">=", "?duration", limit])]
        slack = {"<=": f"{self.epsilon}", ">=": f"-{self.epsilon}"}.get(comparator, "0")
        return [comparator, "?duration", ["+", limit, slack]]

    def split(self, condition: Any) -> tuple[Any, list[tuple[str, Any]]]:
        """Return the hard part of a condition, and every instance of its preferences."""
        if condition and condition[0] == "preference":
            return [], [(condition[1], condition[2])]
        if condition and condition[0] in ("and", "forall") and "preference" in str(condition):
            parts = [self.split(part) for part in self._parts(condition)]
            return ["and", *(hard for hard, _ in parts)], [each for _, soft in parts for each in soft]
        return condition, []

    def run(self, plan: str) -> tuple[list[tuple[Fraction, World]], list[tuple[Fraction, World]], Fraction]:
        """Return the states up to the end of a plan, those that timed literals make afterwards, and the end."""
        happenings, invariants, is_timed = self.acts(plan)
        states = [(Fraction(0), self.initial())]
        later: list[tuple[Fraction, World]] = []
        end = max((act.time for acts in happenings for act in acts if act.is_step), default=Fraction(0))
        near: list[tuple[Act, list[Any], World]] = []
        for number, acts in enumerate(happenings):
            time = acts[0].time
            if time > end:
                later.append((time, self.happen(acts, (later or states)[-1][1], [])))
                continue
            near = [each for each in near if is_timed and time - each[0].time < self.epsilon]
            states.append((time, self.happen(acts, states[-1][1], near)))
            following = happenings[number + 1][0].time if number + 1 < len(happenings) else time
            for start, stop, condition, duration in invariants:
                is_inside = start <= time < following <= stop
                if is_inside and self.truth(condition, states[-1][1], duration) is not True:
                    error = InvalidError(f"{condition} is broken between {time} and {following}")
                    error.time = time
                    raise error
        return states, later, end

    # --- the end: definition 15; trajectories: Gerevini et al. 2009 ----------------------------

    def constraints(self) -> list[tuple[str, list[Any]]]:
        """Return each instance of a constraint: the name of its preference, empty for a hard one, and its parts."""
        return [each for tree in self._sections(":constraints") for each in self._constraint(tree)]

    def _constraint(self, tree: Any) -> list[tuple[str, list[Any]]]:
        if not tree:
            return []
        if tree[0] == "preference":
            return [(tree[1], [part for _, parts in self._constraint(tree[2]) for part in parts])]
        if tree[0] in ("and", "forall"):
            return [each for part in self._parts(tree) for each in self._constraint(part)]
        return [("", [tree])]

    def keeps(self, tree: Any, states: list[tuple[Fraction, World]]) -> bool:
        """Return whether a sequence of states satisfies one modal formula."""
        last = len(states) - 1
        every = range(last + 1)
        time = [when for when, _ in states]

        def holds(number: int, condition: Any) -> bool:
            return self.truth(condition, states[number][1]) is True

        match tree:
            case ["at", "end", p]:
                return holds(last, p)
            case ["always", p]:
                return all(holds(i, p) for i in every)
            case ["sometime", p]:
                return any(holds(i, p) for i in every)
            case ["within", t, p]:
                return any(holds(i, p) and time[i] <= Fraction(t) for i in every)
            case ["at-most-once", p]:
                return all(
                    any(
                        all(holds(k, p) for k in range(i, j + 1)) and not any(holds(k, p) for k in every if k > j)
                        for j in range(i, last + 1)
                    )
                    for i in every
                    if holds(i, p)
                )
            case ["sometime-after", p, q]:
                return all(any(holds(j, q) for j in range(i, last + 1)) for i in every if holds(i, p))
            case ["sometime-before", p, q]:
                return all(any(holds(j, q) for j in range(i)) for i in every if holds(i, p))
            case ["always-within", t, p, q]:
                return all(
                    any(holds(j, q) and time[j] - time[i] <= Fraction(t) for j in range(i, last + 1))
                    for i in every
                    if holds(i, p)
                )
            case ["hold-during", u, v, p]:
                first, second = Fraction(u), Fraction(v)
                return all(holds(i, p) for i in every if first <= time[i] < second) and all(
                    holds(j, p) for j in range(last) if time[j] <= first < time[j + 1]
                )
            case ["hold-after", u, p]:
                first = Fraction(u)
                return all(holds(i, p) for i in every if first <= time[i]) and all(
                    holds(j, p) for j in range(last) if time[j] <= first < time[j + 1]
                )
        raise AssertionError(f"{tree} is no modal formula")

    def verdict(self, plan: str) -> tuple[bool, Fraction | None, dict[str, int]] | None:
        """Return whether a plan is valid, its cost, and the violations.

        None where the definitions leave it open: whether timed literals after the plan count, and what a constraint
        asks for that begins after the plan.
        """
        self.violated = {}
        try:
            states, later, end = self.run(plan)
        except InvalidError as error:
            self.first_fault = error.time
            return False, None, {}
        modal = [part for _, parts in self.constraints() for part in parts]
        last = max((Fraction(part[1]) for part in modal if part[0].startswith("hold-")), default=Fraction(0))
        sequences = [states, [*states, *later]]
        sequences += [[*states, (last, states[-1][1])] for states in sequences if states[-1][0] < last]
        readings = [self._judged(states, end) for states in sequences]
        parts = list(zip(*(hard for hard, _, _ in readings), strict=True))
        if not all(any(part) for part in parts):
            return False, None, {}
        if not all(map(all, parts)):
            return None
        _, cost, violated = readings[0]
        is_settled = all(soft == violated for _, _, soft in readings)
        return True, cost if is_settled else None, violated if is_settled else {}

    def _judged(
        self, states: list[tuple[Fraction, World]], end: Fraction
    ) -> tuple[list[bool], Fraction | None, dict[str, int]]:
        """Return whether the goal and each hard constraint hold, the cost, and the violations."""
        world = states[-1][1]
        goal, soft = self.split(self.goal())
        hard = [self.truth(goal, world) is True]
        violated = dict(self.violated)
        for name, condition in soft:
            violated[name] = violated.get(name, 0) + (self.truth(condition, world) is not True)
        for name, parts in self.constraints():
            kept = all(self.keeps(part, states) for part in parts)
            if name:
                violated[name] = violated.get(name, 0) + (not kept)
            else:
                hard.append(kept)
        violated = {name: count for name, count in violated.items() if count}
        metric = next((part[2] for part in self.problem if part[0] == ":metric"), None)
        cost = None
        if metric is not None:
            names = re.findall(r"is-violated', '(\w+)", str(metric))
            counted = {("is-violated", name): Fraction(violated.get(name, 0)) for name in names}
            cost = self.value(metric, World(set(), {**world.values, **counted, ("total-time",): end}), None)
        return hard, cost, violated
