"""The silent steps of a flow, which no call of a tool shows: questions, mappings, confirmations, assertions.

A trace of tool calls mostly lacks them; process mining calls such steps silent (van der Aalst 2016, "Process Mining").
A call that could not be made without one shows that it was done, wherever the flow allows it. ``Unrecorded`` looks for
them right before each call; ``arrange`` proves where it finds no way, for a mapping may have been needed earlier: the
value of an output is lost when its operator runs again.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from validator.checking.prepared import Prepared
from validator.execution.simulator import Simulator
from validator.flow.compiled.analysis import Analysis
from validator.flow.compiled.compile import Compiled
from validator.flow.plans.tokens import BASIC
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.strategies import optimal_strategy
from validator.model.conditions import bindings, ground
from validator.model.values import Conditional, GroundAtom, literals_of
from validator.reading.plan import Constraint, Step, Token
from validator.records import dataclass
from validator.repair.edit import Move, Weighting, compile_edit

__all__ = ["KINDS", "Unrecorded", "arrange", "kind_of"]

_MOST_TRIES = 1_000
"""so many steps are tried where all ways to a call are looked at: some 50 milliseconds"""
_MOST_ACTIONS = 200
"""so many of the actions for one call are tried: one for each choice of items that may stand for its inputs"""

KINDS = frozenset((*BASIC, "assert"))
"""the kinds of steps that need no tool"""


def kind_of(token: Token) -> str:
    """Return the kind of a step of a flow: ``assert`` for a constraint, else its name."""
    return "assert" if isinstance(token, Constraint) else token.name if isinstance(token, Step) else ""


@dataclass(frozen=True, slots=True)
class _Way:
    """Steps of the model that were found, and the state behind them."""

    steps: tuple[Step, ...]
    state: frozenset[GroundAtom]


class Unrecorded:
    """Finds the steps of some ``kinds`` that were done before a call. No planner takes part.

    They are looked for condition by condition, and none is taken back. Of several, the first of this order is taken: a
    confirmation, a mapping of an item that is known, a question for the item, a question for one that is then mapped.
    """

    def __init__(self, compiled: Compiled, simulator: Simulator, analysis: Analysis, kinds: frozenset[str]) -> None:
        self._compiled = compiled
        self._simulator = simulator
        self._kinds = kinds
        self._analysis = analysis
        self._words = compiled.words
        self._closures: dict[tuple[frozenset[GroundAtom], frozenset[Step]], frozenset[GroundAtom]] = {}
        self._is_told_apart = compiled.flow.options.multi_instance  # which item stands for an input

    def before(
        self, state: frozenset[GroundAtom], step: Step, wanted: Mapping[str, Sequence[str]]
    ) -> tuple[tuple[Step, ...], frozenset[GroundAtom]]:
        """Return the steps of the model that were done before a step, and the state behind them.

        ``wanted`` are, for inputs of the step, the items that may have stood for them, the likeliest first. What cannot
        be brought about is left as it is, so that the step itself fails.
        """
        way = _Way((), state)
        for item, sources in wanted.items():
            tried = (self._stand(way, source, item) for source in sources)
            way = next((found for found in tried if found is not None), way)
        unmet = self._simulator.unmet(way.state, step)
        likeliest = sorted(unmet, key=lambda action: len(unmet[action]))[:_MOST_ACTIONS]
        best = way
        for number, action in enumerate(likeliest):
            found = self._toward(way, step, action)
            if not self._simulator.unmet(found.state, step)[action]:
                return found.steps, found.state
            best = best if number else found
        return best.steps, best.state

    def all_before(
        self, state: frozenset[GroundAtom], step: Step
    ) -> tuple[tuple[Step, ...], frozenset[GroundAtom]] | Literal["none", "open"]:
        """Return the fewest steps before a step and the state behind them, of all that there are.

        "none" where none will do, which is proven, and "open" where they are too many to be looked at.
        """
        for way in self._ways(state):
            if way is None:
                return "open"
            if self._simulator.run_from(way.state, (step,), with_goal=False).is_sound:
                return way.steps, way.state
        return "none"

    def could_be(self, step: Step, *states: frozenset[GroundAtom], behind: Iterable[Token] = ()) -> bool:
        """Return whether what a step needs may have been brought about in some of the states that a run went through.

        That is by silent steps, and by steps ``behind`` which it may stand. What must not be is left out, and all that
        could be true at once is taken for true: nothing is ever deleted (the delete relaxation).
        """
        malformed = self._simulator.malformed
        steps = frozenset(each for each in behind if isinstance(each, Step) and not malformed(0, each))
        return bool(self._possible(self._reached(frozenset[GroundAtom]().union(*states), steps), step))

    def is_possible(self, step: Token, behind: Sequence[Token]) -> bool:
        """Return whether a step of the model may be executable behind others; False is a proof that it is not."""
        if not isinstance(step, Step) or not self._has_a_try_left(step, behind):
            return not isinstance(step, Step)
        return self.could_be(step, self._simulator.model.problem.init, behind=behind)

    def _has_a_try_left(self, step: Step, behind: Sequence[Token]) -> bool:
        """Return whether there are more actions for a call than it was made: each can be executed once."""
        options, name = self._compiled.flow.options, self._operator(step)
        if name is None or not (options.retries or options.multi_instance):
            return True
        return sum(self._operator(each) == name for each in behind) < len(self._simulator.ways[step.name])

    def _operator(self, step: Token) -> str | None:
        """Return the operator that a step of the model calls; None for any other step."""
        shown = self._compiled.shown.get(step.name) if isinstance(step, Step) and not step.args else None
        return shown.name if isinstance(shown, Step) and shown.name not in BASIC else None

    def _reached(self, atoms: frozenset[GroundAtom], steps: frozenset[Step]) -> frozenset[GroundAtom]:
        """Return what silent steps and others can bring about at all from some atoms."""
        if (atoms, steps) not in self._closures:
            self._closures.clear()
            before, found = frozenset[GroundAtom](), atoms
            while len(found) > len(before):
                before = found
                found = before.union(*(self._added(before, each) for each in (*self._silent, *steps)))
            self._closures[atoms, steps] = found
        return self._closures[atoms, steps]

    def _added(self, state: frozenset[GroundAtom], step: Step) -> Iterator[GroundAtom]:
        """Yield what a step may make true where nothing is ever deleted."""
        for action in self._possible(state, step):
            schema = self._simulator.schema(action)
            for effect in schema.action.effects:
                parameters = effect.parameters if isinstance(effect, Conditional) else ()
                for binding in bindings(self._simulator.model, parameters, schema.binding(step.args)):
                    yield from (ground(literal.atom, binding) for literal in literals_of((effect,)))

    def _possible(self, state: frozenset[GroundAtom], step: Step) -> list[str]:
        """Return the actions for a step that lack nothing in a state but what must not be, or one of several things."""
        unmet = self._simulator.unmet(state, step)
        return [name for name, lacks in unmet.items() if all(lack.startswith(("(not ", "(or ")) for lack in lacks)]

    @cached_property
    def _silent(self) -> tuple[Step, ...]:
        """Return the model's steps for all that no call shows, where it has actions for them."""
        steps = (self._compiled.inner(token) for token in self._tokens if kind_of(token) in self._kinds)
        return tuple(step for step in steps if step is not None and not self._simulator.malformed(0, step))

    def _ways(self, state: frozenset[GroundAtom]) -> Iterator[_Way | None]:
        """Yield a way to each state that steps lead to which no call shows; at last None where they are too many."""
        seen, waiting, tries = {state}, deque([_Way((), state)]), 0
        while waiting:
            way = waiting.popleft()
            yield way
            for token in self._tokens:
                if tries == _MOST_TRIES:
                    yield None
                    return
                tries += 1
                found = self._do(way, token)
                if found is not None and found.state not in seen:
                    seen.add(found.state)
                    waiting.append(found)

    @cached_property
    def _tokens(self) -> tuple[Step | Constraint, ...]:
        """Return all steps that no call shows."""
        items = self._compiled.items
        asked = [question for item in items for question in self._questions(item)]
        mapped = [
            Step(name="map", args=(source, item))
            for item in items
            for source in dict.fromkeys((*self._analysis.sources(item), item))
        ]
        sure = [Step(name="confirm", args=(item,)) for item in items]
        said = [Constraint(text=text, holds=holds) for text in self._compiled.constraints for holds in (True, False)]
        return tuple(dict.fromkeys((*sure, *mapped, *asked, *said)))

    def _toward(self, way: _Way, step: Step, action: str) -> _Way:
        """Return a way that brings about all it can of what one of the actions for a step needs."""
        waiting = list(self._simulator.unmet(way.state, step)[action])
        tried = set()
        while waiting:
            literal = waiting.pop(0)
            found = None if literal in tried else self._achieve(way, literal)
            tried.add(literal)
            if found is not None:
                way, waiting = found, list(self._simulator.unmet(found.state, step)[action])
        return way

    def _achieve(self, way: _Way, literal: str) -> _Way | None:
        """Return a way to a literal, which is PDDL text."""
        if literal.startswith("(or "):
            parts = (self._achieve(way, atom) for atom in _ATOM.findall(literal))
            return next((part for part in parts if part is not None), None)
        match = _ATOM.search(literal)
        name, *terms = match[0].strip("()").split() if match else [""]
        words = [self._words.get(term, term) for term in terms]
        if literal.startswith("(not "):
            return self._do(way, Step(name="confirm", args=(words[0],))) if name == "uncertain" else None
        match name:
            case "known" | "usable":
                return self._any(way, words[0], name)
            case "true" | "false":
                return self._decide(way, words[0], holds=name == "true")
            case "stands-for":
                return self._stand(way, *words)
        return None

    # --- one condition -------------------------------------------------------------------------

    def _any(self, way: _Way, item: str, predicate: str = "known") -> _Way | None:
        """Return a way by which an item is known (or usable), whatever stands for it."""
        atom = self._atom(predicate, item)
        if atom in way.state:
            return way
        sources = self._analysis.sources(item)
        known = [source for source in sources if self._is_known(way, source)]
        first = [item] if self._atom("uncertain", item) in way.state else []
        ways = (self._stand(way, source, item) for source in dict.fromkeys((*first, *known, item, *sources)))
        return next((found for found in ways if found is not None and atom in found.state), None)

    def _stand(self, way: _Way, source: str, item: str) -> _Way | None:
        """Return a way by which the value of an item stands for an input: its own, or another one's by a mapping."""
        first = way if self._is_known(way, source) else self._own(way, source)
        if first is None:
            return None
        stands = not self._is_told_apart or self._atom("stands-for", source, item) in first.state
        if self._is_known(first, item) and stands:
            return first
        mapped = self._confirmed(first, item, Step(name="map", args=(source, item)))
        return first if mapped is None and source == item else mapped

    def _own(self, way: _Way, item: str) -> _Way | None:
        """Return a way by which an item is known by itself: confirmed, or asked for, alone or with others."""
        asked = (self._confirmed(way, item, question) for question in self._questions(item))
        return next((found for found in (self._confirmed(way, item), *asked) if found is not None), None)

    def _questions(self, item: str) -> Iterator[Step]:
        yield Step(name="ask", args=(item,))
        for operator in self._compiled.flow.operators if self._compiled.flow.options.ask_together else ():
            asked = tuple(each for each in operator.input_items if self._analysis.desirability(each))
            if item in asked and len(asked) > 1:
                yield Step(name="ask", args=asked)

    def _confirmed(self, way: _Way, item: str, *first: Step) -> _Way | None:
        """Return a way by which steps are done and an item is then known, confirmed where it is uncertain."""
        found = self._do(way, *first) if first else way
        if found is None or self._is_known(found, item):
            return found if first else None
        is_uncertain = self._atom("uncertain", item) in found.state
        return self._do(found, Step(name="confirm", args=(item,))) if is_uncertain else None

    def _decide(self, way: _Way, text: str, *, holds: bool) -> _Way | None:
        """Return a way by which a constraint is asserted."""
        found: _Way | None = way
        for item in self._compiled.flow.variables(text):
            found = None if found is None else self._any(found, item)
        return None if found is None else self._do(found, Constraint(text=text, holds=holds))

    def _do(self, way: _Way, *steps: Step | Constraint) -> _Way | None:
        """Return the way that goes on with steps; None when one is of another kind or cannot be executed."""
        inner = [self._compiled.inner(step) for step in steps if kind_of(step) in self._kinds]
        own = tuple(step for step in inner if step is not None)
        if len(own) < len(steps):
            return None
        trace = self._simulator.run_from(way.state, own, with_goal=False)
        if not trace.is_sound:
            return None
        *_, state = trace.states()
        return _Way((*way.steps, *own), state)

    def _is_known(self, way: _Way, item: str) -> bool:
        return self._atom("known", item) in way.state

    def _atom(self, predicate: str, *items: str) -> GroundAtom:
        return (predicate, *(self._compiled.items[item] for item in items))


_ATOM = re.compile(r"\([^\s()]+(?: [^\s()]+)*\)")


# --- all calls together --------------------------------------------------------------------------


def arrange(
    prepared: Prepared, calls: Sequence[Step], may_be_done: Callable[[Step], bool], limits: Limits
) -> list[list[Step]] | str:
    """Return what is to be done before each call so that the fewest cannot run, or the limit that was met.

    Calls and steps are those of the model. Raises PlannerError when the planner fails.
    """
    task = prepared.task(limits, costs_matter=False)
    if isinstance(task, Status):
        return task.value
    inserted = {number for step, numbers in task.by_step.items() if may_be_done(step) for number in numbers}
    weighting = Weighting(keep=0, insert=0, insert_extra=1, insert_least=1, skip=1_000)
    edit_task = compile_edit(task, calls, weighting, with_goal=False, inserted=inserted)
    outcome = search(edit_task.text, optimal_strategy(task), limits)
    if outcome.status is not Status.SOLVED:
        return outcome.status.value
    before: list[list[Step]] = [[]]
    for edit in edit_task.edits(outcome.plan):
        if edit.move is not Move.INSERT:
            before.append([])
        elif isinstance(edit.token, Step):
            before[-1].append(edit.token)
    return before[: len(calls)]
