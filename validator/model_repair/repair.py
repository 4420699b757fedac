"""``repair_model``: a domain and plans in, the fewest edits of the domain that make the plans what they must be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import Any, TypeAlias

from validator.alarms import OutOfTime, alarm
from validator.errors import ModelError, PlannerError
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.grounding.limits import deadline_of, hard_limit
from validator.model.pddl import read_domain
from validator.model.pddl.frame import read_text
from validator.model.values import (
    Action,
    Atom,
    Conditional,
    Domain,
    Effect,
    Literal,
    Model,
    Not,
    Problem,
    features_text,
)
from validator.model_repair.cases import Case, Given, PlanSource, is_admitted
from validator.model_repair.edits import Costs, Edit, Kind, costs_of
from validator.model_repair.encoding import Instance, RecursiveError, encode
from validator.model_repair.maxsat import Cheapest
from validator.model_repair.mending import Draft, readable
from validator.model_repair.patch import diff_of
from validator.model_repair.result import ModelRepair, Repair, Status, said
from validator.model_repair.rewrite import rewritten
from validator.model_repair.space import flat
from validator.reading.plan import Plan, Step
from validator.records import dataclass, replace
from validator.texts import no_path

MOST_COMPARED = 200
"""repairs of the same cost are found and ranked, however few are told"""


def repair_model(
    domain: str | Path,
    problem: str | Path | Problem | None = None,
    plan: PlanSource | Sequence[PlanSource] | None = None,
    *,
    must_fail: Sequence[PlanSource] = (),
    cases: Sequence[Given] = (),
    protect: Iterable[str] = (),
    costs: Mapping[str, Any] | None = None,
    alternatives: int = 5,
    time_limit: float = 30.0,
) -> ModelRepair:
    """Find the cheapest set of edits of a domain that makes plans valid, and others not.

    ``domain``, ``problem`` and ``plan`` are paths or texts, the plan also a list of them; ``cases`` are further
    problems with their plans. ``must_fail`` are plans of ``problem`` that must not be valid. Parts with a name in
    ``protect`` (of an action or a predicate) stay as they are; ``costs`` are those of kinds of edits, 1 where none is
    given. ``alternatives`` is how many other repairs of the same cost are told. ``time_limit`` is in seconds.

    Raises ModelError, PlanError and InputError for what cannot be read, PlannerError without python-sat.
    """
    deadline, given = deadline_of(time_limit), list(cases)
    if problem is not None:
        plans = [] if plan is None else [plan] if isinstance(plan, PlanSource) else list(plan)
        given.insert(0, Given(problem=problem, plans=plans, must_fail=must_fail))
    try:
        with alarm(hard_limit(time_limit)):
            return _search_of(domain, given, protect, costs, deadline).result(alternatives)
    except OutOfTime:
        return ModelRepair(status=Status.TIME_LIMIT, reason="the time was over before the plans were executed")


def _search_of(
    domain: str | Path,
    given: Sequence[Given],
    protect: Iterable[str],
    costs: Mapping[str, Any] | None,
    deadline: float,
) -> _Search:
    """Read what a repair is about. Raises ModelError, PlanError, InputError, OSError."""
    original, source = read_text(domain, "domain")
    name = "domain.pddl" if source == "<domain>" else Path(source).name
    draft = readable(original, given)
    return _Search(original, draft, name, costs_of(costs, draft.domain, protect), deadline)


@dataclass(frozen=True, slots=True)
class _Search:
    """A domain with its text, the plans, what edits cost, and until when is looked for a repair."""

    original: str
    """the text as it was given"""
    draft: Draft
    """the same, so that it can be read and fits the plans"""
    name: str
    costs: Costs
    deadline: float

    @property
    def domain(self) -> Domain:
        return self.draft.domain

    @property
    def cases(self) -> tuple[Case, ...]:
        return self.draft.cases

    @property
    def mends(self) -> tuple[str, ...]:
        """Return what was changed in the text, in words."""
        return self.draft.changes

    @property
    def unsupported(self) -> str:
        """Return what the model uses that is not repaired."""
        found = dict(self.domain.features)
        for case in self.cases:
            found |= case.model.problem.features
        if self.domain.object_functions:
            found["object-fluents"] = self.domain.source
        return features_text(found)

    def result(self, alternatives: int) -> ModelRepair:
        """Return the cheapest repair of the domain; on a mended text, that there is none is not proven of the given."""
        found = self._result(alternatives)
        is_proof = found.status is not Status.IMPOSSIBLE or not self.mends
        return found if is_proof else replace(found, proven=False, mends=self.mends)

    def _result(self, alternatives: int) -> ModelRepair:
        if self.unsupported:
            why = f"the model uses what is not repaired: {self.unsupported}"
            return ModelRepair(status=Status.UNSUPPORTED, reason=why)
        if all(case.is_right for case in self.cases):
            if self.mends:
                return _of(self.written(()), (), (), proven=True, count=1, is_complete=True, mends=self.mends)
            return ModelRepair(status=Status.NOTHING_TO_DO, proven=True, domain_text=self.draft.text, cost=Fraction(0))
        instance = self._instance()
        if isinstance(instance, ModelRepair):
            return instance
        with Cheapest(instance.circuit.clauses, instance.choices.costs, self.deadline) as cheapest:
            first = cheapest.next()
            if first.true is None and first.is_open:
                lower = Fraction(first.lower, self.costs.scale)
                return ModelRepair(status=Status.TIME_LIMIT, reason="no repair was found in time", lower_bound=lower)
            if first.true is None:
                return _impossible("no set of allowed edits makes the plans what they must be")
            ties = [first]
            try:
                for other in cheapest.others(first, MOST_COMPARED - 1):
                    ties.append(other)  # noqa: PERF402 -- what came before an error stays
                is_over = False
            except OutOfTime:  # in what does not look at the clock
                is_over = True
        sets = [instance.choices.chosen(answer.true or ()) for answer in ties]
        is_complete = len(ties) < MOST_COMPARED and monotonic() < self.deadline
        if not is_over:
            with suppress(OutOfTime):
                return self._told(sets, alternatives, is_complete=is_complete)
        return self._told(sets[:1], 0, is_complete=False)  # to compare them takes the time of all

    def _instance(self) -> Instance | ModelRepair:
        """Return the formula of all plans, or what is told where there is none to solve."""
        malformed = next((case for case in self.cases if case.malformed and not case.must_fail), None)
        if malformed is not None:
            return _impossible(f"{malformed.name}: {malformed.malformed}")
        try:
            instance = encode(self.domain, self.open_cases, self.costs, self.deadline)
        except RecursiveError as error:
            return ModelRepair(status=Status.UNSUPPORTED, reason=f"the model uses what is not repaired: {error}")
        except TimeoutError:
            return ModelRepair(status=Status.TIME_LIMIT, reason="the time was over before the formula was written")
        return _impossible(instance.impossible) if instance.impossible else instance

    @property
    def open_cases(self) -> list[Case]:
        """Return the cases that edits can change: a plan that is malformed fails in any case."""
        return [case for case in self.cases if not case.malformed]

    def _told(self, sets: Sequence[frozenset[Edit]], alternatives: int, *, is_complete: bool) -> ModelRepair:
        order = _ranked(sets, self.domain)
        told = [self.written(edits, reasons) for edits, reasons in order[: alternatives + 1]]
        return _of(
            told[0],
            _explained(told[0].edits, self.draft.text, self.open_cases),
            tuple(told[1:]),
            proven=True,
            lower_bound=told[0].cost,
            mends=self.mends,
            count=len(sets),
            is_complete=is_complete and len(told) == len(sets),
        )

    def written(self, edits: Iterable[Edit], reasons: tuple[str, ...] = ()) -> Repair:
        """Write edits into the text, read it again, and execute every plan."""
        order = {name: number for number, name in enumerate(self.domain.actions)}
        kept = tuple(sorted(edits, key=lambda edit: (order[edit.action], edit.kind, edit.literal)))
        text = rewritten(self.draft.text, kept)
        try:
            domain = read_domain(no_path(text))
        except ModelError as error:
            raise PlannerError(f"a repaired domain cannot be read: {error}") from error
        for case in self.cases:
            if is_admitted(domain, case) is case.must_fail:
                raise PlannerError(
                    f"{case.name} does not do as it must on the repaired domain: {'; '.join(map(str, kept))}"
                )
        return Repair(
            edits=kept,
            cost=self.costs.total(kept),
            domain_text=text,
            domain_diff=diff_of(self.original, text, self.name),
            words=tuple(map(said, kept)),
            reasons=reasons,
        )


def _impossible(reason: str) -> ModelRepair:
    return ModelRepair(status=Status.IMPOSSIBLE, reason=reason, proven=True)


def _of(repair: Repair, words: Iterable[str], others: tuple[Repair, ...], **more: Any) -> ModelRepair:
    return ModelRepair(
        status=Status.REPAIRED,
        edits=repair.edits,
        cost=repair.cost,
        domain_text=repair.domain_text,
        domain_diff=repair.domain_diff,
        words=tuple(words),
        reasons=repair.reasons,
        alternatives=others,
        **more,
    )


# --- what goes wrong without an edit -----------------------------------------------------------------


def _explained(edits: Sequence[Edit], text: str, cases: Sequence[Case]) -> Iterator[str]:
    """Yield each edit as a sentence, with the first thing that goes wrong when all others are made and it is not."""
    for edit in edits:
        others = [other for other in edits if other is not edit]
        fault = next(_faults(read_domain(no_path(rewritten(text, others))), cases), "")
        yield f"{said(edit)}; unless fixed, {fault}" if fault else said(edit)


def _faults(domain: Domain, cases: Sequence[Case]) -> Iterator[str]:
    for case in cases:
        steps = tuple(Step(name=name, args=args) for name, args in case.steps)
        failures = Simulator(Model(domain=domain, problem=case.model.problem)).run(Plan(parts=steps)).failures
        where = f"{case.name}, " if len(cases) > 1 else ""
        if case.must_fail and not failures:
            yield f"{case.name} is valid"
        elif not case.must_fail and failures:
            first = sentences(failures[:1], steps)[0]
            yield f"{where}{first[:1].lower()}{first[1:]}"


# --- repairs of the same size in order ------------------------------------------------------------

_CONDITION, _ADD, _DELETE = "precondition", "add effect", "delete effect"
_PLACES = {
    Kind.REMOVE_PRECONDITION: (_CONDITION, -1),
    Kind.ADD_PRECONDITION: (_CONDITION, 1),
    Kind.ADD_ADD: (_ADD, 1),
    Kind.REMOVE_ADD: (_ADD, -1),
    Kind.ADD_DELETE: (_DELETE, 1),
    Kind.REMOVE_DELETE: (_DELETE, -1),
}
"""where the literal of an edit stands, and whether it is put in there (1) or taken out"""
_CONVERSE = {_ADD: _DELETE, _DELETE: _ADD}

_Entry: TypeAlias = tuple[str, str, Atom]
"""An action, the place of a literal in it, and the atom; a negative precondition is none."""


def _ranked(sets: Sequence[frozenset[Edit]], domain: Domain) -> list[tuple[frozenset[Edit], tuple[str, ...]]]:
    """Return sets of edits in order, each with what speaks for it and against it beside what all have in common.

    A literal that is put in counts what speaks for it less what speaks against it, one that is removed the reverse;
    of sets that count the same those come first that put in fewer literals.
    """
    entries = frozenset(entry for action in domain.actions.values() for entry in _entries(action))
    found = {edit: tuple(_reasons(edit, entries)) for edit in frozenset.union(*sets)}
    common = frozenset.intersection(*sets)

    def key(edits: frozenset[Edit]) -> tuple[int, int, list[str]]:
        new = sum(_PLACES.get(edit.kind, ("", 0))[1] > 0 for edit in edits)
        return -sum(sign for edit in edits for sign, _ in found[edit]), new, sorted(map(str, edits))

    def told(edits: frozenset[Edit]) -> tuple[str, ...]:
        own = sorted(edits - common, key=str)
        return tuple(
            f"{'for' if sign > 0 else 'against'} it: {f'{edit}: ' if len(own) > 1 else ''}the literal {what}"
            for edit in own
            for sign, what in found[edit]
        )

    return [(edits, told(edits)) for edits in sorted(sets, key=key)]


def _entries(action: Action) -> Iterator[_Entry]:
    for part, _ in flat(action.precondition):
        if isinstance(part, Atom):
            yield action.name, _CONDITION, part
    waiting: list[Effect] = list(action.effects)
    while waiting:
        effect = waiting.pop()
        if isinstance(effect, Literal):
            yield action.name, _ADD if effect.positive else _DELETE, effect.atom
        elif isinstance(effect, Conditional):
            waiting += effect.effects


def _reasons(edit: Edit, entries: frozenset[_Entry]) -> Iterator[tuple[int, str]]:
    """Yield what its literal, beside all others of the domain, says for an edit (1) and against it (-1)."""
    place, sign = _PLACES.get(edit.kind, ("", 0))
    atom = edit.formula.part if isinstance(edit.formula, Not) else edit.formula
    if not place or not isinstance(atom, Atom):
        return
    for is_for, what in _evidence(edit.action, place, atom, entries - {(edit.action, place, atom)}):
        yield sign if is_for else -sign, what


def _evidence(action: str, place: str, atom: Atom, others: frozenset[_Entry]) -> Iterator[tuple[bool, str]]:
    """Yield whether something speaks for a literal or against it, in words."""
    own = {(where, other) for name, where, other in others if name == action}
    places = {(name == action, where) for name, where, other in others if other.predicate == atom.predicate}
    if place == _DELETE and (_CONDITION, atom) in own:
        yield True, "is a condition of the action"
    if place != _DELETE and (_DELETE, atom) in own:
        yield place == _CONDITION, "is deleted by the action"
    elif place in _CONVERSE and (False, _CONVERSE[place]) in places:
        yield True, "undoes another action"
    if place in _CONVERSE and not any(where in _CONVERSE for _, where in places):
        yield False, "is of a predicate that nothing else changes"
    if any(term[0] != "?" for term in atom.terms):
        yield False, "names a constant"
    if (True, place) in places:
        yield False, "stands there with other arguments"
