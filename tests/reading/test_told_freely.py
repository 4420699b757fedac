"""Right plans told in many ways, one or more steps of each in other words: none of them is called wrong."""

from __future__ import annotations

import json
import random
import re

import pytest

from tests.support.places import ROOT
from validator import check
from validator.checking.prepared import prepare

BOATS = (
    """
    (define (domain boats) (:requirements :strips :typing) (:types boat auto port)
    (:predicates (boat-at ?b - boat ?p - port) (auto-at ?a - auto ?p - port) (aboard ?a - auto ?b - boat) (empty
      ?b - boat))
    (:action sail :parameters (?b - boat ?from ?to - port)
      :precondition (boat-at ?b ?from)
      :effect (and (boat-at ?b ?to) (not (boat-at ?b ?from))))
    (:action board :parameters (?a - auto ?b - boat ?p - port)
      :precondition (and (boat-at ?b ?p) (auto-at ?a ?p) (empty ?b))
      :effect (and (aboard ?a ?b) (not (auto-at ?a ?p)) (not (empty ?b))))
    (:action debark :parameters (?a - auto ?b - boat ?p - port)
      :precondition (and (boat-at ?b ?p) (aboard ?a ?b))
      :effect (and (auto-at ?a ?p) (empty ?b) (not (aboard ?a ?b)))))
    """,
    """
    (define (problem p) (:domain boats) (:objects ferry - boat car1 car2 - auto north south - port) (:init
      (boat-at ferry north) (auto-at car1 north) (auto-at car2 south) (empty ferry)) (:goal (and (auto-at car1
      south) (auto-at car2 north))))
    """,
    """
    (board car1 ferry north) (sail ferry north south) (debark car1 ferry south) (board car2 ferry south)
    (sail ferry south north) (debark car2 ferry north)
    """,
    {
        "sail": """
            sail {0} from {1} to {2}
            sail to {2}
            the {0} sails to {2}
            cross over to {2}
            {0} returns to {2}
            sail from {1} to {2}
            go to {2}
            take the {0} to {2}
            steer to {2}
            set sail for {2}
            sail {0} to {2}
            the boat leaves {1} and goes to {2}
            bring the {0} over to {2}
            sail back
            the {0} is sailed from {1} to {2}
            head {2}
            continue to {2}
            ship it to {2}
        """,
        "board": """
            board {0}
            {0} boards the {1}
            {0} boards the {1} at {2}
            load {0} onto the {1}
            put {0} on the {1}
            drive {0} onto the {1}
            {0} goes aboard
            get {0} on board
            {0} is loaded
            let {0} board
            take {0} aboard in {2}
            bring {0} on board the {1}
            have {0} board the {1}
        """,
        "debark": """
            debark {0}
            {0} debarks at {2}
            unload {0} at {2}
            drive {0} off the {1}
            {0} leaves the {1}
            put {0} ashore at {2}
            {0} is unloaded
            let it debark
            take {0} off the {1} in {2}
            {0} gets off at {2}
            drop {0} off at {2}
            debark it there
            bring {0} to shore
        """,
    },
)
LOGISTICS = (
    """
    (define (domain logi) (:requirements :strips :typing) (:types truck airplane - vehicle package vehicle -
      thing airport location - place city place thing)
    (:predicates (in-city ?p - place ?c - city) (at ?t - thing ?p - place) (in ?p - package ?v - vehicle))
    (:action drive :parameters (?t - truck ?from ?to - place ?c - city)
      :precondition (and (at ?t ?from) (in-city ?from ?c) (in-city ?to ?c))
      :effect (and (not (at ?t ?from)) (at ?t ?to)))
    (:action fly :parameters (?a - airplane ?from ?to - airport)
      :precondition (at ?a ?from)
      :effect (and (not (at ?a ?from)) (at ?a ?to)))
    (:action load :parameters (?p - package ?v - vehicle ?l - place)
      :precondition (and (at ?v ?l) (at ?p ?l))
      :effect (and (not (at ?p ?l)) (in ?p ?v)))
    (:action unload :parameters (?p - package ?v - vehicle ?l - place)
      :precondition (and (at ?v ?l) (in ?p ?v))
      :effect (and (at ?p ?l) (not (in ?p ?v)))))
    """,
    """
    (define (problem p) (:domain logi) (:objects t1 t2 - truck plane1 - airplane box1 box2 - package apt1 apt2 -
      airport shop home - location rome oslo - city)
    (:init (in-city apt1 rome) (in-city shop rome) (in-city apt2 oslo) (in-city home oslo) (at t1 apt1) (at t2
      apt2) (at plane1 apt1) (at box1 shop) (at box2 apt1)) (:goal (and (at box1 home) (at box2 apt2))))
    """,
    """
    (drive t1 apt1 shop rome) (load box1 t1 shop) (drive t1 shop apt1 rome) (unload box1 t1 apt1)
    (load box1 plane1 apt1) (load box2 plane1 apt1) (fly plane1 apt1 apt2) (unload box1 plane1 apt2)
    (unload box2 plane1 apt2) (load box1 t2 apt2) (drive t2 apt2 home oslo) (unload box1 t2 home)
    """,
    {
        "drive": """
            drive {0} from {1} to {2}
            drive {0} to {2}
            {0} drives to {2}
            {0} goes from {1} to {2}
            drive {0} from {1} to {2} in {3}
            drive the truck to {2}
            move {0} to {2}
            send {0} to {2}
            {0} leaves {1} for {2}
            have {0} return to {2}
            take {0} over to {2}
            {0} heads for {2}
            let {0} proceed to {2}
            bring {0} to {2}
            {0} moves within {3} to {2}
            drive to {2} with {0}
        """,
        "load": """
            load {0} into {1} at {2}
            load {0} into {1}
            put {0} into {1}
            load {0}
            {0} is loaded into {1}
            place {0} in {1} at {2}
            put {0} on board {1}
            {1} picks up {0}
            pick up {0} with {1}
            load the package {0} onto {1}
            transfer {0} to {1}
            stow {0} in {1}
            get {0} into {1}
            at {2}, load {0} into {1}
            {0} goes into {1}
            load {1} with {0}
        """,
        "unload": """
            unload {0} from {1} at {2}
            unload {0} from {1}
            take {0} out of {1}
            unload {0}
            remove {0} from {1} at {2}
            {0} is unloaded from {1}
            drop {0} off at {2}
            deliver {0} to {2}
            {1} drops {0} at {2}
            unload {1}
            get {0} out of {1}
            leave {0} at {2}
            take {0} off {1}
            put {0} down at {2}
            have {0} unloaded at {2}
        """,
        "fly": """
            fly {0} from {1} to {2}
            fly to {2}
            {0} flies to {2}
            fly {0} to {2}
            take off from {1} and land at {2}
            the plane goes to {2}
            {0} takes the packages to {2}
            fly the airplane over to {2}
            {0} is flown from {1} to {2}
            send {0} to {2}
            travel by {0} to {2}
            fly everything to {2}
        """,
    },
)
BLOCKS = (
    ROOT / "domains" / "blocks" / "domain.pddl",
    ROOT / "domains" / "blocks" / "problem.pddl",
    "(take b d) (lower b) (take c a) (place c d) (lift b) (place b c) (lift a) (place a b)",
    {
        "take": """
            take {0} from {1}
            take {0} off {1}
            unstack {0} from {1}
            remove {0} from the top of {1}
            grab {0}, which is on {1}
            pick {0} up off {1}
            lift {0} off of {1}
            take {0}
            {0} is taken from {1}
            take the top block {0}
            get {0} from on top of {1}
            clear {1} by taking {0}
        """,
        "lower": """
            lower {0}
            put {0} down
            lower {0} to the table
            place {0} on the table
            set {0} down
            put it down on the table
            {0} is lowered
            drop {0} onto the table
            lay it aside
        """,
        "lift": """
            lift {0}
            pick up {0}
            lift {0} from the table
            take {0} from the table
            raise {0}
            grab {0}
            {0} is lifted
            pick {0} up from the table
            hold {0}
        """,
        "place": """
            place {0} on {1}
            put {0} on {1}
            stack {0} on top of {1}
            place it on {1}
            set {0} onto {1}
            {0} is placed on {1}
            put it onto {1}
            place {0} upon {1}
            stack it on {1}
            lower {0} onto {1}
            let {0} rest on {1}
        """,
    },
)


_STEP = re.compile(r"\(([^()]+)\)")


def _texts(plan: str, ways: dict[str, str], seed: int, count: int) -> list[str]:
    """Return texts that tell a plan in the first way of each action, but for one to three steps."""
    drawn = random.Random(seed)
    steps = [step.split() for step in _STEP.findall(plan)]
    said = {name: [way.strip() for way in lines.strip().splitlines()] for name, lines in ways.items()}
    found = []
    for _ in range(count):
        others = drawn.sample(range(len(steps)), drawn.choice((1, 2, 2, 3)))
        told = [
            (drawn.choice(said[name]) if place in others else said[name][0]).format(*args)
            for place, (name, *args) in enumerate(steps)
        ]
        found.append(_written(told, drawn))
    return found


def _written(told: list[str], drawn: random.Random) -> str:
    """Return steps as a list, as sentences, as one sentence, or as JSON."""
    lines = [line[0].upper() + line[1:] for line in told]
    return drawn.choice(
        (
            "\n".join(f"{number}. {line}." for number, line in enumerate(lines, 1)),
            "Here is the plan:\n\n" + "\n".join(f"- {line}" for line in lines) + "\n\nAll done!",
            ". ".join(lines) + ".",
            ", then ".join((lines[0], *told[1:])) + ".",
            f"First, {told[0]}. " + " ".join(f"Next, {line}." for line in told[1:-1]) + f" Finally, {told[-1]}.",
            json.dumps([{"step": number, "action": line} for number, line in enumerate(lines, 1)]),
        )
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("world", [BOATS, LOGISTICS, BLOCKS], ids=["boats", "logistics", "blocks"])
def test_a_right_plan_is_never_called_wrong(world: tuple[object, object, str, dict[str, str]], seed: int) -> None:
    domain, problem, plan, ways = world
    model = prepare(domain, problem)  # type: ignore[arg-type]
    assert check(model, None, plan, repair=False).determination is True
    texts = _texts(plan, ways, seed, 60)
    answers = [check(model, None, text, repair=False).determination for text in texts]
    wrong = [text for text, answer in zip(texts, answers, strict=True) if answer is False]
    assert not wrong
    assert 2 * answers.count(True) > len(texts)  # most are understood
