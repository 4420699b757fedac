"""Plain turns of phrase around the steps of a plan in words, its layouts, and what its objects are called."""

from __future__ import annotations

import pytest

from tests.reading.test_beside_steps import DOMAIN, ENTER, OIL, PROBLEM, UNLOCK
from validator import check
from validator.checking.prepared import Prepared, prepare

RIGHT = {
    "after": f"After oiling the hatch, unlock it. {ENTER}.",
    "after what was told": f"{OIL}. Once you have oiled the hatch, unlock it. {ENTER}.",
    "having": f"{OIL}. Having oiled the hatch, unlock it. {ENTER}.",
    "before": f"{OIL} before unlocking it. {ENTER}.",
    "before what is told": f"{OIL} before unlocking the hatch. {UNLOCK}. {ENTER}.",
    "after which": f"{OIL}, after which you unlock it. {ENTER}.",
    "once": f"{OIL}. {UNLOCK} once it is oiled. {ENTER}.",
    "too": f"Oil the gate. Oil the hatch too. {UNLOCK}. {ENTER}.",
    "meanwhile": f"{OIL}. Meanwhile Tim unlocks the hatch. {ENTER}.",
    "manners": f"{OIL} with care. At this point, unlock it without delay. {ENTER} in the end.",
    "at the same time": f"{OIL} at the same time. {UNLOCK} when ready. {ENTER} as usual.",
    "sure": f"Make sure to oil the hatch. {UNLOCK}. {ENTER}.",
    "time": f"{OIL}. Now it is time to unlock the hatch. {ENTER}.",
    "time in an item": f"1. {OIL}.\n2. Now it is time to unlock the hatch.\n3. {ENTER}.",
    "can": f"{OIL}. Now you can unlock it. {UNLOCK}. {ENTER}.",
    "can be": f"{OIL}. The hatch can now be unlocked. {UNLOCK}. {ENTER}.",
    "cannot yet": f"You cannot unlock the hatch yet. {OIL}. {UNLOCK}. {ENTER}.",
    "allows": f"{OIL}. This allows us to unlock the hatch. {UNLOCK}. {ENTER}.",
    "otherwise": f"{OIL}, otherwise it could not be unlocked. {UNLOCK}. {ENTER}.",
    "note": f"1. {OIL}.\n2. {UNLOCK}.\n3. {ENTER}.\n\nNote that Tim must oil the hatch before he can unlock it.",
    "perfect": "Tim has oiled the hatch. Tim has unlocked the hatch. Tim has entered the attic through the hatch.",
    "ordinals": "The first step is to oil the hatch. The second step is to unlock it. "
    "The last step is to enter the attic through the hatch.",
    "needs": "Tim needs to oil the hatch. Tim needs to unlock it. Tim needs to enter the attic through the hatch.",
    "ask": "Ask Tim to oil the hatch. Ask Tim to unlock the hatch. Ask Tim to enter the attic through the hatch.",
    "wait": f"{OIL} and wait. {UNLOCK}. {ENTER}.",
    "intro": f"1. First of all, oil the hatch.\n2. With that done, unlock it.\n3. Following this, {ENTER.lower()}.",
    "state before": f"The gate and the hatch are locked.\n\nPlan:\n1. {OIL}.\n2. {UNLOCK}.\n3. {ENTER}.",
    "letters": f"a) Tim oils the hatch\nb) Tim unlocks the hatch\nc) {ENTER}",
    "roman numbers": "The plan: (i) oil the hatch, (ii) unlock the hatch, (iii) enter the attic through the hatch.",
    "numbers in numbers": f"1. Door\n  1.1 {OIL}\n  1.2 {UNLOCK}\n2. Attic\n  2.1 {ENTER}",
    "boxes": f"- [x] Tim oils the hatch\n- [x] Tim unlocks the hatch\n- [x] {ENTER}",
    "breaks": f"{OIL}<br>{UNLOCK}<br>{ENTER}",
    "keys": "1️⃣ The porter oils the hatch.\n2️⃣ The porter unlocks the hatch.\n3️⃣ The porter enters the attic.",
    "wish": f"We want that the hatch is open. {OIL}. {UNLOCK}. {ENTER}.",
    "suggest": f"I suggest oiling the hatch and then unlocking it. {ENTER}.",
    "for minutes": f"{OIL} for 5 minutes. {UNLOCK}. {ENTER}.",
    "participle": f"{OIL}. Unlock the oiled hatch. {ENTER}.",
    "stays": f"{OIL}. {UNLOCK}. {ENTER}. Tim stays in the attic.",
    "of a step": f"1. {OIL}.\n2. {UNLOCK}.\n3. {ENTER}.\n\nStep 2 makes sure that the hatch is open.",
    "heading": f"**Tim**\n- {OIL}\n- {UNLOCK}\n- {ENTER}",
    "adjective": f"Oil the heavy hatch. Unlock the heavy hatch. {ENTER}.",
    "after behind": f"{UNLOCK} after oiling the hatch. {ENTER}.",
    "go and": f"Go and oil the hatch. {UNLOCK}. {ENTER}.",
    "for some minutes": f"{OIL} for ten minutes. {UNLOCK}. {ENTER}.",
    "until": f"{OIL} until it shines. {UNLOCK}. {ENTER}.",
    "means": f"Tim oils the hatch with fresh grease. Tim unlocks the hatch at the hinge. {ENTER}.",
    "another's name": f"The night porter oils the hatch. The night porter unlocks the hatch. {ENTER}.",
    "so": f"{OIL} so the hatch is oiled. {UNLOCK} so that it is open. {ENTER}.",
    "no longer": f"{OIL}. {UNLOCK} - now the hatch is no longer locked. {ENTER}.",
    "result": f"1. {OIL}.\n   Result: the hatch is oiled.\n2. {UNLOCK}.\n3. {ENTER}.",
    "boxes to tick": f"- [ ] {OIL}\n- [ ] {UNLOCK}\n- [ ] {ENTER}",
    "steps in headings": f"### Step 1. Oiling\n{OIL}.\n### Step 2. The hatch\n{UNLOCK}.\n### Step 3. Attic\n{ENTER}.",
    "name in parentheses": f"1. Grease the hatch (oil).\n2. Turn back its bolt (unlock).\n3. {ENTER}.",
    "subject": f"Porter Tim oils the hatch. {UNLOCK}. {ENTER}.",
    "participles": f"First, the hatch is oiled and unlocked. {ENTER}.",
    "I would": f"I would begin by oiling the hatch. After that {UNLOCK.lower()}. Therefore {ENTER.lower()}.",
    "where": f"Go to the door, where Tim oils the hatch. {UNLOCK}. {ENTER}.",
    "what it ends as": f"{OIL}. {UNLOCK}. {ENTER}.\n\nAt the end the hatch is clean, smooth and oiled.",
    "state in parentheses": f"1. {OIL}. (hatch: oiled)\n2. {UNLOCK} (the hatch is open now).\n3. {ENTER}.",
    "purpose": f"To reverse the lock, do the following:\n1. {OIL}.\n2. {UNLOCK}.\n3. {ENTER}.",
    "before a list from 2": f"To begin, the hatch is oiled.\n\n2. {UNLOCK}.\n3. {ENTER}.",
    "times": f"09:03 - {OIL}\n09:10 - {UNLOCK}\n09:11 - {ENTER}",
}
NOT_VALID = {
    "after another": f"After oiling the gate, unlock the hatch. {ENTER}.",
    "after it": f"{UNLOCK} after oiling it. {ENTER}.",
    "once it": f"{UNLOCK} once it is oiled. {ENTER}.",
    "before it": f"{UNLOCK} before oiling it. {ENTER}.",
    "before which": f"{OIL}, before which you unlock it. {ENTER}.",
    "allowed": f"{OIL}. This allows us to unlock the hatch. {ENTER}.",
    "not yet": f"{OIL}. You cannot unlock the hatch yet. {ENTER}.",
    "at no time": f"{OIL}. {UNLOCK} at no time. {ENTER}.",
    "another's list": f"**Gate**\n- Oil\n- Unlock\n\n{ENTER}.",
    "of a step": f"1. {OIL}.\n2. {ENTER}.\n\nStep 1 makes sure that we unlock the hatch.",
    "taken": f"{OIL}. Take the hatch. {ENTER}.",
    "wished": f"We want that Tim unlocks the hatch. {OIL}. {ENTER}.",
    "another's text": "**Gate**\nOil. Unlock. " + ENTER,
    "ask not": f"Ask Tim not to oil the hatch. {UNLOCK}. {ENTER}.",
    "result": f"{OIL}. Turn the hatch. {ENTER}.\n\nResult: the hatch is unlocked.",
    "and some day": f"{OIL}. Tim unlocks the hatch on some other day. {ENTER}.",
    "nobody": f"{OIL}. The hatch is unlocked by nobody. {ENTER}.",
    "whose": f"{OIL}. Unlock the hatch's gate. {ENTER}.",
    "noted": f"1. {OIL}.\n2. {ENTER}.\n\nNote that Tim must unlock the hatch before he can enter the attic.",
}
SHELF = """
(define (domain shelf) (:requirements :typing) (:types loaf knife)
  (:predicates (whole ?x - loaf) (sliced ?x - loaf) (sharp ?k - knife))
  (:action sharpen :parameters (?k - knife) :effect (sharp ?k))
  (:action slice :parameters (?x - loaf ?k - knife) :precondition (and (sharp ?k) (whole ?x))
    :effect (and (sliced ?x) (not (whole ?x)))))
"""
LOAVES = {
    "all": "Slice all loaves.",
    "one then another": "Slice rye, then wheat, then spelt.",
    "a list": "Slice the following:\n- rye\n- wheat\n- spelt",
    "the same": "Slice rye. Do the same for wheat and spelt.",
}


@pytest.fixture(scope="module")
def key() -> Prepared:
    return prepare(DOMAIN, PROBLEM)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_plan_in_everyday_english_is_valid(key: Prepared, name: str) -> None:
    assert check(key, plan=f"{RIGHT[name]}\n").determination is True


@pytest.mark.parametrize("name", RIGHT)
def test_a_broken_plan_in_everyday_english_is_not_valid(key: Prepared, name: str) -> None:
    broken = RIGHT[name].replace("Unlock", "Oil").replace("unlock", "oil")
    assert check(key, plan=f"{broken}\n", repair=False).determination is not True


@pytest.mark.parametrize("name", NOT_VALID)
def test_what_speaks_of_another_step_is_not_done_there(key: Prepared, name: str) -> None:
    assert check(key, plan=f"{NOT_VALID[name]}\n", repair=False).determination is not True


@pytest.mark.parametrize("name", LOAVES)
def test_one_verb_is_said_of_several_objects(name: str) -> None:
    problem = """(define (problem p) (:domain shelf) (:objects rye wheat spelt - loaf k1 - knife)
      (:init (whole rye) (whole wheat) (whole spelt)) (:goal (and (sliced rye) (sliced wheat) (sliced spelt))))"""
    assert check(SHELF, problem, f"Sharpen k1. {LOAVES[name]}\n").determination is True
    for left_out in ("Sharpen k1. ", "then wheat, ", "- wheat\n", "wheat and "):
        broken = f"Sharpen k1. {LOAVES[name]}\n".replace(left_out, "")
        if broken != f"Sharpen k1. {LOAVES[name]}\n":
            assert check(SHELF, problem, broken, repair=False).determination is not True


LAUNDRY = """
(define (domain laundry) (:requirements :typing) (:types batch washer dryer)
  (:predicates (basket ?b - batch) (inside ?b - batch ?w - washer) (drum ?b - batch ?d - dryer) (free ?w - washer)
    (wet ?b - batch) (folded ?b - batch))
  (:action load :parameters (?b - batch ?w - washer) :precondition (and (basket ?b) (free ?w))
    :effect (and (inside ?b ?w) (not (basket ?b)) (not (free ?w))))
  (:action wash :parameters (?b - batch ?w - washer) :precondition (inside ?b ?w) :effect (wet ?b))
  (:action transfer :parameters (?b - batch ?w - washer ?d - dryer) :precondition (and (inside ?b ?w) (wet ?b))
    :effect (and (drum ?b ?d) (free ?w) (not (inside ?b ?w))))
  (:action fold :parameters (?b - batch ?d - dryer) :precondition (drum ?b ?d) :effect (folded ?b)))
"""


@pytest.mark.parametrize(
    ("plan", "verdict"),
    [
        ("1. load darks w1 – starts the day\n2. wash darks w1 – needed before the rest\n3. fold darks d1", False),
        ("Load darks into w1. Wash them.\n- Transfer darks: w1 → d1\n- Fold darks", True),
        ("Darks go into w1. Wash darks. Transfer darks from w1 to d1. Fold darks.", None),
        ("First, load darks into w1. Then transfer darks to d1. Fold darks.", False),
        ("Darks are loaded into w1, washed, transferred from w1 to d1 and folded.", True),
        ("Darks are loaded into w1 and washed there. They are transferred to d1 and folded there.", True),
        ("They are loaded into w1 and washed. They are transferred to d1 and folded.", True),
    ],
)
def test_pronouns_participles_and_verbs_of_motion(plan: str, verdict: bool | None) -> None:
    problem = """(define (problem p) (:domain laundry) (:objects darks - batch w1 - washer d1 - dryer)
      (:init (basket darks) (free w1)) (:goal (folded darks)))"""
    assert check(LAUNDRY, problem, f"{plan}\n", repair=False).determination is verdict


def test_what_is_left_out_behind_several_objects_may_be_all_of_them() -> None:
    problem = """(define (problem p) (:domain shelf) (:objects rye wheat - loaf k1 k2 - knife)
      (:init (whole rye) (whole wheat)) (:goal (and (sliced rye) (sliced wheat) (sharp k1) (sharp k2))))"""
    plan = "The knives k1 and k2 are oiled and then sharpened. Rye is sliced. Wheat is sliced.\n"
    assert check(SHELF, problem, plan, repair=False).determination is not False


def test_a_subject_that_is_no_argument_is_none() -> None:
    problem = """(define (problem p) (:domain shelf) (:objects rye - loaf k1 - knife ann)
      (:init (whole rye)) (:goal (sliced rye)))"""
    assert check(SHELF, problem, "Ann sharpens k1. Ann slices rye with k1.\n").determination is True
    assert check(SHELF, problem, "Ann sharpens k1. Rye slices ann.\n", repair=False).determination is not True
    assert check(SHELF, problem, "Sharpen k1. Ann slices rye.\n", repair=False).determination is not True


@pytest.mark.parametrize(
    ("name", "other", "said"),
    [
        ("part1", "part2", "part 1"),
        ("step1", "step2", "step1"),
        ("mr-lee", "mr-kay", "Mr. Lee"),
        ("hall-1", "hall-3", "hall no. 1"),
    ],
)
def test_objects_are_called_by_everyday_forms_of_their_names(name: str, other: str, said: str) -> None:
    problem = f"""(define (problem p) (:domain shelf) (:objects {name} {other} - loaf k1 - knife)
      (:init (whole {name}) (whole {other})) (:goal (sliced {name})))"""
    assert check(SHELF, problem, f"Sharpen k1. Slice {said}.\n").determination is True
    broken = problem.replace(f"(sliced {name})", f"(sliced {other})")
    assert check(SHELF, broken, f"Sharpen k1. Slice {said}.\n", repair=False).determination is not True


STAND = """
(define (domain stand) (:requirements :typing) (:types bike wheel stand)
  (:predicates (clamped ?b - bike ?s - stand) (on ?w - wheel ?b - bike) (kept ?b - bike) (ready ?b - bike) (dark))
  (:action clamp-bike :parameters (?b - bike ?s - stand) :effect (clamped ?b ?s))
  (:action mount-wheel :parameters (?w - wheel ?b - bike ?s - stand) :precondition (clamped ?b ?s) :effect (on ?w ?b))
  (:action back-up :parameters (?b - bike) :effect (kept ?b))
  (:action test :parameters (?b - bike) :precondition (kept ?b) :effect (ready ?b))
  (:action open-lid :parameters (?s - stand) :effect (kept big-racer))
  (:action dim-lights :effect (dark)))
"""


@pytest.mark.parametrize(
    ("goal", "text", "determination"),
    [
        ("(on w1 big-racer)", "Mount the big racer on s1. Mount w1 on the big racer.", None),
        ("(ready big-racer)", "Back up the big racer, then test it.", True),
        ("(ready big-racer)", "Test the big racer, then back up it.", False),
        ("(ready big-racer)", "Back up the bike. Test it.", True),
        ("(ready big-racer)", "Start by backing up the bike. Test the bike.", True),
        ("(kept big-racer)", "Open the stand s1's lid.", True),
        ("(ready big-racer)", "Get going. Back up the bike. Well, test it.", True),
        ("(dark)", "Back up the bike. Now the porter pulled the plug.", None),
        ("(dark)", "Somebody dims the lights.", True),
        ("(dark)", "Back up the bike. To make progress, the porter checks the lights.", None),
    ],
)
def test_what_a_verb_takes_is_named_or_meant(goal: str, text: str, determination: bool | None) -> None:
    problem = f"""(define (problem p) (:domain stand) (:objects big-racer - bike w1 - wheel s1 back - stand) (:init)
      (:goal {goal}))"""
    assert check(STAND, problem, f"{text}\n", repair=False).determination is determination


def test_a_verb_without_a_subject_is_said_of_the_one_before() -> None:
    problem = """(define (problem p) (:domain key) (:objects hatch - door tim ann - person attic - room)
      (:init (locked hatch)) (:goal (in tim attic)))"""
    text = "{} oils the hatch, unlocks the hatch and enters the attic through the hatch.\n"
    assert check(DOMAIN, problem, text.format("Tim")).determination is True
    assert check(DOMAIN, problem, text.format("Ann"), repair=False).determination is not True


GROVE = """
(define (domain grove) (:requirements :typing) (:types person tent fruit - object place spot - object car - object)
  (:constants lemon - fruit)
  (:predicates (at ?p - person ?x - place) (lies ?t - tent ?x - place) (parked ?c - car ?x - place) (pitched ?t - tent)
    (juiced ?p - person) (carrying ?p - person ?t - tent) (danced ?p - person) (clean ?t - tent) (dry ?t - tent))
  (:action squeeze-lemon :parameters (?p - person) :effect (juiced ?p))
  (:action drive :parameters (?p - person ?c - car ?x - place ?y - place)
    :precondition (and (at ?p ?x) (parked ?c ?x))
    :effect (and (at ?p ?y) (not (at ?p ?x)) (parked ?c ?y) (not (parked ?c ?x))))
  (:action drive-tent :parameters (?p - person ?t - tent ?c - car ?x - place ?y - place)
    :precondition (and (at ?p ?x) (parked ?c ?x) (lies ?t ?x)) :effect (and (at ?p ?y) (not (at ?p ?x))
      (parked ?c ?y) (not (parked ?c ?x)) (lies ?t ?y) (not (lies ?t ?x))))
  (:action pitch :parameters (?p - person ?t - tent ?x - place) :precondition (and (at ?p ?x) (lies ?t ?x))
    :effect (pitched ?t))
  (:action dance-together :parameters (?p ?q - person ?x - place) :precondition (and (at ?p ?x) (at ?q ?x))
    :effect (and (danced ?p) (danced ?q)))
  (:action scrub :parameters (?t - tent) :effect (clean ?t))
  (:action air-dry :parameters (?t - tent) :precondition (clean ?t) :effect (dry ?t)))
"""


@pytest.mark.parametrize(
    ("goal", "text", "left_out"),
    [
        ("(juiced ann)", "Ann squeezes the lemon.", "Ann squeezes the lemon."),
        ("(juiced ann)", "1. Ann: Squeeze lemon.", "Squeeze lemon."),
        ("(pitched dome)", "Ann drives the dome to the lake in the jeep. Ann pitches the dome.", "the dome to"),
        ("(and (danced ann) (danced tim))", "Ann and Tim dance together.", "Ann and Tim dance together."),
        ("(and (dry dome) (dry igloo))", "Scrub and air-dry the dome and the igloo.", "Scrub and "),
        (
            "(and (dry dome) (dry igloo))",
            "Scrub the dome and the igloo. Air-dry both.",
            "Scrub the dome and the igloo.",
        ),
        ("(dry dome)", "1. **Scrub.** Scrub the dome.\n2. The dome is air-dried.", "**Scrub.** Scrub the dome."),
        ("(dry dome)", "scrub: dome\nair-dry: dome", "scrub: dome"),
        ("(dry dome)", "Scrub dome – gets rid of the mud\nAir-dry dome", "Scrub dome"),
        ("(dry dome)", "Scrub the dome as well. Let the dome air-dry.", "Scrub the dome as well."),
        (
            "(danced ann)",
            "Ann:\n- drive the jeep to the lake\n- drive the jeep to the camp\n- dance with Tim",
            "- dance with Tim",
        ),
    ],
)
def test_names_of_actions_say_what_their_clauses_leave_out(goal: str, text: str, left_out: str) -> None:
    problem = f"""(define (problem p) (:domain grove) (:objects ann tim - person dome igloo - tent jeep - car
      camp lake - place) (:init (at ann camp) (at tim camp) (parked jeep camp) (lies dome camp) (lies igloo camp))
      (:goal {goal}))"""
    assert check(GROVE, problem, f"{text}\n").determination is True
    broken = text.replace(left_out, "" if text != left_out else "Tim squeezes the lemon.")
    assert check(GROVE, problem, f"{broken}\n", repair=False).determination is not True
