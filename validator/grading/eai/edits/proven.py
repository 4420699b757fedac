"""Classes of faults that are proven: what the nearest successful plan changes about an answer.

Steps that do not run are passed over if the others reach the goals, or if they repeat what was done and the nearest
plan does without them: additional steps. Any other fault is what the nearest plan does to the failing step, or first
does before it (``eai.edits``). Where no successful plan was found within the budget, the nearest plan in which the
failing step runs decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol, TypeVar

from validator.grading.eai.edits.nearest import Aims, Nearest, Search
from validator.grading.eai.edits.possible import Possible
from validator.grading.eai.edits.relevance import Relevance
from validator.grading.eai.edits.script import INSERTED, Edit, Fault, Line, Script
from validator.grading.eai.sequencing import Classifier, Error, Found
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import Transitions, World
from validator.model.values import Action
from validator.records import dataclass, field, replace

_PROOF = 10_000
"""How many steps the proof for one answer may execute."""


@dataclass(kw_only=True)
class Prover:
    """Finds the nearest plans of one task's answers; ``names`` are the objects that an answer may name.

    ``program`` is a plan that may be successful, such as the recorded one: the search starts from it as well.
    What was executed is kept for the next answer. ``greedy`` and ``proof`` are budgets in executed steps.
    """

    world: World
    state: State
    names: Sequence[str]
    aims: Aims
    program: tuple[Line, ...] = ()
    greedy: int = 4_000
    proof: int = _PROOF
    _possible: dict[frozenset[str], Possible] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._transitions = Transitions(world=self.world, initial=self.state)
        self._called = {name.lower() for goal in self.aims.actions for name in goal}

    def nearest(self, lines: Sequence[Line]) -> Nearest:
        """Return how far an answer is from success."""
        search = self._search(lines, self.aims)
        known = _aligned(lines, self.program)
        return search.nearest(known if self.program and search.is_successful(known) else None)

    def classifier(self, lines: Sequence[Line], nearest: Nearest) -> Classifier:
        """Return what classifies the faults of an answer's execution."""
        if not self._search(lines, self.aims).missed_goals():
            return lambda action, args, place, index, states: Found(error=Error.ADDITIONAL_STEP, ends=False)

        def classify(
            action: Action, args: Sequence[str], place: int, index: int, states: Sequence[State]
        ) -> Found | str:
            decisive = nearest if nearest.at_most is not None else self._running(lines, place)
            own = next((edit for edit in decisive.edits if edit.old == place), None)
            if own is not None:
                return Found(error=_error(own), ends=not (_is_dispensable(own) and lines[place] in ran(lines, place)))
            before = [edit for edit in decisive.edits if _is_before(edit, decisive.script, place)]
            first = next((edit for edit in before if not passed(edit)), None)
            return "no nearest plan was found within the budget" if first is None else Found(error=_error(first))

        def ran(lines: Sequence[Line], place: int) -> frozenset[Line]:
            return frozenset(lines[each] for each in self._running_places(lines[:place]))

        def passed(edit: Edit) -> bool:
            """Return whether an edit only leaves out a repeated step, which was passed over."""
            old = edit.old
            return old is not None and _is_dispensable(edit) and old not in self._running_places(lines[: old + 1])

        return classify

    def _running_places(self, lines: Sequence[Line]) -> frozenset[int]:
        """Return which lines run when those that do not are passed over."""
        state, found = 0, set()
        for place, line in enumerate(lines):
            after = self._transitions.next(state, line)
            if isinstance(after, int):
                state = after
                found.add(place)
        return frozenset(found)

    def _running(self, lines: Sequence[Line], place: int) -> Nearest:
        """Return the nearest plan in which a failing step runs, or which shows that it never can."""
        search = self._search(lines[: place + 1], Aims())
        if search.never(place) is None:
            search.fixed = frozenset((place,))
        return search.nearest()

    def _search(self, lines: Sequence[Line], aims: Aims) -> Search:
        kept = frozenset({line[0] for line in lines} | self._called)
        possible = self._possible.get(kept)
        if possible is None:
            relevance = Relevance(self.world, self.state, self.names, kept)
            possible = self._possible[kept] = Possible(transitions=self._transitions, relevance=relevance)
        return Search(
            transitions=self._transitions,
            relevance=possible.relevance,
            lines=lines,
            aims=aims,
            never=cache(lambda place: possible.never(lines[place])),
            greedy=self.greedy,
            proof=self.proof,
        )


def _is_dispensable(edit: Edit) -> bool:
    return edit.kind == "delete" and edit.fault is Fault.ADDITIONAL_STEP


def _is_before(edit: Edit, script: Script, place: int) -> bool:
    """Return whether an edit changes what comes before a line of the answer."""
    here = next(new for new, (origin, _) in enumerate(script) if origin == place)
    return (edit.new is not None and edit.new < here) or (edit.old is not None and edit.old < place)


def _error(edit: Edit) -> Error:
    return Error.AFFORDANCE if edit.fault is Fault.HALLUCINATION else Error(edit.fault.value)


def _aligned(lines: Sequence[Line], program: Sequence[Line]) -> Script:
    """Return the script that makes a program of an answer and keeps as many lines as can be."""
    best: list[list[tuple[int, Script]]] = [[(0, ())] * (len(lines) + 1) for _ in range(len(program) + 1)]
    for row in range(len(program) - 1, -1, -1):
        for column in range(len(lines), -1, -1):
            kept, script = best[row + 1][column]
            options = [(kept, ((INSERTED, program[row]), *script))]
            if column < len(lines):
                options.append(best[row][column + 1])
                if lines[column] == program[row]:
                    kept, script = best[row + 1][column + 1]
                    options.append((kept + 1, ((column, program[row]), *script)))
            best[row][column] = max(options, key=lambda option: option[0])
    return best[0][0][1]


class _HasIdentifier(Protocol):
    @property
    def identifier(self) -> str: ...


_Task = TypeVar("_Task", bound=_HasIdentifier)


def remembering(make: Callable[[_Task], Prover], budget: int = _PROOF) -> Callable[[_Task], Prover]:
    """Return what gives the prover of a task, the same one as long as it is the same task."""
    last: list[tuple[str, Prover]] = []

    def prover(task: _Task) -> Prover:
        if not last or last[0][0] != task.identifier:
            last[:] = [(task.identifier, replace(make(task), proof=budget))]
        return last[0][1]

    return prover
