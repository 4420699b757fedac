"""What depends on each fact in the rest of a plan: the causal links from the state that is (McAllester and
Rosenblitt 1991).

Built once for a rest that is valid, in one walk. Whether a change matters is then looked up: no search, no execution.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from validator.execution.run import happenings
from validator.execution.simulator import Simulator
from validator.model.conditions import Binding, conjuncts, ground, predicates
from validator.model.values import Atom, Conditional, Effect, Formula, GroundAtom, Literal, Not
from validator.reading.plan import Step, Token
from validator.records import dataclass

__all__ = ["Links", "Threat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Threat:
    """A change of a fact that a step of the rest, or the goal (``step`` None), depends on.

    ``step`` counts from 0 in the rest. Where it is ``certain``, the step needs the fact as it was, and nothing brings
    it back before; else the fact is read by a condition of which no single fact decides.
    """

    atom: GroundAtom
    is_true: bool
    step: int | None
    certain: bool


class Links:
    """The first consumer of each fact that no step of the rest settles before it."""

    def __init__(self, simulator: Simulator, rest: Sequence[Token]) -> None:
        self._simulator = simulator
        self._model = simulator.model
        self._needed: dict[tuple[GroundAtom, bool], int | None] = {}
        self._read: dict[str, int | None] = {}
        self._triggers: set[str] = set()
        self._conditional: set[str] = set()
        self._settled: set[GroundAtom] = set()
        self._derived = frozenset(axiom.predicate for axiom in self._model.domain.axioms)
        for happening in happenings(rest):
            steps = [(index, token) for index in happening if isinstance(token := rest[index], Step)]
            for index, step in steps:
                self._consume(index, step)
            for _, step in steps:
                self._settle(step)
        self._condition(self._model.problem.goal, {}, None)

    def threats(self, changes: Iterable[tuple[GroundAtom, bool]]) -> tuple[Threat, ...]:
        """Return what changes threaten, each a fact and whether it is true now."""
        return tuple(self._threats(tuple(changes)))

    def _threats(self, changes: Sequence[tuple[GroundAtom, bool]]) -> Iterator[Threat]:
        # A conditional effect may bring back what a step needs, and so may one that happens only now.
        is_plain = not any(atom[0] in self._triggers for atom, _ in changes)
        for atom, is_true in changes:
            if (atom, not is_true) in self._needed:
                certain = is_plain and atom[0] not in self._conditional
                yield Threat(atom=atom, is_true=is_true, step=self._needed[atom, not is_true], certain=certain)
            elif atom[0] in self._read:
                yield Threat(atom=atom, is_true=is_true, step=self._read[atom[0]], certain=False)

    # --- the walk ----------------------------------------------------------------------------------

    def _consume(self, index: int, step: Step) -> None:
        for name in self._ways(step):
            action = self._model.domain.actions[name]
            binding = dict(zip((one.name for one in action.parameters), step.args, strict=True))
            if self._has_ways(step):
                self._read_all(action.precondition, index)
            else:
                self._condition(action.precondition, binding, index)
            for effect in action.effects:
                self._read_effect(effect, index)

    def _condition(self, condition: Formula, binding: Binding, index: int | None) -> None:
        for part in conjuncts(condition):
            atom, is_true = (part.part, False) if isinstance(part, Not) else (part, True)
            if isinstance(atom, Atom) and atom.predicate not in self._derived:
                fact = ground(atom, binding)
                if fact not in self._settled:
                    self._needed.setdefault((fact, is_true), index)
            else:
                self._read_all(part, index)

    def _read_all(self, condition: Formula, index: int | None) -> set[str]:
        """Note that a condition reads its predicates, and those from which they are derived; return them."""
        waiting, known = list(predicates(condition)), set[str]()
        while waiting:
            name = waiting.pop()
            if name not in known:
                known.add(name)
                self._read.setdefault(name, index)
                axioms = (axiom for axiom in self._model.domain.axioms if axiom.predicate == name)
                waiting += [inner for axiom in axioms for inner in predicates(axiom.condition)]
        return known

    def _read_effect(self, effect: Effect, index: int) -> None:
        if isinstance(effect, Conditional):
            self._triggers |= self._read_all(effect.condition, index)
            for inner in effect.effects:
                if isinstance(inner, Literal):
                    self._conditional.add(inner.atom.predicate)
                self._read_effect(inner, index)

    def _settle(self, step: Step) -> None:
        """Take the facts that a step makes true or false whatever the state is."""
        if self._has_ways(step):
            return
        for name in self._ways(step):
            action = self._model.domain.actions[name]
            binding = dict(zip((one.name for one in action.parameters), step.args, strict=True))
            self._settled.update(ground(one.atom, binding) for one in action.effects if isinstance(one, Literal))

    def _ways(self, step: Step) -> list[str]:
        return self._simulator.ways.get(step.name, [])

    def _has_ways(self, step: Step) -> bool:
        return len(self._ways(step)) > 1
