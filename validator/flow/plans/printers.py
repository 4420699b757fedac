"""Plans of flows for people: like code, step by step, or explained from the goal backwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from validator.flow.model import Flow, Goal, GoalGroup, GoalKind, GoalLogic
from validator.flow.plans.shape import collapse, group
from validator.flow.plans.tokens import BASIC, Call
from validator.reading.plan import Constraint, Token
from validator.records import replace

__all__ = ["code_like", "explain", "goals_text", "verbalize"]


def code_like(
    flow: Flow,
    steps: Sequence[Token],
    *,
    collapse_maps: bool = False,
    show_output: bool = True,
    start_at: int | None = None,
) -> list[str]:
    """Return a line for each step, as ``y = agent_b(a)``; ``start_at`` numbers them ``[3]`` and so on.

    Where the flow labels its results, a comment behind each call of an operator is its label.
    """
    shown = group(collapse(steps) if collapse_maps else steps, flow.options)
    lines = [str(step if show_output or not isinstance(step, Call) else replace(step, outputs=())) for step in shown]
    if flow.options.labels:
        free = _labels(flow)
        lines = [f"{line}  # {next(free)}" if _is_run(step) else line for step, line in zip(shown, lines, strict=True)]
    if start_at is None:
        return lines
    return [f"[{number}] {line}" for number, line in enumerate(lines, start=start_at)]


def _labels(flow: Flow) -> Iterator[str]:
    """Yield ``var1``, ``var2`` and so on, without the labels that the memory has."""
    taken = {entry.label for entry in flow.memory}
    return (label for number in count(1) if (label := f"var{number}") not in taken)


def _is_run(step: Token) -> bool:
    return isinstance(step, Call) and step.name not in BASIC


# --- step by step --------------------------------------------------------------------------------


def verbalize(flow: Flow, steps: Sequence[Token], *, lookahead: bool = False) -> list[str]:
    """Return a numbered sentence for each step; with ``lookahead``, also what its results are needed for."""
    lines = []
    for index, step in enumerate(steps):
        sentences = [_sentence(step)]
        if lookahead:
            sentences += _uses(step, steps[index + 1 :], flow)
        sentences += _achieved(flow, step)
        lines.append(f"{index + 1}. {' '.join(sentences)}")
    return lines


def _sentence(step: Token) -> str:
    if isinstance(step, Constraint):
        return f"Check that {step.text} is {'true' if step.holds else 'false'}."
    assert isinstance(step, Call)
    items = _listed(step.args)
    match step.name:
        case "ask":
            return f"Ask the user for {items}."
        case "confirm":
            return f"Let the user confirm {items}."
        case "map":
            source, target = step.args
            return f"Take {source}, which is known, for {target}."
    given = f" with {items}" if step.args else ""
    yields = f" It yields {_listed(step.outputs)}." if step.outputs else ""
    return f"Run {step.name}{given}.{yields}"


def _results(step: Token) -> tuple[str, ...]:
    """Return the items that a step makes known."""
    if not isinstance(step, Call):
        return ()
    return step.args[1:] if step.name == "map" else step.args if step.name in BASIC else step.outputs


def _uses(step: Token, later: Sequence[Token], flow: Flow) -> Iterator[str]:
    if isinstance(step, Constraint):
        users = [each.name for each in later if isinstance(each, Call) and _needs(flow, each, step)]
        if users:
            yield f"{_listed(dict.fromkeys(users))} must not run before that."
        return
    for item in _results(step):
        if users := list(dict.fromkeys(_users(item, later, flow))):
            yield f"{item} is needed {_listed(users)}."


def _needs(flow: Flow, call: Call, constraint: Constraint) -> bool:
    operator = flow.by_name.get(call.name)
    return operator is not None and any(claim.text == constraint.text for claim in operator.needs)


def _users(item: str, later: Iterable[Token], flow: Flow) -> Iterator[str]:
    """Yield what an item is used for until it gets another value."""
    for step in later:
        if isinstance(step, Constraint):
            if item in flow.variables(step.text):
                yield f"to check {step.text}"
        elif isinstance(step, Call):
            if step.name == "map" and step.args[0] == item:
                yield f"to stand for {step.args[1]}"
            elif step.name not in BASIC and item in step.args:
                yield f"by {step.name}"
            if step.name != "confirm" and item in _results(step):
                return


def _achieved(flow: Flow, step: Token) -> Iterator[str]:
    for goal in flow.all_goals:
        if _reaches(flow, step, goal):
            yield f"This is a goal: {_goal(goal)}."


def _reaches(flow: Flow, step: Token, goal: Goal) -> bool:
    if isinstance(step, Constraint):
        return goal.claim is not None and (goal.claim.text, goal.claim.holds) == (step.text, step.holds)
    if not isinstance(step, Call):
        return False
    match goal.kind:
        case GoalKind.OPERATOR:
            return step.name == goal.subject
        case GoalKind.KNOWN:
            return any(goal.subject in (item, flow.item_types.get(item)) for item in _results(step))
        case GoalKind.USED:
            used = step.args if step.name not in BASIC else ()
            return any(goal.subject in (item, flow.item_types.get(item)) for item in used)
    return False


def goals_text(groups: Iterable[GoalGroup], logic: GoalLogic) -> str:
    """Return groups of goals in words, as they hang together."""
    inner, outer = (" or ", " and ") if logic is GoalLogic.AND_OR else (" and ", " or ")
    parts = [inner.join(map(_goal, group)) for group in groups if group]
    if logic is GoalLogic.AND_AND:
        return " and ".join(parts)
    return outer.join(f"({each})" if inner in each and len(parts) > 1 else each for each in parts)


def _goal(goal: Goal) -> str:
    match goal.kind:
        case GoalKind.OPERATOR:
            return f"run {goal.subject}" + (f" on {_listed(goal.arguments)}" if goal.arguments else "")
        case GoalKind.KNOWN:
            return f"know {goal.subject}"
        case GoalKind.USED:
            return f"use {goal.subject}"
    return f"decide that {goal.claim.text} is {'true' if goal.claim.holds else 'false'}" if goal.claim else ""


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


# --- from the goal backwards ---------------------------------------------------------------------


def explain(flow: Flow, steps: Sequence[Token]) -> list[str]:
    """Return sentences that tell from the goal backwards why each step is in the plan."""
    goals = [_goal(goal) for goal in flow.all_goals]
    lines = [f"The plan is to {_listed(goals)}." if goals else "The flow has no goal."]
    explained: set[int] = set()
    for index in range(len(steps) - 1, -1, -1):
        if index not in explained:
            lines += _because(flow, steps, index, explained)
    return lines


def _because(flow: Flow, steps: Sequence[Token], index: int, explained: set[int]) -> Iterator[str]:
    """Yield why a step can be done, and before each reason's own reasons, the step that gives it."""
    explained.add(index)
    step = steps[index]
    needed = list(_needed(flow, step))
    if isinstance(step, Constraint):
        yield f"That {step.text} is {'true' if step.holds else 'false'} has to be checked{_knowing(needed)}."
    elif isinstance(step, Call) and step.name not in BASIC:
        yield f"{step.name} has to run{_knowing(needed)}."
    for item in needed:
        before = next((place for place in range(index - 1, -1, -1) if item in _results(steps[place])), None)
        if before is None:
            yield f"{item} is known from the start."
        elif before in explained:
            yield f"How {item} becomes known is told above."
        else:
            yield f"{item} becomes known: {_sentence(steps[before])}"
            yield from _because(flow, steps, before, explained)


def _knowing(items: Sequence[str]) -> str:
    return f", for which {_listed(items)} must be known" if items else ""


def _needed(flow: Flow, step: Token) -> Iterator[str]:
    if isinstance(step, Constraint):
        yield from flow.variables(step.text)
    elif isinstance(step, Call) and step.name == "map":
        yield step.args[0]
    elif isinstance(step, Call) and step.name != "ask":
        yield from step.args
