"""The modified planning problem: the nearest plan to an observed one, as a planning problem of its own.

On the grounded task with tokens t1 .. tn a variable ``pos`` counts how much of the observed plan is consumed:

- insert(o), for each operator o: o itself;
- keep(i), if t_i is the operator o: o, and pos from i-1 to i;
- skip(i): pos from i-1 to i;
- goal: pos = n and, where the quality asks for it, the model's goal.

Costs say what "nearest" means (see Weighting); a cheapest plan of the modified task is a nearest plan. Compare plan
repair by compilation (Fox et al. 2006, Nebel and Koehler 1995) and plan recognition as planning (Ramirez and Geffner
2009): observed steps are the same kind of soft constraint. A token that is no reachable operator can only be skipped;
it is taken out before, at the price of one skip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from validator.grounding.walk import step_costs
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass
from validator.repair.policy import Policy

if TYPE_CHECKING:  # what is not grounded has edits as well
    from validator.grounding.operators import Operator, Value
    from validator.grounding.task import Task

__all__ = [
    "Edit",
    "EditTask",
    "Move",
    "Policy",
    "Weighting",
    "compile_edit",
    "insertions",
    "kept_steps",
    "modified",
    "unmodified",
]

LARGEST = 2**29 - 1
"""The largest sum of costs that the search can hold: Fast Downward packs it into 30 bits with a sign."""


class Move(StrEnum):
    """What happens to a line of the plan."""

    KEEP = "keep"
    SKIP = "skip"
    INSERT = "insert"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One line of the way from the observed plan to the repaired one."""

    move: Move
    token: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighting:
    """Costs of the modified task.

    ``keep`` and ``insert`` multiply an operator's own cost, ``keep_extra`` and ``insert_extra`` are added,
    ``insert_least`` is the least cost of an insertion. ``inserts`` says whether there are insertions at all.
    """

    keep: int
    insert: int
    insert_extra: int
    insert_least: int
    skip: int
    keep_extra: int = 0
    inserts: bool = True

    @classmethod
    def edits(cls) -> Weighting:
        """Every changed line costs one."""
        return cls(keep=0, insert=0, insert_extra=1, insert_least=1, skip=1)

    @classmethod
    def keeping(cls, tokens: int) -> Weighting:
        """A skipped step costs more than most insertions together; ``search.skips`` proves that none is spared."""
        return cls(keep=0, insert=1, insert_extra=0, insert_least=1, skip=min(10**6, LARGEST // (4 * (tokens + 1))))

    @classmethod
    def fewest_skips(cls) -> Weighting:
        """Every skipped line costs one, everything else nothing."""
        return cls(keep=0, insert=0, insert_extra=0, insert_least=0, skip=1)

    @classmethod
    def own_costs(cls) -> Weighting:
        """What the model says that its steps cost, and nothing else."""
        return cls(keep=1, insert=1, insert_extra=0, insert_least=0, skip=0)

    @classmethod
    def cheapest(cls, most_edits: int) -> Weighting:
        """The plan's own cost first, then the changed lines, of which there are at most ``most_edits``."""
        weight = most_edits + 1
        return cls(keep=weight, insert=weight, insert_extra=1, insert_least=1, skip=1)

    @classmethod
    def fewest_steps(cls) -> Weighting:
        """Every kept step costs one, none may be inserted: the cheapest plan is a shortest part of the observed one."""
        return cls(keep=0, keep_extra=1, insert=0, insert_extra=0, insert_least=0, skip=0, inserts=False)

    @property
    def keeps_freely(self) -> bool:
        """Return whether keeping a step costs nothing, and others may be inserted."""
        return self.inserts and self.keep == 0 and self.keep_extra == 0

    def keeping_cost(self, cost: int) -> int:
        return self.keep * cost + self.keep_extra

    def insertion(self, cost: int) -> int:
        return max(self.insert * cost + self.insert_extra, self.insert_least)


@dataclass(frozen=True, kw_only=True)
class EditTask:
    """A modified task, with what is needed to read its plans; ``written`` returns its text, which is long."""

    written: Callable[[], str]
    task: Task
    tokens: tuple[Token, ...]
    kept: tuple[int, ...]
    """the indices of the tokens that can be kept at all; the others are skipped without search"""
    weighting: Weighting

    @cached_property
    def text(self) -> str:
        return self.written()

    @property
    def forced_cost(self) -> int:
        """Return what the tokens cost that can only be skipped."""
        return (len(self.tokens) - len(self.kept)) * self.weighting.skip

    def edits(self, names: Sequence[str]) -> tuple[Edit, ...]:
        """Read a plan of the modified task; every token appears once, in order."""
        return tuple(self._edits(names))

    def _edits(self, names: Sequence[str]) -> Iterator[Edit]:
        place = 0
        for name in names:
            kind, *numbers = name.split()
            if kind == "i":
                yield Edit(move=Move.INSERT, token=self.task.encoding.step(self.task.operators[int(numbers[0])].name))
            elif kind in ("k", "s"):
                index = self.kept[int(numbers[0])]
                yield from self._forced(place, index)
                yield Edit(move=Move.KEEP if kind == "k" else Move.SKIP, token=self.tokens[index])
                place = index + 1
        yield from self._forced(place, len(self.tokens))

    def _forced(self, start: int, end: int) -> Iterator[Edit]:
        for index in range(start, end):
            yield Edit(move=Move.SKIP, token=self.tokens[index])

    def cost(self, edits: Sequence[Edit]) -> int:
        """Return what a sequence of edits costs in this task."""
        return sum(self.costs(edits))

    def costs(self, edits: Sequence[Edit]) -> list[int]:
        """Return what each edit costs."""
        own = iter(step_costs(self.task, kept_steps(edits)))
        return [self._cost(edit, own) for edit in edits]

    def _cost(self, edit: Edit, own: Iterator[int]) -> int:
        if edit.move is Move.SKIP:
            return self.weighting.skip
        weigh = self.weighting.keeping_cost if edit.move is Move.KEEP else self.weighting.insertion
        return weigh(next(own))


def kept_steps(edits: Iterable[Edit]) -> tuple[Step, ...]:
    """Return the plan that edits lead to, without times and outputs."""
    kept = (edit.token for edit in edits if edit.move is not Move.SKIP)
    return tuple(bare(token) for token in kept if isinstance(token, Step))


def compile_edit(
    task: Task,
    tokens: Sequence[Token],
    weighting: Weighting,
    *,
    with_goal: bool,
    state: Sequence[int] | None = None,
    needs: Sequence[Value] = (),
    within: Set[int] | None = None,
    inserted: Set[int] | None = None,
) -> EditTask:
    """Compile the modified task. ``with_goal`` asks for the model's goal as well.

    For a part of a plan, ``state`` is the state before it and ``needs`` what must hold behind it; with ``within``, only
    operators are inserted that change no other variables; with ``inserted``, only those of these numbers. Raises
    OverflowError when the costs could pass 30 bits.
    """
    by_step = task.by_step
    kept = tuple(index for index, token in enumerate(tokens) if isinstance(token, Step) and bare(token) in by_step)
    dearest = max((operator.cost for operator in task.operators), default=0)
    if weighting.insertion(dearest) > LARGEST or weighting.skip * (len(kept) + 1) > LARGEST:
        raise OverflowError("the costs of the modified problem do not fit the planner's 30 bits")
    position, last = len(task.variables), len(kept)

    def written() -> str:
        operators: list[str] = []
        for place, index in enumerate(kept):
            step = f"0 {position} {place} {place + 1}\n"
            token = tokens[index]
            assert isinstance(token, Step)
            for number in by_step[bare(token)]:
                operator = task.operators[number]
                operators.append(operator.text(f"k {place}", weighting.keeping_cost(operator.cost), step))
            operators.append(f"begin_operator\ns {place}\n0\n1\n{step}{weighting.skip}\nend_operator\n")
        inserts = insertions(task, weighting, within, inserted)
        return modified(task, operators, inserts, last, needs, state, with_goal=with_goal)

    return EditTask(written=written, task=task, tokens=tuple(tokens), kept=kept, weighting=weighting)


def modified(
    task: Task,
    operators: Sequence[str],
    inserts: tuple[int, str],
    last: int,
    needs: Sequence[Value] = (),
    state: Sequence[int] | None = None,
    *,
    with_goal: bool,
) -> str:
    """Return the text of a task with a variable for the place in the observed plan, which ends at ``last``.

    ``inserts`` are as ``insertions`` returns them.
    """
    place = (len(task.variables), last)
    goal: tuple[Value, ...] = (place, *needs)
    if with_goal and task.goal is not None:
        goal += task.goal
    elif with_goal:
        goal += (task.reached,)
        operators = [*operators, *(_behind(operator, (place, *needs)) for operator in task.goal_operators)]
    count, texts = inserts
    return _text(task, goal, [*operators, texts], state, max(2, last + 1), count + len(operators))


def unmodified(task: Task, state: Sequence[int] | None = None) -> str:
    """Return the text of the model's own task, for the cost of its cheapest plan, or from another state."""
    number, operators = insertions(task, Weighting.own_costs())
    if task.goal is not None:
        return _text(task, task.goal, [operators], state, None, number)
    reaching = [operator.text("g", 0) for operator in task.goal_operators]
    return _text(task, (task.reached,), [operators, *reaching], state, None, number + len(reaching))


def insertions(
    task: Task, weighting: Weighting, within: Set[int] | None = None, inserted: Set[int] | None = None
) -> tuple[int, str]:
    """Return how many operators change something, and their text: the others are worth keeping, never inserting."""
    if not weighting.inserts:
        return 0, ""
    if within is None and inserted is None:
        return _all_insertions(task, weighting.insert, weighting.insert_extra, weighting.insert_least)
    texts = [
        operator.text(f"i {number}", weighting.insertion(operator.cost))
        for number, operator in _changing(task)
        if (within is None or operator.effect.keys() <= within) and (inserted is None or number in inserted)
    ]
    return len(texts), "".join(texts)


def _all_insertions(task: Task, *prices: int) -> tuple[int, str]:
    """Return the text of all insertions at some prices, kept with the task: it is long, and windows want it often."""
    if prices not in task.texts:
        insert, extra, least = prices
        texts = [
            operator.text(f"i {number}", max(insert * operator.cost + extra, least))
            for number, operator in _changing(task)
        ]
        task.texts[prices] = len(texts), "".join(texts)
    return task.texts[prices]


def _changing(task: Task) -> Iterator[tuple[int, Operator]]:
    return ((number, operator) for number, operator in enumerate(task.operators) if operator.effect_count)


def _behind(operator: Operator, values: Sequence[Value]) -> str:
    """Return a goal operator that also waits for the end of the observed plan, and of all that is kept of it."""
    prevail = operator.prevail + "".join(f"{variable} {value}\n" for variable, value in values)
    effects = f"{operator.effect_count}\n{operator.effects}"
    return f"begin_operator\ng\n{operator.prevails + len(values)}\n{prevail}{effects}0\nend_operator\n"


def _text(
    task: Task,
    goal: Sequence[Value],
    operators: Sequence[str],
    state: Sequence[int] | None,
    position_values: int | None,
    operator_count: int,
) -> str:
    """Return a task; ``operators`` are texts of one or more of them each."""
    number = len(task.variables)
    variables, init = list(task.variables), list(task.init if state is None else state)
    if position_values is not None:
        atoms = "".join(f"Atom pos({value})\n" for value in range(position_values))
        variables.append(f"begin_variable\nvar{number}\n-1\n{position_values}\n{atoms}end_variable\n")
        init.append(0)
    values = "".join(f"{value}\n" for value in init)
    goals = "".join(f"{variable} {value}\n" for variable, value in goal)
    return "".join(
        (
            "begin_version\n3\nend_version\nbegin_metric\n1\nend_metric\n",
            f"{len(variables)}\n",
            *variables,
            task.mutexes,
            f"begin_state\n{values}end_state\nbegin_goal\n{len(goal)}\n{goals}end_goal\n",
            f"{operator_count}\n",
            *operators,
            task.axioms,
        )
    )
