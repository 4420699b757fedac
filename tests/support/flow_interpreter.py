"""A second executor of flows: what each visible step needs, does and costs, in plain Python and without any PDDL.

It is written from the definitions (``docs/flows.md``, NL2Flow 0.1.3) and shares with the package only the values that
a flow is made of. ``nearest`` and ``cheapest`` look at every state that can be reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tests.support.dijkstra import cheapest
from validator.flow.model import (
    ROOT_TYPE,
    Claim,
    Flow,
    Goal,
    GoalKind,
    GoalLogic,
    ItemState,
    LifeCycle,
    Operator,
    variables_of,
)

Move = tuple[str, ...]
"""A visible step: ("ask", items...), ("map", source, target), ("confirm", item), ("assert", text, "" or "not"),
("call", operator)."""

Names = frozenset[str]
Price = tuple[int, int]


@dataclass(frozen=True)
class World:
    known: Names
    uncertain: Names
    used: Names
    given_away: Names
    usable: Names
    stands: tuple[tuple[str, str | None], ...]
    fresh: Names
    passed: Names
    decided: frozenset[tuple[str, bool]]
    done: Names
    tried: tuple[tuple[tuple[str, ...], int], ...]


_Node = tuple[World, int, frozenset[int]]
"""a world, how far the observed plan was followed, which of its lines were done"""


def line(flow: Flow, move: Move) -> str:
    """Return a step as plans write it."""
    kind, *rest = move
    if kind == "assert":
        return f"assert {'not ' * bool(rest[1])}{rest[0]}"
    if kind != "call":
        return f"{kind}({', '.join(rest)})"
    operator = flow.by_name[rest[0]]
    outputs = ", ".join(entry.item for entry in operator.outputs)
    return f"{f'{outputs} = ' * bool(outputs)}{operator.name}({', '.join(_inputs(operator))})"


def _inputs(operator: Operator) -> list[str]:
    return list(dict.fromkeys(entry.item for entry in operator.inputs))


class Interpreter:
    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.options = flow.options
        self.types = self._types()
        self.inputs = {item for operator in flow.operators for item in _inputs(operator)}
        never = {entry.item for entry in flow.slots if not entry.desirability}
        pairs = [(entry.source, entry.target, bool(entry.probability)) for entry in flow.maps]
        if self.options.map_transitive:
            pairs += [(target, source, may) for source, target, may in pairs]
        self.forbidden = {(source, target) for source, target, may in pairs if not may}
        self.forbidden |= {(new, item) for new in self.new for item in never if self.types[new] == self.types[item]}
        self.declared = {(source, target) for source, target, may in pairs if may} - self.forbidden
        texts = [claim.text for operator in flow.operators for claim in (*operator.needs, *operator.ensures)]
        texts += [goal.claim.text for group in flow.goals for goal in group if goal.claim is not None]
        texts += [each.text for entry in flow.manifests for each in (entry.condition, entry.consequence)]
        self.texts = list(dict.fromkeys([*texts, *(claim.text for claim in flow.claims)]))
        self.watched = {item for text in self.texts for item in variables_of(text)}
        self.past = [step.name for step in flow.history]

    def _types(self) -> dict[str, str]:
        """Return the type of each item, those included that the user may be asked for beyond the named ones."""
        found = {item: ROOT_TYPE for entry in self.flow.maps for item in (entry.source, entry.target)}
        for entry in (*self.flow.memory, *(e for each in self.flow.operators for e in (*each.inputs, *each.outputs))):
            if found.get(entry.item, ROOT_TYPE) == ROOT_TYPE:
                found[entry.item] = entry.type or ROOT_TYPE
        used = sorted(set(found.values()) - {ROOT_TYPE}) if self.options.map_types else []
        new = {f"new_object_{name.lower()}_{each}": name for name in used for each in range(self.options.lookahead)}
        self.new = set(new)
        return {**found, **new}

    @property
    def start(self) -> World:
        def of(state: ItemState) -> Names:
            return frozenset(entry.item for entry in self.flow.memory if entry.state is state)

        tracked = sorted(self.inputs) if self.options.multi_instance else []
        tried: dict[tuple[str, ...], int] = {}
        for name in self.past:
            call = (name, *_inputs(self.flow.by_name[name]))
            tried[call] = tried.get(call, 0) + 1
        mentioned = {entry.item for entry in self.flow.memory} | self.inputs
        mentioned |= {entry.item for operator in self.flow.operators for entry in operator.outputs}
        orphans = {goal.subject for group in self.flow.goals for goal in group if goal.kind is GoalKind.KNOWN}
        return World(
            known=of(ItemState.KNOWN),
            uncertain=of(ItemState.UNCERTAIN),
            used=frozenset(self.inputs | (orphans - mentioned)),
            given_away=frozenset(),
            usable=frozenset(),
            stands=tuple((item, None if self.options.map_always else item) for item in tracked),
            fresh=frozenset(),
            passed=frozenset(),
            decided=frozenset(each for claim in self.flow.claims for each in self._consequences(claim)),
            done=frozenset(),
            tried=tuple(sorted(tried.items())),
        )

    # --- steps ---------------------------------------------------------------------------------

    def moves(self, world: World) -> Iterator[tuple[Move, World, int]]:
        """Yield each step that can be done, with the world behind it and what it costs in its cheapest way."""
        best: dict[Move, tuple[int, World]] = {}
        for move, after, cost in (
            *self._asks(world),
            *self._confirms(world),
            *self._maps(world),
            *self._asserts(world),
            *self._calls(world),
        ):
            if move not in best or cost < best[move][0]:
                best[move] = cost, after
        yield from ((move, after, cost) for move, (cost, after) in best.items())

    def run(self, moves: Iterable[Move]) -> tuple[World, list[int]] | None:
        """Return the world behind steps and what each costs; None where one cannot be done."""
        world, costs = self.start, []
        for move in moves:
            found = {each: (after, cost) for each, after, cost in self.moves(world)}
            if move not in found:
                return None
            world, cost = found[move]
            costs.append(cost)
        return world, costs

    def _desirability(self, item: str) -> float:
        for slot in self.flow.slots:
            if slot.item == item or (slot.propagate and self.types.get(slot.item) == self.types[item]):
                return slot.desirability
        return 0.5

    def _ran(self, names: Iterable[str], world: World) -> bool:
        return all(name in world.done or name in self.past for name in names)

    def _waits(self, item: str) -> set[str]:
        """Return the operators that could yield an item, or one that is declared to be mapped to it."""
        if any(slot.item == item and not slot.last_resort for slot in self.flow.slots):
            return set()
        sources = {item, *(entry.source for entry in self.flow.maps if entry.target == item)}
        return {each.name for each in self.flow.operators if sources & {output.item for output in each.outputs}}

    def _asks(self, world: World) -> Iterator[tuple[Move, World, int]]:
        options = self.options
        dear = {item: int((2 - self._desirability(item)) * 100_000) for item in self.types}
        cheap = {item: int((2 - self._desirability(item)) * 1_000) for item in self.types}
        may = {item for item in self.types if self._desirability(item) and item not in world.known}
        for operator in self.flow.operators if options.ask_together else ():
            items = [item for item in _inputs(operator) if self._desirability(item)]
            waits = {name for item in items for name in self._waits(item)} if options.ask_last_resort else set()
            if items and may.issuperset(items) and self._ran(waits, world):
                yield ("ask", *items), self._answered(world, items), sum(cheap[item] for item in items)
        turn = self._turns(world) if options.ask_ordered else may
        for item in sorted(may & turn):
            if options.ask_last_resort and self._ran(self._waits(item), world):
                yield ("ask", item), self._answered(world, [item]), cheap[item]
            if options.ask_always:
                yield ("ask", item), self._answered(world, [item]), dear[item]

    def _turns(self, world: World) -> set[str]:
        """Return the inputs before which all inputs of some operator are known."""
        found = set()
        for operator in self.flow.operators:
            for place, item in enumerate(_inputs(operator)):
                if world.known.issuperset(_inputs(operator)[:place]):
                    found.add(item)
        return found

    def _answered(self, world: World, items: Sequence[str]) -> World:
        for item in items:
            world = self._acquired(world, item, LifeCycle.CONFIRM_ON_SLOT)
            world = self._standing(world, item, item)
            world = replace(
                world,
                usable=world.usable | {item},
                fresh=world.fresh | {item},
                given_away=world.given_away - {item},
            )
        return world

    def _acquired(self, world: World, item: str, doubt: LifeCycle) -> World:
        if doubt in self.options.life_cycle:
            return replace(world, uncertain=world.uncertain | {item})
        return replace(world, known=world.known | {item}, uncertain=world.uncertain - {item})

    @staticmethod
    def _standing(world: World, source: str, target: str) -> World:
        return replace(world, stands=tuple((item, source if item == target else it) for item, it in world.stands))

    def _confirms(self, world: World) -> Iterator[tuple[Move, World, int]]:
        for item in world.uncertain if self.options.life_cycle else ():
            yield (
                ("confirm", item),
                replace(world, known=world.known | {item}, uncertain=world.uncertain - {item}),
                10,
            )

    def _kinds(self, item: str) -> set[str]:
        found, kind = set(), self.types[item]
        while kind != ROOT_TYPE and kind not in found:
            found.add(kind)
            kind = self.flow.types.get(kind, ROOT_TYPE)
        return found

    def _maps(self, world: World) -> Iterator[tuple[Move, World, int]]:
        for source in world.known:
            for target in self.types:
                cost = self._price_of_map(world, source, target)
                if cost is None:
                    continue
                after = self._standing(self._acquired(world, target, LifeCycle.CONFIRM_ON_MAPPING), source, target)
                is_fresh = target in self.watched and source in world.fresh | world.passed
                yield (
                    ("map", source, target),
                    replace(
                        after,
                        given_away=world.given_away | {source},
                        usable=world.usable | {target},
                        used=world.used - {target},
                        passed=world.passed | ({target} if is_fresh else set()),
                    ),
                    cost,
                )

    def _price_of_map(self, world: World, source: str, target: str) -> int | None:
        if (source, target) in self.declared:
            return 1
        if not self.options.map_types or not self._kinds(source) & self._kinds(target):
            return None
        is_closed = source in world.given_away or (source, target) in self.forbidden or target in self.new
        if is_closed or target not in world.used or (source == target and not self.options.map_always):
            return None
        return 20

    def _consequences(self, claim: Claim) -> set[tuple[str, bool]]:
        found = {(claim.text, claim.holds)}
        while True:
            more = {
                (each.consequence.text, each.consequence.holds)
                for each in self.flow.manifests
                if (each.condition.text, each.condition.holds) in found
            } - found
            if not more:
                return found
            found |= more

    def _decided(self, world: World, claim: Claim) -> World:
        new = self._consequences(claim)
        return replace(world, decided=(world.decided - {(text, not holds) for text, holds in new}) | new)

    def _asserts(self, world: World) -> Iterator[tuple[Move, World, int]]:
        for text in self.texts:
            about = set(variables_of(text))
            is_open = not world.decided & {(text, True), (text, False)}
            if not about <= world.known:
                continue
            cost = 20 if is_open else 30 if about & world.fresh else 1_010 if about & world.passed else None
            for holds in (True, False) if cost is not None else ():
                after = self._decided(world, Claim(text=text, holds=holds))
                after = replace(after, fresh=world.fresh - about, passed=world.passed - about)
                yield ("assert", text, "" if holds else "not"), after, cost or 0

    # --- calls ---------------------------------------------------------------------------------

    def _calls(self, world: World) -> Iterator[tuple[Move, World, int]]:
        for operator in self.flow.operators:
            if self._may_run(operator, world):
                found = self._called(operator, world)
                if found is not None:
                    yield ("call", operator.name), *found

    def _may_run(self, operator: Operator, world: World) -> bool:
        flow, name = self.flow, operator.name
        if any(order.first == name and order.then in self.past for order in flow.orders):
            return False
        firsts = [order.first for order in flow.orders if order.then == name]
        if flow.starts_with not in (None, name):
            firsts.append(flow.starts_with or "")
        if not self._ran(firsts, world) or flow.ends_with in world.done:
            return False
        decided = {(claim.text, claim.holds) for claim in operator.needs}
        return decided <= world.decided and world.known.issuperset(_inputs(operator))

    def _called(self, operator: Operator, world: World) -> tuple[World, int] | None:
        stands, items = dict(world.stands), _inputs(operator)
        sources = [stands.get(item, item) if self.options.multi_instance else item for item in items]
        if None in sources:
            return None
        if self.options.map_always and not world.usable.issuperset(set(sources) & self.inputs):
            return None
        found = self._tried(operator, [str(source) for source in sources], world)
        if found is None:
            return None
        world, cost = found
        world = replace(
            world,
            done=world.done | {operator.name},
            used=world.used | set(items) | {str(source) for source in sources},
        )
        outputs = [entry.item for entry in operator.outputs]
        if LifeCycle.UNCERTAIN_ON_USE in self.options.life_cycle:
            doubted = set(items) - set(outputs)
            world = replace(world, known=world.known - doubted, uncertain=world.uncertain | doubted)
        for item in outputs:
            world = self._acquired(world, item, LifeCycle.CONFIRM_ON_DETERMINATION)
            world = replace(world, fresh=world.fresh | {item}, given_away=world.given_away - {item})
            world = world if self.options.map_always else self._standing(world, item, item)
        for claim in operator.ensures:
            world = self._decided(world, claim)
        return world, cost

    def _tried(self, operator: Operator, sources: Sequence[str], world: World) -> tuple[World, int] | None:
        """Count a try, and return what it costs; None where there is none left."""
        options = self.options
        if not (options.retries or options.multi_instance):
            return None if operator.name in self.past else (world, operator.cost)
        call, tried = (operator.name, *sources), dict(world.tried)
        before = tried.get(call, 0)
        if before >= (operator.max_try if options.retries else 1):
            return None
        cost = operator.cost + (5_000 if options.retries and not before else 0)
        return replace(world, tried=tuple(sorted({**tried, call: before + 1}.items()))), cost

    # --- goals ---------------------------------------------------------------------------------

    def is_goal(self, world: World) -> bool:
        groups = [[self._is_met(goal, world) for goal in group] for group in self.flow.goals]
        match self.options.goal_logic:
            case GoalLogic.AND_AND:
                return all(map(all, groups))
            case GoalLogic.AND_OR:
                return all(any(group) for group in groups if group)
            case _:
                return any(map(all, groups)) if groups else True

    def _is_met(self, goal: Goal, world: World) -> bool:
        if goal.kind is GoalKind.CONSTRAINT:
            assert goal.claim is not None
            return (goal.claim.text, goal.claim.holds) in world.decided
        if goal.kind is GoalKind.OPERATOR:
            return goal.subject in world.done
        return goal.subject in world.known

    # --- everything that can be done -----------------------------------------------------------

    def nearest(self, plan: Sequence[Move | None], policy: str, *, with_goal: bool, most: int) -> Price | str | None:
        """Return the least price of a plan near another one, most important part first; None for none, or TOO_MANY.

        ``keep``: (lines lost, cost of what is added, each at least 1); ``move``: the same with 1 for each line that is
        done out of its turn; ``edits``: (lines lost and added, 0); ``optimal``: (cost, lines lost and added).
        """
        successors: dict[World, list[tuple[Move, World, int]]] = {}
        ways = self._moving if policy == "move" else self._editing

        def moves(node: _Node) -> Iterator[tuple[_Node | None, Price]]:
            world, place, used = node
            if world not in successors:
                successors[world] = list(self.moves(world))
            if (not with_goal or self.is_goal(world)) and (policy == "move" or place == len(plan)):
                yield None, (len(plan) - len(used) if policy == "move" else 0, 0)
            for added, target in ways(plan, policy, node, successors[world]):
                yield target, added

        return cheapest((self.start, 0, frozenset()), moves, lambda node: node is None, most=most)  # type: ignore

    @staticmethod
    def _editing(
        plan: Sequence[Move | None], policy: str, node: _Node, moves: Sequence[tuple[Move, World, int]]
    ) -> Iterator[tuple[Price, _Node]]:
        world, place, used = node
        if place < len(plan):
            yield ((0, 1) if policy == "optimal" else (1, 0)), (world, place + 1, used)
        for move, after, cost in moves:
            added = {"optimal": (cost, 1), "edits": (1, 0)}.get(policy, (0, max(cost, 1)))
            yield added, (after, place, used)
            if place < len(plan) and plan[place] == move:
                yield ((cost, 0) if policy == "optimal" else (0, 0)), (after, place + 1, used)

    @staticmethod
    def _moving(
        plan: Sequence[Move | None], policy: str, node: _Node, moves: Sequence[tuple[Move, World, int]]
    ) -> Iterator[tuple[Price, _Node]]:
        """Yield what may come next where a line counts as lost at the end, if it was not ``used``."""
        _, place, used = node
        for move, after, cost in moves:
            yield (0, max(cost, 1)), (after, place, used)
            for index in range(len(plan)):
                if plan[index] == move and index not in used:
                    yield (0, 1), (after, place, used | {index})
                    if index >= place:
                        yield (0, 0), (after, index + 1, used | {index})
