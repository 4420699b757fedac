"""What is said of a plan that was checked: what each changed line is for, what can be left out, all of it in words.

An added step serves the later condition that is false when the step is left out of the repaired plan; a deleted step is
told by the condition that is false when it is put back. Both are executions, so that what they tell is true for every
kind of condition, where a causal link (McAllester and Rosenblitt 1991) only speaks of atoms.

Steps that can be left out are found greedily: one goes, with every later step that then fails, whenever the goal is
still reached (greedy justification, Fink and Yang 1992; action elimination, Nakhost and Mueller 2010). Provably as many
as possible: the modified problem without insertions, where every kept step costs one (compare Balyo, Chrpa and Kilani
2014).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from validator.alarms import OutOfTime, alarm
from validator.checking.prepared import Prepared
from validator.checking.report import Quality, Report
from validator.errors import PlanError, UnsupportedError
from validator.execution.faults import numbered, sentences
from validator.execution.simulator import Simulator
from validator.execution.time.execution import DEFAULT_SEPARATION, execute
from validator.execution.time.happening import Separation
from validator.execution.trace import Cause, Failure
from validator.grounding.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, Limits, Status, hard_limit
from validator.grounding.planner import optimal_strategy, search
from validator.grounding.task import Task
from validator.reading.lexicon import Lexicon
from validator.reading.plan import Plan, Step, TimedStep, Token, Unparsed, bare
from validator.reading.understood import told_in_words, unclear
from validator.records import dataclass, field, replace
from validator.repair.diff import DiffAction, StepDiff, unified
from validator.repair.edit import Move, Weighting, compile_edit


def explain(
    prepared: Prepared, report: Report, happened: Sequence[Token] = (), epsilon: Fraction | None = None
) -> tuple[str, ...]:
    """Return a sentence for each changed line of a report's diff, in order, with the number of its step in its plan.

    Steps that have ``happened`` before the plan of the report are counted in the numbers of its steps. ``epsilon`` is
    the minimum separation with which the plan was checked.
    """
    apart = DEFAULT_SEPARATION if epsilon is None else Separation.of(epsilon)
    first = partial(_first, prepared.simulator, report, happened, apart)
    return tuple(_sentences(report.plan_diff_obj, len(happened), first))


_Line = tuple[str, StepDiff]
"""A line of a diff behind its number: -6 is step 6 of the plan, +7 step 7 of the repaired one."""


def _sentences(diffs: Sequence[StepDiff], happened: int, first: Callable[[Sequence[_Line]], str]) -> Iterator[str]:
    costs_more = "the plan costs more"
    moves = _moves(diffs)
    lines = list(_numbered(diffs, happened))
    for index, (number, diff) in enumerate(lines):
        if diff.diff_type is None or index in moves.values():
            continue
        line = f"{number} {diff.step}"
        put_back = (number, StepDiff(diff_type=None, step=diff.step))
        if index in moves:
            added = moves[index]
            kept = [put_back if place == index else other for place, other in enumerate(lines) if place != added]
            yield f"{line} becomes {diffs[added].step}: as it was, {first(kept) or costs_more}"
        elif diff.diff_type is DiffAction.ADD:
            said = first([*lines[:index], *lines[index + 1 :]]) or costs_more
            yield f"{line} is needed: without it, {said}"
        elif isinstance(diff.step, Unparsed):
            yield f"{line} cannot be read"
        else:
            said, own = first([*lines[:index], put_back, *lines[index + 1 :]]) or costs_more, f"step {line}: "
            if said.startswith(own):
                yield f"{line} cannot be executed there: {said.removeprefix(own)}"
            else:
                yield f"{line} is in the way: with it, {said}"


def _numbered(diffs: Sequence[StepDiff], happened: int) -> Iterator[_Line]:
    old = new = happened
    for diff in diffs:
        old, new = old + (diff.diff_type is not DiffAction.ADD), new + (diff.diff_type is not DiffAction.DELETE)
        yield f"-{old}" if diff.diff_type is DiffAction.DELETE else f"+{new}", diff


def _moves(diffs: Sequence[StepDiff]) -> dict[int, int]:
    """Return the deleted steps of a plan over time that come back at another time, each with the added one."""
    found: dict[int, int] = {}
    for index, diff in enumerate(diffs):
        if diff.diff_type is DiffAction.DELETE and isinstance(diff.step, TimedStep):
            for place, other in enumerate(diffs):
                is_added = other.diff_type is DiffAction.ADD and place not in found.values()
                if is_added and isinstance(other.step, Step) and bare(other.step) == bare(diff.step):
                    found[index] = place
                    break
    return found


def _plain(step: Step) -> Step:
    if isinstance(step, TimedStep):
        return Step(name=step.name, args=step.args, time=step.time, duration=step.duration)
    return bare(step)


def _first(
    simulator: Simulator, report: Report, happened: Sequence[Token], apart: Separation, lines: Sequence[_Line]
) -> str:
    """Return the first fault of the new side of a diff in words, or an empty text."""
    side = [(number, diff.step) for number, diff in lines if diff.diff_type is not DiffAction.DELETE]
    plan = Plan(parts=tuple(_plain(step) if isinstance(step, Step) else step for _, step in side))
    failures = execute(simulator, plan, apart).failures if simulator.model.features else simulator.run(plan).failures
    if report.report_type is Quality.SOUND:
        failures = tuple(failure for failure in failures if failure.is_of_steps)
    if not failures:
        return ""
    numbers = [*(f"+{place + 1}" for place in range(len(happened))), *(number for number, _ in side)]
    is_timed = any(isinstance(step, Step) and step.time is not None for step in plan.tokens)
    named = numbered if is_timed else lambda step: f"step {numbers[step]}"  # faults in time name others by their place
    (sentence,) = sentences([failures[0].later(len(happened))], (*happened, *plan.tokens), named)
    return sentence[0].lower() + sentence[1:]


# --- steps that can be left out -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy:
    """The steps that can be left out together, as indices from 0 in order of execution.

    ``proven`` says that no more steps can be left out; ``reason`` says why that is not known.
    """

    steps: tuple[int, ...]
    proven: bool
    reason: str = ""


def redundant_steps(
    prepared: Prepared,
    plan: Plan,
    *,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> Redundancy:
    """Return the most steps of a valid plan that can be left out.

    Raises PlanError when its text was not understood, UnsupportedError for a model beyond classical planning,
    ValueError when the plan is not valid, PlannerError when the planner fails.
    """
    if why := unclear(plan):
        raise PlanError(why)
    if features := prepared.model.features:
        raise UnsupportedError(f"superfluous steps are found in classical models, not with {', '.join(features)}")
    limits = Limits.from_now(time_limit, memory_limit)
    left = list[int]()
    try:
        with alarm(hard_limit(time_limit)):
            return _redundant(prepared, plan, limits, left)
    except OutOfTime:  # in what does not look at the clock
        steps = tuple(sorted(set(range(len(plan.tokens))) - set(left))) if left else ()
        return Redundancy(steps=steps, proven=False, reason="the time limit was met before the proof")


def _redundant(prepared: Prepared, plan: Plan, limits: Limits, left: list[int]) -> Redundancy:
    """Return the most steps that can be left out; ``left`` has those that are kept by now, all of a valid plan."""
    simulator = prepared.simulator
    steps = [
        Step(name=step.name, args=step.args) for step in map(simulator.resolve, plan.steps) if isinstance(step, Step)
    ]
    trace = simulator.run(Plan(parts=tuple(steps)) if len(steps) == len(plan.tokens) else plan)
    if not trace.is_valid:
        (fault,) = sentences(trace.failures[:1], plan.tokens)
        raise ValueError(f"only a valid plan has superfluous steps, and this one is not valid: {fault}")
    left[:] = range(len(steps))
    greedy = greedily_left_out(simulator, steps, limits, left)
    task = prepared.task(limits)
    if isinstance(task, Status):
        return Redundancy(steps=greedy, proven=False, reason=f"the {task.value} was met while the model was grounded")
    return _proven(task, steps, greedy, limits)


def greedily_left_out(simulator: Simulator, steps: Sequence[Step], limits: Limits, left: list[int]) -> tuple[int, ...]:
    """Return steps of a valid plan that can be left out, each with those that then fail; ``left`` are the others."""
    kept = set(left)
    for index in range(len(steps)):
        if limits.is_over():
            break
        if index not in kept:
            continue
        rest = [other for other in left if other != index]
        trace = simulator.run(Plan(parts=tuple(steps[other] for other in rest)))
        failing = {failure.step for failure in trace.failures if failure.step is not None}
        rest = [other for place, other in enumerate(rest) if place not in failing]
        if simulator.run(Plan(parts=tuple(steps[other] for other in rest))).is_valid:
            left[:], kept = rest, set(rest)
    return tuple(sorted(set(range(len(steps))) - kept))


def _proven(task: Task, steps: Sequence[Step], greedy: tuple[int, ...], limits: Limits) -> Redundancy:
    edit_task = compile_edit(task, steps, Weighting.fewest_steps(), with_goal=True)
    known = len(steps) - len(greedy)
    outcome = search(edit_task.text, optimal_strategy(task), limits, lambda bound: bound >= known)
    if outcome.status is Status.STOPPED:
        return Redundancy(steps=greedy, proven=True)
    if outcome.status is Status.SOLVED:
        moves = [edit.move for edit in edit_task.edits(outcome.plan)]
        return Redundancy(steps=tuple(i for i, move in enumerate(moves) if move is Move.SKIP), proven=True)
    return Redundancy(steps=greedy, proven=False, reason=f"the {outcome.status.value} was met before the proof")


# --- reports in words ----------------------------------------------------------------------------


_NEGATED = re.compile(r"\(not \(([^()]*)\)\)")
_GROUP = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidStep(Step):
    """A step that is printed in words."""

    said: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.said


def said_plan(steps: tuple[Token, ...], lexicon: Lexicon) -> tuple[Token, ...]:
    """Return the steps of a plan such that they are printed in words; read again, these are the steps."""
    return tuple(_step(step, lexicon) for step in steps)


def in_words(report: Report, lexicon: Lexicon, context: int | None = None) -> Report:
    """Return a report whose steps and facts are in words.

    Steps that the text tells in words keep these, and the diff is then one of the text, by its lines, with ``context``
    unchanged lines around a change; None shows all.
    """
    text = "" if report.reading is None else report.reading.plan.text
    steps = [step for step in report.reference if isinstance(step, Step) and not isinstance(step, TimedStep)]
    if not any(told_in_words(text, steps)):
        text = ""  # and so nothing of it is in words
    said = [
        StepDiff(diff_type=diff.diff_type, step=_own(diff.step, text) or _step(diff.step, lexicon))
        for diff in report.plan_diff_obj
    ]
    lines = _of_lines(said, text)
    told = dict(zip(map(str, report.plan_diff_obj), map(str, said), strict=True))
    shown = [told.get(line, line) for line in report.plan_diff_str.splitlines()]
    return replace(
        report,
        reason=text_in_words(report.reason, lexicon),
        reference=tuple(_own(step, text, is_quoted=True) or _step(step, lexicon) for step in report.reference),
        failures=tuple(_failure(failure, lexicon) for failure in report.failures),
        unmet_goals=tuple(replace(goal, literal=text_in_words(goal.literal, lexicon)) for goal in report.unmet_goals),
        plan_diff_obj=tuple(said),
        plan_diff_str=unified(lines, context) if lines else "".join(f"{line}\n" for line in shown),
        repaired_plan=None if report.repaired_plan is None else said_plan(report.repaired_plan, lexicon),
        explanations=tuple(text_in_words(text, lexicon) for text in report.explanations),
    )


def _own(step: Token, text: str, *, is_quoted: bool = False) -> SaidStep | None:
    """Return a step in its author's words; None for one that the text does not have."""
    start, end = step.span
    if not isinstance(step, Step) or isinstance(step, TimedStep) or not text or start == end:
        return None
    # a clause of several steps is cut
    said = text[start:end] if end - start > 1 else text.split("\n")[text.count("\n", 0, start)].strip()
    shown = f"'{said.rstrip(' .,;:!')}'" if is_quoted else said
    return SaidStep(name=step.name, args=step.args, span=step.span, said=shown)


def _of_lines(diffs: Sequence[StepDiff], text: str) -> list[StepDiff]:
    """Return the diff of a text by its lines; empty without a text, and where its steps are not in order of its lines.

    A line with a step that stays and one that goes, or with a new one between its steps, is said anew.
    """
    old = [diff.step for diff in diffs if diff.diff_type is not DiffAction.ADD]
    spans = [step.span for step in old]
    places = [text.count("\n", 0, start) for start, _ in spans]
    is_in_order = places == sorted(places) and not any("\n" in text[slice(*span)] for span in spans)
    if not (text and old and is_in_order) or all(diff.diff_type is None for diff in diffs):
        return []
    parts: dict[int, list[StepDiff]] = {}
    added: dict[int, list[StepDiff]] = {}
    waiting, place = iter([*places, None]), -1
    following = next(waiting)
    for diff in diffs:
        if diff.diff_type is not DiffAction.ADD:
            assert following is not None
            place, following = following, next(waiting)
            parts.setdefault(place, []).append(diff)
        elif place == following:
            parts[place].append(diff)
        else:
            added.setdefault(places[0] - 1 if place < 0 else place, []).append(diff)
    found = [*added.pop(-1, ())]
    for number, line in enumerate(text.rstrip("\n").split("\n")):
        here = parts.get(number, ())
        is_same = all(diff.diff_type is None for diff in here)
        shown = SaidStep(name="", args=(), said=line.rstrip("\r"))
        found.append(StepDiff(diff_type=None if is_same else DiffAction.DELETE, step=shown))
        anew = () if is_same else (diff.step for diff in here if diff.diff_type is not DiffAction.DELETE)
        found += [StepDiff(diff_type=DiffAction.ADD, step=step) for step in anew]
        found += added.get(number, ())
    return found


def text_in_words(text: str, lexicon: Lexicon) -> str:
    """Return a text in which every step and fact in parentheses is in words."""
    negated = _NEGATED.sub(lambda match: _said(match, lexicon, "not "), text)
    return _GROUP.sub(lambda match: _said(match, lexicon), negated)


def _said(match: re.Match[str], lexicon: Lexicon, before: str = "") -> str:
    """Return what stands in parentheses in words; what is no step and no fact stays."""
    name, *args = match.group(1).split() or [""]
    domain = lexicon.model.domain
    if len(domain.predicates.get(name, ())) == len(args) and name in domain.predicates:
        return f"{before}'{lexicon.say_fact((name, *args))}'"
    if len(lexicon.action(name)) == 1 and name in domain.actions:
        return f"{before}'{lexicon.say(Step(name=name, args=tuple(args)))}'"
    return match.group()


def _step(step: Token, lexicon: Lexicon) -> Token:
    """Return a step in words; one over time, whose stamps words do not say, stays as it is."""
    if not isinstance(step, Step) or isinstance(step, TimedStep):
        return step
    shown = lexicon.say(step)
    return SaidStep(name=step.name, args=step.args, time=step.time, duration=step.duration, span=step.span, said=shown)


def _failure(failure: Failure, lexicon: Lexicon) -> Failure:
    def told(cause: Cause) -> Cause:
        return replace(cause, literal=text_in_words(cause.literal, lexicon))

    return replace(
        failure,
        unmet=tuple(text_in_words(literal, lexicon) for literal in failure.unmet),
        causes=tuple(map(told, failure.causes)),
    )
