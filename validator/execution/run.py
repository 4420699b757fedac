"""One execution of a plan: state after state, every fault with its causes, what each step changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, starmap

from validator.execution.rules import Rules
from validator.execution.schema import FREE, Schema
from validator.execution.trace import Cause, Change, Failure, Kind, Origin, Trace, UnmetGoal, states_after
from validator.model.conditions import Binding, State, false_parts, ground, holds
from validator.model.pddl.write import atom_text, formula_text
from validator.model.values import Atom, Formula, GroundAtom, Measure, Not
from validator.reading.plan import Step, Token
from validator.records import dataclass, replace

_NOTHING = Change()
_CAUSES = 4_096
"""causes of false literals that are kept"""


@dataclass(frozen=True, slots=True)
class Effects:
    """What a step would do in a state: atoms added, atoms deleted (added ones may be among them), its cost."""

    adds: set[GroundAtom]
    deletes: set[GroundAtom]
    cost: Fraction


class Run:
    """One execution: the state and what is remembered of its past."""

    def __init__(
        self, rules: Rules, tokens: Sequence[Token], places: Sequence[int], start: frozenset[GroundAtom]
    ) -> None:
        self.rules = rules
        self.model = rules.model
        self.tokens = tokens
        self.places = places
        self.start = start
        self.state: set[GroundAtom] = set(start)
        self.failures: list[Failure] = []
        self.changes: list[Change] = [_NOTHING] * len(tokens)
        self._deleted_by: dict[GroundAtom, int] = {}
        self._added_by: dict[GroundAtom, int] = {}
        self._noted = self._now = 0
        self.cost = rules.initial_cost
        self.executed = 0

    def execute(self) -> None:
        if not any(map(_is_placed, self.tokens)):
            self._in_order()
            return
        for happening in happenings(self.tokens):
            self._now = happening[0]
            members = [(index, self.tokens[index]) for index in happening]
            if len(members) == 1:
                self._step(*members[0])
            else:
                self._concurrent(members)

    def _in_order(self) -> None:
        """Execute the tokens one after the other; what most steps of most plans are costs a few look-ups of sets."""
        state, tokens = self.state, self.tokens
        for index, (token, grounded) in enumerate(zip(tokens, self.rules.known(tokens), strict=True)):
            if grounded is None and isinstance(token, Step):
                grounded = self.rules.grounded(token)
            if grounded is None:
                self._now = index
                self._step(index, token)
                continue
            if not (grounded.needs <= state and grounded.forbids.isdisjoint(state)):
                assert isinstance(token, Step)
                self._now = index
                self._refuse(index, token)
                continue
            change = grounded.change
            if not (change.added.isdisjoint(state) and change.deleted <= state):
                change = grounded.change_in(state)
            state -= change.deleted
            state |= change.added
            self.changes[index] = change
            if grounded.cost is not FREE:
                self.cost += grounded.cost
            self.executed += 1

    def _refuse(self, index: int, step: Step) -> None:
        """Note why a step cannot be done whose condition is literals."""
        schema = self.rules.schema(step.name)
        causes = self._causes(step, schema, step.args + schema.constants)
        self.failures.append(_unmet_precondition(self.places[index], causes))

    def _step(self, index: int, token: Token) -> None:
        effects = self._applicable(index, self._way(token), is_alone=True)
        if effects is not None:
            self._apply(index, effects)

    def _way(self, token: Token) -> Token:
        """Return the first way to do a step that the state allows, else the one with the fewest unmet conditions."""
        if not isinstance(token, Step) or (names := self.rules.ways.get(token.name)) is None:
            return token
        if names == [token.name] or self.rules.malformed(0, token):
            return token
        ways = (replace(token, name=name) for name in self.rules.admitted(token))
        return min(ways, key=lambda way: len(self._unmet(way, self.state)))

    def _concurrent(self, members: list[tuple[int, Token]]) -> None:
        """Execute steps at one instant: all read the same state, and none may undo what another needs or does."""
        planned: list[tuple[int, Step, Effects]] = []
        for index, token in ((index, self._way(token)) for index, token in members):
            effects = self._applicable(index, token)
            if effects is None or not isinstance(token, Step):
                continue
            rival = self._rival(token, effects, planned)
            if rival is None:
                planned.append((index, token, effects))
            else:
                detail = f"interferes with {rival} at the same time"
                self.failures.append(Failure(step=self.places[index], kind=Kind.MUTEX, detail=detail))
        for index, _, effects in planned:
            self._apply(index, effects)

    def _rival(self, step: Step, effects: Effects, planned: Sequence[tuple[int, Step, Effects]]) -> str | None:
        """Return what a step clashes with among the steps of its happening so far, one by one or together."""
        for index, other, theirs in planned:
            if self._clash(effects, theirs) or self._disturbs(effects, other, theirs):
                return f"step {self.places[index] + 1}"
            if self._disturbs(theirs, step, effects):
                return f"step {self.places[index] + 1}"
        for left_out, (_, other, theirs) in enumerate([*planned, (0, step, effects)]):
            rest = [each for place, (_, _, each) in enumerate([*planned, (0, step, effects)]) if place != left_out]
            together = Effects(
                set().union(*(each.adds for each in rest)), set().union(*(each.deletes for each in rest)), FREE
            )
            if len(rest) > 1 and self._disturbs(together, other, theirs):
                return "the other steps together"
        return None

    def _clash(self, effects: Effects, others: Effects) -> bool:
        """Return whether one deletes what the other adds."""
        return not (effects.adds.isdisjoint(others.deletes) and others.adds.isdisjoint(effects.deletes))

    def _disturbs(self, effects: Effects, step: Step, own: Effects) -> bool:
        """Return whether effects change what a step needs, or what it does by its conditional effects.

        Time stamps of PDDL mean more than that each order is right: what a step reads may not change at its time. Those
        of unified-planning mean less: a step reads the state before.
        """
        if step.time is not None:
            is_pddl = not self.model.problem.is_from_up
            return is_pddl and self.rules.reads_any(step, self.state, effects.adds, effects.deletes)
        after = (self.state - effects.deletes) | effects.adds
        if self._unmet(step, after):
            return True
        adds, deletes = self.rules.changes(step, after)
        return adds != own.adds or deletes != own.deletes

    def _applicable(self, index: int, token: Token, *, is_alone: bool = False) -> Effects | None:
        """Return what a token does in the present state, or None after noting why it cannot."""
        place = self.places[index]
        faults = self.rules.malformed(place, token) if token is self.tokens[index] else []
        if faults:
            self.failures += faults
            return None
        assert isinstance(token, Step)
        schema = self.rules.schema(token.name)
        env = token.args + schema.constants
        state = self.state
        if causes := self._causes(token, schema, env):
            self.failures.append(_unmet_precondition(place, causes))
            return None
        cost = self.rules.cost_of(token) if schema.costs else FREE
        if cost is None:
            undefined = self.rules.undefined_values(token)
            self.failures.append(Failure(step=place, kind=Kind.UNDEFINED_VALUE, unmet=undefined))
            return None
        return Effects(*self.rules.changes(token, state, is_alone=is_alone), cost)

    def _causes(self, step: Step, schema: Schema, env: tuple[str, ...]) -> tuple[Cause, ...]:
        """Return why a step cannot be done in the present state; nothing where it can."""
        if not schema.complex:
            return tuple(starmap(self._caused, schema.false_literals(env, self.state)))
        return tuple(self._cause(part, binding) for part, binding in self._unmet(step, self.state))

    def _unmet(self, step: Step, state: State) -> list[tuple[Formula, Binding]]:
        schema = self.rules.schema(step.name)
        view = self.rules.view(state)
        return list(false_parts(self.model, schema.action.precondition, schema.binding(step.args), view))

    def _apply(self, index: int, effects: Effects) -> None:
        change = Change(frozenset(effects.adds - self.state), frozenset((effects.deletes - effects.adds) & self.state))
        self.state -= change.deleted
        self.state |= change.added
        self.changes[index] = change
        if effects.cost is not FREE:
            self.cost += effects.cost
        self.executed += 1

    def _blamed(self, atom: GroundAtom, positive: bool) -> int | None:
        """Return the step that made a literal false last; None where none did.

        What changed is noted when it is first asked for, which for most plans is never.
        """
        for index in range(self._noted, self._now):
            place, change = self.places[index], self.changes[index]
            for one in change.added:
                self._added_by[one] = place
            for one in change.deleted:
                self._deleted_by[one] = place
        self._noted = self._now
        return (self._deleted_by if positive else self._added_by).get(atom)

    def _cause(self, part: Formula, binding: Binding) -> Cause:
        literal = formula_text(part, binding)
        inner = part.part if isinstance(part, Not) else part
        if not isinstance(inner, Atom) or self.rules.is_derived(inner.predicate):
            return Cause(literal=literal, origin=Origin.COMPOUND)
        return self._caused(ground(inner, binding), inner is part)

    def _caused(self, atom: GroundAtom, positive: bool) -> Cause:
        """Return why a literal is false."""
        return why_false(atom, positive, self._blamed(atom, positive))

    # --- the end ---------------------------------------------------------------------------------

    def finish(self, *, with_goal: bool = True) -> Trace:
        """Check the goal, if asked to, and return the trace; failures are in plan order, the goal's last."""
        self._now = len(self.tokens)
        unmet, causes = self._unmet_goals() if with_goal else ((), ())
        failures = self.failures
        if len(failures) > 1:
            failures = sorted(failures, key=lambda failure: -1 if failure.step is None else failure.step)
        if causes:
            literals = tuple(cause.literal for cause in causes)
            failures = [*failures, Failure(step=None, kind=Kind.GOAL, unmet=literals, causes=causes)]
        return Trace(
            init=self.start,
            failures=tuple(failures),
            changes=tuple(self.changes),
            cost=self._metric(),
            unmet_goals=unmet,
        )

    def _unmet_goals(self) -> tuple[tuple[UnmetGoal, ...], tuple[Cause, ...]]:
        """Return the parts of the goal that are false, and why each is."""
        goal = self.rules.goal_literals
        if goal is None:
            parts = self.rules.goal_parts(self.state)
            causes = tuple(self._cause(part, binding) for part, binding in parts)
            last = self._last_held(parts)
        else:
            causes = tuple(self._caused(*part) for part in goal if (part[0] in self.state) is not part[1])
            last = [None if cause.step is None else cause.step - 1 for cause in causes]
        unmet = zip(causes, last, strict=True)
        return tuple(UnmetGoal(literal=cause.literal, last_held=held) for cause, held in unmet), causes

    def _metric(self) -> Fraction | None:
        measure = self.rules.measure
        if measure is None:
            return self._other_metric()
        return self.cost if measure is Measure.TOTAL_COST else Fraction(self.executed)

    def _other_metric(self) -> Fraction | None:
        """Return the value of a metric over total-cost, total-time and values that never change; None for none."""
        from validator.model.numeric import Missing, Situation, evaluate

        metric = self.model.problem.metric
        assert metric is not None
        values = {**self.model.problem.values, ("total-cost",): self.cost, ("total-time",): self._total_time()}
        value = evaluate(metric.expression, {}, Situation(model=self.model, atoms=self.state, values=values))
        return None if isinstance(value, Missing) else value

    def _total_time(self) -> Fraction:
        """Return the last time stamp; without them the number of steps, those of one set counting once."""
        steps = [token for token in self.tokens if isinstance(token, Step)]
        times = [step.time for step in steps if step.time is not None]
        if times and len(times) == len(steps):
            return max(times)
        return Fraction(sum(1 for _ in happenings(self.tokens)))

    def _last_held(self, parts: Sequence[tuple[Formula, Binding]]) -> list[int | None]:
        """Return the last step after which each goal part held; -1 for the initial state, None for never."""
        found: list[int | None] = [None] * len(parts)
        looked_at: list[int] = []
        for number, (part, binding) in enumerate(parts):
            inner = part.part if isinstance(part, Not) else part
            if isinstance(inner, Atom) and not self.rules.is_derived(inner.predicate):
                step = self._blamed(ground(inner, binding), inner is part)
                found[number] = None if step is None else step - 1
            else:
                looked_at.append(number)
        if looked_at:
            for place, state in zip((-1, *self.places), states_after(self.start, self.changes), strict=True):
                view = self.rules.view(state)
                for number in looked_at:
                    part, binding = parts[number]
                    if holds(self.model, part, binding, view):
                        found[number] = place
        return found


def _unmet_precondition(place: int, causes: tuple[Cause, ...]) -> Failure:
    literals = tuple([cause.literal for cause in causes])
    return Failure(step=place, kind=Kind.PRECONDITION, unmet=literals, causes=causes)


@lru_cache(maxsize=_CAUSES)
def why_false(atom: GroundAtom, positive: bool, step: int | None) -> Cause:
    """Return the cause of a false literal; ``step`` made it false. Plans on one model have many in common."""
    text = atom_text(atom)
    if positive:
        return Cause(literal=text, origin=Origin.NEVER_ADDED if step is None else Origin.DELETED, step=step)
    return Cause(literal=f"(not {text})", origin=Origin.INITIAL if step is None else Origin.ADDED, step=step)


def _is_placed(token: Token) -> bool:
    """Return whether a token is a step that may happen together with others."""
    return isinstance(token, Step) and (token.concurrent is not None or token.time is not None)


def happenings(tokens: Sequence[Token]) -> Iterator[list[int]]:
    """Yield the indices of the tokens of a plan, those of steps that happen at once together."""
    for _, members in groupby(enumerate(tokens), key=_happening):
        yield [index for index, _ in members]


def gathered(tokens: Iterable[Token], together: Fraction) -> tuple[Token, ...]:
    """Return tokens of which the timed steps are one set that begin at most so long after the first one of it."""
    found: list[Token] = []
    first: Fraction | None = None
    number = 0
    for token in tokens:
        if isinstance(token, Step) and token.time is not None:
            if first is None or token.time > first + together:
                first, number = token.time, number + 1
            token = replace(token, concurrent=number)
        found.append(token)
    return tuple(found)


def _happening(member: tuple[int, Token]) -> object:
    """Return what the steps of one happening have in common; any other token stands alone."""
    index, token = member
    if isinstance(token, Step):
        if token.concurrent is not None:
            return "set", token.concurrent
        if token.time is not None:
            return "time", token.time
    return "index", index
