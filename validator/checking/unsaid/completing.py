"""What a plan is that leaves arguments out: the state tells, and where it leaves a choice, all that can be executed.

"Move to room2" says neither who moves nor from where. Of the steps that it can be, those are meant that can be executed
where it stands: all beginnings of the plan are followed side by side, and a beginning that cannot go on was not meant.
A plan is understood so only if at least one way to fill it in can be executed to its end, and all such ways agree on
the quality. Where none can be, nothing is said of the plan: a step that cannot be executed may as well be misread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from validator.checking.question import Question
from validator.checking.report import Quality
from validator.checking.unsaid.fillings import fillings
from validator.model.derived.atoms import Atoms
from validator.model.values import GroundAtom
from validator.reading.plan import Plan, Step, Token, Unparsed
from validator.reading.understood import Filled
from validator.records import dataclass, replace

__all__ = ["filled"]

_MOST_STATES = 100
"""after one step, that are followed"""
_MOST_TRIED = 5_000
"""steps that are executed"""
_MOST_LOOKED_AT = 5_000_000
"""atoms of states that are looked at"""
_MOST_SAID = 8
"""steps of which a warning says how they were filled in"""

_WORD = re.compile(r"[\w-]+")
_ARGUMENTS = re.compile(r"^\W{0,9}\w+(?:[ ]\w+)?\W{0,9}[:=|]|^\s{0,9}(?:[-*+•|]|\d+[.)])\s", re.MULTILINE)
"""what may begin a line of arguments: a label, the sign of an item"""

_State: TypeAlias = frozenset[GroundAtom]


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to fill in the beginning of a plan; ``rivals`` counts what else its last step could have been."""

    before: _Way | None
    step: Step
    rivals: int = 0

    def steps(self) -> list[_Way]:
        found: list[_Way] = []
        way: _Way | None = self
        while way is not None:
            found.append(way)
            way = way.before
        return found[::-1]


def filled(question: Question, plan: Plan) -> Filled | None:
    """Return a plan with what it leaves out, or why that cannot be told; None for a plan that leaves out nothing.

    Plans over time and models whose states are more than atoms are not filled in.
    """
    tokens = plan.tokens
    if not all(isinstance(token, Step) or (isinstance(token, Unparsed) and token.ways) for token in tokens):
        return None
    is_placed = any(isinstance(token, Step) and (token.time, token.concurrent) != (None, None) for token in tokens)
    if question.model.features or is_placed or not any(isinstance(token, Unparsed) for token in tokens):
        return None
    if any(_names_more(question, plan, token, until) for token, until in _pieces(plan)):
        return Filled(why_not="objects are named beside it, so that it may say more than was read")
    return _Filling(question, plan).told()


def _pieces(plan: Plan) -> Iterator[tuple[Unparsed, int]]:
    """Yield what leaves something out, each with where the next step begins; the last, where its paragraph ends.

    Below the last step stands what is said of the plan, unless arguments have labels of their own there.
    """
    ends = [token.span[0] for token in plan.tokens[1:]]
    last = plan.tokens[-1].span[1]
    paragraph = plan.text.find("\n\n", last)
    is_told = paragraph >= 0 and _ARGUMENTS.search(plan.text, paragraph) is None
    for token, end in zip(plan.tokens, (*ends, paragraph if is_told else len(plan.text)), strict=True):
        if isinstance(token, Unparsed):
            yield token, end


def _names_more(question: Question, plan: Plan, token: Unparsed, until: int) -> bool:
    """Return whether an object is named behind a piece, before the next step: as an argument in another notation."""
    words = _WORD.findall(plan.text[token.span[1] : until].lower())
    return not question.prepared.vocabulary.objects.isdisjoint(words)


class _Filling:
    """One plan while it is filled in."""

    def __init__(self, question: Question, plan: Plan) -> None:
        self.question = question
        self.plan = plan
        self.simulator = question.simulator
        self.tried = self.looked_at = 0
        self.has_too_many = False

    def told(self) -> Filled:
        layer: dict[_State, _Way | None] = {self.question.model.problem.init: None}
        for token in self.plan.tokens:
            layer = self._after(layer, token)
            if self.has_too_many or len(layer) > _MOST_STATES:
                return Filled(why_not="there are too many ways to fill in what is left out")
            if not layer:
                return Filled(why_not=f"{_line(self.plan, token)} cannot be executed, whatever it leaves out")
        return self._agreed(layer)

    def _after(self, layer: dict[_State, _Way | None], token: Token) -> dict[_State, _Way | None]:
        """Return the states in which a token can end, each with one way to get there."""
        found: dict[_State, _Way | None] = {}
        for state, before in layer.items():
            done = [(step, end) for step in self._steps(token, state) if (end := self._end(state, step)) is not None]
            for step, end in done:
                found.setdefault(end, _Way(before, step, len(done) - 1))
            if self.has_too_many or len(found) > _MOST_STATES:
                break
        return found

    def _steps(self, token: Token, state: _State) -> Sequence[Step]:
        """Return the steps that a token can be in a state, in the order of their names."""
        if isinstance(token, Step):
            resolved = self.simulator.resolve(token)
            assert isinstance(resolved, Step)
            return (resolved,)
        assert isinstance(token, Unparsed)
        self.looked_at += len(state)
        atoms = Atoms()
        atoms.add(state)
        every = (step for way in token.ways for step in fillings(self.simulator, way, atoms))
        found = set(islice(every, _MOST_TRIED))
        self.has_too_many |= len(found) > _MOST_STATES
        return sorted(found, key=lambda step: (step.name, step.args))

    def _end(self, state: _State, step: Step) -> _State | None:
        """Return the state behind a step; None where it cannot be executed."""
        self.tried += 1
        self.looked_at += len(state)
        self.has_too_many |= self.tried > _MOST_TRIED or self.looked_at > _MOST_LOOKED_AT
        trace = self.simulator.run_from(state, (step,), with_goal=False)
        *_, end = trace.states()
        return end if trace.is_sound else None

    def _agreed(self, layer: dict[_State, _Way | None]) -> Filled:
        """Return the plan where all ways that can be executed agree."""
        goals = {state: not self.simulator.goal_parts(state) for state in layer}
        quality = self.question.quality
        way = next(iter(layer.values()))
        assert way is not None
        ways = way.steps()
        if quality is not Quality.SOUND and not all(goals.values()):
            some = "only some ways" if any(goals.values()) else "none of the ways"
            return Filled(why_not=f"{some} to fill in what is left out reach the goal")
        if quality is Quality.OPTIMAL and (len(layer) > 1 or any(one.rivals for one in ways)):
            return Filled(why_not="what is left out can be filled in in several ways, whose costs may differ")
        return Filled(plan=_said(self.plan, ways))


def _said(plan: Plan, ways: Sequence[_Way]) -> Plan:
    """Return a plan with the steps of a way in the places of what leaves something out, and warnings that say so."""
    steps = {token.span: way for token, way in zip(plan.tokens, ways, strict=True) if isinstance(token, Unparsed)}
    parts = tuple(
        replace(steps[part.span].step, span=part.span) if isinstance(part, Unparsed) else part for part in plan.parts
    )
    warnings = [
        f"{_line(plan, token)} was read as {way.step}: {_chosen(way)}"
        for token, way in zip(plan.tokens, ways, strict=True)
        if isinstance(token, Unparsed)
    ]
    if len(warnings) > _MOST_SAID:
        warnings[_MOST_SAID:] = [f"what {len(warnings) - _MOST_SAID} more steps leave out was filled in likewise"]
    return replace(plan, parts=parts, warnings=(*plan.warnings, *warnings))


def _chosen(way: _Way) -> str:
    if not way.rivals:
        return "it can be nothing else there"
    return f"one of {way.rivals + 1} steps that it can be there"


def _line(plan: Plan, token: Token) -> str:
    text = " ".join(plan.text[slice(*token.span)].split())
    return f"line {plan.text.count(chr(10), 0, token.span[0]) + 1}: {text!r:.80}"
