"""Rules about calls, decided by their definitions in the documents, on values of its own; beside a model or without.

A call is a name, arguments by name, and whether it failed. No automaton and nothing of the package takes part: an
order, for one, is looked for among all ways to say which call is which step.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from operator import ge, lt

Tools = Mapping[str, tuple[str, ...]]
"""the arguments of each tool"""
Holds = Callable[[tuple[str, ...]], bool]


@dataclass(frozen=True)
class Call:
    name: str
    args: tuple[tuple[str, str], ...] = ()
    failed: bool = False


@dataclass(frozen=True)
class Meant:
    """Which calls are meant: a name, or the beginning of names and ``*``; all (argument, sign, value) hold."""

    name: str
    comparisons: tuple[tuple[str, str, str], ...] = ()

    def __str__(self) -> str:
        inside = ", ".join(f"{path} {sign} {value}" for path, sign, value in self.comparisons)
        return f"{self.name}({inside})" if inside else self.name

    def __contains__(self, call: Call) -> bool:
        is_named = call.name.startswith(self.name[:-1]) if self.name.endswith("*") else call.name == self.name
        return is_named and all(_holds(call, each) for each in self.comparisons)


@dataclass(frozen=True)
class Condition:
    """A literal: a fact of the calls' own or of the model, with ``?x`` for an argument; or a comparison."""

    fact: tuple[str, ...] = ()
    comparison: tuple[str, str, str] = ("", "", "")
    positive: bool = True

    def __str__(self) -> str:
        text = f"({' '.join(self.fact)})" if self.fact else " ".join(self.comparison)
        return text if self.positive else f"not {text}"

    def holds(self, call: Call, holds: Holds) -> bool:
        if self.fact:
            return holds(_ground(self.fact, call)) is self.positive
        return _holds(call, self.comparison) is self.positive


_ORDERS: Mapping[str, Callable[[int, int], bool]] = {"<": lt, ">=": ge}


def _holds(call: Call, comparison: tuple[str, str, str]) -> bool:
    """Return whether an argument compares so with a value; only numbers have an order."""
    path, sign, value = comparison
    given = dict(call.args).get(path)
    if sign in _ORDERS:
        return given is not None and given.isdigit() and _ORDERS[sign](int(given), int(value))
    return (given == value) is (sign == "=")


def _ground(fact: tuple[str, ...], call: Call) -> tuple[str, ...]:
    values = {f"?{name}": value for name, value in call.args}
    return tuple(values.get(word, word) for word in fact)


@dataclass(frozen=True)
class Policy:
    """Rules by kind with what they speak of; ``changes`` are (call, gives or ends, fact)."""

    rules: tuple[tuple[str, tuple[object, ...]], ...]
    changes: tuple[tuple[Meant, str, tuple[str, ...]], ...] = ()
    free: tuple[str, ...] = ()

    def text(self) -> str:
        lines = [f"read-only {', '.join(self.free)}"] if self.free else []
        lines += [_line(kind, parts) for kind, parts in self.rules]
        lines += [f"{meant} {how} ({' '.join(fact)})" for meant, how, fact in self.changes]
        return "\n".join(lines)


def _line(kind: str, parts: Sequence[object]) -> str:
    match kind:
        case "never" | "allow":
            return f"{kind} {', '.join(map(str, parts))}"
        case "at most" | "at least":
            return f"{kind} {parts[0]} {parts[1]}"
        case "before" | "then":
            return f" {kind} ".join(map(str, parts))
        case "only if":
            return f"{parts[0]} only if {' and '.join(map(str, parts[1:]))}"
    (steps, pairs) = parts
    assert isinstance(steps, tuple) and isinstance(pairs, tuple)
    names = [f"s{at}: {step}" for at, step in enumerate(steps)]
    return f"{kind} {', '.join((*names, *(f's{one} < s{other}' for one, other in pairs)))}"


def is_kept(policy: Policy, run: Sequence[Call], views: Sequence[Holds] | None = None) -> bool:
    """Return whether a run keeps all rules; ``views`` say what holds in the model before each call."""
    known = _views(policy, run, views)
    return all(_keeps(policy, kind, parts, run, known) for kind, parts in policy.rules)


def can_go_on(policy: Policy, run: Sequence[Call], views: Sequence[Holds] | None = None) -> bool:
    """Return whether no call of a run has broken a rule: what it still lacks may come."""
    known = _views(policy, run, views)
    return all(_is_open(policy, kind, parts, run, known) for kind, parts in policy.rules)


def _is_open(policy: Policy, kind: str, parts: Sequence[object], run: Sequence[Call], known: Sequence[Holds]) -> bool:
    if kind in ("at least", "then", "order"):
        return True
    if kind == "exactly":
        return _is_begun(policy, *parts, run)  # type: ignore[arg-type]
    return _keeps(policy, kind, parts, run, known)


def _is_begun(policy: Policy, steps: tuple[Meant, ...], pairs: Sequence[tuple[int, int]], run: Sequence[Call]) -> bool:
    """Return whether the calls of a run can be the first steps of an order, with nothing else but free calls."""
    others = {at for at, call in enumerate(run) if call.name not in policy.free}
    if len(others) > len(steps):
        return False
    return any(
        others <= {place for place in places if place is not None}
        and all(place is None or run[place] in step for place, step in zip(places, steps, strict=True))
        and all(
            places[later] is None or (places[first] is not None and places[first] < places[later])  # type: ignore
            for first, later in pairs
        )
        for places in set(permutations([*range(len(run)), *[None] * len(steps)], len(steps)))
    )


def _views(policy: Policy, run: Sequence[Call], views: Sequence[Holds] | None) -> Sequence[Holds]:
    """Return what holds before each call: of the calls' own facts, and of the model."""
    own, known = set[tuple[str, ...]](), list[Holds]()
    given = {fact[0] for _, _, fact in policy.changes}
    for at, call in enumerate(run):
        now = frozenset(own)
        known.append(lambda fact, now=now, at=at: fact in now if fact[0] in given else views[at](fact))  # type: ignore
        if not call.failed:
            for how in ("ends", "gives"):
                for meant, what, fact in policy.changes:
                    if what == how and call in meant:
                        (own.add if how == "gives" else own.discard)(_ground(fact, call))
    return known


def _keeps(policy: Policy, kind: str, parts: Sequence[object], run: Sequence[Call], known: Sequence[Holds]) -> bool:
    done = [(at, call) for at, call in enumerate(run) if not call.failed]
    match kind, parts:
        case "never", meant:
            return not any(call in one for call in run for one in meant)  # type: ignore[operator]
        case "allow", meant:
            return all(call.name in policy.free or any(call in one for one in meant) for call in run)  # type: ignore
        case "at most", (number, one):
            return sum(call in one for _, call in done) <= number  # type: ignore[operator]
        case "at least", (number, one):
            return sum(call in one for _, call in done) >= number  # type: ignore[operator]
        case "before", chain:
            return all(
                any(earlier < at and other in first for earlier, other in done)  # type: ignore[operator]
                for first, second in pairwise(chain)
                for at, call in enumerate(run)
                if call in second  # type: ignore[operator]
            )
        case "then", (first, second):
            return all(
                any(later > at and other in second for later, other in done)  # type: ignore[operator]
                for at, call in done
                if call in first  # type: ignore[operator]
            )
        case "only if", (meant, *conditions):
            return all(
                condition.holds(call, holds)  # type: ignore[attr-defined]
                for call, holds in zip(run, known, strict=True)
                if call in meant  # type: ignore[operator]
                for condition in conditions
            )
        case (("order" | "exactly"), (steps, pairs)):
            others = [at for at, call in enumerate(run) if call.name not in policy.free]
            return any(
                all(run[at] in step for at, step in zip(places, steps, strict=True))  # type: ignore
                and all(places[one] < places[other] for one, other in pairs)  # type: ignore[attr-defined]
                and (kind == "order" or set(others) <= set(places))
                for places in permutations([at for at, _ in done], len(steps))  # type: ignore[arg-type]
            )
    raise AssertionError(kind)


def runs_near(run: tuple[Call, ...], calls: Sequence[Call]) -> Iterator[tuple[Call, ...]]:
    """Yield the runs that one edit makes: a call dropped, moved or added."""
    for place in range(len(run)):
        rest = (*run[:place], *run[place + 1 :])
        yield rest
        yield from ((*rest[:to], run[place], *rest[to:]) for to in range(len(run)))
    for place in range(len(run) + 1):
        yield from ((*run[:place], call, *run[place:]) for call in calls)


def fewest_edits(
    run: tuple[Call, ...], calls: Sequence[Call], is_right: Callable[[tuple[Call, ...]], bool], most: int
) -> int | None:
    layer, seen = {run}, {run}
    for edits in range(most + 1):
        if any(map(is_right, layer)):
            return edits
        if edits < most:
            layer = {near for one in layer for near in runs_near(one, calls)} - seen
            seen |= layer
    return None


# --- random rules ----------------------------------------------------------------------------------


def random_rules(
    draw: random.Random, tools: Tools, values: Sequence[str], facts: Sequence[tuple[str, int]], most: int = 3
) -> Policy:
    """Return a random policy; ``facts`` are predicates of the model with their number of arguments."""
    changes, names = list[tuple[Meant, str, tuple[str, ...]]](), list(facts)
    if draw.random() < 0.5:
        for number in range(draw.choice((1, 1, 2))):
            name, arity = f"own{number}", draw.choice((0, 0, 1))
            names.append((name, arity))
            for how in ("gives", *(("ends",) if draw.random() < 0.5 else ())):
                meant = _meant(draw, tools, values)
                fact = _fact(draw, (name, arity), tools.get(meant.name, ()), values)
                changes.append((meant, how, fact))
    free = tuple(name for name in tools if draw.random() < 0.15)
    rules = tuple(_rule(draw, tools, values, names) for _ in range(draw.randint(1, most)))
    return Policy(rules, tuple(changes), free)


def _meant(draw: random.Random, tools: Tools, values: Sequence[str]) -> Meant:
    name = draw.choice(sorted(tools))
    if draw.random() < 0.15:
        name = f"{name[: draw.choice((0, 1, 1))]}*"
    comparisons = [_comparison(draw, path, values) for path in tools.get(name, ()) if values and draw.random() < 0.3]
    return Meant(name, tuple(comparisons))


def _comparison(draw: random.Random, path: str, values: Sequence[str]) -> tuple[str, str, str]:
    value = draw.choice(values)
    return path, draw.choice(("=", "=", "!=", *_ORDERS) if value.isdigit() else ("=", "=", "!=")), value


def _fact(
    draw: random.Random, predicate: tuple[str, int], names: Sequence[str], values: Sequence[str]
) -> tuple[str, ...]:
    name, arity = predicate
    terms = [f"?{one}" for one in names] * 2 + list(values)
    return (name, *(draw.choice(terms) for _ in range(arity)))


def _rule(
    draw: random.Random, tools: Tools, values: Sequence[str], facts: Sequence[tuple[str, int]]
) -> tuple[str, tuple[object, ...]]:
    def meant() -> Meant:
        return _meant(draw, tools, values)

    kinds = ["never", "at most", "at least", "at least", "before", "then", "order", "order", "exactly", "allow"]
    kind = draw.choice([*kinds, *["only if"] * 3])
    match kind:
        case "never":
            return kind, (meant(),)
        case "allow":
            return kind, tuple(meant() for _ in range(draw.randint(1, 3)))
        case "at most":
            return kind, (draw.choice((1, 1, 2)), meant())
        case "at least":
            return kind, (draw.choice((1, 1, 2)), meant())
        case "before":
            return kind, tuple(meant() for _ in range(draw.choice((2, 2, 3))))
        case "then":
            return kind, (meant(), meant())
        case "only if":
            one = meant()
            return kind, (one, *(_condition(draw, one, tools, values, facts) for _ in range(draw.choice((1, 1, 2)))))
    steps = tuple(meant() for _ in range(draw.choice((1, 2, 2, 3))))
    pairs = tuple(
        (one, other) for one in range(len(steps)) for other in range(one + 1, len(steps)) if draw.random() < 0.6
    )
    return kind, (steps, pairs)


def _condition(
    draw: random.Random, meant: Meant, tools: Tools, values: Sequence[str], facts: Sequence[tuple[str, int]]
) -> Condition:
    names, positive = tools.get(meant.name, ()), draw.random() < 0.7
    usable = [fact for fact in facts if not fact[1] or names or values]
    if usable and (draw.random() < 0.7 or not names or not values):
        return Condition(fact=_fact(draw, draw.choice(usable), names, values), positive=positive)
    if names and values:
        return Condition(comparison=_comparison(draw, draw.choice(names), values), positive=positive)
    return Condition(fact=("own0",), positive=positive)


def calls_of(tools: Tools, values: Sequence[str]) -> list[Call]:
    """Return all calls with some values."""
    return [
        Call(name, tuple(zip(names, chosen, strict=True)))
        for name, names in tools.items()
        for chosen in product(values, repeat=len(names))
    ]
