"""What only a planner can tell of a plan: the cheapest cost of its model, and the nearest plan with a quality."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.alarms import OutOfTime
from validator.checking.question import NoTask, Question
from validator.checking.report import Quality
from validator.errors import UnsupportedError
from validator.grounding.limits import TO_TELL, Limits, Status
from validator.reading.plan import Plan, Step
from validator.records import replace
from validator.repair import Policy
from validator.repair.proved import Proved, executed
from validator.up import is_up

if TYPE_CHECKING:
    from validator.grounding.task import Task
    from validator.repair.cheapest import Optimum
    from validator.up.planner import UpPlanner


class PlanSearch:
    """Asks our own search, or the unified-planning engine that ``use`` named."""

    def __init__(self, question: Question) -> None:
        self.question = _with_time_to_tell(question)
        self.engine: UpPlanner | None = None

    def use(self, engine: str, problem: object) -> None:
        """Let a unified-planning engine look for the cheapest cost and the repair. Raises PlannerError for its name."""
        if not is_up(problem):
            raise ValueError("another planner needs a unified-planning problem, or a domain and a problem as PDDL")
        from validator.up.planner import UpPlanner

        self.engine = UpPlanner(engine, problem)

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
        task = self._task(question.limits)
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

    def nearest(self, optimum: Optimum | None, status: str) -> Proved | NoTask:
        """Return the nearest plan with the quality, or why no planner could be asked.

        ``optimum`` is what is known of the cheapest cost, for OPTIMAL; ``status`` why nothing is.
        """
        question = self.question
        if question.quality is Quality.OPTIMAL:
            if optimum is None:
                return NoTask(status, "no cheapest cost to repair for")
            if optimum.status is Status.UNSOLVABLE:
                return Proved(status=Status.UNSOLVABLE, proven=True, by=optimum.by)
            if not optimum.is_proven or optimum.plan is None:
                return NoTask(optimum.status.value, self.unproven(optimum))
        if self.engine is not None:
            return self._by_engine(self.engine, optimum)
        try:
            return self._found(optimum)
        except OverflowError as error:
            return NoTask(Status.COST_LIMIT.value, str(error))

    def _found(self, optimum: Optimum | None) -> Proved | NoTask:
        """Return what our own search finds: in parts of the model where the whole is too large."""
        question = self.question
        known = self._without_grounding()
        if known is not None and known.proven:
            return known
        if known is None and question.limits.is_over() and not question.prepared.is_grounded:
            return NoTask(Status.TIME_LIMIT.value, "the time limit was met before the model was grounded")
        try:
            task = self._task(question.limits)
            if isinstance(task, NoTask) and task.status != "unsupported" and known is not None:
                return replace(known, status=Status(task.status))
            return self._in_whole(task, optimum, known)
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

    def _in_whole(self, task: Task | NoTask, optimum: Optimum | None, known: Proved | None) -> Proved | NoTask:
        """Return what is found in the whole model, or why that is not there."""
        if isinstance(task, NoTask):
            may_cost = self.question.quality is Quality.OPTIMAL or self.question.policy is Policy.MOVE
            return task if may_cost or task.status != "unsupported" else self._without_costs(task)
        return self._repaired(task, optimum, known)

    def _without_costs(self, refused: NoTask) -> Proved | NoTask:
        """Return a near plan of a model whose costs the planner does not take, as if each insertion cost as much."""
        task = self._task(self.question.limits, costs_matter=False)
        if isinstance(task, NoTask):
            return refused if task.status == refused.status else task
        found = self._repaired(task, None, None)
        if found.status is Status.UNSOLVABLE:  # whatever it costs
            return found
        status = Status.COST_LIMIT if found.status is Status.SOLVED else found.status
        return replace(found, status=status, proven=False, upper=None, lower=0)

    def _repaired(self, task: Task, optimum: Optimum | None, known: Proved | None) -> Proved:
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
                optimum=optimum if question.quality is Quality.OPTIMAL else None,
                progress=question.progress,
                known=known,
                clock=lambda phase: question.clock(f"repair: {phase}"),
            )

    def _by_engine(self, planner: UpPlanner, optimum: Optimum | None) -> Proved | NoTask:
        """Return what another planner finds."""
        question = self.question
        with_goal = question.quality is not Quality.SOUND
        with question.clock("repair"):
            try:
                if optimum is None:
                    found = planner.repair(question.plan, question.policy, question.limits, with_goal=with_goal)
                else:
                    found = planner.repair_to_cheapest(question.plan, optimum, question.limits)
            except UnsupportedError as error:
                return NoTask("unsupported", str(error))
        if found.edits is None:
            return found
        # The engine has read the model in its own way, and perhaps spells it in another.
        edits = tuple(replace(edit, token=question.simulator.resolve(edit.token)) for edit in found.edits)
        found = replace(found, edits=edits)
        executed(question.simulator, found.plan or (), with_goal=with_goal, whose=_whose(planner))
        return found

    def _task(self, limits: Limits, *, costs_matter: bool = True) -> Task | NoTask:
        """Return the grounded task, or why there is none; ``costs_matter`` as the question has it."""
        question = self.question
        with question.clock("grounding"):
            try:
                matter = costs_matter and (question.quality is Quality.OPTIMAL or question.policy is not Policy.EDITS)
                task = question.prepared.task(limits, costs_matter=matter)
            except ValueError as error:
                return NoTask("unsupported", f"the planner cannot be given the model: {error}")
        if isinstance(task, Status):
            return NoTask(task.value, f"the {task.value} was met while the model was grounded")
        return task


def _whose(engine: UpPlanner) -> str:
    return f"the answer of the engine '{engine.name}'"


def _with_time_to_tell(question: Question) -> Question:
    """Return what is asked with less time for a planner, by what it takes to tell of a long plan, at most by half."""
    limits = question.limits
    to_tell = min(TO_TELL * len(question.tokens), limits.seconds / 2)
    return replace(question, limits=limits.within(limits.seconds - to_tell))
