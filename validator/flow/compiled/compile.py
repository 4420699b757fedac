"""A flow as a planning model: one PDDL action for each way to do a visible step.

The steps of a plan are what people see: ``ask(x)``, ``map(a, b)``, ``confirm(x)``, ``assert C`` and calls of operators.
A step may be done in several ways (a first try costs more than a second one, a slot is cheaper as a last resort): each
way is an action, and ``Action.step`` says which step it is. Ways of one step either exclude each other or have the same
effects, the cheapest first, so that executing the steps of a plan never has to guess.

The semantics and the costs are those of NL2Flow 0.1.3, encoded otherwise: there is no enabling action for every new
argument (the first try of a call costs 5,000 more instead), none for manifest constraints (their consequence is an
effect of what decides the condition), none for groups of goals (the goal is a formula).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import prod

from validator.checking.prepared import Prepared, prepare
from validator.flow.compiled.actions import add_basic_steps, add_calls, past_tries, tries
from validator.flow.compiled.analysis import Instances
from validator.flow.compiled.language import Words, atom
from validator.flow.compiled.terms import Terms
from validator.flow.definition.integrity import check_names
from validator.flow.model import Flow, Goal, GoalGroup, GoalKind, GoalLogic, ItemState
from validator.model.formulas import conjunction, disjunction
from validator.model.pddl import read_domain, read_problem
from validator.model.values import Atom, Formula, GroundAtom, Model
from validator.reading.plan import Constraint, Step
from validator.records import dataclass, replace

_BASIC = ("ask", "map", "confirm")
_MOST_GOALS = 16
"""how many conjunctions a goal may be before groups become facts"""


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """A flow's PDDL, the model that it is read into, and the way from the steps that people see to the model's."""

    flow: Flow
    domain: str
    problem: str
    model: Model
    shown: Mapping[str, Step | Constraint]
    """a step of the model without arguments -> how it is seen, without outputs"""
    items: Mapping[str, str]
    """an item -> its PDDL name"""
    words: Mapping[str, str]
    """the PDDL name of an item, operator, constraint or call -> its name or text"""
    _steps: Mapping[Step | Constraint, str]

    @cached_property
    def prepared(self) -> Prepared:
        """Return the model ready for many checks."""
        return prepare(self.model)

    def inner(self, token: Step | Constraint) -> Step | None:
        """Return the step of the model that a visible step is, whose items are the flow's; None without one."""
        if isinstance(token, Step) and token.name in _BASIC and (token.name != "ask" or len(token.args) == 1):
            return Step(name=token.name, args=tuple(self.items[arg] for arg in token.args))
        name = self._steps.get(token)
        return None if name is None else Step(name=name)

    def outer(self, step: Step) -> Step | Constraint:
        """Return how a step of the model is seen; a call has all its inputs, and the outputs of its operator."""
        if step.args:
            return Step(name=step.name, args=tuple(self.words[arg] for arg in step.args))
        return self.shown[step.name]


def compile_flow(
    flow: Flow, given: frozenset[tuple[str, frozenset[str]]] = frozenset(), distinct: Instances | None = None
) -> Compiled:
    """Compile a flow; what the last flows were compiled to is kept.

    ``given`` are operators with the optional inputs that a plan's calls are given: each becomes a step of its own. A
    call that says nothing of its optional inputs needs none of them in particular. ``distinct`` are the calls of wide
    operators that are actions of their own, None for all. Raises ModelError when an operator can be called in too many
    ways.
    """
    try:
        hash(flow)
    except TypeError:  # lists where there should be tuples
        return _compiled.__wrapped__(flow, given, distinct)
    return _compiled(flow, given, distinct)


@lru_cache(maxsize=16)
def _compiled(flow: Flow, given: frozenset[tuple[str, frozenset[str]]], distinct: Instances | None) -> Compiled:
    check_names(flow)
    terms = Terms(flow, distinct)
    add_basic_steps(terms)
    add_calls(terms, sorted(given, key=lambda call: (call[0], sorted(call[1]))))
    _add_initial_facts(terms)
    goals = _Goals(terms)
    terms.task.goal = goals.term(flow.goals)
    from validator.flow.compiled.pddl import printed  # which imports tarski

    domain_text, problem_text = printed(terms.task.pruned())
    domain = read_domain(domain_text)
    actions = {name: replace(action, step=terms.step_of[name]) for name, action in domain.actions.items()}
    domain = replace(domain, actions=actions)
    return Compiled(
        flow=flow,
        domain=domain_text,
        problem=problem_text,
        model=Model(domain=domain, problem=read_problem(problem_text, domain)),
        shown=terms.shown,
        items=terms.item,
        words=_with_groups(terms.words, goals.met),
        _steps={shown: step for step, shown in terms.shown.items()},
    )


def _with_groups(words: Mapping[str, str], met: Mapping[str, frozenset[GroundAtom]]) -> Mapping[str, str]:
    """Return words with those of the groups of goals that are facts: what meets them."""
    said = Words(words)
    groups = {
        group: " or ".join(sorted(said.literal(f"({' '.join(atom)})") for atom in atoms))
        for group, atoms in met.items()
    }
    return {**words, **groups}


def _add_initial_facts(terms: Terms) -> None:
    fact, item, analysis = terms.task.fact, terms.item, terms.analysis
    for entry in terms.flow.memory:
        if entry.state is not ItemState.UNKNOWN:
            fact("known" if entry.state is ItemState.KNOWN else "uncertain", item[entry.item])
    for name in (*sorted(analysis.inputs), *_orphans(terms)):
        fact("used", item[name])
    for name in analysis.new:
        fact("new", item[name])
    for name in item:
        if analysis.desirability(name):
            fact("askable", item[name])
        if terms.options.life_cycle:
            fact("confirmable", item[name])
        terms.task.values["price", item[name]] = analysis.price(name)
        terms.task.values["last-resort-price", item[name]] = analysis.last_resort_price(name)
    for name in terms.tracked:
        fact("tracked", item[name])
        if not terms.options.map_always:
            fact("stands-for", item[name], item[name])
    for name in terms.watched:
        fact("watched", item[name])
    for predicate, pairs in (("mappable", analysis.declared), ("forbidden", analysis.forbidden)):
        for source, target in sorted(pairs):
            fact(predicate, item[source], item[target])
    for call, number in past_tries(terms).items():
        if call in terms.call:
            for level in terms.level[:number]:
                fact("tried", terms.call[call], level)
    for claim in terms.flow.claims:
        for each in terms.flow.consequences(claim):
            fact("true" if each.holds else "false", terms.constraint[each.text])


def _orphans(terms: Terms) -> Iterator[str]:
    """Yield items of goals that nothing else mentions: a mapping by type may end at them."""
    mentioned = {entry.item for entry in terms.flow.memory} | terms.analysis.inputs
    mentioned |= {item for operator in terms.flow.operators for item in operator.output_items}
    for goal in terms.flow.all_goals:
        if goal.kind is GoalKind.KNOWN and goal.subject in terms.item and goal.subject not in mentioned:
            yield goal.subject


# --- goals ---------------------------------------------------------------------------------------


class _Goals:
    """Compiles goals as a formula over the last state, once all actions are there.

    A conjunction of many disjunctions is what no planner likes: twenty groups of two are a million goals. A group whose
    alternatives are never undone once they are reached is a fact instead, which every action adds that reaches one;
    ``met`` has these groups.
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.met: dict[str, frozenset[GroundAtom]] = {}

    def term(self, wanted: Sequence[GoalGroup]) -> Formula:
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

    def _group(self, wanted: GoalGroup, terms: Sequence[Formula]) -> Formula:
        """Return what a group of alternatives asks for."""
        atoms = [self._parts(goal) for goal in wanted]
        if len(terms) < 2 or any(len(parts) != 1 or self._is_undone(*parts) for parts in atoms):
            return disjunction(terms) if terms else conjunction([])
        return self._fact([atom for parts in atoms for atom in parts])

    def _is_undone(self, wanted: Atom) -> bool:
        """Return whether some action may make an atom false."""
        name, *_ = wanted.terms
        if wanted.predicate == "used" and not self.terms.analysis.sources(self.terms.item_name[name]):
            return False  # only what is mapped to an item lets its value be a new one
        return self.terms.task.deletes(wanted)

    def _fact(self, atoms: Sequence[Atom]) -> Formula:
        """Return a fact that is true once one of the atoms is."""
        group = self.terms.group(f"group {len(self.met) + 1}")
        met = atom("met", group)
        for each in atoms:
            self.terms.task.also(each, met)
        self.met[group] = frozenset((each.predicate, *each.terms) for each in atoms)
        return met

    def _parts(self, goal: Goal) -> list[Atom]:
        """Return the atoms that one goal asks for."""
        terms = self.terms
        if goal.claim is not None:
            return [terms.decided(goal.claim)]
        if goal.kind is GoalKind.OPERATOR:
            return [self._ran(goal)]
        predicate = "known" if goal.kind is GoalKind.KNOWN else "used"
        if goal.subject in terms.flow.type_names:
            named = [item for item, kind in terms.flow.item_types.items() if kind == goal.subject]
            return [atom(predicate, terms.item[item]) for item in named]
        return [atom(predicate, terms.item[goal.subject])]

    def _ran(self, goal: Goal) -> Atom:
        """Return the atom that says that an operator ran, on its arguments once more than in the history."""
        terms = self.terms
        operator = terms.flow.by_name[goal.subject]
        most = tries(terms, operator)
        arguments = terms.sources_of(operator.name, goal.arguments or ())
        if goal.arguments and (operator.name, arguments) in terms.wanted_whole:
            return atom("given", terms.call_of(operator, arguments))
        if goal.arguments is None or most is None:
            return atom("done", terms.operator[operator.name])
        call = terms.call_of(operator, arguments)
        wanted = past_tries(terms).get((operator.name, arguments), 0) + 1
        return atom("tried", call, terms.try_level(wanted))
