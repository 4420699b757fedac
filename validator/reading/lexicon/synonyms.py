"""Everyday verbs that mean much the same, for steps that say an action by another verb than its name does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from validator.reading.lexicon.english import forms

_SENSES = """\
get take grab pick pick+up fetch grasp grip collect gather retrieve obtain acquire seize catch snatch pocket pull \
draw unstack scoop+up
put put+down place set set+down lay position deposit stow store shelve stack install insert slot fit load file mount \
add drop pile situate leave+behind
drop release dump discard abandon lower put+down set+down lay lay+down let+go leave+behind
remove take take+out take+off unstack extract withdraw pull detach unload unmount eject strip lift get get+out clear \
uninstall
load put place stow pack insert fill lift hoist heave stack add get take bring board pick+up
unload take take+out take+off remove unpack offload get get+out lift bring bring+out
unload offload lower put+down set+down drop drop+off deliver debark disembark
board embark enter reenter ingress go+in come+in get+in get+on get+aboard go+aboard hop+in hop+on step+in \
step+into step+onto climb+in climb+into climb+aboard let+in pick+up take+on
disembark debark alight get+out get+off exit step+out step+off hop+off hop+out climb+out let+out let+off drop+off
leave exit egress quit vacate depart get+out step+out go+out head+out
cast+off undock untie depart leave sail set+sail
move go drive walk travel navigate run ride head proceed sail fly cruise steer roll march journey pass cross shift \
transfer return come slide row swim crawl jump climb taxi shunt pilot enter visit reach arrive relocate approach step \
hop wander hike stroll migrate get+to get+back make+for send take bring go+up go+down come+up come+down step+into \
step+in step+out step+onto step+off climb+into climb+out go+aboard
carry transport haul bring deliver ship convey move transfer ferry wheel push pull drag tow cart truck drive roll \
take get relocate bring+up bring+down bring+out hand+over
push shove press nudge move slide roll shunt
pull drag tow draw haul tug heave
lift lift+up raise hoist elevate heave winch pick+up raise+up bring+up pull+up put+up
lower lower+down drop sink let+down bring+down pull+down
climb climb+up ascend mount scale go+up get+up come+up get+on
climb+down descend go+down get+down come+down
attach connect couple hook hook+up hitch join link fasten fix tie secure bind clip clamp bolt plug mount snap stick \
glue pin weld screw chain latch strap affix install fit wire put add plug+in run string
detach disconnect uncouple unhook unhitch separate unfasten untie release unplug remove loosen unscrew unlink unclamp \
take+down
open unlock unseal unlatch uncover unbolt open+up pull
close shut lock seal latch bolt cover secure tape close+up shut+up
switch+on turn+on flip+on power+on power+up activate enable start light light+up illuminate ignite flip power boot \
boot+up fire+up start+up bring+up
switch+off turn+off flip+off power+off power+down shut+off shut+down deactivate disable stop extinguish turn+out kill \
cut
turn rotate spin swivel slew swing point aim pivot twist whirl orient direct turn+around
clean clean+up degrease wash wipe rinse scrub sweep dust mop brush polish cleanse scour sanitize sterilize disinfect \
vacuum tidy
water spray mist sprinkle wet moisten irrigate soak hose
pour tip dispense inject squirt empty decant transfer
fill fill+up refill refuel load pour top+up top+off
empty drain clear unload pour+out
suck suck+up aspirate draw draw+up pump
heat heat+up preheat warm warm+up cook boil bake fry roast grill toast microwave simmer steam prepare
cool cool+down chill refrigerate freeze
oil lubricate grease
knead work fold
file put+away shelve store return
cut chop chop+up slice dice carve saw trim mow prune mince shred cut+up
mix stir blend combine whisk beat shake merge
add put mix insert pour throw toss drop combine
make build construct assemble create produce craft manufacture form fabricate erect prepare forge put+together put+up \
set+up join fit combine generate add
repair fix mend restore service maintain patch
inspect check examine test look view observe scan survey verify study probe measure analyze analyse assess review try \
sample
photograph picture image capture shoot expose snap record film
send transmit communicate broadcast upload relay report transfer mail post email dispatch
tell inform notify ask announce call ring phone contact message alert
give hand hand+over pass lend loan offer serve supply deliver issue provide present bring take drop+off
receive take accept borrow approve
return give+back take+back bring+back hand+back put+back
buy purchase order acquire get pay hire
mark stamp label tag sign brand flag tick stick
paint colour color dye coat spray stain varnish
reserve book arrange
eat consume devour drink swallow
attack fight strike hit kill defeat destroy slay shoot
break smash crush destroy demolish shatter snap crack
dig dig+up dig+over turn+over till mine excavate drill bore
plant sow seed put
harvest reap pick collect gather cut
charge charge+up recharge refuel refill power fuel top+up power+up
wear don dress put+on clothe
wrap wrap+up pack cover box package
unwrap unpack open
wait pause rest idle stay stand+by
stop halt end finish terminate
start begin launch initiate run fire fire+up send+off send+up
dock land moor berth park touch+down set+down tie+up make+fast
find locate spot discover detect search seek look+for explore
delete erase remove wipe clear drop
copy duplicate clone replicate scan digitize
write write+down record log save store note draft compose fill+in
scan digitize digitise image
read scan look study view consult browse
swap exchange switch trade replace change
hang hang+up suspend mount put+up string+up
guide lead escort usher accompany take bring walk
press push hit tap click
throw toss hurl fling pitch cast
treat heal cure medicate nurse
dry dry+off wipe
feed nourish give
sample collect gather take analyze analyse
discard throw+away throw+out toss bin dispose trash dump scrap
sell trade vend hand+over
approve accept sign+off confirm authorize grant pass allow permit
reject deny refuse decline turn+down
submit send hand+in turn+in file
deploy install release roll+out launch ship
validate verify confirm test try try+out
sort arrange organise organize classify
weigh measure
measure gauge read take
print output produce run+off
search look look+for seek explore scan
summon call
wake wake+up rouse get+up
sleep nap doze
sand smooth polish grind buff
press iron smooth
undress doff take+off strip remove
hire employ recruit take+on
fold double crease
"""
"""a line of verbs for each sense, some with a particle; one that goes on ends with a backslash"""


@cache
def _senses() -> Mapping[str, frozenset[int]]:
    """Return the numbers of the senses of each form of a verb, alone and with a particle: picked+up."""
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_SENSES.strip().splitlines()):
        for said in line.split():
            verb, plus, particle = said.partition("+")
            for form in forms(verb):
                found.setdefault(form + plus + particle, set()).add(number)
    return {said: frozenset(numbers) for said, numbers in found.items()}


def phrase_of(verb: str, beside: Iterable[str]) -> str:
    """Return a verb in any form with the particle beside it, if that is a phrase: "shut+off"; else the verb."""
    phrases = (f"{verb}+{word}" for word in beside)
    return next((phrase for phrase in phrases if phrase in _senses()), verb)


def senses_of(phrase: str) -> frozenset[int]:
    """Return the numbers of the senses that a verb in any form, or a phrase, can have; none for an unknown one."""
    return _senses().get(phrase, frozenset())
