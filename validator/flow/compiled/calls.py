"""Calls of operators: one action for each way to call one, by the items that stand for its inputs and by the try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from validator.flow.compiled.language import Effect, adds, atom, deletes, disjunction
from validator.flow.compiled.terms import Terms
from validator.flow.model import Flow, LifeCycle, Operator
from validator.model.values import TRUE, Formula, Not
from validator.reading.plan import Step

__all__ = ["add_calls", "first_call_cost", "past_tries", "tries"]

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
        self.terms.lang.action(self.terms.way(self.step, self.shown, name), {}, conditions, effects, cost)

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
