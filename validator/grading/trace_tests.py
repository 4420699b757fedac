"""Cases of regression files that are about traces: whether a run followed a plan, or kept a policy.

flow: stay.yaml
cases:
  - {trace: run.json, policy: shop.policy, verdict: not kept, call: 2}
  - {trace: run.json, plan: good.plan, verdict: followed}
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from validator.errors import ModelError
from validator.reading.fields import Fields
from validator.records import dataclass

if TYPE_CHECKING:
    from validator.adherence import Adherence
    from validator.policies import Conformance

__all__ = ["TraceCase", "read_trace_case", "verdict_on"]

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


def _model(case: TraceCase) -> tuple[str | Path, str | Path] | Path | None:
    if len(case.model) == 2:
        return case.model[0], case.model[1]
    return case.model[0] if case.model else None


def _conformance(case: TraceCase) -> tuple[bool | None, int | None, str]:
    from validator.policies import conform

    assert case.policy is not None
    found: Conformance = conform(case.policy, case.trace, model=_model(case), time_limit=case.time_limit)
    calls = [fault.call for finding in found.findings for fault in finding.faults if fault.call is not None]
    return found.kept, min(calls) + 1 if calls else None, found.text


def _adherence(case: TraceCase) -> tuple[bool | None, int | None, str]:
    from validator.adherence import adhere
    from validator.adherence.figures.requirements import met, required
    from validator.adherence.text import adherence_text

    model = _model(case)
    found: Adherence = adhere(case.plan, case.trace, model=model, time_limit=case.time_limit)
    calls = [row.executed.index for row in found.deviations if row.executed is not None]
    holds = met(found, required(None, with_model=model is not None)).holds
    return holds, min(calls) + 1 if calls else None, adherence_text(found)
