"""What the words of a line say of the steps around it, and how the line begins.

A line is an item of a list by its number, letter, bullet or box, or a heading, by what it says of those below. A text
may deny that there is a plan, that a step is one, or was done, and that steps are needed at all. The words are those of
``validator.reading.lexicon.english``; they are fetched where a text may have them.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from validator.reading.plan import Span
from validator.records import dataclass
from validator.resources import cached_if_short

_MARK = re.compile(
    r"(?P<indent>[^\S\n]*)(?P<around>[\s>|#{,\"'`_]*(?:\*\*+)?)"
    r"(?:(?P<bullet>[-+•‣▪–]|\*(?!\*))\s+(?:\[[ xX]\]\s*)?[*_`]*)?"
    r"(?:\(?(?:step[\s_-]*)?(?P<number>\d{1,6})[\"']?\s*(?:[.):]|-(?=[\s(]))[*_`]*"
    r"|\(?(?P<letter>[a-z])[.)](?=\s))?",
    re.IGNORECASE,
)
_BESIDE = " \t>*_`#|-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How a line begins: how far it is indented, the bullet of an item, and its number or the place of its letter.

    ``is_bare`` says that nothing stands before these, ``end`` is where the words begin.
    """

    indent: int
    order: int | None
    is_bullet: bool
    is_bare: bool
    end: int

    @property
    def is_item(self) -> bool:
        return self.is_bullet or self.order is not None

    @property
    def is_plain_item(self) -> bool:
        """Return whether nothing stands before the mark: in bold, or behind a hash, it is of a heading."""
        return self.is_bare and self.is_item


_MOST = 420
"""characters of a heading, and of a line that is remembered"""


@cached_if_short(1024, _MOST)
def mark_of(line: str) -> Mark:
    """Return how a line begins."""
    found = _MARK.match(line)
    assert found is not None  # each of its parts may be empty
    number, letter = found["number"], found["letter"]
    order = int(number) if number else ord(letter.lower()) - ord("a") + 1 if letter else None
    return Mark(
        indent=len(found["indent"]),
        order=order,
        is_bullet=found["bullet"] is not None,
        is_bare=not found["around"],
        end=found.end(),
    )


def unmarked(line: str) -> str:
    """Return the words of a line without what marks it as an item, a quotation or a cell."""
    return line[mark_of(line).end :].strip(_BESIDE)


class Role(Enum):
    """What a heading says of the steps below it."""

    PLAIN = "plain"
    """nothing of it: ``So we get:``"""
    PLAN = "plan"
    """that they are a plan: ``Plan:``, ``Here are the steps:``"""
    PHASE = "phase"
    """that they are one part of the plan"""
    ANSWER = "answer"
    """that they are the author's answer, or a correction of what stands above"""
    DRAFT = "draft"
    """that they are tried, and not meant"""
    AGAIN = "again"
    """that they say once more, explain or follow up what was said"""
    STATE = "state"
    """that what follows is no plan: facts, goals, conditions"""


_HEADING = re.compile(
    r"^\s{0,8}(?:\#{1,6}\s+(?P<hash>.+?)\s*\#*"
    r"|[>\s]*(?P<bold>(?:\*\*|__)[^*_\n]{1,160}(?:\*\*|__)\s*:?)"
    r"|\\(?:sub)*section\*?\{(?P<latex>[^{}]*)\}"
    r"|={2,}\s*(?P<rule>[^=\n]+?)\s*={2,}"
    r"|\#?[-=*~]{3,}\s*(?P<ruled>[^\W\d_][^=*~|\n]{0,120}?)\s*[-=*~]{3,}\#?"
    r"|(?P<colon>[^\n]{1,400}:)"
    r"|(?P<verb>[^\n]{0,400}\b(?:plan|sequence|solution)\s+(?:is|becomes|would\s+be)(?:\s+as\s+follows)?))\s*[*_]*\s*$",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"[*_`#>]+")

_PLANS = re.compile(
    r"\b(?:plan|sequence|solution|steps|moves|(?<!available\s)actions(?!\s+available)|step[-\s]by[-\s]step)\b",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"^(?!.*\b(?:plan|sequence|solution|steps|moves)\b).*\b(?:(?:initial|resulting|current|final|goal|new|end|start(?:ing)?)\s+(?:state|conditions?|facts?|situation)|goals?|"
    r"state|facts|preconditions?|effects?|conditions?|restrictions?|rules?|requirements?|actions\s+available|"
    r"available\s+actions|objects?|predicates?)\W*$",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:correct(?:ed|ion|ing|\s+(?:plan|order|sequence|version|steps))|revis\w+|fix(?:ed|es|ing)?|instead|improved|adjust\w*|updated?|amended|"
    r"optimi[sz]ed|simplified|streamlined|short(?:er|ened)|(?:more|most)\s+(?:efficient|optimal|direct)|"
    r"(?:let(?:'s|\sme|\sus)\s+)?(?:try|start|begin)\s+(?:\w+\s+)?(?:again|over)|better|rectif\w+)\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"\b(?:final|actual|definitive)\b.{0,40}\b(?:plan|sequence|answer|solution|steps|actions|list|version)\b"
    r"|^\W*(?:the\s+)?(?:final\s+)?(?:answer|solution)\b",
    re.IGNORECASE,
)
_DRAFTS = re.compile(
    r"\b(?:draft|tentative|(?:first|initial|another|possible|naive)\s+(?:attempt|idea|try|guess|approach)|attempt(?:\s*\d+)?|"
    r"(?:if|should|unless)\s+(?:you|we)\s+(?:\w+\s+)?(?:need|want|wish|prefer|like)|optional(?:ly)?|"
    r"tr(?:y|ying)\b|incorrect|invalid|wrong|fail(?:s|ed|ing)?|bad|mistaken|rejected|discarded|flawed|broken)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:expla\w+|break\s?down|details?|detailed|reason\w*|rationale|verif\w+|check\w*|trac\w+|simulat\w+|walk\w*|"
    r"summar\w+|recap\w*|in\s+short|to\s+sum|justif\w+|analysis|analy[sz]\w+|illustrat\w+|again|once\s+more|"
    r"equivalent\w*|translat\w+|notation|syntax|format(?:ted)?|pddl|in\s+words|execut\w+|outcomes?|results?|"
    r"demonstrat\w+|understanding|mechanics|overview|works(?=\s+(?:as|because|by)\b))\b",
    re.IGNORECASE,
)
_ROLES = (
    (Role.ANSWER, _CORRECTS),
    (Role.STATE, _STATE),
    (Role.ANSWER, _ANSWERS),
    (Role.DRAFT, _DRAFTS),
    (Role.AGAIN, _AGAIN),
)
"""Role -> the words that tell it, in the order of precedence; behind them come the words of parts, and of plans"""

_OF_STEPS = re.compile(r"\bsteps?\s*\d|\d\s+steps?\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,6}")


@cache
def _phases() -> re.Pattern[str]:
    from validator.reading.lexicon.english import SEQUENCE  # which few texts need

    joints = "|".join(sorted(SEQUENCE))
    parts = rf"phase|part|stage|sub-?goals?|goal\s*\d+|milestone|section|fourth|after\s+that|{joints}"
    return re.compile(rf"(?<![\w-])(?:{parts})\b(?!-\w)", re.IGNORECASE)


def corrected_items(line: str) -> frozenset[int]:
    """Return the numbers of the items before it that a heading corrects: ``Corrected steps 7 and 8:``."""
    words = heading(line)
    return frozenset(map(int, _NUMBER.findall(words))) if _corrects_items(words) else frozenset()


def _corrects_items(heading: str) -> bool:
    return _OF_STEPS.search(heading) is not None and _CORRECTS.search(heading) is not None


def heading(line: str) -> str:
    """Return the words of a line that is a heading, or an empty text.

    A heading is marked as one, stands alone in bold, or ends with a colon.
    """
    if not line or len(line) > _MOST or line.isspace() or mark_of(line).is_plain_item:
        return ""
    match = _HEADING.match(line)
    if match is None:
        return ""
    words = next(group for group in match.groups() if group is not None)
    return _MARKUP.sub("", words).strip()


@cached_if_short(1024, _MOST)
def role(words: str) -> Role:
    """Return what a heading says of what follows; one that corrects single steps says nothing of the whole."""
    if _corrects_items(words):
        return Role.PLAIN
    found = next((role for role, pattern in _ROLES if pattern.search(words)), None)
    if found is None and _phases().search(words):
        return Role.PHASE
    return found or (Role.PLAN if _PLANS.search(words) else Role.PLAIN)


# --- what is denied: that there is a plan -----------------------------------------------------------


@cache
def _claims() -> re.Pattern[str]:
    return re.compile(
        r"""\bno\s(?:(?:valid|possible|feasible|known|such|executable|legal|correct|sound)\s)*(?:plan|solution)\b
            (?!\s+(?:(?:was|is|has\sbeen|could\sbe|can\sbe)\s+)?(?:found|needed|necessary|required)\b)
            (?=\W*\Z|\s*[^\w\s]|\s+(?:and|as|at|because|but|can|could|due|exist\w*|for|from|given|has|have|here|however|
            i[ns]|may|of|or|possible|available|satisf\w+|reach\w+|since|so|solv\w+|that|there|to|under|was|were|where|
            which|will|with\w*|would|achiev\w+|are|be|after|by|if|unless|until|when|yet|it|we|I|the)\b)
          | \bno\s(?:possible\s|valid\s)?(?:sequence|series)\sof\s(?:actions|steps)\b
          | \bnot\spossible\sto\s
            (?:find|generate|produce|construct|create)\s(?:a|any)\s(?:\w+\s)?(?:plan|solution)\b
          | \b(?:plan|solution)\s(?:does\snot|doesn't)\sexist\b
          | \b(?:problem|task|goal)\sis\s(?:\w+\s)?(?:unsolvable|unreachable|impossible)\b
          | \b(?:problem|task|goal)\s(?:cannot|can't)\sbe\s(?:\w+\s)?(?:solved|reached|achieved)\b
        """,
        re.IGNORECASE | re.VERBOSE,
    )


# One of the first, and one of the second, is in whatever claims it; to look for them takes a tenth of the time.
_DENIES = re.compile(r"no[\st]|n't|unable|unsolvable|unreachable|impossible")
_WHAT = ("plan", "solution", "sequence", "series", "problem", "task", "goal")


def speaks_of_plans(text: str) -> bool:
    """Return whether a text has any of the words in lower case without which it cannot say that there is no plan."""
    return any(map(text.__contains__, _WHAT))


@cached_if_short(2, characters=65_536)
def claims_no_plan(text: str) -> Span | None:
    """Return where a text says that there is no plan, or None."""
    lower = text.lower()
    if _DENIES.search(lower) is None or not speaks_of_plans(lower):
        return None
    for match in _claims().finditer(text):
        if _SUPPOSES.search(text, max(0, match.start() - _CLAUSE), match.start()) is None:
            return match.span()
    return None


_CLAUSE = 80
_SUPPOSES = re.compile(r"\b(?:if|when|whenever|whether|unless|until|in\scase)\b[^.!?,;:\n]{0,60}\Z", re.IGNORECASE)
"""a clause that only supposes what it says: "if no plan exists, the exit code is 2\""""


@cache
def _nothing_to_do() -> re.Pattern[str]:
    return re.compile(
        r"""\bno\s(?:(?:further|more|additional|other)\s)?(?:actions?|steps?|moves?)\s(?:at\sall\s)?
            (?:(?:are|is|need\sto|needs\sto|have\sto|has\sto|must)\s)?(?:be\s)?
            (?:required|needed|necessary|taken|performed|executed)\b
          | \bno\splan\s(?:(?:is|was)\s)?(?:required|needed|necessary)\b
          | \bno\sneed\s(?:for|to\s(?:take|perform|do|execute))\s(?:any\s)?(?:actions?|steps?|moves?|anything)\b
          | \b(?:plan|solution)\b[^.\n]{0,40}\bis\s(?:simply\s|just\s)?(?:to\sdo\snothing|empty|the\sempty|an\sempty)\b
          | \b(?:nothing\s(?:needs|has)\sto\sbe\sdone|need\snot\sdo\sanything)\b
        """,
        re.IGNORECASE | re.VERBOSE,
    )


def claims_empty_plan(text: str) -> bool:
    """Return whether a text says that the goal holds already, so that nothing has to be done."""
    return _nothing_to_do().search(text) is not None


# --- steps -----------------------------------------------------------------------------------------


@cache
def _pattern(written: str) -> re.Pattern[str]:
    """Return a pattern in which NOT_DONE and CANNOT stand for what denies a step, JOINT for words between."""
    from validator.reading.lexicon.english import ALLOWED, JOINTS, REFUSED  # which few texts need

    allowed, refused, joint = ("|".join(sorted(words)) for words in (ALLOWED, REFUSED, JOINTS))
    not_done = rf"(?:(?:not|n['’]?t|never|no\s+longer)\s+(?:\w+\s+)?(?:{allowed})|{refused})"
    cannot = r"(?:cannot|can\s+not|can['’]t|(?:sh|w|c)ould(?:\s+not|n['’]t))"
    for name, pattern in (("NOT_DONE", not_done), ("CANNOT", cannot), ("JOINT", joint)):
        written = written.replace(name, pattern)
    return re.compile(written, re.IGNORECASE)


_TAKES_BACK = (
    r"^\W*(?:(?:error|failure|exception|fatal)\s*[\]:]|traceback\b)|(?<![^(\[;.!?])[\W\d]{0,40}(?:no|wait|oops|sorry|hold\s+on|correction|my\s+mistake)\s*[,.!:;–—-]"
    r"|\b(?=[tiwy])(?:(?:this|that|it|which|the)(?:\s+(?:\w+\s+)?(?:action|step|move))?\s+(?:(?:is|was)\s*(?:an?\s+)?NOT_DONE\b(?!\s+(?:to|that)\b)|CANNOT\s+"
    r"(?:be\s+(?:performed|executed|done|applied|taken|carried\s+out)|happen|work)\b)"
    r"|(?:you|we|i)\s+CANNOT\s+(?:perform|execute|do|apply|take)\b)"
    r"|(?<![^(\[;:,.!?–—-])\s*(?:undo|scratch|ignore|disregard|forget|skip|cancel)\s+(?:this|that|it|(?:the\s+)?(?:last|previous|above))\b"
)
_REFUSES = (
    r"\W*(?:(?:you|i|we|it|the|robot|agent|this|that|action|step|command|result|status|sorry|is|was|has|are)\W+)*"
    r"(?:nothing\s+happen|pre-?conditions?\s+(?:\w+\s+)?(?:violat\w+|unsatisfied|unmet|not)\b|exit\s+(?:code|status)\W*[1-9]|can\s*not\b|can['’]?t\b|could\s*(?:not|n['’]?t)\b|unable\b|NOT_DONE\b|"
    r"unknown\s+(?:command|action)\b|(?:do|did)\s*n['’]?t\s+understand\b)"
)
_ANSWER = re.compile(
    r"\W*(?:observations?|obs|results?|responses?|outputs?|feedback|environment|env|status|outcome)[\s*_`]*:",
    re.IGNORECASE,
)
"""before what the world says of a step"""
_ABRIDGES = (
    r"^[\s>*_`#(-]*+(?:(?:step\s+)?\d+\s*[.):]\s*)?[*_`]*+(?:(?:JOINT)[,\s]+)*"
    r"(?:repeat(?:ing)?\b|continue\b.*\b(?:until|this|same|rest|other|remaining)\b|do\s+the\s+same\b|so\s+on\b|"
    r"proceed\s+(?:similarly|likewise|in\s+the\s+same)|(?:perform|follow|use|apply)\s+the\s+same\b|"
    r"(?:\.{3,}|…|etc\.?)\W*$)"
)


def is_denied(words: str) -> bool:
    """Return whether a sentence says of a step that it is none: ``Put down c is not necessary``."""
    return _pattern(r"\b(?:is|are|was|were|would\s+be)\s*NOT_DONE\b").search(words) is not None


def has_failed(words: str) -> bool:
    """Return whether words behind a step begin with its failure: ``- failed``, ``(not applicable)``."""
    return _pattern(r"\W*(?:\w+\s+)?NOT_DONE\b").match(words) is not None


def is_undone(words: str) -> bool:
    """Return whether words before a step are its failure: ``[FAILED]``, ``2. cancelled:``."""
    return _pattern(r"[\W\d]*NOT_DONE\W*").fullmatch(words) is not None


def takes_back(words: str, *, is_item: bool = False) -> bool:
    """Return whether words take back or refuse the step before them: ``No, that is not allowed``, ``Result: error``.

    Those behind other words of an item (``is_item``) are about what the item itself says.
    """
    answer = _ANSWER.match(words)
    if answer is not None and refuses(words[answer.end() :]):
        return True
    match = _pattern(_TAKES_BACK).search(words)
    return match is not None and not (is_item and re.search(r"[^\W\d_]", words[: match.start()]))


_TAKES_BACK_ALL = re.compile(
    r"\b(?:redo(?:ing)?|rethink|(?:start|begin|try)(?:ing)?\s+(?:again|over|anew)|from\s+scratch|mistake|(?:order|plan)\s+(?:is|was)\s+wrong"
    r"|let(?:['’]s|\s+me|\s+us)\s+(?:fix|correct|revise|reconsider))\b",
    re.IGNORECASE,
)


def takes_back_all(words: str) -> bool:
    """Return whether words take back the whole plan before them: ``Let me redo this``, ``I made a mistake above``."""
    return _TAKES_BACK_ALL.search(words) is not None


def refuses(answer: str) -> bool:
    """Return whether an answer refuses what was asked: "You can't ...", "Error: ...", ``{"success": false}``."""
    if answer.lstrip().startswith("{"):
        from validator.reading.calls.objects import by_spelling, failure  # which few answers need
        from validator.reading.values import printed_value

        value = printed_value(answer)
        return isinstance(value, dict) and failure(by_spelling(value)) is not None
    return _pattern(_REFUSES).match(answer) is not None


def abridges(words: str) -> bool:
    """Return whether a line stands for steps that are not written out: ``Repeat steps 1-4 for shot2``, ``...``."""
    return _pattern(_ABRIDGES).match(words) is not None
