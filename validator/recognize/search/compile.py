"""Observations as a modified planning problem, on the grounding that all candidate goals share.

A variable counts the explained observations (Ramirez and Geffner 2009); each operator also exists as a copy that
explains observation i and moves the count from i-1 to i, and where observations may be left unexplained there is a
step per observation that moves the count at a price (Sohrabi, Riabov and Udrea 2016). Without an order, and with a
partial one, each observation has a variable of its own. Compare ``validator.repair.edit``: an observed plan is the same
kind of thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from math import lcm

from validator.grounding.operators import Operator, Value
from validator.reading.plan import Step
from validator.recognize.problem import Order
from validator.recognize.search.grounded import Grounded, Ways
from validator.recognize.search.observed import Observed, Seen
from validator.records import dataclass, replace
from validator.repair.edit import LARGEST, Edit, Move

__all__ = ["Compiler"]


@dataclass(frozen=True, kw_only=True)
class Compiler:
    """Writes planning problems for one set of observations, and reads their plans.

    All costs are multiplied by ``unit``, so that they are integers. Raises ValueError for costs that the search cannot
    hold. Where ``is_free`` is set, steps cost nothing, and only what is left unexplained costs its whole price.
    """

    grounded: Grounded
    observed: Observed
    is_free: bool = False

    @cached_property
    def unit(self) -> int:
        if self.is_free:
            return 1
        prices = [one.price for one in self.observed.seen if one.price is not None]
        costs = [self.observed.missing, *prices]
        unit = lcm(self.grounded.scale, *(cost.denominator for cost in costs))
        if max(unit * (self._dearest + self.observed.missing), sum(prices) * unit) > LARGEST:
            raise ValueError("the costs of the observations and of the model do not fit the planner's 30 bits")
        return unit

    @cached_property
    def _dearest(self) -> Fraction:
        costs = (self.grounded.task.operators[number].cost for number in self.grounded.operators)
        return Fraction(max(costs, default=0), self.grounded.scale)

    def fits(self, cost: int) -> bool:
        """Return whether no path that is looked at before a plan of this cost can overflow."""
        return cost + self.unit * (self._dearest + self.observed.missing) <= LARGEST

    def cost(self, number: int, *, explained: bool) -> int:
        """Return the cost of an operator, with what it costs that it was not observed."""
        if self.is_free:
            return 0
        plain = Fraction(self.grounded.task.operators[number].cost, self.grounded.scale)
        return int((plain if explained else plain + self.observed.missing) * self.unit)

    # --- the problems ------------------------------------------------------------------------------

    def without(self, goal: Ways) -> str:
        """Return the problem of reaching a goal as if nothing was observed."""
        relevant = self._relevant(goal, ())
        return self._text(goal, (), (), self._plain(relevant))

    def explaining(self, goal: Ways) -> str:
        """Return the problem of reaching a goal by a plan that explains the observations, or pays for them."""
        seen = self.observed.seen
        relevant = self._relevant(goal, seen)
        operators = [*self._plain(relevant)]
        for place, one in enumerate(seen):
            operators += self._copies(place, one, relevant)
            if one.price is not None:
                operators.append(_step(f"d {place}", self._count(place), int(one.price * self.unit)))
        return self._text(goal, self._counters, self._all_counted, operators)

    def avoiding(self, goal: Ways) -> str:
        """Return the problem of reaching a goal by a plan that does not explain all observations, in order.

        Here whatever can explain the next observation has to count, so that what is counted is the longest beginning
        of the observations that the plan contains; and the last one must never be counted.
        """
        seen = self.observed.seen
        relevant = self._relevant(goal, seen)
        variable, last = len(self.grounded.task.variables), len(seen)
        of_step = {
            number: self.grounded.task.encoding.step(self.grounded.task.operators[number].name)
            for number in self.grounded.operators
        }
        operators = []
        for number in self.grounded.operators:
            operator = self._pruned(number, relevant)
            meant = frozenset(place for place, one in enumerate(seen) if of_step[number] in one.steps)
            cost = self.cost(number, explained=False)
            if not meant:
                if operator.effect_count:
                    operators.append(operator.text(f"p {number}", cost))
                continue
            for place in range(last):
                if place not in meant and operator.effect_count:
                    held = replace(
                        operator, prevails=operator.prevails + 1, prevail=f"{operator.prevail}{variable} {place}\n"
                    )
                    operators.append(held.text(f"p {number}", cost))
                elif place in meant and place + 1 < last:
                    operators.append(operator.text(f"p {number}", cost, f"0 {variable} {place} {place + 1}\n"))
        return self._text(goal, (last,), (), operators)

    # --- reading plans -----------------------------------------------------------------------------

    def steps(self, names: Iterable[str]) -> tuple[Step, ...]:
        """Return the model's steps of a plan."""
        return tuple(self._step(int(name.split()[-1])) for name in names if name[0] in "pe")

    def edits(self, names: Iterable[str]) -> tuple[Edit, ...]:
        """Return a plan as the way from the observations to it; each observation appears once."""
        return placed(self.observed, self._edits(names))

    def _edits(self, names: Iterable[str]) -> Iterator[tuple[int | None, Edit]]:
        tokens = self.observed.tokens
        for name in names:
            kind, *numbers = name.split()
            if kind == "p":
                yield None, Edit(move=Move.INSERT, token=self._step(int(numbers[0])))
            elif kind in ("e", "f", "d"):
                index = self.observed.seen[int(numbers[0])].index
                token = self._step(int(numbers[1])) if kind == "e" else tokens[index]
                yield index, Edit(move=Move.SKIP if kind == "d" else Move.KEEP, token=token)

    def _step(self, number: int) -> Step:
        return self.grounded.task.encoding.step(self.grounded.task.operators[number].name)

    # --- parts of the text -------------------------------------------------------------------------

    @property
    def _counters(self) -> tuple[int, ...]:
        """Return the number of values of each variable that counts observations."""
        number = len(self.observed.seen)
        if self.observed.order is not Order.TOTAL:
            return (2,) * number
        return (number + 1,) if number else ()

    @property
    def _all_counted(self) -> tuple[Value, ...]:
        first = len(self.grounded.task.variables)
        return tuple((first + place, values - 1) for place, values in enumerate(self._counters))

    def _count(self, place: int) -> str:
        """Return the effect that counts an observation."""
        first = len(self.grounded.task.variables)
        if self.observed.order is Order.TOTAL:
            return f"0 {first} {place} {place + 1}\n"
        return f"0 {first + place} 0 1\n"

    def _before(self, one: Seen) -> tuple[Value, ...]:
        """Return the observations that have to be counted before one, where the order is partial."""
        first = len(self.grounded.task.variables)
        return tuple((first + place, 1) for place, other in enumerate(self.observed.seen) if other.index in one.after)

    def _plain(self, relevant: frozenset[int] | None) -> tuple[str, ...]:
        known = self._plain_texts.get(relevant)
        if known is None:
            pruned = ((number, self._pruned(number, relevant)) for number in self.grounded.operators)
            known = self._plain_texts[relevant] = tuple(
                operator.text(f"p {number}", self.cost(number, explained=False))
                for number, operator in pruned
                if operator.effect_count
            )
        return known

    @cached_property
    def _plain_texts(self) -> dict[frozenset[int] | None, tuple[str, ...]]:
        return {}

    def _copies(self, place: int, one: Seen, relevant: frozenset[int] | None) -> Iterator[str]:
        """Yield the operators that explain an observation."""
        count, before = self._count(place), self._before(one)
        held = _prevailing(before)
        for way in one.ways or ():
            needs = (*way, *before)
            yield f"begin_operator\nf {place}\n{len(needs)}\n{_prevailing(needs)}1\n{count}0\nend_operator\n"
        for step in sorted(one.steps, key=str):
            for number in self.grounded.by_step[step]:
                cost = self.cost(number, explained=True)
                operator = self._pruned(number, relevant)
                if before:
                    prevails, prevail = operator.prevails + len(before), operator.prevail + held
                    operator = replace(operator, prevails=prevails, prevail=prevail)
                yield operator.text(f"e {place} {number}", cost, count)

    def _pruned(self, number: int, relevant: frozenset[int] | None) -> Operator:
        """Return an operator without its effects on variables that do not matter."""
        operator = self.grounded.task.operators[number]
        if relevant is None:
            return operator
        effects = [effect for effect in self.grounded.effects[number] if effect.variable in relevant]
        if len(effects) == operator.effect_count:
            return operator
        return replace(operator, effect_count=len(effects), effects="".join(effect.text for effect in effects))

    def _relevant(self, goal: Ways, seen: Iterable[Seen]) -> frozenset[int] | None:
        """Return the variables that matter to a goal and to what has to be explained; None for all of them."""
        if self.grounded.task.has_axioms:
            return None
        grounded = self.grounded
        waiting = [variable for way in goal for variable, _ in way]
        for one in seen:
            waiting += [variable for way in one.ways or () for variable, _ in way]
            for step in one.steps:
                waiting += [variable for number in grounded.by_step[step] for variable, _ in grounded.needs[number]]
        relevant: set[int] = set()
        while waiting:
            variable = waiting.pop()
            if variable not in relevant:
                relevant.add(variable)
                waiting += self.grounded.influences.get(variable, ())
        return None if len(relevant) == len(grounded.task.variables) else frozenset(relevant)

    def _text(self, goal: Ways, counters: tuple[int, ...], counted: tuple[Value, ...], operators: Iterable[str]) -> str:
        """Return a whole problem; a goal that can hold in several ways is reached by an operator for each."""
        task = self.grounded.task
        values, written = list(counters), list(operators)
        wanted = counted
        if len(goal) == 1 and (goal[0] or counted):  # the planner takes no goal that asks for nothing
            wanted += goal[0]
        else:
            reached = len(task.variables) + len(values)
            values.append(2)
            wanted += ((reached, 1),)
            for way in goal:
                needs = (*way, *counted)
                written.append(
                    f"begin_operator\ng\n{len(needs)}\n{_prevailing(needs)}1\n0 {reached} 0 1\n0\nend_operator\n"
                )
        variables = [*task.variables, *(_variable(len(task.variables) + at, size) for at, size in enumerate(values))]
        init = "".join(f"{value}\n" for value in (*task.init, *(0 for _ in values)))
        goals = "".join(f"{variable} {value}\n" for variable, value in wanted)
        return "".join(
            (
                f"begin_version\n3\nend_version\nbegin_metric\n1\nend_metric\n{len(variables)}\n",
                *variables,
                "0\n",  # mutex groups, which no search here reads
                f"begin_state\n{init}end_state\nbegin_goal\n{len(wanted)}\n{goals}end_goal\n{len(written)}\n",
                *written,
                task.axioms,
            )
        )


def placed(observed: Observed, edits: Iterable[tuple[int | None, Edit]]) -> tuple[Edit, ...]:
    """Return edits with the observations that cannot be explained among them, each at its place."""
    waiting = [one.observation for one in observed.unmatchable]
    found: list[Edit] = []
    for index, edit in edits:
        while index is not None and waiting and waiting[0] < index and observed.order is Order.TOTAL:
            found.append(Edit(move=Move.SKIP, token=observed.tokens[waiting.pop(0)]))
        found.append(edit)
    return (*found, *(Edit(move=Move.SKIP, token=observed.tokens[index]) for index in waiting))


def _prevailing(values: Iterable[Value]) -> str:
    return "".join(f"{variable} {value}\n" for variable, value in values)


def _variable(number: int, values: int) -> str:
    size = max(2, values)  # the planner knows no variable with a single value
    atoms = "".join(f"Atom counted{number}({value})\n" for value in range(size))
    return f"begin_variable\nvar{number}\n-1\n{size}\n{atoms}end_variable\n"


def _step(name: str, effect: str, cost: int) -> str:
    return f"begin_operator\n{name}\n0\n1\n{effect}{cost}\nend_operator\n"
