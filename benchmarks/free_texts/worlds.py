"""Ten small models, and how people speak of their actions.

A frame is a verb in its base form and what follows it; ``{x}`` is the parameter ``?x`` of the action. ``{n}: give {m}
to {p}`` has the parameter ``?n`` as its subject. ``full`` has the model's own verb and every argument, ``other`` an
everyday verb and every argument, ``elided`` the model's verb and leaves arguments out, ``both`` does both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from random import Random

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


def _both_ways(name: str, pairs: list[tuple[str, str]]) -> list[Fact]:
    return [fact for one, other in pairs for fact in ((name, one, other), (name, other, one))]


def _chain(name: str, places: tuple[str, ...]) -> list[Fact]:
    return _both_ways(name, list(pairwise(places)))


# --- kitchen ------------------------------------------------------------------------------------------


def _kitchen(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("hands-free",)]
    facts += [("stored", each, draw.choice(things["store"])) for each in things["ingredient"]]
    return facts + [("put-away", each) for each in things["vessel"]]


KITCHEN = World(
    name="kitchen",
    agent="the cook",
    domain="""(define (domain busy-kitchen) (:requirements :strips :typing :negative-preconditions)
 (:types ingredient vessel hob store basin)
 (:predicates (hands-free) (stored ?i - ingredient ?s - store) (held ?i - ingredient) (clean ?i - ingredient)
  (in ?i - ingredient ?v - vessel) (put-away ?v - vessel) (upon ?v - vessel ?h - hob) (busy ?h - hob) (hot ?h - hob)
  (cooked ?i - ingredient))
 (:action fetch :parameters (?i - ingredient ?s - store) :precondition (and (stored ?i ?s) (hands-free))
  :effect (and (held ?i) (not (stored ?i ?s)) (not (hands-free))))
 (:action wash :parameters (?b - basin ?i - ingredient) :precondition (and (held ?i) (not (clean ?i)))
  :effect (clean ?i))
 (:action add :parameters (?v - vessel ?i - ingredient) :precondition (and (held ?i) (clean ?i))
  :effect (and (in ?i ?v) (hands-free) (not (held ?i))))
 (:action stand :parameters (?h - hob ?v - vessel) :precondition (and (put-away ?v) (hands-free) (not (busy ?h)))
  :effect (and (upon ?v ?h) (busy ?h) (not (put-away ?v))))
 (:action switch-on :parameters (?h - hob) :precondition (not (hot ?h)) :effect (hot ?h))
 (:action switch-off :parameters (?h - hob) :precondition (hot ?h) :effect (not (hot ?h)))
 (:action boil :parameters (?i - ingredient ?h - hob ?v - vessel)
  :precondition (and (in ?i ?v) (upon ?v ?h) (hot ?h) (not (cooked ?i))) :effect (cooked ?i)))""",
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
    frames=_frames("""
fetch: fetch {i} from {s} / get {i} out of {s}; grab {i} from {s}; take {i} from {s} / fetch {i} / get {i}; grab {i}
wash: wash {i} in {b} / rinse {i} in {b}; clean {i} in {b} / wash {i} / rinse {i}
add: add {i} to {v} / put {i} into {v}; drop {i} into {v}; toss {i} into {v} / add {i} / put {i} in
stand: stand {v} on {h} / place {v} on {h}; set {v} on {h} / stand {v} on a burner / place {v} on a burner
switch-on: switch on {h}; switch {h} on / turn on {h}; turn {h} on / switch on {h} / turn on {h}
switch-off: switch off {h}; switch {h} off / turn off {h}; turn {h} off / switch off {h} / turn off {h}
boil: boil {i} in {v} on {h} / cook {i} in {v} on {h}; simmer {i} in {v} on {h} / boil {i}; boil {i} in {v} / cook
    {i}; simmer {i} in {v}
"""),
)

# --- greenhouse ---------------------------------------------------------------------------------------


def _greenhouse(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    bays = things["bay"]
    facts = _chain("aisle", tuple(draw.sample(bays, len(bays))))
    facts += [("stands", each, draw.choice(bays)) for each in things["cart"]]
    facts += [("grows", each, draw.choice(bays)) for each in things["seedling"]]
    return facts + [("vent-open", each) for each in bays if draw.random() < 0.3]


GREENHOUSE = World(
    name="greenhouse",
    agent="the gardener",
    domain="""(define (domain glass-house) (:requirements :strips :typing :negative-preconditions)
 (:types seedling cart bay)
 (:predicates (aisle ?a ?b - bay) (stands ?c - cart ?b - bay) (grows ?s - seedling ?b - bay)
  (loaded ?s - seedling ?c - cart) (full ?c - cart) (misted ?s - seedling) (vent-open ?b - bay))
 (:action wheel :parameters (?c - cart ?new ?old - bay) :precondition (and (stands ?c ?old) (aisle ?old ?new))
  :effect (and (stands ?c ?new) (not (stands ?c ?old))))
 (:action hoist :parameters (?b - bay ?c - cart ?s - seedling)
  :precondition (and (stands ?c ?b) (grows ?s ?b) (not (full ?c)))
  :effect (and (loaded ?s ?c) (full ?c) (not (grows ?s ?b))))
 (:action bed-out :parameters (?b - bay ?c - cart ?s - seedling) :precondition (and (stands ?c ?b) (loaded ?s ?c))
  :effect (and (grows ?s ?b) (not (loaded ?s ?c)) (not (full ?c))))
 (:action open-vent :parameters (?b - bay) :precondition (not (vent-open ?b)) :effect (vent-open ?b))
 (:action shut-vent :parameters (?b - bay) :precondition (vent-open ?b) :effect (not (vent-open ?b)))
 (:action mist :parameters (?s - seedling ?b - bay)
  :precondition (and (grows ?s ?b) (not (vent-open ?b)) (not (misted ?s))) :effect (misted ?s)))""",
    objects={
        "seedling": ("fern1", "fern2", "basil-3", "lily"),
        "cart": ("trolley_a", "trolley_b"),
        "bay": ("north_bay", "south_bay", "nursery"),
    },
    start=_greenhouse,
    goals=("grows", "misted", "vent-open", "loaded"),
    nouns={"seedling": "seedling", "cart": "cart"},
    articles=("bay",),
    frames=_frames("""
wheel: wheel {c} from {old} to {new}; wheel {c} to {new} from {old} / push {c} from {old} to {new}; roll {c} from
    {old} over to {new} / wheel {c} to {new}; wheel it over to {new} / push {c} to {new}; roll {c} over to {new}
hoist: hoist {s} onto {c} in {b}; hoist {s} from {b} onto {c} / lift {s} from {b} onto {c}; put {s} from {b} onto
    {c} / hoist {s} onto {c}; hoist {s} / lift {s} onto {c}
bed-out: bed out {s} from {c} in {b}; bed {s} out from {c} in {b} / plant {s} from {c} in {b}; unload {s} from {c}
    in {b} / bed out {s}; bed {s} out in {b} / plant {s} in {b}; unload {s}
open-vent: open the vent of {b}; open the vent in {b} / crank up the vent of {b} / open the vent of {b} / crank up
    the vent of {b}
shut-vent: shut the vent of {b}; shut the vent in {b} / close the vent of {b} / shut the vent of {b} / close the
    vent of {b}
mist: mist {s} in {b} / spray {s} in {b}; water {s} in {b} / mist {s} / spray {s}
"""),
)

# --- telescopes ---------------------------------------------------------------------------------------


def _observatory(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("pointing", each, draw.choice(things["target"])) for each in things["telescope"]]
    scopes = things["telescope"]
    facts += [("mounted", each, scopes[number % len(scopes)]) for number, each in enumerate(things["camera"])]
    facts += [("empty", each) for each in things["camera"]]
    return facts + [("in-wheel", each) for each in things["filter"]]


OBSERVATORY = World(
    name="observatory",
    agent="the operator",
    domain="""(define (domain night-sky) (:requirements :strips :typing :negative-preconditions)
 (:types telescope camera filter target)
 (:predicates (pointing ?t - telescope ?x - target) (mounted ?c - camera ?t - telescope) (cooled ?c - camera)
  (empty ?c - camera) (in-wheel ?f - filter) (fitted ?f - filter ?c - camera) (seen ?x - target ?f - filter))
 (:action slew :parameters (?t - telescope ?aim ?prev - target) :precondition (pointing ?t ?prev)
  :effect (and (pointing ?t ?aim) (not (pointing ?t ?prev))))
 (:action cool :parameters (?t - telescope ?c - camera) :precondition (and (mounted ?c ?t) (not (cooled ?c)))
  :effect (cooled ?c))
 (:action fit :parameters (?c - camera ?f - filter) :precondition (and (empty ?c) (in-wheel ?f))
  :effect (and (fitted ?f ?c) (not (empty ?c)) (not (in-wheel ?f))))
 (:action unfit :parameters (?c - camera ?f - filter) :precondition (fitted ?f ?c)
  :effect (and (empty ?c) (in-wheel ?f) (not (fitted ?f ?c))))
 (:action expose :parameters (?f - filter ?c - camera ?t - telescope ?x - target)
  :precondition (and (pointing ?t ?x) (mounted ?c ?t) (cooled ?c) (fitted ?f ?c)) :effect (seen ?x ?f)))""",
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
    frames=_frames("""
slew: slew {t} from {prev} to {aim}; slew {t} to {aim} from {prev}; slew {t} away from {prev} to {aim} / turn {t}
    from {prev} to {aim}; swing {t} from {prev} over to {aim} / slew {t} to {aim}; slew over to {aim} / turn {t} to
    {aim}; swing {t} towards {aim}
cool: cool {c} of {t}; cool {c} on {t} / chill {c} on {t} / cool {c}; cool down {c} / chill {c}
fit: fit the {f} filter into {c}; fit {c} with the {f} filter / insert the {f} filter into {c}; put the {f} filter
    into {c} / fit the {f} filter / insert the {f} filter
unfit: unfit the {f} filter from {c} / remove the {f} filter from {c}; take the {f} filter out of {c} / unfit the
    {f} filter / remove the {f} filter
expose: expose {c} of {t} to {x} through the {f} filter; expose {x} with {c} on {t} through the {f} filter /
    photograph {x} with {c} on {t} through the {f} filter / expose {x} with {c}; expose {x} through the {f} filter /
    photograph {x} with {c}; photograph {x} through the {f} filter
"""),
)

# --- railway yard -------------------------------------------------------------------------------------


def _yard(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    tracks = things["track"]
    facts: list[Fact] = [("joined", tracks[0], tracks[1]), ("joined", tracks[1], tracks[0])]
    facts += _both_ways("joined", [(tracks[1], each) for each in tracks[2:]])
    for each in things["engine"]:
        facts += [("on", each, draw.choice(tracks)), ("light", each)]
    return facts + [("waits", each, draw.choice(tracks)) for each in things["wagon"]]


YARD = World(
    name="yard",
    agent="the crew",
    domain="""(define (domain rail-yard) (:requirements :strips :typing :negative-preconditions)
 (:types engine wagon track)
 (:predicates (joined ?a ?b - track) (on ?e - engine ?t - track) (waits ?w - wagon ?t - track) (light ?e - engine)
  (hauled ?w - wagon ?e - engine) (swept ?w - wagon))
 (:action shunt :parameters (?to ?from - track ?e - engine) :precondition (and (on ?e ?from) (joined ?from ?to))
  :effect (and (on ?e ?to) (not (on ?e ?from))))
 (:action couple :parameters (?e - engine ?w - wagon ?t - track)
  :precondition (and (on ?e ?t) (waits ?w ?t) (light ?e))
  :effect (and (hauled ?w ?e) (not (waits ?w ?t)) (not (light ?e))))
 (:action uncouple :parameters (?e - engine ?w - wagon ?t - track) :precondition (and (on ?e ?t) (hauled ?w ?e))
  :effect (and (waits ?w ?t) (light ?e) (not (hauled ?w ?e))))
 (:action sweep :parameters (?w - wagon ?t - track) :precondition (and (waits ?w ?t) (not (swept ?w)))
  :effect (swept ?w)))""",
    objects={
        "engine": ("d5", "e-12"),
        "wagon": ("w1", "w2", "w3"),
        "track": ("lead", "neck", "track_1", "track_2"),
    },
    start=_yard,
    goals=("waits", "hauled", "swept", "on"),
    nouns={"engine": "engine", "wagon": "wagon"},
    articles=("track",),
    frames=_frames("""
shunt: shunt {e} from {from} to {to}; {e}: shunt from {from} to {to} / drive {e} from {from} to {to}; run {e} from
    {from} onto {to}; {e}: go from {from} to {to} / shunt {e} to {to}; shunt over to {to}; {e}: shunt to {to} /
    drive {e} to {to}; {e}: run to {to}; move over to {to}
couple: couple {w} to {e} on {t}; couple {e} and {w} on {t} / hook {w} to {e} on {t}; attach {w} to {e} on {t} /
    couple {w}; couple {w} to {e} / hook up {w}; attach {w} to {e}
uncouple: uncouple {w} from {e} on {t} / detach {w} from {e} on {t}; unhook {w} from {e} on {t} / uncouple {w};
    uncouple {w} from {e}; uncouple {w} there / detach {w}; unhook {w} from {e}
sweep: sweep {w} on {t} / clean {w} on {t}; brush out {w} on {t} / sweep {w} / clean {w}
"""),
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


HOSPITAL = World(
    name="hospital",
    agent="the team",
    domain="""(define (domain small-hospital) (:requirements :strips :typing :negative-preconditions)
 (:types nurse patient ward drug - object pill vaccine - drug)
 (:predicates (corridor ?a ?b - ward) (by ?n - nurse ?w - ward) (lies ?p - patient ?w - ward)
  (kept ?d - drug ?w - ward) (free ?n - nurse) (has ?n - nurse ?d - drug) (treated ?p - patient ?d - drug)
  (examined ?p - patient))
 (:action hurry :parameters (?from ?to - ward ?n - nurse) :precondition (and (by ?n ?from) (corridor ?from ?to))
  :effect (and (by ?n ?to) (not (by ?n ?from))))
 (:action collect :parameters (?n - nurse ?w - ward ?d - drug)
  :precondition (and (by ?n ?w) (kept ?d ?w) (free ?n)) :effect (and (has ?n ?d) (not (kept ?d ?w)) (not (free ?n))))
 (:action examine :parameters (?p - patient ?n - nurse ?w - ward)
  :precondition (and (by ?n ?w) (lies ?p ?w) (free ?n) (not (examined ?p))) :effect (examined ?p))
 (:action give-pill :parameters (?p - patient ?d - pill ?n - nurse ?w - ward)
  :precondition (and (by ?n ?w) (lies ?p ?w) (has ?n ?d) (examined ?p))
  :effect (and (treated ?p ?d) (free ?n) (not (has ?n ?d))))
 (:action give-jab :parameters (?p - patient ?d - vaccine ?n - nurse ?w - ward)
  :precondition (and (by ?n ?w) (lies ?p ?w) (has ?n ?d))
  :effect (and (treated ?p ?d) (free ?n) (not (has ?n ?d)))))""",
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
    frames=_frames("""
hurry: {n}: hurry from {from} to {to} / {n}: walk from {from} to {to}; {n}: go from {from} over to {to} / {n}: hurry
    to {to}; {n}: hurry over to {to} / {n}: walk to {to}; {n}: go over to {to}
collect: {n}: collect {d} from {w}; {n}: collect {d} in {w} / {n}: pick up {d} in {w}; {n}: take {d} from {w} / {n}:
    collect {d}; collect {d} / {n}: pick up {d}; pick up {d}
examine: {n}: examine {p} in {w} / {n}: check {p} in {w}; {n}: inspect {p} in {w} / {n}: examine {p}; examine {p} /
    {n}: check {p}
give-pill: {n}: give {d} to {p} in {w}; {n}: give {p} {d} in {w}; {n}: give the pill {d} to {p} in {w} / {n}: hand
    {d} to {p} in {w}; {n}: administer {d} to {p} in {w} / {n}: give {d} to {p}; give {p} {d}; {n}: give {p} {d}
    there / {n}: hand {d} to {p}; administer {d} to {p}
give-jab: {n}: give {d} to {p} in {w}; {n}: give {p} {d} in {w} / {n}: administer {d} to {p} in {w} / {n}: give {d}
    to {p}; give {p} {d} / administer {d} to {p}
"""),
)

# --- theatre ------------------------------------------------------------------------------------------


def _theatre(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("down", each) for each in things["bar"]]
    facts += [("stowed", each) for each in things["lamp"]]
    facts += [("off-stage", each) for each in things["prop"]]
    return facts + [("clear", each) for each in things["spot"]]


THEATRE = World(
    name="theatre",
    agent="the stagehand",
    domain="""(define (domain stage-crew) (:requirements :strips :typing :negative-preconditions)
 (:types lamp bar prop spot)
 (:predicates (down ?b - bar) (stowed ?l - lamp) (rigged ?l - lamp ?b - bar) (lit ?l - lamp) (off-stage ?p - prop)
  (set ?p - prop ?s - spot) (clear ?s - spot))
 (:action hang :parameters (?b - bar ?l - lamp) :precondition (and (down ?b) (stowed ?l))
  :effect (and (rigged ?l ?b) (not (stowed ?l))))
 (:action unhang :parameters (?b - bar ?l - lamp) :precondition (and (down ?b) (rigged ?l ?b) (not (lit ?l)))
  :effect (and (stowed ?l) (not (rigged ?l ?b))))
 (:action fly-in :parameters (?b - bar) :precondition (not (down ?b)) :effect (down ?b))
 (:action fly-out :parameters (?b - bar) :precondition (down ?b) :effect (not (down ?b)))
 (:action light :parameters (?l - lamp ?b - bar) :precondition (and (rigged ?l ?b) (not (down ?b)) (not (lit ?l)))
  :effect (lit ?l))
 (:action dim :parameters (?l - lamp) :precondition (lit ?l) :effect (not (lit ?l)))
 (:action bring-on :parameters (?s - spot ?p - prop) :precondition (and (off-stage ?p) (clear ?s))
  :effect (and (set ?p ?s) (not (off-stage ?p)) (not (clear ?s))))
 (:action strike :parameters (?s - spot ?p - prop) :precondition (set ?p ?s)
  :effect (and (off-stage ?p) (clear ?s) (not (set ?p ?s)))))""",
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
    frames=_frames("""
hang: hang {l} on {b}; hang {l} from {b} / mount {l} on {b}; clamp {l} to {b} / hang {l} / mount {l}
unhang: unhang {l} from {b} / unclamp {l} from {b}; take {l} off {b} / unhang {l} / take {l} down
fly-in: fly in {b}; fly {b} in / lower {b} / fly in {b} / lower {b}
fly-out: fly out {b}; fly {b} out / raise {b} / fly out {b} / raise {b}
light: light {l} on {b} / illuminate {l} on {b}; turn on {l} on {b} / light {l} / turn on {l}
dim: dim {l} / fade out {l} / dim {l} / fade out {l}
bring-on: bring on {p} at {s}; bring {p} on at {s} / set up {p} at {s}; place {p} at {s} / bring on {p} / set up {p}
strike: strike {p} from {s} / clear {p} from {s}; remove {p} from {s} / strike {p} / remove {p}
"""),
)

# --- laboratory ---------------------------------------------------------------------------------------


def _laboratory(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("bare", each) for each in things["pipette"]]
    facts += [("unused", each) for each in things["tip"]]
    facts += [("holds", draw.choice(things["vial"]), each) for each in things["sample"]]
    return facts + [("racked", each) for each in things["vial"]]


LABORATORY = World(
    name="laboratory",
    agent="the technician",
    domain="""(define (domain wet-lab) (:requirements :strips :typing :negative-preconditions)
 (:types pipette tip sample vial centrifuge)
 (:predicates (bare ?p - pipette) (unused ?t - tip) (tipped ?p - pipette ?t - tip) (holds ?v - vial ?s - sample)
  (drawn ?s - sample ?p - pipette) (racked ?v - vial) (placed ?v - vial ?c - centrifuge) (taken ?c - centrifuge)
  (spun ?s - sample))
 (:action attach :parameters (?p - pipette ?t - tip) :precondition (and (bare ?p) (unused ?t))
  :effect (and (tipped ?p ?t) (not (bare ?p)) (not (unused ?t))))
 (:action eject :parameters (?p - pipette ?t - tip) :precondition (tipped ?p ?t)
  :effect (and (bare ?p) (not (tipped ?p ?t))))
 (:action aspirate :parameters (?p - pipette ?t - tip ?v - vial ?s - sample)
  :precondition (and (tipped ?p ?t) (holds ?v ?s) (racked ?v)) :effect (and (drawn ?s ?p) (not (holds ?v ?s))))
 (:action dispense :parameters (?v - vial ?s - sample ?p - pipette) :precondition (and (drawn ?s ?p) (racked ?v))
  :effect (and (holds ?v ?s) (not (drawn ?s ?p))))
 (:action load-rotor :parameters (?c - centrifuge ?v - vial) :precondition (and (racked ?v) (not (taken ?c)))
  :effect (and (placed ?v ?c) (taken ?c) (not (racked ?v))))
 (:action unload-rotor :parameters (?c - centrifuge ?v - vial) :precondition (placed ?v ?c)
  :effect (and (racked ?v) (not (taken ?c)) (not (placed ?v ?c))))
 (:action spin :parameters (?c - centrifuge ?s - sample ?v - vial)
  :precondition (and (placed ?v ?c) (holds ?v ?s) (not (spun ?s))) :effect (spun ?s)))""",
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
    frames=_frames("""
attach: attach {t} to {p} / put {t} on {p}; click {t} onto {p} / attach {t}; attach a tip to {p} / click on {t}
eject: eject {t} from {p} / discard {t} from {p}; pull {t} off {p} / eject {t} / discard {t}
aspirate: aspirate {s} from {v} with {p} through {t}; aspirate {s} from {v} into {t} of {p} / draw up {s} from {v}
    with {p} through {t} / aspirate {s} from {v}; aspirate {s} with {p}; aspirate {s} / draw up {s} with {p}; draw
    up {s}
dispense: dispense {s} into {v} with {p}; dispense {s} from {p} into {v} / squirt {s} from {p} into {v}; empty {s}
    from {p} into {v} / dispense {s} into {v} / squirt {s} into {v}
load-rotor: load {v} into the rotor of {c} / put {v} into the rotor of {c}; place {v} in the rotor of {c} / load {v}
    into the rotor / put {v} into the rotor
unload-rotor: unload {v} from the rotor of {c} / take {v} out of the rotor of {c}; remove {v} from the rotor of {c}
    / unload {v} from the rotor / take {v} out of the rotor
spin: spin {s} in {v} in {c}; spin {s} with {c} in {v} / centrifuge {s} in {v} with {c}; whirl {s} in {v} in {c} /
    spin {s}; spin {s} in {v} / whirl {s}
"""),
)

# --- library ------------------------------------------------------------------------------------------


def _library(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    facts: list[Fact] = [("filed", each, draw.choice(things["shelf"])) for each in things["book"]]
    return facts + [("member", each) for each in things["reader"] if draw.random() < 0.7]


LIBRARY = World(
    name="library",
    agent="the librarian",
    domain="""(define (domain town-library) (:requirements :strips :typing :negative-preconditions)
 (:types book shelf reader)
 (:predicates (filed ?b - book ?s - shelf) (on-desk ?b - book) (member ?r - reader) (lent ?b - book ?r - reader)
  (stamped ?b - book) (reserved ?b - book))
 (:action enrol :parameters (?r - reader) :precondition (not (member ?r)) :effect (member ?r))
 (:action pull :parameters (?s - shelf ?b - book) :precondition (filed ?b ?s)
  :effect (and (on-desk ?b) (not (filed ?b ?s))))
 (:action shelve :parameters (?s - shelf ?b - book) :precondition (and (on-desk ?b) (not (reserved ?b)))
  :effect (and (filed ?b ?s) (not (on-desk ?b))))
 (:action stamp :parameters (?b - book) :precondition (and (on-desk ?b) (not (stamped ?b))) :effect (stamped ?b))
 (:action lend :parameters (?r - reader ?b - book) :precondition (and (on-desk ?b) (stamped ?b) (member ?r))
  :effect (and (lent ?b ?r) (not (on-desk ?b)) (not (stamped ?b)) (not (reserved ?b))))
 (:action take-back :parameters (?r - reader ?b - book) :precondition (lent ?b ?r)
  :effect (and (on-desk ?b) (not (lent ?b ?r))))
 (:action reserve :parameters (?b - book) :precondition (not (reserved ?b)) :effect (reserved ?b)))""",
    objects={
        "book": ("moby_dick", "emma", "atlas-4", "dune2"),
        "shelf": ("shelf_a", "shelf_b", "annex"),
        "reader": ("ada", "boris"),
    },
    start=_library,
    goals=("lent", "filed", "reserved", "member", "stamped"),
    nouns={"book": "book", "reader": "reader"},
    articles=("shelf",),
    frames=_frames("""
enrol: enrol {r} / register {r}; sign up {r} / enrol {r} / register {r}
pull: pull {b} from {s}; pull {b} off {s} / get {b} from {s}; fetch {b} from {s} / pull {b} / fetch {b}
shelve: shelve {b} on {s}; shelve {b} in {s} / file {b} on {s}; put {b} on {s} / shelve {b} on {s} / put {b} on {s}
stamp: stamp {b} / mark {b} / stamp {b} / mark {b}
lend: lend {b} to {r}; lend {r} {b} / loan {b} to {r}; check {b} out to {r} / lend {b} to {r} / loan {b} to {r}
take-back: take back {b} from {r}; take {b} back from {r} / receive {b} from {r}; collect {b} from {r} / take back
    {b}; take {b} back / receive {b}
reserve: reserve {b} / put {b} on hold / reserve {b} / put {b} on hold
"""),
)

# --- harbour ------------------------------------------------------------------------------------------


def _harbour(draw: Random, things: Mapping[str, tuple[str, ...]]) -> list[Fact]:
    quays = tuple(draw.sample(things["quay"], len(things["quay"])))
    facts = _chain("road", quays[:3]) + _both_ways("channel", [(quays[-1], quays[0]), (quays[-1], quays[1])])
    facts += [("van-at", each, draw.choice(quays[:3])) for each in things["van"]]
    facts += [("boat-at", each, draw.choice((quays[-1], quays[0]))) for each in things["boat"]]
    return facts + [("lies", each, draw.choice(quays)) for each in things["crate"]]


HARBOUR = World(
    name="harbour",
    agent="the docker",
    domain="""(define (domain old-harbour) (:requirements :strips :typing)
 (:types van boat - vehicle crate quay - object)
 (:predicates (road ?a ?b - quay) (channel ?a ?b - quay) (van-at ?v - van ?q - quay) (boat-at ?b - boat ?q - quay)
  (lies ?c - crate ?q - quay) (aboard ?c - crate ?v - vehicle))
 (:action load-van :parameters (?v - van ?c - crate ?q - quay) :precondition (and (van-at ?v ?q) (lies ?c ?q))
  :effect (and (aboard ?c ?v) (not (lies ?c ?q))))
 (:action load-boat :parameters (?v - boat ?c - crate ?q - quay) :precondition (and (boat-at ?v ?q) (lies ?c ?q))
  :effect (and (aboard ?c ?v) (not (lies ?c ?q))))
 (:action unload-van :parameters (?v - van ?c - crate ?q - quay) :precondition (and (van-at ?v ?q) (aboard ?c ?v))
  :effect (and (lies ?c ?q) (not (aboard ?c ?v))))
 (:action unload-boat :parameters (?v - boat ?c - crate ?q - quay) :precondition (and (boat-at ?v ?q) (aboard ?c ?v))
  :effect (and (lies ?c ?q) (not (aboard ?c ?v))))
 (:action drive :parameters (?v - van ?to ?from - quay) :precondition (and (van-at ?v ?from) (road ?from ?to))
  :effect (and (van-at ?v ?to) (not (van-at ?v ?from))))
 (:action sail :parameters (?from ?to - quay ?v - boat) :precondition (and (boat-at ?v ?from) (channel ?from ?to))
  :effect (and (boat-at ?v ?to) (not (boat-at ?v ?from)))))""",
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
    frames=_frames("""
load-van: load {c} into {v} at {q}; load {v} with {c} at {q} / put {c} into {v} at {q}; stow {c} in {v} at {q} /
    load {c} into {v}; load {c} / put {c} into {v}; stow {c}
load-boat: load {c} onto {v} at {q}; load {c} aboard {v} at {q} / put {c} onto {v} at {q}; stow {c} on {v} at {q} /
    load {c} onto {v}; load {c} / put {c} onto {v}; stow {c}
unload-van: unload {c} from {v} at {q} / take {c} out of {v} at {q}; remove {c} from {v} at {q} / unload {c}; unload
    {c} from {v}; unload {c} there / take {c} out of {v}
unload-boat: unload {c} from {v} at {q} / take {c} off {v} at {q}; remove {c} from {v} at {q} / unload {c}; unload
    {c} from {v} / take {c} off {v}
drive: drive {v} from {from} to {to}; drive {v} to {to} from {from}; {v}: drive from {from} to {to} / move {v} from
    {from} to {to}; {v}: go from {from} to {to} / drive {v} to {to}; drive to {to}; {v}: drive to {to} / move {v} to
    {to}; {v}: go to {to}
sail: sail {v} from {from} to {to}; {v}: sail from {from} to {to}; sail {v} to {to} from {from} / steer {v} from
    {from} to {to}; {v}: cruise from {from} to {to} / sail {v} to {to}; sail to {to}; {v}: sail across to {to} /
    steer {v} to {to}; {v}: cruise to {to}
"""),
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


MUSEUM = World(
    name="museum",
    agent="the guard",
    domain="""(define (domain night-guard) (:requirements :strips :typing :negative-preconditions)
 (:types room door key exhibit)
 (:predicates (in-room ?r - room) (links ?d - door ?a ?b - room) (locked ?d - door) (opens ?k - key ?d - door)
  (lying ?k - key ?r - room) (carried ?k - key) (shown ?e - exhibit ?r - room) (armed ?e - exhibit))
 (:action pass :parameters (?d - door ?to ?from - room)
  :precondition (and (in-room ?from) (links ?d ?from ?to) (not (locked ?d)))
  :effect (and (in-room ?to) (not (in-room ?from))))
 (:action pocket :parameters (?r - room ?k - key) :precondition (and (in-room ?r) (lying ?k ?r))
  :effect (and (carried ?k) (not (lying ?k ?r))))
 (:action unlock :parameters (?k - key ?d - door ?at ?far - room)
  :precondition (and (in-room ?at) (links ?d ?at ?far) (carried ?k) (opens ?k ?d) (locked ?d))
  :effect (not (locked ?d)))
 (:action arm :parameters (?r - room ?e - exhibit)
  :precondition (and (in-room ?r) (shown ?e ?r) (not (armed ?e))) :effect (armed ?e)))""",
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
    frames=_frames("""
pass: pass from {from} to {to} through {d}; pass through {d} from {from} into {to} / walk from {from} to {to}
    through {d}; go through {d} from {from} to {to} / pass through {d}; pass into {to}; pass through {d} into {to} /
    walk into {to}; go through {d} to {to}
pocket: pocket {k} in {r} / pick up {k} in {r}; grab {k} in {r} / pocket {k}; pocket {k} there / pick up {k}; grab
    {k}
unlock: unlock {d} from {at} to {far} using {k}; unlock {d} with {k} from {at} to {far} / open {d} from {at} to
    {far} using {k} / unlock {d}; unlock {d} with {k} / open {d}; open {d} with {k}
arm: arm {e} in {r} / secure {e} in {r}; protect {e} in {r} / arm {e} / secure {e}
"""),
)

WORLDS = (KITCHEN, GREENHOUSE, OBSERVATORY, YARD, HOSPITAL, THEATRE, LABORATORY, LIBRARY, HARBOUR, MUSEUM)
