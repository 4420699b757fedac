"""Policies as planners print them: the state-action tables of PRP and Paladinus.

These are pairs of lines, ``If holds: on(a, b)/not(clear(b))`` (or ``(on a b), (not (clear b))``) and
``Execute: stack a b / SC / d=3``; ``Forbid:`` says where PRP leaves an entry out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NoReturn

from validator.errors import PlanError, did_you_mean
from validator.model.values import GroundAtom, Model
from validator.nondeterminism import OTHER, TABLE
from validator.nondeterminism.policy import Entry, PolicyTable
from validator.reading.plan import Step
from validator.records import dataclass

__all__ = ["read_listing"]

_ENTRY = re.compile(r"[ \t]*(?:(?P<if>If holds):(?P<state>.*)|(?P<does>Execute|Forbid):(?P<step>.*))", re.IGNORECASE)
_LITERAL = re.compile(
    r"\(\s*not\s*\(\s*(?P<n1>[^()]*?)\s*\)\s*\)|not\(\s*(?P<n2>[^()]*(?:\([^()]*\))?)\s*\)|!(?P<n3>[^\s()/,]+(?:\([^()]*\))?)"
    r"|\(\s*(?P<p1>[^()]*?)\s*\)|(?P<p2>[^\s()/,]+(?:\([^()]*\))?)"
)
_GAP = re.compile(r"[\s/,]*")
_WORDS = re.compile(r"[^\s(),]+")


def read_listing(text: str, model: Model, source: str = "") -> PolicyTable:
    """Read a policy. Raises PlanError for what is no such table, or names what the model does not have."""
    read = _Reader(text=text, model=model, source=source)
    if not TABLE.search(text) and (found := OTHER.search(text)):
        read.fail("policies are read as a table, 'If holds: ATOMS' and 'Execute: STEP' in turn", found.start())
    return read.table()


@dataclass(kw_only=True)
class _Reader:
    text: str
    model: Model
    source: str

    def fail(self, message: str, offset: int) -> NoReturn:
        raise PlanError(message, source=self.source, text=self.text, offset=offset)

    # --- tables ------------------------------------------------------------------------------------

    def table(self) -> PolicyTable:
        entries: list[Entry] = []
        forbidden: list[Entry] = []
        state: tuple[frozenset[GroundAtom], frozenset[GroundAtom]] | None = None
        start = offset = 0
        for line in self.text.splitlines(keepends=True):
            found = _ENTRY.match(line)
            if found and found["if"]:
                if state is not None:
                    self.fail("'Execute:' was expected behind 'If holds:'", offset)
                state, start = self._literals(found["state"], offset + found.start("state")), offset
            elif found:
                if state is None:
                    self.fail(f"'If holds:' was expected before '{found['does']}:'", offset)
                step = self._step(found["step"].split(" / ")[0], offset + found.start("step"))
                (entries if found["does"].lower() == "execute" else forbidden).append(Entry(*state, step))
                state = None
            elif line.strip() and state is not None:
                self.fail("'Execute: ACTION OBJECT ...' was expected", offset)
            offset += len(line)
        if state is not None:
            self.fail("'Execute:' is missing behind 'If holds:'", start)
        return PolicyTable(tuple(entries), tuple(forbidden))

    def _literals(self, text: str, offset: int) -> tuple[frozenset[GroundAtom], frozenset[GroundAtom]]:
        true: set[GroundAtom] = set()
        false: set[GroundAtom] = set()
        place = _GAP.match(text).end()  # type: ignore[union-attr]
        while place < len(text):
            found = _LITERAL.match(text, place)
            if found is None or not found[0]:
                self.fail("an atom such as on(a, b) or (on a b) was expected", offset + place)
            kind = found.lastgroup or ""
            (true if kind[0] == "p" else false).add(self._atom(found[kind], offset + found.start(kind)))
            place = _GAP.match(text, found.end()).end()  # type: ignore[union-attr]
        return frozenset(true), frozenset(false)

    def _atom(self, text: str, offset: int) -> GroundAtom:
        words = tuple(_WORDS.findall(text.lower()))
        if not words or text.startswith("<none"):
            self.fail("which atoms are false is not said; list them with 'not'", offset)
        predicates = {name.lower(): name for name in self.model.domain.predicates}
        if words[0] not in predicates:
            if re.fullmatch(r"var\d+:\d+", words[0]):
                self.fail("print the policy with names of atoms, not of variables (translate_policy.py)", offset)
            self.fail(f"unknown predicate '{words[0]}'{did_you_mean(words[0], predicates)}", offset)
        name = predicates[words[0]]
        wanted = len(self.model.domain.predicates[name])
        if len(words) - 1 != wanted:
            self.fail(f"predicate '{name}' takes {wanted} arguments, got {len(words) - 1}", offset)
        return (name, *self._objects(words[1:], offset))

    def _objects(self, words: Iterable[str], offset: int) -> Iterator[str]:
        known = {name.lower(): name for name in self.model.problem.objects}
        for word in words:
            if word.lower() not in known:
                self.fail(f"unknown object '{word}'{did_you_mean(word.lower(), known)}", offset)
            yield known[word.lower()]

    def _step(self, text: str, offset: int) -> Step | None:
        """Return a step; None for what says that the goal holds."""
        words = _WORDS.findall(text.lower())
        if not words:
            self.fail("'ACTION OBJECT ...' was expected", offset)
        offset += len(text) - len(text.lstrip())
        actions = {name.lower(): name for name in self.model.domain.actions}
        if words[0] not in actions:
            if words == ["goal"]:
                return None
            self.fail(f"unknown action '{words[0]}'{did_you_mean(words[0], actions)}", offset)
        name = actions[words[0]]
        wanted = len(self.model.domain.actions[name].parameters)
        if len(words) - 1 != wanted:
            self.fail(f"action '{name}' takes {wanted} arguments, got {len(words) - 1}", offset)
        return Step(name=name, args=tuple(self._objects(words[1:], offset)))
