"""Regression files: models and plans with the verdicts that a check of them is expected to give.

domain: domain.pddl
problem: problem.pddl
cases:
  - {plan: good.plan, verdict: valid, cost: 4}
  - {plan: broken.plan, verdict: not valid, step: 2}
  - {trace: run.json, policy: shop.policy, verdict: kept}

The format is in ``plan_tests.schema.json``; paths are relative to the file's folder.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from validator.checking.report import Quality, Report
from validator.errors import ModelError, ValidatorError
from validator.execution.faults import sentences
from validator.flow.definition.reader import load_document
from validator.grounding.limits import Status
from validator.reading.fields import Fields
from validator.records import dataclass
from validator.texts import decimal, read_plan_text

if TYPE_CHECKING:
    from validator.adherence import Adherence
    from validator.policies import Conformance

# --- traces ---------------------------------------------------------------------------------------
# Whether a run followed a plan, or kept a policy:
#   - {trace: run.json, policy: shop.policy, verdict: not kept, call: 2}
#   - {trace: run.json, plan: good.plan, verdict: followed}


_VERDICTS = {
    "followed": (False, True),
    "not followed": (False, False),
    "kept": (True, True),
    "not kept": (True, False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceCase:
    """A trace and what is expected of it: with a ``policy`` whether it is kept, else whether a plan was followed.

    ``plan`` None is the plan that the trace states. ``call`` counts from 1: the first at fault by the policy.
    ``expected`` None is a verdict that is unknown.
    """

    file: Path
    name: str
    trace: Path
    model: tuple[Path, ...]
    policy: Path | None
    plan: Path | None
    expected: bool | None
    call: int | None
    time_limit: int
    strict: bool = False

    @property
    def verdict(self) -> str:
        return _said(self.policy is not None, self.expected)


def _said(is_policy: bool, holds: bool | None) -> str:
    if holds is None:
        return "unknown"
    return next(said for said, meant in _VERDICTS.items() if meant == (is_policy, holds))


def read_trace_case(fields: Fields, file: Path, model: tuple[Path, ...], limit: int) -> TraceCase:
    """Return a case about a trace. Raises ModelError with the place of what cannot be read."""
    said, trace = fields.text("verdict"), fields.text("trace")
    policy, plan = fields.optional_text("policy"), fields.optional_text("plan")
    if policy is not None and plan is not None:
        raise ModelError(f"{fields.where}: one of 'policy' and 'plan' was expected, not both")
    if said != "unknown" and _VERDICTS.get(said, (None, None))[0] is not (policy is not None):
        known = [each for each, (is_policy, _) in _VERDICTS.items() if is_policy is (policy is not None)]
        raise ModelError(f"{fields.path('verdict')}: one of {', '.join(known)}, unknown was expected, not {said!r}")
    folder = file.parent
    return TraceCase(
        file=file,
        name=fields.optional_text("name") or f"{trace} {'is ' if said == 'unknown' else ''}{said} by {policy or plan}",
        trace=folder / trace,
        model=model,
        policy=None if policy is None else folder / policy,
        plan=None if plan is None else folder / plan,
        expected=None if said == "unknown" else _VERDICTS[said][1],
        call=fields.whole("call", 0, 1, 10**9) or None,
        time_limit=limit,
    )


def verdict_on(case: TraceCase) -> tuple[bool | None, tuple[str, ...], str]:
    """Return the verdict on a trace, what is not as expected, and the result as text.

    Raises InputError and ModelError for what cannot be read, OSError for a file.
    """
    found = _conformance(case) if case.policy is not None else _adherence(case)
    verdict, first, text = found
    differs = []
    if verdict is not case.expected:
        why = text.splitlines()[0]
        differs.append(f"expected {case.verdict}, got {_said(case.policy is not None, verdict)}: {why}")
    if case.call is not None and first != case.call:
        differs.append(f"expected the first fault at call {case.call}, got {first or 'none'}")
    return verdict, tuple(differs), text


def _trace_model(case: TraceCase) -> tuple[str | Path, str | Path] | Path | None:
    if len(case.model) == 2:
        return case.model[0], case.model[1]
    return case.model[0] if case.model else None


def _conformance(case: TraceCase) -> tuple[bool | None, int | None, str]:
    from validator.policies import conform

    assert case.policy is not None
    found: Conformance = conform(case.policy, case.trace, model=_trace_model(case), time_limit=case.time_limit)
    calls = [fault.call for finding in found.findings for fault in finding.faults if fault.call is not None]
    return found.kept, min(calls) + 1 if calls else None, found.text


def _adherence(case: TraceCase) -> tuple[bool | None, int | None, str]:
    from validator.adherence import adhere
    from validator.adherence.requirements import met, required
    from validator.adherence.text import adherence_text

    model = _trace_model(case)
    found: Adherence = adhere(case.plan, case.trace, model=model, time_limit=case.time_limit)
    calls = [row.executed.index for row in found.deviations if row.executed is not None]
    holds = met(found, required(None, with_model=model is not None)).holds
    return holds, min(calls) + 1 if calls else None, adherence_text(found)


# --- plans ----------------------------------------------------------------------------------------


SUFFIXES = (".plan-test.yaml", ".plan-test.yml", ".plan-test.json")
_MOST_SECONDS = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A plan and what is expected of it.

    ``model`` is a domain and a problem, or a flow alone. ``plan`` is a file or the text itself, which is taken
    literally where ``strict`` says so. ``expected`` is whether the plan has the quality, None for a verdict that is
    unknown; ``understood`` is False where the text is expected not to be understood. ``step`` counts from 1.
    """

    file: Path
    name: str
    model: tuple[Path, ...]
    plan: Path | str
    quality: Quality
    expected: bool | None
    cost: Fraction | None
    step: int | None
    time_limit: int
    understood: bool = True
    strict: bool = False

    @property
    def verdict(self) -> str:
        return _verdict(self.quality, self.expected, self.understood)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of a case: ``differs`` are the expectations that were not met, a sentence each.

    ``error`` is what kept the case from being checked; then there is no report. ``text`` is the plan.
    """

    case: Case | TraceCase
    seconds: float
    report: Report | None = None
    text: str = ""
    differs: tuple[str, ...] = ()
    error: Exception | None = None
    details: str = ""
    """of a trace: what was found, as text"""

    @property
    def is_as_expected(self) -> bool:
        return self.error is None and not self.differs


def find(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return the regression files among files and, in order of name, below folders.

    Raises ValidatorError when there is none, OSError for a path that is not there.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update((each, None) for each in sorted(path.rglob("*")) if each.name.endswith(SUFFIXES))
        else:
            path.stat()
            found[path] = None
    if not found:
        raise ValidatorError(f"no regression file; their names end in {', '.join(SUFFIXES)}")
    return tuple(found)


# --- reading -------------------------------------------------------------------------------------


def read_cases(file: Path) -> tuple[Case | TraceCase, ...]:
    """Return the cases of a file. Raises ModelError with the place of what cannot be read, OSError for the file."""
    document = load_document(file)
    try:
        fields = Fields(document, "")
        model = _model(fields, file.parent)
        limit = fields.whole("time_limit", 30, 1, _MOST_SECONDS)
        strict = fields.flag("strict", False)
        cases = tuple(_case(Fields(value, path), file, model, limit, strict) for path, value in fields.entries("cases"))
        fields.end()
        if not cases:
            raise ModelError("cases: at least one was expected")
    except ModelError as error:
        raise ModelError(error.message, source=str(file)) from None
    return cases


def _case(fields: Fields, file: Path, model: tuple[Path, ...], limit: int, strict: bool) -> Case | TraceCase:
    if "trace" in fields:
        own = _model(fields, file.parent) or model
        about_trace = read_trace_case(fields, file, own, fields.whole("time_limit", limit, 1, _MOST_SECONDS))
        fields.end()
        return about_trace
    quality, expected, understood = _expectation(fields)
    plan = _plan(fields, file.parent)
    shown = fields.optional_text("plan") or fields.where
    own = _model(fields, file.parent) or model
    if not own:
        raise ModelError(f"{fields.where}: no model; 'domain' and 'problem', or 'flow', were expected")
    case = Case(
        file=file,
        name=fields.optional_text("name") or f"{shown} is {_verdict(quality, expected, understood)}",
        model=own,
        plan=plan,
        quality=quality,
        expected=expected,
        cost=_cost(fields),
        step=fields.whole("step", 0, 1, 10**9) or None,
        time_limit=fields.whole("time_limit", limit, 1, _MOST_SECONDS),
        understood=understood,
        strict=fields.flag("strict", strict),
    )
    fields.end()
    return case


def _model(fields: Fields, folder: Path) -> tuple[Path, ...]:
    domain, problem, flow = (fields.optional_text(name) for name in ("domain", "problem", "flow"))
    if flow is not None and (domain or problem):
        raise ModelError(f"{fields.path('flow')}: a flow stands in place of a domain and a problem")
    if (domain is None) != (problem is None):
        raise ModelError(f"{fields.path('domain')}: 'domain' and 'problem' go together")
    return tuple(folder / name for name in (domain, problem, flow) if name is not None)


def _plan(fields: Fields, folder: Path) -> Path | str:
    if ("plan" in fields) == ("text" in fields):
        raise ModelError(f"{fields.where}: one of 'plan' and 'text' was expected")
    if "plan" in fields:
        fields.raw("text")
        return folder / fields.text("plan")
    fields.raw("plan")
    return fields.text("text", "")


_NOT_UNDERSTOOD = ("not understood", "not-understood")


def _expectation(fields: Fields) -> tuple[Quality, bool | None, bool]:
    """Return the quality that is asked for, whether the plan has it, and whether its text is understood."""
    verdicts = {_verdict(quality, has): (quality, has) for quality in Quality for has in (True, False)}
    said = fields.text("verdict")
    quality = fields.choice("quality", {quality.value: quality for quality in Quality}, Quality.VALID)
    if said == "unknown" or said in _NOT_UNDERSTOOD:
        return quality, None, said == "unknown"
    if said not in verdicts:
        known = f"{', '.join(verdicts)}, {_NOT_UNDERSTOOD[0]}, unknown"
        raise ModelError(f"{fields.path('verdict')}: one of {known} was expected, not {said!r}")
    if "quality" in fields and verdicts[said][0] is not quality:
        raise ModelError(f"{fields.path('quality')}: the verdict '{said}' is about another quality")
    return (*verdicts[said], True)


def _verdict(quality: Quality, has: bool | None, understood: bool = True) -> str:
    if not understood:
        return _NOT_UNDERSTOOD[0]
    return {True: quality.value, False: f"not {quality.value}", None: "unknown"}[has]


def _cost(fields: Fields) -> Fraction | None:
    value = fields.raw("cost")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) == float("inf") or value != value:
        raise ModelError(f"{fields.path('cost')}: a number was expected, not {value!r}")
    return Fraction(str(value))


# --- running -------------------------------------------------------------------------------------


def run_case(case: Case | TraceCase) -> Result:
    """Check the plan, or the trace, of a case. What keeps it from being checked is the result's error.

    Raises KeyboardInterrupt where the check was interrupted, of which the report would say so.
    """
    start = time.monotonic()
    try:
        if isinstance(case, TraceCase):
            _, unexpected, told = verdict_on(case)
            return Result(case=case, seconds=time.monotonic() - start, differs=unexpected, details=told)
        text = case.plan if isinstance(case.plan, str) else read_plan_text(case.plan)
        report = _check(case, text)
    except (ValidatorError, OSError) as error:
        return Result(case=case, seconds=time.monotonic() - start, error=error)
    if report.planner_response.status == Status.INTERRUPTED.value:
        raise KeyboardInterrupt
    differs = tuple(_differences(case, report))
    return Result(case=case, seconds=time.monotonic() - start, report=report, text=text, differs=differs)


def _check(case: Case, text: str) -> Report:
    if len(case.model) == 1:
        from validator.flow.check import check_flow
        from validator.flow.definition.reader import read_flow

        flow = read_flow(case.model[0])
        return check_flow(
            flow, text, quality=case.quality, repair=False, time_limit=case.time_limit, strict=case.strict
        )
    from validator.checking.check import check
    from validator.checking.prepared import prepare
    from validator.reading.tokens import tokenize

    prepared = prepare(*case.model)
    plan = tokenize(text, prepared.vocabulary, strict=case.strict)
    return check(prepared, None, plan, quality=case.quality, repair=False, time_limit=case.time_limit)


def _differences(case: Case, report: Report) -> Iterator[str]:
    if (report.determination, report.is_understood) != (case.expected, case.understood):
        told = sentences(report.failures, report.reference)[:1] or [report.reason]
        got = _verdict(case.quality, report.determination, report.is_understood)
        yield f"expected {case.verdict}, got {got}{''.join(f': {why}' for why in told if why)}"
    if case.cost is not None and report.cost != case.cost:
        got = "none" if report.cost is None else decimal(report.cost)
        yield f"expected cost {decimal(case.cost)}, got {got}"
    if case.step is not None and (where := _first_fault(report)) != f"step {case.step}":
        yield f"expected the first fault at step {case.step}, got {where}"


def _first_fault(report: Report) -> str:
    if not report.failures:
        return "no fault"
    step = report.failures[0].step
    return "a fault of the whole plan" if step is None else f"step {step + 1}"
