"""Planning problems by domain, difficulty and seed, each with a valid plan; one domain is held out for evaluation.

``problems("blocks", 10, range(100))`` yields a hundred problems of ten blocks. The same arguments give the same
problems anywhere, and seeds of evaluation (``HELD_OUT_SEEDS``) are not those of training. Plans are valid, and not
always shortest.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

BLOCKS = """(define (domain blocks)
  (:predicates (on ?a ?b) (on-table ?a) (clear ?a) (held ?a) (hand-empty))
  (:action lift :parameters (?a) :precondition (and (on-table ?a) (clear ?a) (hand-empty))
    :effect (and (held ?a) (not (on-table ?a)) (not (clear ?a)) (not (hand-empty))))
  (:action lower :parameters (?a) :precondition (held ?a)
    :effect (and (on-table ?a) (clear ?a) (hand-empty) (not (held ?a))))
  (:action take :parameters (?a ?b) :precondition (and (on ?a ?b) (clear ?a) (hand-empty))
    :effect (and (held ?a) (clear ?b) (not (on ?a ?b)) (not (clear ?a)) (not (hand-empty))))
  (:action place :parameters (?a ?b) :precondition (and (held ?a) (clear ?b))
    :effect (and (on ?a ?b) (clear ?a) (hand-empty) (not (held ?a)) (not (clear ?b)))))
"""
DELIVERY = """(define (domain delivery)
  (:predicates (road ?x ?y) (at ?x) (parcel ?p) (lies ?p ?x) (loaded ?p))
  (:action drive :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y)) :effect (and (at ?y) (not (at ?x))))
  (:action load :parameters (?p ?x) :precondition (and (parcel ?p) (at ?x) (lies ?p ?x))
    :effect (and (loaded ?p) (not (lies ?p ?x))))
  (:action unload :parameters (?p ?x) :precondition (and (at ?x) (loaded ?p))
    :effect (and (lies ?p ?x) (not (loaded ?p)))))
"""
LIGHTS = """(define (domain lights)
  (:predicates (next ?a ?b) (here ?a) (lit ?a) (dark ?a))
  (:action walk :parameters (?a ?b) :precondition (and (here ?a) (next ?a ?b)) :effect (and (here ?b) (not (here ?a))))
  (:action switch-on :parameters (?a) :precondition (and (here ?a) (dark ?a)) :effect (and (lit ?a) (not (dark ?a))))
  (:action switch-off :parameters (?a) :precondition (and (here ?a) (lit ?a)) :effect (and (dark ?a) (not (lit ?a)))))
"""
TRAINING, HELD_OUT = ("blocks", "delivery"), ("lights",)
HELD_OUT_SEEDS = range(1_000_000, 2_000_000)


@dataclass(frozen=True)
class Problem:
    name: str
    domain: str
    problem: str
    plan: str


def problems(domain: str, difficulty: int, seeds: Iterable[int]) -> Iterator[Problem]:
    """Yield a problem for each seed; ``difficulty`` is the number of blocks, places or rooms, at least 2."""
    text, make = {"blocks": (BLOCKS, _blocks), "delivery": (DELIVERY, _delivery), "lights": (LIGHTS, _lights)}[domain]
    for seed in seeds:
        name = f"{domain}-{difficulty}-{seed}"
        objects, init, goal, steps = make(difficulty, Random(name))
        facts, wanted = (" ".join(f"({each})" for each in part) for part in (init, goal))
        problem = f"(define (problem {name}) (:domain {domain})\n  (:objects {' '.join(objects)})\n"
        problem += f"  (:init {facts})\n  (:goal (and {wanted})))\n"
        yield Problem(name, text, problem, "".join(f"({step})\n" for step in steps))


def broken(plan: str, faults: int, seed: int) -> str:
    """Return a plan with steps dropped, repeated elsewhere, or swapped with the next one."""
    draw, steps = Random(seed), plan.splitlines()
    for _ in range(faults if len(steps) > 1 else 0):
        place, kind = draw.randrange(len(steps) - 1), draw.randrange(3)
        if kind == 0 and len(steps) > 2:
            del steps[place]
        elif kind == 1:
            steps.insert(place, draw.choice(steps))
        else:
            steps[place : place + 2] = steps[place + 1], steps[place]
    return "".join(f"{step}\n" for step in steps)


def _blocks(size: int, draw: Random):
    blocks = [f"b{number}" for number in range(size)]
    first, last = _towers(blocks, draw), _towers(blocks, draw)
    below = {block: tower[at - 1] if at else None for tower in last for at, block in enumerate(tower)}
    steps, stands = [], [list(tower) for tower in first]

    def is_right(tower):
        return all(below[block] == (tower[at - 1] if at else None) for at, block in enumerate(tower))

    def move(tower, onto):
        block = tower.pop()
        steps.append(f"take {block} {tower[-1]}" if tower else f"lift {block}")
        steps.append(f"place {block} {onto[-1]}" if onto else f"lower {block}")
        onto.append(block)

    while not all(is_right(tower) for tower in stands):
        stands = [tower for tower in stands if tower]
        wrong = [tower for tower in stands if not is_right(tower)]
        ready = [(tower, onto) for tower in wrong for onto in stands if onto[-1] == below[tower[-1]] and is_right(onto)]
        if ready:
            move(*ready[0])
        else:
            stands.append([])
            move(next(tower for tower in wrong if len(tower) > 1), stands[-1])
    return blocks, ["hand-empty", *_facts(first, clear=True)], list(_facts(last, clear=False)), steps


def _towers(blocks, draw: Random):
    found = []
    for block in draw.sample(blocks, len(blocks)):
        place = draw.randint(0, len(found))
        found[place : place + 1] = [[*found[place], block]] if place < len(found) else [[block]]
    return found


def _facts(towers, *, clear: bool):
    for tower in towers:
        yield f"on-table {tower[0]}"
        yield from (f"on {above} {block}" for block, above in pairwise(tower))
        if clear:
            yield f"clear {tower[-1]}"


def _delivery(size: int, draw: Random):
    places, parcels = [f"x{number}" for number in range(size)], [f"p{number}" for number in range(1 + size // 2)]
    roads = [(number, number + 1) for number in range(size - 1)]
    init = ["at x0", *(f"parcel {each}" for each in parcels)]
    init += [f"road x{one} x{other}" for road in roads for one, other in (road, road[::-1])]
    goal, steps, here = [], [], 0
    for parcel in parcels:
        start, end = draw.sample(range(size), 2)
        init.append(f"lies {parcel} x{start}")
        goal.append(f"lies {parcel} x{end}")
        steps += [*_way("drive", "x", here, start), f"load {parcel} x{start}"]
        steps += [*_way("drive", "x", start, end), f"unload {parcel} x{end}"]
        here = end
    return [*places, *parcels], init, goal, steps


def _lights(size: int, draw: Random):
    rooms, steps, here = [f"r{number}" for number in range(size)], [], 0
    lit = [draw.random() < 0.5 for _ in rooms]
    wanted = [draw.random() < 0.5 for _ in rooms]
    wanted[-1] = not lit[-1]
    for room in (number for number in range(size) if lit[number] is not wanted[number]):
        steps += [*_way("walk", "r", here, room), f"switch-{'on' if wanted[room] else 'off'} r{room}"]
        here = room
    init = ["here r0", *(f"next r{a} r{b}" for a in range(size) for b in (a - 1, a + 1) if 0 <= b < size)]
    init += [f"{'lit' if on else 'dark'} r{number}" for number, on in enumerate(lit)]
    return rooms, init, [f"{'lit' if on else 'dark'} r{number}" for number, on in enumerate(wanted)], steps


def _way(verb: str, letter: str, start: int, end: int):
    turn = 1 if end > start else -1
    return [f"{verb} {letter}{at} {letter}{at + turn}" for at in range(start, end, turn)]
