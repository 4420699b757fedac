"""The predicates of a compiled flow, and its literals in words: ``(known a)`` is "a is known"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from validator.execution.trace import Failure, UnmetGoal
from validator.records import dataclass, replace

__all__ = ["PREDICATES", "Words"]


@dataclass(frozen=True, slots=True)
class Predicate:
    """The sorts of a predicate's terms, what it says, and what its negation says."""

    sorts: tuple[str, ...]
    says: str
    denies: str


_ITEM, _PAIR = ("item",), ("item", "item")

PREDICATES: Mapping[str, Predicate] = {
    "known": Predicate(_ITEM, "{0} is known", "{0} is not known"),
    "uncertain": Predicate(_ITEM, "{0} is uncertain", "{0} is not uncertain"),
    # an operator has run on its present value
    "used": Predicate(_ITEM, "the value of {0} has been used", "the value of {0} has not been used"),
    # its present value has been mapped to another item
    "given-away": Predicate(_ITEM, "{0} has been mapped", "{0} has not been mapped yet"),
    # under map_always
    "usable": Predicate(_ITEM, "{0} has been asked for or mapped to", "{0} has not been asked for or mapped to"),
    "stands-for": Predicate(_PAIR, "{0} stands for {1}", "{0} does not stand for {1}"),
    # since the constraints about it were decided
    "fresh": Predicate(_ITEM, "{0} has a new value", "{0} has no new value"),
    # the same, by a mapping from a fresh item
    "passed-fresh": Predicate(_ITEM, "{0} has a new value by a mapping", "{0} has no new value by a mapping"),
    "true": Predicate(("constraint",), "{0} has been asserted", "{0} has not been asserted"),
    "false": Predicate(("constraint",), "not {0} has been asserted", "not {0} has not been asserted"),
    "done": Predicate(("operator",), "{0} has run", "{0} has not run"),
    "tried": Predicate(("call", "try"), "{0} has run", "{0} may run once more"),
    # it was made with all its optional inputs, as a goal asks for
    "given": Predicate(("call",), "{0} has run", "{0} has not run with all these items"),
    # one of the alternatives of a group of goals has been reached
    "met": Predicate(("group",), "{0}", "not ({0})"),
    # what no step changes:
    "askable": Predicate(_ITEM, "the user may be asked for {0}", "the user may not be asked for {0}"),
    "confirmable": Predicate(_ITEM, "the user may be asked to confirm {0}", "the user may not be asked to confirm {0}"),
    "mappable": Predicate(_PAIR, "{0} may be mapped to {1}", "{0} may not be mapped to {1}"),
    "forbidden": Predicate(_PAIR, "mapping {0} to {1} is forbidden", "mapping {0} to {1} is allowed"),
    "new": Predicate(_ITEM, "{0} is a new item", "{0} is a named item"),
    "tracked": Predicate(_ITEM, "{0} may be stood for by another item", "no item may stand for {0}"),
    "watched": Predicate(_ITEM, "a constraint is about {0}", "no constraint is about {0}"),
}

_ATOM = re.compile(r"\((?P<name>[^\s()]+)(?P<terms>(?: [^\s()]+)*)\)")


class Words:
    """Tells literals in the names of a flow; ``names`` maps PDDL names to them."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def __call__(self, literal: str) -> str:
        """Return a literal, or a formula of several, in words between quotes."""
        return f'"{self.literal(literal)}"'

    def literal(self, literal: str) -> str:
        """Return the same without quotes."""
        return self._formula(literal.strip())

    def _formula(self, text: str) -> str:
        head, parts = _split(text)
        if head in ("and", "or"):
            return f" {head} ".join(self._formula(part) for part in parts)
        if head == "not":
            (inner,) = parts
            return self._atom(inner, negative=True)
        return self._atom(text, negative=False)

    def _atom(self, text: str, *, negative: bool) -> str:
        match = _ATOM.fullmatch(text)
        if match and match["name"] in PREDICATES:
            terms = [self._names.get(term, term) for term in match["terms"].split()]
            predicate = PREDICATES[match["name"]]
            return (predicate.denies if negative else predicate.says).format(*terms)
        return f"not {self._formula(text)}" if negative else text

    def failure(self, failure: Failure) -> Failure:
        """Return a failure with its conditions in words."""
        causes = tuple(replace(cause, literal=self(cause.literal)) for cause in failure.causes)
        return replace(failure, unmet=tuple(map(self, failure.unmet)), causes=causes)

    def unmet_goal(self, goal: UnmetGoal) -> UnmetGoal:
        return replace(goal, literal=self(goal.literal))


def _split(text: str) -> tuple[str, list[str]]:
    """Return the head of a list expression and its members that are lists."""
    head = text[1:].split(maxsplit=1)[0].rstrip(")") if text.startswith("(") else text
    depth, start, parts = 0, 0, []
    for place, character in enumerate(text):
        if character == "(":
            depth += 1
            start = place if depth == 2 else start
        elif character == ")":
            depth -= 1
            if depth == 1:
                parts.append(text[start : place + 1])
    return head, parts
