# ruff: noqa: E501
"""Steps with remarks beside them, in notations beside words, in many layouts: no verdict on them is false."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.checking.test_meaning import DOMAIN, PROBLEM
from tests.reading.lexicon.lexicon_models import BLOCKS
from tests.support.depth import some
from validator import check
from validator.checking.prepared import Prepared, prepare

OFFICE = (
    """(define (domain office) (:requirements :typing :negative-preconditions)
  (:types room robot doc machine - object printer scanner - machine)
  (:predicates (in ?r - robot ?x - room) (door ?x ?y - room) (open ?x ?y - room) (on ?m - machine) (printed ?d - doc)
    (stands ?m - machine ?x - room) (lies ?d - doc ?x - room) (carries ?r - robot ?d - doc) (scanned ?d - doc)
    (empty ?r - robot))
  (:action open-door :parameters (?r - robot ?x ?y - room) :precondition (and (in ?r ?x) (door ?x ?y) (not (open ?x ?y)))
    :effect (and (open ?x ?y) (open ?y ?x)))
  (:action walk :parameters (?r - robot ?x ?y - room) :precondition (and (in ?r ?x) (open ?x ?y))
    :effect (and (in ?r ?y) (not (in ?r ?x))))
  (:action switch-on :parameters (?r - robot ?m - machine ?x - room)
    :precondition (and (in ?r ?x) (stands ?m ?x) (not (on ?m))) :effect (on ?m))
  (:action print :parameters (?r - robot ?d - doc ?m - printer ?x - room)
    :precondition (and (in ?r ?x) (stands ?m ?x) (on ?m) (empty ?r))
    :effect (and (printed ?d) (carries ?r ?d) (not (empty ?r))))
  (:action put-down :parameters (?r - robot ?d - doc ?x - room) :precondition (and (in ?r ?x) (carries ?r ?d))
    :effect (and (lies ?d ?x) (empty ?r) (not (carries ?r ?d))))
  (:action scan :parameters (?r - robot ?d - doc ?m - scanner ?x - room)
    :precondition (and (in ?r ?x) (stands ?m ?x) (on ?m) (carries ?r ?d)) :effect (scanned ?d)))""",
    """(define (problem o) (:domain office)
  (:objects lobby lab - room rob - robot memo letter - doc laser - printer flatbed - scanner)
  (:init (in rob lobby) (door lobby lab) (door lab lobby) (stands laser lobby) (stands flatbed lab) (on flatbed)
    (empty rob))
  (:goal (and (scanned memo) (lies memo lab))))""",
)
MUSEUM = (
    """(define (domain museum) (:requirements :typing :negative-preconditions) (:types guard painting hall key)
  (:predicates (at ?g - guard ?h - hall) (hung ?p - painting ?h - hall) (has ?g - guard ?p - painting) (bare ?g - guard)
    (holds ?g - guard ?k - key) (kept ?k - key ?h - hall) (linked ?a ?b - hall) (locked ?a ?b - hall) (dusted ?p - painting)
    (fits ?k - key ?a ?b - hall))
  (:action go :parameters (?g - guard ?a ?b - hall) :precondition (and (at ?g ?a) (linked ?a ?b) (not (locked ?a ?b)))
    :effect (and (at ?g ?b) (not (at ?g ?a))))
  (:action fetch :parameters (?g - guard ?k - key ?h - hall) :precondition (and (at ?g ?h) (kept ?k ?h))
    :effect (and (holds ?g ?k) (not (kept ?k ?h))))
  (:action unlock :parameters (?g - guard ?k - key ?a ?b - hall)
    :precondition (and (at ?g ?a) (holds ?g ?k) (fits ?k ?a ?b) (locked ?a ?b))
    :effect (and (not (locked ?a ?b)) (not (locked ?b ?a))))
  (:action take-down :parameters (?g - guard ?p - painting ?h - hall) :precondition (and (at ?g ?h) (hung ?p ?h) (bare ?g))
    :effect (and (has ?g ?p) (not (hung ?p ?h)) (not (bare ?g))))
  (:action dust :parameters (?g - guard ?p - painting) :precondition (has ?g ?p) :effect (dusted ?p))
  (:action hang-up :parameters (?g - guard ?p - painting ?h - hall) :precondition (and (at ?g ?h) (has ?g ?p))
    :effect (and (hung ?p ?h) (bare ?g) (not (has ?g ?p)))))""",
    """(define (problem m) (:domain museum)
  (:objects eve - guard sunset lilies - painting west-wing east-wing - hall brass-key - key)
  (:init (at eve west-wing) (hung sunset west-wing) (hung lilies east-wing) (kept brass-key west-wing)
    (linked west-wing east-wing) (linked east-wing west-wing) (locked west-wing east-wing) (locked east-wing west-wing)
    (fits brass-key west-wing east-wing) (bare eve))
  (:goal (and (hung sunset east-wing) (dusted sunset))))""",
)


class Told(NamedTuple):
    """One step in PDDL and in words, and what is said beside it."""

    pddl: str
    order: str
    third: str
    gerund: str
    after: str
    before: str


PLANS = {
    "blocks": """
(unstack b a)|unstack b from a|takes b off a|unstacking b from a|the arm is holding b|b is on top of a
(put-down b)|put b down on the table|puts b down|putting down b|b is on the table|the arm holds b
(pick-up a)|pick a up from the table|picks up a|picking up a|the arm is holding a|a is clear now
(stack a b)|place a on top of b|stacks a on b|stacking a on b|a is on b|b is clear
""",
    "hall": """
(pick tom ball1 hall1 left)|pick up ball1 in hall1|picks up ball1|picking up ball1|tom holds ball1|ball1 is in hall1
(move tom hall1 hall2)|move from hall1 to hall2|goes from hall1 to hall2|moving to hall2|tom is in hall2|tom is at hall1
(drop tom ball1 hall2 left)|drop ball1 in hall2|drops ball1|dropping ball1|ball1 is in hall2|the left hand holds ball1
""",
    "office": """
(switch-on rob laser lobby)|turn the laser on|switches on the laser|switching on the laser|the laser is on|the laser is off
(print rob memo laser lobby)|print the memo|prints the memo|printing the memo|the memo is printed|rob is in the lobby
(open-door rob lobby lab)|open the door to the lab|opens the door to the lab|opening the door to the lab|the door is open|the door is closed
(walk rob lobby lab)|walk to the lab|walks to the lab|walking to the lab|rob is in the lab|rob carries the memo
(scan rob memo flatbed lab)|scan the memo|scans the memo|scanning the memo|the memo is scanned|the flatbed is on
(put-down rob memo lab)|put the memo down|puts the memo down|putting down the memo|the memo lies in the lab|rob carries the memo
""",
    "museum": """
(fetch eve brass-key west-wing)|fetch the brass key|fetches the brass key|fetching the brass key|eve holds the brass key|the key is kept in the west wing
(unlock eve brass-key west-wing east-wing)|unlock the east wing with the brass key|unlocks the east wing|unlocking the east wing|the way is open|the east wing is locked
(take-down eve sunset west-wing)|take down the sunset|takes the sunset down|taking down the sunset|eve has the sunset|the sunset hangs in the west wing
(dust eve sunset)|dust the sunset|dusts the sunset|dusting the sunset|the sunset is dusted|eve has the sunset
(go eve west-wing east-wing)|go to the east wing|goes to the east wing|going to the east wing|eve is in the east wing|eve is at the west wing
(hang-up eve sunset east-wing)|hang up the sunset in the east wing|hangs the sunset up|hanging up the sunset|the sunset hangs in the east wing|eve has the sunset
""",
}
SUBJECTS = {"blocks": "the robot arm", "hall": "tom", "office": "rob", "museum": "eve"}
PLAIN = "{order}."
SAYINGS = (
    """
{order} ({after}).;{order}, so that {after}.;{order}, so {after} now.;{order}. Now {after}.;{order}. After this, {after}.
{order} because {before}.;Since {before}, {order}.;As {before}, we {order}.;{before}, so {order}.;{before}. {order}.
{order} (precondition: {before}, effect: {after}).;{order} -> {after};{order} — {after};{order}: {after}
**{order}**: {after}.;**{order}** – {after}.;`{pddl}` - {order};{order} `{pddl}`;{order}: {pddl};{order} {pddl};{pddl}
{call};{call}  # {order};Action: {order};{order}¶- Precondition: {before}¶- Effect: {after}
{order}.¶*Reason:* {before}.;{subject} {third}.;{subject} {third}, and {after}.;{gerund}.;Next comes {gerund}.
We {order}.;I would {order} next.;{subject} should {order}.;{subject} now {third}.;To make progress, {order}.
In order to proceed, {subject} {third}.;Once {before}, {order}.;When {before}, {order}.;{order}. This means that {after}.
{order}. This way, {after}.;{order} until {after}.;{order}, which means {after}.;{order}, after which {after}.
By {gerund}, {after}.;{after} after {gerund}.;{order} [{after}];[{order}];<action>{order}</action>;<b>{order}</b>
✅ {order};☐ {order};[x] {order};{order} (cost 1);{order} (1 min);[0{n}:00] {order};{order} | {after};“{order}”;{order}!
{order}, and now {after}.;{order}, whereupon {after}.;{before}. Hence, {order}.;{before}, and so {subject} {third}.
{subject} {third}. As a result, {after}.;`{call}` → {order};{call} - {after};Thought: {before}. Action: {order}.
{order} | pre: {before} | eff: {after};Precondition: {before}. Action: {order}. Effect: {after}.;{order}: **{call}**
""".strip()
    .replace("\n", ";")
    .split(";")
)
"""how a step is said with a remark; ¶ ends a line"""
LAYOUTS = {
    "numbers": ("{n}. {said}", "\n"),
    "numbers from zero": ("{n}: {said}", "\n"),
    "bullets": ("- {said}", "\n"),
    "steps": ("Step {n}: {said}", "\n"),
    "headings": ("### Step {n}\n{said}", "\n\n"),
    "bold": ("**Step {n}:** {said}", "\n\n"),
    "lines": ("{said}", "\n"),
    "paragraphs": ("{said}", "\n\n"),
    "numbers below": ("Step {n}\n{said}\n", "\n"),
    "quoted": ("> {n}. {said}", "\n"),
    "table": ("| {n} | {said} |", "\n"),
    "html": ("<li>{said}</li>", "\n"),
}


NOT_UNDERSTOOD = (
    "Wander around.",
    "Blorp.",
    "Next, blorp the flim.",
    "Perform a spin.",
    "Rob blorps the flim.",
    "Then blorp.",
)


@pytest.fixture(scope="module")
def models() -> dict[str, Prepared]:
    given = {"hall": (DOMAIN, PROBLEM), "office": OFFICE, "museum": MUSEUM}
    return {"blocks": prepare(BLOCKS), **{name: prepare(*texts) for name, texts in given.items()}}


def steps(name: str) -> list[Told]:
    return [Told(*line.split("|")) for line in PLANS[name].strip().splitlines()]


def told(
    name: str, saying: str, layout: str, odd: int | None, without: int | None = None, instead: str | None = None
) -> str:
    """Return a plan of which one step, or each, is said in some way; and one is left out, or said as another."""
    item, joint = LAYOUTS[layout]
    found: list[str] = []
    for place, step in enumerate(steps(name)):
        action, *args = step.pddl.strip("()").split()
        call = f"{action.replace('-', '_')}({', '.join(args)})"
        form = saying.replace("¶", "\n   ") if odd in (None, place) else PLAIN
        said = form.format(**step._asdict(), call=call, subject=SUBJECTS[name], n=place + 1)
        if layout == "table":
            said = said.replace("\n", " ").replace("|", "-")
        if place == without and instead is not None:
            said = instead
        if place != without or instead is not None:
            found.append(item.format(n=place + 1, said=said[:1].upper() + said[1:]))
    text = joint.join(found)
    return f"<ol>\n{text}\n</ol>" if layout == "html" else text


def all_told(saying: str) -> Iterator[tuple[str, str, int | None]]:
    yield from (
        (name, layout, odd) for name in PLANS for layout in LAYOUTS for odd in (None, 0, 1, len(steps(name)) - 1)
    )


@pytest.mark.parametrize("saying", some(SAYINGS, 6))
def test_no_remark_beside_a_step_makes_a_right_plan_wrong(saying: str, models: dict[str, Prepared]) -> None:
    texts = [(name, told(name, saying, layout, odd)) for name, layout, odd in all_told(saying)]
    wrong = [text for name, text in texts if check(models[name], plan=text, repair=False).determination is False]
    assert not wrong


@pytest.mark.parametrize("saying", some(SAYINGS, 6))
def test_no_remark_stands_for_a_step_that_is_left_out(saying: str, models: dict[str, Prepared]) -> None:
    texts = [
        (name, told(name, saying, layout, None, place))
        for name in PLANS
        for place in range(len(steps(name)))
        for layout in ("numbers", "paragraphs", "html")
    ]
    right = [text for name, text in texts if check(models[name], plan=text, repair=False).determination is True]
    assert not right


@pytest.mark.parametrize("said", NOT_UNDERSTOOD)
def test_a_step_that_was_not_understood_leaves_the_plan_open(said: str, models: dict[str, Prepared]) -> None:
    texts = [
        (name, told(name, PLAIN, layout, None, place, said))
        for name in PLANS
        for layout in LAYOUTS
        for place in range(len(steps(name)))
        if layout != "paragraphs"
        or 0 < place < len(steps(name)) - 1  # before and behind the plan a text says all kinds of things
    ]
    wrong = [text for name, text in texts if check(models[name], plan=text, repair=False).determination is not None]
    assert not wrong


@pytest.mark.parametrize(
    "said", ["Great!", "So far, so good.", "This is needed before we can proceed.", "That was easy."]
)
def test_a_comment_in_place_of_a_step_changes_nothing(said: str, models: dict[str, Prepared]) -> None:
    for name in PLANS:
        for place in range(1, len(steps(name)) - 1):
            texts = (told(name, PLAIN, "lines", None, place, instead) for instead in (None, said))
            without, beside = (check(models[name], plan=text, repair=False) for text in texts)
            assert beside.determination is without.determination
