"""The steps that every flow has: asking for items, confirming them, mapping one to another, asserting constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from validator.flow.compiled.language import Effect, adds, atom, deletes, disjunction
from validator.flow.compiled.terms import Terms
from validator.flow.model import Claim, LifeCycle, Operator
from validator.model.values import Equal, Formula, Not
from validator.reading.plan import Constraint, Step

__all__ = ["add_basic_steps"]

_MAP, _TYPED_MAP, _CONFIRM, _ASSERT = 1, 20, 10, 20
_AGAIN = 10
"""what it costs more to assert a constraint that was decided before, after one of its items got a new value"""
_AGAIN_AFTER_MAP = 990


def add_basic_steps(terms: Terms) -> None:
    """Add an action for each way to ask, confirm, map and assert."""
    _Slots(terms).add()
    _add_confirm(terms)
    _add_maps(terms)
    for text in terms.flow.constraints:
        for holds in (True, False):
            _add_assert(terms, Claim(text=text, holds=holds))


class _Slots:
    """The ways to ask the user: at any time, as a last resort, in the order of inputs, all at once."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.options = terms.options

    def add(self) -> None:
        # The cheapest way first: a last resort costs a hundredth of a question that may be asked at any time.
        if self.options.ask_together:
            for operator in self.terms.flow.operators:
                self._together(operator)
        if self.options.ask_last_resort:
            waits = {item: self.terms.analysis.waits(item) for item in self.terms.item}
            self._last_resort(waits)
        if self.options.ask_always and self.options.ask_ordered:
            self._in_order("ask-always", {}, "price")
        elif self.options.ask_always:
            self._ask("ask-always", [atom("askable", "?x")], "price")

    def _last_resort(self, waits: Mapping[str, Sequence[str]]) -> None:
        if self.options.ask_ordered:
            self._in_order("ask-last", waits, "last-resort-price")
            return
        for item, operators in waits.items():
            if self.terms.analysis.desirability(item):
                self._pinned(f"ask-last-{item}", item, self.terms.done(operators), "last-resort-price")

    def _ask(self, name: str, conditions: Sequence[Formula], price: str) -> None:
        needs = [*conditions, Not(atom("known", "?x"))]
        way = self.terms.way("ask", None, name)
        self.terms.lang.action(way, {"?x": "item"}, needs, self._answered("?x"), f"({price} ?x)")

    def _answered(self, item: str) -> list[Effect]:
        return [
            *self.terms.acquire(item, LifeCycle.CONFIRM_ON_SLOT),
            *adds(atom("usable", item), atom("fresh", item)),
            *deletes(atom("given-away", item)),
            *self.terms.stand_for(item, item),
        ]

    def _pinned(self, name: str, item: str, conditions: Iterable[Formula], price: str) -> None:
        self._ask(name, [Equal("?x", self.terms.item[item]), *conditions], price)

    def _in_order(self, name: str, waits: Mapping[str, Sequence[str]], price: str) -> None:
        """Add for each input of each operator the question that comes when the inputs before it are known."""
        for operator in self.terms.flow.operators:
            before: list[Formula] = []
            for item in operator.input_items:
                if self.terms.analysis.desirability(item):
                    conditions = [*before, *self.terms.done(waits.get(item, ()))]
                    self._pinned(f"{name}-{item}-for-{operator.name}", item, conditions, price)
                before.append(atom("known", self.terms.item[item]))

    def _together(self, operator: Operator) -> None:
        terms = self.terms
        items = [item for item in operator.input_items if terms.analysis.desirability(item)]
        waits = {name for item in items for name in terms.analysis.waits(item)} if self.options.ask_last_resort else ()
        conditions = terms.done(sorted(waits))
        if len(items) < 2:
            for item in items:
                self._pinned(f"ask-for-{operator.name}", item, conditions, "last-resort-price")
            return
        shown = Step(name="ask", args=tuple(items))
        step = terms.symbols.name("step", str(shown))
        terms.lang.action(
            terms.way(step, shown, f"ask-for-{operator.name}"),
            {},
            [*conditions, *(Not(atom("known", terms.item[item])) for item in items)],
            [effect for item in items for effect in self._answered(terms.item[item])],
            sum(terms.analysis.last_resort_price(item) for item in items),
        )


def _add_confirm(terms: Terms) -> None:
    effects = [*adds(atom("known", "?x")), *deletes(atom("uncertain", "?x"))]
    needs = [atom("uncertain", "?x"), atom("confirmable", "?x")]
    terms.lang.action(terms.way("confirm", None, "confirm-item"), {"?x": "item"}, needs, effects, _CONFIRM)


# --- mapping -------------------------------------------------------------------------------------


def _add_maps(terms: Terms) -> None:
    """Add declared mappings, and those by type; a pair that is both costs what is declared."""
    _add_map(terms, "map-declared", "item", [atom("mappable", "?x", "?y")], _MAP)
    if not terms.options.map_types:
        return
    apart: list[Formula] = [] if terms.options.map_always else [Not(Equal("?x", "?y"))]
    free = [Not(atom("given-away", "?x")), Not(atom("forbidden", "?x", "?y")), Not(atom("new", "?y"))]
    for type_name in sorted(terms.flow.type_names):
        typed = [*apart, *free, atom("used", "?y")]
        _add_map(terms, f"map-{type_name}", terms.sort(type_name), typed, _TYPED_MAP)


def _add_map(terms: Terms, name: str, sort: str, conditions: Sequence[Formula], cost: int) -> None:
    sorts = {"?x": sort, "?y": sort}
    needs = [atom("known", "?x"), *conditions]
    effects = [
        *terms.acquire("?y", LifeCycle.CONFIRM_ON_MAPPING),
        *adds(atom("given-away", "?x"), atom("usable", "?y")),
        *deletes(atom("used", "?y")),
        *terms.stand_for("?x", "?y"),
    ]
    if not terms.watched:
        terms.lang.action(terms.way("map", None, name), sorts, needs, effects, cost)
        return
    # That a value is fresh, so that constraints about it may be decided again, goes with it where that matters.
    is_fresh = disjunction([atom("fresh", "?x"), atom("passed-fresh", "?x")])
    stale = disjunction([Not(atom("watched", "?y")), Not(is_fresh)])
    terms.lang.action(terms.way("map", None, name), sorts, [*needs, stale], effects, cost)
    passing = [*needs, atom("watched", "?y"), is_fresh]
    effects = [*effects, *adds(atom("passed-fresh", "?y"))]
    terms.lang.action(terms.way("map", None, f"{name}-fresh"), sorts, passing, effects, cost)


# --- constraints ---------------------------------------------------------------------------------


def _add_assert(terms: Terms, claim: Claim) -> None:
    """Add the first assertion of a constraint, and the later ones, after one of its items got a new value."""
    items = [terms.item[item] for item in terms.flow.variables(claim)]
    constraint = terms.constraint[claim.text]
    open_yet = [Not(atom(value, constraint)) for value in ("true", "false")]
    known = [atom("known", item) for item in items]
    effects = terms.decide(claim)
    for item in items:
        effects += deletes(atom("fresh", item), atom("passed-fresh", item))
    shown = Constraint(text=claim.text, holds=claim.holds)
    step = terms.symbols.name("step", f"{shown}")

    def add(name: str, conditions: Sequence[Formula], cost: int) -> None:
        terms.lang.action(terms.way(step, shown, f"{step} {name}"), {}, [*known, *conditions], effects, cost)

    add("first", open_yet, _ASSERT)
    decided = disjunction([atom("true", constraint), atom("false", constraint)])
    for predicate, extra in (("fresh", _AGAIN), ("passed-fresh", _AGAIN_AFTER_MAP)):
        for number, item in enumerate(items):
            add(f"again {number} {predicate}", [decided, atom(predicate, item)], _ASSERT + extra)
