"""What is reported of all runs: in how many a plan is right, and a shortest run that shows it."""

from __future__ import annotations

from collections.abc import Iterator

from validator.model.pddl.write import atom_text
from validator.nondeterminism.explore import Explored, Node
from validator.nondeterminism.transitions import State, Transitions
from validator.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessStep:
    """A step of a run, which of its outcomes took place (from 1, of ``outcomes``), and what it changed."""

    step: str
    outcome: int
    outcomes: int
    added: tuple[str, ...]
    deleted: tuple[str, ...]

    def __str__(self) -> str:
        if self.outcomes == 1:
            return self.step
        changes = (*(f"+{atom}" for atom in self.added), *(f"-{atom}" for atom in self.deleted))
        return f"{self.step}, outcome {self.outcome} of {self.outcomes}: {' '.join(changes) or 'no change'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """One course of events: the values of the atoms that are uncertain at first, the steps, and how it ends."""

    initial: tuple[str, ...]
    steps: tuple[WitnessStep, ...]
    end: str

    def lines(self) -> Iterator[str]:
        if self.initial:
            yield f"initially: {', '.join(self.initial)}"
        for number, step in enumerate(self.steps, 1):
            yield f"{number}. {step}"
        yield self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEdits:
    """The fewest edits of a table, as lines of a diff, ``least`` of them; ``lines`` is None where none are known.

    ``proven`` says that there are no fewer, and without lines that no policy is right.
    """

    least: int
    lines: tuple[str, ...] | None = None
    proven: bool = False

    def shown(self, quality: str) -> tuple[str, tuple[str, ...]]:
        if self.lines is not None:
            return f"the fewest edits that make it {quality} (proven): {self.least}", self.lines
        why = f"no policy is {quality} (proven)" if self.proven else f"at least {self.least} edits are needed"
        return why, ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """All runs of a plan or a policy.

    ``right`` is "all", "some" or "none" of the runs of a plan, "strong", "strong cyclic", "some" or "none" of a policy,
    and "not all" or "unknown" where not all were followed; ``nodes`` are the states that were, at each place of the
    plan. ``failing`` is a shortest run that goes wrong, ``reaching`` one that does not.
    """

    right: str
    nodes: int
    failing: Witness | None = None
    reaching: Witness | None = None
    edits: TableEdits | None = None

    def details(self, quality: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield headings, and lines below each."""
        states = f"{self.nodes:,} state{'s' if self.nodes > 1 else ''}"
        if self.right in ("strong", "strong cyclic", "all"):
            told = "in all outcomes" if self.right == "all" else f"a {self.right} policy"
            yield f"{told} ({states})", ()
        if self.failing is not None:
            yield "a shortest run that goes wrong:", tuple(self.failing.lines())
        if self.reaching is not None:
            yield f"a shortest run that is {quality}:", tuple(self.reaching.lines())
        if self.edits is not None:
            yield self.edits.shown(quality)


def run_to(transitions: Transitions, explored: Explored, node: Node, end: str) -> Witness:
    """Return a shortest run to a node."""
    start, before = explored.run_to(node)
    after = [place[1] for place, _ in before[1:]] + [node[1]]
    steps = []
    for (place, outcome), state in zip(before, after, strict=False):
        step = explored.steps[place]
        all_ = transitions.outcomes(step)
        added, deleted = _texts(state - place[1]), _texts(place[1] - state)
        number = all_.index(outcome) + 1
        steps.append(WitnessStep(step=str(step), outcome=number, outcomes=len(all_), added=added, deleted=deleted))
    return Witness(initial=_uncertain(transitions, start), steps=tuple(steps), end=end)


def _texts(atoms: State) -> tuple[str, ...]:
    return tuple(map(atom_text, sorted(atoms)))


def _uncertain(transitions: Transitions, state: State) -> tuple[str, ...]:
    problem = transitions.model.problem
    named = {atom for each in problem.uncertain for option in each.options for atom, _ in option}
    return tuple(
        atom_text(atom) if atom in state else f"(not {atom_text(atom)})" for atom in sorted(named - problem.init)
    )
