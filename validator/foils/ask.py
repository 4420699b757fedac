"""Questions about a plan: why not this one, what if a step must, must not, or may not so often, happen.

Contrastive questions (Fox, Long and Magazzeni 2017; Krarup et al. 2021) become constraints on plans, compiled into the
task, or changes of the model; the answer is the cheapest plan that keeps to them and the one nearest to the user's,
each with its cost beside the plan's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from validator.automata.constraints import Constraint as Asked
from validator.automata.constraints import Directly, Starts, Window, WithinCost
from validator.automata.properties import Property
from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Quality, Report
from validator.checking.solve import solve
from validator.errors import InputError
from validator.execution.faults import sentences
from validator.execution.time.execution import not_executed
from validator.foils.answers import Answer
from validator.foils.changes import Wish, changed, changes_of, constraints_of
from validator.foils.conflicts import conflicts_among, why_impossible
from validator.foils.constrained import constrained_model
from validator.foils.inquiry import GivenPlan, Inquiry, NearPlan
from validator.foils.language.context import Context
from validator.foils.language.read import read_question
from validator.foils.questions import Question
from validator.foils.solve import Oracle
from validator.grounding.limits import DEFAULT_MEMORY_LIMIT, deadline_of, left_until
from validator.grounding.relaxed_reachability import loosened, relaxed_model
from validator.model.conditions import predicates
from validator.model.values import Atom, Exists, Model, Not, features_text
from validator.reading.plan import Constraint, Plan, Step, TimedStep, Token
from validator.reading.tokens import tokenize
from validator.reading.understood import unclear
from validator.records import replace
from validator.texts import read_plan_text

_DEFAULT_SECONDS = 10.0

PlanLike = str | Path | Plan


def why_not(
    prepared: Prepared,
    foil: PlanLike | None = None,
    *,
    plan: PlanLike | None = None,
    constraints: Sequence[Wish | str] | str = (),
    facts: Iterable[str] = (),
    time_limit: float = _DEFAULT_SECONDS,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> Answer:
    """Say what would come of the user's own plan, of constraints on the plan, or of both.

    ``constraints`` are constraints on the plan and changes of the model, as values or as questions in words or PDDL 3
    (see ``validator.foils.language``). ``foil`` is the user's plan; without one, the nearest plan to ``plan`` is
    looked for. Without ``plan``, a cheapest plan of the model takes its place, or the best one found in time. ``facts``
    are sentences that come first. ``time_limit`` is in seconds of wall clock, ``memory_limit`` in bytes for each
    planner process.

    Of a plan or a foil of whose text a piece was not understood nothing is said: the answer is not known.

    Raises InputError when there is neither a foil nor a constraint and for a question that cannot be read, PlannerError
    when a planner fails.
    """
    if not isinstance(prepared, Prepared):
        raise TypeError(f"a model is what prepare(domain, problem) returns, not {type(prepared).__name__}")
    constraints = [constraints] if isinstance(constraints, str) else constraints
    if foil is None and not constraints:
        raise InputError("a question needs a foil or a constraint")
    latest = deadline_of(time_limit, memory_limit)  # reading takes its part
    given = None if plan is None else _read(prepared, plan)
    found: list[Plan] = []

    def cheapest() -> Plan | None:
        """Find the plan that a question is about which names none."""
        plan = solve(prepared, time_limit=left_until(latest) / 2, memory_limit=memory_limit).plan
        found.extend([] if plan is None else [Plan(parts=plan)])
        return found[0] if found else None

    context = Context(simulator=prepared.simulator, plan=given, cheapest=cheapest)
    questions = [read_question(each, context) if isinstance(each, str) else each for each in constraints]
    given = found[0] if found else given
    wishes = [wish for each in questions for wish in (each.constraints if isinstance(each, Question) else (each,))]
    facts = [*facts, *(fact for each in questions if isinstance(each, Question) for fact in each.facts)]
    is_made = foil is None
    if is_made:
        foil = next((each.foil for each in questions if isinstance(each, Question) and each.foil is not None), None)
    model = prepared.model
    if unknown := not_executed(model):
        used = features_text(unknown)
        return Answer(constraints=tuple(wishes), possible=None, reason=f"the model uses what is not executed: {used}")
    own = None if foil is None else _read(prepared, foil)
    for name, read in (("foil", own), ("plan", given)):
        if read is not None and (why := unclear(read)):
            reason = f"{why} (the {name})"
            return Answer(constraints=tuple(wishes), possible=None, reason=reason, has_own_foil=own is not None)
    inquiry = NumericTemporalInquiry if model.features else Inquiry
    asked = inquiry(prepared, tuple(dict.fromkeys(wishes)), left_until(latest), memory_limit)
    answer = asked.answer(own, given, is_made=is_made)
    return replace(answer, facts=(*facts, *answer.facts))


def _read(prepared: Prepared, plan: PlanLike) -> Plan:
    return plan if isinstance(plan, Plan) else tokenize(read_plan_text(plan), prepared.vocabulary)


# --- with numbers or over time -----------------------------------------------------------------


_TIMED = (Window, WithinCost)
"""what is not asked of an abstraction without time"""
_NEXT = (Directly, Starts)
"""what is not asked of an abstraction in which more happens than steps: which step comes next"""


class NumericTemporalInquiry(Inquiry):
    """One question about a model with numbers or time.

    What is asked is written into the model. That no plan does it is also looked for in a classical model that allows
    more. Without a plan, and for what the searches over such models cannot decide, the answer is not known.
    """

    not_nearest = "it is not proven that no fewer changes would do"
    unfound = ""

    def __init__(self, prepared: Prepared, wishes: tuple[Wish, ...], time_limit: float, memory: int) -> None:
        super().__init__(prepared, wishes, time_limit, memory)
        self.excluded: tuple[Wish, ...] | None = None
        """wishes that the classical model proves to be too many"""

    @property
    def unpriced(self) -> str:
        return ""

    def answer(self, foil: Plan | None, plan: Plan | None, *, is_made: bool = False) -> Answer:
        foil, plan = (None if each is None else _timed(each) for each in (foil, plan))
        return super().answer(foil, plan, is_made=is_made)

    # --- what is given -------------------------------------------------------------------------

    def _known(self, model: Prepared, plan: Plan) -> GivenPlan:
        report = self._check(model, plan, self._share(1), repair=False)
        if report.determination:
            return GivenPlan(plan.tokens, True, report.cost)
        return GivenPlan(plan.tokens, report.determination, None, tuple(sentences(report.failures, plan.tokens)))

    def _seen(self, token: Token) -> Token:
        return token

    def _refused(self) -> str:
        return "" if self.observed is not None else "a model with numbers or time is asked about a plan; none is given"

    def _broken(self, own: GivenPlan) -> Iterator[Asked]:
        return iter(())

    def _some_plan(self) -> None:
        return None

    def _of_all(self) -> None:
        return None

    # --- whether there is a plan ------------------------------------------------------------------

    def _decided(self) -> bool | None:
        """Return False where a classical model that allows more has no plan; else it is not known yet."""
        model = self.prepared.model
        abstract = _abstraction(model)
        if abstract is None or self.observed is None:
            return None
        is_timed = any(isinstance(step, Step) and step.time is not None for step in self.observed.tokens)
        is_timed = is_timed or bool(model.features.keys() - {"numeric-fluents"})
        has_more = abstract.domain.actions.keys() != model.domain.actions.keys()
        excepted = (*_TIMED, *(_NEXT if has_more else ()))
        wishes = tuple(wish for wish in self.wishes if not isinstance(wish, excepted))
        wishes = tuple(wish for wish in wishes if not is_timed or _is_kept_between(wish, model))
        self.oracle = Oracle(prepared=prepare(abstract), show=_show, limits=self._share(4))
        if self.oracle.possible(wishes) is not False:
            return None
        self.excluded = wishes
        return False

    def _explain(self) -> None:
        """Add which wishes conflict; where only the budget is too small, nothing is in conflict."""
        if self.excluded is not None:
            # What fits there need not fit here, and other wishes may be in conflict for numbers or time.
            why = why_impossible(self.so_far, self.excluded, self.oracle)
            self.so_far = replace(why, fitting=(), all_conflicts=False)
        elif self.so_far.cheapest is None:
            self.so_far = conflicts_among(self.so_far, self.wishes, self._possible)

    def _possible(self, chosen: frozenset[int]) -> bool | None:
        if self.limits.is_over() or self.observed is None:
            return None
        asked = self._asked([self.wishes[number] for number in sorted(chosen)])
        report = self._check(asked, Plan(parts=self.observed.tokens), self.limits)
        if report.planner_response.no_solution:
            return False
        return True if NearPlan.of(report) is not None else None

    # --- plans ------------------------------------------------------------------------------------

    def _asked(self, wishes: Sequence[Wish]) -> Prepared:
        return prepare(constrained_model(changed(self.prepared.model, changes_of(wishes)), constraints_of(wishes)))

    def _plans(self) -> None:
        assert self.observed is not None
        self._nearest(self.observed)
        if self.so_far.possible is False:
            return
        self._cheapest()
        if self.so_far.possible is None and self._is_dear(None):
            self.unfound, cheapest = "no plan within the cost was found", self.so_far.cheapest
            if cheapest is not None and self._is_dear(cheapest.lower):
                self.reasons.clear()
                self._tell(possible=False)

    def _not_found(self, report: Report) -> None:
        self.unfound = report.reason

    def _cheapest(self) -> None:
        assert self.observed is not None
        report = self._check(self.asked, Plan(parts=self.observed.tokens), self._share(2), Quality.OPTIMAL)
        near, cost = NearPlan.of(report), report.optimal_cost
        self._tell(cheapest=cost)
        if near is None or cost is None or cost.upper != near.cost:
            self.reasons += ["the cheapest plan that does this was not found"] if self.so_far.possible else []
        elif not self._is_dear(near.cost):
            self._tell(possible=True, best=self._best(near, is_proven=cost.is_exact))

    def _seen_before(self, observed: GivenPlan) -> None:
        return None


def _timed(plan: Plan) -> Plan:
    """Return a plan whose steps are shown with their times, as those of the plans beside it are."""
    parts = (TimedStep.of(part) if type(part) is Step and part.time is not None else part for part in plan.parts)
    return replace(plan, parts=tuple(parts))


def _abstraction(model: Model) -> Model | None:
    """Return a classical model that allows more than one with numbers or time; None where that cannot be said."""
    domain = model.domain
    if (
        domain.processes
        or domain.events
        or any(each.condition != loosened(each.condition, True) for each in domain.axioms)
    ):
        return None
    abstract = relaxed_model(model)
    problem = replace(abstract.problem, goal=loosened(model.problem.goal, True))
    return Model(domain=abstract.domain, problem=problem)


def _is_kept_between(wish: Wish, model: Model) -> bool:
    """Return whether a plan that keeps to a wish does so in its abstraction, which has states between two acts at once.

    An atom that holds before and after these, or does not, is no other between them: none deletes what another adds.
    """
    match wish:
        case Property(operator="always", parts=(Atom() as atom,) | (Not(Atom() | Exists(part=Atom())) as atom,)):
            return {axiom.predicate for axiom in model.domain.axioms}.isdisjoint(predicates(atom))
        case Property(operator=operator):
            return operator in ("at end", "sometime")
    return True


class _Happening(Constraint):
    """What happens in an abstraction and is no step of a plan: the end of an action, a fact at a given time."""

    def __str__(self) -> str:
        return self.text


def _show(step: Step) -> Step | Constraint:
    """Return a step of the abstraction as people see it."""
    if not step.name.startswith("%"):
        return step
    own = Step(name=step.name.removeprefix("%end"), args=step.args)
    return _Happening(text=f"the end of {own}" if own.name != step.name else "what happens by itself")
