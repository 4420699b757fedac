"""The literals of a compiled flow in words: ``(known a)`` is "a is known"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from validator.execution.trace import Failure, UnmetGoal
from validator.records import replace

__all__ = ["Words"]

_SAY: Mapping[str, tuple[str, str]] = {
    "known": ("{0} is known", "{0} is not known"),
    "uncertain": ("{0} is uncertain", "{0} is not uncertain"),
    "used": ("the value of {0} has been used", "the value of {0} has not been used"),
    "given-away": ("{0} has been mapped", "{0} has not been mapped yet"),
    "usable": ("{0} has been asked for or mapped to", "{0} has not been asked for or mapped to"),
    "stands-for": ("{0} stands for {1}", "{0} does not stand for {1}"),
    "fresh": ("{0} has a new value", "{0} has no new value"),
    "passed-fresh": ("{0} has a new value by a mapping", "{0} has no new value by a mapping"),
    "true": ("{0} has been asserted", "{0} has not been asserted"),
    "false": ("not {0} has been asserted", "not {0} has not been asserted"),
    "done": ("{0} has run", "{0} has not run"),
    "tried": ("{0} has run", "{0} may run once more"),
    "given": ("{0} has run", "{0} has not run with all these items"),
    "met": ("{0}", "not ({0})"),
    "askable": ("the user may be asked for {0}", "the user may not be asked for {0}"),
    "confirmable": ("the user may be asked to confirm {0}", "the user may not be asked to confirm {0}"),
    "mappable": ("{0} may be mapped to {1}", "{0} may not be mapped to {1}"),
    "forbidden": ("mapping {0} to {1} is forbidden", "mapping {0} to {1} is allowed"),
    "new": ("{0} is a new item", "{0} is a named item"),
    "watched": ("a constraint is about {0}", "no constraint is about {0}"),
}
"""Predicate -> what it says, and what its negation says."""

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
        if match and match["name"] in _SAY:
            terms = [self._names.get(term, term) for term in match["terms"].split()]
            return _SAY[match["name"]][negative].format(*terms)
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
