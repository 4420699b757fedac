"""Whether one plan has a quality: execution decides, and a planner is asked for what only it can tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from validator.checking.question import NoTask, Question
from validator.checking.report import PlannerResponse, Quality, Report
from validator.checking.verdict import Conclusion, report_on, summary, value_of
from validator.errors import PlannerError
from validator.execution.trace import Kind, Trace
from validator.grounding.limits import Status
from validator.model.values import Fluent, Model, features_text
from validator.reading.plan import Plan, Step, bare
from validator.records import replace
from validator.repair import Policy
from validator.texts import decimal

if TYPE_CHECKING:
    from validator.automata.properties import Property
    from validator.checking.searches import PlanSearch
    from validator.up.planner import UpPlanner


class Decision:
    """The way to the report on one plan; ``so_far`` returns what is known already, where something ends the way."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.so_far: Callable[[], Report] | None = None
        self._plan_search: PlanSearch | None = None

    def on(self, question: Question) -> Decision:
        """Return the decision on another plan of the model, with the same planner."""
        found = Decision(question)
        if self._engine is not None:
            found.plan_search.engine = self._engine
        return found

    @property
    def _engine(self) -> UpPlanner | None:
        """Return the engine of unified-planning that the user named."""
        return None if self._plan_search is None else self._plan_search.engine

    @property
    def plan_search(self) -> PlanSearch:
        """Return the searches for this plan, which one that has the quality needs none of."""
        if self._plan_search is None:
            from validator.checking.searches import PlanSearch

            self._plan_search = PlanSearch(self.question)
        return self._plan_search

    def report(self, with_repair: bool) -> Report:
        """Return the report on the plan, whatever its text says besides."""
        question = self.question
        if question.is_beyond_classical:
            return self._beyond(with_repair)
        with question.clock("execution"):
            trace = question.simulator.run(question.plan, question.tokens if question.plan.tokens else None)
        has_quality = trace.is_sound if question.quality is Quality.SOUND else trace.is_valid
        found = Conclusion(determination=has_quality, reason="" if has_quality else summary(question.plan, trace))
        self.so_far = partial(report_on, question, trace, found, with_repair=False)
        if question.quality is Quality.OPTIMAL and (has_quality or with_repair):
            found = self._compared(trace, found, with_repair)
            self.so_far = partial(report_on, question, trace, found, with_repair=False)
        if with_repair and found.determination is False:
            found = self._repaired(found)
            if found.repaired is not None and found.repaired.plan is not None:
                # To execute it once more may take longer than there is time: it is an answer all the same.
                self.so_far = partial(report_on, question, trace, found, with_repair=True)
        return report_on(question, trace, found, with_repair=with_repair)

    # --- with a planner ------------------------------------------------------------------------

    def _compared(self, trace: Trace, found: Conclusion, with_repair: bool) -> Conclusion:
        """Compare the plan's cost with the cheapest one."""
        question, has_quality = self.question, found.determination is True
        if question.simulator.measure is None and has_quality and self._is_of_happenings():
            return self._by_length(found, with_repair)
        if question.simulator.measure is None:
            why = "the metric is not the minimum of total-cost, the only one whose cheapest value is known"
            return _open(found, why, PlannerResponse())
        steps = tuple(bare(token) for token in question.tokens if isinstance(token, Step)) if has_quality else None
        try:
            sought = self.plan_search.cheapest(steps, only_compare=has_quality and not with_repair)
        except PlannerError as error:  # what execution decided stands, whatever a planner does
            self._end(error, found)
            return _open(found, f"the cheapest cost is not known: {error}", PlannerResponse(status=_FAILED))
        if isinstance(sought, NoTask):
            return _open(found, sought.reason, PlannerResponse(status=sought.status))
        optimum, scale = sought
        found = replace(found, optimum=optimum, scale=scale, response=PlannerResponse.of(optimum))
        if not has_quality:
            return found
        assert trace.cost is not None
        known = (trace.cost - question.simulator.initial_cost) * scale
        if optimum.upper is not None and optimum.upper < known:
            cheaper = decimal(value_of(question, optimum.upper, scale))
            return replace(found, determination=False, reason=f"a plan of cost {cheaper} exists")
        if optimum.lower >= known:
            return found
        return replace(found, determination=None, reason=self.plan_search.unproven(optimum))

    def _is_of_happenings(self) -> bool:
        """Return whether a sequence costs the number of its steps: total-time in a model without time."""
        metric = self.question.model.problem.metric
        is_placed = any(step.time is not None or step.concurrent is not None for step in self.question.plan.steps)
        is_time = metric is not None and metric.expression == Fluent("total-time", ())
        return metric is not None and is_time and metric.optimization == "minimize" and not is_placed

    def _by_length(self, found: Conclusion, with_repair: bool) -> Conclusion:
        """Compare a sequence with the shortest one; a plan with steps at one time may have fewer happenings."""
        from validator.checking.prepared import prepare

        question, model = self.question, self.question.model
        plain = Model(domain=model.domain, problem=replace(model.problem, metric=None))
        other = Decision(replace(question, prepared=prepare(plain)))
        with question.clock("execution"):
            trace = other.question.simulator.run(question.plan, question.tokens if question.plan.tokens else None)
        compared = other._compared(trace, found, with_repair)
        if compared.determination is True and len(question.plan.steps) > 1:
            why = "no shorter sequence is valid, but steps at one time, which count once, may be fewer"
            return replace(compared, determination=None, reason=why, optimum=None)
        return replace(compared, optimum=None)

    def _repaired(self, found: Conclusion) -> Conclusion:
        """Look for the nearest plan that has the quality."""
        try:
            sought = self.plan_search.nearest(found.optimum, found.response.status)
        except PlannerError as error:
            self._end(error, found)
            response = replace(found.response, status=_FAILED)
            return replace(found, response=response, reason=f"{found.reason}; no repair: {error}")
        if isinstance(sought, NoTask):
            response = replace(found.response, status=sought.status)
            return replace(found, response=response, reason=f"{found.reason}; {sought.reason}")
        if sought.status is Status.UNSOLVABLE:
            proof = f"no plan is {self.question.quality.value}: the goal cannot be reached (proven)"
            response = PlannerResponse(status=sought.status.value, engine=sought.by)
            return replace(found, repaired=sought, response=response, reason=f"{found.reason}; {proof}")
        response = PlannerResponse.of(sought)
        if sought.plan is None:
            met = "searches ended" if sought.status is Status.STOPPED else f"{sought.status.value} was met"
            why = f"the {met} before a repaired plan was found"
            return replace(found, response=response, reason=f"{found.reason}; {why}")
        return replace(found, repaired=sought, response=response)

    # --- beyond classical planning -------------------------------------------------------------

    def _beyond(self, with_repair: bool) -> Report:
        """Answer for a model with numbers, time or soft conditions."""
        from validator.execution.time.execution import not_executed

        question = self.question
        if missing := not_executed(question.model):
            report = self._as_far_as_executed(missing, with_repair)
            return replace(report, proven=report.proven and (report.determination is True or not with_repair))
        from validator.checking.nonclassical.report import decided, left_open

        with question.clock("execution"):
            report, execution = decided(question)
        self.so_far = lambda: report
        if question.quality is Quality.OPTIMAL or (with_repair and report.determination is not True):
            if self._engine is not None:
                why = f"'{self._engine.name}' is only asked about classical models: leave the planner out"
                report = replace(left_open(report, why), planner_response=PlannerResponse(status="unsupported"))
                return replace(report, timings=question.clock.seconds)
            from validator.checking.nonclassical.cost import further

            with question.clock("repair"):
                try:
                    report = further(question, report, execution, self._nearest_in, with_repair=with_repair)
                except PlannerError as error:
                    self._end(error, report)
                    failed = PlannerResponse(status=_FAILED)
                    report = replace(left_open(report, f"no repair: {error}"), planner_response=failed)
        return replace(report, timings=question.clock.seconds)

    def _end(self, error: PlannerError, known: Conclusion | Report) -> None:
        """Raise the error of an engine that the user named, where execution has decided nothing."""
        if self._engine is not None and known.determination is not False:
            raise error

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


_FAILED = "failed"
"""the status of a planner that gave no answer"""


def _open(found: Conclusion, why: str, response: PlannerResponse) -> Conclusion:
    """Leave open whether a plan is cheapest; one that lacks validity stays what it is."""
    if found.determination is False:
        return replace(found, response=response)
    return replace(found, determination=None, reason=why, response=response)
