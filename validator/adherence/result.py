"""The result: which step was executed by which call, what deviates and why, and how much of the plan was followed."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from validator.adherence.values import Execution, Outcome, Row, RowKind
from validator.reading.calls import Call, Planned, as_step
from validator.reading.plan import Token
from validator.reading.traces.recording import Sureness
from validator.records import dataclass
from validator.render.json import picked
from validator.render.printed import Printed
from validator.repair.diff import DiffAction, StepDiff, unified
from validator.texts import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from validator.metrics.reading import Score


@dataclass(frozen=True, kw_only=True, repr=False)
class Adherence(Printed):
    """How an execution follows a plan.

    - ``plan``: the planned steps; None when no plan is known, and then nothing is scored (``score`` None).
    - ``calls``: the calls that are accounted for in ``rows``; ``passed_over``: calls that are no steps (the one that
      states the plan, what runs inside another tool).
    - ``rows``: every step and every call exactly once; those that match first to last, deviations where they happened.
    - ``layout``: the same as two lanes: (row, shows the step, shows the call), a moved row twice.
    - ``weight``: the sum of the weights in order, exactly.
    - ``not_applicable`` says why nothing is compared, ``why_not`` in a word.
    - ``source``: where the plan comes from; ``format``: how the trace is written, and ``sureness`` how sure that is.
    - ``missed``: what in the trace looks like calls and was not understood; ``completable`` says that the plan may have
      been followed together with these: all calls that may change something execute steps of it, in order, as planned.
    - ``unread``: what in the plan may be steps and was not understood; ``open``: by which words a step may be left out,
      repeated or replaced.
    """

    printer = "validator.adherence.text:adherence_text"

    plan: tuple[Planned, ...] | None
    calls: tuple[Call, ...] = ()
    passed_over: tuple[Call, ...] = ()
    rows: tuple[Row, ...] = ()
    layout: tuple[tuple[int, bool, bool], ...] = ()
    weight: Fraction = Fraction(0)
    source: str = ""
    format: str = ""
    sureness: Sureness = Sureness.CERTAIN
    task: str | None = None
    not_applicable: str = ""
    why_not: Outcome = Outcome.NO_PLAN
    missed: tuple[str, ...] = ()
    completable: bool = False
    unread: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    execution: Execution | None = None
    warnings: tuple[str, ...] = ()

    @property
    def exact(self) -> Fraction | None:
        """Return the score as a fraction: the weight by the longer side; 1 when both are empty."""
        return None if self.plan is None else _ratio(self.weight, max(self.compared, self.counted))

    @property
    def score(self) -> float | None:
        """Return the score from 0 to 1; None when no plan is known."""
        return None if self.exact is None else float(self.exact)

    @property
    def counted(self) -> int:
        """Return the number of calls that count as steps: an extra one counts if it may change something."""
        return sum(
            row.executed is not None and not (row.kind is RowKind.EXTRA and row.reads)
            for row in self.rows
            if row.kind not in (RowKind.RETRIED, RowKind.FAILED)
        )

    @property
    def compared(self) -> int:
        """Return the number of planned steps that are compared with calls."""
        return sum(row.planned is not None for row in self.rows)

    @property
    def accomplished(self) -> float | None:
        """Return how much was executed of what the plan changes, in whatever order: the figure that predicts success.

        Steps of tools that change nothing do not count, unless the plan has no others; 1 for the empty plan.
        """
        if self.plan is None:
            return None
        steps = [row for row in self.rows if row.planned is not None]
        changing = [row for row in steps if not row.reads] or steps
        return float(_ratio(sum((row.weight for row in changing), Fraction(0)), len(changing)))

    @property
    def outcome(self) -> Outcome:
        """Return in a word what came out, for a test to ask."""
        if self.plan is None:
            return self.why_not
        steps = [row.planned for row in self.rows if row.planned is not None]
        readable = sum(step.is_readable for step in steps)
        if self.open or ((self.unread or readable < len(steps)) and (self.missed or self.weight == readable)):
            return Outcome.UNCLEAR_PLAN  # what was not read may be the calls beside the plan, or ask for more
        if self.missed and self.completable:
            return Outcome.UNCLEAR_TRACE  # calls that were not read may be the steps that are missing, or be too many
        return Outcome.FOLLOWED if self.exact == 1 else Outcome.DEVIATED

    @property
    def coverage(self) -> float | None:
        """Return how much of the plan was executed in order; 1 for the empty plan."""
        return None if self.plan is None else float(_ratio(self.weight, self.compared))

    @property
    def precision(self) -> float | None:
        """Return how much of what was executed is in the plan, in order; 1 when nothing was."""
        return None if self.plan is None else float(_ratio(self.weight, self.counted))

    @property
    def f1(self) -> float | None:
        return None if self.plan is None else float(_ratio(2 * self.weight, self.compared + self.counted))

    @property
    def order(self) -> float | None:
        """Return how much of what both sides have is in the planned order; None when they have nothing in common."""
        moved = sum((row.weight for row in self.moved), Fraction(0))
        return float(self.weight / (self.weight + moved)) if self.weight + moved else None

    @property
    def arguments(self) -> float | None:
        """Return the mean share of equal arguments of the steps executed in their place whose arguments are known."""
        known = [
            row.weight
            for row in self.rows
            if row.kind in (RowKind.MATCHED, RowKind.CHANGED)
            and row.planned is not None
            and row.executed is not None
            and row.planned.arguments is not None
            and row.executed.arguments is not None
        ]
        return float(sum(known, Fraction(0)) / len(known)) if known else None

    @property
    def moved(self) -> tuple[Row, ...]:
        return self._of(RowKind.MOVED)

    @property
    def missing(self) -> tuple[Row, ...]:
        return self._of(RowKind.MISSING)

    @property
    def extra(self) -> tuple[Row, ...]:
        return self._of(RowKind.EXTRA)

    @property
    def changed(self) -> tuple[Row, ...]:
        return self._of(RowKind.CHANGED)

    @property
    def deviations(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.is_deviation)

    def _of(self, kind: RowKind) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.kind is kind)

    @property
    def reason(self) -> str:
        """Return the score in a sentence, and a sentence for each deviation, one per line."""
        return "\n".join((self.summary, *(row.reason for row in self.deviations)))

    @property
    def summary(self) -> str:
        if self.plan is None:
            return f"Adherence is not applicable: {self.not_applicable}."
        free = sum(row.kind is RowKind.EXTRA and bool(row.reads) for row in self.rows)
        followed = sum(row.kind is RowKind.MATCHED for row in self.rows)
        counts = ((len(self._of(kind)), kind.value) for kind in RowKind if kind is not RowKind.MATCHED)
        rest = "".join(f", {count} {name}" for count, name in counts if count)
        rest += f" ({free} change{'s' if free == 1 else ''} nothing)" if free else ""
        steps = counted(self.compared, "planned step")
        done = f"Accomplished {self.accomplished:.3g}, adherence {self.score:.3g}"
        part = {Outcome.UNCLEAR_TRACE: "trace", Outcome.UNCLEAR_PLAN: "plan"}.get(self.outcome)
        known = f"Not known whether the plan was followed, as part of the {part} was not understood. " if part else ""
        return f"{known}{done}: {followed} of {steps} executed as planned{rest}."

    @property
    def diff(self) -> tuple[StepDiff, ...]:
        """Return the way from the plan to the execution; deletions come before additions, as in git."""
        found: list[StepDiff] = []
        added: list[StepDiff] = []
        for index, is_planned, is_executed in self.layout:
            row = self.rows[index]
            if row.kind is RowKind.MATCHED:
                found += (*added, StepDiff(diff_type=None, step=_token(row.planned)))
                added = []
                continue
            if is_planned:
                found.append(StepDiff(diff_type=DiffAction.DELETE, step=_token(row.planned)))
            if is_executed and row.kind not in (RowKind.RETRIED, RowKind.FAILED):
                added.append(StepDiff(diff_type=DiffAction.ADD, step=_token(row.executed)))
        return (*found, *added)

    @property
    def diff_text(self) -> str:
        """Return the diff in the unified format; empty when the plan was followed exactly."""
        return unified(self.diff, name="plan", after="execution")

    @property
    def metrics(self) -> Mapping[str, Score]:
        """Return the plan metrics of the execution, with the plan as reference; none without a plan.

        They compare whole steps: a call that executes a step is that step, with any other argument it is another one.
        """
        from validator.metrics import compare

        if self.plan is None:
            return {}
        executed = [
            _token(row.planned if row.planned is not None and row.kind is not RowKind.CHANGED else row.executed)
            for row, is_executed in ((self.rows[index], is_executed) for index, _, is_executed in self.layout)
            if is_executed and row.kind not in (RowKind.RETRIED, RowKind.FAILED)
        ]
        planned = [
            _token(row.planned)
            for row, is_planned in ((self.rows[index], is_planned) for index, is_planned, _ in self.layout)
            if is_planned
        ]
        return compare([executed, planned]).pairs[0].scores

    def to_json(self) -> dict[str, object]:
        """Return the result as values that ``json.dumps`` takes; steps and calls count from 0."""
        measures = ("outcome", "accomplished", "score", "coverage", "precision", "f1", "order", "arguments", "reason")
        value: dict[str, object] = {
            "applicable": self.plan is not None,
            **picked(self, *measures),
            "plan_source": self.source,
            "trace_format": self.format,
            "trace_sureness": self.sureness.value,
            "task": self.task,
            "plan": None if self.plan is None else [str(step) for step in self.plan],
            "calls": [str(call) for call in self.calls],
            "rows": [row.to_json() for row in self.rows],
            "diff": self.diff_text,
            "passed_over": [
                {"call": call.index, "text": str(call), "why": call.kind.value} for call in self.passed_over
            ],
            "not_understood": {"plan": [*self.unread, *self.open], "trace": list(self.missed)},
            "warnings": list(self.warnings),
        }
        if self.execution is not None:
            value["execution"] = self.execution.to_json()
        return value


def _ratio(weight: Fraction, whole: int) -> Fraction:
    return weight / whole if whole else Fraction(1)


def _token(side: Planned | Call | None) -> Token:
    assert side is not None
    if isinstance(side, Planned) and side.token is not None:
        return side.token
    return as_step(side.name, side.arguments)
