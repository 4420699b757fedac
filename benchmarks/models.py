"""Generated models and plans: one robot carries parcels round a ring of rooms. Everything is typed and flat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from random import Random

from validator.model.bundled import bundle

__all__ = ["DOMAIN", "Generated", "ring", "towers", "variants"]

DOMAIN = """\
(define (domain ring)
  (:requirements :strips :typing)
  (:types place thing - object  robot parcel - thing  room - place)
  (:predicates (at ?t - thing ?p - place) (next ?a ?b - place) (free ?r - robot) (carries ?r - robot ?p - parcel))
  (:action move
    :parameters (?r - robot ?from ?to - room)
    :precondition (and (at ?r ?from) (next ?from ?to))
    :effect (and (at ?r ?to) (not (at ?r ?from))))
  (:action load
    :parameters (?r - robot ?p - parcel ?where - room)
    :precondition (and (at ?r ?where) (at ?p ?where) (free ?r))
    :effect (and (carries ?r ?p) (not (at ?p ?where)) (not (free ?r))))
  (:action unload
    :parameters (?r - robot ?p - parcel ?where - room)
    :precondition (and (at ?r ?where) (carries ?r ?p))
    :effect (and (at ?p ?where) (free ?r) (not (carries ?r ?p)))))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """A model and a valid plan for it, a step a line."""

    domain: str
    problem: str
    steps: tuple[str, ...]

    @property
    def plan(self) -> str:
        return "".join(f"{step}\n" for step in self.steps)

    def write(self, folder: Path) -> None:
        """Write the model into a folder, as domain.pddl and problem.pddl."""
        (folder / "domain.pddl").write_text(self.domain, encoding="utf-8")
        (folder / "problem.pddl").write_text(self.problem, encoding="utf-8")


def ring(rooms: int, parcels: int, steps: int) -> Generated:
    """Return a ring with a valid plan of exactly that many steps; the goal is where everything is then.

    Parcel ``k`` begins in room ``2k``; the robot takes the parcels in turn and carries each two rooms on.
    """
    at = [2 * parcel % rooms for parcel in range(parcels)]
    start = tuple(at)
    state = _State(at)
    plan = tuple(islice(state.steps(rooms), steps))
    names = "\n    ".join(f"room{room} - room" for room in range(rooms))
    things = " ".join(f"parcel{parcel}" for parcel in range(parcels))
    doors = "\n    ".join(
        f"(next room{room} room{(room + 1) % rooms}) (next room{(room + 1) % rooms} room{room})"
        for room in range(rooms)
    )
    init = " ".join(f"(at parcel{parcel} room{room})" for parcel, room in enumerate(start))
    problem = (
        f"(define (problem ring-{rooms}-{parcels}-{steps})\n  (:domain ring)\n"
        f"  (:objects bot - robot {things} - parcel\n    {names})\n"
        f"  (:init (at bot room0) (free bot) {init}\n    {doors})\n"
        f"  (:goal (and {' '.join(state.facts())})))\n"
    )
    return Generated(domain=DOMAIN, problem=problem, steps=plan)


@dataclass
class _State:
    """Where the robot and the parcels are; a carried parcel is in no room."""

    at: list[int]
    robot: int = 0
    carried: int | None = None

    def steps(self, rooms: int) -> Iterator[str]:
        """Yield steps for ever. The state is already the one after the step when a step is yielded."""
        for turn in range(10**9):
            parcel = turn % len(self.at)
            yield from self._walk(self.at[parcel], rooms)
            here, self.carried = self.robot, parcel
            yield f"(load bot parcel{parcel} room{here})"
            yield from self._walk((here + 2) % rooms, rooms)
            self.at[parcel], self.carried = self.robot, None
            yield f"(unload bot parcel{parcel} room{self.robot})"

    def _walk(self, goal: int, rooms: int) -> Iterator[str]:
        while self.robot != goal:
            here, self.robot = self.robot, (self.robot + 1) % rooms
            yield f"(move bot room{here} room{self.robot})"

    def facts(self) -> Iterator[str]:
        yield f"(at bot room{self.robot})"
        for parcel, room in enumerate(self.at):
            carried = parcel == self.carried
            yield f"(carries bot parcel{parcel})" if carried else f"(at parcel{parcel} room{room})"


def towers(blocks: int) -> Generated:
    """Return a problem of the bundled domain ``blocks``, with a plan: a tower is built in another order.

    It has twice as many ground steps as there are pairs of blocks.
    """
    names = [f"b{number}" for number in range(blocks)]
    wanted = Random(blocks).sample(names, blocks)
    steps = [step for top, below in pairwise(names) for step in (f"(take {top} {below})", f"(lower {top})")]
    for top, below in reversed(list(pairwise(wanted))):
        steps += (f"(lift {top})", f"(place {top} {below})")
    stands = " ".join(f"(on {top} {below})" for top, below in pairwise(names))
    goal = " ".join(f"(on {top} {below})" for top, below in pairwise(wanted))
    problem = f"""(define (problem towers) (:domain blocks) (:objects {" ".join(names)})
  (:init (hand-empty) (clear {names[0]}) (on-table {names[-1]}) {stands}) (:goal (and {goal})))"""
    domain = bundle("blocks").domain.read_text(encoding="utf-8")
    return Generated(domain=domain, problem=problem, steps=tuple(steps))


def variants(steps: Sequence[str], inverse: Mapping[str, str], number: int) -> list[str]:
    """Return that many different plans near one: steps undone and done again, and in every second plan a fault.

    ``inverse`` is the action that undoes an action with the same arguments. The fault is a step that is missing, or two
    that are swapped.
    """
    random = Random(number)
    found: dict[str, None] = {}
    while len(found) < number:
        lines = list(steps)
        for _ in range(random.randint(0, 5)):
            place = random.randrange(len(lines))
            name, _, rest = lines[place][1:].partition(" ")
            lines[place + 1 : place + 1] = f"({inverse[name]} {rest}", lines[place]
        if len(found) % 2:
            place = random.randrange(len(lines) - 1)
            lines[place : place + 2] = (lines[place + 1], lines[place])[: random.randint(1, 2)]
        found["".join(f"{line}\n" for line in lines)] = None
    return list(found)
