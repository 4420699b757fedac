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
from typing import Any

from benchmarks.free_texts.simulator import Fact, Model

__all__ = ["WORLDS", "Frames", "World"]


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
    start: Callable[[Random, Mapping[str, tuple[str, ...]]], list[Fact]]
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


def _world(*, name: str, **told: Any) -> World:
    """Return a world whose domain and frames stand in a file."""
    text = (Path(__file__).parent / "worlds" / f"{name}.txt").read_text(encoding="utf-8")
    domain, frames = text.strip().split("\n\n")
    return World(name=name, domain=domain, frames=_frames(frames), **told)


def _both_ways(name: str, pairs: list[tuple[str, str]]) -> list[Fact]:
    return [fact for one, other in pairs for fact in ((name, one, other), (name, other, one))]


def _chain(name: str, places: tuple[str, ...]) -> list[Fact]:
    return _both_ways(name, list(pairwise(places)))


# --- kitchen ------------------------------------------------------------------------------------------


def _kitchen(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("hands-free",)]
    facts += [("stored", each, draw.choice(things["store"])) for each in things["ingredient"]]
    return facts + [("put-away", each) for each in things["vessel"]]


KITCHEN = _world(
    name="kitchen",
    agent="the cook",
    objects={
        "ingredient": ("leek", "carrot-2", "red_onion", "rice1"),
        "vessel": ("pot1", "pot2", "skillet"),
        "hob": ("hob1", "hob2"),
        "store": ("pantry", "top_rack"),
        "basin": ("tub",),
    },
    start=_kitchen,
    goals=("cooked", "in", "upon", "clean", "hot"),
    nouns={"vessel": "vessel", "hob": "burner"},
    articles=("ingredient", "store", "basin"),
)

# --- greenhouse ---------------------------------------------------------------------------------------


def _greenhouse(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    bays = things["bay"]
    facts = _chain("aisle", tuple(draw.sample(bays, len(bays))))
    facts += [("stands", each, draw.choice(bays)) for each in things["cart"]]
    facts += [("grows", each, draw.choice(bays)) for each in things["seedling"]]
    return facts + [("vent-open", each) for each in bays if draw.random() < 0.3]


GREENHOUSE = _world(
    name="greenhouse",
    agent="the gardener",
    objects={
        "seedling": ("fern1", "fern2", "basil-3", "lily"),
        "cart": ("trolley_a", "trolley_b"),
        "bay": ("north_bay", "south_bay", "nursery"),
    },
    start=_greenhouse,
    goals=("grows", "misted", "vent-open", "loaded"),
    nouns={"seedling": "seedling", "cart": "cart"},
    articles=("bay",),
)

# --- telescopes ---------------------------------------------------------------------------------------


def _observatory(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("pointing", each, draw.choice(things["target"])) for each in things["telescope"]]
    scopes = things["telescope"]
    facts += [("mounted", each, scopes[number % len(scopes)]) for number, each in enumerate(things["camera"])]
    facts += [("empty", each) for each in things["camera"]]
    return facts + [("in-wheel", each) for each in things["filter"]]


OBSERVATORY = _world(
    name="observatory",
    agent="the operator",
    objects={
        "telescope": ("t40", "t-25"),
        "camera": ("cam1", "cam2"),
        "filter": ("red", "h_alpha"),
        "target": ("vega", "m31", "ngc_891", "deneb"),
    },
    start=_observatory,
    goals=("seen", "pointing", "fitted"),
    nouns={"telescope": "telescope", "camera": "camera"},
    articles=(),
)

# --- railway yard -------------------------------------------------------------------------------------


def _yard(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    tracks = things["track"]
    facts: list[Fact] = [("joined", tracks[0], tracks[1]), ("joined", tracks[1], tracks[0])]
    facts += _both_ways("joined", [(tracks[1], each) for each in tracks[2:]])
    for each in things["engine"]:
        facts += [("on", each, draw.choice(tracks)), ("light", each)]
    return facts + [("waits", each, draw.choice(tracks)) for each in things["wagon"]]


YARD = _world(
    name="yard",
    agent="the crew",
    objects={
        "engine": ("d5", "e-12"),
        "wagon": ("w1", "w2", "w3"),
        "track": ("lead", "neck", "track_1", "track_2"),
    },
    start=_yard,
    goals=("waits", "hauled", "swept", "on"),
    nouns={"engine": "engine", "wagon": "wagon"},
    articles=("track",),
)

# --- hospital -----------------------------------------------------------------------------------------


def _hospital(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    wards = things["ward"]
    facts = _chain("corridor", wards)
    facts += [("by", each, draw.choice(wards)) for each in things["nurse"]]
    facts += [("lies", each, draw.choice(wards)) for each in things["patient"]]
    for kind in ("pill", "vaccine"):
        facts += [("kept", each, draw.choice(wards)) for each in things[kind]]
    return facts + [("free", each) for each in things["nurse"]]


HOSPITAL = _world(
    name="hospital",
    agent="the team",
    objects={
        "nurse": ("olga", "tom"),
        "patient": ("mr_hill", "mrs_ray", "kim"),
        "pill": ("aspirin2", "zinc"),
        "vaccine": ("flu-shot",),
        "ward": ("ward_1", "ward_2", "dispensary"),
    },
    start=_hospital,
    goals=("treated", "examined", "has", "by"),
    nouns={"nurse": "nurse", "patient": "patient"},
    articles=("ward", "pill", "vaccine"),
)

# --- theatre ------------------------------------------------------------------------------------------


def _theatre(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("down", each) for each in things["bar"]]
    facts += [("stowed", each) for each in things["lamp"]]
    facts += [("off-stage", each) for each in things["prop"]]
    return facts + [("clear", each) for each in things["spot"]]


THEATRE = _world(
    name="theatre",
    agent="the stagehand",
    objects={
        "lamp": ("spot-7", "fresnel2", "par1"),
        "bar": ("bar1", "bar2"),
        "prop": ("throne", "oak_tree", "piano"),
        "spot": ("stage_left", "centre"),
    },
    start=_theatre,
    goals=("lit", "rigged", "set"),
    nouns={"lamp": "lamp"},
    articles=("prop", "spot"),
)

# --- laboratory ---------------------------------------------------------------------------------------


def _laboratory(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("bare", each) for each in things["pipette"]]
    facts += [("unused", each) for each in things["tip"]]
    facts += [("holds", draw.choice(things["vial"]), each) for each in things["sample"]]
    return facts + [("racked", each) for each in things["vial"]]


LABORATORY = _world(
    name="laboratory",
    agent="the technician",
    objects={
        "pipette": ("p10", "p200"),
        "tip": ("tip_1", "tip_2"),
        "sample": ("serum", "plasma-b"),
        "vial": ("v1", "v2", "v3"),
        "centrifuge": ("eppi",),
    },
    start=_laboratory,
    goals=("holds", "spun", "placed", "drawn", "tipped"),
    nouns={"pipette": "pipette", "vial": "vial"},
    articles=("sample", "centrifuge"),
)

# --- library ------------------------------------------------------------------------------------------


def _library(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("filed", each, draw.choice(things["shelf"])) for each in things["book"]]
    return facts + [("member", each) for each in things["reader"] if draw.random() < 0.7]


LIBRARY = _world(
    name="library",
    agent="the librarian",
    objects={
        "book": ("moby_dick", "emma", "atlas-4", "dune2"),
        "shelf": ("shelf_a", "shelf_b", "annex"),
        "reader": ("ada", "boris"),
    },
    start=_library,
    goals=("lent", "filed", "reserved", "member", "stamped"),
    nouns={"book": "book", "reader": "reader"},
    articles=("shelf",),
)

# --- harbour ------------------------------------------------------------------------------------------


def _harbour(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    quays = tuple(draw.sample(things["quay"], len(things["quay"])))
    facts = _chain("road", quays[:3]) + _both_ways("channel", [(quays[-1], quays[0]), (quays[-1], quays[1])])
    facts += [("van-at", each, draw.choice(quays[:3])) for each in things["van"]]
    facts += [("boat-at", each, draw.choice((quays[-1], quays[0]))) for each in things["boat"]]
    return facts + [("lies", each, draw.choice(quays)) for each in things["crate"]]


HARBOUR = _world(
    name="harbour",
    agent="the docker",
    objects={
        "van": ("van1", "van2"),
        "boat": ("tern", "gull-2"),
        "crate": ("c1", "c2", "c3"),
        "quay": ("east_quay", "west_quay", "mole", "island"),
    },
    start=_harbour,
    goals=("lies", "aboard"),
    nouns={"boat": "boat", "crate": "crate", "van": "van"},
    articles=("quay",),
)

# --- museum -------------------------------------------------------------------------------------------


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


MUSEUM = _world(
    name="museum",
    agent="the guard",
    objects={
        "room": ("lobby", "gallery_2", "vault"),
        "door": ("oak_door", "iron_gate"),
        "key": ("k1", "k2"),
        "exhibit": ("crown", "vase-9", "mummy"),
    },
    start=_museum,
    goals=("armed", "in-room", "carried"),
    nouns={"key": "key", "exhibit": "exhibit"},
    articles=("room", "door"),
)

WORLDS = (KITCHEN, GREENHOUSE, OBSERVATORY, YARD, HOSPITAL, THEATRE, LABORATORY, LIBRARY, HARBOUR, MUSEUM)
