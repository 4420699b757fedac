"""A certificate for VeriPB: a pseudo-Boolean formula that is satisfied by nearer plans alone, and its refutation.

A repair is a row of layers. At each place of the plan stand as many layers as there may be insertions, each of which is
one action or nothing, and one in which the step is kept or skipped; the last layer chooses what holds of the goal. Of
each layer the formula (OPB) has

    one       exactly one of its choices c is made
    value     each variable has exactly one value s
    needs     a choice needs the values that it reads; where it reads several, one of them is chosen (r)
    balance   a value holds after the layer if it held before, and was not left, or was reached

and the price of all choices is below the bound. The proof adds these up for each layer, with the weights of the
certificate as factors: no layer lowers the sum of the weights by more than its price. All layers together lower it from
at least the bound to at most 0, which contradicts the price. So the only rule is addition of constraints (``pol``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from validator.certificates import plan_certify
from validator.certificates.certificate import NoCertificate
from validator.records import dataclass

_MOST_CHOICES = 500_000
"""choices of a formula"""


def pseudo_boolean(domain: str, problem: str, certificate: Mapping[str, Any]) -> tuple[str, str] | NoCertificate:
    """Return a formula in OPB and its refutation in VeriPB's format 3.0; ``domain`` and ``problem`` are texts.

    Raises RefusedError for a certificate that the checker refuses.
    """
    known = plan_certify.Problem(plan_certify.Model(domain, problem), certificate["plan"], certificate)
    known.check(certificate["states"])
    if known.h(0, known.start) < known.bound:
        return NoCertificate(f"{len(certificate['states'])} states are left over, which only plan-certify checks")
    return written(known)


def written(known: plan_certify.Problem) -> tuple[str, str] | NoCertificate:
    """Return the formula and what its weights add up to, which is a refutation if they reach the bound."""
    least = min((action.price for action in known.actions.values()), default=1)
    if not least:
        return NoCertificate("where an action costs nothing, no number of insertions is enough")
    layers = list(_layers(known, max(0, (known.bound - 1) // least)))
    if sum(len(layer.choices) for layer in layers) > _MOST_CHOICES:
        return NoCertificate(f"the formula has more than {_MOST_CHOICES} choices")
    formula = _Formula()
    proof = "".join(f"{line}\n" for line in _Refutation(known, layers, formula).lines())
    return formula.text(_legend(known, layers)), proof


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """What a layer may do: by variable the value after each value before; others stay."""

    name: str
    price: int
    arcs: dict[int, dict[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    """A layer between two places of the plan; the last one leads to ``place`` None."""

    name: str
    place: int
    to: int | None
    choices: Sequence[_Choice]


def _layers(known: plan_certify.Problem, insertions: int) -> Iterator[_Layer]:
    def all_ways(name: str, price: int) -> list[_Choice]:
        return [_Choice(name=name, price=price, arcs=arcs) for arcs in known.by_name[name]]

    inserted = [_Choice(name="nothing", price=0, arcs={})]
    inserted += [way for name, action in known.actions.items() for way in all_ways(name, action.price)]
    for place in range(len(known.steps) + 1):
        for _ in range(insertions):
            yield _Layer(name="insertion", place=place, to=place, choices=inserted)
        if place < len(known.steps):
            step = known.steps[place]
            skip = _Choice(name=f"skip {step}", price=1, arcs={})
            yield _Layer(name=f"step {step}", place=place, to=place + 1, choices=[skip, *all_ways(step, 0)])
    ends = []
    for goal in known.goals:
        sizes = [len(variable) + 1 for variable in known.variables]
        kept = [{n: n for n in range(size) if known.holds(v, n, goal)} for v, size in enumerate(sizes)]
        read = {v: arc for v, arc in enumerate(kept) if len(arc) < sizes[v]}
        ends.append(_Choice(name="goal", price=0, arcs=read))
    yield _Layer(name="goal", place=len(known.steps), to=None, choices=ends)


class _Formula:
    """Constraints in the order of their numbers; an equality is two, of which the second is its reverse."""

    def __init__(self) -> None:
        self._lines, self._literals, self.size = list[str](), set[str](), 0

    def add(self, terms: Sequence[tuple[int, str]], relation: str, bound: int) -> int:
        """Add a constraint and return its number."""
        self._literals.update(literal for _, literal in terms)
        self._lines.append(f"{' '.join(f'{factor:+d} {literal}' for factor, literal in terms)} {relation} {bound} ;\n")
        self.size += 2 if relation == "=" else 1
        return self.size - (relation == "=")

    def text(self, legend: Iterable[str]) -> str:
        first = f"* #variable= {len(self._literals)} #constraint= {len(self._lines)}\n"
        return "".join((first, *(f"* {line}\n" for line in legend), *self._lines))


class _Sum:
    """A sum of constraints with factors, in the reverse Polish notation of ``pol``."""

    def __init__(self) -> None:
        self.words = list[str]()

    def add(self, constraint: int | str, factor: int = 1) -> None:
        """Add a constraint, or a literal of which 0 is the least; an equality, by its number, with a factor below 0."""
        if not factor:
            return
        if factor < 0:
            assert isinstance(constraint, int)
            constraint, factor = constraint + 1, -factor
        self.words += [str(constraint), *([str(factor), "*"] if factor > 1 else []), *(["+"] if self.words else [])]

    def __str__(self) -> str:
        return f"pol {' '.join(self.words)} ;"


class _Refutation:
    """Writes the formula layer by layer, and what is added up in each."""

    def __init__(self, known: plan_certify.Problem, layers: Sequence[_Layer], formula: _Formula) -> None:
        self._known, self._layers, self._formula = known, layers, formula
        self._sizes = [len(each) + 1 for each in known.variables]

    def lines(self) -> Iterator[str]:
        formula, end = self._formula, _Sum()
        for v, start in enumerate(self._known.start):
            for value, weight in enumerate(self._weights(v, 0)):
                end.add(formula.add([(1, f"s0_{v}_{value}")], "=", int(value == start)), weight)
        every = [self._layer(number, layer) for number, layer in enumerate(self._layers)]
        sums = [each for each in every if each.words]
        prices = [
            (-choice.price, f"c{number}_{each}")
            for number, layer in enumerate(self._layers)
            for each, choice in enumerate(layer.choices)
            if choice.price
        ]
        end.add(formula.add(prices, ">=", 1 - self._known.bound))
        for number in range(len(sums)):
            end.add(formula.size + 1 + number)
        last = formula.size + len(sums) + 1
        yield from ("pseudo-Boolean proof version 3.0", f"f {formula.size} ;", *map(str, sums), str(end))
        yield from ("output NONE ;", f"conclusion UNSAT : {last} ;", "end pseudo-Boolean proof ;")

    def _weights(self, v: int, place: int | None) -> Sequence[int]:
        return [0] * self._sizes[v] if place is None else self._known.weights[v][place]

    def _layer(self, number: int, layer: _Layer) -> _Sum:
        """Write a layer; return the sum that says that it lowers the weights by at most its price."""
        formula, found = self._formula, _Sum()
        names = [f"c{number}_{each}" for each in range(len(layer.choices))]
        reads = self._reads(number, layer, names)
        one = formula.add([(1, name) for name in names], "=", 1)
        falls, least = [0] * len(names), 0
        for v in range(len(self._sizes)):
            before, after = self._weights(v, layer.place), self._weights(v, layer.to)
            most = max(map(int.__sub__, before, after))
            least += most
            self._values(number, layer, v, reads[v], found)
            for each, arc in ((each, choice.arcs.get(v)) for each, choice in enumerate(layer.choices)):
                fall = most if arc is None else max(before[old] - after[new] for old, new in arc.items())
                falls[each] += fall
                if arc is not None and len(arc) > 1:
                    literals = [(1, f"r{number}_{each}_{v}_{old}") for old in arc]
                    found.add(formula.add([*literals, (-1, names[each])], "=", 0), most - fall)
                    for (_, literal), (old, new) in zip(literals, arc.items(), strict=True):
                        found.add(literal, fall - before[old] + after[new])
        found.add(one, least)
        for name, choice, fall in zip(names, layer.choices, falls, strict=True):
            found.add(name, choice.price - fall)
        return found

    def _reads(self, number: int, layer: _Layer, names: Sequence[str]) -> list[list[tuple[str, int, int]]]:
        """Return of each variable the literals that read a value of it, with that value and the one after it."""
        found: list[list[tuple[str, int, int]]] = [[] for _ in self._sizes]
        for each, choice in enumerate(layer.choices):
            for v, arc in choice.arcs.items():
                for old, new in arc.items():
                    literal = names[each] if len(arc) == 1 else f"r{number}_{each}_{v}_{old}"
                    found[v].append((literal, old, new))
        return found

    def _values(self, number: int, layer: _Layer, v: int, reads: Sequence[tuple[str, int, int]], found: _Sum) -> None:
        """Write what is asked of the values of a variable before and after a layer, and add it up."""
        formula, before, after = self._formula, self._weights(v, layer.place), self._weights(v, layer.to)
        most, uses = max(map(int.__sub__, before, after)), defaultdict[int, list[str]](list)
        changes = defaultdict[int, list[tuple[int, str]]](list)
        for literal, old, new in reads:
            uses[old].append(literal)
            if old != new:
                changes[new].append((-1, literal))
                changes[old].append((1, literal))
        values = [f"s{number}_{v}_{value}" for value in range(self._sizes[v])]
        found.add(formula.add([(1, value) for value in values], "=", 1), -most)
        for value, name in enumerate(values):
            slack = most - before[value] + after[value]
            users = [(-1, literal) for literal in uses[value]]
            found.add(formula.add([(1, name), *users], ">=", 0) if users else name, slack)
            if layer.to is not None:
                terms = [(1, f"s{number + 1}_{v}_{value}"), (-1, name), *changes[value]]
                found.add(formula.add(terms, "=", 0), after[value])


def _legend(known: plan_certify.Problem, layers: Sequence[_Layer]) -> Iterator[str]:
    """Yield what the literals mean."""
    for v, atoms in enumerate(known.variables):
        shown = [f"{n} ({' '.join(atom)})" for n, atom in enumerate(atoms)]
        yield f"s<layer>_{v}_<value>: {', '.join(shown)}, {len(atoms)} none of these"
    for number, layer in enumerate(layers):
        yield f"layer {number}: {layer.name}"
    seen = set[int]()
    for number, layer in enumerate(layers):
        if id(layer.choices) not in seen:
            seen.add(id(layer.choices))
            layer_of = "<insertion>" if layer.name == "insertion" else str(number)
            yield from (f"c{layer_of}_{each}: {choice.name}" for each, choice in enumerate(layer.choices))
