"""Answers about plans: plans beside each other, their costs, what stands in the way; in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from fractions import Fraction

from validator.checking.report import Interval
from validator.foils.changes import Goal, Wish
from validator.reading.plan import Token
from validator.records import dataclass
from validator.render.json import plain
from validator.render.printed import Printed
from validator.render.text import painted_diff
from validator.repair.diff import DiffAction, StepDiff, unified
from validator.texts import MOST_LISTED, counted, decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A plan and its cost; without a cost when it is not valid, or the model's metric is not executed."""

    steps: tuple[Token, ...]
    cost: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cheapest:
    """A cheapest plan that does what was asked and, among those, the nearest.

    ``changes`` lead to it from the user's foil or, without one, from the plan; ``diff`` from the plan. ``proven`` says
    that none is cheaper, ``nearest`` that none as cheap has fewer changes.
    """

    plan: Side
    changes: tuple[StepDiff, ...] = ()
    diff: tuple[StepDiff, ...] = ()
    proven: bool = False
    nearest: bool = False

    @property
    def edits(self) -> int:
        """Return the number of changed lines."""
        return sum(diff.diff_type is not None for diff in self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why wishes cannot be met together, as a sentence; each is proven. ``kind`` says how it was found."""

    kind: str
    conflict: tuple[Wish | Goal, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Answer(Printed):
    """What was found.

    - ``possible``: whether a plan does what was asked; None when that is not known, and ``reason`` says why.
    - ``facts``: what executing the plan, the foil and parts of them says, a sentence each.
    - ``plan``: the plan that the question is about; None when none was given and none was found.
    - ``foil``: the plan that does what was asked and is nearest to the user's foil or, without one, to ``plan``.
      ``changes`` lead to it from there, ``nearest`` says that no fewer changed lines would do (proven).
    - ``diff``: from ``plan`` to ``foil``; empty without a plan.
    - ``best``: the cheapest plan that does what was asked, and of these the nearest; None where costs are not known.
    - ``links``: what the changed steps are there for, as causal links, a sentence each.
    - ``optimum``: the cost of the model's cheapest plan; ``cheapest``: that of the cheapest one that keeps to
      ``constraints``.
    - ``conflicts``: the smallest sets of constraints that cannot hold together; ``all_conflicts`` says that there are
      no others. An empty set: the model has no plan at all.
    - ``fitting``: the largest sets of wishes that can hold together, where not all can; without ``all_conflicts`` there
      may be larger ones.
    - ``reasons``: why not, a sentence for each conflict.
    - ``has_own_foil``: whether the user gave a foil.
    """

    constraints: tuple[Wish, ...]
    possible: bool | None
    reason: str = ""
    facts: tuple[str, ...] = ()
    plan: Side | None = None
    foil: Side | None = None
    changes: tuple[StepDiff, ...] = ()
    nearest: bool = False
    diff: tuple[StepDiff, ...] = ()
    links: tuple[str, ...] = ()
    optimum: Interval | None = None
    best: Cheapest | None = None
    cheapest: Interval | None = None
    conflicts: tuple[tuple[Wish | Goal, ...], ...] = ()
    fitting: tuple[tuple[Wish | Goal, ...], ...] = ()
    all_conflicts: bool = False
    reasons: tuple[Reason, ...] = ()
    has_own_foil: bool = False

    @property
    def edits(self) -> int:
        """Return the number of changed lines of the nearest plan."""
        return sum(diff.diff_type is not None for diff in self.changes)

    @property
    def shown(self) -> Cheapest | None:
        """Return the cheapest plan where it is another one than the nearest."""
        if self.best is None or self.foil is None:
            return None
        is_as_good = self.best.plan.cost == self.foil.cost and self.best.edits == self.edits
        return None if is_as_good or self.best.plan.steps == self.foil.steps else self.best

    @property
    def diff_text(self) -> str:
        """Return the diffs as git shows them, all lines as context: the user's foil repaired, the plan to each plan."""
        repaired = unified(self.changes, name="foil") if self.has_own_foil else ""
        nearest = unified(self.diff).replace("+++ plan (repaired)\n", "+++ foil\n", 1)
        if self.shown is None:
            return repaired + nearest
        cheapest = unified(self.shown.diff).replace("+++ plan (repaired)\n", "+++ cheapest\n", 1)
        return cheapest + repaired + nearest.replace("+++ foil\n", "+++ nearest\n", 1)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the answer in words, one fact each."""
        return tuple(_sentences(self))

    @property
    def text(self) -> str:
        return answer_text(self)

    def _headline(self) -> str:
        return next(iter(self.sentences), "")


def _sentences(answer: Answer) -> Iterator[str]:
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


def _impossible(answer: Answer) -> Iterator[str]:
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


def _fitting(answer: Answer) -> Iterator[str]:
    most = ", and no more with them" if answer.all_conflicts else ""  # where all was decided
    for fitting in answer.fitting[:MOST_LISTED]:
        if fitting:
            yield f"These can be met together{most}: {'; '.join(map(str, fitting))}."
    if len(answer.fitting) > MOST_LISTED:
        yield f"There are {len(answer.fitting) - MOST_LISTED} more such sets."


def _best(answer: Answer, best: Cheapest) -> Iterator[str]:
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
    yield f"It has {counted(best.edits, 'changed line')} ({near})."


def _nearest(answer: Answer, foil: Side) -> Iterator[str]:
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
    changed = counted(answer.edits, "changed line")
    yield f"The {wanted} with the fewest changes to the {start} ({proof}) has {changed}{cost}."
    if answer.shown is not None and _only_adds(answer.changes) and not answer.has_own_foil:
        yield "It is the whole plan with steps added that serve nothing but the question."


def _only_adds(changes: Sequence[StepDiff]) -> bool:
    return all(diff.diff_type in (None, DiffAction.ADD) for diff in changes)


def _costs(answer: Answer) -> Iterator[str]:
    plan, foil = answer.plan, answer.foil
    if plan is not None and plan.cost is not None:
        other = None if foil is None or answer.best is not None else foil.cost
        yield f"The plan costs {decimal(plan.cost)}{_compared(plan.cost, other, 'that')}."
    if answer.cheapest is not None and answer.best is None and answer.constraints:
        yield f"The cheapest plan that does this costs {interval_text(answer.cheapest)}."
    if answer.optimum is not None:
        yield f"The cheapest plan of all costs {interval_text(answer.optimum)}."


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
    return {name: _value(getattr(answer, name)) for name in _IN_JSON}


_IN_JSON = (
    *("constraints", "possible", "reason", "sentences", "plan", "foil", "edits", "nearest", "changes", "diff", "best"),
    *("optimum", "cheapest", "conflicts", "all_conflicts", "fitting", "reasons"),
)


def _value(value: object) -> object:
    if isinstance(value, tuple):
        return [_value(each) for each in value]
    if isinstance(value, Cheapest):
        plan = {"steps": value.plan.steps, "cost": value.plan.cost, "edits": value.edits, "proven": value.proven}
        found = {**plan, "nearest": value.nearest, "changes": value.changes, "diff": value.diff}
        return {name: _value(each) for name, each in found.items()}
    if isinstance(value, Side | Interval | Reason):
        return {field.name: _value(getattr(value, field.name)) for field in fields(value)}
    return plain(value) if value is None or isinstance(value, bool | int | Fraction) else str(value)
