"""Questions one after the other about one plan: each may add to what was asked, drop some of it, or ask again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from fractions import Fraction
from typing import Any

from validator.checking.limits import DEFAULT_MEMORY_LIMIT
from validator.checking.prepared import Prepared
from validator.errors import InputError
from validator.foils.answer import Answer
from validator.foils.ask import why_not
from validator.foils.language.patterns import PDDL, View
from validator.reading.plan import Plan, Step, TimedStep, Token
from validator.reading.tokens import tokenize
from validator.reading.understood import unclear
from validator.records import dataclass, field, replace
from validator.texts import no_path

__all__ = ["Dialogue", "Subject", "Turn", "ask", "begin", "from_value", "subject_of", "to_value"]

_MOST_TURNS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One answer: the numbers of the questions that held then, from 1, and what came of them.

    ``steps`` and ``cost`` are those of the cheapest plan that was found, None without one; ``edits`` its changed lines.
    """

    active: tuple[int, ...]
    possible: bool | None
    sentences: tuple[str, ...]
    steps: tuple[str, ...] | None = None
    cost: Fraction | None = None
    edits: int | None = None
    proven: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """What was asked so far about a plan: ``questions`` in their words, which of them hold now, and the answers.

    ``model`` tells one model from another. ``plan`` is None until one is given or found.
    """

    model: str
    plan: tuple[str, ...] | None = None
    questions: tuple[str, ...] = ()
    active: tuple[int, ...] = ()
    turns: tuple[Turn, ...] = ()

    def adding(self, texts: Sequence[str]) -> Dialogue:
        """Return the dialogue with more questions; one that was asked before holds again."""
        questions, active = list(self.questions), list(self.active)
        for text in texts:
            if text not in questions:
                questions.append(text)
            number = questions.index(text) + 1
            active += [] if number in active else [number]
        return replace(self, questions=tuple(questions), active=tuple(sorted(active)))

    def dropping(self, numbers: Sequence[int]) -> Dialogue:
        """Return the dialogue without some questions, by number. Raises InputError for one that does not hold."""
        for number in numbers:
            if number not in self.active:
                held = ", ".join(map(str, self.active)) or "none"
                raise InputError(f"question {number} cannot be dropped; those that hold are: {held}")
        return replace(self, active=tuple(number for number in self.active if number not in numbers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a dialogue is about: a model, what tells it from others, how its steps are seen and called.

    ``plans`` are those that were read before, by their lines; others are read as steps of the model.
    """

    prepared: Prepared
    model: str
    view: View = PDDL
    plans: Mapping[tuple[str, ...], Plan] = field(default_factory=dict)

    def plan(self, steps: Sequence[str], there: Prepared | None = None) -> Plan:
        """Return the plan of some lines; ``there`` is the model after changes.

        Raises InputError for one of a flow that was found later: it was not read when the flow was compiled.
        """
        known = self.plans.get(tuple(steps))
        if known is None and steps and self.view is not PDDL:
            raise InputError("the flow was read before this plan was found; read it with the dialogue as it is now")
        return known or plan_of(steps, there or self.prepared)


def subject_of(about: Prepared | Subject) -> Subject:
    """Return a PDDL model as what a dialogue is about."""
    return about if isinstance(about, Subject) else Subject(prepared=about, model=_fingerprint(about))


def begin(about: Prepared | Subject, plan: Plan | Sequence[str] | None) -> Dialogue:
    """Return a dialogue in which nothing was asked yet, about a plan or its lines.

    Raises InputError for a plan of whose text a piece was not understood.
    """
    if isinstance(plan, Plan) and (why := unclear(plan)):
        raise InputError(f"{why} (the plan)")
    steps = plan if not isinstance(plan, Plan) else tuple(map(_line, plan.tokens or plan.unread))
    return Dialogue(model=subject_of(about).model, plan=None if steps is None else tuple(steps))


def ask(
    dialogue: Dialogue,
    about: Prepared | Subject,
    add: Sequence[str] = (),
    drop: Sequence[int] = (),
    *,
    time_limit: float = 10.0,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> tuple[Dialogue, Answer]:
    """Ask all questions that hold after some were added and dropped; without either, ask again.

    Raises InputError for a question that cannot be read, when none is left, and for another model than before.
    """
    subject = subject_of(about)
    if dialogue.model != subject.model:
        raise InputError("the dialogue is about another model")
    if len(dialogue.turns) >= _MOST_TURNS:
        raise InputError(f"the dialogue has {_MOST_TURNS} answers, which is the limit")
    asked = dialogue.dropping(drop).adding(add)
    if not asked.active:
        raise InputError("no question is left; ask one")
    answer = why_not(
        subject.prepared,
        plan=None if asked.plan is None else subject.plan(asked.plan),
        constraints=[asked.questions[number - 1] for number in asked.active],
        view=subject.view,
        time_limit=time_limit,
        memory_limit=memory_limit,
    )
    if asked.plan is None and answer.plan is not None:
        asked = replace(asked, plan=tuple(map(str, answer.plan.steps)))
    return replace(asked, turns=(*asked.turns, _turn(asked, answer))), answer


def _line(token: Token) -> str:
    """Return a step as it can be read again, with its time."""
    return str(TimedStep.of(token) if isinstance(token, Step) else token)


def _turn(asked: Dialogue, answer: Answer) -> Turn:
    best = answer.best
    side = answer.foil if best is None else best.plan
    return Turn(
        active=asked.active,
        possible=answer.possible,
        sentences=answer.sentences,
        steps=None if side is None else tuple(map(str, side.steps)),
        cost=None if side is None else side.cost,
        edits=None if side is None else (answer.edits if best is None else best.edits),
        proven=best is not None and best.proven,
    )


def plan_of(steps: Sequence[str], prepared: Prepared) -> Plan:
    """Read the steps of a plan again."""
    read = tokenize(no_path("\n".join(steps)), prepared.vocabulary)
    plain = (
        Step(name=each.name, args=each.args, time=each.time, duration=each.duration) if type(each) is Step else each
        for each in read.tokens or read.unread
    )
    return Plan(parts=tuple(plain))


def _fingerprint(prepared: Prepared) -> str:
    """Return what tells models apart, however they are written: all that their values say."""
    model = prepared.model
    return hashlib.sha256(f"{_told(model.domain)}\n{_told(model.problem)}".encode()).hexdigest()[:16]


_NOT_TOLD = frozenset(("features", "source", "warnings"))
"""of a model: where in its text something stands"""


def _told(value: object) -> str:
    """Return a value in words, those of sets and mappings in an order of their own."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{_told(key)}: {_told(one)}' for key, one in value.items()))}}}"
    if isinstance(value, (frozenset, set)):
        return f"{{{', '.join(sorted(map(_told, value)))}}}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_told, value))})"
    if is_dataclass(value):
        names = (one.name for one in fields(value) if one.name not in _NOT_TOLD)
        return f"{type(value).__name__}({', '.join(_told(getattr(value, name)) for name in names)})"
    return repr(value)


def to_value(dialogue: Dialogue) -> dict[str, Any]:
    """Return a dialogue as plain values; costs are exact texts."""
    turns = [{**asdict(turn), "cost": None if turn.cost is None else str(turn.cost)} for turn in dialogue.turns]
    return {"version": 1, **asdict(dialogue), "turns": turns}


def from_value(value: Mapping[str, Any]) -> Dialogue:
    """Return a dialogue of plain values. Raises InputError for what is none."""
    try:
        if value["version"] != 1:
            raise InputError(f"the dialogue is of version {value['version']!r:.20}, not 1")
        turns = tuple(_turn_of(turn) for turn in value["turns"])
        found = Dialogue(
            model=str(value["model"]),
            plan=None if value["plan"] is None else _texts(value["plan"]),
            questions=_texts(value["questions"]),
            active=_numbers(value["active"]),
            turns=turns,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"this is no dialogue: {error!r:.100}") from None
    numbers = {*found.active, *(number for turn in turns for number in turn.active)}
    if not numbers <= set(range(1, len(found.questions) + 1)):
        raise InputError("this is no dialogue: it speaks of questions that it does not have")
    return found


def _turn_of(value: Mapping[str, Any]) -> Turn:
    known = {"active", "possible", "sentences", "steps", "cost", "edits", "proven"}
    if value.keys() != known or value["possible"] not in (True, False, None):
        raise TypeError(f"a turn has {', '.join(sorted(known))}")
    return Turn(
        active=_numbers(value["active"]),
        possible=value["possible"],
        sentences=_texts(value["sentences"]),
        steps=None if value["steps"] is None else _texts(value["steps"]),
        cost=None if value["cost"] is None else Fraction(str(value["cost"])),
        edits=None if value["edits"] is None else int(value["edits"]),
        proven=value["proven"] is True,
    )


def _texts(value: Sequence[Any]) -> tuple[str, ...]:
    if isinstance(value, str) or not all(isinstance(each, str) for each in value):
        raise TypeError("a list of texts was expected")
    return tuple(value)


def _numbers(value: Sequence[Any]) -> tuple[int, ...]:
    if isinstance(value, str) or not all(type(each) is int for each in value):
        raise TypeError("a list of numbers was expected")
    return tuple(value)
