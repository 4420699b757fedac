"""What a plan told in prose is: its clauses are followed through the states, under a tight and under a loose reading.

Under the tight reading all evidence counts. A plan that executes so to the goal, every clause understood, has the
quality. Under the loose one only what is certain counts, and any steps may stand where a clause was not understood. A
plan that reaches the goal in no way even so lacks the quality, whatever those clauses mean. Else it is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import combinations, groupby, islice
from typing import TypeAlias

from validator.checking.question import Question
from validator.checking.report import Quality
from validator.checking.state_space import state_space_of
from validator.checking.words.repetition import Repetitions, agree
from validator.errors import did_you_mean
from validator.execution.simulator import Measure, Simulator
from validator.model.conditions import bindings_of_true, conjuncts, ground
from validator.model.values import Atom
from validator.reading.lexicon.clauses.clause import Clause, Kind, Reason
from validator.reading.lexicon.clauses.mentions import Mention
from validator.reading.lexicon.english import EVERYDAY, PLACES, PREPOSITIONS, RELATIVE, stem
from validator.reading.lexicon.line_words import words_of
from validator.reading.plan import LEFT_OUT, Plan, Span, Step, Unparsed, is_reading_note, reading_note, tiled
from validator.reading.understood import overlap
from validator.records import dataclass, replace
from validator.repair.diff import DiffAction, StepDiff
from validator.texts import sentence_around

_MOST_STATES = 2_000
"""after one clause, that are followed"""
MOST_TRIED = 50_000
"""steps that are executed"""
_MOST_WAYS = 400
"""steps that one clause can be in one state"""
_MOST_CONDITIONS = 8
"""of a step that cannot be executed, which decide what it leaves out"""
_MOST_TOLD = 100
"""states in which a clause of a plan that is wrong is followed"""
_NOT_POSSIBLE = "no step that it can be is possible there"
_TIMES = re.compile(
    r"\b(?:before\w*|earlier|previous\w*|prior|preced\w+|follows|followed|after(?! (?:that|this|which)\b)|once|already"
    r"|advance|prepar\w+|ahead|having|has|had|presuppos\w+|first|start\w*|begin\w*|last"
    r"|(?<=\w )(?<!then )(?<!and )(?<!next )(?<!now )(?<!lly )have"  # not "then have olga scan it"
    r"|until|when|while|meanwhile|which|who|way)\b|,\s+\w+ing\b",
    re.IGNORECASE,
)
"""what may say that a step is done at another time than where it is told"""
_BEGINS = re.compile(r"\W*(?:\d+\W*)?(?:first|start\w*|begin\w*|to (?:start|begin))\b", re.IGNORECASE)
_MOST_MOVED = 3
"""steps in a row that may be done at another time"""
_MOST_PLACES = 16
"""places where they may be done"""


State: TypeAlias = Hashable
"""of a state space"""
_Verbs: TypeAlias = tuple[tuple[str, str], ...]
"""each verb that is no action's word beside objects of some types, with the action that it means"""
_Layer: TypeAlias = "dict[tuple[State, _Verbs], Way | None]"
_Ends: TypeAlias = "Callable[[Clause, State], Iterable[tuple[Step, State]]]"
"""the steps that a clause can be in a state, each with the state after it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """Whether a plan has the quality, and the plan by which this is known; ``why`` says what is not known.

    ``holes`` are the clauses that were not understood, each with its reason.
    ``until`` is the offset of the first clause that was not understood, where the plan lacks the quality before it.
    ``nearer`` reads the steps that a repair exchanges as those of the repaired plan, where their clauses allow it; None
    where they do not.
    """

    determination: bool | None
    plan: Plan | None = None
    why: str = ""
    holes: tuple[Unparsed, ...] = ()
    until: int | None = None
    nearer: Callable[[Sequence[StepDiff]], Meaning | None] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One way to read the beginning of a text; it is compared by identity, as it is as deep as the text is long.

    ``rivals`` counts what else its last step could have been; ``why`` says why it is read so where that is no reason.
    """

    before: Way | None
    clause: Clause
    step: Step
    rivals: int = 0
    why: str = ""

    def all(self) -> list[Way]:
        found: list[Way] = []
        way: Way | None = self
        while way is not None:
            found.append(way)
            way = way.before
        return found[::-1]


class TooLargeError(Exception):
    """More states or steps than are followed."""


def of_sentences_beside(
    question: Question, clauses: Iterable[Clause], steps: Sequence[Clause], plan: Plan
) -> tuple[Meaning, Sequence[Clause]] | None:
    """Return that a plan is not known, with its clauses, where sentences beside its steps, as steps, make it right.

    What follows a piece that was not understood is not known; the plan may be right if it executes up to there.
    """
    spans = [step.span for step in steps]
    told = (
        replace(one, kind=Kind.STEP) if one.kind is Kind.REMARK and one.actions and one.reason != Reason.TWICE else one
        for one in clauses
    )
    beside = [
        clause
        for clause in told
        if (
            clause.is_certain or (clause.mentions and (clause.kind is Kind.STEP or (clause.is_open and clause.actions)))
        )
        and not any(overlap(clause.span, span) for span in spans)
    ]
    if not beside:
        return None
    readings = Readings(question, _in_order(*beside, *steps), plan)
    if not readings.may_be_right(readings.lines, beside):
        return None
    open_ = [replace(clause, kind=Kind.HOLE, reason="it may be a step beside the others") for clause in beside]
    lines = _in_order(*open_, *steps)
    return Readings(question, lines, plan).unknown(open_), lines


def _in_order(*clauses: Clause) -> tuple[Clause, ...]:
    return tuple(sorted(clauses, key=lambda clause: clause.span))


def steps_of(plan: Plan) -> Iterator[Clause]:
    """Yield the steps of a plan word for word, and what was not understood of its text, as clauses in its order."""
    missed = plan.reading.missed if plan.reading is not None else ()
    known = {piece.span for piece in missed}
    steps = (token for token in plan.steps if token.span not in known)
    found = [(step.span, Clause(text=str(step), span=step.span, kind=Kind.STEP, exact=(step,))) for step in steps]
    found += [
        (piece.span, Clause(text=piece.text, span=piece.span, kind=Kind.HOLE, reason=piece.reason)) for piece in missed
    ]
    yield from (clause for _, clause in sorted(found, key=lambda pair: pair[0]))


class Readings:
    """The clauses of one text while they are followed; at most ``most`` steps are executed."""

    def __init__(self, question: Question, clauses: Sequence[Clause], plan: Plan, most: int = MOST_TRIED) -> None:
        self.simulator: Simulator = question.simulator
        self.space = state_space_of(question.simulator)
        self.quality = question.quality
        self.plan = plan
        self.patterns = question.prepared.lexicon.patterns
        self.repetitions = Repetitions(self.patterns, plan.text)
        self.left = most
        first = next((place for place, clause in enumerate(clauses) if clause.kind is Kind.STEP), 0)
        told = enumerate(clauses)
        self.retracts = [
            one for place, one in told if one.retracts and (place > first or one.reorders is (place < first))
        ]
        open_ = [clause for clause in clauses if clause.is_open]
        self.lines = [line for clause in open_ for line in self._line(clause)]
        self.choices = [self.lines]
        """the steps where each clause that may tell one step or several tells one, and where it tells several"""
        if any(line.reason == Reason.ONE_OR_SEVERAL for line in self.lines):
            self.choices = [[line for clause in open_ for line in self._line(clause, place)] for place in (0, 1)]
        denied = (one for one in clauses[first:] if one.kind is Kind.DENIED)
        self.retracts += [one for one in denied if self._is_told(replace(one, kind=Kind.STEP))]
        self.remarks = [clause for clause in clauses if clause.may_be_step or self._tells_more(clause)]
        self.stated = [clause for clause in clauses if clause.kind is Kind.REMARK and clause.facts]
        self.again = {
            clause.span for clause in self.lines if clause.may_be_told_twice and self._is_told_elsewhere(clause)
        }
        """where clauses stand that may speak of a step that another one tells"""
        self.stuck: Clause | None = None
        """the clause that could be no step in any state that was followed"""
        self._open: dict[tuple[State, Step], tuple[tuple[Step, State], ...]] = {}

    def _tells_more(self, remark: Clause) -> bool:
        """Return whether a remark has the words of a step that no clause tells: "while Ben dims it" may be one."""
        if remark.kind is not Kind.REMARK or remark.facts or not (remark.actions and remark.mentions):
            return False
        return not self._is_told(replace(remark, kind=Kind.STEP, reason=""))

    def _is_told(self, clause: Clause) -> bool:
        return any(self.repetitions.is_same(clause, line) for line in self.lines)

    def _line(self, clause: Clause, choice: int | None = None) -> tuple[Clause, ...]:
        """Return the steps that a clause tells; a hole where they are one or several and no ``choice`` is made."""
        if clause.kind is Kind.HOLE:
            return (clause,)
        lines = self.patterns.lines(clause)
        is_either = bool(lines[1:]) and lines[0] == (clause,)
        if is_either and choice is None:
            return (replace(clause, kind=Kind.HOLE, reason=Reason.ONE_OR_SEVERAL),)
        if lines:
            told, (start, end) = lines[choice or 0 if is_either else 0], clause.span
            cuts = [*range(start, start + len(told)), end]
            return tuple(replace(part, span=(cuts[number], cuts[number + 1])) for number, part in enumerate(told))
        if clause.is_certain and self.patterns.ways(clause, is_tight=False):
            return (clause,)
        # "in Oslo, load the box into t2"
        is_led = any(mention.joint in ("lead", "leader") for mention in clause.mentions)
        if clause.exact or (clause.is_certain and not is_led and self.patterns.is_whole(clause)):
            return (clause,)
        return (replace(clause, kind=Kind.HOLE, reason=Reason.NO_ACTION),)

    def _is_told_elsewhere(self, clause: Clause) -> bool:
        others = (line for line in self.lines if line.span != clause.span and not line.may_be_told_twice)
        return any(self.repetitions.is_same(clause, other) for other in others)

    def told(self) -> Meaning:
        """Return what is known of the plan: what all choices of its steps agree on that can be executed."""
        found = [(lines, self._told_in(lines)) for lines in self.choices]
        right = [meaning for _, meaning in found if meaning.determination]
        others = [lines for lines, meaning in found if not meaning.determination]
        if right and not any(self.followed(lines, self._tight_ends) for lines in others):
            return right[0]
        is_wrong = all(meaning.determination is False for _, meaning in found)
        return found[0][1] if is_wrong or not found[1:] else self._told_in(self.lines)

    def _told_in(self, lines: Sequence[Clause]) -> Meaning:
        """Return what is known of some steps; those that are told twice are one plan, or are done twice."""
        once = self.repetitions.without_repeats(lines)
        single = self._told(once)
        if len(once) == len(lines):
            return single
        if single.determination is False and self._told(lines).determination is not False:
            kept = {line.span for line in once}
            return self._told_twice(line for line in lines if line.span not in kept)
        if single.plan is None:
            return single
        note = "the text tells these steps twice; they are read as one plan"
        return replace(single, plan=replace(single.plan, warnings=(*single.plan.warnings, note)))

    def tells_more(self, start: int) -> bool:
        """Return whether steps from an offset on say more than those before it once more."""
        once = self.repetitions.without_repeats(self.lines)
        before = [line for line in self.lines if line.kind is Kind.STEP and line.span[0] < start]
        return sum(line.kind is Kind.STEP for line in once) > len(before)

    def _told(self, lines: Sequence[Clause]) -> Meaning:
        steps = [clause for clause in lines if clause.kind is Kind.STEP]
        holes = [clause for clause in lines if clause.kind is Kind.HOLE]
        if not steps and all(one.reason != Reason.NEEDED for one in self.remarks):
            return Meaning(determination=None, why="not understood: no step could be read from the text")
        try:
            tight = None if holes or self.retracts else self.tight(lines) or self._as_needed(lines)
            if tight is not None:
                return tight
            return self._loose(lines, holes)
        except TooLargeError:
            return Meaning(determination=None, why="not understood: there are too many ways to read what is left out")

    def _as_needed(self, lines: Sequence[Clause]) -> Meaning | None:
        """Return that the plan has the quality where what has to be done, as "r1 needs to grab p2" says, is done."""
        needed = [replace(one, kind=Kind.STEP) for one in self.remarks if one.reason == Reason.NEEDED]
        every = sorted((*lines, *(line for one in needed for line in self._line(one))), key=lambda one: one.span)
        return self.tight(every) if needed and all(one.kind is Kind.STEP for one in every) else None

    # --- the two readings ----------------------------------------------------------------------------

    def tight(self, lines: Sequence[Clause]) -> Meaning | None:
        """Return that the plan has the quality; None where no tight reading tells it."""
        once = [line for line in lines if line.span not in self.again]
        layer = self.followed(lines, self._tight_ends)
        if not layer or (len(once) < len(lines) and self.tight(once) is None):
            return None
        good = {key: way for key, way in layer.items() if self.reaches(key[0])}
        if not good:
            return None
        way = next(iter(good.values()))
        if way is None or len(good) < len(layer):  # another step that a clause can be leads elsewhere
            return None
        if (
            self.quality is Quality.OPTIMAL
            and self.simulator.measure is not Measure.LENGTH
            and self._is_open(layer, way)
        ):
            return Meaning(determination=None, why="not understood: it may mean several plans, whose costs may differ")
        return Meaning(determination=True, plan=self._plan(way.all()))

    def followed(self, lines: Sequence[Clause], ends: _Ends) -> _Layer:
        """Return the states after all clauses, each with a way to it; a verb means one action in each."""
        layer: _Layer = {(self.space.start, ()): None}
        for clause in lines:
            after: _Layer = dict(layer) if clause.span in self.again else {}
            for (state, verbs), before in layer.items():
                done = list(ends(clause, state))
                for step, end in done:
                    known = self._meant(clause, step, verbs)
                    if known is not None:
                        after.setdefault((end, known), Way(before, clause, step, len(done) - 1))
                if len(after) > _MOST_STATES:
                    raise TooLargeError
            layer = after
            if not layer:
                self.stuck = clause
                break
        return layer

    @staticmethod
    def _is_open(layer: _Layer, way: Way) -> bool:
        return len(layer) > 1 or any(one.rivals for one in way.all())

    def _meant(self, clause: Clause, step: Step, verbs: _Verbs) -> _Verbs | None:
        """Return what verbs mean after a clause; None where its verb means another action already."""
        if clause.exact or clause.actions or not clause.verb:
            return verbs
        objects = self.simulator.model.problem.objects
        kinds = sorted(min(map(min, (objects[name] for name in mention.objects))) for mention in clause.mentions)
        known, verb = dict(verbs), " ".join((stem(clause.verb), *kinds))
        if known.setdefault(verb, step.name) != step.name:
            return None
        return tuple(sorted(known.items()))

    def _loose(self, lines: Sequence[Clause], holes: Sequence[Clause]) -> Meaning:
        """Return that the plan lacks the quality, or that it is not known."""
        if self.retracts or not lines:
            return self.unknown(self.retracts or self.remarks)
        found = self._executed(lines, holes, frozenset())
        if found.determination is not False:
            return found
        again = self.repetitions.in_two_ways(lines)
        if any(self._executed(lines, holes, spans).determination is None for spans in again):
            return self._told_twice(line for line in lines if line.span in again[-1])
        if any(self.may_be_right(other, self.remarks) for other in self._orders(lines)):
            return Meaning(determination=None, why="not understood: some steps may be done in another order than told")
        return found

    def _orders(self, lines: Sequence[Clause]) -> Iterator[list[Clause]]:
        """Yield the steps in the orders that words of time allow: those of a sentence with one may stand elsewhere.

        Among them are remarks that may be steps: "lift b once it has been unlocked".
        """
        told = [*lines, *self.remarks]
        told = [one for one in told if one.kind is Kind.STEP or (one.mentions and (one.actions or one.may_be_step))]
        steps = sorted((replace(one, kind=Kind.STEP) for one in told), key=lambda step: step.span)
        sentences = [sentence_around(self.plan.text, step.span) for step in steps]
        for place, sentence in enumerate(sentences):
            begins = _BEGINS.match(sentence) if sentence == sentences[0] else None
            if _TIMES.search(sentence, begins.end() if begins else 0) is None:
                continue
            for size in range(1, min(_MOST_MOVED, sentences[place:].count(sentence)) + 1):
                moved, rest = steps[place : place + size], [*steps[:place], *steps[place + size :]]
                nearest = sorted(range(len(rest) + 1), key=lambda other: abs(other - place))
                yield from ([*rest[:other], *moved, *rest[other:]] for other in nearest[1 : _MOST_PLACES + 1])

    def _told_twice(self, lines: Iterable[Clause]) -> Meaning:
        """Return that nothing is known, as some clauses may tell what others tell, or it is done once more."""
        return self.unknown([replace(line, reason=Reason.TWICE) for line in lines])

    def _executed(self, lines: Sequence[Clause], holes: Sequence[Clause], left_out: Collection[Span]) -> Meaning:
        """Return what is known by a loose reading, under which some clauses may be no steps."""
        asides = [one for one in self.remarks if self._is_aside(one)]
        remarks = [one for one in self.remarks if one not in asides]
        states, begun = {self.space.start}, lines[0].span
        unsure = [one for one in lines if not (one.is_certain or one.is_state_or_step)]
        until = unsure[0].span[0] if unsure else None
        for clause in _in_order(*lines, *asides):
            if (any_step := self._any_step(clause)) is not None:
                states = states | {end for state in states for _, end in self.ends(any_step, state, is_tight=False)}
                if len(states) > _MOST_STATES:
                    raise TooLargeError
                begun = clause.span
                continue
            if (
                clause.kind is Kind.HOLE
                or not (clause.is_certain or clause.is_state_or_step)
                or self._is_turned(clause)
            ):
                is_stuck = self.stuck is not None and not self.stuck.is_certain
                return self.unknown(holes, self.stuck if is_stuck else clause)
            if remarks and remarks[0].span < clause.span:
                return self.unknown(remarks)
            untrue = [one for one in self.stated if begun <= one.span < clause.span and not self._is_so(one, states)]
            if untrue:  # something may have made it true
                return self.unknown(untrue)
            begun = clause.span
            after = {end for state in states for _, end in self.ends(clause, state, is_tight=False)}
            may_be_none = clause.is_state_or_step or clause.span in left_out or clause.span in self.again
            states = after | states if may_be_none else after
            if len(states) > _MOST_STATES:
                raise TooLargeError
            if not states:
                break
        if states and (remarks or any(map(self.reaches, states))):
            open_ = self.remarks or [one for one in lines if self._any_step(one) is not None]
            return self.unknown(open_, next((one for one in lines if one.is_state_or_step), None))
        told = self._wrong(self._in_its_words(lines, until))
        return replace(told, until=until, holes=self._missed(unsure))

    def _any_step(self, clause: Clause) -> Clause | None:
        """Return a clause whose verb takes other objects than it names as any step with one of these; else None.

        It may be that step, or none: "pick up a from b", "stack a on the table"; not several: "pick up a as well as b".
        """
        is_told = clause.reason == Reason.NO_ACTION or bool(clause.strange and PLACES.issuperset(clause.strange))
        is_told = is_told and clause.kind is Kind.HOLE and bool(clause.actions and clause.mentions)
        is_told = is_told or self._is_aside(clause)
        bare = dict.fromkeys(one for one in clause.mentions if not (one.role or one.relation))
        is_several = clause.is_joined or any(self.patterns.share_place(clause, *two) for two in combinations(bare, 2))
        if not is_told or clause.pronoun or is_several or clause.retracts:
            return None
        objects = tuple(dict.fromkeys(name for mention in clause.mentions for name in mention.objects))
        return replace(clause, kind=Kind.STEP, actions=(), verb="", mentions=(Mention(objects=objects),))

    @staticmethod
    def _is_aside(clause: Clause) -> bool:
        """Return whether a remark says what comes of a step, and may tell one at most: "..., which frees the hook"."""
        said = words_of(clause.text).texts
        is_beside = said[:2] == ("so", "that") or not RELATIVE.isdisjoint(said[:1])
        is_other = clause.kind is Kind.REMARK and clause.reason == Reason.MAY_BE_STEP and bool(clause.mentions)
        return is_beside and is_other and stem(clause.verb) not in EVERYDAY and not clause.actions

    def _is_turned(self, clause: Clause) -> bool:
        """Return whether a function word may make another step of a clause: "Ben fetches the reel for Ann"."""
        leads = clause.turned_by in PREPOSITIONS and bool(self.patterns.ways(clause, is_tight=True))
        return bool(clause.turned_by) and not leads

    def may_be_right(self, lines: Iterable[Clause], beside: Collection[Clause] = ()) -> bool:
        """Return whether clauses may lead to the goal, or to one not understood; those beside may be no steps."""
        states = {self.space.start}
        for line in lines:
            if line.kind is Kind.HOLE or len(states) > _MOST_STATES:
                return True
            try:
                after = {end for state in states for _, end in self.ends(line, state, is_tight=False)}
            except TooLargeError:
                return True
            may_be_none = any(overlap(line.span, clause.span) for clause in beside)
            states = after | states if may_be_none else after
            if not states:
                return False
        return any(map(self.reaches, states))

    def _is_so(self, remark: Clause, states: Iterable[State]) -> bool:
        """Return whether what a remark states holds in one of some states, or cannot be looked up."""
        if any(map(self.simulator.is_derived, remark.facts)):
            return True
        facts = (fact for state in states for fact in self.space.facts(state) if fact[0] in remark.facts)
        return any(all({*one.objects} & {*fact[1:]} for one in remark.mentions) for fact in facts)

    def unknown(self, holes: Sequence[Clause], first: Clause | None = None) -> Meaning:
        """Return that nothing is known, with the holes, or else the clause where the loose reading ends."""
        found = holes or ([] if first is None else [first]) or list(self._with_open_objects())
        if not found:
            return Meaning(determination=None, why=f"not understood: {Reason.OBJECTS}")
        missed = self._missed(found)
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        shown = " ".join(found[0].text.split())
        why = f"not understood: line {self.line_of(found[0])}: {shown!r:.120}: {missed[0].reason}{more}"
        return Meaning(determination=None, why=why, holes=missed)

    def _with_open_objects(self) -> Iterator[Clause]:
        """Yield the clauses that can be several steps in a state to which those before them lead."""
        states = {self.space.start}
        for line in self.lines:
            ends = [list(self.ends(line, state, is_tight=False)) for state in states]
            if any(len(each) > 1 for each in ends):
                yield replace(line, reason=Reason.OBJECTS)
            states = {end for each in ends for _, end in each}

    def _missed(self, holes: Iterable[Clause]) -> tuple[Unparsed, ...]:
        return tuple(Unparsed(text=hole.text, reason=self._why(hole), span=hole.span) for hole in holes)

    def _why(self, clause: Clause) -> str:
        if clause.reason or clause.is_state_or_step:
            return clause.reason or Reason.STATE_OR_STEP
        if clause.verb and clause.actions and not clause.strange:
            return f"'{clause.verb}' may mean {' or '.join(clause.actions)} or another action"
        if clause.strange and clause.kind is Kind.STEP and not clause.actions:
            hint = did_you_mean(clause.strange[0], self.simulator.model.domain.actions)
            return f"no action is called '{clause.strange[0]}'{hint}, so it may mean any of them"
        return f"'{' '.join(clause.strange)}' was not understood" if clause.strange else "it may mean other steps"

    # --- steps and states ----------------------------------------------------------------------------

    def _tight_ends(self, clause: Clause, state: State) -> Sequence[tuple[Step, State]]:
        """Return the steps that a clause can be in a state; none where a verb that is no action's may mean several."""
        done = list(self.ends(clause, state, is_tight=True))
        is_said = clause.exact or clause.actions or not clause.verb
        return done if is_said or len({step.name for step, _ in done}) < 2 else ()

    def ends(self, clause: Clause, state: State, *, is_tight: bool) -> Iterator[tuple[Step, State]]:
        """Yield the steps that a clause can be in a state, each with the state after it."""
        found = (pair for way in self.patterns.ways(clause, is_tight=is_tight) for pair in self._done_in(state, way))
        every = list(islice(found, _MOST_WAYS + 1))
        if len(every) > _MOST_WAYS:
            raise TooLargeError
        yield from every

    def _done_in(self, state: State, way: Step) -> tuple[tuple[Step, State], ...]:
        key = (state, way)
        known = self._open.get(key)
        if known is None:
            steps = [way]
            if LEFT_OUT in way.args:
                steps = sorted(islice(self._filled(way, state), _MOST_WAYS + 1), key=lambda step: step.args)
            ends = ((step, self._end(state, step)) for step in steps)
            known = self._open[key] = tuple((step, end) for step, end in ends if end is not None)
        return known

    def _filled(self, way: Step, state: State) -> Iterator[Step]:
        """Yield the steps that a step with arguments left out can be in a state, each once.

        They are those whose positive conditions that no axiom derives hold; what else they ask for is not looked at.
        """
        found = set[Step]()
        for name in self.simulator.ways[way.name]:
            for step in self._holding(way, name, state, self._conditions(name)):
                if step not in found:
                    found.add(step)
                    yield step

    def _conditions(self, name: str) -> list[Atom]:
        """Return the atoms that an action asks for and that no axiom derives."""
        parts = conjuncts(self.simulator.model.domain.actions[name].precondition)
        return [part for part in parts if isinstance(part, Atom) and not self.simulator.is_derived(part.predicate)]

    def _holding(self, way: Step, name: str, state: State, atoms: Sequence[Atom]) -> Iterator[Step]:
        """Yield the steps of an action that a step with arguments left out can be where some atoms hold."""
        rules, facts = self.simulator, self.space.facts(state)
        action = rules.model.domain.actions[name]
        if len(action.parameters) != len(way.args):
            return
        given = list(zip(action.parameters, way.args, strict=True))
        known = {parameter.name: value for parameter, value in given if value != LEFT_OUT}
        left = tuple(parameter for parameter, value in given if value == LEFT_OUT)
        for binding in bindings_of_true(rules.model, left, atoms, known, facts):
            step = replace(way, args=tuple(binding[parameter.name] for parameter in action.parameters))
            if name in rules.admitted(step) and all(ground(atom, binding) in facts for atom in atoms):
                yield step

    def _end(self, state: State, step: Step) -> State | None:
        """Return the state after a step; None where it cannot be executed."""
        self.left -= 1
        if self.left < 0:
            raise TooLargeError
        return self.space.after(state, step)

    def reaches(self, state: State) -> bool:
        return self.quality is Quality.SOUND or self.space.is_goal(state)

    def line_of(self, clause: Clause) -> int:
        return self.plan.text.count("\n", 0, clause.span[0]) + 1

    # --- plans ---------------------------------------------------------------------------------------

    def _wrong(self, ways: Sequence[Way]) -> Meaning:
        """Return that a plan lacks the quality however it is read, and one way to read it."""
        return Meaning(determination=False, plan=self._plan(ways), nearer=lambda diffs: self._nearer(ways, diffs))

    def _nearer(self, ways: Sequence[Way], diffs: Sequence[StepDiff]) -> Meaning | None:
        """Return the plan in which steps that a repair takes out are those that it puts in, as their clauses allow."""
        found: list[Way] = []
        rest = list(ways)
        for is_kept, group in groupby(diffs, key=lambda diff: diff.diff_type is None):
            changes = list(group)
            added = [diff.step for diff in changes if diff.diff_type is DiffAction.ADD and isinstance(diff.step, Step)]
            count = sum(diff.diff_type is not DiffAction.ADD for diff in changes)
            for way in rest[:count]:
                at = None if is_kept else next((at for at, new in enumerate(added) if self._allows(way, new)), None)
                if at is None:
                    found.append(way)
                else:
                    found.append(replace(way, step=added[at], why="so it is in the repaired plan"))
                    del added[: at + 1]
            del rest[:count]
        return None if [one.step for one in found] == [one.step for one in ways] else self._wrong(found)

    def _allows(self, way: Way, step: Step) -> bool:
        """Return whether the clause of a step can mean another one."""
        if way.clause.exact:
            return False
        patterns = (each for is_tight in (True, False) for each in self.patterns.ways(way.clause, is_tight=is_tight))
        return any(agree(pattern, step) for pattern in patterns)

    def _in_its_words(self, lines: Sequence[Clause], until: int | None) -> list[Way]:
        """Return the steps as the words say them, up to an offset, where no reading is right; of those the longest."""
        layer: dict[State, Way | None] = {self.space.start: None}
        for clause in lines:
            if until is not None and clause.span[0] >= until:
                break
            after: dict[State, Way | None] = {}
            for state, before in islice(layer.items(), _MOST_TOLD):
                done = list(self.ends(clause, state, is_tight=True))
                for step, end in done:
                    after.setdefault(end, Way(before, clause, step, len(done) - 1))
            if not after:  # it cannot be executed
                state, before = next(iter(layer.items()))
                after = {state: Way(before, clause, self._guessed(clause, state), why=_NOT_POSSIBLE)}
            layer = after
        way = next(iter(layer.values()))
        return [] if way is None else way.all()

    def _guessed(self, clause: Clause, state: State) -> Step:
        """Return the step that a clause is which cannot be executed, with as many of its conditions as can hold."""
        ways = self.patterns.ways(clause, is_tight=True) or self.patterns.ways(clause, is_tight=False)
        if not ways:
            return self.patterns.misplaced(clause)
        way = min(ways, key=lambda step: step.args.count(LEFT_OUT))
        if LEFT_OUT not in way.args:
            return way
        name = self.simulator.ways[way.name][0]
        conditions = self._conditions(name)[:_MOST_CONDITIONS]
        for number in range(len(conditions), 0, -1):
            for atoms in combinations(conditions, number):
                steps = list(islice(self._holding(way, name, state, atoms), _MOST_WAYS + 1))
                if 0 < len(steps) <= _MOST_WAYS:
                    return min(steps, key=lambda step: step.args)
        allowed = zip(way.args, self.simulator.schema(name).allowed, strict=True)
        return replace(way, args=tuple(min(names) if arg == LEFT_OUT and names else arg for arg, names in allowed))

    def _plan(self, ways: Sequence[Way]) -> Plan:
        """Return the plan of some steps, with a note for each clause that does not say all of its step."""
        steps = [replace(one.step, span=one.clause.span) for one in ways]
        notes = [
            reading_note(self.line_of(one.clause), one.clause.text, one.step, _chosen(one))
            for one in ways
            if not one.clause.exact and (not one.clause.is_certain or len(one.clause.mentions) < len(one.step.args))
        ]
        warnings = (*(warning for warning in self.plan.warnings if not is_reading_note(warning)), *notes)
        return replace(self.plan, parts=tiled(self.plan.text, steps), warnings=warnings, claims_no_plan=None)


def _chosen(way: Way) -> str:
    if way.why:
        return way.why
    if not way.rivals:
        return "it can be nothing else there"
    return f"one of {way.rivals + 1} steps that it can be there"
