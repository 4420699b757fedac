"""What an answer says of a plan: whether it is valid, and the reasons that its lines give."""

from __future__ import annotations

import re

from validator.checking.prepared import Prepared
from validator.grading.planbench.tasks.facts import read_facts
from validator.model.values import GroundAtom
from validator.reading.lexicon import Said
from validator.reading.plan import Step
from validator.records import dataclass, field

__all__ = ["Claim", "Told", "read_verdict"]


@dataclass(slots=True, kw_only=True)
class Claim:
    """One reason: the step that is named, by its number or itself or both (neither: the goal), and unmet facts."""

    is_goal: bool
    number: int | None = None
    step: Step | None = None
    facts: list[GroundAtom] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an answer says: ``valid`` None where no verdict was found; ``unread`` was not understood."""

    valid: bool | None
    claims: tuple[Claim, ...]
    unread: tuple[str, ...]


_VERDICT = re.compile(
    r"\b(?:plan|sequence)\s+(?:of\s+actions\s+)?(?:above\s+|provided\s+|given\s+)?"
    r"(?:is|seems|appears)\s+(?:to\s+be\s+|therefore\s+|thus\s+|indeed\s+|also\s+)*"
    r"(?:(?P<no>not\s+(?:a\s+)?(?:valid|executable|correct)|invalid|inexecutable|incorrect)|(?:a\s+)?(?:valid|correct)\b)",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"^\W*(?:(?:(?:final\s+)?(?:verdict|answer|result|verification))\b\W*(?:is\b\W*)?)?"
    r"(?:(?P<no>not\s+valid|invalid)|valid)\b(?=\W*$|[.,:;]\s)",
    re.IGNORECASE | re.MULTILINE,
)
"""A verdict without a sentence around it, which counts where there is none with one."""
_END = re.compile(r"\[(?:STATEMENT|PLAN|VERIFICATION END)\]")
_STEP = re.compile(r"\b(?:steps?|time\s*step|action)\s*(?:#|number\s*|no\.\s*)?(\d+)\b", re.IGNORECASE)
_GOAL = re.compile(r"\bgoals?\b", re.IGNORECASE)
_MARKER = re.compile(r"^\s*(?:[-*•]\s+|\(?\d+[.)]\s+|(?:at\s+)?step\s+\d+\s*[:,]\s*)+", re.IGNORECASE)
_HEADING = re.compile(r"\b(?:precondition|postcondition|condition|goal|action|step)s?\b", re.IGNORECASE)


def read_verdict(text: str, model: Prepared) -> Told:
    """Read an answer: its verdict, and the reasons in the lines behind it."""
    text = _END.split(text)[0]
    form = _VERDICT if _VERDICT.search(text) else _ALONE
    found = [match["no"] is None for match in form.finditer(text)]
    reader = _Reasons(model)
    if found and not found[0]:
        for line in text.splitlines():
            reader.line(form.sub("", line))
    return Told(valid=found[0] if found else None, claims=tuple(reader.claims), unread=tuple(reader.unread))


class _Reasons:
    """Reads lines; the last claim is the one that facts belong to.

    Facts behind a heading ("The unmet preconditions are:") are listed as unmet. Behind a step alone, one that is denied
    is unmet; one that is said to hold may as well tell what is the case, and is not understood.
    """

    def __init__(self, model: Prepared) -> None:
        self.model = model
        self.claims: list[Claim] = []
        self.unread: list[str] = []
        self.number: int | None = None
        self.is_list = False

    def line(self, line: str) -> None:
        """Take up what a line says: a heading, a step, facts, or a heading and one of these behind its colon."""
        for piece in re.split(r"(?<=:)\s|(?<=[.;])\s", line):
            self._piece(piece)

    def _piece(self, piece: str) -> None:
        number = _STEP.search(piece)
        if number is not None:
            self.number = int(number[1])
        bare = _MARKER.sub("", piece).strip()
        is_fact = self._is_fact(bare)
        said = self.model.lexicon.sentence(bare) if bare and not is_fact else None
        if isinstance(said, Said):
            self.claims.append(Claim(is_goal=False, number=self.number, step=said.step))
            self.number, self.is_list = None, False
        elif _HEADING.search(bare) and not is_fact:
            self.is_list = True
            if _GOAL.search(bare):
                self.claims.append(Claim(is_goal=True))
        else:
            self._facts(bare)

    def _is_fact(self, text: str) -> bool:
        found = read_facts(text, self.model.lexicon)
        return bool(found.facts) and not found.unread and not found.beside

    def _facts(self, text: str) -> None:
        found = read_facts(text, self.model.lexicon)
        self.unread += found.unread
        if found.facts and not self.claims:
            self.claims.append(Claim(is_goal=False, number=self.number))
        for fact in found.facts:
            if self.is_list or not fact.positive:
                self.claims[-1].facts.append(fact.atom)
            else:
                self.unread.append(text)
