"""Patterns: the steps of the model that a clause allows, with arguments left out where the clause does not name them.

The tight reading keeps all evidence: the verb, what prepositions say, the order in which objects of one kind are named.
The loose one keeps what is certain: the objects that are named, and "from" together with "to". A line tells the steps
of its clauses that allow exactly one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations, islice, pairwise, permutations
from typing import TypeAlias

from validator.errors import Names
from validator.model.values import Action, Literal, Model, literals_of
from validator.reading.lexicon.clauses.action_words import changes
from validator.reading.lexicon.clauses.clause import Clause, Kind, Reason
from validator.reading.lexicon.clauses.mentions import Mention
from validator.reading.lexicon.line_words import words_in
from validator.reading.lexicon.names import Objects
from validator.reading.lexicon.verbs import Verbs
from validator.reading.plan import LEFT_OUT, Span, Step
from validator.records import dataclass, replace
from validator.resources import Recent

_MOST_MENTIONS = 7
_MOST_WAYS = 50
"""steps that a clause may be, which are compared"""

_Placement: TypeAlias = tuple[str, tuple[int, ...], list[tuple[str, ...]]]
"""an action, the places of its parameters that mentions take, and the objects that fit there"""


@dataclass(frozen=True)
class Patterns:
    """The steps that clauses of one model allow."""

    model: Model
    objects: Objects
    verbs: Verbs

    @cached_property
    def names(self) -> Names:
        """Return the actions, to look for the one that an unknown verb is most like."""
        return Names(self.model.domain.actions)

    @cached_property
    def _roles(self) -> dict[str, tuple[frozenset[int], frozenset[int]]]:
        """Return for each action the parameters where something leaves, and where it arrives, as its effects say."""
        counts = Counter(fact[0] for fact in self.model.problem.init)
        effects = {name: [*literals_of(action.effects)] for name, action in self.model.domain.actions.items()}
        unbalanced = {name for literals in effects.values() for name in _unbalanced(literals)}
        singular = frozenset(name for name, count in counts.items() if count == 1) - unbalanced
        return {
            name: _roles_of(effects[name], [p.name for p in action.parameters], singular)
            for name, action in self.model.domain.actions.items()
        }

    def lines(self, clause: Clause) -> tuple[tuple[Clause, ...], ...]:
        """Return the lines that a clause may be: itself, a chain of places, one clause for each of several objects."""
        if clause.exact:
            return ((clause,),)
        plurals = self._plural(clause, "and"), self._plural(clause, "then")
        kinds = (self._paired(clause), plurals[0], self._chain(clause), self._both(clause), plurals[1])
        several = (line for line in kinds if line not in ((), (clause,)) and all(map(self._takes_all, line)))
        if any(mention.joint == "each" for mention in clause.mentions) or not self._takes_all(clause):
            return tuple(several)
        is_list = any(self._are_alike(clause, *pair) for pair in pairwise(clause.mentions))
        is_list = is_list and not self._fills(clause)  # "plug the fibre in between alpha and beta"
        return ((clause,), *several) if is_list else ((clause,),)

    def _are_alike(self, clause: Clause, one: Mention, other: Mention) -> bool:
        """Return whether a mention may go on with a list that another begins: "cut a and b", not "move | a -> b"."""
        leads_on = other.joint == "then" and any(all(self._roles[name]) for name in clause.actions)
        return other.is_joined and not (other.role or leads_on) and self.share_place(clause, one, other)

    def share_place(self, clause: Clause, one: Mention, other: Mention) -> bool:
        """Return whether an action of a clause has a parameter that takes what either of two mentions names."""
        return self.objects.share_place(clause.actions, (*one.objects[:1], *other.objects[:1]))

    def _takes_all(self, clause: Clause) -> bool:
        return bool(self.ways(clause, is_tight=True))

    def action_of(self, step: Step) -> Action:
        """Return an action that is a way to do a step with so many arguments."""
        actions = (a for a in self.model.domain.actions.values() if (a.step or a.name) == step.name)
        return next(action for action in actions if len(action.parameters) == len(step.args))

    def is_whole(self, clause: Clause) -> bool:
        """Return whether a clause names as many objects as each of its actions takes, each by its name."""
        is_beside = any(self._is_beside(clause, mention) for mention in clause.mentions)
        return self._fills(clause) and not (is_beside or clause.is_joined)

    def _fills(self, clause: Clause) -> bool:
        """Return whether a clause names as many objects as each of its actions takes."""
        sizes = {len(self.model.domain.actions[name].parameters) for name in clause.actions}
        return sizes == {len(clause.mentions)} and all(len(mention.objects) == 1 for mention in clause.mentions)

    def _is_beside(self, clause: Clause, mention: Mention) -> bool:
        """Return whether a mention may say with what or where something is done: "oil the hatch in the hall".

        So it is with what moves along: "hawk flies the box to the farm".
        """
        moves = mention is not clause.mentions[0] and all(all(self._roles[name]) for name in clause.actions)
        if mention.role or not (mention.relation or moves):
            return mention.role == "with"
        actions = (self.model.domain.actions[name] for name in clause.actions)
        places = ((action, place) for action in actions for place in range(len(action.parameters)))
        return not any(self.objects.fits(action, place, mention.objects[0]) for action, place in places)

    def misplaced(self, clause: Clause) -> Step:
        """Return a whole clause, no objects of which fit its action, as the step that most of them fit."""
        action = self.model.domain.actions[clause.actions[0]]
        objects = [mention.objects[0] for mention in clause.mentions]
        orders = (tuple(objects[place] for place in order) for order in permutations(range(len(objects))))
        best = max(orders, key=lambda args: sum(self.objects.fits(action, n, arg) for n, arg in enumerate(args)))
        return Step(name=action.step or action.name, args=best, span=clause.span)

    def ways(self, clause: Clause, *, is_tight: bool) -> tuple[Step, ...]:
        """Return the steps that a clause allows, each once, without their place; what is not named is ``LEFT_OUT``."""
        if clause.exact:
            return clause.exact
        if is_tight and clause.referents:
            named, place = Mention(objects=clause.referents, joint="it"), clause.pronoun_at
            mentions = (*clause.mentions[:place], named, *clause.mentions[place:])
            if found := self.ways(replace(clause, mentions=mentions, referents=()), is_tight=True):
                return found
            clause = replace(clause, referents=(), has_subject=False)
        # What fits the declared types and no fact is a step all the same, which cannot be executed.
        is_one_step = clause.is_certain and not clause.is_joined
        key = (clause.actions, bool(clause.verb), clause.mentions, clause.has_subject, is_one_step, is_tight)
        known = self._known.get(key)
        if known is None:
            known = tuple(self._ways(clause, is_tight=is_tight, by_kind=True))
            if not known and is_one_step:
                known = tuple(self._ways(clause, is_tight=is_tight, by_kind=False))
            self._known[key] = known
        return known

    @cached_property
    def _known(self) -> dict[tuple[tuple[str, ...], bool, tuple[Mention, ...], bool, bool, bool], tuple[Step, ...]]:
        """Return the steps that clauses allowed so far: texts about one model say the same over and over."""
        return Recent(5_000)

    def _ways(self, clause: Clause, *, is_tight: bool, by_kind: bool) -> Iterator[Step]:
        if len(clause.mentions) > _MOST_MENTIONS or self._goes_through(clause.mentions):
            return
        mentions = tuple(one for one in clause.mentions if is_tight or one.joint != "leader")
        # "Place it inside the cupboard" is no action without an "in" where another one has it.
        placed = [
            (name, places, choices)
            for name in self._meant(clause, is_tight) or self.model.domain.actions
            for places in permutations(range(len(self.model.domain.actions[name].parameters)), len(mentions))
            if (choices := self._objects(name, places, mentions, by_kind))
            and self._roles_fit(name, places, mentions, is_tight=is_tight)
        ]
        if is_tight and clause.verb:
            # A verb that is no action's word says what changes: "take v1 from the bench" tags no vial on it.
            known = self.model.domain.actions
            moving = [
                (name, places, choices)
                for name, places, choices in placed
                if all(changes(known[name], place, one.role) for one, place in zip(mentions, places, strict=True))
            ]
            placed = moving or (placed if clause.actions else [])
        if is_tight and clause.has_subject and mentions:
            subject = next((at for at, one in enumerate(mentions) if not (one.role or one.relation)), 0)
            placed = [one for one in placed if self._acts(*one, subject)]
        if is_tight:
            placed = self._agreeing(placed, mentions)
        seen: set[Step] = set()
        for name, places, choices in placed:
            action = self.model.domain.actions[name]
            for objects in choices:
                args = [LEFT_OUT] * len(action.parameters)
                for place, named in zip(places, objects, strict=True):
                    args[place] = named
                step = Step(name=action.step or name, args=tuple(args))
                if step not in seen:
                    seen.add(step)
                    yield step

    def _meant(self, clause: Clause, is_tight: bool) -> tuple[str, ...]:
        """Return the actions of a clause; under the loose reading also those whose names say more: pickup-and-loose."""
        if is_tight or not clause.actions:
            return clause.actions
        names = {name: {*words_in(self.model, name)} for name in self.model.domain.actions}
        return tuple(name for name, own in names.items() if any(names[one] <= own for one in clause.actions))

    def _agreeing(self, placed: Sequence[_Placement], mentions: Sequence[Mention]) -> list[_Placement]:
        """Return the placements with which most prepositions agree; where that leaves several, those in order."""
        agreements = [
            sum(
                mention.relation in self._relations[name][place]
                for mention, place in zip(mentions, places, strict=True)
            )
            for name, places, _ in placed
        ]
        most = max(agreements, default=0)
        best = [one for one, agreement in zip(placed, agreements, strict=True) if agreement == most]
        is_told = len(best) == 1 and most > 0
        return best if is_told else [one for one in best if self._is_in_order(one[0], one[1], mentions)]

    @cached_property
    def _relations(self) -> dict[str, tuple[frozenset[str], ...]]:
        """Return for each action what prepositions say before each of its arguments, by the model and by templates."""
        found = {
            name: [set(self.verbs.learnt[name][place]) for place in range(len(action.parameters))]
            for name, action in self.model.domain.actions.items()
        }
        for saying in self.verbs.sayings:
            for place, relations in enumerate(saying.relations):
                found[saying.action][place] |= relations
        return {name: tuple(frozenset(one - {""}) for one in each) for name, each in found.items()}

    def _objects(
        self, name: str, places: Sequence[int], mentions: Sequence[Mention], by_kind: bool
    ) -> list[tuple[str, ...]]:
        action = self.model.domain.actions[name]
        found: list[tuple[str, ...]] = [()]
        for place, mention in zip(places, mentions, strict=True):
            suits = self.objects.fits if by_kind else self._has_type
            fitting = [each for each in mention.objects if suits(action, place, each)]
            fitting = fitting[:1] if mention.joint == "it" else fitting  # what was named last
            found = [(*before, each) for before in found for each in fitting]
            if not found:
                break
        return found

    def _goes_through(self, mentions: Sequence[Mention]) -> bool:
        """Return whether a place is passed on the way to another: "via the hall to the dock"."""
        stops = [self._types(mention) for mention in mentions if mention.role == "to"]
        return any(mention.role == "via" and self._types(mention) in stops for mention in mentions)

    def _types(self, mention: Mention) -> frozenset[str]:
        objects = self.model.problem.objects
        return frozenset(kind for name in mention.objects for kind in objects.get(name, ()))

    def _has_type(self, action: Action, place: int, name: str) -> bool:
        types = action.parameters[place].types
        return name in self.model.problem.objects and "object" not in types and self.model.has_type(name, types)

    def _roles_fit(self, name: str, places: Sequence[int], mentions: Sequence[Mention], *, is_tight: bool) -> bool:
        """Return whether something leaves what "from" names and arrives at what "to" names."""
        sources, targets = self._roles[name]
        said = [(mention.role, place) for mention, place in zip(mentions, places, strict=True)]
        origin = [place for role, place in said if role == "from"]
        arrival = [place for role, place in said if role == "to"]
        if not is_tight:
            return not (origin and arrival and origin[0] in targets and arrival[0] in sources)
        odd = any(place in targets - sources for place in origin) or any(
            place in sources - targets for place in arrival
        )
        return not (sources and targets and odd)

    def _acts(self, name: str, places: Sequence[int], choices: Sequence[tuple[str, ...]], subject: int) -> bool:
        """Return whether the subject, one of the mentions, takes the first place where it fits: who gives, not gets."""
        action = self.model.domain.actions[name]
        return not any(
            self.objects.fits(action, place, named[subject]) for named in choices for place in range(places[subject])
        )

    def _is_in_order(self, name: str, places: Sequence[int], mentions: Sequence[Mention]) -> bool:
        """Return whether objects without a role that could change places stand in the order of the parameters."""
        sources, targets = self._roles[name]
        action = self.model.domain.actions[name]
        told = zip(mentions, places, strict=True)
        free = [(one, at) for one, at in told if one.role not in ("from", "to") or at not in sources | targets]
        return not any(
            first > second and self._fits_any(action, second, one) and self._fits_any(action, first, other)
            for (one, first), (other, second) in combinations(free, 2)
        )

    def _fits_any(self, action: Action, place: int, mention: Mention) -> bool:
        return any(self.objects.fits(action, place, name) for name in mention.objects)

    # --- several steps in one clause -----------------------------------------------------------------

    def _chain(self, clause: Clause) -> tuple[Clause, ...]:
        """Return "drive from a to b to c" and "drive to c via b" as one clause for each place that is reached."""
        rest = [mention for mention in clause.mentions if not mention.role and mention.joint != "then"]
        moved = [mention for mention in clause.mentions if mention not in rest]
        ends = [mention for mention in moved if mention.role == "to"]
        through = [one for one in moved if one.role == "via" and any(self.share_place(clause, one, to) for to in ends)]
        rest += [one for one in moved if one.role == "via" and one not in through]  # "through the door"
        moved = [mention for mention in moved if mention.role != "via"]
        first = next((place for place, mention in enumerate(moved) if mention.role == "to"), len(moved))
        moved[first:first] = through
        if moved and moved[0].joint == "then" and rest:  # dock -> hall -> shelf
            moved.insert(0, replace(rest.pop(), role="from"))
        found: list[Clause] = []
        origin: Mention | None = None
        for mention in moved:
            if mention.role == "from":
                origin = mention
                continue
            start = () if origin is None else (replace(origin, role="from"),)
            found.append(replace(clause, mentions=(*rest, *start, replace(mention, role="to"))))
            origin = mention
        return tuple(found)

    def _both(self, clause: Clause) -> tuple[Clause, ...]:
        """Return "serve both" as two clauses: for those two objects, named before or of all, that one place takes."""
        number = next((number for number, one in enumerate(clause.mentions) if one.joint == "each"), None)
        if number is None:
            return ()
        ahead, behind = clause.mentions[:number], clause.mentions[number + 1 :]
        for names in (clause.mentions[number].objects, self.model.problem.objects):
            for action in (self.model.domain.actions[name] for name in clause.actions):
                for place in range(len(action.parameters)):
                    both = [name for name in names if self.objects.fits(action, place, name)]
                    is_named = names is not self.model.problem.objects
                    told = replace(clause, pronoun="") if is_named and len(both) == 2 else clause
                    lines = [replace(told, mentions=(*ahead, Mention(objects=(one,)), *behind)) for one in both]
                    is_each = len(both) == 2 or (len(both) > 2 and is_named)
                    if is_each and all(map(self._takes_all, lines)):
                        return tuple(lines)
        return ()

    def _paired(self, clause: Clause) -> tuple[Clause, ...]:
        """Return "grip a with the left arm and b with the right one" as one clause for each pair."""
        mentions = clause.mentions
        said = [(mention.role, mention.relation) for mention in mentions]
        for second in (number for number, mention in enumerate(mentions) if mention.joint == "and"):
            for size in range(2, second + 1):
                first, behind = second - size, second + size
                is_told = any(map(any, said[first:second])) or not self.share_place(
                    clause, *mentions[first : first + 2]
                )
                if said[first:second] == said[second:behind] and is_told:
                    ahead, rest = mentions[:first], mentions[behind:]
                    pairs = (
                        mentions[first:second],
                        (replace(mentions[second], joint=""), *mentions[second + 1 : behind]),
                    )
                    return tuple(replace(clause, mentions=(*ahead, *pair, *rest)) for pair in pairs)
        return ()

    def _plural(self, clause: Clause, joint: str) -> tuple[Clause, ...]:
        """Return "load p1, p2 and p3 into t1", "load p1, then p2" as one clause for each object that is joined.

        They go with the mention before them, or an earlier one of their kind: "load p1 into t1, followed by p2".
        """
        mentions = clause.mentions
        joined = [number for number, m in enumerate(mentions) if m.joint == joint and not m.role]
        if not joined or not joined[0] or joined != [*range(joined[0], joined[0] + len(joined))]:
            return ()
        ahead = (at for at in reversed(range(joined[0])) if self.share_place(clause, mentions[at], mentions[joined[0]]))
        first = next(ahead, joined[0] - 1)
        behind = [mention for at, mention in enumerate(mentions) if at > first and at not in joined]
        return tuple(
            replace(clause, mentions=(*mentions[:first], replace(mentions[at], role=mentions[first].role), *behind))
            for at in (first, *joined)
        )


def _unbalanced(literals: Sequence[Literal]) -> Iterator[str]:
    """Yield the predicates of which effects add more or fewer facts than they delete."""
    counts: Counter[str] = Counter()
    for literal in literals:
        counts[literal.atom.predicate] += 1 if literal.positive else -1
    yield from (name for name, count in counts.items() if count)


def _roles_of(
    literals: Sequence[Literal], parameters: Sequence[str], singular: frozenset[str]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the places of the parameters that something leaves, and of those where it arrives.

    It is one fact that changes in one term: the others are the same, or, where there is no such fact, the predicate is
    ``singular``, true of one object only whatever is done.
    """
    index = {name: place for place, name in enumerate(parameters)}
    found: dict[bool, set[tuple[int, int]]] = {True: set(), False: set()}
    for gone in (literal.atom for literal in literals if not literal.positive):
        for made in (
            literal.atom for literal in literals if literal.positive and literal.atom.predicate == gone.predicate
        ):
            changed = [(one, other) for one, other in zip(gone.terms, made.terms, strict=False) if one != other]
            is_one_fact = len(gone.terms) > 1 or gone.predicate in singular
            if len(changed) == 1 and is_one_fact and index.keys() >= set(changed[0]):
                found[len(gone.terms) > 1].add((index[changed[0][0]], index[changed[0][1]]))
    moved = found[True] or found[False]  # the place that gets free is no place that something arrives at
    return frozenset(source for source, _ in moved), frozenset(target for _, target in moved)


# --- the steps that a line tells ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A step that was understood. Its arguments are the names of the model.

    ``exact``: all words are those of the step, or function words. ``warnings`` say what was read with a grain of salt.
    """

    step: Step
    span: Span
    exact: bool = True
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """What names an action or looks like a step, and which step it is cannot be told.

    ``nearest`` is the action that an unknown verb is most like; ``names_nothing``: it has no word of the model.
    """

    reason: str
    span: Span
    nearest: str | None = None
    names_nothing: bool = False


def told(clauses: Sequence[Clause], patterns: Patterns) -> tuple[Said | Unclear, ...]:
    """Return what clauses tell, in their order."""
    found: list[Said | Unclear] = []
    for clause in clauses:
        names_only = clause.kind is Kind.HOLE and not (clause.actions or clause.exact or clause.strange)
        if not clause.is_open or clause.reason == Reason.STATE_OR_STEP or names_only:
            continue
        found += [_told(part, patterns) for part in _parts(clause, patterns)]
    return tuple(found)


def _parts(clause: Clause, patterns: Patterns) -> Sequence[Clause]:
    """Return the clauses of a clause that tells several steps: of several objects, or through several places."""
    lines = patterns.lines(clause) if clause.kind is Kind.STEP and clause.actions else ()
    return lines[0] if lines else (clause,)


def _told(clause: Clause, patterns: Patterns) -> Said | Unclear:
    span = clause.span
    if clause.kind is Kind.HOLE or clause.reason == Reason.OTHER_STEP:
        nothing = not (clause.mentions or clause.actions or clause.exact or clause.retracts)
        return Unclear(reason=clause.reason or "it was not understood", span=span, names_nothing=nothing)
    if clause.exact:
        return Said(step=replace(clause.exact[0], span=span), span=span)
    if not clause.actions:
        nearest = patterns.names.nearest(clause.verb)
        return Unclear(reason=f"no action is called '{clause.verb}'", span=span, nearest=nearest)
    ways = list(islice(_completed(clause, patterns), _MOST_WAYS))
    whole = {way: notes for way, notes in ways if LEFT_OUT not in way.args}
    if len(ways) == len(whole) == 1:
        ((step, notes),) = whole.items()
        notes = (f"'{clause.verb}' is read as {step.name}", *notes) if clause.verb else notes
        return Said(step=step, span=span, exact=clause.is_certain, warnings=notes)
    if whole:
        names = " or ".join(dict.fromkeys(str(way) for way, _ in ways[:3]))
        return Unclear(reason=f"it can be {names}", span=span)
    if not ways and clause.is_certain and patterns.is_whole(clause):
        return Said(step=patterns.misplaced(clause), span=span)
    return Unclear(reason=_miscounted(clause, patterns), span=span)


def _miscounted(clause: Clause, patterns: Patterns) -> str:
    sizes = {len(patterns.model.domain.actions[name].parameters) for name in clause.actions}
    said = len(clause.mentions)
    if len(sizes) > 1 or said in sizes:
        return Reason.NO_ACTION
    wanted = sizes.pop()
    are = "was" if said == 1 else "were"
    return f"'{clause.actions[0]}' takes {wanted} argument{'s' * (wanted != 1)}, {said} {are} understood"


def _completed(clause: Clause, patterns: Patterns) -> Iterator[tuple[Step, tuple[str, ...]]]:
    """Yield the steps that a clause allows, each with notes on arguments of which the model allows only one."""
    for way in patterns.ways(clause, is_tight=True):
        action = patterns.action_of(way)
        args, notes = list(way.args), []
        for place, parameter in enumerate(action.parameters):
            if args[place] != LEFT_OUT:
                continue
            known = {p.name: arg for p, arg in zip(action.parameters, args, strict=True) if arg != LEFT_OUT}
            values = patterns.objects.kinds.values(action, place, known)
            if len(values) == 1:
                args[place] = values[0]
                notes.append(f"{parameter.name} can only be {values[0]}")
        yield replace(way, args=tuple(args), span=clause.span), tuple(notes)
