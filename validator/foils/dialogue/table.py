"""The plans of a dialogue side by side: what each costs, how much it changes, and which of all questions it answers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from validator.automata.properties import WithinCost
from validator.automata.world import keeps
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError
from validator.foils.beyond.model import constrained_model
from validator.foils.changed.changes import Change, changed
from validator.foils.compiled.solve import changes_of, constraints_of
from validator.foils.dialogue.dialogue import Dialogue, Subject, subject_of
from validator.foils.findings import Wish
from validator.foils.language.asked import Asked
from validator.foils.language.patterns import names_of
from validator.foils.language.read import read_question
from validator.foils.view import PDDL, View
from validator.reading.plan import Plan, Step
from validator.records import dataclass

__all__ = ["Row", "rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One plan: the number of its answer, 0 for the plan that is asked about; ``met`` says of each question whether
    the plan keeps to it, None where that cannot be said."""

    number: int
    active: tuple[int, ...]
    possible: bool | None
    steps: tuple[str, ...] | None
    cost: Fraction | None
    edits: int | None
    proven: bool
    met: tuple[bool | None, ...]


def rows(dialogue: Dialogue, about: Prepared | Subject) -> list[Row]:
    """Return the plan and what came of each answer."""
    if dialogue.plan is None:
        return []
    subject = subject_of(about)
    wishes = _wishes(dialogue, subject)
    own = _row(subject, wishes, 0, (), dialogue.plan)
    found = [own]
    for number, turn in enumerate(dialogue.turns, start=1):
        row = _row(subject, wishes, number, turn.active, turn.steps)
        found.append(
            Row(
                number=number,
                active=turn.active,
                possible=turn.possible,
                steps=turn.steps,
                cost=None if turn.cost is None else Fraction(turn.cost),
                edits=turn.edits,
                proven=turn.proven,
                met=row.met,
            )
        )
    return found


def _wishes(dialogue: Dialogue, subject: Subject) -> list[tuple[Wish, ...]]:
    """Return what each question asks for."""
    assert dialogue.plan is not None
    simulator = subject.prepared.simulator
    asked = Asked(
        simulator=simulator,
        names=subject.names or names_of(simulator),
        view=subject.view,
        plan=subject.plan(dialogue.plan),
        has_facts=subject.view is PDDL,
    )
    return [read_question(text, asked).constraints for text in dialogue.questions]


def _row(
    subject: Subject,
    wishes: Sequence[tuple[Wish, ...]],
    number: int,
    active: Sequence[int],
    steps: tuple[str, ...] | None,
) -> Row:
    changes = [wish for place in active for wish in changes_of(wishes[place - 1])]
    prepared = subject.prepared
    there = _changed(prepared, changes)
    plan = None if steps is None or there is None else subject.plan(steps, there)
    is_valid, cost = (None, None) if plan is None or there is None else _executed(there, plan)
    return Row(
        number=number,
        active=tuple(active),
        possible=None if number else is_valid is True,
        steps=steps,
        cost=cost,
        edits=0,
        proven=False,
        met=tuple(
            _met(there, _changed(prepared, [*changes, *changes_of(each)]), each, plan, cost, subject.view)
            for each in wishes
        ),
    )


def _met(
    there: Prepared | None,
    other: Prepared | None,
    asked: Sequence[Wish],
    plan: Plan | None,
    cost: Fraction | None,
    view: View,
) -> bool | None:
    """Return whether a plan keeps to a question; to one that changes the model, if it is valid in the ``other``."""
    if plan is None or there is None:
        return None
    if other is None or (changes_of(asked) and not _executed(other, plan)[0]):
        return False
    constraints = constraints_of(asked)
    budgets = [each.cost for each in constraints if isinstance(each, WithinCost)]
    if budgets and (cost is None or cost > min(budgets)):
        return False
    if there.model.features:
        # What is asked of such a model is written into it: a plan that is valid there keeps to it.
        return _executed(prepare(constrained_model(there.model, constraints)), plan)[0] if cost is not None else None
    steps = [step for step in map(there.simulator.resolve, plan.tokens) if isinstance(step, Step)]
    return keeps(there.simulator, constraints, steps, view.show)


def _executed(model: Prepared, plan: Plan) -> tuple[bool | None, Fraction | None]:
    """Return whether a plan is valid, and what it costs if it is."""
    if not model.model.features:
        trace = model.simulator.run(plan)
        return trace.is_valid, trace.cost if trace.is_valid else None
    report = check(model, None, plan, repair=False, strict=True)
    return report.determination, report.cost if report.determination else None


def _changed(prepared: Prepared, changes: Sequence[Change]) -> Prepared | None:
    try:
        return prepare(changed(prepared.model, dict.fromkeys(changes))) if changes else prepared
    except InputError:  # changes that exclude each other
        return None
