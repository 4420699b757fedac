"""Whether one plan has a quality: execution decides, and a search is asked for what only it can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from validator.checking.question import FAILED, Question
from validator.checking.report import PlannerResponse, Quality, Report
from validator.checking.verdict import left_open, of_trace
from validator.errors import PlannerError
from validator.execution.trace import Kind
from validator.model.values import Model, features_text
from validator.reading.plan import Plan, Step, bare
from validator.records import replace
from validator.repair import Policy

if TYPE_CHECKING:
    from validator.automata.properties import Property
    from validator.up.planner import UpPlanner


class Decision:
    """The way to the report on one plan; ``known`` is the report by now, where something ends the way.

    ``engine`` is the engine of unified-planning that takes the part of our searches, if the user named one.
    """

    def __init__(self, question: Question, engine: UpPlanner | None = None) -> None:
        self.question = question
        self.engine = engine
        self.known: Report | None = None

    def on(self, question: Question) -> Decision:
        """Return the decision on another plan of the model, with the same planner."""
        return Decision(question, self.engine)

    def report(self, with_repair: bool) -> Report:
        """Return the report on the plan, whatever its text says besides."""
        question = self.question
        if question.is_beyond_classical:
            return self._beyond(with_repair)
        with question.clock("execution"):
            trace = question.simulator.run(question.plan, question.tokens if question.plan.tokens else None)
        report = self.known = of_trace(question, trace)
        is_faulty = report.determination is False
        if not with_repair and (is_faulty or question.quality is not Quality.OPTIMAL):
            return report
        if report.determination:
            return report
        from validator.checking.searches import PlanSearch

        search = PlanSearch(question, self.engine)
        if question.quality is Quality.OPTIMAL:
            report = self.known = search.compared(report, with_repair=with_repair)
        if with_repair and report.determination is False:
            report = self.known = search.repaired(report)
            if report.repaired_plan is not None:
                cost = question.simulator.run(Plan(parts=report.repaired_plan)).cost
                report = replace(report, repaired_cost=cost)
        return report

    # --- beyond classical planning -------------------------------------------------------------

    def _beyond(self, with_repair: bool) -> Report:
        """Answer for a model with numbers, time or soft conditions."""
        from validator.execution.time.execution import not_executed

        question = self.question
        if missing := not_executed(question.model):
            report = self._as_far_as_executed(missing, with_repair)
            return replace(report, proven=report.proven and (report.determination is True or not with_repair))
        from validator.checking.nonclassical.report import executed

        with question.clock("execution"):
            report, execution = executed(question)
        self.known = report
        if question.quality is not Quality.OPTIMAL and not (with_repair and report.determination is not True):
            return report
        if self.engine is not None:
            why = f"'{self.engine.name}' is only asked about classical models: leave the planner out"
            return replace(left_open(report, why), planner_response=PlannerResponse(status="unsupported"))
        from validator.checking.nonclassical.cost import further

        with question.clock("repair"):
            try:
                return further(question, report, execution, self._nearest_in, with_repair=with_repair)
            except PlannerError as error:
                failed = PlannerResponse(status=FAILED)
                return replace(left_open(report, f"no repair: {error}"), planner_response=failed)

    def _nearest_in(self, part: Model, kept: Sequence[Property]) -> Report | None:
        """Check and repair the plan on another model, beside constraints, without its time stamps."""
        from validator.checking.nonclassical.constrained import constrained_part

        question = self.question
        costs_matter = question.policy is not Policy.EDITS
        prepared = constrained_part(part, kept, question.limits, costs_matter=costs_matter)
        if prepared is None:
            return None
        steps = tuple(bare(token) if isinstance(token, Step) else token for token in question.plan.tokens)
        plan = Plan(parts=steps, claims_no_plan=question.plan.claims_no_plan)
        other = replace(question, prepared=prepared, plan=plan, epsilon=None, tolerance=None, trace=False)
        return Decision(other).report(with_repair=True)

    def _as_far_as_executed(self, missing: Mapping[str, str], with_repair: bool) -> Report:
        """Answer for a model with actions that are not executed: the plan is decided up to the first step of one."""
        from validator.checking.nonclassical.report import before, first_use, without
        from validator.nondeterminism.transitions import is_open

        question = self.question
        first = first_use(question.model, question.plan, missing)
        if is_open(question.model) and (first is not None or question.model.problem.features):
            from validator.checking.nonclassical.nondeterministic import check_sequence

            return check_sequence(question)
        model = without(question.model, missing)
        if model is None:
            return self._unsupported(missing)
        from validator.checking.prepared import prepare

        if "unbounded-parameters" in missing and question.plan.steps:
            return self._unsupported(missing)  # a number that is no object of the model may be the right argument
        quality = question.quality if first is None else Quality.SOUND
        quality = Quality.VALID if quality is Quality.OPTIMAL else quality
        other = replace(question, prepared=prepare(model), quality=quality)
        report = replace(Decision(other).report(with_repair=False), report_type=question.quality)
        said = features_text(missing)
        if first is None and report.determination is not True:
            why = f"; no repair: the model uses what is not executed: {said}" if with_repair else ""
            return replace(report, reason=f"{report.reason}{why}")
        if first is None and question.quality is Quality.OPTIMAL:
            why = f"whether it is cheapest is not known: the model uses what is not executed: {said}"
            return replace(report, determination=None, proven=False, reason=why)
        if first is None:
            return report
        faults = before(report.failures, first)
        found = self._unsupported(missing)
        if not faults:
            return found
        return replace(found, determination=False, failures=faults, proven=True, reason=report.reason)

    def _unsupported(self, features: Mapping[str, str]) -> Report:
        """Answer for a model that is read, not executed: only steps that no execution could save are decided."""
        question = self.question
        faults = tuple(
            failure
            for place, token in zip(question.plan.places, question.plan.tokens, strict=True)
            for failure in question.simulator.malformed(place, question.simulator.resolve(token))
            # A number is no object that is known, and may be the right argument all the same.
            if failure.kind is not Kind.UNKNOWN_OBJECT or "unbounded-parameters" not in features
        )
        said = features_text(features)
        return Report(
            report_type=question.quality,
            determination=False if faults else None,
            reason=f"the model uses what is not executed: {said}",
            reference=question.tokens,
            failures=faults,
            proven=bool(faults),
            claims_no_plan=question.plan.claims_no_plan is not None,
            warnings=question.model.warnings + question.plan.warnings,
            timings=question.clock.seconds,
        )
