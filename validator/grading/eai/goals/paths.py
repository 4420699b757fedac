"""What a sequence of subgoals can stand for: all combinations of lists of actions, executed side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from validator.grading.eai.reading import Call
from validator.grading.eai.sequencing.sequencing import Classifier, Execution, Grade, Verdict, execute
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import World
from validator.model.values import Action
from validator.records import dataclass, replace

__all__ = ["Path", "Step", "best", "paths"]

_Subgoal = TypeVar("_Subgoal")

Step: TypeAlias = tuple[str, tuple[str, ...]]
"""An action and its objects."""

_MOST_PATHS = 200
"""How many combinations are followed at once; beyond it those with the fewest faults are kept."""


@dataclass(frozen=True, slots=True)
class Path:
    """One combination so far: the execution, and the objects of its executed steps."""

    execution: Execution
    done: tuple[Step, ...] = ()

    @classmethod
    def at(cls, state: State) -> Path:
        return cls(Execution(steps=(), states=(state,)))

    @property
    def state(self) -> State:
        return self.execution.states[-1]

    @property
    def faults(self) -> int:
        return sum(self.execution.counts.values())

    def run(
        self,
        world: World,
        known: Mapping[str, Action],
        actions: Sequence[Step],
        checks: Classifier,
        label: Callable[[Call, tuple[str, ...]], str],
        explain: Callable[[Action, Sequence[str], int], str] = lambda action, args, index: "",
    ) -> Path:
        """Execute some actions behind the path; earlier states count when a fault is classed."""
        earlier = self.execution.states
        called = [(Call(name=name, args=args), known[name.lower()], args) for name, args in actions]
        run = execute(
            world,
            earlier[-1],
            called,
            lambda action, args, place, index, states: checks(action, args, place, index, (*earlier[:-1], *states)),
            label,
            explain,
        )
        whole = replace(run, steps=(*self.execution.steps, *run.steps), states=(*earlier[:-1], *run.states))
        return Path(whole, (*self.done, *((step.call.name, step.call.args) for step in run.done)))


def paths(
    start: Path, subgoals: Sequence[_Subgoal], continued: Callable[[Path, _Subgoal], Iterable[Path]]
) -> list[Path]:
    """Execute all combinations, ``continued`` a subgoal each; one that fails ends where it does."""
    ended: list[Path] = []
    running = [start]
    for subgoal in subgoals:
        found: dict[object, Path] = {}
        for path in running:
            for after in continued(path, subgoal):
                if not after.execution.is_executable:
                    ended.append(after)
                    continue
                key = frozenset(after.state.changed.items()), after.done
                if key not in found or found[key].faults > after.faults:
                    found[key] = after
        running = sorted(found.values(), key=lambda path: path.faults)[:_MOST_PATHS]
    return running or ended


def best(grades: Iterable[Grade]) -> Grade:
    """Return the grade of the best combination: what is correct, then with the fewest faults, then the longest."""
    return max(grades, key=_quality)


def _quality(grade: Grade) -> tuple[bool, int, int]:
    run = grade.execution
    assert run is not None
    return grade.verdict is Verdict.SUCCESS, -sum(run.counts.values()), len(run.steps)
