"""Execution monitoring: the first steps of a plan have happened; whether the rest still works, and what would.

The rest is checked as a plan of its own, from the state that the first steps led to or, where the world is not as
planned, from the state that was seen there. Its repair leaves alone what has happened, and changes as little as
possible of what is to come: plan stability (Fox, Gerevini, Long and Serina 2006).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from validator.checking.about.explain import explain
from validator.checking.check import check
from validator.checking.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Quality, Report
from validator.errors import InputError
from validator.execution.trace import Failure, Kind, UnmetGoal
from validator.model.pddl import read_state
from validator.model.pddl.initial import is_section
from validator.model.values import Conditional, Domain, Effect, GroundAtom, Literal, Model
from validator.reading.plan import Dialect, Plan, Step, Token, Unparsed
from validator.reading.reading import NoPlan, Reading
from validator.reading.tokens import tokenize
from validator.reading.understood import unclear
from validator.records import replace
from validator.repair.diff import StepDiff, unified
from validator.repair.policy import Policy
from validator.repair.search.race import Progress
from validator.texts import read_plan_text

__all__ = ["State", "check_rest"]

State = str | Path | Iterable[GroundAtom]
"""The facts that hold: a path or a text, as ``(on a b) (clear a)``, or ground atoms, which are the whole state."""

_MOST_DIFFERENCES = 8


def check_rest(
    prepared: Prepared,
    plan: str | Path | Plan,
    *,
    executed: int,
    state: State | None = None,
    quality: Quality | str = Quality.VALID,
    policy: Policy | str | None = None,
    repair: bool = True,
    explained: bool = False,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    dialect: Dialect | str | None = None,
    context: int | None = None,
    cache: str | Path | None = None,
    progress: Progress | None = None,
    told: Callable[[str], str] = str,
    strict: bool = False,
) -> Report:
    """Say whether the rest of a plan has a quality after its first ``executed`` lines have happened, and repair it.

    ``state`` is what holds now; None means what the model says after these steps. A text of facts may leave out all
    facts that no action changes: then those of the problem hold, which is a warning. With one of them, or within
    ``(:init ...)``, it is the whole state. The report is about the whole plan, in which the
    steps that have happened stay; its costs, the cheapest one too, are those of what is to come. Where the first steps
    cannot have happened as the model has it, and no state is given, nothing is known. The other arguments are those of
    ``validator.check``; ``explained`` adds what each changed step is for, ``told`` tells facts in other words, an empty
    text for one that is not to be told.

    Raises InputError for more executed lines than there are, or a part of the steps of one time, ModelError for a state
    that cannot be read, and what ``validator.check`` raises.
    """
    if not isinstance(plan, Plan):
        known = Dialect(dialect) if dialect else None
        plan = tokenize(read_plan_text(plan), prepared.vocabulary, known, strict=strict)
    tokens = tuple(map(prepared.simulator.resolve, plan.tokens))
    if plan.reading is not None and (why := unclear(plan.reading)):
        return _not_understood(Quality(quality), plan, tokens, plan.reading, why)
    _refuse(executed, tokens)
    happened = tokens[:executed]
    if prepared.model.features:
        # Constraints and durations look back at what happened, which a state does not tell.
        if state is None:
            return check(prepared, None, plan, quality=quality, repair=False)
        why = f"the rest from a state is not decided with {', '.join(prepared.model.features)}"
        return Report(report_type=Quality(quality), determination=None, reason=why, reference=tokens)
    trace = prepared.simulator.run(Plan(parts=happened))
    faults = tuple(failure for failure in trace.failures if failure.kind is not Kind.GOAL)
    if state is None and faults:
        return _unknown(Quality(quality), tokens, faults)
    *_, expected = trace.states()
    now, assumed = (expected, ()) if state is None else _read_state(state, prepared.model)
    problem = replace(prepared.model.problem, init=now)
    rest = prepare(Model(domain=prepared.model.domain, problem=problem))
    left = plan.unread if plan.is_unreadable else tokens[executed:]
    report = check(
        rest,
        None,
        Plan(parts=left, dialect=plan.dialect, claims_no_plan=plan.claims_no_plan, warnings=plan.warnings),
        quality=quality,
        policy=policy,
        repair=repair,
        time_limit=time_limit,
        memory_limit=memory_limit,
        cache=cache,
        progress=progress,
    )
    if explained:
        report = replace(report, explanations=explain(rest, report, happened))
    differences = () if faults else tuple(_differences(expected, now, executed, told))
    report = replace(report, reading=plan.reading, warnings=(*differences, *assumed, *report.warnings))
    return _whole(report, happened, context)


def _refuse(executed: int, tokens: Sequence[Token]) -> None:
    if not 0 <= executed <= len(tokens):
        raise InputError(f"the plan has {len(tokens)} steps; {executed} cannot have happened")
    if 0 < executed < len(tokens):
        last, following = tokens[executed - 1], tokens[executed]
        if (
            isinstance(last, Step)
            and isinstance(following, Step)
            and _moment(last) == _moment(following) != (None, None)
        ):
            raise InputError(f"steps {executed} and {executed + 1} happen at one time; both have happened, or none")


def _moment(step: Step) -> tuple[object, object]:
    return step.time, step.concurrent


def _not_understood(quality: Quality, plan: Plan, tokens: tuple[Token, ...], reading: Reading, why: str) -> Report:
    return Report(
        report_type=quality,
        determination=None,
        reason=why,
        reference=tokens or plan.unread,
        warnings=plan.warnings,
        reading=reading,
        is_understood=reading.no_plan in (NoPlan.CLAIM, NoPlan.GIVEN_UP),
    )


def _unknown(quality: Quality, tokens: Sequence[Token], faults: Sequence[Failure]) -> Report:
    """Return the report on a plan whose first steps do not execute in the model."""
    return Report(
        report_type=quality,
        determination=None,
        reason="what happened is not possible in the model, so that the state is not known",
        reference=tuple(tokens),
        failures=tuple(faults),
    )


# --- the state -----------------------------------------------------------------------------------


def _read_state(state: State, model: Model) -> tuple[frozenset[GroundAtom], tuple[str, ...]]:
    """Return the facts that hold, and a warning where some were taken from the problem.

    That is where a text of facts names none that no action changes: nobody lists the roads with each state. One that
    names some of them is taken at its word, since the one that is gone may be the last of its predicate.
    """
    if not isinstance(state, str | Path):
        return frozenset(state), ()
    found = read_state(state, model.domain, model.problem)
    fixed = model.domain.predicates.keys() - set(_changed(model.domain))
    taken = frozenset(atom for atom in model.problem.init if atom[0] in fixed)
    if not taken or is_section(state) or any(atom[0] in fixed for atom in found):
        return found, ()
    predicates = ", ".join(f"'{name}'" for name in sorted({atom[0] for atom in taken}))
    facts = "the fact" if len(taken) == 1 else f"the {len(taken)} facts"
    return found | taken, (f"{facts} of {predicates} are the problem's, as the state has none that no action changes",)


def _changed(domain: Domain) -> Iterator[str]:
    for action in domain.actions.values():
        for effect in action.effects:
            yield from _predicates(effect)


def _predicates(effect: Effect) -> Iterator[str]:
    if isinstance(effect, Literal):
        yield effect.atom.predicate
    elif isinstance(effect, Conditional):
        for inner in effect.effects:
            yield from _predicates(inner)


def _differences(
    expected: frozenset[GroundAtom], now: frozenset[GroundAtom], executed: int, told: Callable[[str], str]
) -> Iterator[str]:
    """Yield a sentence when the world is not as the model has it."""
    changed = [(atom, "false") for atom in sorted(expected - now)] + [(atom, "true") for atom in sorted(now - expected)]
    wrong = [f"{shown} is {truth}" for atom, truth in changed if (shown := told(f"({' '.join(atom)})"))]
    if wrong:
        more = f", and {len(wrong) - _MOST_DIFFERENCES} more" if len(wrong) > _MOST_DIFFERENCES else ""
        yield f"after step {executed}, not as planned: {', '.join(wrong[:_MOST_DIFFERENCES])}{more}"


# --- the report on the whole plan ----------------------------------------------------------------


def _whole(report: Report, happened: Sequence[Token], context: int | None) -> Report:
    """Return a report on the rest of a plan as one on the whole plan."""
    before = sum(not isinstance(token, Unparsed) or token.reading is not None for token in happened)
    diffs = report.plan_diff_obj
    if diffs:
        diffs = (*(StepDiff(diff_type=None, step=token) for token in happened), *diffs)
    repaired = report.repaired_plan
    return replace(
        report,
        reference=(*happened, *report.reference),
        failures=tuple(failure.later(before) for failure in report.failures),
        unmet_goals=tuple(_later_goal(goal, before) for goal in report.unmet_goals),
        plan_diff_obj=diffs,
        plan_diff_str=unified(diffs, context),
        repaired_plan=None if repaired is None else (*happened, *repaired),
    )


def _later_goal(goal: UnmetGoal, steps: int) -> UnmetGoal:
    return goal if goal.last_held is None else replace(goal, last_held=goal.last_held + steps)
