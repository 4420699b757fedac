"""Saying what was read: sentences for actions and facts, by templates, or by rule from the names and the schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.model.values import Action, literals_of
from validator.reading.lexicon.english import PREPOSITIONS
from validator.reading.lexicon.kinds import Kinds
from validator.reading.lexicon.line_words import parts, words_in
from validator.reading.lexicon.templates import HOLE, Templates
from validator.reading.lexicon.verbs import Verbs, said_by_name
from validator.records import dataclass

_RANK = ("to", "in", "on", "under", "with", "at", "from")
"""of what a preposition can be, the one that is said"""


@dataclass(frozen=True, slots=True)
class Sayings:
    """How the actions, facts and objects of a model are said."""

    kinds: Kinds
    verbs: Verbs
    templates: Templates | None

    def wording(self, action: Action) -> Iterator[str]:
        """Yield the sentences of an action with holes for its arguments, the best first."""
        if self.templates is not None:
            for name, texts in self.templates.actions.items():
                if name.lower() == action.name.lower():
                    yield from (text for text in texts if len(HOLE.findall(text)) == len(action.parameters))
        yield self.by_rule(action)

    def by_rule(self, action: Action) -> str:
        """Return the sentence that an action's name and schema make: "drive truck {} from {} to {} in {}"."""
        words = list(words_in(self.kinds.model, action.step or action.name))
        nouns = [
            {word for noun in self.kinds.nouns(action, place) for word in parts(noun)}
            for place in range(len(action.parameters))
        ]
        entered = {
            literal.atom.terms[-1] for literal in literals_of(action.effects) if literal.positive and literal.atom.terms
        }
        before = [""] * len(action.parameters)
        for word in words[:0:-1]:
            owners = [place for place, known in enumerate(nouns) if word in known]
            if len(owners) != 1 or words[-2] in PREPOSITIONS:
                break
            before[owners[0]] = f"{words.pop()} "
        pieces = [" ".join(words)]
        for place, relations in enumerate(self.verbs.learnt[action.name]):
            named = said_by_name(action.parameters[place].name)
            said = next((relation for relation in _RANK if relation in (named or relations)), "")
            if place == 0 and not named:
                said = ""
            if said == "in" and action.parameters[place].name in entered:
                said = "into"
            pieces.append(f"{said} {before[place]}{{}}".strip())
        return " ".join(pieces)

    def fact_wording(self, predicate: str, arity: int) -> str:
        """Return the sentence of a predicate with holes for its arguments."""
        if self.templates is not None:
            for name, texts in self.templates.predicates.items():
                if name.lower() == predicate.lower() and len(HOLE.findall(texts[0])) in (arity, 0):
                    return texts[0] if len(HOLE.findall(texts[0])) == arity else " ".join((texts[0], *["{}"] * arity))
        return fact_by_rule(predicate, arity)

    def object_names(self, name: str) -> tuple[str, ...]:
        """Return what an object is called, the name by which it is said first."""
        said = () if self.templates is None else self.templates.names(name)
        return (*said, name)


def fact_by_rule(predicate: str, arity: int) -> str:
    """Return the sentence that a predicate's name makes: "{} is on {}"."""
    words = parts(predicate) or (predicate,)
    said, others = " ".join(words), ["{}"] * (arity - 1)
    is_place = words[0] in PREPOSITIONS and words[0] != "next"
    if arity and words[0].endswith("s") and len(words[0]) > 3:
        return " ".join(("{}", said, *others))  # "ann wants tea"
    if (arity == 1 and not words[0].endswith("ing")) or (arity == 2 and is_place):
        return " ".join(("{} is", said, *others))
    return " ".join((said, *["{}"] * arity))


def filled(text: str, names: Sequence[str]) -> str:
    """Put names into the holes of a sentence."""
    waiting = iter(names)
    return HOLE.sub(lambda hole: names[int(hole.group(1)) - 1] if hole.group(1) else next(waiting, ""), text)
