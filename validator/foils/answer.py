"""The answer to a question about a plan: what was found, and the same in words, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from validator.checking.report import Interval
from validator.foils.findings import Cheapest, Excuse, Findings, Price, Side
from validator.records import dataclass
from validator.render.json import plain
from validator.render.text import painted_diff
from validator.repair.diff import DiffAction, StepDiff
from validator.texts import decimal

__all__ = ["Answer", "answer_text", "answer_value", "interval_text", "sentences"]

_MOST_SETS = 5
"""largest sets of wishes that are told"""


def sentences(answer: Findings) -> Iterator[str]:
    """Yield what an answer says."""
    yield from answer.facts
    if answer.possible is None:
        yield f"Whether a plan does this is not known: {answer.reason}."
    elif not answer.possible:
        yield from _impossible(answer)
    if answer.best is not None:
        yield from _best(answer, answer.best)
    if answer.foil is not None:
        yield from _nearest(answer, answer.foil)
    yield from _costs(answer)
    if answer.possible and answer.reason:
        yield f"Not everything is proven: {answer.reason}."
    yield from answer.links


def _impossible(answer: Findings) -> Iterator[str]:
    yield "No plan does this (proven)."
    for conflict in answer.conflicts:
        if not conflict:
            yield "The goal cannot be reached, whatever is asked (proven)."
        elif len(conflict) == 1:
            yield f"Alone, this cannot be met: {conflict[0]}."
        else:
            yield f"These cannot be met together: {'; '.join(map(str, conflict))}."
        yield from (reason.text for reason in answer.reasons if reason.conflict == conflict)
    if answer.conflicts and not answer.all_conflicts:
        yield "There may be other conflicts, or smaller ones."
    if len(answer.constraints) > 1 or any(len(conflict) > 1 for conflict in answer.conflicts):
        yield from _fitting(answer)
    if answer.excuse is not None:
        yield from _excuse(answer.excuse)


def _fitting(answer: Findings) -> Iterator[str]:
    most = ", and no more with them" if answer.all_conflicts else ""  # where all was decided
    for fitting in answer.fitting[:_MOST_SETS]:
        if fitting:
            yield f"These can be met together{most}: {'; '.join(map(str, fitting))}."
    if len(answer.fitting) > _MOST_SETS:
        yield f"There are {len(answer.fitting) - _MOST_SETS} more such sets."


def _excuse(excuse: Excuse) -> Iterator[str]:
    proof = "no fewer changes would do, proven" if excuse.proven else "fewer may do"
    steps = _count(len(excuse.plan.steps), "step")
    yield f"There would be a plan {_changes(excuse.changes)} ({proof}); it has {steps}."
    for other in excuse.alternatives:
        yield f"Or {_changes(other)}."


def _changes(changes: Sequence[object]) -> str:
    return " and ".join(map(str, changes))


def _best(answer: Findings, best: Cheapest) -> Iterator[str]:
    if answer.cheapest is None or best.plan.cost is None:
        return
    start = "foil" if answer.has_own_foil else "plan"
    if not best.edits:
        proof = "no plan that does this is cheaper, proven" if best.proven else "a cheaper one is not excluded"
        yield f"The {start} does this as it stands and costs {decimal(best.plan.cost)} ({proof})."
        return
    compared = ""
    if answer.plan is not None:
        compared = _compared(best.plan.cost, answer.plan.cost, "the plan")
    if best.proven:
        yield f"The cheapest plan that does this costs {decimal(best.plan.cost)} (proven){compared}."
    else:
        least = f"at least {decimal(answer.cheapest.lower)}"
        yield f"The cheapest plan found that does this costs {decimal(best.plan.cost)}{compared} (not proven: {least})."
    near = "no plan as cheap has fewer, proven" if best.nearest else "one as cheap may have fewer"
    yield f"It has {_lines(best.edits)} ({near})."


def _nearest(answer: Findings, foil: Side) -> Iterator[str]:
    start = "foil" if answer.has_own_foil else "plan"
    proof = "proven" if answer.nearest else "not proven"
    cost = "" if foil.cost is None else f" and costs {decimal(foil.cost)}"
    if answer.edits == 0:
        if answer.best is None or answer.best.edits:
            yield f"The {start} does this as it stands{cost}." if answer.constraints else f"The {start} is valid{cost}."
        return
    if answer.best is not None and answer.shown is None:
        yield f"No plan that does this has fewer changes ({proof})."
        return
    wanted = "plan that does this" if answer.constraints else "valid plan"
    yield f"The {wanted} with the fewest changes to the {start} ({proof}) has {_lines(answer.edits)}{cost}."
    if answer.shown is not None and _only_adds(answer.changes) and not answer.has_own_foil:
        yield "It is the whole plan with steps added that serve nothing but the question."


def _only_adds(changes: Sequence[StepDiff]) -> bool:
    return all(diff.diff_type in (None, DiffAction.ADD) for diff in changes)


def _costs(answer: Findings) -> Iterator[str]:
    plan, foil = answer.plan, answer.foil
    if plan is not None and plan.cost is not None:
        other = None if foil is None or answer.best is not None else foil.cost
        yield f"The plan costs {decimal(plan.cost)}{_compared(plan.cost, other, 'that')}."
    if answer.cheapest is not None and answer.best is None and answer.constraints:
        yield f"The cheapest plan that does this costs {interval_text(answer.cheapest)}."
    if answer.optimum is not None:
        yield f"The cheapest plan of all costs {interval_text(answer.optimum)}."
    for price in answer.prices:
        alone, without = interval_text(price.alone), f"{interval_text(price.without)}{_saved(answer, price)}"
        yield f'With "{price.constraint}" alone, the cheapest plan costs {alone}; with the others alone, {without}.'


def _saved(answer: Findings, price: Price) -> str:
    if answer.cheapest is None or not answer.cheapest.is_exact or not price.without.is_exact:
        return ""
    saved = answer.cheapest.lower - price.without.lower
    if saved < 0:
        return f": beside the others it saves {decimal(-saved)}"
    return f": beside the others it adds {decimal(saved) if saved else 'nothing'}"


def _lines(number: int) -> str:
    return _count(number, "changed line")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


def _compared(cost: Fraction, other: Fraction | None, what: str) -> str:
    if other is None:
        return ""
    if cost == other:
        return f", as much as {what}"
    return f", {decimal(abs(cost - other))} {'more' if cost > other else 'less'} than {what}"


def interval_text(interval: Interval) -> str:
    """Return a cost, or what is known of it."""
    if interval.is_exact:
        return f"{decimal(interval.lower)} (proven)"
    known = "" if interval.upper is None else f" and at most {decimal(interval.upper)}"
    return f"at least {decimal(interval.lower)}{known} (not proven)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Findings):
    """What was found, as ``Findings`` has it."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the answer in words, one fact each."""
        return tuple(sentences(self))

    def _repr_html_(self) -> str:
        """Return the answer as a notebook shows it."""
        from validator.render.html.page import preformatted

        return preformatted(answer_text(self))


def answer_text(answer: Answer, *, color: bool = False) -> str:
    """Return an answer as text: what was asked, a sentence for each fact, the diff from the plan to the foil."""
    return "".join(f"{line}\n" for line in _answer_lines(answer, color))


def _answer_lines(answer: Answer, color: bool) -> Iterator[str]:
    for constraint in answer.constraints:
        yield f"Asked: {constraint}."
    yield from answer.sentences
    if answer.diff_text:
        yield ""
        yield from painted_diff(answer.diff_text, color)


def answer_value(answer: Answer) -> dict[str, object]:
    """Return an answer as plain values, under the names of its fields; steps and constraints are texts."""
    return {
        "constraints": [str(constraint) for constraint in answer.constraints],
        "possible": answer.possible,
        "reason": answer.reason,
        "sentences": list(answer.sentences),
        "plan": _side_value(answer.plan),
        "foil": _side_value(answer.foil),
        "edits": answer.edits,
        "nearest": answer.nearest,
        "changes": [str(diff) for diff in answer.changes],
        "diff": [str(diff) for diff in answer.diff],
        "best": _best_value(answer.best),
        "optimum": _interval_value(answer.optimum),
        "cheapest": _interval_value(answer.cheapest),
        "prices": [
            {
                "constraint": str(price.constraint),
                "alone": _interval_value(price.alone),
                "without": _interval_value(price.without),
            }
            for price in answer.prices
        ],
        "conflicts": [[str(constraint) for constraint in conflict] for conflict in answer.conflicts],
        "all_conflicts": answer.all_conflicts,
        "fitting": [[str(wish) for wish in fitting] for fitting in answer.fitting],
        "reasons": [
            {"kind": reason.kind, "conflict": list(map(str, reason.conflict)), "text": reason.text}
            for reason in answer.reasons
        ],
        "excuse": _excuse_value(answer.excuse),
    }


def _best_value(best: Cheapest | None) -> dict[str, object] | None:
    if best is None:
        return None
    return {
        **(_side_value(best.plan) or {}),
        "edits": best.edits,
        "proven": best.proven,
        "nearest": best.nearest,
        "changes": [str(diff) for diff in best.changes],
        "diff": [str(diff) for diff in best.diff],
    }


def _excuse_value(excuse: Excuse | None) -> dict[str, object] | None:
    if excuse is None:
        return None
    return {
        "changes": list(map(str, excuse.changes)),
        "proven": excuse.proven,
        "plan": _side_value(excuse.plan),
        "alternatives": [list(map(str, other)) for other in excuse.alternatives],
    }


def _side_value(side: Side | None) -> dict[str, object] | None:
    return None if side is None else {"steps": [str(step) for step in side.steps], "cost": plain(side.cost)}


def _interval_value(interval: Interval | None) -> dict[str, object] | None:
    return None if interval is None else {"lower": plain(interval.lower), "upper": plain(interval.upper)}
