"""The second executor for continuous change: time passes in ticks, and everything is looked at in every tick.

A plan is followed on a grid so fine that all that happens in the small models of ``random_nonclassical.flowing`` falls
on it: values are tested at the ticks and midway between them. Sources: Fox and Long, JAIR 20, 2003, section 5
(continuous effects); Fox and Long, JAIR 27, 2006 (processes and events).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.support.naive_reference import Act, InvalidError, Reference, World

TICK = Fraction(1, 48)
MOST_EVENTS = 20


class OpenError(Exception):
    """What the definitions do not settle."""


class FlowReference(Reference):
    def __init__(self, domain: str, problem: str) -> None:
        super().__init__(domain, problem)
        self.processes = [part for part in self.domain if part[0] == ":process"]
        self.events = [part for part in self.domain if part[0] == ":event"]
        self.continuous: list[tuple[Fraction, Fraction, Any]] = []

    def verdict(self, plan: str) -> tuple[bool, Fraction | None, dict[str, int]] | None:
        try:
            world = self._follow(plan)
        except InvalidError as error:
            self.first_fault = error.time
            return False, None, {}
        except OpenError:
            return None
        goal = next(part[1] for part in self.problem if part[0] == ":goal")
        return self.truth(goal, world) is True, None, {}

    def _follow(self, plan: str) -> World:
        happenings, invariants, _ = self.acts(plan)
        self.continuous = self._effects_over_time(plan)
        world = self.initial()
        end = max(act.time for acts in happenings for act in acts if act.is_step)
        now, near = Fraction(0), []
        world = self._fire(world)
        for acts in happenings:
            time = acts[0].time
            if time > end:
                break
            while now < time:
                world = self._tick(world, now, now + TICK == time, invariants)
                now += TICK
            near = [each for each in near if time - each[0].time < self.epsilon]
            world = self._fire(self.happen(acts, world, near))
        return world

    def _effects_over_time(self, plan: str) -> list[tuple[Fraction, Fraction, Any]]:
        """Return the continuous effects of the durative actions of a plan, each with its interval."""
        found = []
        for line in filter(str.strip, plan.splitlines()):
            time, _, rest = line.partition(":")
            name, _, length = rest.partition("[")
            parts = self.actions[name.strip().strip("()")]
            if parts[0] == ":durative-action":
                effects = dict(zip(parts[2::2], parts[3::2], strict=True))[":effect"][1:]
                stop = Fraction(time) + Fraction(length.strip("]"))
                found += [(Fraction(time), stop, effect) for effect in effects if effect[0] in ("increase", "decrease")]
        return found

    # --- time ----------------------------------------------------------------------------------

    def _tick(self, world: World, now: Fraction, is_last: bool, invariants: list[Any]) -> World:
        """Let one tick pass; ``is_last`` says that a happening of the plan comes at its end."""
        running = self._running(world)
        middle = self._moved(world, running, now, TICK / 2)
        if self._running(middle) != running:
            running = self._running(middle)
            middle = self._moved(world, running, now, TICK / 2)
            if self._running(middle) != running:
                raise OpenError("a process starts and stops without end")
        if self._enabled(middle):
            raise OpenError("an event has no first time")
        after = self._moved(world, running, now, TICK)
        for start, stop, condition, duration in invariants:
            if start <= now and now + TICK <= stop:
                for each, time in ((middle, now),) if is_last else ((middle, now), (after, now + TICK)):
                    if self.truth(condition, each, duration) is not True:
                        error = InvalidError(f"{condition} is broken from {time} on")
                        error.time = time
                        raise error
        return self._fire(after) if self._enabled(after) else after

    def _running(self, world: World) -> list[Any]:
        return [part for part in self.processes if self.truth(_part(part, ":precondition"), world)]

    def _moved(self, world: World, running: list[Any], now: Fraction, span: Fraction) -> World:
        effects = [_part(process, ":effect") for process in running]
        effects += [effect for start, stop, effect in self.continuous if start <= now < stop]
        rates: dict[tuple[str, ...], Fraction] = {}
        for operator, fluent, product in effects:
            value = self.value(product[2], world, None)
            assert value is not None
            rates[tuple(fluent)] = rates.get(tuple(fluent), Fraction(0)) + (value if operator == "increase" else -value)
        return World(world.atoms, {key: value + span * rates.get(key, 0) for key, value in world.values.items()})

    # --- events --------------------------------------------------------------------------------

    def _enabled(self, world: World) -> list[Act]:
        parts = [(part[1], _part(part, ":precondition"), _part(part, ":effect")) for part in self.events]
        found = [Act(Fraction(0), name, condition, [effect]) for name, condition, effect in parts]
        return [act for act in found if self.truth(act.condition, world)]

    def _fire(self, world: World) -> World:
        for _ in range(MOST_EVENTS):
            acts = self._enabled(world)
            if not acts:
                return world
            effects = {id(act): self.plain(act.effects, world, None) for act in acts}
            worlds = {id(act): world for act in acts}
            if any(self.exclude(one, other, effects, worlds) for one, other in combinations(acts, 2)):
                raise OpenError("events of one time interfere")
            world = self.happen(acts, world, [])
        raise OpenError("events follow each other without end")


def _part(tree: Any, key: str) -> Any:
    return dict(zip(tree[2::2], tree[3::2], strict=True))[key]
