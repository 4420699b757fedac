"""What only a planner can tell of a plan: the cheapest cost of its model, and the nearest plan with a quality."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from validator.alarms import OutOfTime
from validator.checking.prepared import prepare
from validator.checking.question import FAILED, NoTask, Question
from validator.checking.report import Interval, PlannerResponse, Quality, Report
from validator.checking.verdict import compared, left_open, no_plan, sequence_warning, shown
from validator.errors import PlannerError, UnsupportedError
from validator.grounding.limits import TO_TELL, Status
from validator.model.values import Fluent, Model
from validator.reading.plan import Plan, Step, bare
from validator.records import replace
from validator.repair import Policy
from validator.repair.proved import Proved, executed

if TYPE_CHECKING:
    from validator.grounding.task import Task
    from validator.repair.cheapest import Optimum
    from validator.up.planner import UpPlanner


class PlanSearch:
    """Asks our own searches, or an engine of unified-planning, about one plan of a classical model."""

    def __init__(self, question: Question, engine: UpPlanner | None) -> None:
        self.asked = question
        self.question = _with_time_to_tell(question)
        self.engine = engine
        self.optimum: Optimum | None = None

    # --- what is found, in the report ----------------------------------------------------------

    def compared(self, report: Report, *, with_repair: bool) -> Report:
        """Compare the plan's cost with the cheapest one; of a plan that is not valid, that is only to be known."""
        question, is_valid = self.question, report.determination is None
        if question.simulator.measure is None:
            if is_valid and _is_of_happenings(question):
                return self._by_length(report, with_repair=with_repair)
            why = "the metric is not the minimum of total-cost, the only one whose cheapest value is known"
            return left_open(report, why) if is_valid else report
        steps = tuple(bare(token) for token in question.tokens if isinstance(token, Step)) if is_valid else None
        try:
            sought = self.cheapest(steps, only_compare=is_valid and not with_repair)
        except PlannerError as error:  # what execution decided stands, whatever a planner does
            self._end(error, report)
            sought = NoTask(FAILED, f"the cheapest cost is not known: {error}")
        if isinstance(sought, NoTask):
            report = replace(report, planner_response=PlannerResponse(status=sought.status))
            return left_open(report, sought.reason) if is_valid else report
        self.optimum, scale = sought
        report = replace(report, planner_response=PlannerResponse.of(self.optimum))
        if self.optimum.status is Status.UNSOLVABLE:
            return report
        start, upper = question.simulator.initial_cost, self.optimum.upper
        bounds = Interval(
            lower=Fraction(self.optimum.lower, scale) + start,
            upper=None if upper is None else Fraction(upper, scale) + start,
        )
        report = compared(replace(report, optimal_cost=bounds), bounds.lower, bounds.upper)
        return left_open(report, self.unproven(self.optimum)) if report.determination is None else report

    def _by_length(self, report: Report, *, with_repair: bool) -> Report:
        """Compare a sequence with the shortest one; a plan with steps at one time may have fewer happenings."""
        question, model = self.asked, self.asked.model
        plain = Model(domain=model.domain, problem=replace(model.problem, metric=None))
        other = PlanSearch(replace(question, prepared=prepare(plain)), self.engine)
        with question.clock("execution"):
            length = other.asked.simulator.run(question.plan, question.tokens if question.plan.tokens else None).cost
        found = other.compared(replace(report, cost=length), with_repair=with_repair)
        if found.determination is True and len(question.plan.steps) > 1:
            why = "no shorter sequence is valid, but steps at one time, which count once, may be fewer"
            found = replace(found, determination=None, reason=why, proven=False)
        return replace(found, cost=report.cost, optimal_cost=None)

    def repaired(self, report: Report) -> Report:
        """Look for the nearest plan that has the quality."""
        response = report.planner_response
        try:
            sought = self.nearest(response.status)
        except PlannerError as error:
            self._end(error, report)
            sought = NoTask(FAILED, f"no repair: {error}")
        if isinstance(sought, NoTask):
            response = replace(response, status=sought.status)
            return replace(left_open(report, sought.reason), planner_response=response)
        if sought.status is Status.UNSOLVABLE:
            return replace(no_plan(report, sought.by), proven=sought.proven)
        report = replace(report, planner_response=PlannerResponse.of(sought), proven=sought.proven)
        if sought.edits is None or sought.plan is None:
            met = "searches ended" if sought.status is Status.STOPPED else f"{sought.status.value} was met"
            return left_open(report, f"the {met} before a repaired plan was found")
        from validator.repair.diff import step_diffs

        diffs = step_diffs(sought.edits)
        warnings = report.warnings + (sequence_warning(self.question.tokens) if diffs else ())
        return shown(replace(report, warnings=warnings), diffs, sought.plan, self.question.context)

    def _end(self, error: PlannerError, report: Report) -> None:
        """Raise the error of an engine that the user named, where execution has decided nothing."""
        if self.engine is not None and report.determination is not False:
            raise error

    # --- what is looked for --------------------------------------------------------------------

    def cheapest(self, steps: tuple[Step, ...] | None, *, only_compare: bool) -> tuple[Optimum, int] | NoTask:
        """Return what is known of the cheapest cost, given a valid plan or none, and what costs are scaled by."""
        question, engine = self.question, self.engine
        if engine is not None:
            with question.clock("optimum"):
                try:
                    optimum, scale = engine.optimum(None if steps is None else Plan(parts=steps), question.limits)
                except UnsupportedError as error:
                    return NoTask("unsupported", str(error))
            if optimum.plan is not None:
                executed(question.simulator, optimum.plan, with_goal=True, whose=_whose(engine))
            return optimum, scale
        task = self._task()
        if isinstance(task, NoTask):
            return task
        with question.clock("optimum"):
            optimum = question.prepared.optimum(task, steps, question.limits, only_compare=only_compare)
        return optimum, task.encoding.scale

    def unproven(self, optimum: Optimum) -> str:
        """Say why the cheapest cost is not known."""
        if self.engine is not None and optimum.status is Status.SOLVED:
            return f"the engine '{self.engine.name}' does not prove that its plans are cheapest"
        return f"the {optimum.status.value} was met before the cheapest cost was proven"

    def nearest(self, status: str) -> Proved | NoTask:
        """Return the nearest plan with the quality, or why no planner could be asked.

        For OPTIMAL, ``status`` is why nothing is known of the cheapest cost.
        """
        question, optimum = self.question, self.optimum
        if question.quality is Quality.OPTIMAL:
            if optimum is None:
                return NoTask(status, "no cheapest cost to repair for")
            if optimum.status is Status.UNSOLVABLE:
                return Proved(status=Status.UNSOLVABLE, proven=True, by=optimum.by)
            if not optimum.is_proven or optimum.plan is None:
                return NoTask(optimum.status.value, self.unproven(optimum))
        if self.engine is not None:
            return self._by_engine(self.engine)
        try:
            return self._found()
        except OverflowError as error:
            return NoTask(Status.COST_LIMIT.value, str(error))

    def _found(self) -> Proved | NoTask:
        """Return what our own search finds: in parts of the model where the whole is too large."""
        question = self.question
        known = self._without_grounding()
        if known is not None and known.proven:
            return known
        if known is None and question.limits.is_over() and not question.prepared.is_grounded:
            return NoTask(Status.TIME_LIMIT.value, "the time limit was met before the model was grounded")
        try:
            task = self._task()
            if not isinstance(task, NoTask):
                return self._repaired(task, known)
            if task.status != "unsupported":
                return task if known is None else replace(known, status=Status(task.status))
            may_cost = question.quality is Quality.OPTIMAL or question.policy is Policy.MOVE
            return task if may_cost else self._without_costs(task)
        except OutOfTime:  # in what does not look at the clock
            if known is None or known.edits is None:
                raise
            return replace(known, status=Status.TIME_LIMIT)

    def _without_grounding(self) -> Proved | None:
        """Return what is found before the model is grounded; None where nothing is."""
        question = self.question
        if question.quality is Quality.OPTIMAL or question.policy is not Policy.EDITS or question.limits.is_over():
            return None
        from validator.repair.nearest import nearest_without_grounding

        with_goal = question.quality is Quality.VALID
        with question.clock("repair"):
            found = nearest_without_grounding(
                question.prepared,
                question.tokens,
                question.limits,
                with_goal=with_goal,
                progress=question.progress or (lambda lower, best: None),
                clock=question.clock,
            )
        if found is not None and found.edits is not None:
            executed(question.simulator, found.plan or (), with_goal=with_goal, whose="the repair")
        return found

    def _without_costs(self, refused: NoTask) -> Proved | NoTask:
        """Return a near plan of a model whose costs the planner does not take, as if each insertion cost as much."""
        task = self._task(costs_matter=False)
        if isinstance(task, NoTask):
            return refused if task.status == refused.status else task
        found = self._repaired(task, None)
        if found.status is Status.UNSOLVABLE:  # whatever it costs
            return found
        status = Status.COST_LIMIT if found.status is Status.SOLVED else found.status
        return replace(found, status=status, proven=False, upper=None, lower=0)

    def _repaired(self, task: Task, known: Proved | None) -> Proved:
        from validator.repair.nearest import repair

        question = self.question
        with question.clock("repair"):
            return repair(
                task,
                question.simulator,
                question.tokens,
                question.policy,
                question.limits,
                with_goal=question.quality is not Quality.SOUND,
                optimum=self.optimum,
                progress=question.progress,
                known=known,
                clock=lambda phase: question.clock(f"repair: {phase}"),
            )

    def _by_engine(self, engine: UpPlanner) -> Proved | NoTask:
        """Return what another planner finds."""
        question = self.question
        with_goal = question.quality is not Quality.SOUND
        with question.clock("repair"):
            try:
                if self.optimum is None:
                    found = engine.repair(question.plan, question.policy, question.limits, with_goal=with_goal)
                else:
                    found = engine.repair_to_cheapest(question.plan, self.optimum, question.limits)
            except UnsupportedError as error:
                return NoTask("unsupported", str(error))
        if found.edits is None:
            return found
        # The engine has read the model in its own way, and perhaps spells it in another.
        edits = tuple(replace(edit, token=question.simulator.resolve(edit.token)) for edit in found.edits)
        found = replace(found, edits=edits)
        executed(question.simulator, found.plan or (), with_goal=with_goal, whose=_whose(engine))
        return found

    def _task(self, *, costs_matter: bool = True) -> Task | NoTask:
        """Return the grounded task, or why there is none; ``costs_matter`` as the question has it."""
        question = self.question
        matter = costs_matter and (question.quality is Quality.OPTIMAL or question.policy is not Policy.EDITS)
        with question.clock("grounding"):
            try:
                task = question.prepared.task(question.limits, costs_matter=matter)
            except ValueError as error:
                return NoTask("unsupported", f"the planner cannot be given the model: {error}")
        if isinstance(task, Status):
            return NoTask(task.value, f"the {task.value} was met while the model was grounded")
        return task


def _is_of_happenings(question: Question) -> bool:
    """Return whether a sequence costs the number of its steps: total-time in a model without time."""
    metric = question.model.problem.metric
    is_placed = any(step.time is not None or step.concurrent is not None for step in question.plan.steps)
    is_time = metric is not None and metric.expression == Fluent("total-time", ())
    return metric is not None and is_time and metric.optimization == "minimize" and not is_placed


def _whose(engine: UpPlanner) -> str:
    return f"the answer of the engine '{engine.name}'"


def _with_time_to_tell(question: Question) -> Question:
    """Return what is asked with less time for a planner, by what it takes to tell of a long plan, at most by half."""
    limits = question.limits
    to_tell = min(TO_TELL * len(question.tokens), limits.seconds / 2)
    return replace(question, limits=limits.within(limits.seconds - to_tell))
