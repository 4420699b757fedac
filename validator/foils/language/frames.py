"""Frames: what is asked, as rows of words with slots for clauses, numbers and objects. A notation, and tables in it.

A word stands for itself, ``a|b`` for one of several, ``_`` for a blank in one; a name in capitals is a class of words.
``?`` after a word says that it may be left out, ``*`` that it may stand any number of times. ``{x}`` takes any words,
``{n}`` and ``{w}`` one, ``{op:a|b}`` one of those, ``{x:STEP}`` an argument that looks so. Between two words a hyphen
may stand, and a blank for a hyphen in one. The first frame of a table that a text fits says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise, starmap

_CLASSES = {
    "ALL": "do WORK|manage WORK|solve WORK|achieve WORK|reach WORK|finish WORK|complete WORK|handle WORK|have WORK"
    "|get WORK|deliver WORK|transport WORK|bring WORK|serve WORK|get WORK done|manage|finish|succeed|work|work_out"
    "|be_done|be_solved|be_reached|be_achieved|be_finished|be_managed",
    "ALONE": "alone|by_itself|by_himself|by_herself|on_its_own|on_his_own|on_her_own|single_handedly|without_help",
    "AMOUNT": "only|at_most|no_more_than|within|for|with|a|the|cost|costs|budget|of",
    "BE": "is|are|was|were|would_be|had_been",
    "BEST": "optimal|as_cheap_as_possible|the BETTER_ONE|the BETTER_ONE one|the BETTER_ONE plan|the_best_possible_plan",
    "BETTER_ONE": "best|cheapest|best_possible|cheapest_possible",
    "CAN": "can|could|may|might|would|will|should",
    "CHEAP": "cheaper|better|less_costly|less_expensive",
    "CLOSED": "closed|blocked|removed|missing|gone|not_there|not_true|false|not_the_case|not_open|cut|shut",
    "FIRST": "come_first|comes_first|first|firstly|at_first|at_the_start|at_the_beginning|in_the_beginning"
    "|to_begin_with|right_away|initially|first_of_all",
    "GONE": "BE STATE|gets STATE|got STATE|becomes STATE|became STATE|breaks|broke|had_broken|breaks_down|broke_down"
    "|had_broken_down|fails|failed|did_not_exist|does_not_exist|do_not_exist|did_not_work|does_not_work",
    "LAST": "come_last|comes_last|last|lastly|last_of_all|at_the_very_end|as_the_last_step|as_the_last_one",
    "NEEDED": "necessary|needed|required|essential",
    "NOT": "rather_than|instead_of|as_opposed_to|in_favour_of|in_favor_of|and_not|but_not",
    "OP": "only|just|at_most|no_more_than|at_least|fewer_than|less_than|more_than|exactly",
    "PLAN": "plan|plans|solution|solutions|way|ways|one",
    "POSSIBLE": "is_it_possible|would_it_be_possible|was_it_possible|BE there a PLAN|BE there any PLAN",
    "REACHED": "achieved|reached|satisfied|fulfilled|true|met|the_case|made_true|solved",
    "REASON": "reason|reasons|reasoning|rationale|motivation|motive|justification|logic|basis|thinking|explanation"
    "|benefit|benefits|purpose|point",
    "SHORT": "shorter|quicker|faster|with_fewer_steps|in_fewer_steps|with_less_steps|using_fewer_steps",
    "SMALL": "the|this|that|our|your|its|a|an|one|all|current|final|plan|planned|action|list|part|set|steps|project|of"
    "|in|for|from|chosen|good",
    "START": "start|starts|begin|begins|started|began|starting|beginning",
    "STATE": "not_available|not_there|not_working|not_around|not_usable|broken|missing|unavailable|defective|lost|gone"
    "|out_of_order|out_of_service",
    "STEPS": "step|steps|action|actions",
    "TASK": "problem|task|goal",
    "TELL": "explain|tell|clarify|justify|show|say|describe",
    "VERY": "really|actually|even|absolutely|so",
    "WHATIF": "what_if|what_would_happen_if|what_happens_if|what_will_happen_if|what_changes_if|what_would_change_if"
    "|would_it_change_if|suppose|assume|imagine",
    "WHO": "you|we|i|one|they|it|he|she|people|the_plan|this_plan|your_plan|the_task|the_problem|the_goal",
    "WORK": "it|this|that|everything|all|it_all|all_of_it|all_of_them|all_of_this|the_task|the_goal|the_goals|the_job"
    "|the_problem|the_work|the_plan|the_whole_thing|the_whole_task|the_whole_job|all_the_work|all_the_goals",
}

_SHAPES = {
    "STEP": r"\S+(?: or \S*\(\S+)*",
    "N": r"\d+",
    **dict.fromkeys(("TIME", "COST"), r"\d+(?:\.\d+)?"),
    **dict.fromkeys(("CONDITION", "FACT", "OBJECT", "VALUE"), r"\S+"),
}
"""how the arguments of questions look, where what stands in parentheses is one word"""

_Table = Mapping[str, str]

WHOLE: _Table = {
    "solvable": """
        why BE there no CHEAP? PLAN / why BE the|this TASK unsolvable|impossible|not_solvable|unreachable
        why this|the|that|your plan / why BE the|this|that|your plan so expensive|costly
        why does the|this|that|your plan cost so much / BE there a|an|any CHEAP PLAN
        BE the|this|your|that plan? really? BEST
        CAN WHO be? done|made? any? CHEAP""",
    "shorter": """
        BE there a|an|any SHORT PLAN / BE there a|an|any PLAN SHORT / why is there no shorter PLAN
        why BE the|this|that|your plan so long / why does the|this|that|your plan have|need|take so many STEPS
        CAN WHO be? done|made? any? SHORT / how many STEPS does the|this|your plan have|take|need""",
    "within-cost": """
        CAN WHO do_it|be_done|be_reached|be_achieved|cost AMOUNT* {n} / WHATIF WHO had|have AMOUNT* {n}
        BE there a|any PLAN that|which? costs|cost|costing|for|within AMOUNT* {n}""",
    "alone": """
        CAN {x} ALL ALONE / CAN {x} do everything|it_all|all_of_it|all_of_this|all_the_work|the_whole_job ALONE?
        CAN {x} alone ALL / CAN WORK be done|managed|solved|reached|finished by {x} ALONE""",
    "is-not": """
        WHATIF there BE no|not_any|not such|a|an? {x} / WHATIF WHO had_no|have_no|has_no|do_not_have|did_not_have a? {x}
        WHATIF {x} GONE / would|does|will it|the_plan|this_plan|everything still? work|succeed without {x}""",
    "never": """
        CAN WHO still? ALL without using|use|the_use_of? {x} / POSSIBLE to? ALL? without using|use|the_use_of? {x}
        WHATIF {x} BE|becomes|became not_allowed|not_permitted|forbidden|prohibited""",
    "without-fact": "WHATIF {x} BE CLOSED",
    "with-fact": "WHATIF there BE also? a|an|another {x}",
}
"""what is asked of the whole plan or of another model; a text that no such question can be made of may have a mood"""

MOODS: _Table = {
    "if": """
        and? WHATIF that? {x} / what|how about {x}
        would|does|will|could it help|matter|work|make_a_difference|make_any_difference if {x}
        would|will it|the_plan|this_plan be {w} if {x} / BE it {w} if {x}
        would it be better|cheaper|quicker|faster|shorter to {x}""",
    "why": """
        what|which|explain BE? the main|real|actual|exact? REASON for|behind|of|to|why|that {x}
        the REASON for|behind|of {x} / for what|which reason {x} / how_come that? {x}
        what BE {x} good|needed|used? for / what BE the role|need of|for {x}
        why BE it VERY? necessary|needed|required|important|useful|good|better for|to {x}
        why BE it {x} who|that|which {y} / why exactly|on_earth|then|is_it_that|was_it_that? {x}""",
    "must": "must {x}",
    "need": """
        BE|would it VERY? be? NEEDED that|to|for {x} / BE there any|a need to|for {x} / BE {x} VERY? NEEDED
        need {x} / do|does|did|will|would {x} need_to|have_to|need|require {y}""",
    "want": """
        i want|would_like|would_prefer|prefer|wish|expected that|it|you|we? to? {x}
        you|we|they|the_plan should|must {x} / {x:do_not|never|avoid} {y}""",
    "possible": """
        BE|would it be? possible|feasible|conceivable|okay|ok|allowed|permitted that|to|for? {x}
        BE|could there be? a|an|any|another|some|no|one valid|other|possible? PLAN that|which|to|in_which|where? {x}""",
    "can": "can|could|may|might|would {x}",
}

LINKS: _Table = {
    "rather": """
        prefer {x} to|over {y} / {x} favoured_over|favored_over|chosen_over|preferred_to|preferred_over {y}
        {x} a|the? better|preferable|more_suitable choice|option? than|to {y}
        {x} NOT doing|to|choosing|picking? {y}""",
    "directly before": "{x} directly|immediately|right|straight before {y}",
    "directly after": "{x} directly|immediately|right|straight after {y}",
    "before": "{x} come|comes|came? before {y}",
    "after": "{x} come|comes|came? after {y}",
}

COUNTS: _Table = {
    "how often": "how_often|how_many_times {x}",
    "times": """
        {x} {op:OP}? {n:once|twice|thrice} {only:only}? {y}? / {x} {op:OP}? {n} times {only:only}? {y}?
        {op:at_most|at_least} {n} {x}""",
    "steps": "WHO? ALL? with|in|using {op:OP}? a? {n} {w}",
}

PLACES: _Table = {
    "": """
        {x} at|in|as|for? the? step|place|position|number|point {n} / {x} at|in|as|for the? {n} step|place|position""",
    "first": "{x} FIRST / {x}? START with|by {y} / {x:not|we|you}? first {y}",
    "last": "{x} LAST",
}

_ENDS: _Table = {
    "": """
        {x} please|though|anyway|at_all|as_well|too|instead|himself|herself|itself|themselves|in_the_first_place|now
        {x} to_reach_the_goal|to_achieve_the_goal
        {x} in|of|from|for|into|to|as|by|within|with SMALL* plan|plans|planner|solution|strategy|process|sequence
        {x} in|of|from|for|into|to|as|by|within|with SMALL* approach|execution|implementation|steps|actions
        {x} into consideration|account"""
}
_BEGINNINGS: _Table = {
    "": """
        so|but|and|ok|okay|well|hey|hi|hello|please|now|um|hm|sorry|just {x}
        can|could|would|will you|someone|anyone please? TELL to_me|me? {x} / please? TELL to_me|me? {x:why|what|how} {y}
        i wonder|am_wondering|was_wondering|do_not_understand|do_not_see|do_not_get {x:why|what|how} {y}
        i want_to_know|am_curious|would_like_to_know|would_like_to_understand {x:why|what|how} {y}
        do you know {x:why|what} {y}"""
}
_SPELLED = (
    (r"[‘’ʼ]", "'"), (r"\b(can't|cannot)\b", "can not"), (r"\bwon't\b", "will not"), (r"(\w)n't\b", r"\1 not"),
    (r"\b(why|what|how|it|there|that|he|she)'s\b", r"\1 is"), (r"(\w)'re\b", r"\1 are"), (r"(\w)'d\b", r"\1 would"),
    (r"(\w)'ll\b", r"\1 will"), (r"(\w)'ve\b", r"\1 have"), (r"[\"'`“”«»]", ""), (r"[,;?!.]+(?=\s|$)", " "),
    (r"^\s*(can|could|would|might) not ", r"\1 "), (r"\b(no one|no-one|none of (?:us|them))\b", "nobody"),
    (r"\bno longer\b", "not"), (r"\bat once\b|\bat the same time\b", "simultaneously"),
    (r"\b(if|suppose|assume|imagine) that\b", r"\1"),
    (r"\bthe (?:action|operation|step) (?!\d)|\bbe the one (?:to|who|that)\b", ""),
    (r"\b(?:leave|leaving|left) out\b|\b(?:do|doing|get by|getting by|manage|go) without\b"
     r"|\b(?:decide|decided|deciding) against\b|\brefrain(?:ed)? from\b", "omit"),
    (r"\b(leave|leaving|left) (\S+(?: \S+)?) out\b", r"omit \2"),
    (r"\bopt(?:ed)? for\b|\bmak(?:e|es|ing) use of\b|\b(?:the )?(?:use|inclusion|choice|selection) of\b", "use"),
)  # fmt: skip
"""contractions in full, without quotes; and what is said in several words"""


def plain(text: str) -> str:
    """Return a question without contractions, marks and politeness."""
    for pattern, words in _SPELLED:
        text = re.sub(pattern, words, text, flags=re.IGNORECASE)
    return _less(_BEGINNINGS, trimmed(text))


def trimmed(text: str) -> str:
    """Return a clause without what says nothing at its end."""
    return _less(_ENDS, " ".join(text.split()))


def _less(table: _Table, text: str) -> str:
    while found := next(matched(table, text), None):
        text = " ".join(filter(None, found[1].values()))
    return text


def matched(table: _Table, text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what the frames that a text fits say it is, with what stands in their slots."""
    for name, frames in table.items():
        for frame in _compiled(frames):
            if found := frame.fullmatch(f" {text}"):
                yield name, {slot: words for slot, words in found.groupdict().items() if words}


@cache
def _compiled(frames: str) -> tuple[re.Pattern[str], ...]:
    rows = (row.split() for row in re.split(r"\n| / ", frames) if row.strip())
    return tuple(re.compile("".join(starmap(_token, pairwise(("{}", *row)))), re.IGNORECASE) for row in rows)


def _token(before: str, token: str) -> str:
    word, mark = (token[:-1], token[-1]) if token[-1] in "?*" else (token, "")
    slot = re.fullmatch(r"\{(\w+)(?::(.+))?\}", word)
    if slot is None:
        body = f"{' ' if before.startswith('{') else '[ -]'}(?:{_any(word)})"
    else:
        words = _SHAPES.get(slot[2] or "") or (_any(slot[2]) if slot[2] else _WORD if slot[1] in "nw" else ".+?")
        body = f" (?P<{slot[1]}>{words})"
    return f"(?:{body}){mark}"


_WORD = r"\d+(?:\.\d+)?|\w+"


def _any(words: str) -> str:
    """Return the expression for one of several words or classes of words."""
    return "|".join(" ".join(map(_one, word.split())) for word in words.split("|"))


def _one(word: str) -> str:
    if word in _CLASSES:
        return f"(?:{_any(_CLASSES[word])})"
    return re.escape(word).replace("_", " ").replace(r"\-", "[ -]")


_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_ORDINALS = ["zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_SAID = {word: number for words in (_NUMBERS, _ORDINALS) for number, word in enumerate(words)}
_SAID |= {"once": 1, "single": 1, "twice": 2, "thrice": 3}


def number_said(text: str) -> int | None:
    """Return the number that a word is: 3, three, third, 3rd, twice; None for another word."""
    digits = re.fullmatch(r"(\d{1,3})(?:st|nd|rd|th)?", text)
    return int(digits[1]) if digits is not None else _SAID.get(text.lower())
