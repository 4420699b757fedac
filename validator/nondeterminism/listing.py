"""Policies as planners print them: state-action tables of PRP, Paladinus and MyND, and trees of Contingent-FF.

PRP and Paladinus print pairs of lines, ``If holds: on(a, b)/not(clear(b))`` (or ``(on a b), (not (clear b))``) and
``Execute: stack a b / SC / d=3``; ``Forbid:`` says where PRP leaves an entry out. MyND prints tables as the competition
of 2008 asks for: atoms, ``%%``, actions, ``%%``, and numbers of these. Contingent-FF prints a step a line, with the
numbers of the steps that follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from validator.errors import PlanError, did_you_mean
from validator.model.conditions import substituted
from validator.model.values import Formula, GroundAtom, Model
from validator.nondeterminism.policy import Branch, Entry, PlanTree, PolicyTable, Strategy
from validator.nondeterminism.signs import COMPACT, CONTROLLER, TABLE
from validator.nondeterminism.transitions import State
from validator.reading.plan import Step
from validator.records import dataclass

__all__ = ["read_listing"]

_NODE = re.compile(
    r"^[ \t]*(?P<id>-?\d+\|\|-?\d+)[ \t]*---[ \t]*(?P<step>.*?)[ \t]*---(?P<sons>.*SON.*)$", re.MULTILINE
)
_SON = re.compile(r"(TRUESON|FALSESON|SON):[ \t]*(-?\d+\|\|-?\d+)")
_ENTRY = re.compile(r"[ \t]*(?:(?P<if>If holds):(?P<state>.*)|(?P<does>Execute|Forbid):(?P<step>.*))", re.IGNORECASE)
_LITERAL = re.compile(
    r"\(\s*not\s*\(\s*(?P<n1>[^()]*?)\s*\)\s*\)|not\(\s*(?P<n2>[^()]*(?:\([^()]*\))?)\s*\)|!(?P<n3>[^\s()/,]+(?:\([^()]*\))?)"
    r"|\(\s*(?P<p1>[^()]*?)\s*\)|(?P<p2>[^\s()/,]+(?:\([^()]*\))?)"
)
_GAP = re.compile(r"[\s/,]*")
_GROUP = re.compile(r"\(([^()]*)\)")
_LIST = re.compile(r"(?<!\S)(\d+)(?:\s*\([^()]*\))*\s*\Z")
_WORDS = re.compile(r"[^\s(),]+")


def read_listing(text: str, model: Model, holds: Callable[[Formula, State], bool], source: str = "") -> Strategy:
    """Read a policy. Raises PlanError for what is none of the notations, or names what the model does not have."""
    read = _Reader(text=text, model=model, source=source)
    if found := CONTROLLER.search(text):
        read.fail("controllers with memory (FOND-SAT) are not read; a table of states and actions is", found.start())
    if TABLE.search(text):
        return read.table()
    return read.compact() if COMPACT.search(text) else read.tree(holds)


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

    def compact(self) -> PolicyTable:
        """Read atoms, actions and numbers of these, each list behind its length; other atoms of the list are false."""
        marks = [match.span() for match in re.finditer(r"^%%[ \t]*$", self.text, re.MULTILINE)]
        if len(marks) != 2:
            self.fail("atoms, actions and the policy were expected, with a line '%%' between", marks[0][0])
        atoms = [self._atom(match[1], match.start(1)) for match in self._listed(0, marks[0][0])]
        actions = [self._step(match[1], match.start(1)) for match in self._listed(marks[0][1], marks[1][0])]
        numbers = re.compile(r"\d+").finditer(self.text, marks[1][1])

        def number(below: int) -> int:
            found = next(numbers, None)
            if found is None:
                self.fail("the policy ends too early: a number was expected", len(self.text.rstrip()))
            if int(found[0]) >= below:
                self.fail(f"a number below {below} was expected", found.start())
            return int(found[0])

        entries = []
        for _ in range(number(10**9)):
            true = frozenset(atoms[number(len(atoms))] for _ in range(number(len(atoms) + 1)))
            entries.append(Entry(true, frozenset(atoms) - true, actions[number(len(actions))]))
        return PolicyTable(tuple(entries))

    def _listed(self, start: int, end: int) -> list[re.Match[str]]:
        """Return the groups in parentheses that end at a place, with their number before them."""
        found = _LIST.search(self.text, start, end)
        if found is None:
            self.fail("a number, and so many groups in parentheses, were expected", start)
        groups = list(_GROUP.finditer(self.text, found.end(1), end))
        if int(found[1]) != len(groups):
            self.fail(f"{found[1]} groups in parentheses were expected, got {len(groups)}", found.start(1))
        return groups

    # --- trees -------------------------------------------------------------------------------------

    def tree(self, holds: Callable[[Formula, State], bool]) -> PlanTree:
        found = list(_NODE.finditer(self.text))
        numbers = {match["id"]: place for place, match in reversed(list(enumerate(found)))}
        if len(numbers) < len(found):
            again = next(match for place, match in enumerate(found) if numbers[match["id"]] != place)
            self.fail(f"{again['id']} is the number of two steps", again.start("id"))
        return PlanTree(holds, tuple(self._branch(match, numbers) for match in found))

    def _branch(self, match: re.Match[str], numbers: dict[str, int]) -> Branch:
        step = self._step(match["step"], match.start("step"))
        if step is None:
            self.fail("a step was expected", match.start("step"))
        action = self.model.domain.actions[step.name]
        names = {parameter.name: value for parameter, value in zip(action.parameters, step.args, strict=True)}
        observed = tuple(substituted(formula, names) for formula in action.observed)
        sons = _SON.findall(match["sons"])
        if not sons or (len(sons) > 1 and len(observed) != 1):
            why = "does not observe one condition" if sons else "has no SON: behind it"
            self.fail(f"{step} {why}", match.start("sons"))
        following = tuple(
            (() if kind == "SON" else ((observed[0], kind == "TRUESON"),), numbers.get(name, -1)) for kind, name in sons
        )
        return Branch(step, observed, () if all(number < 0 for _, number in following) else following)
