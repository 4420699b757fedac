"""What questions ask: a text in, a ``Question`` out, made by the kinds of questions that ``forms`` has.

A frame tells the mood, a clause what it is about. What they ask together is a table: a step that is wished for must
happen; one that is asked "why" of, or whether it must happen, must not. A state is asked for at the end, or of the
initial state after "what if".
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

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
_MAY = ("can", "possible")
_WISHES = ("if", "want", *_MAY)
_BOUNDS = {
    **dict.fromkeys(("only", "just", "at most", "no more than"), (("at-most", 0),)),
    **dict.fromkeys(("fewer than", "less than"), (("at-most", -1),)),
    "at least": (("at-least", 0),), "more than": (("at-least", 1),), "exactly": (("at-most", 0), ("at-least", 0)),
}  # fmt: skip
"""what is said with a number of times, and the kinds of questions that ask it, each with what is added"""

_ASKED = {
    "objects": (("is-not", False, "", "without-object"), ("alone", False, "", "alone")),
    "steps": (
        ("if", True, "need", "without-goal"),
        ("why can possible need", True, "must", ""), ("why can possible need", True, "need", ""),
        ("need", True, "", ""), ("want", False, "can", ""), ("want", False, "need", ""),
        ("can", True, "never", "must-not"), ("can", True, "omit", "must-not"), ("can", True, "", "ambiguous"),
        ("if can possible want", True, "", "must-not"), ("need never", False, "", "must-not"),
        ("why", False, "", "why"), ("why if can possible want", None, "", "must"),
    ),
    "states": (
        ("if can possible want", False, "stay", "always"), ("why", True, "stay can", "always"),
        ("why if can possible want need", None, "stay", ""),
        ("why", True, "can", "sometime"), ("why", True, "never", "sometime"), ("why", True, "", "at-end"),
        ("why need", False, "end", "at-end not"), ("why need", False, "", "avoid"),
        ("if can possible want", False, "end", "at-end"), ("if can possible want", True, "end", "at-end not"),
        ("can possible", False, "", "sometime"), ("possible", True, "", "never"), ("if can", True, "never", "never"),
        ("if", True, "need", "without-goal"), ("if", True, "must", "never"), ("if", None, "can", ""),
        ("if", False, "need", "with-goal"), ("if", False, "must", "with-goal"),
        ("if", True, "", "without-fact"), ("if with-fact", False, "", "with-fact"),
        ("is-not without-fact", False, "", "without-fact"),
    ),
}  # fmt: skip
"""mood, whether it is denied, what else is said, and which kind of question asks that; nothing for none"""


def read_english(text: str, context: Context) -> Question | None:
    """Read a question in English; None for a text that begins like none.

    Raises InputError for what was not understood of one; PremiseError where it takes for granted what is not so.
    """
    if len(text) > _LONGEST:
        return None
    reader, said, problem = _Reader(context), frames.plain(joined(text)), None
    mood = next(matched(frames.MOODS, said), ("", {"x": said}))
    for name, slots in (*matched(frames.WHOLE, said), mood):
        try:
            question = reader.question(*mood) if slots is mood[1] else reader.whole(name, slots)
        except PremiseError:
            raise
        except InputError as error:
            problem = error
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

    # --- one clause ------------------------------------------------------------------------------

    def whole(self, kind: str, slots: Mapping[str, str]) -> Question:
        """Return what is asked of the whole plan or of another model."""
        if "x" in slots:
            is_fact = kind in ("with-fact", "without-fact")
            return self._of_clause(kind, read_clause(f"{'is ' if is_fact else ''}{slots['x']}", self.context))
        if kind != "shorter":
            return self.ask((kind, *slots.values()))
        steps = len(self.context.given.tokens)
        if not steps:
            raise _untrue("the plan has no step")
        return self.ask(("at-most", steps - 1, f"({ANY})"), facts=(f"The plan has {counted(steps, 'step')}.",))

    def _of_clause(self, mood: str, read: ClauseReading) -> Question:
        """Return what a mood asks of a clause."""
        about = "states" if read.is_state else "steps" if read.steps or mood not in ("is-not", "alone") else "objects"
        steps = self._steps(read, mood) if about == "steps" else ()
        if steps and ("stay" in read.flags or ("end" in read.flags and not read.is_event)):
            raise not_understood("this is not a state")
        is_open = len(read.atoms) > 1 and any(ANY in atom for atom in read.atoms)
        if about == "states" and is_open and not (mood == "without-fact" or (mood == "if" and read.denials)):
            raise not_understood(f"{read.formula} can mean several facts")
        rows = (
            kind
            for moods, is_denied, said, kind in _ASKED[about]
            if mood in moods.split() and is_denied in (None, read.denials > 0) and read.flags.issuperset(said.split())
        )
        kind = next(rows, "")
        if kind == "avoid":
            holds = any(atom in self.context.model.problem.init for atom in read.atoms)
            kind = "at-end not" if holds else "never"
        if kind == "ambiguous":
            ways = f"{steps[0]} must happen or: {steps[0]} must not happen"
            raise InputError(f"the question can mean: {ways}; say which", source="question")
        if not kind:
            raise not_understood(f"it is not clear what is asked about {read.formula or read.text}")
        if kind == "alone":
            return self._alone(read)
        if kind == "without-object":
            return self.ask(*((kind, name) for name in read.objects))
        if kind in ("with-fact", "without-fact"):
            return self._with_facts(kind, read)
        if about == "states":
            is_not = kind.endswith(" not")
            return self.ask((kind.removesuffix(" not"), f"(not {read.formula})" if is_not else read.formula))
        if kind == "without-goal":
            goal = read_clause(f"already {read.text}", self.context)  # what is done, as what holds
            if len(goal.atoms) != 1 or ANY in goal.atoms[0]:
                raise not_understood(f"it is not clear which goal {steps[0]} is for")
            return self.ask((kind, goal.formula))
        if kind == "must-not" and mood == "if" and "be" in read.flags and "can" not in read.flags:
            with suppress(InputError):  # "what if crate2 was not sealed?", where it is so at first
                return self._with_facts("without-fact", read_clause(f"already {read.text}", self.context))
        return self.ask(*((kind, step) for step in (steps if kind == "must" else (self._one(read, mood),))))

    def _alone(self, read: ClauseReading) -> Question:
        """Ask for a plan without the others of an object's type."""
        model, share_place = self.context.model, self.context.lexicon.objects.share_place
        objects, (one, *more) = model.problem.objects, read.objects
        same = (name for name, types in objects.items() if name != one and types == objects[one])
        others = [name for name in same if share_place(model.domain.actions, (one, name))]
        if more or not others:
            raise not_understood(f"who else could do what {one} does")
        return self.ask(("must-not", any_of(Pattern(name=ANY, args=(name,)) for name in others)))

    def _with_facts(self, kind: str, read: ClauseReading) -> Question:
        """Ask what if facts held, or did not hold, initially."""
        gone, come = other_facts(read.atoms, read.condition, self.context.model, is_there=kind == "with-fact")
        kinds = (("without-fact", gone), ("with-fact", come))
        return self.ask(*((kind, f"({' '.join(fact)})") for kind, facts in kinds for fact in facts))

    def _steps(self, read: ClauseReading, mood: str) -> tuple[Pattern, ...]:
        """Return the steps of a clause; where it only names objects, any step with them, if that is what is asked."""
        is_bare = mood in ("why", "need", "never") and "be" not in read.flags
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

    # --- moods, with an order, a number or a place -----------------------------------------------

    def question(self, mood: str, slots: Mapping[str, str]) -> Question | None:
        """Return what a mood asks of one clause, or of two that are linked; None where it begins like no question."""
        text = f"{slots['x']} {slots.get('y', '')}".strip()
        if mood == "must":  # "must van1 drive" asks whether, "must drive van1" asks for it
            first = text.lower().removeprefix("not ").split()[0]
            is_verb = "(" in first or (parts(first) or ("",))[0] in self.context.lexicon.verbs.starts
            mood = "want" if is_verb else "need"
        link, slots = next(matched(frames.LINKS, text), ("", {"x": text}))
        text, second = trimmed(slots["x"]), trimmed(slots.get("y", ""))
        numbered = (one for one in matched(frames.COUNTS, text) if number_said(one[1].get("n", "0")) is not None)
        op, count = next(numbered, ("", {"x": text}))
        text, place = self._place(f"{count.get('x', '')} {count.get('y', '')}".strip() or count.get("w", ""))
        if link == "rather" and place is None:
            second, place = self._place(f"that {second}")
            link, second = ("", "") if second == "that" else (link, second.removeprefix("that "))
        if not (mood or link or op or place):
            return None
        mood = mood or "want"
        if op == "steps":
            noun = Pattern(name=ANY) if text in ("steps", "actions", "moves") else step_said(self.context, text)
            if mood not in _WISHES:
                raise not_understood("how often was not understood")
            return self._bounded(mood, noun, count.get("op", "at most"), number_said(count["n"]) or 0)
        read = read_clause(text, self.context)
        if link:
            return self._linked(mood, read, link, self._second(second, read), place, is_counted=bool(op))
        if read.denials > 1:
            raise not_understood("it denies twice")
        if op:
            return self._count(mood, count, read)
        if place is not None and not (read.is_state and place == 1 and mood == "if"):
            return self._placed(mood, read, place)
        return self._of_clause(mood, read)

    @staticmethod
    def _place(text: str) -> tuple[str, int | None]:
        """Return a clause without the place in the plan that it tells, and this place; -1 is the last."""
        for kind, slots in matched(frames.PLACES, text):
            place = {"first": 1, "last": -1}.get(kind) or number_said(slots.get("n", ""))
            if place is not None:
                return f"{slots.get('x', '')} {slots.get('y', '')}".strip(), place
        return text, None

    def _count(self, mood: str, slots: Mapping[str, str], read: ClauseReading) -> Question:
        """Ask for another number of times: once less where "why" is asked of so many, or whether there must be."""
        step, is_denied = self._one(read, mood), bool(read.denials)
        said, number = slots.get("op") or slots.get("only") or "", number_said(slots.get("n", ""))
        if mood == "need" and said in ("", "at least") and number and not is_denied:
            return self.ask(("at-most", number - 1, step))
        if number is not None and mood != "need" and is_denied is (mood == "why"):
            return self._bounded(mood, step, said, number)
        times = self.context.times(step)
        if is_denied or said or (number is not None and mood != "why"):
            raise not_understood("how often was not understood")
        told = f"the plan does {step} {counted(times, 'time')}"
        if not times or number not in (None, times):
            raise _untrue(told)
        return self.ask(("at-most", times - 1, step), facts=(f"T{told[1:]}.",))

    def _bounded(self, mood: str, step: Pattern, said: str, number: int) -> Question:
        if not said and mood in _MAY:
            raise not_understood("say 'at most' or 'at least' so many times")
        return self.ask(*((kind, number + more, step) for kind, more in _BOUNDS[said.lower() or "at least"]))

    def _placed(self, mood: str, read: ClauseReading, place: int) -> Question:
        step, steps = self._one(read, mood), [each for each in self.context.seen() if isinstance(each, Step)]
        is_wish = (mood in _WISHES) is not bool(read.denials)
        if mood != "why" and read.denials:
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
        self, mood: str, read: ClauseReading, link: str, other: ClauseReading, place: int | None, *, is_counted: bool
    ) -> Question:
        """Ask for one step in place of another, or for another order of two."""
        is_rather, is_wish = link == "rather", (mood in _WISHES) is not bool(read.denials)
        is_plain = not (is_counted or other.denials or read.denials > 1) and (is_rather or place is None)
        moods = ("why",) if is_rather else ("why", "if")
        if not is_plain or (read.denials and mood not in moods) or (is_rather and mood == "need"):
            raise not_understood(f"what '{link}' asks for here")
        if is_rather:
            steps = self._beside(other, read), self._beside(read, other)
            wanted, used = steps if is_wish else steps[::-1]
            return self._rather(wanted, used, place, is_step=bool(other.steps))
        return self._ordered(read, link, other, is_reversed=not is_wish)

    def _ordered(self, read: ClauseReading, link: str, other: ClauseReading, *, is_reversed: bool) -> Question:
        """Ask for an order of two clauses, or, reversed, for the other one."""
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


def _is_part(one: Pattern, other: Pattern) -> bool:
    """Return whether a step is one of another pattern's: that pattern, or any step with its objects."""
    return one == other or (other.is_any_step and not other.others and set(other.args) <= set(one.args))
