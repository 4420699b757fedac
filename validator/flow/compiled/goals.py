"""Goals as a formula over the last state, and groups of alternatives as facts of their own.

A conjunction of many disjunctions is what no planner likes: twenty groups of two are a million goals. A group whose
alternatives are never undone once they are reached is a fact instead, which every action adds that reaches one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from validator.flow.compiled.calls import past_tries, tries
from validator.flow.compiled.language import Term, conjunction, disjunction
from validator.flow.compiled.terms import Terms
from validator.flow.model import Claim, Goal, GoalGroup, GoalKind, GoalLogic
from validator.model.values import GroundAtom

__all__ = ["Goals"]

_MOST_GOALS = 16
"""how many conjunctions a goal may be before groups become facts"""


class Goals:
    """Compiles goals, once all actions are there. ``met`` has the groups that became facts."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.met: dict[str, frozenset[GroundAtom]] = {}

    def term(self, wanted: Sequence[GoalGroup]) -> Term:
        """Return what groups of goals ask for, as the flow's options hang them together."""
        groups = [[conjunction(self._parts(goal)) for goal in group] for group in wanted]
        logic = self.terms.options.goal_logic
        if logic is GoalLogic.AND_AND:
            return conjunction(part for group in wanted for goal in group for part in self._parts(goal))
        if logic is GoalLogic.OR_AND:
            return disjunction(conjunction(group) for group in groups) if groups else conjunction([])
        if prod(len(group) for group in groups if group) <= _MOST_GOALS:
            return conjunction(disjunction(group) for group in groups if group)
        return conjunction(map(self._group, wanted, groups))

    def _group(self, wanted: GoalGroup, terms: Sequence[Term]) -> Term:
        """Return what a group of alternatives asks for."""
        atoms = [self._parts(goal) for goal in wanted]
        if len(terms) < 2 or any(len(parts) != 1 or self._is_undone(*parts) for parts in atoms):
            return disjunction(terms) if terms else conjunction([])
        return self._fact([atom for parts in atoms for atom in parts])

    def _is_undone(self, atom: Term) -> bool:
        """Return whether some action may make an atom false."""
        name, *_ = atom.subterms
        if atom.predicate.name == "used" and not self.terms.analysis.sources(self.terms.item_name[name.symbol]):
            return False  # only what is mapped to an item lets its value be a new one
        return self.terms.lang.deletes(atom)

    def _fact(self, atoms: Sequence[Term]) -> Term:
        """Return a fact that is true once one of the atoms is."""
        group = self.terms.group(f"group {len(self.met) + 1}")
        met = self.terms.lang.atom("met", group)
        for atom in atoms:
            self.terms.lang.also(atom, met)
        self.met[group.symbol] = frozenset(
            (atom.predicate.name, *(part.symbol for part in atom.subterms)) for atom in atoms
        )
        return met

    def _parts(self, goal: Goal) -> list[Term]:
        """Return the atoms that one goal asks for."""
        terms, atom = self.terms, self.terms.lang.atom
        if goal.kind is GoalKind.CONSTRAINT:
            return [terms.decided(goal.claim or Claim(text=goal.subject))]
        if goal.kind is GoalKind.OPERATOR:
            return [self._ran(goal)]
        predicate = "known" if goal.kind is GoalKind.KNOWN else "used"
        if goal.subject in terms.flow.type_names:
            named = [item for item, kind in terms.flow.item_types.items() if kind == goal.subject]
            return [atom(predicate, terms.item[item]) for item in named]
        return [atom(predicate, terms.item[goal.subject])]

    def _ran(self, goal: Goal) -> Term:
        """Return the atom that says that an operator ran, on its arguments once more than in the history."""
        terms = self.terms
        operator = terms.flow.by_name[goal.subject]
        most = tries(terms, operator)
        arguments = terms.sources_of(operator.name, goal.arguments or ())
        if goal.arguments and (operator.name, arguments) in terms.wanted_whole:
            return terms.lang.atom("given", terms.call_of(operator, arguments))
        if goal.arguments is None or most is None:
            return terms.lang.atom("done", terms.operator[operator.name])
        call = terms.call_of(operator, arguments)
        wanted = past_tries(terms).get((operator.name, arguments), 0) + 1
        return terms.lang.atom("tried", call, terms.try_level(wanted))
