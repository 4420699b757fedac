"""Questions in English about plans, and the question of the product's own language that is meant.

Several expected readings stand where the words allow each of them; a reading is one or several phrases, joined by "; ".
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.free_texts.worlds import HARBOUR, HOSPITAL, LIBRARY, YARD
from benchmarks.table import Cell, Goal, Table
from validator import prepare
from validator.errors import InputError
from validator.foils import Solvable
from validator.foils.language.context import Context
from validator.foils.language.read import read_question
from validator.foils.questions import PremiseError
from validator.reading.tokens import tokenize

__all__ = ["CASES", "UNTRUE", "Case", "asked_of", "of_questions"]

UNTRUE = "untrue"
"""the reading of a question that takes for granted what is not so"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A problem, a valid plan, and questions with the readings that are right."""

    name: str
    domain: str
    problem: str
    plan: tuple[str, ...]
    questions: Mapping[str, tuple[str, ...]]


def _questions(text: str) -> Mapping[str, tuple[str, ...]]:
    """Read questions, each a line ``QUESTION => READING | READING``."""
    lines = text.strip().replace("\n    ", " ").splitlines()
    pairs = (line.split(" =>") for line in lines)
    return {question: tuple(filter(None, map(str.strip, readings.split(" | ")))) for question, readings in pairs}


def _steps(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\([^()]+\)", text))


_HARBOUR = Case(
    name=HARBOUR.name,
    domain=HARBOUR.domain,
    problem="""(define (problem one) (:domain old-harbour)
 (:objects van1 van2 - van tern gull-2 - boat c1 c2 - crate east_quay west_quay mole island - quay)
 (:init (road east_quay mole) (road mole east_quay) (road west_quay mole) (road mole west_quay)
  (channel mole island) (channel island mole) (channel west_quay island) (channel island west_quay)
  (van-at van1 east_quay) (van-at van2 west_quay) (boat-at tern mole) (boat-at gull-2 west_quay)
  (lies c1 east_quay) (lies c2 west_quay))
 (:goal (and (lies c1 island) (lies c2 mole))))""",
    plan=_steps("""
(load-van van1 c1 east_quay) (drive van1 mole east_quay) (unload-van van1 c1 mole) (load-boat tern c1 mole)
(sail mole island tern) (unload-boat tern c1 island) (load-van van2 c2 west_quay) (drive van2 mole west_quay)
(unload-van van2 c2 mole)
"""),
    questions=_questions("""
Why don't you use gull-2? => must (_ gull-2)
Why not use the boat gull-2 instead of tern? => must (_ gull-2); must not (_ tern)
Why does tern sail from the mole to the island? => must not (sail mole island tern)
Why do you load c1 into van1 at the east quay? => must not (load-van van1 c1 east_quay)
Why don't you load c2 into van1? => must (load-van van1 c2 _)
What if we load c1 onto gull-2? => must (load-boat gull-2 c1 _)
What if van2 carried c1? => must (load-van van2 c1 _) | sometime (aboard c1 van2)
Could we do without tern? => must not (_ tern) | without object tern
Can c1 go by gull-2? => must (load-boat gull-2 c1 _) | sometime (aboard c1 gull-2)
Why not put c2 on a boat? => must (load-boat _ c2 _)
What if van1 broke down? => without object van1 | must not (_ van1)
What if there was no channel between the mole and the island? => without fact (channel mole island); without fact
    (channel island mole)
Do we have to unload c1 at the mole? => must not (unload-van _ c1 mole) | must not (unload-van _ c1 mole) or
    (unload-boat _ c1 mole)
Is it possible to drive only once? => at most 1 (drive _ _ _)
Why not bring c2 to the mole before c1 gets to the island? => (lies c2 mole) before (lies c1 island) | (unload-van _
    c2 mole) before (unload-boat _ c1 island)
"""),
)

_HOSPITAL = Case(
    name=HOSPITAL.name,
    domain=HOSPITAL.domain,
    problem="""(define (problem one) (:domain small-hospital)
 (:objects olga tom - nurse mr_hill kim - patient zinc - pill flu-shot - vaccine ward_1 ward_2 dispensary - ward)
 (:init (corridor ward_1 ward_2) (corridor ward_2 ward_1) (corridor ward_2 dispensary) (corridor dispensary ward_2)
  (by olga dispensary) (by tom ward_1) (free olga) (free tom) (lies mr_hill ward_2) (lies kim ward_1)
  (kept zinc dispensary) (kept flu-shot ward_2))
 (:goal (and (treated mr_hill zinc) (treated kim flu-shot))))""",
    plan=_steps("""
(hurry dispensary ward_2 olga) (examine mr_hill olga ward_2) (hurry ward_2 dispensary olga)
(collect olga dispensary zinc) (hurry dispensary ward_2 olga) (give-pill mr_hill zinc olga ward_2)
(hurry ward_1 ward_2 tom) (collect tom ward_2 flu-shot) (hurry ward_2 ward_1 tom) (give-jab kim flu-shot tom ward_1)
"""),
    questions=_questions("""
Why does Olga examine Mr Hill? => must not (examine mr_hill olga _) | must not (examine mr_hill olga ward_2)
Why not let Tom give the zinc to Mr Hill? => must (give-pill mr_hill zinc tom _)
Could Olga do everything on her own? => must not (_ tom)
What if Tom examined Mr Hill? => must (examine mr_hill tom _)
Why doesn't Tom collect the zinc? => must (collect tom _ zinc)
Why does Olga go back to the dispensary? => must not (hurry ward_2 dispensary olga) | must not (hurry _ dispensary
    olga)
Must Tom hurry to ward 2? => must not (hurry _ ward_2 tom)
Do we need Tom? => must not (_ tom)
What if the flu-shot were kept in ward 1? => without fact (kept flu-shot ward_2); with fact (kept flu-shot ward_1) |
    with fact (kept flu-shot ward_1)
Why is Kim not examined? => must (examine kim _ _) | with goal (examined kim) | at end (examined kim)
Why not give the flu-shot to Kim before the zinc is collected? => (give-jab kim flu-shot _ _) before (collect _ _
    zinc)
What would happen if nobody examined Mr Hill? => must not (examine mr_hill _ _)
Can Olga hurry at most twice? => at most 2 (hurry _ _ olga)
Why did you collect the zinc after examining Mr Hill rather than before? => (collect _ _ zinc) before (examine
    mr_hill _ _) | (collect olga _ zinc) before (examine mr_hill olga _)
What if Tom has to end up in the dispensary? => at end (by tom dispensary) | with goal (by tom dispensary)
"""),
)

_LIBRARY = Case(
    name=LIBRARY.name,
    domain=LIBRARY.domain,
    problem="""(define (problem one) (:domain town-library)
 (:objects moby_dick emma atlas-4 - book shelf_a shelf_b annex - shelf ada boris - reader)
 (:init (filed moby_dick shelf_a) (filed emma annex) (filed atlas-4 shelf_b) (member ada))
 (:goal (and (lent moby_dick boris) (lent emma ada) (filed atlas-4 shelf_a))))""",
    plan=_steps("""
(enrol boris) (pull shelf_a moby_dick) (stamp moby_dick) (lend boris moby_dick) (pull annex emma) (stamp emma)
(lend ada emma) (pull shelf_b atlas-4) (shelve shelf_a atlas-4)
"""),
    questions=_questions("""
Why do you enrol Boris? => must not (enrol boris)
Why is Boris enrolled first? => (enrol boris) not at step 1
Why not lend Emma to Ada first? => (lend ada emma) instead of step 1 | (lend ada emma) before (lend boris moby_dick)
Do we really have to stamp Emma? => must not (stamp emma)
What if the atlas-4 stays on shelf B? => always (filed atlas-4 shelf_b)
Can we shelve atlas-4 in the annex? => must (shelve annex atlas-4)
Why don't you reserve moby_dick? => must (reserve moby_dick)
What if we reserved Moby Dick before lending it? => (reserve moby_dick) before (lend _ moby_dick) | (reserve
    moby_dick) before (lend boris moby_dick)
Why not pull all books before stamping any? => (pull _ moby_dick) before (stamp _); (pull _ emma) before (stamp _);
    (pull _ atlas-4) before (stamp _)
Why stamp moby_dick before lending it to Boris? => (lend boris moby_dick) before (stamp moby_dick)
What if Boris were a member already? => with fact (member boris)
Could Ada get Moby Dick as well? => sometime (lent moby_dick ada) | must (lend ada moby_dick)
Would it work without the annex? => without object annex
Is it possible with only two stamps? => at most 2 (stamp _)
What if Boris must not borrow anything? => must not (lend boris _)
"""),
)

_YARD = Case(
    name=YARD.name,
    domain=YARD.domain,
    problem="""(define (problem one) (:domain rail-yard)
 (:objects d5 e-12 - engine w1 w2 - wagon lead neck track_1 track_2 - track)
 (:init (joined lead neck) (joined neck lead) (joined neck track_1) (joined track_1 neck) (joined neck track_2)
  (joined track_2 neck) (on d5 lead) (on e-12 track_2) (light d5) (light e-12) (waits w1 lead) (waits w2 track_2))
 (:goal (and (waits w1 track_1) (waits w2 track_1) (swept w1))))""",
    plan=_steps("""
(sweep w1 lead) (couple d5 w1 lead) (shunt neck lead d5) (shunt track_1 neck d5) (uncouple d5 w1 track_1)
(couple e-12 w2 track_2) (shunt neck track_2 e-12) (shunt track_1 neck e-12) (uncouple e-12 w2 track_1)
"""),
    questions=_questions("""
Why is W1 swept on the lead? => must not (sweep w1 lead)
Why not sweep w1 on track 1? => must (sweep w1 track_1)
Why not sweep W1 last? => (sweep w1 _) instead of step 9 | (sweep w1 lead) instead of step 9
Why don't you sweep w2 too? => must (sweep w2 _)
What if d5 hauled w2? => must (couple d5 w2 _) | sometime (hauled w2 d5)
Can D5 do it all? => must not (_ e-12)
Why does e-12 go to the neck? => must not (shunt neck track_2 e-12) | must not (shunt neck _ e-12)
Do you need e-12 at all? => must not (_ e-12) | without object e-12
What if engine d5 never leaves the lead? => always (on d5 lead) | must not (shunt _ lead d5)
Why not couple w1 to e-12? => must (couple e-12 w1 _)
What happens if track 2 and the neck are not joined? => without fact (joined track_2 neck); without fact (joined
    neck track_2) | without fact (joined track_2 neck)
Is it possible to shunt fewer than four times? => at most 3 (shunt _ _ _)
Why couple w1 before w2 and not after? => (couple _ w2 _) before (couple _ w1 _)
What if W1 did not have to be swept? => without goal (swept w1)
Can w2 be uncoupled on the neck? => must (uncouple _ w2 neck)
"""),
)

_WARD_DOMAIN = """(define (domain night-ward) (:requirements :strips :typing :action-costs)
 (:types nurse patient place portable - object medicine tray - portable)
 (:predicates (in ?n - nurse ?r - place) (lies ?p - patient ?r - place) (stored ?t - portable ?r - place)
  (door ?a ?b - place) (carries ?n - nurse ?t - portable) (free ?n - nurse) (clean ?t - tray) (dirty ?t - tray)
  (treated ?p - patient ?m - medicine) (fed ?p - patient))
 (:functions (total-cost))
 (:action walk :parameters (?n - nurse ?from ?to - place) :precondition (and (in ?n ?from) (door ?from ?to))
  :effect (and (in ?n ?to) (not (in ?n ?from)) (increase (total-cost) 2)))
 (:action pick-up :parameters (?n - nurse ?t - portable ?r - place)
  :precondition (and (in ?n ?r) (stored ?t ?r) (free ?n))
  :effect (and (carries ?n ?t) (not (stored ?t ?r)) (not (free ?n)) (increase (total-cost) 1)))
 (:action put-down :parameters (?n - nurse ?t - portable ?r - place) :precondition (and (in ?n ?r) (carries ?n ?t))
  :effect (and (stored ?t ?r) (free ?n) (not (carries ?n ?t)) (increase (total-cost) 1)))
 (:action give-medicine :parameters (?n - nurse ?m - medicine ?p - patient ?r - place)
  :precondition (and (in ?n ?r) (lies ?p ?r) (carries ?n ?m))
  :effect (and (treated ?p ?m) (increase (total-cost) 1)))
 (:action wash :parameters (?n - nurse ?t - tray ?r - place)
  :precondition (and (in ?n ?r) (carries ?n ?t) (dirty ?t))
  :effect (and (clean ?t) (not (dirty ?t)) (increase (total-cost) 3)))
 (:action serve :parameters (?n - nurse ?t - tray ?p - patient ?r - place)
  :precondition (and (in ?n ?r) (lies ?p ?r) (carries ?n ?t) (clean ?t))
  :effect (and (fed ?p) (dirty ?t) (not (clean ?t)) (increase (total-cost) 1))))"""

_WARD = Case(
    name="ward",
    domain=_WARD_DOMAIN,
    problem="""(define (problem one) (:domain night-ward)
 (:objects anna ben - nurse pharmacy hall room1 room2 kitchen - place insulin aspirin - medicine tray1 - tray
  smith jones - patient)
 (:init (in anna pharmacy) (in ben kitchen) (free anna) (free ben) (stored insulin pharmacy) (stored aspirin pharmacy)
  (stored tray1 kitchen) (clean tray1) (lies smith room1) (lies jones room2) (door pharmacy hall) (door hall pharmacy)
  (door hall room1) (door room1 hall) (door hall room2) (door room2 hall) (door kitchen hall) (door hall kitchen)
  (= (total-cost) 0))
 (:goal (and (treated smith insulin) (treated jones aspirin) (fed smith))) (:metric minimize (total-cost)))""",
    plan=_steps("""
(pick-up anna aspirin pharmacy) (walk anna pharmacy hall) (walk anna hall room2)
(give-medicine anna aspirin jones room2) (pick-up ben tray1 kitchen) (walk ben kitchen hall)
(put-down anna aspirin room2) (walk anna room2 hall) (walk anna hall pharmacy) (pick-up anna insulin pharmacy)
(walk anna pharmacy hall) (walk ben hall room1) (walk anna hall room1) (serve ben tray1 smith room1)
(give-medicine anna insulin smith room1)
"""),
    questions=_questions("""
Why does Anna fetch the insulin first and not the aspirin? => untrue
Why doesn't Ben bring the insulin? => must (pick-up ben insulin _) | sometime (carries ben insulin)
Why does Anna go back to the pharmacy? => must not (walk anna _ pharmacy) | must not (walk anna hall pharmacy)
What if Ben gave the aspirin to Jones? => must (give-medicine ben aspirin jones _)
Why can't Anna carry both medicines at once? => sometime (and (carries anna insulin) (carries anna aspirin))
Could Anna do it all alone? => must not (_ ben)
What would happen if nobody used tray1? => must not (_ tray1)
Why not feed Smith before giving him insulin? => (serve _ _ smith _) before (give-medicine _ insulin smith _)
Why is Jones not fed? => at end (fed jones) | must (serve _ _ jones _)
Is it possible to finish with only two walks? => at most 2 (walk _ _ _)
What if the kitchen door were closed? => without fact (door kitchen hall); without fact (door hall kitchen)
Why did you put down the insulin? => untrue | must not (put-down _ insulin _)
Why not let Ben give the insulin to Smith? => must (give-medicine ben insulin smith _)
Why not have Ben walk to room2? => must (walk ben _ room2)
Why did you need to put down the aspirin? => must not (put-down _ aspirin _)
Could Ben be the one to give the aspirin? => must (give-medicine ben aspirin _ _)
What would happen if Ben walked to the pharmacy? => must (walk ben _ pharmacy)
Would it help if Ben picked up the insulin? => must (pick-up ben insulin _)
What if there were a door between room1 and room2? => with fact (door room1 room2); with fact (door room2 room1)
Is every step necessary? => every step
Could it be done in fewer than 10 steps? => at most 9 (_)
Must Anna put down the aspirin? => must not (put-down anna aspirin _)
Why not give the medicine to Jones first? => untrue
Do we need Ben? => must not (_ ben)
Does Anna have to go to room1? => must not (walk anna _ room1)
Is it necessary to wash tray1? => must not (wash _ tray1 _)
Is tray1 needed? => must not (_ tray1) | without object tray1
Why do we have to walk through the hall? => never (in _ hall) | must not (walk _ _ hall) | must not (walk _ hall _)
Why not ask Ben to serve Jones? => must (serve ben _ jones _)
Could you make Anna serve Smith? => must (serve anna _ smith _)
What if Ben had fetched the insulin? => must (pick-up ben insulin _) | sometime (carries ben insulin)
Is there a shorter plan? => at most 14 (_)
Why this plan? => solvable
Could Smith be fed after getting the insulin? => (give-medicine _ insulin smith _) before (serve _ _ smith _) |
    (treated smith insulin) before (fed smith)
How many times does Anna walk? => at most 5 (walk anna _ _)
Can we avoid going back to the pharmacy? => must not (walk _ _ pharmacy)
What if the aspirin were stored in the kitchen? => without fact (stored aspirin pharmacy); with fact (stored aspirin
    kitchen)
Why does Ben serve Smith instead of Anna? => must (serve anna _ smith _); must not (serve ben _ smith _)
Why didn't Ben and not Anna pick up the aspirin? => (pick-up ben aspirin _) instead of step 1 | must (pick-up ben
    aspirin _); must not (pick-up anna aspirin _)
What if Ben could not leave the kitchen? => must not (walk ben kitchen _) | always (in ben kitchen)
"""),
)

_STAGE = Case(
    name="stage",
    domain="""(define (domain stage-crew) (:requirements :strips :typing)
 (:types hand prop lamp spot)
 (:predicates (stands ?h - hand ?s - spot) (beside ?a ?b - spot) (rests ?p - prop ?s - spot)
  (holding ?h - hand ?p - prop)
  (idle ?h - hand) (dark ?l - lamp) (lit ?l - lamp) (hangs ?l - lamp ?s - spot) (painted ?p - prop) (mended ?p - prop)
  (broken ?p - prop))
 (:action cross :parameters (?h - hand ?there ?here - spot) :precondition (and (stands ?h ?here) (beside ?here ?there))
  :effect (and (stands ?h ?there) (not (stands ?h ?here))))
 (:action lift :parameters (?p - prop ?h - hand ?s - spot) :precondition (and (stands ?h ?s) (rests ?p ?s) (idle ?h))
  :effect (and (holding ?h ?p) (not (rests ?p ?s)) (not (idle ?h))))
 (:action lower :parameters (?p - prop ?h - hand ?s - spot) :precondition (and (stands ?h ?s) (holding ?h ?p))
  :effect (and (rests ?p ?s) (idle ?h) (not (holding ?h ?p))))
 (:action pass-on :parameters (?p - prop ?giver ?taker - hand ?s - spot)
  :precondition (and (stands ?giver ?s) (stands ?taker ?s) (holding ?giver ?p) (idle ?taker))
  :effect (and (holding ?taker ?p) (idle ?giver) (not (holding ?giver ?p)) (not (idle ?taker))))
 (:action ignite :parameters (?h - hand ?l - lamp ?s - spot)
  :precondition (and (stands ?h ?s) (hangs ?l ?s) (dark ?l) (idle ?h)) :effect (and (lit ?l) (not (dark ?l))))
 (:action paint :parameters (?h - hand ?p - prop ?s - spot)
  :precondition (and (stands ?h ?s) (rests ?p ?s) (mended ?p) (idle ?h)) :effect (painted ?p))
 (:action mend :parameters (?h - hand ?p - prop ?s - spot)
  :precondition (and (stands ?h ?s) (rests ?p ?s) (broken ?p) (idle ?h))
  :effect (and (mended ?p) (not (broken ?p)))))""",
    problem="""(define (problem one) (:domain stage-crew)
 (:objects lou max - hand throne mirror - prop lamp1 lamp2 - lamp wings pit workshop - spot)
 (:init (beside wings pit) (beside pit wings) (beside wings workshop) (beside workshop wings) (stands lou workshop)
  (stands max wings) (idle lou) (idle max) (rests throne workshop) (rests mirror wings) (broken throne) (mended mirror)
  (dark lamp1) (dark lamp2) (hangs lamp1 pit) (hangs lamp2 wings))
 (:goal (and (rests throne pit) (painted throne) (lit lamp1) (painted mirror))))""",
    plan=_steps("""
(mend lou throne workshop) (paint lou throne workshop) (lift throne lou workshop) (paint max mirror wings)
(cross lou wings workshop) (pass-on throne lou max wings) (cross max pit wings) (lower throne max pit)
(ignite max lamp1 pit)
"""),
    questions=_questions("""
Why is the throne mended? => must not (mend _ throne _)
Do you have to mend the throne before painting it? => (paint _ throne _) before (mend _ throne _)
Why does Lou pass the throne on to Max? => must not (pass-on throne lou max _)
Couldn't Lou carry the throne to the pit herself? => must (lower throne lou pit) | must (cross lou pit _)
Why don't you light lamp2? => must (ignite _ lamp2 _) | at end (lit lamp2)
What if Max mended the throne? => must (mend max throne _)
What if lamp1 were lit already? => without fact (dark lamp1); with fact (lit lamp1) | with fact (lit lamp1)
Why not paint the mirror in the workshop? => must (paint _ mirror workshop)
Must Lou leave the workshop? => must not (cross lou _ workshop) | at end (stands lou workshop)
Is Max really necessary? => must not (_ max)
Can the mirror stay in the wings? => always (rests mirror wings)
What if the throne were not broken? => without fact (broken throne)
Why is the mirror painted by Max rather than by Lou? => must (paint lou mirror _); must not (paint max mirror _)
What would change if the pit and the workshop were side by side? => with fact (beside pit workshop); with fact
    (beside workshop pit)
How often do we cross? => at most 1 (cross _ _ _)
Could we do it with a single crossing? => at most 1 (cross _ _ _)
Why did Max cross to the pit after the throne was passed on? => (cross max pit _) before (pass-on throne _ _ _)
Why not ignite lamp1 first? => (ignite _ lamp1 _) instead of step 1 | untrue
Does the throne need to be painted? => must not (paint _ throne _) | never (painted throne)
What if the throne didn't need to be painted? => without goal (painted throne)
Could the throne end up in the wings? => at end (rests throne wings)
Is there a way without lifting anything? => must not (lift _ _ _)
What if Lou were in the pit at the start? => without fact (stands lou workshop); with fact (stands lou pit)
Why can't Max hold both props at the same time? => sometime (and (holding max throne) (holding max mirror))
What if nobody is allowed to cross to the workshop? => must not (cross _ workshop _)
What if we had no lamp1? => without object lamp1
Would it be possible to finish in at most seven steps? => at most 7 (_)
Why mend the throne at all? => must not (mend _ throne _)
Could Lou do all the painting? => must not (paint max _ _)
Why is lamp2 never lit? => must (ignite _ lamp2 _) | sometime (lit lamp2)
"""),
)

_POST = Case(
    name="post",
    domain="""(define (domain village-post) (:requirements :strips :typing :action-costs)
 (:types rider parcel stop)
 (:predicates (road ?a ?b - stop) (rider-at ?r - rider ?s - stop) (parcel-at ?p - parcel ?s - stop)
  (loaded ?p - parcel ?r - rider) (franked ?p - parcel) (charged ?r - rider) (plug ?s - stop) (counter ?s - stop))
 (:functions (distance ?a ?b - stop) (total-cost))
 (:action cycle :parameters (?r - rider ?from ?to - stop)
  :precondition (and (rider-at ?r ?from) (road ?from ?to) (charged ?r))
  :effect (and (rider-at ?r ?to) (not (rider-at ?r ?from)) (not (charged ?r))
   (increase (total-cost) (distance ?from ?to))))
 (:action recharge :parameters (?r - rider ?s - stop) :precondition (and (rider-at ?r ?s) (plug ?s))
  :effect (and (charged ?r) (increase (total-cost) 2)))
 (:action frank :parameters (?p - parcel ?s - stop) :precondition (and (parcel-at ?p ?s) (counter ?s))
  :effect (and (franked ?p) (increase (total-cost) 1)))
 (:action strap-on :parameters (?r - rider ?p - parcel ?s - stop)
  :precondition (and (rider-at ?r ?s) (parcel-at ?p ?s) (franked ?p))
  :effect (and (loaded ?p ?r) (not (parcel-at ?p ?s)) (increase (total-cost) 1)))
 (:action unstrap :parameters (?r - rider ?p - parcel ?s - stop)
  :precondition (and (rider-at ?r ?s) (loaded ?p ?r))
  :effect (and (parcel-at ?p ?s) (not (loaded ?p ?r)) (increase (total-cost) 1))))""",
    problem="""(define (problem one) (:domain village-post)
 (:objects nina otto - rider tea books - parcel office mill farm school - stop)
 (:init (road office mill) (road mill office) (road mill farm) (road farm mill) (road office school)
  (road school office) (rider-at nina office) (rider-at otto office) (parcel-at tea office) (parcel-at books office)
  (charged nina) (charged otto) (plug mill) (plug office) (counter office)
  (= (distance office mill) 4) (= (distance mill office) 4)
  (= (distance mill farm) 3) (= (distance farm mill) 3) (= (distance office school) 5) (= (distance school office) 5)
  (= (total-cost) 0))
 (:goal (and (parcel-at tea farm) (parcel-at books school))) (:metric minimize (total-cost)))""",
    plan=_steps("""
(frank tea office) (frank books office) (strap-on nina tea office) (strap-on otto books office)
(cycle nina office mill) (recharge nina mill) (cycle nina mill farm) (unstrap nina tea farm)
(cycle otto office school) (unstrap otto books school)
"""),
    questions=_questions("""
Why does Nina recharge at the mill? => must not (recharge nina mill)
Why doesn't Otto take the tea? => must (strap-on otto tea _) | sometime (loaded tea otto)
Is there any need to frank the books? => must not (frank books _)
Could Nina deliver everything? => must not (_ otto)
Why cycle to the mill instead of the school? => must (cycle _ _ school); must not (cycle _ _ mill) | must (cycle _
    office school); must not (cycle _ office mill) | (cycle _ _ school) instead of step 5
What if the road between the mill and the farm was closed? => without fact (road mill farm); without fact (road farm
    mill)
What if there was a plug at the farm? => with fact (plug farm)
What if the distance from the office to the school were 9? => with value (= (distance office school) 9)
Why not send the books with Nina? => must (strap-on nina books _) | sometime (loaded books nina)
Why is it Otto who brings the books to the school? => must not (unstrap otto books school) | must not (cycle otto _
    school)
Is it possible to manage without recharging? => must not (recharge _ _)
Can you avoid the mill? => must not (_ mill)
What if Otto's bike broke down? =>
Does Nina have to ride to the farm? => must not (cycle nina _ farm)
How many times do we frank something? => at most 1 (frank _ _)
Why frank the tea first? => (frank tea _) not at step 1
Why not unstrap the books before the tea? => (unstrap _ books _) before (unstrap _ tea _)
Is this the cheapest plan? => solvable
Can it be done for 18? => within cost 18
What if both riders had to be back at the office at the end? => at end (and (rider-at nina office) (rider-at otto
    office)) | with goal (and (rider-at nina office) (rider-at otto office))
Why isn't Otto back at the office? => at end (rider-at otto office)
What if Otto started at the school? => without fact (rider-at otto office); with fact (rider-at otto school)
What if the tea were franked from the start? => with fact (franked tea)
Suppose Nina wasn't charged. => without fact (charged nina)
Could the tea go to the mill before the books reach the school? => (parcel-at tea mill) before (parcel-at books
    school) | (unstrap _ tea mill) before (unstrap _ books school)
Why don't we strap the tea on last? => (strap-on _ tea _) instead of step 10
Which steps could be left out? => every step
Do both riders have to work? =>
What happens if the tea never gets to the farm? => never (parcel-at tea farm) | must not (unstrap _ tea farm)
Why on earth would Nina recharge? => must not (recharge nina _)
"""),
)

_GARDEN = Case(
    name="garden",
    domain="""(define (domain kitchen-garden) (:requirements :strips :typing)
 (:types bed crop tool - object hose spade - tool)
 (:predicates (sown ?c - crop ?b - bed) (dug ?b - bed) (empty ?b - bed) (wet ?b - bed) (ripe ?c - crop)
  (picked ?c - crop) (in-hand ?t - tool) (in-shed ?t - tool) (hands-empty))
 (:action fetch-tool :parameters (?t - tool) :precondition (and (in-shed ?t) (hands-empty))
  :effect (and (in-hand ?t) (not (in-shed ?t)) (not (hands-empty))))
 (:action store-tool :parameters (?t - tool) :precondition (in-hand ?t)
  :effect (and (in-shed ?t) (hands-empty) (not (in-hand ?t))))
 (:action dig :parameters (?s - spade ?b - bed) :precondition (and (in-hand ?s) (empty ?b)) :effect (dug ?b))
 (:action sow :parameters (?c - crop ?b - bed) :precondition (and (dug ?b) (empty ?b) (hands-empty))
  :effect (and (sown ?c ?b) (not (empty ?b))))
 (:action water :parameters (?h - hose ?b - bed) :precondition (in-hand ?h) :effect (wet ?b))
 (:action wait-for :parameters (?c - crop ?b - bed) :precondition (and (sown ?c ?b) (wet ?b))
  :effect (and (ripe ?c) (not (wet ?b))))
 (:action pick :parameters (?c - crop ?b - bed) :precondition (and (ripe ?c) (sown ?c ?b) (hands-empty))
  :effect (and (picked ?c) (empty ?b) (not (sown ?c ?b)) (not (dug ?b)))))""",
    problem="""(define (problem one) (:domain kitchen-garden)
 (:objects north_bed south_bed - bed peas beans - crop hose1 - hose spade1 - spade)
 (:init (empty north_bed) (empty south_bed) (in-shed hose1) (in-shed spade1) (hands-empty))
 (:goal (and (picked peas) (sown beans south_bed))))""",
    plan=_steps("""
(fetch-tool spade1) (dig spade1 north_bed) (dig spade1 south_bed) (store-tool spade1) (sow peas north_bed)
(sow beans south_bed) (fetch-tool hose1) (water hose1 north_bed) (store-tool hose1) (wait-for peas north_bed)
(pick peas north_bed)
"""),
    questions=_questions("""
Why aren't the beans watered? =>
Why don't we water the south bed? => must (water _ south_bed)
Do I have to put the spade back? => must not (store-tool spade1)
Why dig both beds before sowing anything? =>
Could the beans be picked too? => must (pick beans _) | sometime (picked beans)
What if the north bed were already dug? => with fact (dug north_bed)
What if it rained on the north bed? =>
Why sow the peas in the north bed rather than the south bed? => must (sow peas south_bed); must not (sow peas
    north_bed) | (sow peas south_bed) instead of step 5
Must the hose be stored again? => must not (store-tool hose1)
Can we get by with just one bed? =>
Can I do it without the hose? => must not (_ hose1) | without object hose1
Why is the spade fetched before the hose? => (fetch-tool hose1) before (fetch-tool spade1)
How often do I fetch a tool? => at most 1 (fetch-tool _)
What if the peas didn't have to be picked? => without goal (picked peas)
Why wait for the peas? => must not (wait-for peas _)
What if I sowed the beans first? => (sow beans _) before (sow peas north_bed)
Would it be possible to water only after sowing the beans? =>
Is the spade needed at all? => must not (_ spade1) | without object spade1
What if the hose were broken? => without object hose1
Could both crops end up in the south bed? => at end (and (sown peas south_bed) (sown beans south_bed))
"""),
)

_LIFT = Case(
    name="lift",
    domain="""(define (domain goods-lift) (:requirements :strips :typing)
 (:types porter box cage level)
 (:predicates (above ?up ?down - level) (cage-at ?c - cage ?l - level) (porter-at ?p - porter ?l - level)
  (box-at ?b - box ?l - level) (inside ?b - box ?c - cage) (shut ?c - cage) (open ?c - cage) (sealed ?b - box))
 (:action raise :parameters (?c - cage ?from ?to - level)
  :precondition (and (cage-at ?c ?from) (above ?to ?from) (shut ?c))
  :effect (and (cage-at ?c ?to) (not (cage-at ?c ?from))))
 (:action sink :parameters (?c - cage ?from ?to - level)
  :precondition (and (cage-at ?c ?from) (above ?from ?to) (shut ?c))
  :effect (and (cage-at ?c ?to) (not (cage-at ?c ?from))))
 (:action open-up :parameters (?p - porter ?c - cage ?l - level)
  :precondition (and (porter-at ?p ?l) (cage-at ?c ?l) (shut ?c)) :effect (and (open ?c) (not (shut ?c))))
 (:action shut-up :parameters (?p - porter ?c - cage ?l - level)
  :precondition (and (porter-at ?p ?l) (cage-at ?c ?l) (open ?c)) :effect (and (shut ?c) (not (open ?c))))
 (:action shove-in :parameters (?p - porter ?b - box ?c - cage ?l - level)
  :precondition (and (porter-at ?p ?l) (box-at ?b ?l) (cage-at ?c ?l) (open ?c) (sealed ?b))
  :effect (and (inside ?b ?c) (not (box-at ?b ?l))))
 (:action haul-out :parameters (?p - porter ?b - box ?c - cage ?l - level)
  :precondition (and (porter-at ?p ?l) (inside ?b ?c) (cage-at ?c ?l) (open ?c))
  :effect (and (box-at ?b ?l) (not (inside ?b ?c))))
 (:action seal :parameters (?p - porter ?b - box ?l - level)
  :precondition (and (porter-at ?p ?l) (box-at ?b ?l)) :effect (sealed ?b)))""",
    problem="""(define (problem one) (:domain goods-lift)
 (:objects rosa sven - porter crate1 crate2 - box big_cage - cage cellar ground loft - level)
 (:init (above ground cellar) (above loft ground) (cage-at big_cage cellar) (shut big_cage) (porter-at rosa cellar)
  (porter-at sven loft) (box-at crate1 cellar) (box-at crate2 cellar) (sealed crate2))
 (:goal (and (box-at crate1 loft) (box-at crate2 loft))))""",
    plan=_steps("""
(open-up rosa big_cage cellar) (shove-in rosa crate2 big_cage cellar) (seal rosa crate1 cellar)
(shove-in rosa crate1 big_cage cellar) (shut-up rosa big_cage cellar) (raise big_cage cellar ground)
(raise big_cage ground loft) (open-up sven big_cage loft) (haul-out sven crate1 big_cage loft)
(haul-out sven crate2 big_cage loft)
"""),
    questions=_questions("""
Why does Rosa seal crate1? => must not (seal rosa crate1 _)
Why does she not seal crate2? =>
Could Sven shut up the cage instead? => must (shut-up sven big_cage _)
Why not raise the cage once only? => at most 1 (raise _ _ _) | at most 1 (raise big_cage _ _)
What if the cage were on the ground level? => without fact (cage-at big_cage cellar); with fact (cage-at big_cage
    ground)
What if crate1 were sealed from the beginning? => with fact (sealed crate1)
What if crate2 was not sealed? => without fact (sealed crate2)
Why raise the cage from the cellar to the ground? => must not (raise big_cage cellar ground)
Does the cage have to go to the ground? => must not (raise _ _ ground) or (sink _ _ ground) | must not (raise
    big_cage _ ground) or (sink big_cage _ ground)
Can Rosa do it alone? => must not (_ sven)
Why couldn't crate2 stay in the cellar? => always (box-at crate2 cellar)
Why is crate2 shoved in before crate1? => (shove-in _ crate1 _ _) before (shove-in _ crate2 _ _)
What would happen if Sven was not there? => without object sven
Should the cage end up in the cellar? =>
Could the cage end up in the cellar? => at end (cage-at big_cage cellar)
Why must the cage be shut? => must not (shut-up _ big_cage _) | at end (not (shut big_cage))
Is there a plan where Sven seals crate1? => must (seal sven crate1 _)
Why not haul crate2 out first? => (haul-out _ crate2 _ _) before (haul-out sven crate1 big_cage loft)
Would fewer than ten steps do? =>
Can it be done in less than ten steps? => at most 9 (_)
Why has crate1 been sealed by Rosa and not by Sven? => must (seal sven crate1 _); must not (seal rosa crate1 _)
"""),
)

_WINERY = Case(
    name="winery",
    domain="""(define (domain hill-winery) (:requirements :strips :typing :action-costs)
 (:types worker vat barrel room)
 (:predicates (works-in ?w - worker ?r - room) (passage ?a ?b - room) (stands-in ?b - barrel ?r - room)
  (vat-in ?v - vat ?r - room) (clean ?b - barrel) (filled ?b - barrel ?v - vat) (corked ?b - barrel) (ready ?v - vat)
  (stirred ?v - vat))
 (:functions (total-cost))
 (:action step-over :parameters (?w - worker ?from ?to - room)
  :precondition (and (works-in ?w ?from) (passage ?from ?to))
  :effect (and (works-in ?w ?to) (not (works-in ?w ?from)) (increase (total-cost) 1)))
 (:action roll :parameters (?b - barrel ?w - worker ?from ?to - room)
  :precondition (and (works-in ?w ?from) (stands-in ?b ?from) (passage ?from ?to))
  :effect (and (works-in ?w ?to) (not (works-in ?w ?from)) (stands-in ?b ?to) (not (stands-in ?b ?from))
   (increase (total-cost) 3)))
 (:action scrub :parameters (?w - worker ?b - barrel ?r - room)
  :precondition (and (works-in ?w ?r) (stands-in ?b ?r)) :effect (and (clean ?b) (increase (total-cost) 2)))
 (:action stir :parameters (?w - worker ?v - vat ?r - room)
  :precondition (and (works-in ?w ?r) (vat-in ?v ?r)) :effect (and (stirred ?v) (increase (total-cost) 1)))
 (:action fill :parameters (?w - worker ?b - barrel ?v - vat ?r - room)
  :precondition (and (works-in ?w ?r) (stands-in ?b ?r) (vat-in ?v ?r) (ready ?v) (clean ?b))
  :effect (and (filled ?b ?v) (not (clean ?b)) (increase (total-cost) 2)))
 (:action cork :parameters (?w - worker ?b - barrel ?v - vat ?r - room)
  :precondition (and (works-in ?w ?r) (stands-in ?b ?r) (filled ?b ?v))
  :effect (and (corked ?b) (increase (total-cost) 1))))""",
    problem="""(define (problem one) (:domain hill-winery)
 (:objects pia raj - worker red white - vat oak1 oak2 - barrel yard press_house cellar - room)
 (:init (works-in pia yard) (works-in raj cellar) (passage yard press_house) (passage press_house yard)
  (passage press_house cellar) (passage cellar press_house) (stands-in oak1 yard) (stands-in oak2 cellar)
  (vat-in red press_house) (vat-in white cellar) (ready red) (ready white) (clean oak2) (= (total-cost) 0))
 (:goal (and (corked oak1) (filled oak2 white) (stands-in oak1 cellar))) (:metric minimize (total-cost)))""",
    plan=_steps("""
(scrub pia oak1 yard) (roll oak1 pia yard press_house) (fill pia oak1 red press_house)
(cork pia oak1 red press_house) (roll oak1 pia press_house cellar) (fill raj oak2 white cellar)
"""),
    questions=_questions("""
Why does Pia scrub oak1? => must not (scrub pia oak1 _)
Why isn't oak2 corked? => must (cork _ oak2 _ _) | at end (corked oak2)
Could Raj fill oak1? => must (fill raj oak1 _ _)
What if Raj scrubbed the barrel oak1 instead of Pia? => must (scrub raj oak1 _); must not (scrub pia oak1 _) |
    (scrub raj oak1 _) instead of step 1 | (scrub raj oak1 yard) instead of step 1
Is it necessary to cork oak1 before rolling it to the cellar? => (roll oak1 _ _ cellar) before (cork _ oak1 _ _) |
    (roll oak1 _ _ cellar) before (cork _ oak1 _ press_house)
Why not fill oak1 from the white vat? => must (fill _ oak1 white _)
Do we need Raj at all? => must not (_ raj) | without object raj
What if oak1 was clean from the beginning? => with fact (clean oak1)
Could Pia do everything by herself? => must not (_ raj)
What if there were a passage from the yard to the cellar? => with fact (passage yard cellar)
Why does nobody stir the red vat? => must (stir _ red _)
Is there a cheaper way? => solvable
Can it be done in five steps? => at most 5 (_)
Why must oak1 end up in the cellar? => at end (not (stands-in oak1 cellar))
What if oak1 stayed in the yard? => always (stands-in oak1 yard)
Why don't you roll oak2 to the press house? => must (roll oak2 _ _ press_house)
How many times is a barrel rolled? => at most 1 (roll _ _ _ _)
What if the red vat was not ready? => without fact (ready red)
Why fill oak2 last? => (fill _ oak2 _ _) not at step 6 | (fill raj oak2 white cellar) not at step 6
What if Pia wasn't allowed to enter the cellar? => must not (step-over pia _ cellar) or (roll _ pia _ cellar) |
    never (works-in pia cellar)
"""),
)

_MUSEUM = Case(
    name="museum",
    domain="""(define (domain museum-tours) (:requirements :strips :typing)
 (:types guide group hall key)
 (:predicates (waiting ?g - group ?h - hall) (present ?x - guide ?h - hall) (next-to ?a ?b - hall)
  (follows ?g - group ?x - guide) (alone ?x - guide) (seen ?g - group ?h - hall) (locked ?h - hall) (unlocked ?h - hall)
  (hooked ?k - key ?h - hall) (has-key ?x - guide ?k - key) (opens ?k - key ?h - hall))
 (:action stroll :parameters (?x - guide ?from ?to - hall)
  :precondition (and (present ?x ?from) (next-to ?from ?to) (unlocked ?to) (alone ?x))
  :effect (and (present ?x ?to) (not (present ?x ?from))))
 (:action welcome :parameters (?x - guide ?g - group ?h - hall)
  :precondition (and (present ?x ?h) (waiting ?g ?h) (alone ?x))
  :effect (and (follows ?g ?x) (not (waiting ?g ?h)) (not (alone ?x))))
 (:action lead :parameters (?x - guide ?g - group ?from ?to - hall)
  :precondition (and (present ?x ?from) (follows ?g ?x) (next-to ?from ?to) (unlocked ?to))
  :effect (and (present ?x ?to) (not (present ?x ?from))))
 (:action explain :parameters (?x - guide ?g - group ?h - hall)
  :precondition (and (present ?x ?h) (follows ?g ?x)) :effect (seen ?g ?h))
 (:action dismiss :parameters (?x - guide ?g - group ?h - hall)
  :precondition (and (present ?x ?h) (follows ?g ?x))
  :effect (and (waiting ?g ?h) (alone ?x) (not (follows ?g ?x))))
 (:action take-key :parameters (?x - guide ?k - key ?h - hall)
  :precondition (and (present ?x ?h) (hooked ?k ?h) (alone ?x))
  :effect (and (has-key ?x ?k) (not (hooked ?k ?h))))
 (:action unlock :parameters (?x - guide ?k - key ?here ?there - hall)
  :precondition (and (present ?x ?here) (next-to ?here ?there) (has-key ?x ?k) (opens ?k ?there) (locked ?there))
  :effect (and (unlocked ?there) (not (locked ?there)))))""",
    problem="""(define (problem one) (:domain museum-tours)
 (:objects eva leo - guide pupils club - group foyer egypt rome cafe - hall brass_key - key)
 (:init (waiting pupils foyer) (waiting club cafe) (present eva foyer) (present leo cafe) (alone eva) (alone leo)
  (next-to foyer egypt) (next-to egypt foyer) (next-to egypt rome) (next-to rome egypt) (next-to foyer cafe)
  (next-to cafe foyer) (unlocked foyer) (unlocked egypt) (unlocked cafe) (locked rome) (hooked brass_key foyer)
  (opens brass_key rome))
 (:goal (and (seen pupils egypt) (seen pupils rome) (seen club egypt) (waiting pupils egypt))))""",
    plan=_steps("""
(take-key eva brass_key foyer) (welcome eva pupils foyer) (lead eva pupils foyer egypt) (explain eva pupils egypt)
(unlock eva brass_key egypt rome) (lead eva pupils egypt rome) (explain eva pupils rome)
(lead eva pupils rome egypt) (dismiss eva pupils egypt) (welcome leo club cafe) (lead leo club cafe foyer)
(lead leo club foyer egypt) (explain leo club egypt)
"""),
    questions=_questions("""
Why does Eva take the key? => must not (take-key eva _ _) | must not (take-key eva brass_key _)
Why not have Leo welcome the pupils? => must (welcome leo pupils _)
Couldn't Leo unlock Rome? => must (unlock leo _ _ rome) | must (unlock leo brass_key _ rome)
What if Rome was never unlocked? => never (unlocked rome) | must not (unlock _ _ _ rome)
What if Rome were unlocked already? => without fact (locked rome); with fact (unlocked rome) | with fact (unlocked
    rome)
Why hasn't the club seen Rome? => at end (seen club rome) | must (explain _ club rome)
What if the club had to see Rome? => with goal (seen club rome) | must (explain _ club rome)
Why do you dismiss the pupils in Egypt? => must not (dismiss _ pupils egypt)
Could Eva do it all on her own? => must not (_ leo)
Why doesn't Eva lead the club to Egypt? => must (lead eva club _ egypt)
Why explain Egypt to the pupils before Rome? => (explain _ pupils rome) before (explain _ pupils egypt)
Must the pupils be dismissed? => must not (dismiss _ pupils _)
Why not welcome the club first? => (welcome _ club _) instead of step 1 | (welcome leo club cafe) instead of step 1
    | (welcome _ club _) before (welcome eva pupils foyer)
What if there was no brass key? => without object brass_key
Is there a plan without unlocking anything? => must not (unlock _ _ _ _)
What if the pupils didn't have to see Rome? => without goal (seen pupils rome)
How often does Eva explain something? => at most 1 (explain eva _ _)
Why is Eva leading the pupils back to Egypt? => must not (lead eva pupils _ egypt) | must not (lead eva pupils rome
    egypt)
What would happen if Leo went to the foyer? => must (stroll leo _ foyer) | must (stroll leo _ foyer) or (lead leo _
    _ foyer)
Could the club wait in the foyer at the end? => at end (waiting club foyer)
"""),
)

_DRONES = Case(
    name="drones",
    domain="""(define (domain rescue-drones) (:requirements :strips :typing)
 (:types drone kit pad)
 (:predicates (over ?d - drone ?p - pad) (route ?a ?b - pad) (stored ?k - kit ?p - pad) (carrying ?d - drone ?k - kit)
  (unladen ?d - drone) (full-battery ?d - drone) (low-battery ?d - drone) (charger ?p - pad)
  (delivered ?k - kit ?p - pad)
  (photographed ?p - pad) (camera ?d - drone) (windy ?p - pad))
 (:action fly :parameters (?d - drone ?from ?to - pad) :precondition (and (over ?d ?from) (route ?from ?to)
   (full-battery ?d))
  :effect (and (over ?d ?to) (not (over ?d ?from)) (low-battery ?d) (not (full-battery ?d))))
 (:action charge :parameters (?d - drone ?p - pad) :precondition (and (over ?d ?p) (charger ?p) (low-battery ?d))
  :effect (and (full-battery ?d) (not (low-battery ?d))))
 (:action hook :parameters (?d - drone ?k - kit ?p - pad)
  :precondition (and (over ?d ?p) (stored ?k ?p) (unladen ?d))
  :effect (and (carrying ?d ?k) (not (stored ?k ?p)) (not (unladen ?d))))
 (:action release :parameters (?d - drone ?k - kit ?p - pad)
  :precondition (and (over ?d ?p) (carrying ?d ?k))
  :effect (and (delivered ?k ?p) (unladen ?d) (not (carrying ?d ?k))))
 (:action photograph :parameters (?d - drone ?p - pad)
  :precondition (and (over ?d ?p) (camera ?d)) :effect (photographed ?p)))""",
    problem="""(define (problem one) (:domain rescue-drones)
 (:objects hawk wren - drone food water - kit base ridge lake - pad)
 (:init (over hawk base) (over wren lake) (route base ridge) (route ridge base) (route ridge lake) (route lake ridge)
  (stored food base) (stored water lake) (unladen hawk) (unladen wren) (full-battery hawk) (full-battery wren)
  (charger base) (charger ridge) (camera hawk) (camera wren))
 (:goal (and (delivered food lake) (delivered water ridge) (photographed lake))))""",
    plan=_steps("""
(photograph wren lake) (hook hawk food base) (fly hawk base ridge) (charge hawk ridge) (fly hawk ridge lake)
(release hawk food lake) (hook wren water lake) (fly wren lake ridge) (release wren water ridge)
"""),
    questions=_questions("""
Why does Hawk charge at the ridge? => must not (charge hawk ridge)
Why don't you send Wren to the base? => must (fly wren _ base)
Could Hawk photograph the lake? => must (photograph hawk lake)
Why photograph the lake first? => (photograph wren lake) not at step 1 | (photograph _ lake) not at step 1
What if Wren took the food? => must (hook wren food _) | sometime (carrying wren food)
Is the water needed? => must not (_ water) | without object water
Do we really have to charge Hawk? => must not (charge hawk _)
What if hawk had no camera? => without fact (camera hawk)
What if the charger at the ridge broke down? => without fact (charger ridge)
Is it possible to fly only twice? => at most 2 (fly _ _ _)
Can we finish in less than 9 steps? => at most 8 (_)
Why not release the water before Hawk reaches the lake? => (release _ water _) before (fly hawk _ lake) | (release
    wren water ridge) before (fly hawk _ lake)
What happens if the route between the ridge and the lake is closed? => without fact (route ridge lake); without fact
    (route lake ridge)
Why isn't the base photographed? => must (photograph _ base) | at end (photographed base)
Should Wren be over the base at the end? =>
What if Wren must be over the lake at the end? => at end (over wren lake) | with goal (over wren lake)
Why can't hawk carry the food and the water at the same time? => sometime (and (carrying hawk food) (carrying hawk
    water))
What if the lake is windy? => with fact (windy lake)
Would it be cheaper to use Wren only? => must not (_ hawk)
Why did you pick Hawk for the food and not Wren? => must (hook wren food _); must not (hook hawk food _) | must (_
    wren food)
"""),
)

CASES = (_HARBOUR, _HOSPITAL, _LIBRARY, _YARD, _WARD, _STAGE, _POST, _GARDEN, _LIFT, _WINERY, _MUSEUM, _DRONES)


def of_questions() -> Table:
    """Read each question, and compare the reading with those that are right."""
    rows: list[tuple[Cell, ...]] = []
    refused: list[str] = []
    misread: list[str] = []
    begun = time.process_time()
    for case in CASES:
        asked = asked_of(case)
        answered = refusals = 0
        for question, readings in case.questions.items():
            right = [
                frozenset((UNTRUE,)) if reading == UNTRUE else _reading(reading.split("; "), asked)
                for reading in readings
            ]
            try:
                read = _reading((question,), asked)
            except PremiseError:
                read = frozenset((UNTRUE,))
            except InputError as error:
                refusals += 1
                refused.append(f"refused: {question} ({str(error).splitlines()[0][:100]})")
                continue
            answered += read in right
            if read not in right:
                wanted = " or ".join(readings) or "anything"
                misread.append(f"{case.name}: {question} read as {'; '.join(sorted(read))}, not {wanted}")
        rows.append((case.name, len(case.questions), answered, refusals, len(case.questions) - answered - refusals))
    totals = [sum(int(row[column] or 0) for row in rows) for column in range(1, 5)]
    spent = 1000 * (time.process_time() - begun) / totals[0]
    return Table(
        title="free texts: questions",
        about=f"questions in English for why-not, {spent:.0f} CPU ms each to read",
        columns=("of", "questions", "answered", "refused", "misread"),
        rows=(*rows, ("all", *totals)),
        goals=(
            Goal(what="answered", measured=100 * totals[1] / totals[0], limit=80, unit="%", at_least=True),
            Goal(what="misread", measured=totals[3], limit=0, unit="questions"),
        ),
        notes=tuple(refused),
        wrong=tuple(misread),
    )


def asked_of(case: Case) -> Context:
    """Return what the questions of a case are asked of."""
    prepared = prepare(case.domain, case.problem)
    plan = tokenize("\n".join(case.plan), prepared.vocabulary)
    return Context(simulator=prepared.simulator, plan=plan)


def _reading(questions: tuple[str, ...] | list[str], asked: Context) -> frozenset[str]:
    """Return what is asked for, as texts that can be compared."""
    found: set[str] = set()
    for question in questions:
        read = read_question(question, asked)
        found |= {repr(wish) for wish in read.constraints}
        if read.constraints == (Solvable(),):
            found |= {*read.facts}
        if read.foil is not None:
            found.add(f"foil {read.foil}")
    return frozenset(found)
