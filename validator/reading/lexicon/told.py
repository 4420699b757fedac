"""The steps that a line of prose tells: those of its clauses that allow exactly one step of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from validator.errors import Names
from validator.reading.lexicon.clauses import Clause, Kind, Reason
from validator.reading.lexicon.coverage import Mention
from validator.reading.lexicon.english import PRONOUNS
from validator.reading.lexicon.patterns import Patterns
from validator.reading.plan import LEFT_OUT, Span, Step
from validator.records import dataclass, replace

__all__ = ["Said", "Unclear", "told"]

_MOST_WAYS = 50


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

    ``nearest`` is the action that an unknown verb is most like.
    """

    reason: str
    span: Span
    nearest: str | None = None


def told(clauses: Sequence[Clause], patterns: Patterns, before: Step | None) -> tuple[Said | Unclear, ...]:
    """Return what clauses tell, in their order; ``before`` is the step that a pronoun in the first may speak of."""
    found: list[Said | Unclear] = []
    for clause in clauses:
        names_only = clause.kind is Kind.HOLE and not (clause.actions or clause.exact or clause.strange)
        says_again = clause.reason == Reason.OTHER_STEP and before is not None and _is_of(clause, before)
        if not clause.is_open or clause.reason == Reason.STATE_OR_STEP or names_only or says_again:
            before = None if clause.actions else before
            continue
        for part in _parts(clause, patterns):
            one = _told(part, patterns, before)
            found.append(one)
            before = one.step if isinstance(one, Said) else None
    return tuple(found)


def _is_of(clause: Clause, step: Step) -> bool:
    """Return whether a clause names a step: "after stacking a on b"."""
    return step.name in clause.actions and clause.object_names.issubset(step.args)


def _parts(clause: Clause, patterns: Patterns) -> Sequence[Clause]:
    """Return the clauses of a clause that tells several steps: of several objects, or through several places."""
    lines = patterns.lines(clause) if clause.kind is Kind.STEP and clause.actions else ()
    return lines[0] if lines else (clause,)


def _told(clause: Clause, patterns: Patterns, before: Step | None) -> Said | Unclear:
    span = clause.span
    if clause.kind is Kind.HOLE:
        return Unclear(reason=clause.reason or "it was not understood", span=span)
    if clause.exact:
        return Said(step=replace(clause.exact[0], span=span), span=span)
    if not clause.actions:
        nearest = Names(patterns.model.domain.actions).nearest(clause.verb)
        return Unclear(reason=f"no action is called '{clause.verb}'", span=span, nearest=nearest)
    ways = list(islice(_completed(_with_pronoun(clause, before), patterns), _MOST_WAYS))
    whole = {way: notes for way, notes in ways if LEFT_OUT not in way.args}
    if len(ways) == len(whole) == 1:
        ((step, notes),) = whole.items()
        return Said(step=step, span=span, exact=clause.is_certain, warnings=(*clause.guesses, *notes))
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
        return "no action takes these objects"
    wanted = sizes.pop()
    are = "was" if said == 1 else "were"
    return f"'{clause.actions[0]}' takes {wanted} argument{'s' * (wanted != 1)}, {said} {are} understood"


def _with_pronoun(clause: Clause, before: Step | None) -> Clause:
    """Return a clause with the first argument of the step before in the place of "it"."""
    if clause.pronoun not in PRONOUNS or before is None or not before.args:
        return clause
    place, mentions = clause.pronoun_at, clause.mentions
    return replace(clause, mentions=(*mentions[:place], Mention(objects=before.args[:1]), *mentions[place:]))


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
                notes.append(f"{parameter.name} is not said: only {values[0]} can be meant")
        yield replace(way, args=tuple(args)), tuple(notes)
