"""What the metrics compare: a plan as the sequence of what happens in it, whatever form it was given in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Protocol, TypeAlias

from validator.execution.run import happenings
from validator.execution.simulator import Simulator
from validator.execution.trace import Trace
from validator.model.values import Model, features_text
from validator.reading.plan import Dialect, Ignored, NoPlan, Plan, Step, Token, Unparsed
from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.understood import unclear
from validator.records import dataclass, replace

Element: TypeAlias = Token | frozenset[Token]
"""What takes one place in a plan: a token, or the tokens that happen at once."""

_EMPTY_SET = re.compile(r"\{\s*\}")
"""an element of a line of commas at which nothing happens"""


Value: TypeAlias = float | int | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A value, or None where the metric is not defined or not known; ``reason`` says why, or what decided."""

    value: Value
    reason: str = ""


class HasSimulator(Protocol):
    """What ``validator.prepare`` returns."""

    @property
    def simulator(self) -> Simulator: ...


ModelLike: TypeAlias = Model | Simulator | HasSimulator


class UnexecutedError(ValueError):
    """A model with features that are read and not executed, or a plan whose text was not understood.

    What would need an execution is not known.
    """


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A plan as its elements in order: steps, and sets of steps that happen at once.

    Times are gone; only their order is left, in which steps at one time are a set. What could not be read is an element
    of its own, equal to the same text only.
    """

    elements: tuple[Element, ...]
    plan: Plan
    simulator: Simulator | None = None

    @cached_property
    def steps(self) -> tuple[Token, ...]:
        """Return the members of the elements, those of a set in the order of their text."""
        return tuple(step for element in self.elements for step in _members(element))

    @cached_property
    def bag(self) -> Counter[Token]:
        """Return how often each step occurs."""
        return Counter(self.steps)

    @cached_property
    def kinds(self) -> frozenset[Token]:
        """Return the different steps."""
        return frozenset(self.steps)

    @cached_property
    def trace(self) -> Trace:
        """Return the plan's execution.

        Raises ValueError without a model, UnexecutedError for some models and for a text that was not understood.
        """
        if self.simulator is None:
            raise ValueError("this metric needs a model: a PDDL domain and problem")
        if self.simulator.model.features:
            features = features_text(self.simulator.model.features)
            raise UnexecutedError(f"the model uses what is not executed: {features}")
        if self.unclear:
            raise UnexecutedError(self.unclear)
        return self.simulator.run(self.plan)

    @cached_property
    def unclear(self) -> str:
        """Return why it is not known what the plan's text says; empty where it is, also that there is no plan."""
        reading = self.plan.reading
        says_none = reading is not None and reading.no_plan in (NoPlan.CLAIM, NoPlan.GIVEN_UP)
        return "" if says_none else unclear(self.plan)

    @cached_property
    def happenings(self) -> tuple[tuple[int, ...], ...]:
        """Return the indices of the plan's tokens, those that happen at once together."""
        return tuple(map(tuple, happenings(self.plan.tokens)))


PlanLike: TypeAlias = str | Plan | Reading | Iterable[Token | str | AbstractSet[Token | str]]


def simulator_of(model: ModelLike) -> Simulator:
    """Return what executes plans on a model."""
    if isinstance(model, Simulator):
        return model
    if isinstance(model, Model):
        return Simulator(model)
    if not hasattr(model, "simulator"):
        raise TypeError(f"a model is what prepare(domain, problem) returns, not {type(model).__name__}")
    return model.simulator


def read(plan: PlanLike, model: ModelLike | None = None) -> Reading:
    """Return a plan ready to be compared.

    Takes a text in any dialect, GAICO's comma notation included, a ``Plan``, or steps: ``Step`` values, texts of one
    step each, and sets of both. With a model, names get the model's spelling. Raises PlanError for a text over a stated
    limit, TypeError for what is no plan.
    """
    if isinstance(plan, str):
        return _read_text(plan, None if model is None else simulator_of(model))
    if isinstance(plan, Reading):
        return plan if model is None or plan.simulator is not None else read(plan.plan, model)
    simulator = None if model is None else simulator_of(model)
    if isinstance(plan, Plan):
        return _of_plan(plan, simulator)
    if isinstance(plan, Iterable) and not isinstance(plan, bytes | bytearray | dict | AbstractSet):
        vocabulary = _vocabulary(simulator)
        return _of_elements([element for item in plan for element in _read_item(item, vocabulary)], simulator)
    raise TypeError(f"a plan is a text, a Plan or a sequence of steps, not {type(plan).__name__}: {plan!r:.80}")


def _read_text(text: str, simulator: Simulator | None) -> Reading:
    plan = tokenize(text, _vocabulary(simulator))
    if not plan.tokens and not text.strip(", \t\r\n"):
        plan = Plan(parts=(), text=text)  # a line of commas without anything between them
    return _of_plan(plan, simulator)


def _vocabulary(simulator: Simulator | None) -> Vocabulary | None:
    return None if simulator is None else Vocabulary.of(simulator.model)


def _read_item(item: object, vocabulary: Vocabulary | None) -> Iterator[Element]:
    """Yield the elements of one item of a sequence: a text has as many as the same text in a file."""
    if isinstance(item, str):
        plan = tokenize(item, vocabulary)
        yield from _elements(plan) if plan.tokens else (Unparsed(text=item, reason="no step could be read"),)
    elif isinstance(item, AbstractSet):
        inner = (element for member in item for element in _read_item(member, vocabulary))
        yield frozenset(token for element in inner for token in _members(element))
    elif isinstance(item, Token):
        yield item
    else:
        raise TypeError(f"a step is a Step or a text, not {type(item).__name__}: {item!r:.80}")


def _of_elements(elements: Sequence[Element], simulator: Simulator | None) -> Reading:
    shown = tuple(_resolved(element, simulator) for element in elements)
    parts: list[Token] = []
    for number, element in enumerate(shown):
        is_set = isinstance(element, frozenset)
        parts += [
            replace(token, concurrent=number) if is_set and isinstance(token, Step) else token
            for token in _members(element)
        ]
    return Reading(elements=shown, plan=Plan(parts=tuple(parts)), simulator=simulator)


def _of_plan(plan: Plan, simulator: Simulator | None) -> Reading:
    elements = tuple(_resolved(element, simulator) for element in _elements(plan))
    return Reading(elements=elements, plan=plan, simulator=simulator)


def _elements(plan: Plan) -> Iterator[Element]:
    """Yield what takes one place each, the empty sets of a line of commas among them."""
    tokens = plan.tokens or plan.unread
    ignored = [part for part in plan.parts if isinstance(part, Ignored)] if plan.dialect is Dialect.SETS else []
    empty = [(part.span, len(_EMPTY_SET.findall(part.text))) for part in ignored]
    for happening in happenings(tokens):
        members = [tokens[index] for index in happening]
        first = members[0]
        while empty and empty[0][0] < first.span:
            yield from [frozenset()] * empty.pop(0)[1]
        alone = len(members) == 1 and not (isinstance(first, Step) and first.concurrent is not None)
        yield first if alone else frozenset(members)
    for _, number in empty:
        yield from [frozenset()] * number


def _resolved(element: Element, simulator: Simulator | None) -> Element:
    """Return an element without times, its names as the model spells them."""
    if isinstance(element, frozenset):
        return frozenset(_bare(token, simulator) for token in element)
    return _bare(element, simulator)


def _bare(token: Token, simulator: Simulator | None) -> Token:
    if simulator is not None:
        token = simulator.resolve(token)
    if isinstance(token, Step) and (token.time, token.duration, token.concurrent) != (None, None, None):
        return replace(token, time=None, duration=None, concurrent=None)
    return token


def _members(element: Element) -> Iterator[Token]:
    if isinstance(element, frozenset):
        yield from sorted(element, key=str)
    else:
        yield element
