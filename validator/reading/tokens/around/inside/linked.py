"""Steps joined by arrows with labels: what follows what, ``(a)-[:NEXT]->(b)``, or the reasons of a plan.

    (take b d) --[held b]--> (lower b)      a causal link: the first step makes true what the second one needs

Links with facts say why a plan is right, as planners print them beside it, and tell no order of all steps.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from validator.reading.plan import Span, Unparsed
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import dataclass

__all__ = ["Linked", "linked"]

_EDGE = re.compile(r"-{1,9}\[(?P<label>[^\[\]\n]{0,200})\]-{1,9}>(?=[^\S\n]*+\()")
_ORDER = re.compile(r":?\s*(?:next|then|before|precedes|followed[ _]by)?\s*", re.IGNORECASE)
_FACT = re.compile(r"[\s¬!~(]*+(?:not\b[\s(]*+)?(?P<name>[\w-]++)")
_STEP = re.compile(r"\(\s*+(?P<name>[^\s();]++)[^();\n]*+\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A text of the same length with plain arrows; ``links`` are lines of facts, and ``missed`` what is not known."""

    text: str
    links: tuple[Span, ...] = ()
    missed: tuple[Unparsed, ...] = ()


def linked(text: str, vocabulary: Vocabulary) -> Linked | None:
    """Return what a text says whose steps are joined by arrows with labels; None for one without such arrows."""
    edges = list(_EDGE.finditer(text)) if "]-" in text else []
    if not edges:
        return None
    reasons = [edge for edge in edges if _is_fact(edge["label"], vocabulary.predicates)]
    if not reasons:
        strange = next((edge for edge in edges if not _ORDER.fullmatch(edge["label"])), None)
        if strange is not None:
            reason = f"what '{strange['label']}' says of the steps on both sides is not known"
            return Linked(text=text, missed=(Unparsed(text=strange[0], reason=reason, span=strange.span()),))
        return Linked(text=_EDGE.sub(lambda edge: "->".rjust(len(edge[0])), text))
    lines = sorted({(text.rfind("\n", 0, edge.start()) + 1, _end(text, edge.end())) for edge in reasons})
    told = _steps("\n".join(text[place:end] for place, end in _others(lines, len(text))), vocabulary)
    new = _steps("\n".join(text[slice(*line)] for line in lines), vocabulary) - told
    if new:
        first = slice(*lines[0])
        reason = "links between steps say why, and no order of all of them"
        missed = Unparsed(text=text[first].strip(), reason=reason, span=lines[0])
        return Linked(text=text, links=tuple(lines), missed=(missed,))
    return Linked(text=text, links=tuple(lines))


def _is_fact(label: str, predicates: Collection[str]) -> bool:
    fact = _FACT.match(label)
    return fact is not None and fact["name"].lower() in predicates


def _end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _others(lines: list[Span], end: int) -> list[Span]:
    """Return what stands between some lines."""
    places = [0, *(place for line in lines for place in line), end]
    return list(zip(places[::2], places[1::2], strict=True))


def _steps(text: str, vocabulary: Vocabulary) -> set[str]:
    """Return the steps in parentheses, in one spelling."""
    found = _STEP.finditer(text)
    return {" ".join(step[0].strip("() ").lower().split()) for step in found if vocabulary.written(step["name"])}
