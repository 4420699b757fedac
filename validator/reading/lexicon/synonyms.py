"""Everyday verbs that mean much the same, for steps that say an action by another verb than its name does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from validator.reading.lexicon.english import forms

_SENSES = """
get take grab pick pick+up fetch grasp grip collect gather retrieve obtain acquire seize catch snatch pocket pull draw \
unstack
put put+down place set set+down lay position deposit stow store shelve stack install insert slot fit load file mount add
drop release dump discard abandon lower put+down set+down lay lay+down
remove take take+out take+off unstack extract withdraw pull detach unload unmount eject strip lift get get+out clear \
uninstall
load put place stow pack insert fill lift hoist heave stack add
unload take take+out take+off remove unpack offload get get+out lift
unload offload lower put+down set+down drop drop+off deliver
board embark enter get+in get+on
disembark debark alight get+out get+off
leave exit quit vacate
move go drive walk travel navigate run ride head proceed sail fly cruise steer roll march journey pass cross shift \
transfer return come slide row swim crawl jump climb taxi shunt pilot enter visit reach arrive
carry transport haul bring deliver ship convey move transfer ferry wheel push pull drag tow cart truck drive roll take
push shove press nudge move slide roll shunt
pull drag tow draw haul tug heave
lift lift+up raise hoist elevate heave winch pick+up
lower lower+down drop sink
climb climb+up ascend mount scale
climb+down descend
attach connect couple hook hook+up hitch join link fasten fix tie secure bind clip clamp bolt plug mount snap \
stick glue pin weld screw chain latch strap affix
detach disconnect uncouple unhook unhitch separate unfasten untie release unplug remove loosen unscrew unlink
open unlock unseal unlatch uncover unbolt
close shut lock seal latch bolt cover
switch+on turn+on flip+on power+on power+up activate enable start light light+up illuminate ignite
switch+off turn+off flip+off power+off power+down shut+off shut+down deactivate disable stop extinguish
turn rotate spin swivel slew swing point aim pivot twist whirl orient direct turn+around
clean clean+up wash wipe rinse scrub sweep dust mop brush polish cleanse scour sanitize sterilize disinfect vacuum tidy
water spray mist sprinkle wet moisten irrigate soak hose
pour tip dispense inject squirt
fill fill+up refill refuel load
empty drain clear unload pour+out
suck suck+up aspirate draw draw+up pump
heat heat+up warm warm+up cook boil bake fry roast grill toast microwave simmer steam
cool cool+down chill refrigerate freeze
cut chop chop+up slice dice carve saw trim mow prune mince shred cut+up
mix stir blend combine whisk beat shake merge
add put mix insert pour throw toss drop combine
make build construct assemble create produce craft manufacture form fabricate erect prepare forge
repair fix mend restore service maintain patch
inspect check examine test look view observe scan survey verify study probe measure analyze analyse assess
photograph picture image capture shoot expose snap record film
send transmit communicate broadcast upload relay report transfer mail post email dispatch
tell inform notify ask announce call ring phone contact message alert
give hand hand+over pass lend loan offer serve supply deliver issue provide present
receive take accept borrow
return give+back take+back bring+back hand+back put+back
buy purchase order acquire get pay
mark stamp label tag sign brand flag tick
paint colour color dye coat spray stain varnish
reserve book
eat consume devour drink swallow
attack fight strike hit kill defeat destroy
break smash crush destroy demolish
dig dig+up mine excavate drill bore
plant sow seed
harvest reap pick collect gather cut
charge charge+up recharge refuel refill power
wear don dress
wrap wrap+up pack cover box package
unwrap unpack open
wait pause rest idle stay
stop halt end finish terminate
start begin launch initiate run
dock land moor berth park
find locate spot discover detect search
delete erase remove wipe clear
copy duplicate clone replicate
write write+down record log save store note
read scan look
swap exchange switch trade replace
hang hang+up suspend mount
guide lead escort usher accompany take bring
press push hit tap click
throw toss hurl fling pitch cast
treat heal cure medicate
dry dry+off wipe
feed nourish
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
