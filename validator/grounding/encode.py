"""A model as the plain PDDL that Fast Downward's translator reads.

Every name becomes a short one (``a3``, ``o17``, ``p2``), so that no name of the model can clash with a keyword,
a type or another name space; types become static predicates, so that ``either`` needs no care, but for what quantified
effects range over; decimal costs are scaled to integers. Two actions are added: ``start`` makes the encoding's own goal
true, so that the translator never prunes what the model's goal does not need (it answers a task without operators when
a goal is unreachable), and ``goal`` has the model's goal as its precondition, which the translator turns into values of
variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import count
from math import lcm

from validator.execution.simulator import Simulator
from validator.model.conditions import bindings, dependencies
from validator.model.values import (
    Action,
    And,
    Arithmetic,
    Atom,
    Conditional,
    Effect,
    Equal,
    Exists,
    Fluent,
    Forall,
    Formula,
    Imply,
    Literal,
    Model,
    Not,
    Number,
    NumericEffect,
    Or,
    Parameter,
)
from validator.reading.plan import Step
from validator.records import dataclass, field

_OBJECT = frozenset(("object",))
_MOST_COSTS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """The encoded texts, how to read names back, and by what costs were multiplied."""

    domain: str
    problem: str
    actions: Mapping[str, str]
    objects: Mapping[str, str]
    scale: int

    def step(self, name: str) -> Step:
        """Return the step that an encoded ground operator ``a3 o1 o5`` stands for."""
        action, *args = name.split()
        return Step(name=self.actions[action], args=tuple(self.objects[arg] for arg in args))

    def names(self, step: Step) -> list[str]:
        """Return the names that the ground operators of a step may have: several where an action is several ways."""
        args = [self._objects.get(arg, "") for arg in step.args]
        return [" ".join((action, *args)) for action in self._actions.get(step.name, ())]

    @cached_property
    def _objects(self) -> Mapping[str, str]:
        return {name: encoded for encoded, name in self.objects.items()}

    @cached_property
    def _actions(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for encoded, name in self.actions.items():
            found.setdefault(name, []).append(encoded)
        return found


def encode(simulator: Simulator, *, with_costs: bool = True) -> Encoding:
    """Encode a model; without costs, every defined cost is 0.

    Raises ValueError for costs that cannot be integers of 32 bits, or are negative.
    """
    return _Encoder(simulator, with_costs).encode()


@dataclass
class _Encoder:
    simulator: Simulator
    with_costs: bool
    types: dict[frozenset[str], str] = field(default_factory=dict)
    variables: Iterator[int] = field(default_factory=count)
    cost_facts: list[str] = field(default_factory=list)
    cost_functions: list[str] = field(default_factory=list)
    made_of: dict[str, frozenset[str]] = field(default_factory=dict)
    is_negated: bool = False
    unfolded: frozenset[str] = frozenset()
    """derived predicates over which ``forall`` is written as a conjunction"""

    def __post_init__(self) -> None:
        model = self.simulator.model
        self.model: Model = model
        self.objects = {name: f"o{number}" for number, name in enumerate(model.problem.objects)}
        self.predicates = {name: f"p{number}" for number, name in enumerate(model.domain.predicates)}
        self.declared = declared(model)
        self.heads = {axiom.predicate for axiom in model.domain.axioms}
        self.actions = {name: f"a{number}" for number, name in enumerate(model.domain.actions)}
        self.functions = {name: f"f{number}" for number, name in enumerate(model.domain.functions)}
        self.scale = lcm(*(value.denominator for value in self._costs()), 1) if self.with_costs else 1

    def _costs(self) -> Iterator[Fraction]:
        """Yield the values of which costs are made."""
        yield from self.model.problem.values.values()
        for action in self.model.domain.actions.values():
            for effect in action.effects:
                if isinstance(effect, NumericEffect) and isinstance(effect.value, Number):
                    yield effect.value.value
                elif isinstance(effect, NumericEffect) and isinstance(effect.value, Arithmetic):
                    yield from (value for _, value in self._table(action))

    def encode(self) -> Encoding:
        model = self.model
        actions = [self._action(action) for action in model.domain.actions.values()]
        axioms = [self._axiom(axiom.predicate, axiom.parameters, axiom.condition) for axiom in model.domain.axioms]
        goal = self._formula(model.problem.goal, {})
        predicates = [
            f"({self.predicates[name]}{_variables(len(parameters))})"
            for name, parameters in model.domain.predicates.items()
        ]
        predicates += [f"({name} ?v)" for name in self.types.values()]
        constants = [f"{code} - {self.declared.typed(name)}" for name, code in self.objects.items()]
        domain = "\n".join(
            (
                "(define (domain d) (:requirements :adl :derived-predicates :action-costs)",
                f"(:types {self.declared.hierarchy()})",
                f"(:constants {' '.join(constants)})",
                f"(:predicates (started) (reached) {' '.join(predicates)})",
                f"(:functions (total-cost) - number {' '.join(self.cost_functions)})",
                *axioms,
                *actions,
                "(:action start :parameters () :precondition (and) :effect (started))",
                f"(:action goal :parameters () :precondition {goal} :effect (reached)))",
            )
        )
        facts = [f"({' '.join((self.predicates[atom[0]], *self._names(atom[1:])))})" for atom in model.problem.init]
        facts += [
            f"({name} {self.objects[value]})" for types, name in self.types.items() for value in model.objects_of(types)
        ]
        problem = "\n".join(
            (
                "(define (problem q) (:domain d) (:objects)",
                "(:init (= (total-cost) 0)",
                *sorted(facts),
                *self.cost_facts,
                ") (:goal (started)) (:metric minimize (total-cost)))",
            )
        )
        return Encoding(
            domain=domain,
            problem=problem,
            actions={code: model.domain.actions[name].step or name for name, code in self.actions.items()},
            objects={code: name for name, code in self.objects.items()},
            scale=self.scale,
        )

    # --- names and types -----------------------------------------------------------------------

    def _names(self, terms: Iterable[str]) -> list[str]:
        return [self.objects[term] for term in terms]

    def _type(self, types: frozenset[str]) -> str:
        return self.types.setdefault(types, f"t{len(self.types)}")

    def _bind(self, parameters: tuple[Parameter, ...], outer: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
        """Return fresh names for variables, on top of the outer ones, and the conditions that their types are."""
        names = {parameter.name: f"?v{next(self.variables)}" for parameter in parameters}
        conditions = [
            f"({self._type(parameter.types)} {names[parameter.name]})"
            for parameter in parameters
            if not parameter.types >= _OBJECT
        ]
        return {**outer, **names}, conditions

    def _term(self, term: str, names: Mapping[str, str]) -> str:
        return names.get(term) or self.objects[term]

    def _atom(self, atom: Atom, names: Mapping[str, str]) -> str:
        return f"({' '.join((self.predicates[atom.predicate], *(self._term(term, names) for term in atom.terms)))})"

    # --- formulas ------------------------------------------------------------------------------

    def _formula(self, formula: Formula, names: Mapping[str, str]) -> str:
        match formula:
            case Atom():
                return self._atom(formula, names)
            case Not() | Imply() if self.unfolded:
                return self._negated(formula, names)
            case Equal(left, right):
                return f"(= {self._term(left, names)} {self._term(right, names)})"
            case Not(part):
                return f"(not {self._formula(part, names)})"
            case And(parts):
                return f"(and {' '.join(self._formula(part, names) for part in parts)})"
            case Or(parts):
                return f"(or {' '.join(self._formula(part, names) for part in parts)})"
            case Imply(premise, conclusion):
                return f"(or (not {self._formula(premise, names)}) {self._formula(conclusion, names)})"
            case Forall() | Exists() if self.unfolded and self._is_recursive(formula):
                return self._unfolded(formula, names)
            case Forall(parameters, part):
                inner, typing = self._bind(parameters, names)
                exceptions = " ".join(f"(not {condition})" for condition in typing)
                variables = " ".join(inner[parameter.name] for parameter in parameters)
                return f"(forall ({variables}) (or {exceptions} {self._formula(part, inner)}))"
            case Exists(parameters, part):
                inner, typing = self._bind(parameters, names)
                variables = " ".join(inner[parameter.name] for parameter in parameters)
                return f"(exists ({variables}) (and {' '.join(typing)} {self._formula(part, inner)}))"
            case _:
                raise ValueError("numeric conditions cannot be given to a classical planner")

    def _unfolded(self, formula: Forall | Exists, names: Mapping[str, str]) -> str:
        """Return the conjunction, or the disjunction, of the instances of a quantifier."""
        instances = bindings(self.model, formula.parameters, {})
        codes = ({name: self.objects[value] for name, value in each.items()} for each in instances)
        parts = " ".join(self._formula(formula.part, {**names, **each}) for each in codes)
        return f"({'and' if isinstance(formula, Forall) else 'or'} {parts})"

    def _negated(self, formula: Not | Imply, names: Mapping[str, str]) -> str:
        """Return a negation, inside of which ``exists`` is what ``forall`` is elsewhere."""
        self.is_negated = not self.is_negated
        inner = self._formula(formula.part if isinstance(formula, Not) else formula.premise, names)
        self.is_negated = not self.is_negated
        if isinstance(formula, Not):
            return f"(not {inner})"
        return f"(or (not {inner}) {self._formula(formula.conclusion, names)})"

    def _axiom(self, predicate: str, parameters: tuple[Parameter, ...], condition: Formula) -> str:
        names, typing = self._bind(parameters, {})
        head = " ".join((self.predicates[predicate], *(names[parameter.name] for parameter in parameters)))
        self.unfolded = frozenset(
            name for name in self._derived_from(predicate) if predicate in self._derived_from(name)
        )
        text = f"(:derived ({head}) (and {' '.join(typing)} {self._formula(condition, names)}))"
        self.unfolded = frozenset()
        return text

    def _derived_from(self, predicate: str) -> frozenset[str]:
        """Return the derived predicates that a derived predicate is made of, over any number of axioms."""
        if predicate not in self.made_of:
            found: set[str] = set()
            waiting = [predicate]
            while waiting:
                head = waiting.pop()
                for axiom in self.model.domain.axioms if head in self.heads else ():
                    if axiom.predicate == head:
                        new = {name for name, _ in dependencies(axiom.condition)} & self.heads - found
                        found |= new
                        waiting += new
            self.made_of[predicate] = frozenset(found)
        return self.made_of[predicate]

    def _is_recursive(self, formula: Forall | Exists) -> bool:
        """Return whether a quantifier for all objects reads what the axiom derives that it stands in.

        The translator writes ``forall`` as ``not exists not``, and takes such axioms for ones that are not stratified.
        """
        return isinstance(formula, Exists) is self.is_negated and any(
            name in self.unfolded for name, _ in dependencies(formula)
        )

    # --- actions -------------------------------------------------------------------------------

    def _action(self, action: Action) -> str:
        names, typing = self._bind(action.parameters, {})
        variables = " ".join(names[parameter.name] for parameter in action.parameters)
        effects = [self._effect(effect, names) for effect in action.effects]
        costs = self._cost(action, names)
        return (
            f"(:action {self.actions[action.name]} :parameters ({variables})"
            f" :precondition (and {' '.join(typing)} {self._formula(action.precondition, names)})"
            f" :effect (and {' '.join(effects)} {costs}))"
        )

    def _effect(self, effect: Effect, names: Mapping[str, str]) -> str:
        if isinstance(effect, Conditional):
            return " ".join(self._conditional(effect, names, (), ()))
        return self._literal(effect, names) if isinstance(effect, Literal) else ""

    def _literal(self, effect: Literal, names: Mapping[str, str]) -> str:
        atom = self._atom(effect.atom, names)
        return atom if effect.positive else f"(not {atom})"

    def _conditional(
        self, effect: Conditional, names: Mapping[str, str], variables: tuple[str, ...], conditions: tuple[str, ...]
    ) -> Iterator[str]:
        """Yield a conditional effect without any inside another, which the translator does not take."""
        inner, _ = self._bind(effect.parameters, names)
        for parameter in effect.parameters:
            name, kind = inner[parameter.name], self.declared.of(self.model.objects_of(parameter.types))
            variables += (f"{name} - {kind or 'object'}",)
            conditions += () if kind else (f"({self._type(parameter.types)} {name})",)
        conditions += (self._formula(effect.condition, inner),)
        literals = [self._literal(part, inner) for part in effect.effects if isinstance(part, Literal)]
        if literals:
            text = f"(when (and {' '.join(conditions)}) (and {' '.join(literals)}))"
            yield f"(forall ({' '.join(variables)}) {text})" if variables else text
        for part in effect.effects:
            if isinstance(part, Conditional):
                yield from self._conditional(part, inner, variables, conditions)

    def _cost(self, action: Action, names: Mapping[str, str]) -> str:
        """Return what an action adds to total-cost: a number, or a function with a value for every argument."""
        costs = [effect.value for effect in action.effects if isinstance(effect, NumericEffect)]
        if not costs:
            return "(increase (total-cost) 0)"
        if all(isinstance(cost, Number) for cost in costs):
            total = sum((cost.value for cost in costs if isinstance(cost, Number)), Fraction(0))
            return f"(increase (total-cost) {self._integer(total)})"
        if len(costs) == 1 and isinstance(costs[0], Fluent):
            return f"(increase (total-cost) {self._cost_fluent(costs[0], names)})"
        return f"(increase (total-cost) {self._cost_table(action, names)})"

    def _cost_fluent(self, fluent: Fluent, names: Mapping[str, str]) -> str:
        code = self.functions[fluent.function]
        declaration = f"({code}{_variables(len(fluent.terms))}) - number"
        if declaration not in self.cost_functions:
            self.cost_functions.append(declaration)
            for key, value in self.model.problem.values.items():
                if key[0] == fluent.function:
                    self.cost_facts.append(f"(= ({' '.join((code, *self._names(key[1:])))}) {self._integer(value)})")
        return f"({' '.join((code, *(self._term(term, names) for term in fluent.terms)))})"

    def _cost_table(self, action: Action, names: Mapping[str, str]) -> str:
        code = f"c{self.actions[action.name]}"
        self.cost_functions.append(f"({code}{_variables(len(action.parameters))}) - number")
        for args, value in self._table(action):
            self.cost_facts.append(f"(= ({' '.join((code, *self._names(args)))}) {self._integer(value)})")
        return f"({' '.join((code, *(names[parameter.name] for parameter in action.parameters)))})"

    def _table(self, action: Action) -> Iterator[tuple[tuple[str, ...], Fraction]]:
        """Yield the arguments for which the cost of an action is defined, with the cost."""
        for number, binding in enumerate(bindings(self.model, action.parameters, {})):
            if number == _MOST_COSTS:
                raise ValueError(f"the costs of '{action.name}' have more than {_MOST_COSTS} different arguments")
            args = tuple(binding[parameter.name] for parameter in action.parameters)
            value = self.simulator.cost_of(Step(name=action.name, args=args))
            if value is not None:
                yield args, value

    def _integer(self, value: Fraction) -> int:
        if not self.with_costs:
            return 0
        scaled = value * self.scale
        if value < 0:
            raise ValueError("an action has a negative cost")
        if scaled.denominator != 1 or scaled >= 2**31:
            raise ValueError(f"the cost {value}, scaled by {self.scale}, is not a 32-bit integer")
        return scaled.numerator


def _variables(number: int) -> str:
    return "".join(f" ?x{position}" for position in range(number))


# --- types for quantified effects -----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Types with their objects, each after those that it is within: what quantified effects range over.

    Elsewhere types are static predicates, which the translator's logic program joins with all other conditions. For a
    quantified effect it tries every object tuple there is: of a type, where one is declared. Its types are a tree, and
    an object has one; so sets of objects are declared of which any two are apart, or one is within the other.
    """

    types: Sequence[tuple[str, frozenset[str]]]

    def of(self, objects: Iterable[str]) -> str | None:
        """Return the type of just these objects, None where none is declared."""
        wanted = frozenset(objects)
        return next((name for name, declared in self.types if declared == wanted), None)

    def hierarchy(self) -> str:
        """Return the declarations of the types."""
        return " ".join(f"{name} - {self._least(objects, place)}" for place, (name, objects) in enumerate(self.types))

    def typed(self, name: str) -> str:
        """Return the type of an object."""
        return self._least(frozenset((name,)), len(self.types))

    def _least(self, objects: frozenset[str], before: int) -> str:
        around = (name for name, declared in reversed(self.types[:before]) if objects <= declared)
        return next(around, "object")


def declared(model: Model) -> Declared:
    """Return types for what the quantified effects of a model range over, as far as they are a tree."""
    ranges = {types for action in model.domain.actions.values() for types in _ranges(action.effects)}
    sets = {frozenset(model.objects_of(types)) for types in ranges}
    taken: list[frozenset[str]] = []
    for objects in sorted(sets, key=lambda objects: (-len(objects), sorted(objects))):
        if all(objects <= other or objects.isdisjoint(other) for other in taken):
            taken.append(objects)
    return Declared(types=tuple((f"k{number}", objects) for number, objects in enumerate(taken)))


def _ranges(effects: Iterable[Effect]) -> Iterator[frozenset[str]]:
    for effect in effects:
        if isinstance(effect, Conditional):
            yield from (parameter.types for parameter in effect.parameters)
            yield from _ranges(effect.effects)
