"""The planning problem of a flow: names, sorts, constants, actions, costs; ``pddl`` makes text of them.

What no condition and no goal reads is left out of the effects and the initial state. The same flow gives the same
bytes in every process.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from validator.execution.trace import Failure, UnmetGoal
from validator.model.conditions import predicates
from validator.model.formulas import conjunction
from validator.model.pddl.syntax import Group, Word, groups
from validator.model.values import TRUE, Atom, Equal, Fluent, Formula
from validator.records import dataclass, field, replace

NO_STEP = " "
"""the name of a step that no model has: what a token is read as that a flow refuses"""

_RESERVED = frozenset(
    (
        *("and", "or", "not", "imply", "when", "forall", "exists", "either", "define", "domain", "problem", "object"),
        *("number", "increase", "decrease", "assign", "scale-up", "scale-down", "total-cost", "minimize", "maximize"),
        *("always", "sometime", "within", "at", "end", "preference"),
    )
)


class Symbols:
    """Hands out PDDL names. A text in one ``space`` (item, operator, ...) keeps the name that it got first."""

    def __init__(self) -> None:
        self._taken: set[str] = set(_RESERVED)
        self._names: dict[tuple[str, str], str] = {}

    def name(self, space: str, text: str) -> str:
        """Return the PDDL name of a text: its letters and digits where that is free, else with a number behind."""
        key = (space, text)
        found = self._names.get(key)
        if found is None:
            found = self._names[key] = self._free(_plain(text) or space)
        return found

    def _free(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}-{number}"
        self._taken.add(name)
        return name


def _plain(text: str) -> str:
    """Return a text in lower-case ASCII letters, digits, ``-`` and ``_``, beginning with a letter."""
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9_]+", "-", folded).strip("-")
    return f"x-{plain}" if plain and not plain[0].isalpha() else plain


PRICES = ("price", "last-resort-price")
"""functions of an item: what it costs to ask for it"""

# --- conditions and effects ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Effect:
    """An atom that an action makes true or false, where ``when`` holds; ``each`` is a variable for all items."""

    atom: Atom
    adds: bool
    when: Formula = TRUE
    each: str = ""


def atom(predicate: str, *terms: str) -> Atom:
    return Atom(predicate, terms)


def adds(*atoms: Atom, when: Formula = TRUE) -> list[Effect]:
    return [Effect(each, True, when) for each in atoms]


def deletes(*atoms: Atom, when: Formula = TRUE, each: str = "") -> list[Effect]:
    return [Effect(one, False, when, each) for one in atoms]


# --- the problem ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Action:
    """An action: the sorts of its variables, its conditions and effects, and a cost, a number or a price."""

    name: str
    parameters: Mapping[str, str]
    precondition: Formula
    effects: list[Effect]
    cost: int | Fluent


@dataclass(kw_only=True)
class Task:
    """A planning problem that is made: sorts with their parents, constants with their sorts, actions, facts, a goal.

    Terms are names of constants, and variables such as ``?x``; ``values`` are those of functions of one item.
    """

    name: str
    predicates: Mapping[str, tuple[str, ...]]
    sorts: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    values: dict[tuple[str, str], int] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)
    facts: set[Atom] = field(default_factory=set)
    goal: Formula = TRUE

    def constant(self, name: str, sort: str) -> str:
        self.constants[name] = sort
        return name

    def fact(self, predicate: str, *terms: str) -> None:
        self.facts.add(Atom(predicate, terms))

    def deletes(self, wanted: Atom) -> bool:
        """Return whether an effect may make an atom without variables false."""
        effects = (effect for action in self.actions for effect in action.effects)
        return any(not effect.adds and _unified(effect.atom, wanted) is not None for effect in effects)

    def also(self, wanted: Atom, other: Atom) -> None:
        """Let another atom be true wherever an atom without variables becomes true, and where it is so at first."""
        for action in self.actions:
            for effect in list(action.effects):
                equal = _unified(effect.atom, wanted) if effect.adds else None
                if equal is not None:
                    action.effects.extend(adds(other, when=conjunction([effect.when, *equal])))
        if wanted in self.facts:
            self.facts.add(other)

    def pruned(self) -> Task:
        """Return the problem without what no condition and no goal reads."""
        read = {*predicates(self.goal)}
        for action in self.actions:
            read.update(predicates(action.precondition))
            read.update(name for effect in action.effects for name in predicates(effect.when))
        return replace(
            self,
            predicates={name: sorts for name, sorts in self.predicates.items() if name in read},
            actions=[replace(a, effects=[e for e in a.effects if e.atom.predicate in read]) for a in self.actions],
            facts={fact for fact in self.facts if fact.predicate in read},
        )


def _unified(one: Atom, ground: Atom) -> Iterable[Formula] | None:
    """Return the equalities under which an atom is one without variables; None when it never is."""
    if one.predicate != ground.predicate:
        return None
    pairs = [(term, other) for term, other in zip(one.terms, ground.terms, strict=True) if term != other]
    return None if any(not term.startswith("?") for term, _ in pairs) else [Equal(*pair) for pair in pairs]


# --- predicates, and literals in words ------------------------------------------------------------


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


class Words:
    """Tells literals in the names of a flow; ``names`` maps PDDL names to them."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def __call__(self, literal: str) -> str:
        """Return a literal, or a formula of several, in words between quotes."""
        return f'"{self.literal(literal)}"'

    def literal(self, literal: str) -> str:
        """Return the same without quotes."""
        _, parts = groups(literal, "")
        return self._formula(parts[0]) if parts and isinstance(parts[0], Group) else literal

    def _formula(self, group: Group, *, negative: bool = False) -> str:
        name, inner = group.head, [node for node in group.nodes if isinstance(node, Group)]
        words = [node.text for node in group.nodes if isinstance(node, Word)]
        if name in PREDICATES:
            said = PREDICATES[name].denies if negative else PREDICATES[name].says
            return said.format(*(self._names.get(word, word) for word in words[1:]))
        if negative:
            return f"not {self._formula(group)}"
        if name == "not":
            return self._formula(inner[0], negative=True)
        return f" {name} ".join(map(self._formula, inner)) if name in ("and", "or") else f"({' '.join(words)})"

    def failure(self, failure: Failure) -> Failure:
        """Return a failure with its conditions in words."""
        causes = tuple(replace(cause, literal=self(cause.literal)) for cause in failure.causes)
        return replace(failure, unmet=tuple(map(self, failure.unmet)), causes=causes)

    def unmet_goal(self, goal: UnmetGoal) -> UnmetGoal:
        return replace(goal, literal=self(goal.literal))
