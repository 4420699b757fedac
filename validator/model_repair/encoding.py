"""Plans on a domain whose edits are open, as one formula: which facts hold before each step, as a circuit of the edits.

With the plans fixed nothing is searched for. A fact that some condition reads holds after a step when it is added, or
held and is not deleted; each adding and deleting literal is there unless it is removed, and others may be put in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from time import monotonic
from typing import TypeAlias

from validator.model.conditions import Binding, bindings, folded, ground
from validator.model.pddl.write import formula_text
from validator.model.values import Atom, Axiom, Domain, Equal, Exists, Forall, Formula, GroundAtom, Imply, Model, Or
from validator.model_repair.cases import Case
from validator.model_repair.edits import Costs, Edit, Kind
from validator.model_repair.maxsat import FALSE, TRUE, Choices, Circuit
from validator.model_repair.space import Body, Occurrence, Part, Schema, Space, flat, grounding_to
from validator.records import dataclass, field


class RecursiveError(Exception):
    """A fact is derived from itself."""


@dataclass(frozen=True, slots=True)
class Instance:
    """``impossible`` says why no edit can help, where that shows while the formula is written."""

    circuit: Circuit
    choices: Choices
    impossible: str = ""


def encode(domain: Domain, cases: Sequence[Case], costs: Costs, deadline: float) -> Instance:
    """Write the formula: plans that must be valid are, and plans that must fail do.

    Raises TimeoutError, and RecursiveError for predicates that are derived from themselves.
    """
    circuit = Circuit()
    choices = Choices(circuit, costs)
    space = Space(domain, {name for case in cases for name, _ in case.steps})
    strengthened = frozenset(name for case in cases if case.must_fail for name, _ in case.steps)
    wanted: set[str] = set()
    unwanted: set[str] = set()
    uses = [_uses(case, space, strengthened, wanted, unwanted) for case in cases]
    for case, used in zip(cases, uses, strict=True):
        run = _Unrolled(case.model, circuit, choices, space, used, deadline, strengthened)
        impossible = _must_fail(run, case) if case.must_fail else _must_hold(run, case)
        if impossible:
            return Instance(circuit, choices, impossible)
    return Instance(circuit, choices)


def _occurrences(case: Case, schemas: Mapping[str, Schema]) -> list[Occurrence]:
    return [
        Occurrence(name, dict(zip((p.name for p in schemas[name].action.parameters), args, strict=True)))
        for name, args in case.steps
    ]


def _uses(case: Case, space: Space, strengthened: frozenset[str], wanted: set[str], unwanted: set[str]) -> _Uses:
    """Note what a plan reads."""
    used = _Uses(case.model, wanted, unwanted)
    for when, step in enumerate(_occurrences(case, space.schemas)):
        used.read_step(space, step, when, strengthened, case.must_fail)
    for positive in (True, False) if case.must_fail else (True,):
        used.read(case.model.problem.goal, {}, len(case.steps), positive)
    return used


def _must_hold(run: _Unrolled, case: Case) -> str:
    """Demand that a plan is valid; return why it cannot be."""
    for number, step in enumerate(_occurrences(case, run.space.schemas), 1):
        run.check_time()
        for removal, holds in run.required(step):
            if not run.circuit.require(removal, holds):
                return f"{case.name}: no allowed edit makes step {number} applicable"
        run.step(step)
    for part, holds in run.goals():
        if not run.circuit.require(holds):
            return f"{case.name}: no allowed edit makes {formula_text(part, {})} of the goal true"
    return ""


def _must_fail(run: _Unrolled, case: Case) -> str:
    """Demand that some step of a plan is not applicable or that a goal is not met; return why neither can be."""
    fails = []
    for step in _occurrences(case, run.space.schemas):
        run.check_time()
        fails += [-run.circuit.any_of(pair) for pair in run.required(step)]
        run.step(step)
    fails += [-holds for _, holds in run.goals()]
    return "" if run.circuit.require(*fails) else f"{case.name}: no allowed edit makes this plan fail"


# --- one plan ----------------------------------------------------------------------------------------

_Changes: TypeAlias = dict[GroundAtom, list[int]]


@dataclass(slots=True)
class _Unrolled:
    """The execution of one plan; ``step`` takes the next step, ``goals`` the end.

    ``uses`` says which facts are read, and until when; ``strengthened`` the actions that may get preconditions.
    """

    model: Model
    circuit: Circuit
    choices: Choices
    space: Space
    uses: _Uses
    deadline: float
    strengthened: frozenset[str] = frozenset()
    now: int = 0
    facts: dict[GroundAtom, int] = field(default_factory=dict)
    _derived: dict[GroundAtom, int] = field(default_factory=dict)
    _open: set[GroundAtom] = field(default_factory=set)

    def __post_init__(self) -> None:
        init = self.model.problem.init
        self.facts = {fact: TRUE if fact in init else FALSE for fact in self.uses.last}

    def check_time(self) -> None:
        """Raise TimeoutError when the time is over."""
        if monotonic() > self.deadline:
            raise TimeoutError

    # --- conditions --------------------------------------------------------------------------

    def required(self, occurrence: Occurrence) -> Iterator[tuple[int, int]]:
        """Yield for each condition of a step: the literal that takes it away, and the one that it holds."""
        action, binding = occurrence.action, dict(occurrence.binding)
        for part in self.space.schemas[action].precondition:
            yield self._removal(part), self._inner(part, binding)
        if action in self.strengthened:
            for edit in self.space.preconditions(action):
                chosen = self.choices.lit(edit)
                if chosen != FALSE:
                    yield -chosen, self.value(edit.formula, binding)

    def goals(self) -> Iterator[tuple[Formula, int]]:
        """Yield each conjunct of the goal and the literal that it holds now."""
        for part, _ in flat(self.model.problem.goal):
            yield part, self.value(part, {})

    def _removal(self, part: Part) -> int:
        return FALSE if part.edit is None else self.choices.lit(part.edit)

    def _part(self, part: Part, binding: Binding) -> int:
        return self.circuit.any_of((self._removal(part), self._inner(part, binding)))

    def _inner(self, part: Part, binding: Binding) -> int:
        """Return whether a condition holds, of which parts may be removed."""
        formula, parts = part.formula, part.parts
        if parts is None:
            return self.value(formula, binding)
        match formula:
            case Imply(premise, _):
                return self.circuit.any_of((-self.value(premise, binding), self._part(parts[0], binding)))
            case Forall(parameters, _):
                instances = bindings(self.model, parameters, binding)
                return self.circuit.all_of(self._part(parts[0], inner) for inner in instances)
            case Exists(parameters, _):
                instances = bindings(self.model, parameters, binding)
                return self.circuit.any_of(self._part(parts[0], inner) for inner in instances)
            case Or():
                return self.circuit.any_of(self._part(inner, binding) for inner in parts)
            case _:
                return self.circuit.all_of(self._part(inner, binding) for inner in parts)

    def value(self, formula: Formula, binding: Binding) -> int:
        """Return the literal that a condition holds now."""
        return folded(self.model, formula, binding, self._leaf, self.circuit.all_of, self.circuit.any_of)

    def _leaf(self, formula: Formula, binding: Binding, wanted: bool) -> int:
        if isinstance(formula, Atom):
            fact = self._fact(ground(formula, binding))
            return fact if wanted else -fact
        assert isinstance(formula, Equal)
        is_true = binding.get(formula.left, formula.left) == binding.get(formula.right, formula.right)
        return TRUE if is_true is wanted else FALSE

    def _fact(self, fact: GroundAtom) -> int:
        if fact[0] not in self.uses.axioms:
            return self.facts[fact]
        if fact not in self._derived:
            if fact in self._open:
                raise RecursiveError(f"'{fact[0]}' is derived from itself")
            self._open.add(fact)
            self._derived[fact] = self.circuit.any_of(self.value(*rule) for rule in self.uses.rules(fact))
            self._open.discard(fact)
        return self._derived[fact]

    # --- effects -----------------------------------------------------------------------------

    def step(self, occurrence: Occurrence) -> None:
        """Go on by one step."""
        self.now += 1
        body = self.space.schemas[occurrence.action].body
        instances = [
            (occurrence.action, inner, guard, binding)
            for guard, binding, inner in self._instances(body, dict(occurrence.binding), TRUE)
        ]
        added: dict[GroundAtom, list[int]] = defaultdict(list)
        deleted: dict[GroundAtom, list[int]] = defaultdict(list)
        for instance in instances:
            self._literals(*instance, added, deleted)
        for instance in instances:  # what is false before cannot be deleted,
            self._new(Kind.ADD_DELETE, *instance, deleted, lambda fact: self.facts[fact] == FALSE)
        for instance in instances:  # and what is true and stays cannot be added
            self._new(Kind.ADD_ADD, *instance, added, lambda fact: self.facts[fact] == TRUE and fact not in deleted)
        changed = {}
        for fact in {*added, *deleted}:
            kept = self.circuit.all_of((self.facts[fact], *(-part for part in deleted.get(fact, ()))))
            changed[fact] = self.circuit.any_of((*added.get(fact, ()), kept))
        self.facts.update(changed)
        self._derived.clear()

    def _instances(self, body: Body, binding: Binding, guard: int) -> Iterator[tuple[int, Binding, Body]]:
        for inner in bindings(self.model, body.own, binding) if body.own else (binding,):
            holds = guard
            if body.condition:
                holds = self.circuit.all_of((guard, *(self._part(part, inner) for part in body.condition)))
            if holds == FALSE:
                continue
            yield holds, inner, body
            for part in body.inner:
                yield from self._instances(part, inner, holds)

    def _literals(
        self, action: str, body: Body, guard: int, binding: Binding, added: _Changes, deleted: _Changes
    ) -> None:
        """Take the effects that stand in a body, each unless it is removed."""
        for atom, positive, edit in body.literals:
            fact = ground(atom, binding)
            if self.uses.last.get(fact, -1) >= self.now:
                stays = self.circuit.all_of((guard, -self.choices.lit(edit)))
                (added if positive else deleted)[fact].append(stays)

    def _new(
        self,
        kind: Kind,
        action: str,
        body: Body,
        guard: int,
        binding: Binding,
        changed: _Changes,
        is_useless: Callable[[GroundAtom], bool],
    ) -> None:
        """Take the effects that may be put into a body, each if it is."""
        if body.scope and not body.literals:
            return
        is_add = kind is Kind.ADD_ADD
        predicates = self.uses.wanted if is_add else self.uses.unwanted
        there = {atom for atom, positive, _ in body.literals if positive is is_add}
        terms = self.space.terms(action, body)
        for fact in self.uses.touched(binding):
            if fact[0] not in predicates or self.uses.last[fact] < self.now or is_useless(fact):
                continue
            for atom in grounding_to(terms, fact, binding):
                if atom not in there:
                    chosen = self.choices.lit(Edit(kind, action, atom, scope=body.scope))
                    changed[fact].append(self.circuit.all_of((guard, chosen)))


# --- which facts the conditions of a plan read, until when, and whether true or false is wanted -----


class _Uses:
    """The facts that are read: ``last`` maps each to the number of steps after which it is read last.

    ``wanted`` and ``unwanted`` are predicates of which some plan needs an atom true or false; they are shared by all
    plans, since what is put into an action for one of them happens in the others too.
    """

    def __init__(self, model: Model, wanted: set[str], unwanted: set[str]) -> None:
        self.model = model
        self.wanted, self.unwanted = wanted, unwanted
        self.last: dict[GroundAtom, int] = {}
        self.axioms: dict[str, list[Axiom]] = {}
        for axiom in model.domain.axioms:
            self.axioms.setdefault(axiom.predicate, []).append(axiom)
        self._constants = frozenset(model.domain.constants)
        self._by_object: dict[str, list[tuple[frozenset[str], GroundAtom]]] | None = None
        self._anywhere: list[GroundAtom] = []
        self._read: set[tuple[GroundAtom, bool, int]] = set()

    def read(self, formula: Formula, binding: Binding, when: int, positive: bool = True) -> None:
        """Note that a condition is read after ``when`` steps, true if ``positive``."""
        waiting = [(formula, binding, positive)]
        while waiting:
            for fact, is_wanted in self._facts(*waiting.pop()):
                if fact[0] not in self.axioms:
                    (self.wanted if is_wanted else self.unwanted).add(fact[0])
                    if self.last.get(fact, -1) < when:
                        self.last[fact] = when
                elif (fact, is_wanted, when) not in self._read:
                    self._read.add((fact, is_wanted, when))
                    waiting += ((condition, inner, is_wanted) for condition, inner in self.rules(fact))

    def read_step(
        self, space: Space, step: Occurrence, when: int, strengthened: frozenset[str], must_fail: bool
    ) -> None:
        """Note what a step reads: conditions, those of conditional effects, and conditions that it may get."""
        schema, binding = space.schemas[step.action], dict(step.binding)
        self.read(schema.action.precondition, binding, when)
        if must_fail:
            self.read(schema.action.precondition, binding, when, positive=False)
        if step.action in strengthened:
            for edit in space.preconditions(step.action):
                self.read(edit.formula, binding, when)
                self.read(edit.formula, binding, when, positive=False)
        self.read_effects(schema.body, binding, when)

    def read_effects(self, body: Body, binding: Binding, when: int) -> None:
        """Note the conditions of conditional effects: true or false, they may help."""
        for part in body.inner:
            for inner in bindings(self.model, part.own, binding):
                for condition in part.condition:
                    self.read(condition.formula, inner, when)
                    self.read(condition.formula, inner, when, positive=False)
                self.read_effects(part, inner, when)

    def rules(self, fact: GroundAtom) -> Iterator[tuple[Formula, Binding]]:
        """Yield the conditions of which each derives a fact, bound to its objects."""
        for rule in self.axioms[fact[0]]:
            if all(
                value in self.model.objects_of(parameter.types)
                for parameter, value in zip(rule.parameters, fact[1:], strict=True)
            ):
                yield rule.condition, dict(zip((p.name for p in rule.parameters), fact[1:], strict=True))

    def _facts(self, formula: Formula, binding: Binding, positive: bool) -> Iterator[tuple[GroundAtom, bool]]:
        def leaf(part: Formula, inner: Binding, is_wanted: bool) -> Iterator[tuple[GroundAtom, bool]]:
            return iter(((ground(part, inner), is_wanted),) if isinstance(part, Atom) else ())

        every = chain.from_iterable
        return folded(self.model, formula, binding, leaf, every, every, wanted=positive)

    def touched(self, binding: Mapping[str, str]) -> Iterator[GroundAtom]:
        """Yield the facts whose objects are all among those of a binding, or constants."""
        if self._by_object is None:
            self._by_object = defaultdict(list)
            for fact in self.last:
                objects = frozenset(fact[1:]) - self._constants
                if objects:
                    self._by_object[min(objects)].append((objects, fact))
                else:
                    self._anywhere.append(fact)
        yield from self._anywhere
        values = set(binding.values())
        for value in values:
            for objects, fact in self._by_object.get(value, ()):
                if objects <= values:
                    yield fact
