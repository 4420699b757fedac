"""What a question is about: a model and a plan of it; conditions on its states, and steps with open arguments.

Steps are as people see and type them: ``(move ?x a)``, ``move(_, a)``, ``move _ a``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import Any

from validator.automata.constraints import Pattern, is_open
from validator.automata.properties import ANY
from validator.errors import InputError, ModelError, did_you_mean
from validator.execution.simulator import Simulator
from validator.foils.questions import PremiseError, without_times
from validator.model.pddl.formulas.conditions import formula
from validator.model.pddl.initial import read_seen, scope_of
from validator.model.pddl.syntax import parse
from validator.model.values import Action, And, Atom, Formula, GroundAtom, Model, Parameter, literals_of
from validator.reading.lexicon import Lexicon
from validator.reading.lexicon.clauses.coverage import Coverage, Covered
from validator.reading.lexicon.clauses.patterns import Patterns
from validator.reading.lexicon.english import FUNCTION, QUANTIFIERS, singular
from validator.reading.lexicon.kinds import Kinds, atoms_of
from validator.reading.lexicon.line_words import Words, grouped
from validator.reading.lexicon.names import Found, Objects
from validator.reading.lexicon.verbs import Verbs
from validator.reading.plan import Plan, Token
from validator.records import dataclass, replace
from validator.texts import counted, no_path

_ATOM = re.compile(r"\(([^()]*)\)")
_CONNECTIVES = ("and", "or", "not", "imply", "exists", "forall", "=")
AUXILIARY = frozenset(
    "did doing done would shall having had".split()  # noqa: SIM905
)
"""verbs that only say when or whether, beside those among the function words"""
FILLERS = frozenset(
    "really actually even ever exactly possibly quite too though anyway absolutely either yet".split()  # noqa: SIM905
)
"""what says nothing in a question, beside the function words"""
INTENTIONS = frozenset(
    """
    choose chose chosen decide decided try tried want wants wanted opt opted manage managed able going supposed
    allowed asked forced plan planned happen expected prefer free
    """.split()  # noqa: SIM905
)
"""words before "to" that leave the step behind it what it is"""
USES = frozenset(
    """
    use uses used using employ employed employing utilise utilize utilised utilized include includes included including
    incorporate incorporated involve involved involving consider considered considering choose chosen choosing select
    selected selecting perform performed execute executed apply applied adopt adopted implement implemented
    """.split()  # noqa: SIM905
)
ORDER = frozenset(
    """
    before after afterwards first firstly second secondly third thirdly last lastly finally once more next because
    since while if until unless only except other same another else again twice start starts starting begin begins
    continue continuing
    """.split()  # noqa: SIM905
)
"""words that say when, how often or for which case: a question that keeps one was not understood"""


@dataclass(frozen=True, kw_only=True)
class Context:
    """Of what is asked: the model, and the plan, if one is given, or else what finds a cheapest one.

    ``has_synonyms`` says whether the verbs of the model may be said by synonyms.
    """

    simulator: Simulator
    plan: Plan | None = None
    cheapest: Callable[[], Plan | None] = lambda: None
    has_synonyms: bool = False

    @property
    def model(self) -> Model:
        return self.simulator.model

    @cached_property
    def lexicon(self) -> Lexicon:
        """Return how the model's steps and objects are said."""
        return Lexicon.of(self.model)

    @cached_property
    def nouns(self) -> Nouns:
        """Return what objects are called in questions."""
        return Nouns(self.model, self.lexicon.kinds, None, self.lexicon.verbs)

    @cached_property
    def coverage(self) -> Coverage:
        """Return what explains the words of a clause."""
        return Coverage(self.model, self.lexicon.kinds, self.nouns, self.lexicon.verbs, self.has_synonyms)

    def unexplained(self, words: Words, covered: Covered) -> tuple[str, ...]:
        """Return the words that neither name nor do something, but for function words and nouns beside a name."""
        free = (index for index in range(len(words)) if index not in covered.named and index not in covered.verbs)
        said = ((index, words.texts[index]) for index in free)
        return tuple(
            word
            for index, word in said
            if word.isalpha()
            and word not in FUNCTION
            and not (self.nouns.is_noun(word) and {index - 1, index + 1} & covered.named)
        )

    @cached_property
    def facts(self) -> Patterns:
        """Return the facts that the words of a clause allow, where each predicate is taken for an action."""
        model, kinds = self.model, self.lexicon.kinds
        ways = {f"{way.name} {number}": way for number, way in enumerate(_as_actions(model, kinds))}
        actions = {name: replace(way, name=name, step=way.name) for name, way in ways.items()}
        told = Model(domain=replace(model.domain, actions=actions), problem=model.problem)
        known = _Kinds(told, kinds.changing)
        return Patterns(told, Objects(told, known), Verbs(told, known))

    def speaks_of_step(self, text: str) -> bool:
        """Return whether a text names a step rather than a fact."""
        name = re.match(r"[\s(]*([^\s(),]*)", text)
        said = "" if name is None else name[1].lower()
        is_step = said == "_" or any(said == known.lower() for known in self.simulator.ways)
        is_fact = said in self.model.domain.predicates or said in _CONNECTIVES
        return is_step or not is_fact

    @cached_property
    def given(self) -> Plan:
        """Return the plan. Raises PremiseError where none is given and none is found."""
        plan = self.cheapest() if self.plan is None else self.plan
        if plan is None:
            raise PremiseError("this question asks about a plan; give one", source="question")
        return plan

    def times(self, step: Pattern) -> int:
        """Return how often the plan takes a step."""
        return sum(map(step.matches, self.seen()))

    def seen(self) -> list[Token]:
        """Return the steps of the plan without times."""
        return [without_times(self.simulator, self.simulator.resolve(token)) for token in self.given.tokens]


@dataclass(frozen=True)
class Nouns(Objects):
    """The objects of a model, also by a noun: "the van" where there is one only, "any van", "all vans"."""

    verbs: Verbs | None = None

    def at(self, words: Words, index: int) -> Found | None:
        return super().at(words, index) or self._by_noun(words, index)

    def _by_noun(self, words: Words, index: int) -> Found | None:
        noun = words.texts[index]
        assert self.verbs is not None
        is_verb = any(end > index for at in range(index + 1) for end, _ in self.verbs.at(words, at))
        behind = super().at(words, index + 1) if index + 1 < len(words) else None
        before = (super(Nouns, self).at(words, at) for at in range(max(0, index - 3), index))
        if len(noun) < 2 or is_verb or behind or any(found and found.end == index for found in before):
            return None
        kind = self.of_kind(noun) or self.of_kind(singular(noun))
        said = self._quantifier(words, index)
        if kind and (said == "any" or (said and len(kind) == 1)):
            return Found(objects=kind, end=index + 1)
        only = self._of_kind(noun)
        only = only if len(only) == 1 else self._alone.get(noun, ())
        return Found(objects=only, end=index + 1) if only else None

    @cached_property
    def _alone(self) -> Mapping[str, tuple[str, ...]]:
        """Return the objects whose names begin with a word that no other object's begins with."""
        found = grouped((said[0], name) for name, said in self._parts.items())
        return {word: names for word, names in found.items() if len(names) == 1}

    @staticmethod
    def _quantifier(words: Words, index: int) -> str:
        """Return whether any of a kind is named before a noun, or all."""
        before = [word for word in words.texts[max(0, index - 2) : index] if word not in ("the", "of")]
        return QUANTIFIERS.get(before[-1], "") if before else ""


@dataclass(frozen=True)
class _Kinds(Kinds):
    """What may stand where in facts: what steps can change is said, for what tells facts has no steps."""

    changing: frozenset[str] = frozenset()


def _as_actions(model: Model, kinds: Kinds) -> Iterator[Action]:
    """Yield each predicate as an action with its parameters, and one that steps change as each of them uses it."""
    for name, parameters in model.domain.predicates.items():
        ways = [(tuple(parameters), ())] if name not in kinds.changing else list[Any]()
        for action in model.domain.actions.values() if not ways else ():
            own = {parameter.name: parameter for parameter in action.parameters}
            effects = (literal.atom for literal in literals_of(action.effects))
            for atom in (*atoms_of(action.precondition), *effects):
                if atom.predicate == name and own.keys() >= {*atom.terms}:
                    needs = (need for need in kinds.required[action.name] if len(need.terms) == 1)
                    about = tuple(need for need in needs if need.terms[0] in atom.terms)
                    ways.append((tuple(own[term] for term in atom.terms), about))
        for taken, needed in dict.fromkeys(ways or [(tuple(parameters), ())]):
            yield Action(name=name, parameters=taken, precondition=And(needed), effects=())


def read_condition(context: Context, text: str) -> Formula:
    """Read a condition on the states of the model. Raises InputError for what is none."""
    model, numbers = context.model, count()

    def closed(found: re.Match[str]) -> str:
        words = found[1].split()
        places = [place for place, word in enumerate(words) if place and word in ("_", "?")]
        parameters = model.domain.predicates.get(words[0].lower(), ()) if places else ()
        if not places or len(parameters) != len(words) - 1:
            return found[0]
        variables = []
        for place in places:
            words[place] = f"{ANY}{next(numbers)}"
            variables.append(f"{words[place]} - {_types(parameters[place - 1])}")
        return f"(exists ({' '.join(variables)}) ({' '.join(words)}))"

    try:
        where, group, _ = parse(f"(and {_ATOM.sub(closed, text)})", "question")
        scope = scope_of(where, model.domain, model.problem)
        parts = tuple(formula(scope, node, {}) for node in group.nodes[1:])
    except ModelError as error:
        raise InputError(f"{text.strip()}: {error.message}", source="question") from None
    if scope.features:
        raise InputError(f"{text.strip()}: {next(iter(scope.features))} cannot be asked about", source="question")
    if not parts:
        raise InputError("a condition such as (at truck1 depot) was expected", source="question")
    return parts[0] if len(parts) == 1 else And(parts)


def _types(parameter: Parameter) -> str:
    names = sorted(parameter.types)
    return names[0] if len(names) == 1 else f"(either {' '.join(names)})"


def read_fact(context: Context, text: str) -> GroundAtom:
    """Read a fact. Raises InputError for another condition."""
    read = read_condition(context, text)
    if not isinstance(read, Atom):
        raise InputError(f"{text.strip()}: a fact such as (at truck1 depot) was expected", source="question")
    return (read.predicate, *read.terms)


def read_value(context: Context, text: str) -> tuple[GroundAtom, Fraction]:
    """Read the value of a function, ``(= (fuel) 3)``. Raises InputError for what is none."""
    try:
        seen = read_seen(no_path(text), context.model.domain, context.model.problem)
    except ModelError as error:
        raise InputError(f"{text.strip()}: {error.message}", source="question") from None
    if len(seen.values) != 1 or seen.true or seen.false:
        raise InputError(f"{text.strip()}: a value such as (= (fuel truck1) 30) was expected", source="question")
    return next(iter(seen.values.items()))


# --- steps with open arguments -----------------------------------------------------------------------

_JOINT = "\ue000"
"""what stands for a blank inside parentheses, so that a step or a condition is one word"""

_OR = re.compile(r"(?<=\))\s+or\s+(?=\()", re.IGNORECASE)
_WORD = re.compile(r"[^\s(),]+")
_SHAPE = re.compile(r"[^()]*(?:\([^()]*\)\s*)?")
"""no parentheses, or one pair that ends the text"""


def read_pattern(text: str, simulator: Simulator, *, source: str = "") -> Pattern:
    """Read a step whose arguments may be open, or several with ``or`` between them; ``(_ a)`` is any step with ``a``.

    ``source`` names the place of the text for errors. Raises InputError for what is no step, an unknown name or object
    and a wrong number of arguments.
    """
    first, *others = (_read_one(each, simulator, source) for each in _OR.split(text))
    return replace(first, others=tuple(others))


def _read_one(text: str, simulator: Simulator, source: str) -> Pattern:
    words = list(_WORD.finditer(text))
    if not words or not _SHAPE.fullmatch(text):
        message = "a step such as (move ?x a) or move(_, a) was expected"
        raise InputError(message, source=source, text=text, offset=0)
    first, *rest = words
    name, number = "_", len(rest)
    if first[0] != name:
        name = named(first[0], "step", simulator.ways, source=source, text=text, offset=first.start())
        number = len(simulator.model.domain.actions[simulator.ways[name][0]].parameters)
    if len(rest) != number:
        message = f"'{name}' takes {counted(number, 'argument')}, got {len(rest)}; '_' stands for any"
        raise InputError(message, source=source, text=text, offset=first.start())
    objects = simulator.model.problem.objects
    args = (
        word[0]
        if is_open(word[0]) and name != "_"
        else named(word[0], "object", objects, source=source, text=text, offset=word.start())
        for word in rest
    )
    return Pattern(name=name, args=tuple(args))


def named(name: str, what: str, known: Collection[str], **place: Any) -> str:
    """Return a known name in its own spelling, whatever case it has here. Raises InputError for an unknown one."""
    found = name if name in known else next((each for each in known if each.lower() == name.lower()), None)
    if found is None:
        raise InputError(f"unknown {what} '{name}'{did_you_mean(name.lower(), known)}", **place)
    return found


def joined(text: str) -> str:
    """Return a text with one blank between words, in which what stands in parentheses is one word.

    Raises InputError where the parentheses do not match.
    """
    depth, start, signs = 0, 0, list[str]()
    for place, sign in enumerate(text):
        start = place if sign == "(" and not depth else start
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        signs.append(_JOINT if depth and sign.isspace() else sign)
    if depth:
        raise InputError("the parentheses do not match", source="question", text=text, offset=start)
    return " ".join("".join(signs).split())


def shown(text: str) -> str:
    """Return a joined text as it was written."""
    return text.replace(_JOINT, " ")
