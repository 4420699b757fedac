"""What came out of comparing a run with a policy: for each rule whether it is kept, where it is broken, what helps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from validator.policies.conditions import Truth, both
from validator.policies.events import Event
from validator.policies.policy import Policy
from validator.policies.repair.repair import Repair
from validator.policies.rules import Rule
from validator.reading.traces.recording import Sureness
from validator.render.printed import Printed

__all__ = ["Conformance", "Fault", "Finding"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a rule is broken: the index of the call, None for the whole run; and why.

    ``is_certain`` is false where something is not known that decides.
    """

    call: int | None
    reason: str
    is_certain: bool = True

    @property
    def said(self) -> str:
        return f"{'the run' if self.call is None else f'call {self.call + 1}'}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a run keeps a rule: true, false, or None where that is not known. ``faults`` are in order."""

    rule: Rule | str
    kept: Truth
    faults: tuple[Fault, ...] = ()

    @property
    def place(self) -> str:
        line = getattr(self.rule, "line", None)
        return "" if line is None else f"line {line}"


_SAID = {True: "kept", False: "broken", None: "not known"}


@dataclass(frozen=True, kw_only=True, repr=False)
class Conformance(Printed):
    """How a run keeps a policy.

    ``run`` are the calls that were looked at, ``findings`` one for each rule (and one for the model, where there is
    one), ``repair`` the nearest run that keeps the policy, where it is broken.
    """

    policy: Policy
    run: tuple[Event, ...]
    findings: tuple[Finding, ...]
    repair: Repair | None = None
    format: str = ""
    sureness: Sureness = Sureness.CERTAIN
    warnings: tuple[str, ...] = ()
    reason: str = ""

    @property
    def kept(self) -> Truth:
        """Return whether every rule is kept; None where that is not known."""
        return None if self.reason else both(finding.kept for finding in self.findings)

    @property
    def broken(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.kept is False)

    @property
    def summary(self) -> str:
        if self.reason:
            return f"Not known whether the policy is kept: {self.reason}."
        counts = {said: sum(f.kept is truth for f in self.findings) for truth, said in _SAID.items()}
        shown = ", ".join(f"{count} {said}" for said, count in counts.items() if count)
        word = {True: "The policy is kept", False: "The policy is broken", None: "Not known whether the policy is kept"}
        calls = f"{len(self.run)} call{'' if len(self.run) == 1 else 's'}"
        return f"{word[self.kept]}: {shown or 'no rules'}, over {calls}."

    @property
    def text(self) -> str:
        """Return the result as lines of text."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.summary
        for finding in self.findings:
            yield f"  {_SAID[finding.kept]:9}  {str(finding.rule).splitlines()[0]}"
            yield from (f"             {fault.said}" for fault in finding.faults)
        if self.repair is not None:
            yield from self._repaired(self.repair)
        yield from (f"warning: {warning}" for warning in self.warnings)

    def _repaired(self, repair: Repair) -> Iterator[str]:
        if repair.edits is None:
            yield f"No repair: {repair.reason}{' (proven)' if repair.proven else ''}."
            return
        yield f"The nearest run that keeps it ({'proven' if repair.proven else 'not proven'}): {repair.cost} changed."
        yield from (f"  {edit.said}" for edit in repair.edits if edit.kind != "keep")
        yield from repair.diff.splitlines()

    def to_json(self) -> dict[str, object]:
        """Return the result as values that ``json.dumps`` takes; calls count from 0."""
        value: dict[str, object] = {
            "kept": self.kept,
            "summary": self.summary,
            "calls": [str(event) for event in self.run],
            "rules": [
                {
                    "rule": str(finding.rule),
                    "line": getattr(finding.rule, "line", None),
                    "kept": finding.kept,
                    "faults": [
                        {"call": fault.call, "reason": fault.reason, "certain": fault.is_certain}
                        for fault in finding.faults
                    ],
                }
                for finding in self.findings
            ],
            "trace_format": self.format,
            "trace_sureness": self.sureness.value,
            "warnings": list(self.warnings),
        }
        if self.repair is not None:
            value["repair"] = _repair_json(self.repair)
        return value


def _repair_json(repair: Repair) -> dict[str, object]:
    return {
        "proven": repair.proven,
        "cost": repair.cost,
        "reason": repair.reason,
        "edits": None
        if repair.edits is None
        else [
            {"kind": edit.kind.value, "call": edit.call, "before": edit.before, "step": str(edit.event)}
            for edit in repair.edits
        ],
        "diff": repair.diff,
    }
