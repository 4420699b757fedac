"""Is a plan sound, valid or optimal, what is wrong with it, and which nearest plan is? Declared here, for every way in.

An option of ``check`` is one field of ``Check``, and what it does stands in ``check`` below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from validator.checking.report import Quality, Report
from validator.errors import HierarchicalModelError
from validator.model.pddl.formulas.conditions import number
from validator.questions.job import Job, NeedsPlannerError, bounded, is_claim, natural, plan_of, plan_text
from validator.questions.models import (
    DECIMAL,
    OfAnyModel,
    Text,
    dialect_option,
    epsilon_of,
    flow_of,
    model_of,
    one_model,
    templates_option,
)
from validator.questions.question import EVERYWHERE, MODEL, Face, FieldError, Use, option, question, refuse_unused
from validator.reading.plan import Dialect
from validator.records import replace
from validator.repair import Policy
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared

    Exact: TypeAlias = float | str | Fraction
else:  # what a client sends
    Exact = float | str


_PDDL = frozenset((Use.PDDL, Use.REST))
_WHOLE = frozenset((Use.PDDL,))
_COMMAND = frozenset((Face.COMMAND,))
_PROGRAMS = frozenset((Face.COMMAND, Face.AGENT))


def _from_zero(text: str) -> Fraction:
    value = number(text)
    if value is None or value < 0:
        raise ValueError(f"a number from 0 such as 0.001 was expected, not {text!r}")
    return value


@question
class Check(OfAnyModel):
    """A plan to be checked, of a PDDL model or of a flow."""

    plan: str | tuple[Any, ...] | dict[str, Any] = option(
        "a text, or a list of steps",
        details="in any notation: one step per line, or the answer of a language model as it is",
        faces=MODEL,
    )
    quality: Quality = option(
        "sound: every step executes; valid: sound, and the goal is reached; optimal: valid, and no plan is cheaper",
        default=Quality.VALID,
        choices=Quality,
    )
    nearest: Policy | None = option(
        "what nearest means: edits: fewest changed lines; keep: most steps stay; move: as keep, and steps may move",
        details="default: edits; for flows: move",
        default=None,
        choices=Policy,
        was=("policy",),
    )
    repair: bool = option("look for the nearest plan", default=True, off="decide only, without the nearest plan")
    executed: int = option(
        "lines of the plan that have been executed",
        details="the rest is checked",
        default=0,
        faces=_PROGRAMS,
        uses=_PDDL,
        parse=natural,
        metavar="N",
        schema={"ge": 0},
    )
    state: Text | tuple[str, ...] | None = option(
        "facts that hold after the executed lines",
        default=None,
        faces=_PROGRAMS,
        uses=_PDDL,
        parse=Path,
        metavar="FILE",
    )
    state_complete: bool = option(
        "all facts that the state lacks are false", default=False, faces=_PROGRAMS, uses=_PDDL
    )
    changes: Text | tuple[str, ...] | None = option(
        "what differs from the plan's expectation: facts that hold, (not FACT) that do not, values",
        details="everything else is as expected",
        default=None,
        faces=_PROGRAMS,
        uses=_PDDL,
        parse=Path,
        metavar="FILE",
    )
    dialect: Dialect | None = dialect_option(_PDDL)
    strict: bool = option("what cannot be read is a fault of the plan", default=False)
    strict_pddl: bool = option(
        "reject models that break the PDDL grammar, even in ways that published models do",
        details="default: warn",
        default=False,
        uses=_PDDL,
    )
    templates: dict[str, Any] | Text | None = templates_option(_PDDL)
    explain: bool = option("say what each changed step is for", default=False, faces=_PROGRAMS, uses=_PDDL)
    epsilon: Exact | None = option(
        "plans over time: minimum separation of interfering actions, such as 0.001",
        details="taken exactly; default: 0.001",
        default=None,
        uses=_WHOLE,
        parse=_from_zero,
        metavar="E",
        schema={"json_schema_extra": DECIMAL},
    )
    tolerance: Exact | None = option(
        "VAL's -t, in place of epsilon",
        details="actions at most T/10 apart are simultaneous, and durations may be off by T",
        default=None,
        uses=_WHOLE,
        parse=_from_zero,
        metavar="T",
        schema={"json_schema_extra": DECIMAL},
    )
    timeline: bool = option(
        "show what happens when", details="with values over time", default=False, uses=_WHOLE, was=("trace",)
    )
    animation: Text | None = option(
        "draw the states by this Planimation profile",
        default=None,
        faces=EVERYWHERE - {Face.AGENT},
        uses=_WHOLE,
        parse=Path,
        metavar="FILE",
    )
    certify: bool = option(
        "write the proof that nothing is nearer, or cheaper, for plan-certify to check",
        default=False,
        faces=frozenset((Face.AGENT,)),
        uses=_WHOLE,
    )
    states: bool = option("add what each step changes, and the goals", default=False, faces=frozenset(), uses=_WHOLE)
    context: int | None = option(
        "unchanged lines around each change of the diff; default: all",
        default=None,
        faces=_COMMAND,
        uses=_PDDL,
        parse=natural,
        metavar="N",
        flag="unified",
        schema={"ge": 0},
    )
    outputs: bool = option(
        "compare and print the outputs of calls",
        default=True,
        uses=frozenset((Use.FLOW,)),
        faces=_PROGRAMS,
        off="neither compare nor print the outputs of calls",
    )
    collapse_maps: bool = option(
        "read and print calls without their mappings", default=False, uses=frozenset((Use.FLOW,)), faces=_PROGRAMS
    )

    def __post_init__(self) -> None:
        for name, given in (("epsilon", self.epsilon), ("tolerance", self.tolerance)):
            try:
                epsilon_of(given, name)
            except ValueError as error:
                raise FieldError(name, str(error)) from None
        if self.epsilon is not None and self.tolerance is not None:
            detail = "epsilon and tolerance are two ways to say how far apart actions must be; give one of them"
            raise FieldError("tolerance", detail)

    @property
    def is_rest(self) -> bool:
        """Return whether some of the plan has happened, or something has."""
        return bool(self.executed) or self.state is not None or self.changes is not None


@question
class LocalCheck(Check):
    """A check by a command, which may name directories and programs of this machine."""

    words: bool = option(
        "print steps and facts in words, by the templates if given",
        default=False,
        faces=_COMMAND,
        uses=_PDDL,
    )
    planner: str | None = option(
        "unified-planning engine that looks for the repair",
        default=None,
        faces=_COMMAND,
        uses=_WHOLE,
        metavar="ENGINE",
    )


def _refuse(asked: Check, spelled: Callable[[str], str]) -> None:
    """Raise ValueError for a field that has no meaning for what is asked."""
    if asked.flow is not None:
        refuse_unused(asked, Use.FLOW, spelled)
        return
    refuse_unused(asked, Use.PDDL, spelled)
    if asked.is_rest:
        refuse_unused(asked, Use.REST, spelled)


def plain_model(asked: Check) -> Prepared | None:
    """Return the PDDL model of a question; None for a hierarchical one. Raises InputError for one that is neither."""
    try:
        return model_of(asked.domain, asked.problem, asked.templates, strict_pddl=asked.strict_pddl)
    except HierarchicalModelError:
        return None


def check(asked: Check, job: Job, spelled: Callable[[str], str] = "'{}'".format) -> Report:
    """Answer. Raises NeedsPlannerError where only a planner can and none may be started.

    ``spelled`` is how the name of a field is written in errors.
    """
    one_model(asked.domain, asked.problem, asked.flow)
    _refuse(asked, spelled)
    if (asked.is_rest and asked.repair) or asked.quality is Quality.OPTIMAL:
        job.planner()
    # Without a planner it is only decided whether a repair has to be looked for.
    asks = asked.repair and not job.with_planner
    decided = replace(asked, repair=False) if asks else asked
    if asked.flow is not None:
        report = _of_flow(decided, job)
    else:
        model = plain_model(asked)
        if model is None:
            report = _of_hierarchy(decided, job)
        else:
            report = _rest(decided, model, job) if asked.is_rest else _whole(decided, model, job)
            if not (asks and report.determination is False):
                with job.telling(report):
                    report = _with_more(asked, model, report, job)
    if asks and report.determination is False:
        raise NeedsPlannerError
    job.known()
    return report


def _context(asked: Check, job: Job) -> int | None:
    return job.context if asked.context is None else asked.context


def _told(job: Job) -> Any:
    """Return whom the search tells how far it is."""
    return None if job.progress is None else lambda lower, best: job.tell({"lower_bound": lower, "best_cost": best})


def _common(asked: Check, job: Job) -> dict[str, Any]:
    """Return what is asked of a plan of any model, as the functions that check plans take it."""
    return {
        "quality": asked.quality,
        "policy": asked.nearest,
        "repair": asked.repair,
        "strict": asked.strict,
        "time_limit": job.seconds(asked),
        "memory_limit": job.bounds.memory_limit,
        "progress": _told(job),
    }


def _whole(asked: Check, model: Prepared | None, job: Job) -> Report:
    """Answer of a whole plan of a PDDL model, or without one of a model in HDDL."""
    from validator.checking.check import check as check_plan

    given: tuple[Any, ...] = (asked.domain, asked.problem, no_path(plan_text(asked.plan)))
    if model is not None:
        plan = plan_of(plan_text(asked.plan), model, asked.dialect, job.bounds, strict=asked.strict)
        if is_claim(plan) and asked.quality is Quality.VALID:
            job.planner()  # whether there is a plan is not told by execution
        given = (model, None, plan)
    return check_plan(
        *given,
        **_common(asked, job),
        dialect=None if model is not None else asked.dialect,
        strict_pddl=asked.strict_pddl,
        context=_context(asked, job),
        planner=asked.planner if isinstance(asked, LocalCheck) else None,
        epsilon=epsilon_of(asked.epsilon),
        tolerance=epsilon_of(asked.tolerance, "tolerance"),
        trace=asked.timeline or (job.with_course and model is not None and bool(model.model.features)),
        templates=None if model is not None else asked.templates,
        certify=asked.certify,
    )


def _of_hierarchy(asked: Check, job: Job) -> Report:
    """Answer of a model in HDDL; with ``explain`` the report has the decomposition."""
    over_time = asked.epsilon is not None or asked.tolerance is not None
    local = isinstance(asked, LocalCheck) and (asked.words or asked.planner is not None)
    if asked.is_rest or asked.certify or asked.animation or over_time or local:
        why = "without certificates, pictures, words, times and other planners"
        raise ValueError(f"an HDDL model takes whole plans only, {why}")
    report = _whole(asked, None, job)
    return report if asked.explain else replace(report, explanations=())


def _rest(asked: Check, model: Prepared, job: Job) -> Report:
    from validator.checking.monitoring.monitor import check_rest

    return check_rest(
        model,
        no_path(plan_text(asked.plan)),
        executed=asked.executed,
        state=None if asked.state is None else _source(asked.state),
        is_complete=asked.state_complete,
        changes=None if asked.changes is None else _source(asked.changes),
        explained=asked.explain,
        dialect=asked.dialect,
        context=_context(asked, job),
        **_common(asked, job),
    )


def _source(given: Text | tuple[str, ...]) -> Text:
    """Return a file, or a text that nothing takes for the name of one."""
    return given if isinstance(given, Path) else no_path(plan_text(given))


def _of_flow(asked: Check, job: Job) -> Report:
    from validator.flow.check import check_flow

    assert asked.flow is not None
    plan = _lines(asked.plan)
    bounded(plan.count("\n") if isinstance(plan, str) else len(plan), job.bounds)
    return check_flow(
        flow_of(asked.flow),
        plan,
        show_output=asked.outputs,
        collapse_maps=asked.collapse_maps,
        **_common(asked, job),
    )


def _lines(plan: str | tuple[Any, ...] | dict[str, Any]) -> str | list[Any]:
    return plan_text(plan) if isinstance(plan, str | dict) else list(plan)


def execution_of(asked: Check, report: Report) -> Mapping[str, Any]:
    """Return what a page shows of a plan of a PDDL model: its states, their pictures, and how its text was read."""
    model = None if asked.flow is not None else plain_model(asked)
    if model is None:
        return {}
    from validator.render.states import MOST_STEPS, execution_value

    found = execution_value(model.simulator, report) if len(report.reference) <= MOST_STEPS else {}
    if asked.animation is not None:
        from validator.render.animation.frames import animation_tree

        found["animation"] = animation_tree(_source(asked.animation), model.simulator, report)
    if report.reading is not None:
        from validator.reading.annotated import annotate

        found["read"] = annotate(report.reading, model.vocabulary)
    return found


# --- what is told beside a verdict -----------------------------------------------------------------


def _with_more(asked: Check, model: Prepared, report: Report, job: Job) -> Report:
    if asked.explain and not asked.is_rest:
        from validator.checking.explain import explain

        report = replace(report, explanations=explain(model, report, epsilon=epsilon_of(asked.epsilon)))
    if isinstance(asked, LocalCheck) and asked.words:
        from validator.checking.explain import in_words

        report = in_words(report, model.lexicon, _context(asked, job))
    return report
