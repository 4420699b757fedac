"""What the whole of a large model does to some of its atoms: those that are about chosen objects and nothing else.

All other atoms are forgotten, and all other objects of the same types are one and the same. So each step of the whole
has an image here, and there are few: as many as steps among the chosen objects and one more of each kind. What is kept
of a step is what it needs and changes of the atoms that are left; a variable is a group of which at most one atom ever
holds (``groups``), with one value for all atoms that are left out. Every repair of the whole is one here which costs no
more, as an inserted step that changes nothing here can be left out. So a lower bound of what is to be changed here is
one for the whole (a projection, Edelkamp 2001, of a task that is never grounded).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import product

from validator.execution.simulator import Simulator
from validator.grounding.encode import Encoding
from validator.grounding.limits import checked
from validator.grounding.operators import Effect, Operator, Value, variable_text
from validator.grounding.task import Task
from validator.model.conditions import ground
from validator.model.values import Atom, Conditional, Equal, GroundAtom, Literal, Model
from validator.reading.plan import Step, Token, bare
from validator.records import replace
from validator.repair.projection.instantiation import Parts
from validator.repair.projection.invariants import Group, Schema, groups

_OTHER = 0
"""the value of a variable while none of the atoms holds that it tells apart"""

_MOST_WAYS = 8
"""that one step has here"""


class Projection:
    """Projects one model onto objects."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.model = simulator.model
        actions = self.model.domain.actions.values()
        self.is_possible = not any(isinstance(effect, Conditional) for action in actions for effect in action.effects)
        self.groups = groups(self.model)
        self.asked = {action.name: Schema.of(action.precondition, action.effects) for action in actions}
        self._named = {term for asked in self.asked.values() for term in asked.terms() if not term.startswith("?")}
        self._facts = [_weights(group, self.model.problem.init) for group in self.groups]

    def onto(
        self,
        chosen: Set[str],
        tokens: Sequence[Token],
        most: int,
        is_over: Callable[[], bool] = lambda: False,
    ) -> tuple[Task, list[Token]] | None:
        """Return the task, and the tokens as it names them; None where it has more than ``most`` steps.

        Objects that actions name are always told apart. Raises TimeoutError as soon as it is over.
        """
        if not self.is_possible:
            return None
        return _Written(self, chosen | self._named, tokens).task(most, is_over)

    def holding(self, group: int, binding: tuple[str, ...]) -> Sequence[GroundAtom]:
        """Return the atoms of a group that hold initially."""
        return self._facts[group].get(binding, ())


def _weights(group: Group, init: Iterable[GroundAtom]) -> Mapping[tuple[str, ...], list[GroundAtom]]:
    found: dict[tuple[str, ...], list[GroundAtom]] = {}
    for atom in init:
        binding = group.binding(atom[0], atom[1:])
        if binding is not None:
            found.setdefault(binding, []).append(atom)
    return found


class _Written:
    """One projection: variables and values are numbered as they are met."""

    def __init__(self, projection: Projection, chosen: Set[str], tokens: Sequence[Token]) -> None:
        self.projection = projection
        self.chosen = chosen
        self.tokens = tokens
        model = projection.model
        literals = (effect for action in model.domain.actions.values() for effect in action.effects)
        self.changed = {effect.atom.predicate for effect in literals if isinstance(effect, Literal)}
        self.derived = {axiom.predicate for axiom in model.domain.axioms}
        self.image = {
            name: name if name in chosen else image_of(types) for name, types in model.problem.objects.items()
        }
        self.known: dict[GroundAtom, tuple[Value, ...]] = {}
        self.variables: dict[object, int] = {}
        self.values: list[dict[GroundAtom, int]] = []
        self.init: list[int] = []
        self.is_alone: list[bool] = []
        """whether each variable is about one atom, so that the other value says that it does not hold"""

    def task(self, most: int, is_over: Callable[[], bool]) -> tuple[Task, list[Token]] | None:
        model = self._model()
        rows = Parts(model).among(model.problem.objects.keys(), most)
        if rows is None:
            return None
        actions = {name: f"a{number}" for number, name in enumerate(model.domain.actions)}
        objects = {name: f"o{number}" for number, name in enumerate(model.problem.objects)}
        names = {
            name: [parameter.name for parameter in action.parameters] for name, action in model.domain.actions.items()
        }
        goal = self._goal()
        operators: list[Operator] = []
        for name, args in checked(rows, is_over):
            ways = self._ways(self.projection.asked[name], dict(zip(names[name], args, strict=True)))
            if ways is None:
                return None
            code = " ".join((actions[name], *(objects[arg] for arg in args)))
            operators += (_operator(code, needed, sets) for needed, sets in ways)
        if goal is None:
            return None
        task = Task(
            variables=tuple(variable_text(number, len(values) + 1) for number, values in enumerate(self.values)),
            mutexes="0\n",
            init=tuple(self.init),
            operators=tuple(operators),
            axioms="0\n",
            goal=tuple(goal.items()),
            goal_operators=(),
            reached=(0, 0),
            encoding=Encoding(
                domain="",
                problem="",
                actions={code: model.domain.actions[name].step or name for name, code in actions.items()},
                objects={code: name for name, code in objects.items()},
                scale=1,
            ),
        )
        return task, [self._token(token) for token in self.tokens]

    def _token(self, token: Token) -> Token:
        if not isinstance(token, Step) or self.projection.simulator.malformed(0, token):
            return token
        step = bare(token)
        return Step(name=step.name, args=tuple(self.image[arg] for arg in step.args))

    def _model(self) -> Model:
        """Return the model with one object for all others of the same types."""
        model, image = self.projection.model, self.image
        objects = {image[name]: types for name, types in model.problem.objects.items()}
        init = frozenset((atom[0], *(image[term] for term in atom[1:])) for atom in model.problem.init)
        return Model(domain=model.domain, problem=replace(model.problem, objects=objects, init=init))

    def _goal(self) -> dict[int, int] | None:
        """Return what is asked for of the goal here; None where that contradicts itself."""
        goal = Schema.of(self.projection.model.problem.goal)
        return self._needed(goal.needs, goal.forbids, self.image)

    def _needed(
        self, needs: Iterable[Atom], forbids: Iterable[Atom], binding: Mapping[str, str]
    ) -> dict[int, int] | None:
        """Return the values that are needed; None where they exclude each other."""
        found: dict[int, int] = {}
        for atom in needs:
            for variable, value in self._cells(ground(atom, binding)):
                if found.setdefault(variable, value) != value:
                    return None
        for atom in forbids:
            denied = ground(atom, binding)
            if self._is_static(denied) and denied in self.projection.model.problem.init:
                return None
            for variable, value in self._cells(denied):
                if value == _OTHER:
                    continue
                if found.get(variable) == value:
                    return None
                if self.is_alone[variable]:
                    found[variable] = _OTHER
        return found

    def _ways(self, asked: Schema, binding: Mapping[str, str]) -> list[tuple[dict[int, int], dict[int, int]]] | None:
        """Return what a step needs and sets, in each of the ways in which it can be done; None for too many."""
        if any(binding.get(one.left, one.left) != binding.get(one.right, one.right) for one in asked.equal):
            return []
        if any(self._must_be_equal(one, binding) for one in asked.unequal):
            return []
        needed = self._needed(asked.needs, asked.forbids, binding)
        if needed is None:
            return []
        sets: dict[int, int] = {}
        for atom in asked.adds:
            for variable, value in self._cells(ground(atom, binding)):
                if sets.setdefault(variable, value) != value:
                    return []  # two would hold of which at most one does
        open_deletes: list[Value] = []
        for atom in asked.deletes:
            for variable, value in self._cells(ground(atom, binding)):
                if variable in sets or value == _OTHER:
                    continue
                if variable not in needed:
                    open_deletes.append((variable, value))
                elif needed[variable] == value:
                    sets[variable] = _OTHER
        open_deletes = list(dict.fromkeys(open_deletes))
        if 2 ** len(open_deletes) > _MOST_WAYS:
            return None
        return list(self._split(needed, sets, open_deletes))

    def _split(
        self, needed: dict[int, int], sets: dict[int, int], open_deletes: Sequence[Value]
    ) -> Iterator[tuple[dict[int, int], dict[int, int]]]:
        """Yield a step that deletes what may hold or not: each either is asked for and goes, or is not looked at."""
        for chosen in product((True, False), repeat=len(open_deletes)):
            deleted = {variable: value for (variable, value), goes in zip(open_deletes, chosen, strict=True) if goes}
            if len(deleted) == sum(chosen):
                yield {**needed, **deleted}, {**sets, **dict.fromkeys(deleted, _OTHER)}

    def _is_static(self, atom: GroundAtom) -> bool:
        """Return whether nothing changes an atom, which is about the objects that are told apart."""
        return atom[0] not in self.changed and atom[0] not in self.derived and self._tells_apart(atom[1:])

    def _tells_apart(self, objects: Iterable[str]) -> bool:
        return all(name in self.chosen for name in objects)

    def _must_be_equal(self, one: Equal, binding: Mapping[str, str]) -> bool:
        left = binding.get(one.left, one.left)
        return left in self.chosen and left == binding.get(one.right, one.right)

    def _cells(self, atom: GroundAtom) -> tuple[Value, ...]:
        """Return the variables that an atom is a value of."""
        found = self.known.get(atom)
        if found is None:
            found = self.known[atom] = tuple(self._found(atom))
        return found

    def _found(self, atom: GroundAtom) -> Iterator[Value]:
        if atom[0] not in self.changed or atom[0] in self.derived:
            return
        is_told_apart, is_covered = self._tells_apart(atom[1:]), False
        for number, group in enumerate(self.projection.groups):
            binding = group.binding(atom[0], atom[1:])
            if binding is None or not self._tells_apart(binding):
                continue
            holding = self.projection.holding(number, binding)
            if len(holding) > 1:
                continue
            variable = self._variable((number, binding), holding, alone=False)
            is_covered = True
            yield variable, self._value(variable, atom) if is_told_apart else _OTHER
        if is_told_apart and not is_covered:
            holds = [atom] if atom in self.projection.model.problem.init else []
            variable = self._variable(atom, holds, alone=True)
            yield variable, self._value(variable, atom)

    def _variable(self, key: object, holding: Sequence[GroundAtom], *, alone: bool) -> int:
        number = self.variables.get(key)
        if number is None:
            number = self.variables[key] = len(self.values)
            self.values.append({})
            self.is_alone.append(alone)
            self.init.append(_OTHER)
            for atom in holding:
                if self._tells_apart(atom[1:]):
                    self.init[number] = self._value(number, atom)
        return number

    def _value(self, variable: int, atom: GroundAtom) -> int:
        return self.values[variable].setdefault(atom, len(self.values[variable]) + 1)


def _operator(name: str, needed: Mapping[int, int], sets: Mapping[int, int]) -> Operator:
    effects = [Effect(conditions=(), variable=variable, value=value) for variable, value in sets.items()]
    return Operator.made(name, tuple(needed.items()), effects, 1)


def image_of(types: frozenset[str]) -> str:
    """Return the one object that stands for all others of the same types; no name of the model has a space."""
    return "* " + " ".join(sorted(types))
