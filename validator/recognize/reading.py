"""Reading candidate goals, observations, problems with a placeholder, and domains that name actions twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from validator.errors import ModelError, PlanError, did_you_mean
from validator.model.pddl import read_domain, read_problem
from validator.model.pddl.formulas.conditions import formula
from validator.model.pddl.scope import Scope
from validator.model.pddl.syntax import Group, Word, parse
from validator.model.values import TRUE, And, Atom, Domain, Formula, Model, Not, Problem
from validator.reading.lexicon import Lexicon, Said
from validator.reading.plan import Completeness, Step
from validator.reading.tokens import Vocabulary, tokenize
from validator.recognize.problem import Hypothesis, Observation
from validator.records import dataclass, replace

PLACEHOLDER = "<HYPOTHESIS>"

_PLACEHOLDER = re.compile(re.escape(PLACEHOLDER), re.IGNORECASE)
_NUMBER = re.compile(r"(?<=\))\s*([0-9]+(?:\.[0-9]+)?)\s*$")
_LAST_WORD = re.compile(r"(?<=\S)\s+([0-9]+(?:\.[0-9]+)?)$")
_LOOSE_COMMA = re.compile(r",(?![^()]*\))")
_STEP = re.compile(r"\(\s*([^\s(),;]+)((?:[\s,]+[^\s(),;]+)*)\s*\)|([^\s(),;<>]+)\(([^();]*)\)|([^(),;<>]+)")
_SENTENCE = re.compile(r"\w[.:!?](?:\s|$)")
_HOLDS = re.compile(r"holds\b\s*", re.IGNORECASE)
_ANY = ("_", "?")


# --- models ----------------------------------------------------------------------------------------


def read_text_domain(text: str, name: str) -> tuple[Domain, dict[str, str]]:
    """Read a domain, and return with it the written names of actions that had to be renamed.

    Recognition data sets name different actions alike; each of them is an action of its own here, and an
    observation of the name means any of them. Raises ModelError.
    """
    _, group, _ = parse(text, name)
    seen: Counter[str] = Counter()
    written: dict[str, str] = {}
    places: list[tuple[int, str]] = []
    for action in _actions(group):
        seen[action.text] += 1
        if seen[action.text] > 1:
            suffix = f"@{seen[action.text]}"
            written[action.text + suffix] = action.text
            places.append((action.offset + len(action.text), suffix))
    for offset, suffix in reversed(places):
        text = text[:offset] + suffix + text[offset:]
    return read_domain(text, called=name), written


def _actions(domain: Group) -> Iterator[Word]:
    """Yield the names in the headings of the actions."""
    for section in domain.nodes:
        if isinstance(section, Group) and section.head == ":action" and len(section.nodes) > 1:
            name = section.nodes[1]
            if isinstance(name, Word):
                yield name


def read_template(text: str, name: str, domain: Domain) -> tuple[Problem, bool]:
    """Read a problem whose goal may hold the placeholder, and return whether it does.

    The problem's goal is then what the placeholder stands beside. Raises ModelError.
    """
    found = list(_PLACEHOLDER.finditer(text))
    if len(found) > 1:
        raise ModelError(f"{PLACEHOLDER} stands here a second time", source=name, text=text, offset=found[1].start())
    blank = "(and)".ljust(len(PLACEHOLDER))  # of the same length, so that no place moves
    problem = read_problem(_PLACEHOLDER.sub(blank, text), domain, called=name)
    if found and TRUE not in _conjuncts(problem.goal):
        message = f"{PLACEHOLDER} must be the goal, or one of the conditions that the goal joins by 'and'"
        raise ModelError(message, source=name, text=text, offset=found[0].start())
    return problem, bool(found)


def _conjuncts(goal: Formula) -> Iterator[Formula]:
    """Yield the parts that a conjunction joins; an empty one is a part itself."""
    if isinstance(goal, And) and goal.parts:
        for part in goal.parts:
            yield from _conjuncts(part)
    else:
        yield goal


# --- goals -----------------------------------------------------------------------------------------


def read_goals(text: str, name: str, model: Model, beside: Formula = TRUE) -> tuple[Hypothesis, ...]:
    """Read candidate goals, one per line: atoms with commas between them, or a condition; then perhaps a prior.

    ``beside`` is a condition that is part of every goal. Goals that mean the same become one, with the sum of the
    priors that are written. Raises ModelError for a line that is no condition, and when there is no goal at all.
    """
    found: dict[object, Hypothesis] = {}
    priced: dict[object, bool] = {}
    number = 0
    for line, content in enumerate(text.split("\n"), start=1):
        written = _without_comment(content)
        if not written.strip():
            continue
        bare, prior = split_number(written)
        goal = _condition(_LOOSE_COMMA.sub(" ", bare), name, line, model)
        shown = " ".join(bare.replace(",", ", ").split()).replace(" ,", ",")
        key = goal_key(goal)
        known = found.get(key)
        if known is None:
            whole = And((beside, goal)) if beside != TRUE else goal
            found[key] = Hypothesis(
                goal=whole, text=shown, prior=Fraction(1) if prior is None else prior, lines=(number,)
            )
            priced[key] = prior is not None
        else:
            # A goal listed twice is no more probable for it, unless the list says how probable each line is.
            added = Fraction(priced[key]) if prior is None else prior
            found[key] = replace(known, prior=known.prior + added, lines=(*known.lines, number))
            priced[key] = priced[key] or prior is not None
        number += 1
    if not found:
        raise ModelError(
            "no candidate goal was found; one per line was expected, such as (on a b), (clear c)", source=name
        )
    if not any(hypothesis.prior for hypothesis in found.values()):
        raise ModelError("the priors of all goals are 0", source=name)
    return tuple(found.values())


def goal_key(goal: Formula) -> object:
    """Return what two goals that mean the same have in common: a set of atoms, or else the condition itself."""
    parts = frozenset(part for part in _conjuncts(goal) if part != TRUE)
    return parts if all(isinstance(part, Atom | Not) for part in parts) else goal


def _condition(text: str, name: str, line: int, model: Model) -> Formula:
    """Read the conditions on one line as their conjunction."""
    try:
        # The line stands by itself, so that a place in it is a place in the file.
        source, group, _ = parse(f"(and\n{text}\n)", name)
        scope = Scope(
            source,
            types=model.domain.types,
            objects=dict(model.problem.objects),
            predicates=dict(model.domain.predicates),
            functions=dict(model.domain.functions),
        )
        parts = tuple(formula(scope, node, {}) for node in group.nodes[1:])
        if scope.features:
            raise ModelError(f"{min(scope.features)} are not executed in goals and observations")
    except ModelError as error:
        error.source, error.line = name, line
        raise
    return parts[0] if len(parts) == 1 else And(parts)


# --- observations ----------------------------------------------------------------------------------


def read_observations(
    text: str,
    name: str,
    model: Model,
    action_names: Mapping[str, str] | None = None,
    lexicon: Lexicon | None = None,
) -> tuple[Observation, ...]:
    """Read observations, one per line, in order, or a plan in any notation. Raises PlanError for a line that is none.

    A text of which a line is no observation, or none of this model, is a plan where it can be read as one as a whole.
    A line is ``(stack a b)``, ``stack a b``, ``stack(a, b)``, ``holds CONDITION``, then perhaps a price. With a
    lexicon, a line in words that is none of these is read by it: "stack the block a on b". An argument ``_`` or ``?``
    stands for any object, a name alone for any arguments. ``(on a b)`` is a fact when ``on`` is a predicate and no
    action.
    """
    reader = _ObservationReader(model=model, action_names=action_names or {}, lexicon=lexicon, name=name)
    found: list[Observation] = []
    error: PlanError | None = None
    for line, content in enumerate(text.split("\n"), start=1):
        try:
            found += reader.observed(content, line)
        except PlanError as unread:
            error = error or unread
    if error is not None or ";" in text or any(observation.fault for observation in found):
        planned = reader.of_plan(text)
        is_more = planned is not None and len(planned) > len(found)  # a semicolon between steps begins no comment
        if planned is not None and (error is not None or is_more or _faults(planned) < _faults(found)):
            return planned
    if error is not None:
        raise error
    return tuple(found)


def _faults(observations: Iterable[Observation]) -> int:
    return sum(bool(observation.fault) for observation in observations)


@dataclass(frozen=True, kw_only=True)
class _ObservationReader:
    """Reads what was seen of a model; ``name`` is that of the text for errors."""

    model: Model
    action_names: Mapping[str, str]
    lexicon: Lexicon | None
    name: str

    @cached_property
    def known(self) -> frozenset[str]:
        """Return what actions are called."""
        return frozenset((*self.model.domain.actions, *self.action_names.values()))

    def of_plan(self, text: str) -> tuple[Observation, ...] | None:
        """Return the steps of a plan text as observations; None for a text that is no plan as a whole."""
        plan = tokenize(text, Vocabulary.of(self.model, None if self.lexicon is None else self.lexicon.templates))
        is_whole = plan.reading is None or plan.reading.completeness is Completeness.COMPLETE
        if not is_whole or not plan.tokens or any(not isinstance(token, Step) for token in plan.tokens):
            return None
        return tuple(self._seen(step.name, step.args, None) for step in plan.steps)

    def observed(self, text: str, line: int) -> Iterator[Observation]:
        """Yield what one line says was seen, if anything. Raises PlanError for what is no observation."""
        written, price = _split_price(_without_comment(text).strip(), self.model)
        if not written:
            return
        if held := _HOLDS.match(written):
            yield self._fact(written[held.end() :], written, price, line)
            return
        if (said := self._said(written, price)) is not None:
            yield said
            return
        match = _STEP.fullmatch(written)
        if match is None or _SENTENCE.search(match[5] or "") is not None:
            error = PlanError("an observation such as (stack a b) or holds (on a b) was expected", source=self.name)
            error.line = line
            error.excerpt = f"    {''.join(c if c.isprintable() else ' ' for c in written[:100])}"
            raise error
        inside, given, called, arguments, words = match.groups()
        if words is not None:
            inside, _, given = words.strip().partition(" ")
        head = inside if called is None else called
        args = tuple((given if called is None else arguments).replace(",", " ").split())
        if head.lower() not in self.known and head.lower() in self.model.domain.predicates:
            yield self._fact(f"({' '.join((head, *args))})", written, price, line)
        else:
            yield self._seen(head, args, price)

    def _seen(self, name: str, args: Sequence[str], price: Fraction | None) -> Observation:
        step = Step(name=name.lower(), args=tuple("_" if arg in _ANY else arg.lower() for arg in args))
        return Observation(text=str(step), step=step, any_arguments=not args, price=price, fault=self._fault(step))

    def _said(self, written: str, price: Fraction | None) -> Observation | None:
        """Read a step in words; None for what is written in names, and for what is not understood."""
        is_in_names = "(" in written or "," in written or not {*written.split()}.isdisjoint(_ANY)
        said = None if self.lexicon is None or is_in_names else self.lexicon.sentence(written, 0)
        if not isinstance(said, Said):
            return None
        step = Step(name=self.action_names.get(said.step.name, said.step.name), args=said.step.args)
        return Observation(text=str(step), step=step, price=price)

    def _fault(self, step: Step) -> str:
        """Return why a step is none of the model's, whatever the state; empty when it may be one."""
        if step.name not in self.known:
            return f"unknown action '{step.name}'{did_you_mean(step.name, self.known)}"
        actions, objects = self.model.domain.actions, self.model.problem.objects
        variants = [name for name in actions if self.action_names.get(name, name) == step.name]
        numbers = sorted({len(actions[name].parameters) for name in variants})
        if step.args and len(step.args) not in numbers:
            return f"'{step.name}' takes {' or '.join(map(str, numbers))} arguments, got {len(step.args)}"
        unknown = (arg for arg in step.args if arg != "_" and arg not in objects)
        return next((f"unknown object '{arg}'{did_you_mean(arg, objects)}" for arg in unknown), "")

    def _fact(self, condition: str, written: str, price: Fraction | None, line: int) -> Observation:
        shown = " ".join(written.split()).lower()
        try:
            return Observation(text=shown, fact=_condition(condition, self.name, line, self.model), price=price)
        except ModelError as error:
            return Observation(text=shown, price=price, fault=error.message)


def _without_comment(line: str) -> str:
    return line.split(";", 1)[0]


def _split_price(line: str, model: Model) -> tuple[str, Fraction | None]:
    """Take off a line the number after it; without parentheses one that is no object's name."""
    bare, price = split_number(line)
    match = None if price is not None or "(" in line else _LAST_WORD.search(line)
    if match is None or match[1] in model.problem.objects:
        return bare.strip(), price
    return line[: match.start()], Fraction(match[1])


def split_number(line: str) -> tuple[str, Fraction | None]:
    """Take the number after the last parenthesis off a line."""
    match = _NUMBER.search(line)
    return (line[: match.start()], Fraction(match[1])) if match else (line, None)
