"""Clauses of questions: a few words in, the steps or the facts of the model that they mean out.

Objects, verbs, what they explain, and the steps that both allow are found by the lexicon, as in plans in words.
But for the words that ask, all must be explained: a step that is read of half a clause would answer another question.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import product

from validator.automata.constraints import Pattern, is_open
from validator.errors import InputError
from validator.foils.language.context import (
    AUXILIARY,
    FILLERS,
    INTENTIONS,
    ORDER,
    USES,
    Context,
    joined,
    read_condition,
    read_pattern,
    shown,
)
from validator.model.values import Action, GroundAtom, literals_of
from validator.reading.lexicon import english
from validator.reading.lexicon.clauses.clause import Clause, Kind
from validator.reading.lexicon.clauses.mentions import Mention
from validator.reading.lexicon.clauses.patterns import Patterns
from validator.reading.lexicon.english import stem
from validator.reading.lexicon.line_words import parts, words_of
from validator.reading.plan import LEFT_OUT
from validator.records import dataclass, replace

ANY = "_"
_FLAGS = (
    (english.POSSIBLE, ("can",)),
    (("must",), ("must",)),
    (english.BE, ("be",)),
    (english.STAYING, ("stay", "be")),
    (USES, ("use",)),
    (("need", "needs", "needed", "require", "required", "necessary"), ("use", "need")),
    (english.OMISSIONS, ("deny", "use", "omit")),
    (("not", "no"), ("deny",)),
    (("never", "nobody"), ("deny", "never")),
)
"""what words say of their clause without being part of the step or of the fact"""
_BESIDE_FORMAL = {
    **dict.fromkeys(("occur", "done", "executed", "performed"), ()),
    **dict.fromkeys(("drop", "dropped", "remove", "removed", "delete", "deleted", "cut"), ("deny", "use", "omit")),
}
"""the same beside a step in a formal notation, where none of them can be its verb"""
_PHRASES = (
    (re.compile(r"\b(?:end|ends|ended|ending) up\b|\b(?:in|at) the end\b", re.IGNORECASE), ("end", "be")),
    (re.compile(r"\bsimultaneously\b", re.IGNORECASE), ("at once",)),
    (re.compile(r"\b(?:happens?|happened|takes? place|took place)\b", re.IGNORECASE), ()),
    (re.compile(r"\balready\b|\binitially\b|\b(?:from|at) the (?:start|beginning)\b"
                r"|\b(?:start|starts|started|begin|begins|began)\b(?= (?:at|in|on|with) )", re.IGNORECASE),
     ("already", "be")),
    (re.compile(r"\b(?:have|has|had|need|needs|needed) to\b", re.IGNORECASE), ("need",)),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseReading:
    """What a clause says: steps, each of which is meant, or facts; without both, objects are named.

    ``atoms`` have ``_`` for any object: they hold, or the steps make them true. ``objects`` are all that are named;
    with ``is_each``, each of them is meant. ``flags`` are what else is said in ``text``: can, must, need, use, be,
    stay, end, never, omit, already, at once; ``denials`` how often it is denied.
    """

    steps: tuple[Pattern, ...] = ()
    atoms: tuple[GroundAtom, ...] = ()
    objects: tuple[str, ...] = ()
    condition: str = ""
    is_event: bool = False
    is_each: bool = False
    flags: frozenset[str] = frozenset()
    denials: int = 0
    text: str = ""

    @property
    def is_state(self) -> bool:
        """Return whether a state is told, and no step."""
        return not self.steps and bool(self.atoms or self.condition)

    @property
    def formula(self) -> str:
        """Return the facts as a condition in PDDL."""
        atoms = " ".join(f"({' '.join(atom)})" for atom in self.atoms)
        return self.condition or (f"(and {atoms})" if len(self.atoms) > 1 else atoms)


def any_of(patterns: Iterable[Pattern]) -> Pattern:
    """Return the steps of all patterns as one."""
    first, *others = dict.fromkeys(each for pattern in patterns for each in pattern.alternatives)
    return replace(first, others=tuple(others))


def not_understood(why: str) -> InputError:
    """Return the error for a question of which something was not understood."""
    return InputError(f"not understood: {why}", source="question")


def read_clause(text: str, context: Context, known: Sequence[str] = ()) -> ClauseReading:
    """Return what a clause says; ``known`` are objects that a pronoun may mean.

    Raises InputError for a word that is not explained, and for a clause that can mean two things.
    """
    text, flags = joined(text), list[str]()
    for phrase, said in _PHRASES:
        shorter = phrase.sub(" ", text)
        flags += said if shorter != text else ()
        text = shorter
    text = re.sub(r"^(?:the|this|that) ", "", " ".join(text.split()), flags=re.IGNORECASE)
    read = _formal(text, context)
    if read is None:
        read = _resolved(text, context, known, flags)
    flags += read.flags
    if "at once" in flags:
        if len(read.atoms) < 2:
            raise not_understood(f"'{text}' tells no facts that could hold at once")
        read = replace(read, steps=())
    return replace(read, flags=frozenset(flags), text=text)


def _flags_of(word: str) -> tuple[str, ...]:
    return tuple(flag for words, flags in _FLAGS if word in words for flag in flags)


def _formal(text: str, context: Context) -> ClauseReading | None:
    """Return what is in a formal notation, or written as the model does, with nothing but small words beside it."""
    words, flags, beside = text.split(), list[str](), list[str]()
    found = [word for word in words if "(" in word]
    of_formal = _BESIDE_FORMAL if found else {}
    while words:
        read = ClauseReading(flags=frozenset(flags), denials=flags.count("deny"))
        with suppress(InputError):
            step = read_pattern(shown(" ".join(words)), context.simulator)
            return replace(read, steps=(step,), objects=tuple(arg for arg in step.args if not is_open(arg)))
        word = words.pop(0)
        is_small = word.lower() in english.FUNCTION | {"or"} and word.lower() not in ORDER
        said = of_formal.get(word.lower(), _flags_of(word.lower()))
        is_small |= word.lower() in of_formal
        beside += () if word in found or is_small or said else (word,)
        flags += said
        if beside:
            break
    if not found:
        return None
    if beside:
        raise not_understood(f"'{beside[0]}' was not understood")
    read, whole = ClauseReading(flags=frozenset(flags), denials=flags.count("deny")), shown(" or ".join(found))
    if context.speaks_of_step(whole):
        return replace(read, steps=(read_pattern(whole, context.simulator, source="question"),))
    read_condition(context, whole)
    return replace(read, condition=whole)


def _resolved(text: str, context: Context, known: Sequence[str], flags: Collection[str]) -> ClauseReading:
    """Return what a clause says, with an object in place of a pronoun after its first word."""
    words = words_of(text)
    place = next((index for index, word in enumerate(words.texts) if word in english.PERSONS), None)
    if place is None or (place == 0 and not known and words.texts[0] in ("it", "they")):
        return _Clause(context, text, flags).read()
    ways: dict[ClauseReading, None] = {}
    for name in known:
        with suppress(InputError):
            ways[_Clause(context, f"{text[: words.starts[place]]}{name}{text[words.ends[place] :]}", flags).read()] = (
                None
            )
    if len(ways) != 1:
        raise not_understood(f"'{words.texts[place]}' was not understood")
    return next(iter(ways))


class _Clause:
    """The words of one clause, and what they name."""

    def __init__(self, context: Context, text: str, flags: Collection[str]) -> None:
        self.context, self.text, self.words = context, text, words_of(text)
        self.texts, self.covered = self.words.texts, context.coverage.of(self.words)
        self.named, self.verbs = self.covered.named, self.covered.verbs
        self.free = [index for index in range(len(self.words)) if index not in self.named and index not in self.verbs]
        self.flags = [*flags, *(flag for index in self.free for flag in _flags_of(self.texts[index]))]
        asking = {self.texts[index] for index in self.free if self._asks(index)}
        order = [word for word in self.covered.said if word in ORDER]
        loose = context.coverage.loose(self.words, self.covered)
        doubts = dict.fromkeys((*self.covered.doubts, *loose, *order))
        self.doubts = [word for word in doubts if word not in asking]
        self.strange = [word for word in context.unexplained(self.words, self.covered) if word not in asking]
        small = english.PREPOSITIONS.keys() | english.PARTICLES
        verbs = (self.texts[index] for index in sorted(self.verbs))
        self.content = [word for word in dict.fromkeys((*verbs, *self.strange)) if word not in small]
        """the words that may say a state"""

    def _asks(self, index: int) -> bool:
        """Return whether a word belongs to the question rather than to the step or the fact."""
        word, behind = self.texts[index], self.words.at(index + 1)
        is_kind = index + 1 in self.named and self.context.lexicon.objects.at(self.words, index + 1) is None
        return (
            bool(_flags_of(word))
            or word in AUXILIARY | english.OPEN | FILLERS
            or (word in english.QUANTIFIERS and is_kind)
            or (word in INTENTIONS and behind in ("to", "for"))
            or (bool(self.verbs) and stem(word) in map(stem, english.CAUSATIVE))
        )

    def read(self) -> ClauseReading:
        """Return what the clause says. Raises InputError for what it cannot be read as."""
        for index in (index for index in self.free if self.texts[index].isdigit()):
            start = max((at for at in range(index + 1) if not self.words.glued[at]), default=index)
            name = self.text[self.words.starts[start] : self.words.ends[index]]
            raise not_understood(f"'{name}' is not an object of the model")
        groups: list[list[Mention]] = []
        for mention in self.covered.mentions:  # "all vans" are joined
            if mention.joint and groups:
                groups[-1].append(replace(groups[-1][0], objects=mention.objects))
            else:
                groups.append([mention])
        found = [self.of(row) for row in product(*groups)]
        return ClauseReading(
            steps=tuple(dict.fromkeys(step for one in found for step in one.steps)),
            atoms=tuple(dict.fromkeys(atom for one in found for atom in one.atoms)),
            objects=tuple(dict.fromkeys(name for one in found for name in one.objects)),
            is_event=any(one.is_event for one in found),
            is_each=len(found) > 1,
            flags=frozenset(self.flags),
            denials=self.flags.count("deny"),
        )

    def of(self, mentions: Sequence[Mention]) -> ClauseReading:
        """Return what the clause says of some objects. Raises InputError as ``read`` does."""
        objects = tuple(mention.objects[0] for mention in mentions if len(mention.objects) == 1)
        is_be, covered, content = "be" in self.flags, self.covered, self.content
        problem: InputError | None = None
        is_step = covered.actions and not covered.is_split and "already" not in self.flags
        if is_step:
            ands = ("and",) if "and" in covered.said else ()
            if strange := (*self.strange, *self.doubts, *ands):
                problem = not_understood(f"'{strange[0]}' was not understood")
            elif steps := self._steps(covered.actions, mentions):
                return ClauseReading(steps=(steps,), objects=objects)
            else:
                problem = not_understood(f"'{self.text}': no action takes these objects so")
        strange = (*content, *self.doubts)
        if not strange and len(mentions) == 1:
            return ClauseReading(objects=mentions[0].objects)
        read = None
        if mentions and len(content) == 1 and "already" not in self.flags:
            read = self._brought(content[0], mentions, is_be=is_be)
        read = read or self._state(mentions, is_be=is_be)
        if read is not None:
            return replace(read, objects=objects)
        if not problem and mentions and not content:
            raise not_understood(f"'{self.text}' does not say what is done")
        raise problem or not_understood(
            f"'{strange[0]}' was not understood" if strange else f"'{self.text}' names nothing of the model"
        )

    # --- steps -----------------------------------------------------------------------------------

    def _ways(
        self, names: Iterable[str], mentions: Sequence[Mention], patterns: Patterns | None = None
    ) -> Iterator[Pattern]:
        """Yield the steps of actions, or the facts of predicates, that the objects allow, as in plans in words."""
        patterns = patterns or self.context.lexicon.patterns
        actions = tuple(
            each.name for each in patterns.model.domain.actions.values() if (each.step or each.name) in names
        )
        clause = Clause(
            text=self.text, span=(0, len(self.text)), kind=Kind.STEP, actions=actions, mentions=tuple(mentions)
        )
        for way in patterns.ways(clause, is_tight=True):
            yield Pattern(name=way.name, args=tuple(ANY if arg == LEFT_OUT else arg for arg in way.args))

    def _steps(self, actions: Sequence[str], mentions: Sequence[Mention]) -> Pattern | None:
        """Return the steps of the actions that the words fit best, all of them weighed together."""
        ways: dict[str, list[Pattern]] = {}
        for way in self._ways(actions, mentions):
            ways.setdefault(way.name, []).append(way)
        return any_of(self._one(name, mentions, rows) for name, rows in ways.items()) if ways else None

    def _one(self, action: str, mentions: Sequence[Mention], ways: Sequence[Pattern]) -> Pattern:
        """Return the step of an action that it can be done in, one argument of which may be any of a kind.

        Raises InputError where it can be several.
        """
        found = list(dict.fromkeys(ways))
        if len(found) < 2:
            return found[0]
        columns = list(zip(*(pattern.args for pattern in found), strict=True))
        open_places = [place for place, column in enumerate(columns) if len({*column}) > 1]
        values = {*columns[open_places[0]]}
        if len(open_places) > 1 or not any(values <= {*m.objects} for m in mentions if len(m.objects) > 1):
            ambiguous = " or ".join(map(str, found[:3]))
            raise InputError(f"'{self.text}' can be {ambiguous}; say which", source="question")
        (place,), model, kinds = open_places, self.context.model, self.context.lexicon.kinds
        of_action = model.domain.actions[action]
        if {name for name in model.problem.objects if kinds.fits(of_action, place, name)} == values:
            return replace(found[0], args=(*found[0].args[:place], ANY, *found[0].args[place + 1 :]))
        return any_of(found)

    def _brought(self, word: str, mentions: Sequence[Mention], *, is_be: bool) -> ClauseReading | None:
        """Return the steps that make true, or false, what an everyday verb or a predicate says of the objects."""
        verb, model = stem(word), self.context.model
        predicates = [name for name in model.domain.predicates if verb in map(stem, parts(name))]
        is_gone = verb in english.LEAVING and english.PREPOSITIONS.keys().isdisjoint({*self.texts} - {"from"})
        if not (predicates or verb in english.EVERYDAY or is_gone) or (is_be and verb not in english.EVERYDAY):
            return None
        if (len(mentions) < 2 and not predicates and verb not in english.MOTION) or self.doubts:
            return None
        made: dict[str, dict[Pattern, GroundAtom]] = {}
        for name, action in model.domain.actions.items():
            ways: dict[str, list[Pattern]] = {}
            for pattern in self._ways((name,), mentions):
                for atom in self._changed(pattern, action, mentions, predicates, is_gone=is_gone):
                    ways.setdefault(atom[0], []).append(pattern)
            for predicate, rows in ways.items():
                for each in self._one(name, mentions, rows).alternatives:
                    changed = self._changed(each, action, mentions, predicates, is_gone=is_gone)
                    made.setdefault(predicate, {})[each] = next(atom for atom in changed if atom[0] == predicate)
        if len(made) != 1:
            return None
        (steps,) = made.values()
        atoms = {*steps.values()}
        return ClauseReading(steps=(any_of(steps),), atoms=tuple(atoms) if len(atoms) == 1 else (), is_event=True)

    def _changed(
        self, step: Pattern, action: Action, mentions: Sequence[Mention], said: Sequence[str], *, is_gone: bool
    ) -> list[GroundAtom]:
        """Return the atoms in which all objects stand that a step makes true, or false where something is left."""
        bound = dict(zip((parameter.name for parameter in action.parameters), step.args, strict=True))
        made, gone = [
            [
                (literal.atom.predicate, *(bound.get(term, term) for term in literal.atom.terms))
                for literal in literals_of(action.effects)
                if literal.positive is is_made
            ]
            for is_made in (True, False)
        ]
        named = {arg for arg in step.args if arg != ANY}
        left = {name for mention in mentions if mention.role == "from" for name in mention.objects} & named
        if is_gone:
            return [atom for atom in gone if named <= {*atom} and atom[0] in (said or atom)]
        if left and not any(left <= {*atom} for atom in gone):
            return []
        needed = named - left
        if len(mentions) > 2 and not said:  # "Lou carries the throne to the pit": who does it
            needed -= {*mentions[0].objects}
        moved = [atom for atom in made if any(was[0] == atom[0] and {*atom} - {*was} == named for was in gone)]
        fitting = (atom for atom in made if needed <= {*atom} and atom[0] in (said or atom))
        return [atom for atom in fitting if len(mentions) > 1 or said or atom in moved]

    # --- states ----------------------------------------------------------------------------------

    def _state(self, mentions: Sequence[Mention], *, is_be: bool) -> ClauseReading | None:
        """Return the facts that are told of the objects; None where no predicate, or more than one, is meant.

        A predicate is read as an action is. One that no word names must take all objects, and of two of one kind its
        name must say how they stand: "on" is in the name of the predicate.
        """
        content = self.content
        said, texts, most = set(map(stem, content)), {*self.texts}, [len(mention.objects) for mention in mentions]
        if (not is_be and not content) or max(most, default=1) > 1:
            return None
        orders = [mentions, mentions[::-1]] if texts & {"between", "and"} else [mentions]
        relations = {english.PREPOSITIONS[word] for word in texts & english.PREPOSITIONS.keys()}
        found: dict[str, list[GroundAtom]] = {}
        for name, parameters in self.context.model.domain.predicates.items():
            words = parts(name)
            placed = {english.PREPOSITIONS[word] for word in words if word in english.PREPOSITIONS} - {""}
            is_whole = len(mentions) == len(parameters) > 1 and "under" not in relations - placed
            if not (said <= set(map(stem, words)) and len(mentions) <= len(parameters) and (said or is_whole)):
                continue
            ways = [[*self._ways((name,), order, self.context.facts)] for order in (mentions, mentions[::-1])]
            if said or relations & placed or len(orders) > 1 or {*ways[1]} <= {*ways[0]}:
                found[name] = list(dict.fromkeys((name, *way.args) for row in ways[: len(orders)] for way in row))
        found = {name: atoms for name, atoms in found.items() if atoms}
        exact = {name: atoms for name, atoms in found.items() if texts & english.PREPOSITIONS.keys() & {*parts(name)}}
        whole = {name: atoms for name, atoms in found.items() if set(map(stem, parts(name))) == said}
        chosen = whole or (exact if not said and exact else found)
        if len(chosen) != 1:
            return None
        ((name, atoms),) = chosen.items()
        if len(atoms) > len(orders) and len(mentions) > 1:
            return None
        if strange := [word for word in (*content, *self.doubts) if stem(word) not in map(stem, parts(name))]:
            raise not_understood(f"'{strange[0]}' was not understood")
        return ClauseReading(atoms=tuple(atoms))


def swapped(text: str, name: str, context: Context) -> Pattern:
    """Return the step that a clause tells, with an object in place of the one that it can stand for.

    Raises InputError where it can stand for none, or for two.
    """
    clause = _Clause(context, text, ())
    found: dict[Pattern, None] = {}
    mentions = clause.covered.mentions
    for place, mention in enumerate(mentions):
        with suppress(InputError):
            steps = clause.of((*mentions[:place], replace(mention, objects=(name,)), *mentions[place + 1 :])).steps
            found.update(dict.fromkeys(steps if len(steps) == 1 else ()))
    if len(found) != 1:
        raise not_understood(f"it is not clear what '{name}' stands for in '{text}'; write the step")
    return next(iter(found))
