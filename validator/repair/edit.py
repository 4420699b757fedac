"""The modified planning problem: the nearest plan to an observed one, as a planning problem of its own.

An observation is a weighted automaton over the operators of a grounded task. Its states are the values of counters,
variables beside those of the task; its edges move them. For observed steps t1 .. tn there is one counter, ``pos``:

- insert(o), for each operator o: o itself;
- keep(i), if t_i may be the operator o: o, and pos from i-1 to i;
- skip(i): pos from i-1 to i;
- goal: pos = n and, where the quality asks for it, the model's goal.

Costs say what "nearest" means (see Weighting); a cheapest plan of the modified task is a nearest plan. Compare plan
repair by compilation (Fox et al. 2006, Nebel and Koehler 1995) and plan recognition as planning (Ramirez and Geffner
2009; Sohrabi, Riabov and Udrea 2016): observed steps are the same kind of soft constraint. Without an order each
observation has a counter of its own. A token that is no reachable operator can only be skipped; it is taken out before,
at the price of one skip.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from validator.grounding.operators import NOTHING, variable_text
from validator.grounding.task import step_costs
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass
from validator.repair import Policy

if TYPE_CHECKING:  # what is not grounded has edits as well
    from validator.grounding.operators import Operator, Transition, Value
    from validator.grounding.task import Task

__all__ = [
    "LARGEST",
    "Automaton",
    "Edge",
    "Edit",
    "EditTask",
    "Evidence",
    "Move",
    "Policy",
    "Weighting",
    "compile_edit",
    "kept_steps",
    "modified",
    "observation",
    "own_steps",
    "placed",
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
        """A skipped step costs more than most insertions together; ``provers`` proves that none is spared."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One item of an observation: it is any of some ``operators``, or a state that has all of some values.

    ``skip`` is the price of leaving it out, None where that is not allowed.
    """

    operators: Sequence[int] = ()
    states: Sequence[Sequence[Value]] = ()
    skip: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A transition of an observation: ``moves`` of counters, where ``needs`` hold besides.

    Any of ``operators`` takes it, for ``times`` its own cost and ``extra``; None: it is taken without an operator.
    """

    name: str
    moves: tuple[Transition, ...]
    needs: tuple[Value, ...] = ()
    operators: Sequence[int] | None = None
    times: int = 0
    extra: int = 0

    def texts(self, task: Task) -> Iterator[str]:
        """Yield the operators that take the edge, but for those that change nothing."""
        if self.operators is None:
            yield NOTHING.also(self.needs, self.moves).text(self.name, self.extra)
            return
        for number in self.operators:
            operator = task.operators[number].also(self.needs, self.moves)
            if operator.effect_count:
                yield operator.text(f"{self.name} {number}", self.times * operator.cost + self.extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class Automaton:
    """A weighted automaton over operators, which is what an observation is.

    ``counters`` are the numbers of values of variables behind those of the task, each 0 at first; ``ends`` are the
    values that they must come to.
    """

    counters: tuple[int, ...] = ()
    edges: Sequence[Edge] = ()
    ends: tuple[Value, ...] = ()


def observation(first: int, items: Sequence[Evidence], weighting: Weighting, *, in_order: bool = True) -> Automaton:
    """Return the automaton of some items: a line, or each with a counter; ``first`` is the number of the first one."""
    edges: list[Edge] = []
    for place, item in enumerate(items):
        moves = ((first, place, place + 1) if in_order else (first + place, 0, 1),)
        keep, extra = weighting.keep, weighting.keep_extra
        edges.append(Edge(name=f"k {place}", moves=moves, operators=item.operators, times=keep, extra=extra))
        edges += (Edge(name=f"f {place}", moves=moves, needs=tuple(values)) for values in item.states)
        if item.skip is not None:
            edges.append(Edge(name=f"s {place}", moves=moves, extra=item.skip))
    number = len(items)
    if in_order:
        return Automaton(counters=(number + 1,), edges=edges, ends=((first, number),))
    return Automaton(counters=(2,) * number, edges=edges, ends=tuple((first + place, 1) for place in range(number)))


_MOVES = {
    "k": Move.KEEP,
    "f": Move.KEEP,
    "s": Move.SKIP,
    "l": Move.SKIP,
    "p": Move.SKIP,
    "e": Move.INSERT,
    "d": Move.INSERT,
}
"""What edges do with their token, by their names: kept, as a step or a fact; skipped; done at another place."""


@dataclass(frozen=True, kw_only=True)
class EditTask:
    """A modified task, with what is needed to read its plans; ``written`` returns its text, which is long."""

    written: Callable[[], str]
    task: Task
    tokens: tuple[Token, ...]
    kept: tuple[int, ...]
    """the indices of the tokens that can be kept at all; the others are skipped without search"""
    weighting: Weighting
    in_order: bool = True
    has_patterns: bool = False
    """whether a token that is kept may be another step than it says"""
    move: int | None = None
    """the price of a step that is skipped and inserted at another place, where that is cheaper than both"""

    @cached_property
    def text(self) -> str:
        return self.written()

    @property
    def forced_cost(self) -> int:
        """Return what the tokens cost that can only be skipped."""
        return (len(self.tokens) - len(self.kept)) * self.weighting.skip

    def fits(self, cost: int) -> bool:
        """Return whether no path that is looked at before a plan of this cost can overflow."""
        return cost + max(self.weighting.skip, self.weighting.insertion(self.task.dearest)) <= LARGEST

    def edits(self, names: Sequence[str]) -> tuple[Edit, ...]:
        """Read a plan of the modified task; every token appears once, and in order where the observation is a line."""
        return tuple(placed(self._edits(names), self.tokens, self.kept, in_order=self.in_order))

    def _edits(self, names: Sequence[str]) -> Iterator[tuple[int | None, Edit]]:
        for name in names:
            kind, *numbers = name.split()
            if kind == "i":
                yield None, Edit(move=Move.INSERT, token=self._step(numbers[0]))
            elif kind in _MOVES:
                index = self.kept[int(numbers[0])]
                is_other = self.has_patterns and kind == "k"
                edit = Edit(move=_MOVES[kind], token=self._step(numbers[1]) if is_other else self.tokens[index])
                yield None if edit.move is Move.INSERT else index, edit

    def _step(self, number: str) -> Step:
        return self.task.encoding.step(self.task.operators[int(number)].name)

    def cost(self, edits: Sequence[Edit]) -> int:
        """Return what a sequence of edits costs in this task."""
        own, total = iter(step_costs(self.task, kept_steps(edits))), 0
        gone = Counter(edit.token for edit in edits if edit.move is Move.SKIP)
        for edit in edits:
            price = 0 if edit.move is Move.SKIP else next(own)
            if edit.move is Move.SKIP:
                total += self.weighting.skip
            elif edit.move is Move.KEEP:
                total += self.weighting.keeping_cost(price)
            elif self.move is not None and gone[edit.token]:
                gone[edit.token] -= 1
                total += self.move - self.weighting.skip
            else:
                total += self.weighting.insertion(price)
        return total


def placed(
    edits: Iterable[tuple[int | None, Edit]], tokens: Sequence[Token], kept: Iterable[int], *, in_order: bool = True
) -> Iterator[Edit]:
    """Yield edits, each with the index of its token, and skips of the tokens that cannot be kept, in order or last."""
    known = set(kept)
    waiting = [index for index in reversed(range(len(tokens))) if index not in known]
    for index, edit in edits:
        while in_order and index is not None and waiting and waiting[-1] < index:
            yield Edit(move=Move.SKIP, token=tokens[waiting.pop()])
        yield edit
    yield from (Edit(move=Move.SKIP, token=tokens[index]) for index in reversed(waiting))


def kept_steps(edits: Iterable[Edit]) -> tuple[Step, ...]:
    """Return the plan that edits lead to, without times and outputs."""
    kept = (edit.token for edit in edits if edit.move is not Move.SKIP)
    return tuple(bare(token) for token in kept if isinstance(token, Step))


def compile_edit(task: Task, tokens: Sequence[Token], weighting: Weighting, *, with_goal: bool) -> EditTask:
    """Compile the modified task. ``with_goal`` asks for the model's goal as well.

    Raises OverflowError when the costs could pass 30 bits.
    """
    kept = tuple(index for index, token in enumerate(tokens) if isinstance(token, Step) and task.numbers(token))
    if weighting.insertion(task.dearest) > LARGEST or weighting.skip * (len(kept) + 1) > LARGEST:
        raise OverflowError("the costs of the modified problem do not fit the planner's 30 bits")

    def written() -> str:
        steps = (token for token in map(tokens.__getitem__, kept) if isinstance(token, Step))
        items = [Evidence(operators=task.numbers(step), skip=weighting.skip) for step in steps]
        line = observation(len(task.variables), items, weighting)
        return modified(task, line, weighting, *(task.wanted if with_goal else ()))

    return EditTask(written=written, task=task, tokens=tuple(tokens), kept=kept, weighting=weighting)


def unmodified(task: Task, state: Sequence[int] | None = None) -> str:
    """Return the text of the model's own task, for the cost of its cheapest plan, or from another state."""
    return modified(task, Automaton(), Weighting.own_costs(), *task.wanted, state=state)


def own_steps(task: Task, names: Iterable[str]) -> tuple[Step, ...]:
    """Return the steps of a plan of the unmodified task, without the operator that only reaches the goal."""
    numbers = (int(name[2:]) for name in names if name.startswith("i "))
    return tuple(task.encoding.step(task.operators[number].name) for number in numbers)


def modified(
    task: Task,
    seen: Automaton,
    weighting: Weighting,
    goal: tuple[Value, ...] = (),
    reaching: Sequence[Operator] = (),
    *,
    state: Sequence[int] | None = None,
) -> str:
    """Return the text of a task with an observation, to be searched from its first state or another one.

    The operators ``reaching`` make the last value of the goal true, where all else of it holds.
    """
    first, ends = len(task.variables), (*seen.ends, *goal)
    operators = [text for edge in seen.edges for text in edge.texts(task)]
    operators += (operator.also(ends[:-1]).text("g", 0) for operator in reaching)
    count, insertions = _insertions(task, weighting)
    variables = [*task.variables, *(variable_text(first + place, size) for place, size in enumerate(seen.counters))]
    init = "".join(f"{value}\n" for value in (*(task.init if state is None else state), *(0 for _ in seen.counters)))
    goals = "".join(f"{variable} {value}\n" for variable, value in ends)
    return "".join(
        (
            "begin_version\n3\nend_version\nbegin_metric\n1\nend_metric\n",
            f"{len(variables)}\n",
            *variables,
            task.mutexes,
            f"begin_state\n{init}end_state\nbegin_goal\n{len(ends)}\n{goals}end_goal\n",
            f"{count + len(operators)}\n",
            *operators,
            insertions,
            task.axioms,
        )
    )


def _insertions(task: Task, weighting: Weighting) -> tuple[int, str]:
    """Return how many operators change something, and their text: the others are worth keeping, never inserting.

    They are kept with the task by their prices: the text is long, and each search wants it.
    """
    if not weighting.inserts:
        return 0, ""
    prices = weighting.insert, weighting.insert_extra, weighting.insert_least
    if prices not in task.texts:
        texts = [
            operator.text(f"i {number}", weighting.insertion(operator.cost))
            for number, operator in enumerate(task.operators)
            if operator.effect_count
        ]
        task.texts[prices] = len(texts), "".join(texts)
    return task.texts[prices]
