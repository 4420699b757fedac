"""Classes of words in questions, as expressions: who asks, what is done with a step, what is contrasted.

Each is a list of phrases with commas between them; a phrase may hold other classes.
"""

from __future__ import annotations

import re

__all__ = [
    "ALL_OF_IT",
    "AT",
    "CAN",
    "CLOSED",
    "DO",
    "FIRST",
    "GONE",
    "IF",
    "IN_PLAN",
    "LEAVE",
    "LEAVING",
    "LED",
    "MADE",
    "NEVER",
    "OFTEN",
    "OTHERWISE",
    "OUT",
    "RATHER",
    "REACHED",
    "REASON",
    "TIMES",
    "USE",
    "USED",
    "USING",
    "WANT",
    "WHO",
]


def _any(phrases: str) -> str:
    """Return the expression for one of some phrases."""
    return "(?:" + "|".join(re.split(r",\s+", phrases.strip())) + ")"


_PLANS = "(?:plan|plans|planner|solution|strategy|process|roadmap|sequence|approach|execution|implementation)"
WHO = _any(
    """you, we, i, one, they, it, he, she, people, someone, anyone, the (?:agent|system|solver|algorithm|planner),
    (?:the|this|your|that) (?:plan|solution)"""
)
DO = _any("do, does, did, would, should, will, must, shall, had, has, have, is, are, was, were, can, could, may, might")
CAN = _any("can, could, may, might, should, shall, would")
MADE = _any("had, have, has, were, was, did, do, does, would, could, should, can, must, may, will")
_DECIDE = _any(
    """have, has, had, need, needs, needed, want, wants, choose, chose, chosen, decide, decided, try, opt, opted, plan,
    able, going, supposed, allowed, forced, asked, made, got, get, happen"""
)
_DO_THE_STEP = r"(?:perform|execute|do|choose|select|take|apply) (?:the )?(?:action |step |operation )?(?=\()"
_MILD = _any("be, been, being, just, simply, also, really, actually, ever, even, first of all, rather, better")
WANT = rf"(?:(?:{_DECIDE} (?:to|for) |{_DO_THE_STEP}|{_MILD} )*)"
"""what may stand before a step that is wanted or done, and says no more"""

_SMALL = _any(
    """the, this, that, our, your, its, a, an, one, all, current, final, plan, plans, planned, planning, action, list,
    part, set, steps, project, of, in, for, from, chosen, good"""
)
_PARTS = f"(?:{_PLANS}|actions?|steps?|consideration|account)"
IN_PLAN = rf"(?: (?:in|of|from|for|into|to|as|by|within|with)(?: {_SMALL})*? {_PARTS})*"
"""behind a step: "in the final plan", "from our list of actions\""""

_TAKEN = _any(
    """used, done, chosen, selected, performed, executed, taken, applied, included, considered, picked, made, preferred,
    favou?red, incorporated, involved, integrated, adopted, featured, implemented, utili[sz]ed, employed, added,
    prioriti[sz]ed, carried out"""
)
_JUDGED = "(?:(?:deemed|considered|judged|seen as|regarded as|found) )?(?:to be )?"
_GOOD = "(?:(?:good|suitable|chosen|necessary|better|valid|planned|useful|key|required|possible) )?"
_FIT = _JUDGED + _any(
    rf"""needed, necessary, required, essential, useful, important, good, suitable, appropriate, an option, there, here,
    an? {_GOOD}(?:action|step|choice|option|component|part), one, part"""
)
USED = rf"(?:(?:being |been |be |ever |even )?(?:{_TAKEN}|{_FIT}|(?=in |of )){IN_PLAN})"
_LEFT = _any(
    """omitted, excluded, left out, missing, avoided, skipped, ignored, rejected, unused, idle, dropped, absent,
    not there, overlooked, (?:(?:deemed|considered|judged) )?unnecessary"""
)
OUT = rf"(?:being |been |be )?{_LEFT}{IN_PLAN}"
USE = _any(
    """use, include, incorporate, involve, consider, employ, utili[sz]e, choose, select, opt for,
    decide (?:on|for|to use), adopt, feature, implement, integrate, favou?r, contain, prioriti[sz]e"""
)
_OF_USE = "(?:use|inclusion|choice|selection|incorporation|addition|adoption)"
USING = _any(
    rf"""using, including, incorporating, involving, considering, employing, utili[sz]ing, choosing, selecting,
    opting for, adopting, implementing, integrating, adding, doing, performing, executing, picking, having,
    the {_OF_USE} of, the decision to (?:use|include|do|choose|select)"""
)
LEAVE = _any(
    """omit, exclude, skip, avoid, leave out, ignore, reject, drop, neglect, overlook, disregard, refrain from,
    decide against"""
)
LEAVING = _any(
    """omitting, excluding, skipping, avoiding, leaving out, ignoring, rejecting, dropping, neglecting,
    (?:the )?(?:omission|exclusion|absence|lack) of"""
)
_DOING = "(?: (?:doing|to|choosing|using the action|picking))?"
RATHER = f"(?:,? {_any('rather than, instead of, and not, as opposed to, over, in favou?r of, but not, not')}{_DOING})"
_REVERSE = _any("after(?:wards)?, before, later, earlier, the other way a?round, vice versa, the reverse")
OTHERWISE = rf"(?:{RATHER} {_REVERSE}(?: \S+)?)?"
NEVER = "(?:not|never)"
ALL_OF_IT = (
    r"(?:(?:do|manage|solve|achieve|reach|finish|complete) (?:it|this|that|the (?:task|goals?|job|problem))"
    r"|(?:do|manage|achieve|reach|finish|complete|deliver|transport|bring|serve)"
    r" (?:everything|it all|all of (?:it|them)))"
)
""""reach the goal", "deliver everything": whatever it is called, it is all that is to be done"""

_STEP = "(?:step|place|position|number|point)"
AT = rf"(?:(?:(?:at|in|as|for) (?:the )?)?{_STEP} (?P<n>\w+)|(?:at|in|as|for) (?:the )?(?P<m>\w+) {_STEP})"
FIRST = _any(
    "first, firstly, at first, at the (?:start|beginning), in the beginning, to begin with, right away, initially"
)
TIMES = r"(?P<n>once|twice|thrice|\w+ times?)"
OFTEN = _any(
    "again, so often, so many times, (?:several|multiple|many) times, repeatedly, more than once, over and over"
)
_REACH = "achieved, reached, satisfied, fulfilled, true, met, done, the case, made true, accomplished"
REACHED = f"{_any(_REACH)}(?: (?:at|in) the end)?"
_WHAT = f"what (?:{_any('if, would happen if, happens if, will happen if, changes if, would change if')})"
IF = f"(?:{_WHAT}|suppose|assume|imagine) (?:that )?"
REASON = _any(
    """reasons?, reasoning, rationale, motivation, motive, justification, logic, basis, thinking, explanation,
    benefits?, purpose"""
)
LED = _any("led to, leads to, caused?, prompte?d?, justified, justifies, motivated, motivates, explains, made, makes")
GONE = _any(
    """(?:is|was|were|gets|got|becomes|became|would be) (?:not|no longer) (?:available|there|working|around),
    (?:is|was|were|gets|got|becomes|became|would be) (?:broken|missing|unavailable|defective|lost|gone),
    (?:is|was|were) out of (?:order|service), breaks(?: down)?, broke(?: down)?, fails, failed,
    (?:did|does|do) not (?:exist|work)"""
)
CLOSED = _any("closed, blocked, removed, missing, gone, not there, not true, false, not the case")
