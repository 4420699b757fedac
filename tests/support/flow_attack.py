"""Random flows with plans of them, and reports on these beside what looking at every world says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from tests.support.flow_building import known, ran
from tests.support.flow_interpreter import Interpreter, Move, Price, line
from validator.checking.report import Quality, Report
from validator.flow.model import (
    Claim,
    Flow,
    FlowOptions,
    Goal,
    GoalKind,
    GoalLogic,
    Input,
    ItemState,
    LifeCycle,
    Manifest,
    Map,
    MemoryItem,
    Operator,
    Order,
    Output,
    Slot,
)
from validator.reading.plan import Constraint, Step, Token
from validator.repair.diff import DiffAction


def flow_with_goals(rng: Random) -> Flow:
    """Return a small random flow with goals of every kind, sometimes with a first or a last operator, and a past."""
    flow = _flow(rng)

    def goal() -> Goal:
        kind = rng.randint(0, 2)
        if kind == 1:
            return known(rng.choice(flow.memory).item)
        if kind == 2 and flow.constraints:
            return Goal(
                kind=GoalKind.CONSTRAINT, claim=Claim(text=rng.choice(flow.constraints), holds=rng.random() < 0.7)
            )
        return ran(rng.choice(flow.operators).name)

    def rarely(value: str) -> str | None:
        return value if rng.random() < 0.15 else None

    claims = [Claim(text=text, holds=holds) for text in flow.constraints for holds in (True, False)]
    return replace(
        flow,
        goals=tuple(tuple(goal() for _ in range(rng.randint(1, 2))) for _ in range(rng.randint(1, 2))),
        starts_with=rarely(flow.operators[0].name),
        ends_with=rarely(flow.operators[-1].name),
        manifests=tuple(
            Manifest(condition=rng.choice(claims), consequence=rng.choice(claims))
            for _ in range(rng.randint(0, 1) if claims else 0)
        ),
        claims=tuple(rng.sample(claims, 1)) if claims and rng.random() < 0.2 else (),
        history=(Step(name=rng.choice(flow.operators).name),) if rng.random() < 0.2 else (),
        options=replace(flow.options, goal_logic=rng.choice(list(GoalLogic))),
    )


def _flow(rng: Random) -> Flow:
    """Return a flow of up to four items and three operators, with any options."""
    items = "abcd"[: rng.randint(2, 4)]
    types = {item: rng.choice([None, "T", "T", "U"]) for item in items}
    operators = tuple(_operator(rng, f"f{number}", items, types) for number in range(rng.randint(1, 3)))
    pairs = {(rng.choice(items), rng.choice(items)) for _ in range(rng.randint(0, 2))}
    return Flow(
        name="random",
        operators=operators,
        memory=tuple(MemoryItem(item=item, type=types[item], state=rng.choice(list(ItemState))) for item in items),
        slots=tuple(Slot(item=item, desirability=rng.choice([0, 0, 0.5])) for item in items),
        maps=tuple(
            Map(source=source, target=target, probability=rng.choice([0, 1, 1]))
            for source, target in sorted(pairs)
            if source != target
        ),
        orders=(Order(first="f0", then="f1"),) if len(operators) > 1 and rng.randint(0, 4) == 4 else (),
        options=_options(rng),
    )


def _operator(rng: Random, name: str, items: str, types: dict[str, str | None]) -> Operator:
    def claims(rarity: int) -> tuple[Claim, ...]:
        claim = Claim(text=f"${rng.choice(items)} > 1", holds=rng.choice([True, True, False]))
        return (claim,) if rng.randint(1, rarity) == rarity else ()

    return Operator(
        name=name,
        inputs=tuple(
            Input(item=item, type=types[item]) for item in rng.sample(items, rng.randint(0, min(2, len(items))))
        ),
        outputs=tuple(Output(item=item, type=types[item]) for item in rng.sample(items, rng.randint(0, 2))),
        needs=claims(3),
        ensures=claims(6),
        max_try=rng.choice([1, 1, 2]),
    )


def _options(rng: Random) -> FlowOptions:
    def rarely() -> bool:
        return rng.randint(0, 4) == 4

    return FlowOptions(
        ask_always=not rarely(),
        ask_last_resort=rarely(),
        ask_ordered=rarely(),
        ask_together=rarely(),
        map_types=rng.choice([True, False]),
        map_transitive=rarely(),
        map_always=rarely(),
        life_cycle=frozenset(cycle for cycle in LifeCycle if rarely()),
        multi_instance=not rarely(),
        retries=rng.choice([True, False]),
        lookahead=int(rarely()),
    )


def walk_with_faults(own: Interpreter, rng: Random) -> list[Move]:
    world, walk = own.start, list[Move]()
    while len(walk) < 5 and not own.is_goal(world):
        ways = list(own.moves(world))
        if not ways:
            break
        # What is cheap is what leads on: not a question for each item.
        move, world, _ = rng.choice(sorted(ways, key=lambda way: (way[2], way[0]))[:4])
        walk.append(move)
    for _ in range(rng.randint(0, 2) if walk else 0):
        place = rng.randrange(len(walk) + 1)
        match rng.randint(0, 2):
            case 0:
                del walk[place : place + 1]
            case 1:
                walk.insert(place, rng.choice([*walk, ("call", rng.choice(own.flow.operators).name)]))
            case _:
                rng.shuffle(walk)
    return walk


def compared(own: Interpreter, moves: Sequence[Move], report: Report, measure: str, expected: Price | None) -> str:
    told = (own.flow, [line(own.flow, move) for move in moves], report.report_type, measure, expected, report.reason)
    ran = own.run(moves)
    if report.report_type is not Quality.OPTIMAL:
        is_so = ran is not None and (report.report_type is Quality.SOUND or own.is_goal(ran[0]))
        assert report.determination is is_so, told
    if report.determination:
        assert report.report_type is not Quality.OPTIMAL or (ran and expected == (sum(ran[1]), 0)), told
    elif report.repaired_plan is not None:
        found = _price(own, report, measure)
        assert found is not None, (told, report.repaired_plan)
        assert expected is not None and (found == expected or (not report.proven and found > expected)), (
            told, found, report.plan_diff_str,
        )  # fmt: skip
    elif report.proven:
        assert expected is None, told
    return "proven" if report.proven else "open"


def _price(own: Interpreter, report: Report, measure: str) -> Price | None:
    """Return what a repair costs in the oracle's terms; None where its plan has not the quality."""
    found = own.run(map(move_of, report.repaired_plan or ()))
    if found is None or (report.report_type is not Quality.SOUND and not own.is_goal(found[0])):
        return None
    costs, added, deleted = iter(found[1]), list[tuple[str, int]](), list[str]()
    for diff in report.plan_diff_obj:
        if diff.diff_type is DiffAction.DELETE:
            deleted.append(str(diff.step))
        else:
            cost = next(costs)
            if diff.diff_type is DiffAction.ADD:
                added.append((str(diff.step), max(cost, 1)))
    if measure == "optimal":
        return sum(found[1]), len(added) + len(deleted)
    if measure == "edits":
        return len(added) + len(deleted), 0
    moved = 0
    for text, cost in sorted(added, key=lambda pair: -pair[1]) if measure == "move" else ():
        if text in deleted:
            deleted.remove(text)
            added.remove((text, cost))
            moved += 1
    return len(deleted), sum(cost for _, cost in added) + moved


def move_of(token: Token) -> Move:
    if isinstance(token, Constraint):
        return ("assert", token.text, "" if token.holds else "not")
    assert isinstance(token, Step)
    return (token.name, *token.args) if token.name in ("ask", "map", "confirm") else ("call", token.name)
