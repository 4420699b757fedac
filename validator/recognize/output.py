"""Answers of recognition as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from validator.checking.report import Interval
from validator.grounding.limits import Status
from validator.recognize.complete import Completion
from validator.recognize.problem import Candidate, Method, Recognition, Standing, Verdict
from validator.render.json import picked, plain
from validator.repair.diff import StepDiff, step_diffs, unified
from validator.repair.edit import Move
from validator.texts import MOST_LISTED, columns, decimal

_STANDINGS = {
    Standing.EXACT: "",
    Standing.UNSOLVABLE: "cannot be reached",
    Standing.UNEXPLAINED: "no plan explains every observation",
    Standing.CUT: "cut off: worse by more than the margin",
    Standing.TIMEOUT: "not proven in time",
    Standing.BASE_UNKNOWN: "not proven in time",
    Standing.EXCLUDED: "its prior is 0",
    Standing.NOT_SEARCHED: "",
}

# --- text ------------------------------------------------------------------------------------------


def _sentence(found: Recognition) -> str:
    """Return the answer in one sentence."""
    if found.verdict is Verdict.NO_ANSWER:
        return f"No answer: {found.reason}."
    if found.verdict is Verdict.NO_HYPOTHESIS_EXPLAINS:
        return "None of the goals can be reached by a plan that explains the observations (proven)."
    count = len(found.best)
    names = "  ".join(found.candidates[index].hypothesis.text for index in found.best[:MOST_LISTED])
    if count > MOST_LISTED:
        names += "  ..."
    how = "proven" if found.exact else f"{'by linear programs, ' * (found.method is Method.LINEAR)}not proven"
    return f"Best of {len(found.candidates)} goals ({how}): {names}" + (f"  ({count} are tied)" if count > 1 else "")


def recognition_text(found: Recognition) -> str:
    """Return the ranking as a table, and what the first goal's plan explains."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Recognition) -> Iterator[str]:
    yield _sentence(found)
    if found.verdict is not Verdict.NO_ANSWER:
        yield ""
        yield from columns(_rows(found), "rrrrl")
    for one in found.unmatchable:
        seen = found.observations[one.observation]
        yield f"observation {one.observation + 1}, {seen}, cannot be explained: {one.reason}"
    first = found.candidates[found.ranking()[0]] if found.best else None
    if first is not None and first.edits and found.observations:
        share = f"{_explained(first)} of {len(found.observations)} observations"
        yield from ("", f"A plan for {first.hypothesis} that explains {share}:", *_shown(step_diffs(first.edits)))
    for warning in found.warnings:
        yield f"warning: {warning}"


def _rows(found: Recognition) -> list[tuple[str, str, str, str, str]]:
    """Return the head of the ranking and a row for each goal, the best first."""
    rows = [("rank", "probability", "cost", "more", "goal")]
    return rows + [_row(found.candidates[index]) for index in found.ranking()]


def _row(one: Candidate) -> tuple[str, str, str, str, str]:
    probability = "" if one.probability is None else f"{one.probability:.3f}"
    if one.least is not None and one.most is not None and one.most - one.least > 0.0005:
        probability += f" [{one.least:.3f}, {one.most:.3f}]"
    remark = _STANDINGS[one.standing]
    goal = f"{one.hypothesis}  ({remark})" if remark else str(one.hypothesis)
    return str(one.rank), probability, _bounds(one.base), _bounds(one.delta), goal


def _bounds(interval: Interval | None) -> str:
    if interval is None:
        return ""
    if interval.is_exact:
        return decimal(interval.lower)
    upper = "" if interval.upper is None else decimal(interval.upper)
    return f"{decimal(interval.lower)}..{upper}"


def _explained(one: Candidate) -> int:
    return sum(edit.move is Move.KEEP for edit in one.edits or ())


def _shown(diffs: tuple[StepDiff, ...]) -> Iterator[str]:
    text = unified(diffs, name="observations")
    yield from text.splitlines() if text else map(str, diffs)


def completion_text(found: Completion) -> str:
    """Return the completed plan as a diff of the observations."""
    lines = []
    if found.plan is None:
        lines.append(_no_plan(found))
    else:
        proof = "proven" if found.proven else "not proven cheapest"
        total = found.explained + found.unexplained
        cost = decimal(found.cost or Fraction(0))
        explained = f"{found.explained} of {total} observations explained"
        lines += [f"A plan for {found.hypothesis} ({proof}): cost {cost}, {explained}.", "", *_shown(found.diffs)]
    lines += [f"observation {one.observation + 1} cannot be explained: {one.reason}" for one in found.unmatchable]
    lines += [f"warning: {warning}" for warning in found.warnings]
    return "\n".join(lines) + "\n"


def _no_plan(found: Completion) -> str:
    if found.status is Status.UNSOLVABLE:
        return f"No plan for {found.hypothesis} explains the observations (proven)."
    return f"No answer: the {found.status.value} was met before a plan was found."


# --- JSON ------------------------------------------------------------------------------------------


def recognition_value(found: Recognition) -> dict[str, object]:
    """Return an answer as plain values; ``null`` bounds are not known, costs are integers or floats."""
    return {
        **picked(found, "verdict", "method", "exact", "best"),
        "ranking": list(found.ranking()),
        "reason": found.reason,
        "observations": list(map(str, found.observations)),
        "unmatchable": plain(found.unmatchable),
        "candidates": [_candidate(one) for one in found.candidates],
        "warnings": list(found.warnings),
    }


def _candidate(one: Candidate) -> dict[str, object]:
    return {
        "goal": one.hypothesis.text,
        **picked(one.hypothesis, "lines", "prior"),
        **picked(one, "rank", "standing", "probability"),
        "probability_bounds": None if one.least is None else [one.least, one.most],
        "cost": _interval(one.base),
        "difference": _interval(one.delta),
        "plan": None if one.edits is None else list(map(str, step_diffs(one.edits))),
    }


def completion_value(found: Completion) -> dict[str, object]:
    """Return a completion as plain values; ``diff`` has a line for each step, with its sign."""
    return {
        "goal": found.hypothesis.text,
        **picked(found, "status", "proven", "cost", "explained", "unexplained", "plan"),
        "diff": list(map(str, found.diffs)),
        **picked(found, "unmatchable", "warnings"),
    }


def _interval(interval: Interval | None) -> list[object] | None:
    if interval is None:
        return None
    return [plain(interval.lower), plain(interval.upper)]
