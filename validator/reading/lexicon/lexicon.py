"""``Lexicon``: one model's language, to read steps in words and to say them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import permutations

from validator.model.values import Action, GroundAtom, Model
from validator.reading.arguments import named_places, placed
from validator.reading.lexicon.clauses.clause import Clause
from validator.reading.lexicon.clauses.clause_reader import ClauseReader
from validator.reading.lexicon.clauses.coverage import Coverage
from validator.reading.lexicon.clauses.patterns import Patterns, Said, Unclear, told
from validator.reading.lexicon.kinds import Kinds
from validator.reading.lexicon.line_words import LONGEST_NAME, grouped, words_of
from validator.reading.lexicon.names import Objects
from validator.reading.lexicon.say import Sayings, filled
from validator.reading.lexicon.templates import Templates, Verbatim
from validator.reading.lexicon.verbs import Verbs
from validator.reading.plan import Span, Step
from validator.records import dataclass, replace

_MOST_FREE = 4
"""arguments without a place that are tried in each order"""
_TRIM = " \t\r\n.;,*`\"'"
_CALL = re.compile(r"([\w-]+)\s?\(([^()]*)\)")


@dataclass(frozen=True)
class Lexicon:
    """How the actions and objects of one model are said: by rule from its names, by the schema, and by templates."""

    model: Model
    templates: Templates | None = None

    @classmethod
    def of(cls, model: Model, templates: Templates | None = None) -> Lexicon:
        """Return the lexicon of a model. Raises InputError for templates that do not fit it."""
        return cls(model, None if templates is None else templates.checked(model))

    @cached_property
    def kinds(self) -> Kinds:
        return Kinds(self.model)

    @cached_property
    def objects(self) -> Objects:
        return Objects(self.model, self.kinds, self.templates)

    @cached_property
    def verbs(self) -> Verbs:
        return Verbs(self.model, self.kinds, self.templates)

    @cached_property
    def sayings(self) -> Sayings:
        return Sayings(self.kinds, self.verbs, self.templates)

    @cached_property
    def _actions(self) -> Mapping[str, tuple[str, ...]]:
        """Return the names of plan steps in lower case, each with the actions that are ways to do it."""
        return grouped(((action.step or name).lower(), name) for name, action in self.model.domain.actions.items())

    def action(self, name: str) -> tuple[str, ...]:
        """Return the steps of the model that a written name can mean."""
        exact = self._actions.get(name.strip().lower())
        if exact is not None:
            return (self._step_name(exact[0]),)
        words = words_of(name[:LONGEST_NAME])
        for end, sayings in self.verbs.at(words, 0) if len(words) else ():
            if end == len(words):
                whole = [saying for saying in sayings if not saying.rest] or list(sayings)
                steps = dict.fromkeys(self._step_name(saying.action) for saying in whole)
                return tuple(step for step in steps if not _goes_on(name, step))
        return ()

    def _step_name(self, action: str) -> str:
        return self.model.domain.actions[action].step or action

    def object(self, name: str) -> tuple[str, ...]:
        """Return the objects of the model that a written name can mean."""
        return self.objects.named(name[:LONGEST_NAME])

    def step(self, name: str, args: Sequence[str] | Mapping[str, str], span: Span) -> Step | Unclear:
        """Read a step that is written in a formal notation.

        A name that says nothing stays as it is written: an unknown action or object is a fault of the plan.
        """
        steps = self.action(name)
        known = [way for step in steps for way in self._actions[step.lower()]]
        if not known:
            values = args.values() if isinstance(args, Mapping) else args
            return self._filled(name.lower(), tuple(values), span)
        ways = [(self.model.domain.actions[way], self._ordered(way, args)) for way in known]
        if len({way.step or way.name for way, _ in ways}) > 1:
            ways = self._deciding(ways)
        found = [self._filled(way.step or way.name, said, span) for way, said in ways]
        whole = tuple(dict.fromkeys(step for step in found if isinstance(step, Step)))
        if len(whole) == 1 or not whole:
            return whole[0] if whole else found[0]
        names = " or ".join(step.name for step in whole)
        return Unclear(reason=f"'{name}' can be {names}", nearest=whole[0].name, span=span)

    def _ordered(self, way: str, args: Sequence[str] | Mapping[str, str]) -> tuple[str, ...]:
        """Return arguments in the order of the parameters, as far as their keys are these or kinds tell it."""
        if not isinstance(args, Mapping):
            return tuple(args)
        keys, values, action = list(args), list(args.values()), self.model.domain.actions[way]
        names = [parameter.name for parameter in action.parameters]
        found = named_places(keys, names, _plain)
        free = sorted({*range(len(keys))}.difference(found.values()))
        if len(keys) == len(names) and len(free) <= _MOST_FREE:
            for chosen in permutations(free):
                rest = iter(chosen)
                said = tuple(values[found[place] if place in found else next(rest)] for place in range(len(names)))
                if self._takes(action, [self._written(arg) or (arg,) for arg in said]):
                    return said
        return tuple(values[place] for place in placed(keys, names, _plain))

    def _deciding(self, ways: list[tuple[Action, tuple[str, ...]]]) -> list[tuple[Action, tuple[str, ...]]]:
        """Keep the actions that take so many arguments, and of these the ones that take such objects."""
        counted = [(way, said) for way, said in ways if len(way.parameters) == len(said)] or ways
        return [(way, said) for way, said in counted if self._takes(way, [self.object(arg) for arg in said])] or counted

    def _takes(self, way: Action, said: Sequence[Sequence[str]]) -> bool:
        """Return whether an action takes as many arguments, where each can mean one of some objects."""
        return len(way.parameters) == len(said) and all(
            any(self.kinds.fits(way, place, name) for name in names) for place, names in enumerate(said)
        )

    def takes(self, step: Step) -> bool:
        """Return whether the action of a step takes as many objects, and of these kinds."""
        ways = (self.model.domain.actions[way] for way in self._actions.get(step.name.lower(), ()))
        return any(self._takes(way, [(name,) for name in step.args]) for way in ways)

    def _written(self, name: str) -> tuple[str, ...]:
        """Return the objects that a name in a formal notation can mean: there ``f-1-8`` is not ``f1-8``."""
        found = self.object(name)
        whole = _plain(name)
        return tuple(each for each in found if _plain(each) == whole or _stem(each) != _stem(name))

    def _filled(self, name: str, args: tuple[str, ...], span: Span) -> Step | Unclear:
        said = [self._written(arg) for arg in args]
        for arg, objects in zip(args, said, strict=True):
            if len(objects) > 1:
                return Unclear(reason=f"'{arg}' can be {' or '.join(objects[:3])}", span=span)
        names = (objects[0] if objects else arg for arg, objects in zip(args, said, strict=True))
        return Step(name=name, args=tuple(names), span=span)

    @cached_property
    def coverage(self) -> Coverage:
        return Coverage(self.model, self.kinds, self.objects, self.verbs)

    @cached_property
    def clause_reader(self) -> ClauseReader:
        return ClauseReader(self.coverage, self.templates, self.word_for_word)

    @cached_property
    def patterns(self) -> Patterns:
        return Patterns(self.model, self.objects, self.verbs)

    def clauses(self, text: str, *, is_part: bool = False) -> tuple[Clause, ...]:
        """Cut a text, or a part of one, into its clauses."""
        return self.clause_reader.clauses(text, is_part=is_part)

    def sentence(self, text: str, start: int = 0) -> Said | Unclear | None:
        """Read the first step of one line of prose, which begins at an offset of its text; None: it tells none."""
        return next(iter(self.sentences(text, start)), None)

    def sentences(self, text: str, start: int = 0) -> tuple[Said | Unclear, ...]:
        """Read the steps that one line tells one behind the other: "unstack a from b, then put it down"."""
        said = self._literal(text, start) or self._verbatim(text, start)
        if said is not None:
            return (Said(step=said, span=said.span),)
        return tuple(_moved(read, start) for read in told(self.clauses(text, is_part=True), self.patterns))

    def told(self, text: str) -> tuple[Said | Unclear, ...]:
        """Read the steps that a whole text tells, clause by clause."""
        return told(self.clauses(text), self.patterns)

    def _literal(self, text: str, start: int) -> Step | None:
        """Read a step in the names of the model and nothing else: ``pick-up a``, ``(pick-up a)``."""
        trimmed = text[:LONGEST_NAME].strip(_TRIM)
        bare = trimmed[1:-1] if trimmed[:1] == "(" and trimmed[-1:] == ")" else trimmed
        words = bare.lower().split()
        ways = self._actions.get(words[0]) if words else None
        if ways is None or len(text) > LONGEST_NAME:
            return None
        action, args = self.model.domain.actions[ways[0]], words[1:]
        if len(args) != len(action.parameters) or not all(arg in self.objects.exact for arg in args):
            return None
        begin = start + text.index(trimmed)
        names = tuple(self.objects.exact[arg] for arg in args)
        return Step(name=self._step_name(ways[0]), args=names, span=(begin, begin + len(trimmed)))

    def word_for_word(self, text: str, start: int = 0) -> Step | None:
        """Read a step in the names of the model, as a call, or as a template word for word; None for anything else."""
        said = self._literal(text, start) or self._verbatim(text, start)
        call = _CALL.fullmatch(text.strip(_TRIM)) if said is None and len(text) <= LONGEST_NAME else None
        if call is None:
            return said
        args = tuple(arg.strip(_TRIM) for arg in call[2].split(",") if arg.strip(_TRIM))
        step = self.step(call[1], args, (start, start + len(text)))
        return step if isinstance(step, Step) and self.takes(step) else None

    def _verbatim(self, text: str, start: int) -> Step | None:
        """Read a sentence that is a template word for word, with objects of the kinds that the action takes.

        One that may be two steps is none.
        """
        if self.templates is None or len(text) > LONGEST_NAME:
            return None
        trimmed = text.strip(_TRIM)
        begin = start + text.index(trimmed)
        fitting = (
            Step(name=self._step_name(action.name), args=args, span=(begin, begin + len(trimmed)))
            for action, args in (
                (self.model.domain.actions[name], args) for name, args in self._templates_verbatim.said(trimmed)
            )
            if all(self.kinds.fits(action, place, arg) for place, arg in enumerate(args))
        )
        steps = tuple(dict.fromkeys(fitting))
        return steps[0] if len(steps) == 1 else None

    @cached_property
    def _templates_verbatim(self) -> Verbatim:
        assert self.templates is not None
        return Verbatim(self.model, self.templates)

    def say(self, step: Step) -> str:
        """Return a step in words; reading them gives the step again."""
        ways = self._actions.get(step.name.lower())
        if ways is not None:
            action = self.model.domain.actions[ways[0]]
            if len(action.parameters) == len(step.args):
                for text in self.sayings.wording(action):
                    said = filled(text, [self.sayings.object_names(arg)[0] for arg in step.args])
                    read = self.sentences(said)  # as a line of a plan is read, which may tell several
                    if len(read) == 1 and isinstance(read[0], Said) and _is_same(read[0].step, step):
                        return said
        return " ".join((step.name, *step.args))

    def say_actions(self) -> tuple[str, ...]:
        """Return a sentence for each action, with its parameters in the place of arguments."""
        return tuple(
            filled(next(self.sayings.wording(action)), [parameter.name for parameter in action.parameters])
            for action in self.model.domain.actions.values()
        )

    def say_fact(self, atom: GroundAtom) -> str:
        """Return a fact in words."""
        said = self.sayings
        return filled(said.fact_wording(atom[0], len(atom) - 1), [said.object_names(name)[0] for name in atom[1:]])


def _is_same(one: Step, other: Step) -> bool:
    return (one.name, one.args) == (other.name, other.args)


def _stem(name: str) -> str:
    """Return the letters with which a name begins."""
    return name[: next((place for place, sign in enumerate(name) if not sign.isalpha()), len(name))].lower()


def _plain(name: str) -> str:
    return name.lstrip("?").replace("-", "_").replace(" ", "_").lower()


def _moved(read: Said | Unclear, start: int) -> Said | Unclear:
    """Return what was read with its spans counted from the beginning of the whole text."""
    if not start:
        return read
    span = (read.span[0] + start, read.span[1] + start)
    if isinstance(read, Said):
        return replace(read, span=span, step=replace(read.step, span=span))
    return replace(read, span=span)


def _goes_on(name: str, step: str) -> bool:
    """Return whether a step's name is a written one with a letter or digit more: ``a0`` is no short form of ``a0x``."""
    written = name.strip().lower()
    further = step[len(written) : len(written) + 1]
    is_word = further.isupper() and not step.isupper()  # `pick` of `pickUp`
    return step.lower().startswith(written) and further.isalnum() and not is_word
