"""Long plans of known domains with one fault and with four: what the proof of the nearest repair costs.

Each check is the first of its model: nothing is known of it from another one, and where it has to be grounded, that is
part of what it costs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from random import Random

from benchmarks.cases import corrupt
from benchmarks.measure import cost_of
from benchmarks.models import Generated, towers
from benchmarks.options import Options
from benchmarks.table import Cell, Table
from validator.checking.check import check
from validator.checking.prepared import prepare
from validator.model.pddl import read_model
from validator.repair.projection.instantiation import Parts

__all__ = ["MODELS", "run"]

STEPS, FAULTS, SECONDS = (300, 1000, 3000), (1, 4), 60
"""of the plans, about; in them; for a check, by the clock"""


def run(options: Options) -> list[Table]:
    """Check plans of each model and length, until the nearest repair is proven."""
    rows = [row for name in MODELS if options.only in (None, name) for row in _rows(name)]
    return [
        Table(
            title="long",
            about=f"nearest valid plans to long plans, at most {SECONDS} s each by the clock",
            columns=("model", "steps", "ground steps", "faults", "changed lines", "proven", "grounded", "cpu s"),
            rows=tuple(rows),
            notes=("ground steps: what types and facts that never change allow",),
        )
    ]


def _rows(name: str) -> Iterator[tuple[Cell, ...]]:
    for steps in STEPS:
        generated = MODELS[name](steps)
        ground_steps = int(Parts(read_model(generated.domain, generated.problem)).size())
        for faults in FAULTS:
            plan = corrupt(generated.steps, generated.steps, faults, Random(f"{name} {steps} {faults}"))
            prepared = prepare(read_model(generated.domain, generated.problem))
            cost, report = cost_of(partial(check, prepared, None, "\n".join(plan), time_limit=SECONDS))
            changed = None if report.planner_response is None else report.planner_response.cost
            known, grounded = ("yes" if said else "no" for said in (report.proven, prepared.is_grounded))
            print(f"long: {name}, {steps} steps, {faults} faults done", file=sys.stderr, flush=True)
            yield name, len(plan), ground_steps, faults, str(changed), known, grounded, cost.cpu


def _generated(name: str, objects: str, init: Iterable[str], goal: Iterable[str], steps: Iterable[str]) -> Generated:
    domain = (Path(__file__).parent / "long_plans" / f"{name}.pddl").read_text(encoding="utf-8")
    parts = f"(:domain {name}) (:objects {objects}) (:init {' '.join(init)}) (:goal (and {' '.join(goal)}))"
    return Generated(domain=domain, problem=f"(define (problem p) {parts})", steps=tuple(steps))


def _gripper(steps: int) -> Generated:
    """Return two hands that carry balls from one room to the other, two at a time."""
    balls = [f"ball{number}" for number in range(steps // 6 * 2)]
    plan: list[str] = []
    for one, other in zip(balls[::2], balls[1::2], strict=True):
        plan += (f"(pick {one} here left)", f"(pick {other} here right)", "(move here there)")
        plan += (f"(drop {one} there left)", f"(drop {other} there right)", "(move there here)")
    objects = f"here there - room left right - hand {' '.join(balls)} - ball"
    init = ("(at-robot here) (free left) (free right)", *(f"(at {ball} here)" for ball in balls))
    return _generated("gripper", objects, init, [f"(at {ball} there)" for ball in balls], plan)


def _satellite(steps: int) -> Generated:
    """Return five satellites that take images in turn, each of another direction."""
    count, directions = 5, [f"d{number}" for number in range(60)]
    images = [(direction, f"m{mode}") for mode in range(steps // 120 + 1) for direction in directions][: steps // 2]
    modes = sorted({mode for _, mode in images})
    plan, pointing, init = list[str](), ["ground"] * count, list[str]()
    for number in range(count):
        plan += (f"(switch-on i{number} s{number})", f"(turn-to s{number} ground d{number})")
        plan.append(f"(calibrate s{number} i{number} ground)")
        init += (f"(on-board i{number} s{number})", f"(off s{number})", f"(pointing s{number} d{number})")
        init += (f"(target i{number} ground)", *(f"(supports i{number} {mode})" for mode in modes))
    for (direction, mode), number in zip(images, cycle(range(count)), strict=False):
        plan.append(f"(turn-to s{number} {direction} {pointing[number]})")
        plan.append(f"(take-image s{number} {direction} i{number} {mode})")
        pointing[number] = direction
    things = " ".join(f"s{number} - satellite i{number} - instrument" for number in range(count))
    objects = f"{things} {' '.join(modes)} - mode {' '.join(directions)} ground - direction"
    goal = [f"(have-image {direction} {mode})" for direction, mode in images]
    return _generated("satellite", objects, init, goal, plan)


def _logistics(steps: int) -> Generated:
    """Return parcels that are brought one after the other, by truck, by plane, and by truck again."""
    draw, cities = Random(steps), range(4)
    parcels = [f"p{number}" for number in range(steps // 12)]
    plan, init, goal = list[str](), list[str](), list[str]()
    for city in cities:
        places = (f"air{city}", f"east{city}", f"west{city}")
        init += (f"(at truck{city} air{city})", *(f"(in-city {place} city{city})" for place in places))
    at = {f"truck{city}": f"air{city}" for city in cities} | {"plane": "air0"}

    def go(vehicle: str, to: str, city: str) -> None:
        if at[vehicle] != to:
            plan.append(f"({'drive' if city else 'fly'} {vehicle} {at[vehicle]} {to}{city})")
            at[vehicle] = to

    for parcel in parcels:
        one, other = draw.sample(cities, 2)
        start, end = (f"{draw.choice(('east', 'west'))}{city}" for city in (one, other))
        init.append(f"(at {parcel} {start})")
        goal.append(f"(at {parcel} {end})")
        way = ((f"truck{one}", start, f"air{one}", f" city{one}"), ("plane", f"air{one}", f"air{other}", ""))
        for vehicle, here, there, within in (*way, (f"truck{other}", f"air{other}", end, f" city{other}")):
            go(vehicle, here, within)
            plan.append(f"(load {parcel} {vehicle} {here})")
            go(vehicle, there, within)
            plan.append(f"(unload {parcel} {vehicle} {there})")
    things = " ".join(f"air{city} - airport east{city} west{city} - place truck{city} - truck" for city in cities)
    names = " ".join(f"city{city}" for city in cities)
    objects = f"{' '.join(parcels)} - parcel {things} plane - plane {names} - city"
    return _generated("logistics", objects, ("(at plane air0)", *init), goal, plan)


MODELS: dict[str, Callable[[int], Generated]] = {
    "blocks": lambda steps: towers(steps // 4),
    "gripper": _gripper,
    "logistics": _logistics,
    "satellite": _satellite,
}
