"""``conform``: a policy and a run in, for each rule whether it is kept out, with the nearest run that keeps them all.

Comparing what was recorded with what is prescribed is called conformance checking in process mining (van der Aalst
2016, "Process Mining", chapter 8).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from validator.adherence.programs import with_programs
from validator.alarms import OutOfTime, alarm
from validator.errors import did_you_mean
from validator.grounding.limits import deadline_of, hard_limit, left_until
from validator.model.conditions import both
from validator.policies.conditions import references
from validator.policies.events import Event, event_of, message_of
from validator.policies.language import read_policy
from validator.policies.policy import Policy, Progress
from validator.policies.product import Product
from validator.policies.repair.repair import Repair, nearest_run
from validator.policies.rules import UNSURE, Allow, AtLeast, AtMost, Never, Rule
from validator.policies.values import Truth
from validator.reading.calls import CallKind, folded
from validator.reading.traces.read import read_trace
from validator.reading.traces.recording import Recording, Sureness
from validator.render.json import picked
from validator.render.printed import Printed
from validator.texts import counted

if TYPE_CHECKING:
    from validator.adherence.model import AnyModel
    from validator.policies.executor import Executor


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
        return f"{word[self.kept]}: {shown or 'no rules'}, over {counted(len(self.run), 'call')}."

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
        if repair.edits is None or repair.cost is None:
            yield f"No repair: {repair.reason}{' (proven)' if repair.proven else ''}."
            return
        proven = "proven" if repair.proven else "not proven"
        yield f"The nearest run that keeps it ({proven}): {counted(repair.cost, 'change')}."
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
        **picked(repair, "proven", "cost", "reason"),
        "edits": None
        if repair.edits is None
        else [{**picked(edit, "kind", "call", "before"), "step": str(edit.event)} for edit in repair.edits],
        "diff": repair.diff,
    }


# --- the result -----------------------------------------------------------------------------------


DEFAULT_TIME_LIMIT = 10.0


def conform(
    policy: Policy | str | Path,
    trace: str | Path | Mapping[str, object] | Sequence[object] | Recording,
    *,
    model: AnyModel | None = None,
    repair: bool = True,
    time_limit: float = DEFAULT_TIME_LIMIT,
) -> Conformance:
    """Say whether the calls of a trace keep a policy, and what would make them keep it.

    ``policy`` is one that was read, a path or a text; ``trace`` is in any format that ``read_trace``
    knows. With a ``model`` (a domain and a problem) every call must be executable on it as well, and the facts of its
    states are those that the rules ask for; the repair then keeps the policy and can be executed. ``time_limit`` is in
    seconds; what reading and following leave of it is for the repair, and where it is met before, ``reason`` says so.

    Raises InputError for a policy or a trace that cannot be read, ModelError, OSError for a file.
    """
    latest = deadline_of(time_limit)
    rules = read_policy(policy)
    result: Conformance | None = None
    try:
        with alarm(hard_limit(time_limit)):
            result, executor = _followed(rules, trace, model)
            if repair and result.kept is False:
                return replace(result, repair=_repaired(rules, result.run, left_until(latest), executor))
    except OutOfTime:
        if result is None:
            return Conformance(policy=rules, run=(), findings=(), reason="the time limit was met before all was read")
        late = "the time limit was met before a run was found that keeps the policy"
        return replace(result, repair=Repair(None, False, late))
    return result


def _followed(
    rules: Policy, trace: str | Path | Mapping[str, object] | Sequence[object] | Recording, model: AnyModel | None
) -> tuple[Conformance, Executor | None]:
    """Return how a trace keeps a policy, and the model on which its calls were executed."""
    recording = read_trace(trace)
    recording = with_programs(recording, (*rules.names, *recording.tools))
    run = run_of(recording, with_messages=rules.speaks_of_messages)
    executor = None if model is None else executor_of(model)
    findings = tuple(follow(Product(rules, executor), run))
    if recording.missed:
        findings = tuple(map(_as_far_as_read, findings))
    result = Conformance(
        policy=rules,
        run=run,
        findings=findings,
        format=recording.format,
        sureness=recording.sureness,
        warnings=tuple(_warnings(rules, recording, executor, run)),
        reason=_not_read(recording),
    )
    return result, executor


def run_of(recording: Recording, *, with_messages: bool = False) -> tuple[Event, ...]:
    """Return the calls of tools in a trace: not the one that states a plan, nor what runs inside another tool.

    With messages, what the user and the agent say stands among them, each before the calls that were made after it.
    """
    schemas = {folded(name): parameters for name, parameters in recording.tools.items()}
    calls = [(call.index, event_of(call, schemas)) for call in recording.calls if call.kind is CallKind.TOOL]
    said = [(each.before, message_of(each.role, each.text)) for each in recording.messages] if with_messages else []
    return tuple(event for _, event in sorted((*said, *calls), key=itemgetter(0)))


def _as_far_as_read(finding: Finding) -> Finding:
    """Return a finding on a run of which not every call may have been read: more calls break what fewer break too."""
    stays = finding.kept is False if isinstance(finding.rule, Never | Allow | AtMost) else False
    if stays or (finding.kept is True and isinstance(finding.rule, AtLeast)):
        return finding
    return replace(finding, kept=None, faults=tuple(map(_by_what_was_read, finding.faults)))


def _by_what_was_read(fault: Fault) -> Fault:
    if not fault.is_certain:
        return fault
    return replace(fault, is_certain=False, reason=f"{fault.reason}, by the calls that were read")


def _repaired(rules: Policy, run: Sequence[Event], time_limit: float, executor: Executor | None) -> Repair:
    if executor is None and rules.external_facts:
        names = ", ".join(f"({name} ...)" for name in sorted(rules.external_facts))
        return Repair(None, False, f"the policy asks for facts that it does not keep itself: {names}")
    product = Product(rules, executor)
    return nearest_run(product, product.start, run, time_limit)


def _not_read(recording: Recording) -> str:
    """Say why nothing is known of a trace of which no call was read."""
    if recording.calls or recording.says_none:
        return ""
    return f"no call of a tool was read in the trace ({recording.format})"


def executor_of(model: AnyModel) -> Executor:
    """Return what executes calls on a model: a domain and a problem, or one read before. Raises ModelError, OSError."""
    from validator.adherence.model import read_model  # with much that a plain policy does not need
    from validator.policies.executor import Executor, NumericExecutor

    prepared = read_model(model)
    return NumericExecutor(prepared) if prepared.model.features else Executor(prepared)


def _warnings(policy: Policy, recording: Recording, executor: Executor | None, run: Sequence[Event]) -> Iterator[str]:
    yield from recording.warnings
    yield from (f"not understood in the trace: {what}" for what in recording.missed)
    known = {folded(name): name for name in recording.tools} or ({} if executor is None else dict(executor.tools))
    known |= {folded(call.name): call.name for call in recording.calls}
    for name in policy.names:
        if folded(name) not in known and (near := did_you_mean(folded(name), known)):
            yield f"the policy names '{name}', which is not a tool of the trace{near}"
    yield from dict.fromkeys(_unknown_arguments(policy, recording, run))


def _unknown_arguments(policy: Policy, recording: Recording, run: Sequence[Event]) -> Iterator[str]:
    """Yield the arguments that a policy asks of calls of which none has them: such a rule protects nothing."""
    declared = {folded(name): set(parameters) for name, parameters in recording.tools.items()}
    compared = {path for rule in policy.rules for part in rule.conditions_on_past for path in references(part)}
    for pattern, paths in policy.asked():
        meant = [event for event in run if pattern.names(event.name) and not event.is_message]
        if not meant or any(event.placed or not event.is_known for event in meant):
            continue
        known = set[str]().union(*(event.values for event in meant), *(declared.get(each.key, ()) for each in meant))
        for path in paths:
            if path not in known and (head := path.partition(".")[0]) not in known:
                near = did_you_mean(head, sorted(known))
                if near or path in compared:
                    yield f"no call of '{pattern.name}' has the argument '{path}'{near}"


# --- following -----------------------------------------------------------------------------------


def follow(product: Product, run: Sequence[Event]) -> Iterator[Finding]:
    """Yield for each rule whether a run keeps it, and for the model whether every call could be executed.

    Where the time ends on the way, that is what the calls before tell.
    """
    policy, position = product.policy, product.start
    faults: list[list[Fault]] = [[] for _ in policy.rules]
    executed: list[Fault] = []
    place, late = 0, None
    try:
        for place, event in enumerate(run):
            found = product.after(position, event)
            position = found.after
            for each in found.broken:
                number = next(n for n, rule in enumerate(policy.rules) if rule is each.rule)
                faults[number].append(Fault(place, each.reason, each.is_certain))
            if found.executable is not True:
                executed.append(Fault(place, found.reason, is_certain=found.executable is False))
    except OutOfTime:  # what the calls before have broken stays broken
        late = Fault(place, "the time limit was met here", is_certain=False)
    for number, (rule, own) in enumerate(zip(policy.rules, faults, strict=True)):
        yield _finding(rule, own, *((None, late) if late else _ending(policy, position.progress, number)))
    if product.executor is not None:
        yield _finding("the model", executed, None if late else True, late)


def _finding(rule: Rule | str, faults: Sequence[Fault], met: Truth, ending: Fault | None) -> Finding:
    """Return what the faults of calls tell of a rule, and whether a run may end as this one does, and why not."""
    if any(fault.is_certain for fault in faults):
        return Finding(rule, False, tuple(faults))
    found = tuple(faults) if ending is None else (*faults, ending)
    return Finding(rule, met if not found or met is False else None, found)


def _ending(policy: Policy, progress: Progress, number: int) -> tuple[Truth, Fault | None]:
    rule, states = policy.rules[number], progress.rules[number].states
    met = policy.verdict(progress, number)
    if met is True or UNSURE in states:
        return met, None
    unmet = next(state for state in states if not rule.is_met(state))
    return met, Fault(None, rule.missing(unmet), is_certain=met is False)
