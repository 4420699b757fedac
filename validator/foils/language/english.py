"""What questions ask: a text in, a ``Question`` out, made by the kinds of questions that ``forms`` has.

What a clause means depends on the mood: a step that is wished for must happen; one that is asked "why" of, or whether
it must happen, must not. A state is asked for at the end, or of the initial state after "what if".
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

from validator.automata.constraints import Pattern
from validator.errors import InputError
from validator.foils import questions
from validator.foils.language import frames
from validator.foils.language.clauses import ANY, ClauseReading, any_of, not_understood, read_clause, swapped
from validator.foils.language.context import Context, joined, shown
from validator.foils.language.forms import FORMS
from validator.foils.language.frames import matched, number_said, trimmed
from validator.foils.questions import PremiseError, Question, other_facts
from validator.reading.lexicon.line_words import parts
from validator.reading.plan import Step
from validator.texts import counted

_LONGEST = 1000
_WISHES = ("if", "can", "possible", "want")
_MAY = ("can", "possible")
_BOUNDS = {
    **dict.fromkeys(("only", "just", "at most", "no more than"), (("at-most", 0),)),
    **dict.fromkeys(("fewer than", "less than"), (("at-most", -1),)),
    "at least": (("at-least", 0),), "more than": (("at-least", 1),), "exactly": (("at-most", 0), ("at-least", 0)),
}  # fmt: skip
"""what is said with a number of times, and the kinds of questions that ask it, each with what is added"""

_OF_STEPS = (
    ("if", True, "need", "without-goal"),
    ("why can possible need", True, "must", ""), ("why can possible need", True, "need", ""),
    ("need", True, "", ""), ("want", False, "can", ""), ("want", False, "need", ""),
    ("can", True, "never", "must-not"), ("can", True, "omit", "must-not"), ("can", True, "", "ambiguous"),
    ("if can possible want", True, "", "must-not"), ("need", False, "", "must-not"),
    ("why", False, "", "why"), ("why if can possible want", None, "", "must"),
)  # fmt: skip
"""mood, whether it is denied, what else is said, and which kind of question asks that about a step; nothing for none"""
_OF_STATES = (
    ("if can possible want", False, "stay", "always"), ("why", True, "stay can", "always"),
    ("why if can possible want need", None, "stay", ""),
    ("why", True, "can", "sometime"), ("why", True, "never", "sometime"), ("why", True, "", "at-end"),
    ("why need", False, "end", "at-end not"), ("why need", False, "", "avoid"),
    ("if can possible want", False, "end", "at-end"), ("if can possible want", True, "end", "at-end not"),
    ("can possible", False, "", "sometime"), ("possible", True, "", "never"), ("if can", True, "never", "never"),
    ("if", True, "need", "without-goal"), ("if", True, "must", "never"), ("if", None, "can", ""),
    ("if", False, "need", "with-goal"), ("if", False, "must", "with-goal"),
    ("if", True, "", "without-fact"), ("if", False, "", "with-fact"),
)  # fmt: skip
"""the same about a state"""


def read_english(text: str, context: Context) -> Question | None:
    """Read a question in English; None for a text that begins like none.

    Raises InputError for what was not understood of one; PremiseError where it takes for granted what is not so.
    """
    if len(text) > _LONGEST:
        return None
    reader, said, problem = _Reader(context), frames.plain(joined(text)), None
    of_whole = (partial(reader.whole, kind, slots) for kind, slots in matched(frames.WHOLE, said))
    for read in chain(of_whole, (partial(reader.question, said),)):
        try:
            question = read()
        except PremiseError:
            raise
        except InputError as error:
            problem = problem or error
        else:
            if question is not None:
                return question
    if problem is not None:
        raise problem
    return None


def step_said(context: Context, text: str) -> Pattern:
    """Return the steps that a text names. Raises InputError for what is none."""
    read = read_clause(text, context)
    if len(read.steps) != 1:
        raise InputError(f"'{text}' names no step of the model", source="question")
    return read.steps[0]


def _untrue(why: str) -> PremiseError:
    return PremiseError(why, source="question")


class _Reader:
    """Reads one question."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def ask(self, *kinds: tuple[object, ...], facts: tuple[str, ...] = ()) -> Question:
        """Return a question of one or several kinds, each with its arguments."""
        made = [FORMS[str(kind)].read(self.context, [shown(str(arg)) for arg in args]) for kind, *args in kinds]
        if len(made) == 1 and not facts:
            return made[0]
        return Question(constraints=tuple(wish for one in made for wish in one.constraints), facts=facts)

    # --- the whole plan, or another model --------------------------------------------------------

    def whole(self, kind: str, slots: dict[str, str]) -> Question | None:
        """Return what is asked of the whole plan or of another model; None where the clause says something else."""
        if kind == "shorter":
            steps = len(self.context.given().tokens)
            if not steps:
                raise _untrue("the plan has no step")
            facts = (f"The plan has {counted(steps, 'step')}.",)
            return self.ask(("at-most", steps - 1, f"({ANY})"), facts=facts)
        if "n" in slots and not slots["n"][0].isdigit():
            return None
        if "x" not in slots:
            return self.ask((kind, *slots.values()))
        is_of_objects = kind in ("never", "is-not", "alone")
        try:
            read = read_clause(f"{'' if is_of_objects else 'is '}{slots['x']}", self.context)
        except InputError:
            if kind in ("is-not", "alone"):
                return None
            raise
        if kind == "alone":
            return self._alone(read)
        if kind == "never" and not (read.is_state or read.is_each or read.denials):
            steps_of = read.steps or tuple(Pattern(name=ANY, args=(name,)) for name in read.objects)
            return self.ask(("must-not", any_of(steps_of)))
        if kind == "is-not" and not (read.steps or read.is_state or read.denials):
            return self.ask(*(("without-object", name) for name in read.objects))
        if not read.is_state or read.denials or kind == "never":
            return None
        return self._with_facts("without-fact" if kind == "is-not" else kind, read)

    def _alone(self, read: ClauseReading) -> Question | None:
        """Ask for a plan without the others of an object's type; None where there are none, or more is said."""
        if len(read.objects) != 1 or read.steps or read.is_state or read.denials:
            return None
        (one,), model = read.objects, self.context.model
        share_place, objects = self.context.lexicon.objects.share_place, model.problem.objects
        same = [name for name, types in objects.items() if name != one and types == objects[one]]
        others = [name for name in same if share_place(model.domain.actions, (one, name))]
        if not others:
            return None
        return self.ask(("must-not", any_of(Pattern(name=ANY, args=(name,)) for name in others)))

    def _with_facts(self, kind: str, read: ClauseReading) -> Question:
        """Ask what if facts held, or did not hold, initially."""
        gone, come = other_facts(read.atoms, read.condition, self.context.model, is_there=kind == "with-fact")
        kinds = (("without-fact", gone), ("with-fact", come))
        return self.ask(*((kind, f"({' '.join(fact)})") for kind, facts in kinds for fact in facts))

    # --- moods -----------------------------------------------------------------------------------

    def question(self, text: str) -> Question | None:
        """Return what a mood asks of one clause, or of two that are linked; None where it begins like no question."""
        opening = text.lower().split(" ")[0]
        mood, slots = next(matched(frames.MOODS, text), ("", {"x": text}))
        text = f"{slots['x']} {slots.get('y', '')}".strip()
        if mood == "need" and opening == "must" and self._begins_with_verb(slots["x"]):
            mood = "want"
        link, slots = next(matched(frames.LINKS, text), ("", {"x": text}))
        text, second = trimmed(slots["x"]), trimmed(slots.get("y", ""))
        counts = matched(frames.COUNTS, text)
        numbered = (one for one in counts if "n" not in one[1] or number_said(one[1]["n"]) is not None)
        op, counted = next(numbered, ("", {"x": text}))
        text, place = self._place(f"{counted.get('x', '')} {counted.get('y', '')}".strip() or counted.get("w", ""))
        if link == "rather" and place is None:
            second, place = self._place(f"that {second}")
            link, second = ("", "") if second == "that" else (link, second.removeprefix("that "))
        if not mood and not (link or op or place):
            return None
        mood = mood or "want"
        if op == "steps":
            noun = Pattern(name=ANY) if text in ("steps", "actions", "moves") else step_said(self.context, text)
            if mood not in _WISHES:
                raise not_understood("how often was not understood")
            return self._bounded(mood, noun, counted)
        read = read_clause(text, self.context)
        if link:
            return self._linked(mood, read, link, self._second(second, read), place, op)
        if read.denials > 1:
            raise not_understood("it denies twice")
        if op:
            return self._count(mood, op, counted, read)
        if place is not None and not (read.is_state and place == 1 and mood == "if"):
            return self._placed(mood, read, place)
        return self._of_state(mood, read) if read.is_state else self._of_steps(mood, read)

    def _begins_with_verb(self, text: str) -> bool:
        first = text.lower().removeprefix("not ").split()[0]
        verbs = self.context.lexicon.verbs.starts
        return "(" in first or (parts(first) or ("",))[0] in verbs

    @staticmethod
    def _place(text: str) -> tuple[str, int | None]:
        """Return a clause without the place in the plan that it tells, and this place; -1 is the last."""
        for kind, slots in matched(frames.PLACES, text):
            place = {"first": 1, "last": -1}.get(kind) or number_said(slots.get("n", ""))
            if place is not None:
                return f"{slots.get('x', '')} {slots.get('y', '')}".strip(), place
        return text, None

    def _steps(self, read: ClauseReading, mood: str) -> tuple[Pattern, ...]:
        """Return the steps of a clause; where it only names objects, any step with them, if that is what is asked."""
        is_bare = mood in ("why", "need") and "be" not in read.flags
        if read.steps:
            return read.steps
        if read.objects and not read.is_state and ("use" in read.flags or is_bare):
            steps = [Pattern(name=ANY, args=(name,)) for name in read.objects]
            return tuple(steps) if read.is_each else (any_of(steps),)
        raise not_understood("it names no step of the model")

    def _one(self, read: ClauseReading, mood: str = "why") -> Pattern:
        steps = self._steps(read, mood)
        if len(steps) > 1:
            raise not_understood("it names several steps")
        return steps[0]

    @staticmethod
    def _kind(table: Sequence[tuple[str, bool | None, str, str]], mood: str, read: ClauseReading) -> str:
        """Return which kind of question a mood makes of a clause."""
        for moods, is_denied, said, kind in table:
            if mood in moods.split() and is_denied in (None, read.denials > 0) and read.flags.issuperset(said.split()):
                return kind
        return ""

    def _of_steps(self, mood: str, read: ClauseReading) -> Question:
        steps = self._steps(read, mood)
        if "stay" in read.flags or ("end" in read.flags and not read.is_event):
            raise not_understood("this is not a state")
        kind = self._kind(_OF_STEPS, mood, read)
        if kind == "ambiguous":
            ways = f"{steps[0]} must happen or: {steps[0]} must not happen"
            raise InputError(f"the question can mean: {ways}; say which", source="question")
        if not kind:
            raise not_understood("it is not clear what must be")
        if kind == "without-goal":
            goal = read_clause(f"already {read.text}", self.context)  # what is done, as what holds
            if len(goal.atoms) != 1 or ANY in goal.atoms[0]:
                raise not_understood(f"it is not clear which goal {steps[0]} is for")
            return self.ask((kind, goal.formula))
        if kind == "must-not" and mood == "if" and "be" in read.flags and "can" not in read.flags:
            with suppress(InputError):  # "what if crate2 was not sealed?", where it is so at first
                return self._with_facts("without-fact", read_clause(f"already {read.text}", self.context))
        return self.ask(*((kind, step) for step in (steps if kind == "must" else (self._one(read, mood),))))

    def _of_state(self, mood: str, read: ClauseReading) -> Question:
        if any(ANY in atom for atom in read.atoms) and len(read.atoms) > 1 and not (mood == "if" and read.denials):
            raise not_understood(f"{read.formula} can mean several facts")
        kind = self._kind(_OF_STATES, mood, read)
        if not kind:
            raise not_understood(f"what is asked about {read.formula}")
        if kind == "avoid":
            holds = any(atom in self.context.model.problem.init for atom in read.atoms)
            kind = "at-end not" if holds else "never"
        if kind in ("with-fact", "without-fact"):
            return self._with_facts(kind, read)
        is_not = kind.endswith(" not")
        return self.ask((kind.removesuffix(" not"), f"(not {read.formula})" if is_not else read.formula))

    # --- two clauses -----------------------------------------------------------------------------

    def _second(self, text: str, first: ClauseReading) -> ClauseReading:
        """Return what a second clause says, whose subject may be left out: that of the first."""
        try:
            return read_clause(text, self.context, first.objects)
        except InputError:
            found: dict[ClauseReading, None] = {}
            for name in first.objects:
                with suppress(InputError):
                    found[read_clause(f"{name} {text}", self.context, first.objects)] = None
            if len(found) != 1:
                raise
            return next(iter(found))

    def _linked(
        self, mood: str, read: ClauseReading, link: str, other: ClauseReading, place: int | None, op: str
    ) -> Question:
        """Ask for one step in place of another, or for another order of two."""
        if read.denials > 1 or other.denials:
            raise not_understood("it denies twice")
        is_wish = (mood in _WISHES) is not bool(read.denials)
        if link == "rather":
            if op or mood == "need" or (mood in _WISHES and read.denials):
                raise not_understood("what is contrasted was not understood")
            steps = self._beside(other, read), self._beside(read, other)
            wanted, used = steps if is_wish else steps[::-1]
            return self._rather(wanted, used, place, is_step=bool(other.steps))
        if op or place is not None or (read.denials and mood not in ("why", "if")):
            raise not_understood("the order was not understood")
        is_reversed = mood == "need" or not is_wish
        swap = link.endswith("after") is not is_reversed
        is_direct = link.startswith("directly")
        is_single = all(len(each.steps) == 1 and not each.steps[0].others for each in (read, other))
        if not is_single and not is_direct and all(each.atoms or each.condition for each in (read, other)):
            return self.ask(("before", *(each.formula for each in ((other, read) if swap else (read, other)))))
        if read.is_state or other.is_state:
            raise not_understood("a step and a state cannot be put in order")
        firsts, later = self._steps(read, "why"), self._beside(read, other)
        if is_reversed and len(firsts) > 1:
            raise not_understood("it names several steps")
        if any(_is_part(one, later) or _is_part(later, one) for one in firsts):
            raise not_understood(f"{later} can be the same step as {firsts[0]}")
        kind = "directly" if is_direct else "before"
        return self.ask(*((kind, later, each) if swap else (kind, each, later) for each in firsts))

    def _beside(self, read: ClauseReading, other: ClauseReading) -> Pattern:
        """Return the step of another clause, of which only an object may be told: "load p1 before p2"."""
        if other.steps:
            return self._one(other)
        if other.is_state or len(other.objects) != 1:
            raise not_understood("the second clause names no step of the model")
        if read.steps and "use" not in other.flags:
            return swapped(read.text, other.objects[0], self.context)
        return Pattern(name=ANY, args=other.objects)

    def _rather(self, wanted: Pattern, used: Pattern, place: int | None, *, is_step: bool) -> Question:
        """Ask for one step in place of another: in its place of the plan, or of objects, in all of it."""
        if not is_step and place is None:
            return self.ask(("must", wanted), ("must-not", used))
        places = [number for number, step in enumerate(self.context.seen(), start=1) if used.matches(step)]
        if place is not None:
            places = [number for number in places if number == place]
        if not places:
            raise _untrue(f"{used} is not {'in the plan' if place is None else f'step {place} of the plan'}")
        if len(places) > 1:
            raise _untrue(f"{used} is at the steps {', '.join(map(str, places))} of the plan; say at which step")
        return self.ask(("instead", wanted, places[0]))

    # --- how often, where ------------------------------------------------------------------------

    def _count(self, mood: str, op: str, slots: dict[str, str], read: ClauseReading) -> Question:
        """Ask for another number of times: once less where "why" is asked of so many, or whether there must be."""
        step, is_denied = self._one(read, mood), bool(read.denials)
        said, number = slots.get("op") or slots.get("only") or "", number_said(slots.get("n", ""))
        if op == "times" and mood == "need" and said in ("", "at least") and number and not is_denied:
            return self.ask(("at-most", number - 1, step))
        if op == "times" and mood != "need" and is_denied is (mood == "why"):
            return self._bounded(mood, step, slots)
        times = self.context.times(step)
        if is_denied or said or (op != "how often" and mood != "why"):
            raise not_understood("how often was not understood")
        if op == "times" and number != times:
            raise _untrue(f"the plan does {step} {counted(times, 'time')}")
        if not times:
            raise _untrue(f"{step} is not in the plan")
        return self.ask(("at-most", times - 1, step), facts=(f"The plan does {step} {counted(times, 'time')}.",))

    def _bounded(self, mood: str, step: Pattern, slots: dict[str, str]) -> Question:
        said = slots.get("op") or slots.get("only") or ("at most" if "w" in slots else "")
        if not said and mood in _MAY:
            raise not_understood("say 'at most' or 'at least' so many times")
        number = number_said(slots["n"]) or 0
        return self.ask(*((kind, number + more, step) for kind, more in _BOUNDS[said.lower() or "at least"]))

    def _placed(self, mood: str, read: ClauseReading, place: int) -> Question:
        step, steps = self._one(read, mood), [each for each in self.context.seen() if isinstance(each, Step)]
        is_wish = (mood in _WISHES) is not bool(read.denials)
        if (mood in _WISHES or mood == "need") and read.denials:
            raise not_understood("the place in the plan was not understood")
        place = len(steps) if place < 0 else place
        is_there = any(step.matches(each) for each in steps[place - 1 : place])
        is_possible = questions.is_possible(self.context.simulator, (), step) is not False
        if place == 1 and not (is_there or (is_wish and is_possible)):
            raise not_understood(f"{step} is not, or cannot be, step 1; say before which step")
        if is_wish:
            return self.ask(("instead", step, place))
        if not is_there:
            raise _untrue(f"{step} is not step {place} of the plan")
        return self.ask(("not-at", step, place))


def _is_part(one: Pattern, other: Pattern) -> bool:
    """Return whether a step is one of another pattern's: that pattern, or any step with its objects."""
    return one == other or (other.is_any_step and not other.others and set(other.args) <= set(one.args))
