"""The result of a check. Field names are NL2Flow's where it has them (ValidationReport, NL2Flow 0.1.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from validator.errors import Choice
from validator.execution.faults import lines_of, sentences
from validator.execution.trace import Failure, UnmetGoal
from validator.reading.plan import NoPlan, Reading, Token
from validator.records import dataclass, field
from validator.render.printed import Printed

if TYPE_CHECKING:
    from unified_planning.plans import SequentialPlan, TimeTriggeredPlan

    from validator.execution.trace import Timeline
    from validator.nondeterminism.outcomes import Outcomes
    from validator.repair.cheapest import Optimum
    from validator.repair.diff import StepDiff
    from validator.repair.proved import Proved


SAY_AGAIN = "Write each step on a line of its own as (action object ...), with the names of the domain and the problem."
"""What helps a language model to be understood."""
SAY_ONE = "Write one plan only, or call the one that is meant 'Final plan'."
"""The same where it has said several plans."""


_IN_OTHER_WORDS = frozenset(("failures", "reading", "reference", "plan_diff_obj", "planner_response"))
"""fields of a report that have more, or other, in JSON than their own values"""


class Quality(Choice):
    """The qualities of a plan; each includes the ones before."""

    SOUND = "sound"
    """every token is understood and the steps execute in order from the initial state"""
    VALID = "valid"
    """sound, and the goal holds at the end"""
    OPTIMAL = "optimal"
    """valid, and no plan of the model is cheaper"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Bounds of a cost. ``upper`` is None if no plan is known; equal bounds prove the cost."""

    lower: Fraction
    upper: Fraction | None

    @property
    def is_exact(self) -> bool:
        return self.lower == self.upper


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerResponse:
    """The answer of the searches and the planner.

    ``status`` is a ``validator.grounding.planner.Status``, or "not asked", "unsupported", "failed" or "interrupt".
    ``cost`` and ``lower_bound`` are costs of the modified problem: with the policy ``edits``, numbers of changed lines;
    for tool calls, the cost of the edits. Beyond classical planning, ``note`` says which kinds of changes a repair has,
    who found it, and who proved that none is nearer. ``no_solution`` is a proof that no plan has the quality.
    """

    status: str = "not asked"
    engine: str = ""
    plan: tuple[str, ...] = ()
    cost: int | None = None
    lower_bound: int | None = None
    note: str = ""

    @classmethod
    def of(cls, found: Proved | Optimum) -> PlannerResponse:
        """Return the answer of a search."""
        plan = tuple(map(str, found.plan or ()))
        return cls(status=found.status.value, engine=found.by, plan=plan, cost=found.upper, lower_bound=found.lower)

    @property
    def no_solution(self) -> bool:
        return self.status == "unsolvable"

    @property
    def timeout(self) -> bool:
        return self.status == "time limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Supposed:
    """What a line of a text would have to mean: a step, or no step if ``step`` is empty."""

    line: int
    text: str
    step: str

    def __str__(self) -> str:
        return f"line {self.line} means {self.step or 'no step'}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(Printed):
    """The result of a check.

    - ``determination``: whether the plan has the quality; None if that is not known, and ``reason`` says why.
    - ``failures``: every fault in plan order, the goal's last.
    - ``unmet_goals``: the goal conjuncts that are false at the end, each with the last step after which it held.
    - ``plan_diff_obj``, ``plan_diff_str``: the nearest plan with the quality, as StepDiffs and as a git-style diff;
      empty if nothing changes, or no repair was requested or found.
    - ``repaired_plan``: the steps of that plan (for a flow, constraints as well); None without one.
    - ``repaired_calls``: for tool calls, a near list that runs: objects of name, arguments, label; None without one.
    - ``up_plan``: the same as a unified-planning plan, if the plan was one.
    - ``explanations``: what each changed step is for, one sentence each, if requested.
    - ``proven``: whether the determination is proven, and that no nearer plan has the quality.
    - ``cost``: the cost of the plan; None if it is not sound or the metric is not executed.
    - ``optimal_cost``: bounds of the cheapest plan's cost, if requested.
    - ``violations``: how many instances of each preference the plan violates.
    - ``outcomes``: in which outcomes a plan or a policy has the quality, and a shortest run that shows it; None for a
      model without several.
    - ``timeline``: the states of the plan, if a trace was requested.
    - ``claims_no_plan``: whether the text claims that there is no plan.
    - ``reading``: how the text was read, what was not understood, which plans it may mean; None without a text.
    - ``is_understood``: whether the text was understood. If not, the determination is None, and ``reason`` and
      ``reading`` say what was not understood.
    - ``settled_by``: if the text was not understood, what its lines would have to mean for the plan to be valid (or
      sound); ``question`` says it in words. Empty if there is no such meaning: then ``lacking_as_read`` says what
      the steps lack that were understood.
    - ``certificate``: what ``plan-certify`` checks, if requested; ``no_certificate`` says why there is none.
    - ``timings``: seconds of wall clock by phase.
    """

    printer = "validator.render.text:report_text"
    headliner = "validator.render.text:headline"
    drawer = "validator.render.html.report:report_tree"

    report_type: Quality
    determination: bool | None
    reason: str = ""
    reference: tuple[Token, ...] = ()
    failures: tuple[Failure, ...] = ()
    unmet_goals: tuple[UnmetGoal, ...] = ()
    cost: Fraction | None = None
    optimal_cost: Interval | None = None
    plan_diff_obj: tuple[StepDiff, ...] = ()
    plan_diff_str: str = ""
    repaired_plan: tuple[Token, ...] | None = None
    repaired_cost: Fraction | None = None
    repaired_calls: Any = None
    up_plan: SequentialPlan | TimeTriggeredPlan | None = None
    explanations: tuple[str, ...] = ()
    planner_response: PlannerResponse = PlannerResponse()
    proven: bool = False
    violations: Mapping[str, int] = field(default_factory=dict)
    outcomes: Outcomes | None = None
    timeline: Timeline | None = None
    claims_no_plan: bool = False
    reading: Reading | None = None
    is_understood: bool = True
    settled_by: tuple[Supposed, ...] = ()
    lacking_as_read: str = ""
    warnings: tuple[str, ...] = ()
    certificate: Mapping[str, Any] | None = None
    no_certificate: str = ""
    timings: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return the report as plain values: its fields under their own names, in the same order, without ``up_plan``.

        Steps are PDDL texts, those of ``reference`` with the time and the duration that they have; costs and times are
        integers, or floats where they are none. ``question`` is there besides; a failure has its ``line`` in the text,
        and its sentence as ``message``, and an entry of ``plan_diff_obj`` the ``time`` and ``duration`` of its step
        where it has them. ``reading`` is as ``validator.render.json.reading_value`` has it.
        """
        from validator.render.json import fields_of, plain, reading_value, stamped, times

        value: dict[str, object] = {
            name: None if name in _IN_OTHER_WORDS else plain(getattr(self, name))
            for name in self.__dataclass_fields__
            if name != "up_plan"
        }
        lines = lines_of(self.failures, self.reference, self._text)
        value["failures"] = [
            {**fields_of(failure), "line": line, "message": sentence}
            for failure, line, sentence in zip(self.failures, lines, self.faults, strict=True)
        ]
        value["reading"] = reading_value(self.reading)
        value["question"] = self.question
        value["reference"] = list(map(stamped, self.reference))
        value["plan_diff_obj"] = [{**fields_of(diff), **times(diff.step)} for diff in self.plan_diff_obj]
        response = self.planner_response
        value["planner_response"] = {
            **fields_of(response),
            "no_solution": response.no_solution,
            "timeout": response.timeout,
        }
        return value

    @property
    def faults(self) -> list[str]:
        """Return the faults in words."""
        return sentences(self.failures, self.reference, text=self._text)

    @property
    def _text(self) -> str:
        return "" if self.reading is None else self.reading.plan.text

    @property
    def question(self) -> str:
        """Return what would settle an unknown answer: "valid if line 5 means (drive r1 shelf hall)"; or nothing.

        Without such a meaning it is what is known: "not valid as far as it was read: the goal is not reached".
        """
        quality = Quality.SOUND if self.report_type is Quality.SOUND else Quality.VALID
        if not self.settled_by:
            return f"not {quality.value} as far as it was read: {self.lacking_as_read}" if self.lacking_as_read else ""
        return f"{quality.value} if {' and '.join(map(str, self.settled_by))}"

    @property
    def no_plan(self) -> NoPlan | None:
        """Return what a text says that was read and has no plan; None for one that has, or was not understood."""
        return self.reading.no_plan if self.is_understood and self.reading is not None else None

    def feedback(self, *, with_repair: bool = True) -> str:
        """Return the result as a text for a language model: one line for each fault, always in the same words.

        What was not understood is no fault: each piece is told with its line, to be said again.
        """
        if not self.is_understood or self.no_plan is not None:
            return "".join(f"{line}\n" for line in self._said_again(with_repair))
        quality = self.report_type.value
        if self.determination is None:
            return f"Whether the plan is {quality} is not known: {self.reason}\n"
        if self.determination:
            return f"The plan is {quality}.\n"
        lines = [f"The plan is not {quality}.", *self.faults]
        if not self.failures:
            lines.append(self.reason)
        if self.outcomes is not None and self.outcomes.failing is not None:
            lines += ["In this run:", *self.outcomes.failing.lines()]
        if with_repair and self.plan_diff_obj:
            lines += self._nearest()
        return "\n".join(lines) + "\n"

    def _nearest(self) -> Iterator[str]:
        quality = self.report_type.value
        if self.repaired_calls is not None:
            what = f"{quality} list of calls"
            yield f"The nearest {what}:" if self.proven else f"A nearby {what}:"
            import json

            yield json.dumps(self.repaired_calls, ensure_ascii=False, default=str)
            if self.planner_response.note:
                yield f"{self.planner_response.note[:1].upper()}{self.planner_response.note[1:]}."
        elif self.repaired_plan is not None:
            yield f"The nearest {quality} plan:" if self.proven else f"A nearby {quality} plan:"
            yield from map(str, self.repaired_plan)

    def _said_again(self, with_repair: bool) -> Iterator[str]:
        """Yield what is reported of a text that has no plan, or none that was understood."""
        reading = self.reading
        if self.no_plan is not None:
            yield f"{self.reason[:1].upper()}{self.reason[1:]}."
            if with_repair and self.repaired_plan is not None:
                yield "A plan:"
                yield from map(str, self.repaired_plan)
            if self.no_plan is NoPlan.GIVEN_UP:
                yield SAY_AGAIN
            return
        yield f"The plan was not judged, because the answer was {self.reason}."
        missed = reading.missed if reading is not None else ()
        for piece in missed:
            yield f"Line {piece.line} was not understood: {piece.said}"
        if with_repair and self.question:
            yield f"The plan is {self.question}."
        yield SAY_AGAIN if missed or reading is None or len(reading.candidates) == 1 else SAY_ONE
