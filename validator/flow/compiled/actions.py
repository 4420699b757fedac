"""The steps of a flow as actions: asking for items, confirming and mapping them, asserting constraints, calls.

A call is one action for each way to make it, by the items that stand for its inputs and by the try.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from validator.flow.compiled.language import Effect, adds, atom, deletes
from validator.flow.compiled.terms import Terms
from validator.flow.model import Claim, Flow, LifeCycle, Operator
from validator.model.formulas import disjunction
from validator.model.values import TRUE, Equal, Fluent, Formula, Not
from validator.reading.plan import Constraint, Step

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
        effects, cost = self._answered("?x"), Fluent(price, ("?x",))
        self.terms.add_action("ask", name, needs, effects, cost, parameters={"?x": "item"})

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
        terms.add_action(
            step,
            f"ask-for-{operator.name}",
            [*conditions, *(Not(atom("known", terms.item[item])) for item in items)],
            [effect for item in items for effect in self._answered(terms.item[item])],
            sum(terms.analysis.last_resort_price(item) for item in items),
            shown=shown,
        )


def _add_confirm(terms: Terms) -> None:
    effects = [*adds(atom("known", "?x")), *deletes(atom("uncertain", "?x"))]
    needs = [atom("uncertain", "?x"), atom("confirmable", "?x")]
    terms.add_action("confirm", "confirm-item", needs, effects, _CONFIRM, parameters={"?x": "item"})


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
        terms.add_action("map", name, needs, effects, cost, parameters=sorts)
        return
    # That a value is fresh, so that constraints about it may be decided again, goes with it where that matters.
    is_fresh = disjunction([atom("fresh", "?x"), atom("passed-fresh", "?x")])
    stale = disjunction([Not(atom("watched", "?y")), Not(is_fresh)])
    terms.add_action("map", name, [*needs, stale], effects, cost, parameters=sorts)
    passing = [*needs, atom("watched", "?y"), is_fresh]
    effects = [*effects, *adds(atom("passed-fresh", "?y"))]
    terms.add_action("map", f"{name}-fresh", passing, effects, cost, parameters=sorts)


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
        terms.add_action(step, f"{step} {name}", [*known, *conditions], effects, cost, shown=shown)

    add("first", open_yet, _ASSERT)
    decided = disjunction([atom("true", constraint), atom("false", constraint)])
    for predicate, extra in (("fresh", _AGAIN), ("passed-fresh", _AGAIN_AFTER_MAP)):
        for number, item in enumerate(items):
            add(f"again {number} {predicate}", [decided, atom(predicate, item)], _ASSERT + extra)


# --- calls of operators ---------------------------------------------------------------------------


_NEW_CALL = 5_000
"""what the first call on new arguments costs more, when retries are allowed"""


def add_calls(terms: Terms, given: Iterable[tuple[str, frozenset[str]]]) -> None:
    """Add the actions of all operators; ``given`` are calls that say which optional inputs they are given."""
    for operator in terms.flow.operators:
        _Calls(terms, operator, None).add()
    for name, optional in given:
        _Calls(terms, terms.flow.by_name[name], optional).add()


def tries(terms: Terms, operator: Operator) -> int | None:
    """Return how often an operator may run on the same arguments; None for any number of times."""
    if terms.options.retries:
        return operator.max_try
    return 1 if terms.options.multi_instance else None


def first_call_cost(flow: Flow, operator: Operator) -> int:
    """Return what the first call of an operator on new arguments costs."""
    return operator.cost + (_NEW_CALL if flow.options.retries else 0)


def past_tries(terms: Terms) -> Mapping[tuple[str, tuple[str, ...]], int]:
    """Return how often each call happened in the history."""
    found: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for step in terms.flow.history:
        operator = terms.flow.by_name[step.name]
        own = operator.input_items
        args = step.args if terms.options.multi_instance and len(step.args) == len(own) else own
        found[step.name, args] += 1
    return found


class _Calls:
    """The ways to call one operator, with the optional inputs ``optional``, or with whatever is known."""

    def __init__(self, terms: Terms, operator: Operator, optional: frozenset[str] | None) -> None:
        self.terms = terms
        self.operator = operator
        self.optional = optional
        self.inputs = operator.input_items
        name = operator.name if optional is None else f"{operator.name} with {', '.join(sorted(optional)) or 'nothing'}"
        self.step = terms.symbols.name("step", name)
        required = operator.required_items
        given = self.inputs if optional is None else [item for item in self.inputs if item in required | optional]
        self.shown = Step(name=operator.name, args=tuple(given))

    def add(self) -> None:
        terms = self.terms
        terms.shown[self.step] = self.shown
        if self._is_past():
            return
        common = list(self._conditions())
        most = tries(terms, self.operator)
        for sources in terms.instances(self.operator):
            stands = list(self._standing(sources))
            effects = list(self._effects((*self.inputs, *sources)))
            for kind, more, given in self._given(sources):
                self._tries(sources, kind, [*common, *stands, *more], [*effects, *given], most)

        if terms.distinct is not None and terms.distinct.others and self.operator.name in terms.wide:
            self._any_call(common)

    def _any_call(self, conditions: Sequence[Formula]) -> None:
        """Add one action for whatever stands for the inputs, which allows more than each of the calls does."""
        used = [source for item in self.inputs for source in (item, *self.terms.candidates(item))]
        cost = first_call_cost(self.terms.flow, self.operator)
        self._action(self.inputs, 0, "on anything", conditions, list(self._effects(used)), cost)

    def _given(self, sources: tuple[str, ...]) -> list[tuple[str, list[Formula], list[Effect]]]:
        """Return the ways to make a call, by what goals ask of its optional inputs: conditions and effects of each."""
        terms = self.terms
        own = self.operator.optional_items
        is_wanted = (self.operator.name, sources) in terms.wanted_whole
        if not is_wanted or (self.optional is not None and not own <= self.optional):
            return [("", [], [])]
        known: list[Formula] = [atom("known", terms.item[item]) for item in sorted(own)]
        given = adds(atom("given", terms.call_of(self.operator, sources)))
        whole = ("whole", known, given)
        part: tuple[str, list[Formula], list[Effect]] = ("in part", [disjunction([Not(each) for each in known])], [])
        return [whole] if self.optional is not None else [whole, part]

    def _tries(
        self,
        sources: tuple[str, ...],
        kind: str,
        conditions: Sequence[Formula],
        effects: Sequence[Effect],
        most: int | None,
    ) -> None:
        terms = self.terms
        if most is None:
            self._action(sources, 0, kind, conditions, effects, self.operator.cost)
            return
        call = terms.call[self.operator.name, sources]
        for level, term in enumerate(terms.level[:most]):
            before = [atom("tried", call, terms.level[level - 1])] if level else []
            fresh = Not(atom("tried", call, term))
            tried = adds(atom("tried", call, term))
            cost = self.operator.cost if level else first_call_cost(terms.flow, self.operator)
            self._action(sources, level, kind, [*conditions, *before, fresh], [*effects, *tried], cost)

    def _action(
        self,
        sources: Sequence[str],
        level: int,
        kind: str,
        conditions: Sequence[Formula],
        effects: Sequence[Effect],
        cost: int,
    ) -> None:
        others = [f"{source} for {item}" for source, item in zip(sources, self.inputs, strict=True) if source != item]
        name = " ".join((f"call {self.step}", *others, *([f"try {level + 1}"] if level else []), kind)).rstrip()
        self.terms.add_action(self.step, name, conditions, effects, cost, shown=self.shown)

    def _is_past(self) -> bool:
        """Return whether the history forbids the operator: its own use without options, or one ordered after it."""
        terms, name = self.terms, self.operator.name
        if not terms.options.retries and not terms.options.multi_instance and terms.past[name]:
            return True
        return any(order.first == name and terms.past[order.then] for order in terms.flow.orders)

    def _conditions(self) -> Iterator[Formula]:
        terms = self.terms
        optional = [terms.item[entry.item] for entry in self.operator.inputs if not entry.required]
        required = [terms.item[entry.item] for entry in self.operator.inputs if entry.required]
        yield from (atom("known", item) for item in required)
        yield from (Not(atom("uncertain", item)) for item in optional)
        if self.optional is not None:
            yield from (atom("known", terms.item[item]) for item in sorted(self.optional))
        if optional and not required:
            yield disjunction([atom("known", item) for item in optional])
        yield from map(terms.decided, self.operator.needs)
        yield from self._orders()

    def _orders(self) -> Iterator[Formula]:
        terms, flow, name = self.terms, self.terms.flow, self.operator.name
        yield from terms.done(order.first for order in flow.orders if order.then == name)
        if flow.starts_with not in (None, name):
            yield from terms.done([flow.starts_with or ""])
        if flow.ends_with is not None:
            yield Not(atom("done", terms.operator[flow.ends_with]))

    def _standing(self, sources: Sequence[str]) -> Iterator[Formula]:
        for item, source in zip(self.inputs, sources, strict=True):
            if item in self.terms.tracked:
                yield atom("stands-for", self.terms.item[source], self.terms.item[item])
            if self.terms.options.map_always and source in self.terms.analysis.inputs:
                yield atom("usable", self.terms.item[source])

    def _effects(self, used: Sequence[str]) -> Iterator[Effect]:
        """Yield what a call leaves behind that uses some items."""
        terms = self.terms
        yield from adds(atom("done", terms.operator[self.operator.name]))
        yield from adds(*(atom("used", terms.item[item]) for item in dict.fromkeys(used)))
        for name in self.operator.output_items:
            item = terms.item[name]
            yield from terms.acquire(item, LifeCycle.CONFIRM_ON_DETERMINATION)
            yield from adds(atom("fresh", item))
            yield from deletes(atom("given-away", item))
            if not terms.options.map_always:
                yield from terms.stand_for_itself(name)
        if LifeCycle.UNCERTAIN_ON_USE in terms.options.life_cycle:
            yield from self._doubts()
        for claim in self.operator.ensures:
            yield from terms.decide(claim)

    def _doubts(self) -> Iterator[Effect]:
        """Yield the effects of using items that become uncertain by it; an optional one only when it was given."""
        terms = self.terms
        yielded = self.operator.output_items
        for entry in self.operator.inputs:
            known, uncertain = atom("known", terms.item[entry.item]), atom("uncertain", terms.item[entry.item])
            if entry.item in yielded:
                continue
            yield from adds(uncertain, when=TRUE if entry.required else known)
            yield from deletes(known)
