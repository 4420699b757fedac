"""Ten small models, and how people speak of their actions.

A frame is a verb in its base form and what follows it; ``{x}`` is the parameter ``?x`` of the action. ``{n}: give {m}
to {p}`` has the parameter ``?n`` as its subject. ``full`` has the model's own verb and every argument, ``other`` an
everyday verb and every argument, ``elided`` the model's verb and leaves arguments out, ``both`` does both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TypeAlias

from benchmarks.free_texts.simulator import Fact, Model

__all__ = ["WORLDS", "Frames", "World"]

Start: TypeAlias = Callable[[Random, Mapping[str, tuple[str, ...]]], list[Fact]]
"""what returns the facts of an initial state, given the objects of each type"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames:
    """How one action is told."""

    full: tuple[str, ...]
    other: tuple[str, ...]
    elided: tuple[str, ...]
    both: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A domain, a generator of problems, and the words for both.

    ``agent`` is who acts where no parameter does. ``nouns`` are what objects of a type are called, ``articles`` the
    types whose objects take "the". ``goals`` are the predicates of which goals are made.
    """

    name: str
    agent: str
    domain: str
    objects: Mapping[str, tuple[str, ...]]
    start: Start
    goals: tuple[str, ...]
    nouns: Mapping[str, str]
    articles: tuple[str, ...]
    frames: Mapping[str, Frames]

    def model(self, draw: Random) -> Model:
        """Return the domain with random objects in a random initial state."""
        chosen = {
            kind: tuple(draw.sample(names, draw.randint(min(2, len(names)), min(3, len(names)))))
            if kind not in self.articles
            else names
            for kind, names in self.objects.items()
        }
        init = self.start(draw, chosen)
        objects = {name: kind for kind, names in chosen.items() for name in names}
        return Model(domain=self.domain, objects=objects, init=frozenset(init))


def _frames(text: str) -> Mapping[str, Frames]:
    """Read frames, each action a line ``ACTION: FULL / OTHER / ELIDED / BOTH`` with semicolons between frames."""
    found = {}
    for line in text.strip().replace("\n    ", " ").splitlines():
        action, _, words = line.partition(": ")
        full, other, elided, both = (tuple(filter(None, part.strip().split("; "))) for part in words.split(" / "))
        found[action] = Frames(full=full, other=other, elided=elided, both=both)
    return found


def _world(start: Start) -> World:
    """Return the world that has the name of a function; the rest stands in a file: domain, frames, and who and what."""
    name = start.__name__.lstrip("_")
    text = (Path(__file__).parent / "worlds" / f"{name}.txt").read_text(encoding="utf-8")
    domain, frames, rest = text.strip().split("\n\n")
    told = {key: words.strip() for key, _, words in (line.partition(":") for line in rest.splitlines())}
    groups = [tuple(group.split()) for group in told["objects"].split("; ")]
    return World(
        name=name,
        agent=told["agent"],
        domain=domain,
        objects={kind: tuple(names) for kind, *names in groups},
        start=start,
        goals=tuple(told["goals"].split()),
        nouns=dict(pair.split() for pair in told["nouns"].split("; ")),
        articles=tuple(told["articles"].split()),
        frames=_frames(frames),
    )


def _both_ways(name: str, pairs: list[tuple[str, str]]) -> list[Fact]:
    return [fact for one, other in pairs for fact in ((name, one, other), (name, other, one))]


def _chain(name: str, places: tuple[str, ...]) -> list[Fact]:
    return _both_ways(name, list(pairwise(places)))


# --- initial states ---------------------------------------------------------------------------------


def _kitchen(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("hands-free",)]
    facts += [("stored", each, draw.choice(things["store"])) for each in things["ingredient"]]
    return facts + [("put-away", each) for each in things["vessel"]]


def _greenhouse(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    bays = things["bay"]
    facts = _chain("aisle", tuple(draw.sample(bays, len(bays))))
    facts += [("stands", each, draw.choice(bays)) for each in things["cart"]]
    facts += [("grows", each, draw.choice(bays)) for each in things["seedling"]]
    return facts + [("vent-open", each) for each in bays if draw.random() < 0.3]


def _observatory(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("pointing", each, draw.choice(things["target"])) for each in things["telescope"]]
    scopes = things["telescope"]
    facts += [("mounted", each, scopes[number % len(scopes)]) for number, each in enumerate(things["camera"])]
    facts += [("empty", each) for each in things["camera"]]
    return facts + [("in-wheel", each) for each in things["filter"]]


def _yard(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    tracks = things["track"]
    facts: list[Fact] = [("joined", tracks[0], tracks[1]), ("joined", tracks[1], tracks[0])]
    facts += _both_ways("joined", [(tracks[1], each) for each in tracks[2:]])
    for each in things["engine"]:
        facts += [("on", each, draw.choice(tracks)), ("light", each)]
    return facts + [("waits", each, draw.choice(tracks)) for each in things["wagon"]]


def _hospital(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    wards = things["ward"]
    facts = _chain("corridor", wards)
    facts += [("by", each, draw.choice(wards)) for each in things["nurse"]]
    facts += [("lies", each, draw.choice(wards)) for each in things["patient"]]
    for kind in ("pill", "vaccine"):
        facts += [("kept", each, draw.choice(wards)) for each in things[kind]]
    return facts + [("free", each) for each in things["nurse"]]


def _theatre(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("down", each) for each in things["bar"]]
    facts += [("stowed", each) for each in things["lamp"]]
    facts += [("off-stage", each) for each in things["prop"]]
    return facts + [("clear", each) for each in things["spot"]]


def _laboratory(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("bare", each) for each in things["pipette"]]
    facts += [("unused", each) for each in things["tip"]]
    facts += [("holds", draw.choice(things["vial"]), each) for each in things["sample"]]
    return facts + [("racked", each) for each in things["vial"]]


def _library(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("filed", each, draw.choice(things["shelf"])) for each in things["book"]]
    return facts + [("member", each) for each in things["reader"] if draw.random() < 0.7]


def _harbour(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    quays = tuple(draw.sample(things["quay"], len(things["quay"])))
    facts = _chain("road", quays[:3]) + _both_ways("channel", [(quays[-1], quays[0]), (quays[-1], quays[1])])
    facts += [("van-at", each, draw.choice(quays[:3])) for each in things["van"]]
    facts += [("boat-at", each, draw.choice((quays[-1], quays[0]))) for each in things["boat"]]
    return facts + [("lies", each, draw.choice(quays)) for each in things["crate"]]


def _museum(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    rooms, doors = things["room"], things["door"]
    facts: list[Fact] = [("in-room", rooms[0])]
    for door, one, other in zip(doors, rooms, rooms[1:], strict=False):
        facts += [("links", door, one, other), ("links", door, other, one)]
        if draw.random() < 0.5:
            facts.append(("locked", door))
    facts += [("opens", key, door) for key, door in zip(things["key"], doors, strict=False)]
    facts += [("lying", key, rooms[0] if draw.random() < 0.7 else rooms[1]) for key in things["key"]]
    return facts + [("shown", each, draw.choice(rooms)) for each in things["exhibit"]]


_STARTS = (_kitchen, _greenhouse, _observatory, _yard, _hospital, _theatre, _laboratory, _library, _harbour, _museum)

WORLDS = tuple(map(_world, _STARTS))
