"""The vocabulary of a compiled flow: its predicates, and a constant for every item, operator, constraint and call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from validator.errors import ModelError
from validator.flow.compiled.analysis import Analysis, Instances, wide_operators
from validator.flow.compiled.language import (
    PREDICATES,
    PRICES,
    Action,
    Effect,
    Symbols,
    Task,
    adds,
    atom,
    deletes,
)
from validator.flow.model import ROOT_TYPE, Claim, Flow, GoalKind, LifeCycle, Operator
from validator.model.formulas import conjunction
from validator.model.values import Atom, Fluent, Formula
from validator.reading.plan import Constraint, Step

MOST_CALLS = 20_000

_SORTS = ("item", "operator", "constraint", "call", "try", "group")

_NO_PARAMETERS: Mapping[str, str] = {}


class Terms:
    """What all parts of a compilation share: the language, its constants, and which action does which visible step."""

    def __init__(self, flow: Flow, distinct: Instances | None = None) -> None:
        self.flow = flow
        self.distinct = distinct
        self.options = flow.options
        self.analysis = Analysis(flow)
        self.symbols = Symbols()
        for word in (*_SORTS, *PREDICATES, *PRICES, "ask", "map", "confirm"):
            self.symbols.name("own", word)
        declared = {word: predicate.sorts for word, predicate in PREDICATES.items()}
        self.task = Task(name=self.symbols.name("flow", flow.name), predicates=declared)
        self.step_of: dict[str, str] = {}
        self.shown: dict[str, Step | Constraint] = {}
        self._declare()

    def _declare(self) -> None:
        self.task.sorts.update(dict.fromkeys(_SORTS, "object"))
        for type_name in self._types_downward():
            self.task.sorts[self.sort(type_name)] = self.sort(self.flow.types.get(type_name, ROOT_TYPE))
        constant, name = self.task.constant, self.symbols.name
        self.item = {item: constant(name("item", item), self.sort(kind)) for item, kind in self.analysis.types.items()}
        self.operator = {each.name: constant(name("operator", each.name), "operator") for each in self.flow.operators}
        self.constraint = {text: constant(name("constraint", text), "constraint") for text in self.flow.constraints}
        most = max((operator.max_try for operator in self.flow.operators), default=1)
        self.level: list[str] = []
        self.try_level(max(most, 1))
        self.call: dict[tuple[str, tuple[str, ...]], str] = {}
        self.call_words: dict[str, str] = {}
        if self.options.retries or self.options.multi_instance:
            for operator in self.flow.operators:
                for sources in self.instances(operator):
                    self.call_of(operator, sources)

    def _types_downward(self) -> Iterator[str]:
        """Yield every type after the one above it."""
        waiting, done = sorted(self.flow.type_names), {ROOT_TYPE}
        while waiting:
            ready = [name for name in waiting if self.flow.types.get(name, ROOT_TYPE) in done]
            yield from ready
            done.update(ready)
            waiting = [name for name in waiting if name not in done]

    def sort(self, type_name: str) -> str:
        return "item" if type_name == ROOT_TYPE else self.symbols.name("type", type_name)

    def add_action(
        self,
        step: str,
        name: str,
        conditions: Iterable[Formula],
        effects: Iterable[Effect],
        cost: int | Fluent,
        *,
        parameters: Mapping[str, str] = _NO_PARAMETERS,
        shown: Step | Constraint | None = None,
    ) -> None:
        """Add an action that is a way to do a step; ``shown`` is how people see that step."""
        action = self.symbols.name("action", name)
        self.step_of[action] = step
        if shown is not None:
            self.shown[step] = shown
        self.task.actions.append(Action(action, parameters, conjunction(conditions), list(effects), cost))

    # --- what is known of a flow ---------------------------------------------------------------

    @cached_property
    def past(self) -> Counter[str]:
        """Return how often each operator ran in the history."""
        return Counter(step.name for step in self.flow.history)

    @cached_property
    def tracked(self) -> Mapping[str, tuple[str, ...]]:
        """Return the inputs for which other items may stand, with those items."""
        if not self.options.multi_instance:
            return {}
        sources = {item: self.analysis.sources(item) for item in sorted(self.analysis.inputs)}
        return {item: found for item, found in sources.items() if found}

    @cached_property
    def wanted_whole(self) -> frozenset[tuple[str, tuple[str, ...]]]:
        """Return the calls that goals ask for with items for optional inputs."""
        return frozenset(
            (goal.subject, self.sources_of(goal.subject, goal.arguments))
            for goal in self.flow.all_goals
            if goal.kind is GoalKind.OPERATOR and goal.arguments and self.flow.by_name[goal.subject].optional_items
        )

    def sources_of(self, name: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
        """Return the items that stand for the inputs of an operator when it is called on arguments."""
        return arguments if self.options.multi_instance else self.flow.by_name[name].input_items

    @cached_property
    def watched(self) -> frozenset[str]:
        """Return the items that constraints are about."""
        return frozenset(item for text in self.flow.constraints for item in self.flow.variables(text))

    def instances(self, operator: Operator) -> list[tuple[str, ...]]:
        """Return for each distinct call of an operator the items that stand for its inputs, in their order.

        Raises ModelError when there are too many to be distinguished.
        """
        if self.distinct is not None and operator.name in self.wide:
            return sorted(sources for name, sources in self.distinct.calls if name == operator.name)
        choices = [self.candidates(item) for item in operator.input_items]
        found: list[tuple[str, ...]] = [()]
        for choice in choices:
            found = [(*chosen, item) for chosen in found for item in choice]
            if len(found) > MOST_CALLS:
                raise ModelError(
                    f"operator '{operator.name}' can be called on more than {MOST_CALLS} combinations of items that may"
                    " stand for its inputs; declare fewer mappings or types, or switch multi_instance off"
                )
        return found

    def call_of(self, operator: Operator, sources: tuple[str, ...]) -> str:
        """Return the constant of a call, also of one that no action makes."""
        key = (operator.name, sources)
        if key not in self.call:
            name = self.symbols.name("call", f"call-{operator.name} {' '.join(sources)}")
            self.call[key] = self.task.constant(name, "call")
            self.call_words[name] = f"{operator.name}({', '.join(sources)})"
        return self.call[key]

    def try_level(self, number: int) -> str:
        """Return the constant of the n-th try, also of one that no operator has."""
        while len(self.level) < number:
            name = self.symbols.name("try", f"try-{len(self.level) + 1}")
            self.level.append(self.task.constant(name, "try"))
        return self.level[number - 1]

    def group(self, text: str) -> str:
        """Return the constant of a group of goals."""
        return self.task.constant(self.symbols.name("group", text), "group")

    @property
    def words(self) -> dict[str, str]:
        """Return the items, operators, constraints and calls by their PDDL names."""
        tables = (self.item, self.operator, self.constraint)
        return {**{name: word for table in tables for word, name in table.items()}, **self.call_words}

    @cached_property
    def item_name(self) -> Mapping[str, str]:
        """Return the items by their PDDL names."""
        return {constant: item for item, constant in self.item.items()}

    @cached_property
    def wide(self) -> frozenset[str]:
        """Return the operators of which not all calls are distinguished."""
        return frozenset() if self.distinct is None else wide_operators(self.flow)

    def candidates(self, item: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys((item, *self.tracked.get(item, ()))))

    # --- common conditions and effects ---------------------------------------------------------

    def done(self, operators: Iterable[str]) -> list[Formula]:
        """Return the conditions that operators have run, now or before."""
        return [atom("done", self.operator[name]) for name in operators if name not in self.past]

    def decided(self, claim: Claim) -> Atom:
        return atom("true" if claim.holds else "false", self.constraint[claim.text])

    def decide(self, claim: Claim) -> list[Effect]:
        """Return the effects of deciding a constraint, with what becomes manifest."""
        effects: list[Effect] = []
        for each in self.flow.consequences(claim):
            opposite = Claim(text=each.text, holds=not each.holds)
            effects += [*adds(self.decided(each)), *deletes(self.decided(opposite))]
        return effects

    def acquire(self, item: str, doubt: LifeCycle) -> list[Effect]:
        """Return the effects of getting a new value: it is known, or uncertain where the life cycle has that doubt."""
        if doubt in self.options.life_cycle:
            return adds(atom("uncertain", item))
        return [*adds(atom("known", item)), *deletes(atom("uncertain", item))]

    def stand_for(self, source: str, target: str) -> list[Effect]:
        """Return the effects by which an item, and no other, stands for a tracked input."""
        tracked = atom("tracked", target)
        return [
            *deletes(atom("stands-for", "?other", target), when=tracked, each="?other"),
            *adds(atom("stands-for", source, target), when=tracked),
        ]

    def stand_for_itself(self, item: str) -> list[Effect]:
        """Return the same effects for an item that stands for itself."""
        own = self.item[item]
        others = [self.item[other] for other in self.tracked.get(item, ()) if other != item]
        effects = deletes(*(atom("stands-for", other, own) for other in others))
        return effects + adds(atom("stands-for", own, own)) if item in self.tracked else []
