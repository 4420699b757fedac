"""What may hold at first, and what a step may lead to: each outcome of an action is an action without choice.

So states, conditions and faults are those of every classical model (all-outcomes determinization, Yoon, Fern and Givan
2007).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, product
from math import prod
from typing import TypeAlias

from validator.execution.simulator import Simulator, Trace
from validator.model.conditions import bindings, substituted
from validator.model.values import (
    TRUE,
    Action,
    Atom,
    Conditional,
    Effect,
    GroundAtom,
    Literal,
    Model,
    OneOf,
    Option,
    Uncertain,
)
from validator.reading.plan import Step
from validator.records import replace

State: TypeAlias = frozenset[GroundAtom]

MOST = 1_000
"""states of one set, initial states among them, and outcomes of one action"""
OPEN_FEATURES = frozenset(("non-deterministic-effects", "uncertain-initial-state", "sensing-actions", "rewards"))
"""what a model uses that is executed as sets of states; whether a plan is valid does not depend on rewards"""


class TooManyStatesError(Exception):
    """There are more states or outcomes than are followed."""


def is_open(model: Model) -> bool:
    """Return whether a model is one whose plans are executed as sets of states, and has nothing else beyond PDDL 1."""
    return bool(model.features) and model.features.keys() <= OPEN_FEATURES


class Transitions:
    """A model with the outcomes of its actions, as actions by themselves; ``after`` says what a step may lead to."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._outcomes: dict[str, tuple[str, ...]] = {}
        actions = dict(model.domain.actions)
        for name, action in model.domain.actions.items():
            try:
                found = list(_outcomes(model, action))
            except TooManyStatesError:
                continue
            self._outcomes[name] = tuple(each.name for each in found)
            actions |= {each.name: each for each in found}
        domain = replace(model.domain, actions=actions, features={}, features_of={})
        problem = replace(model.problem, features={}, uncertain=(), metric=None)
        self.simulator = Simulator(Model(domain=domain, problem=problem))

    def initial(self) -> list[State]:
        """Return the possible initial states. Raises TooManyStatesError."""
        found: dict[State, None] = {}
        for world in worlds(self.model.problem.init, self.model.problem.uncertain):
            found[world] = None
            if len(found) > MOST:
                raise TooManyStatesError(f"there are more than {MOST:,} initial states")
        return list(found)

    def outcomes(self, step: Step) -> tuple[Step, ...]:
        """Return the steps that are the outcomes of one, in the order of the text. Raises TooManyStatesError."""
        if step.name not in self.model.domain.actions:
            return (step,)
        if step.name not in self._outcomes:
            raise TooManyStatesError(f"{step} has more than {MOST:,} outcomes")
        return tuple(Step(name=name, args=step.args) for name in self._outcomes[step.name])

    def after(self, step: Step, state: State) -> list[tuple[Step, State]]:
        """Return the outcomes of a step in a state, and what holds after each; nothing where it cannot be executed."""
        found: dict[State, Step] = {}
        for outcome in self.outcomes(step):
            following = self.simulator.after(state, outcome)
            if following is None:
                return []
            found.setdefault(following, outcome)
        return [(outcome, following) for following, outcome in found.items()]

    def run(self, start: State, steps: Sequence[Step], *, with_goal: bool) -> Trace:
        """Execute outcomes one after the other from an initial state."""
        return self.simulator.run_from(start, tuple(steps), with_goal=with_goal)

    def is_goal(self, state: State) -> bool:
        return not self.simulator.goal_parts(state)


# --- outcomes --------------------------------------------------------------------------------------


def _outcomes(model: Model, action: Action) -> Iterator[Action]:
    """Yield an action with each of its outcomes. Raises TooManyStatesError."""
    if not action.choices:
        yield action
        return
    whole = Option(action.effects, action.choices)
    for number, effects in enumerate(_effects(model, whole), 1):
        yield replace(action, name=f"{action.name} #{number}", effects=effects, choices=())


def _effects(model: Model, outcome: Option) -> Iterator[tuple[Effect, ...]]:
    """Yield what may come of an outcome with choices in it. Raises TooManyStatesError before there are too many."""
    options: list[list[tuple[Effect, ...]]] = []
    for choice in outcome.choices:
        for names in bindings(model, choice.parameters, {}):
            options.append(list(islice(_options(model, choice, names), MOST + 1)))
            if prod(map(len, options)) > MOST:
                raise TooManyStatesError
    for chosen in product(*options):
        yield (*outcome.effects, *chain.from_iterable(chosen))


def _options(model: Model, choice: OneOf, names: dict[str, str]) -> Iterator[tuple[Effect, ...]]:
    for option in choice.options:
        for effects in _effects(model, option):
            found = tuple(_substituted(effect, names) for effect in effects)
            plain = choice.condition == TRUE or not found
            yield found if plain else (Conditional((), substituted(choice.condition, names), found),)


def _substituted(effect: Effect, names: dict[str, str]) -> Effect:
    if not names:
        return effect
    if isinstance(effect, Literal):
        atom = effect.atom
        return Literal(Atom(atom.predicate, tuple(names.get(term, term) for term in atom.terms)), effect.positive)
    if isinstance(effect, Conditional):
        inner = {name: value for name, value in names.items() if name not in {one.name for one in effect.parameters}}
        effects = tuple(_substituted(each, inner) for each in effect.effects)
        return Conditional(effect.parameters, substituted(effect.condition, inner), effects)
    return effect


# --- initial states --------------------------------------------------------------------------------

_Values: TypeAlias = dict[GroundAtom, bool]


def worlds(init: State, uncertain: Iterable[Uncertain]) -> Iterator[State]:
    """Yield the possible initial states: ``init`` with values of the uncertain atoms."""
    one_of = sorted((each for each in uncertain if each.is_one), key=lambda each: len(each.options))
    clauses = [each for each in uncertain if not each.is_one]
    named = dict.fromkeys(atom for each in uncertain for option in each.options for atom, _ in option)
    known = {atom: True for atom in named if atom in init}
    for values in _chosen(one_of, known):
        waiting = [atom for atom in named if atom not in values]
        for complete in _completed(waiting, clauses, values):
            yield init.union(atom for atom, value in complete.items() if value)


def _chosen(one_of: Sequence[Uncertain], known: _Values) -> Iterator[_Values]:
    """Yield the values with which exactly one option of each holds.

    Of literals the others are false. Of conjunctions one is chosen as an effect would be (Bertoli et al. 2003): what
    the others name and it does not is false.
    """
    waiting = [(0, known)]
    while waiting:
        number, before = waiting.pop()
        if number == len(one_of):
            yield before
            continue
        options = one_of[number].options
        found = (_with(_taken(options, place), before) for place in range(len(options)))
        waiting += [(number + 1, values) for values in found if values is not None][::-1]


def _taken(options: Sequence[Sequence[tuple[GroundAtom, bool]]], place: int) -> Iterator[tuple[GroundAtom, bool]]:
    """Yield the literals that hold with one of several options, and with none of the others."""
    yield from options[place]
    is_of_literals = all(len(option) == 1 for option in options)
    named = {atom for atom, _ in options[place]}
    for other in (*options[:place], *options[place + 1 :]):
        for atom, positive in other:
            if is_of_literals:
                yield atom, not positive
            elif atom not in named:
                yield atom, False


def _with(literals: Iterable[tuple[GroundAtom, bool]], known: _Values) -> _Values | None:
    found = dict(known)
    for atom, value in literals:
        if found.setdefault(atom, value) is not value:
            return None
    return found


def _completed(atoms: Sequence[GroundAtom], clauses: Sequence[Uncertain], known: _Values) -> Iterator[_Values]:
    """Yield all values of the other atoms with which some option of each clause holds."""
    waiting = [(0, known)]
    while waiting:
        number, values = waiting.pop()
        if any(all(_is_false(option, values) for option in clause.options) for clause in clauses):
            continue
        if number == len(atoms):
            yield values
        else:
            waiting += [(number + 1, {**values, atoms[number]: value}) for value in (False, True)]


def _is_false(option: tuple[tuple[GroundAtom, bool], ...], known: _Values) -> bool:
    return any(known.get(atom, value) is not value for atom, value in option)
