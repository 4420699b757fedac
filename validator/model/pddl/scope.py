"""What a PDDL text may refer to at a place, and the checks of every name against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TypeAlias, TypeVar

from validator.errors import UndeclaredObjectError, did_you_mean
from validator.model.pddl.syntax import Group, Nested, Node, Run, Source, Word, chained
from validator.model.values import Atom, Formula, OneOf, Parameter, Types
from validator.records import dataclass, field
from validator.texts import counted

Variables: TypeAlias = Mapping[str, frozenset[str]]
"""the types of the variables that are bound"""

_Listed = TypeVar("_Listed")

OBJECT = frozenset(("object",))
_FORMULAS = frozenset((":precondition", ":condition", ":effect"))
_MOST_WARNINGS = 20
_SHOWN = 3
"""places that are told of each rule for published models"""


@dataclass(slots=True)
class Scope:
    """The names known while a domain or problem is read; grows section by section.

    ``features`` maps what is beyond classical planning to its first place. With ``is_strict``, what the grammar forbids
    and published models have is an error.
    """

    source: Source
    is_strict: bool = False
    types: Types = field(default_factory=Types)
    objects: dict[str, frozenset[str]] = field(default_factory=dict)
    predicates: dict[str, tuple[Parameter, ...]] = field(default_factory=dict)
    functions: dict[str, tuple[Parameter, ...]] = field(default_factory=dict)
    object_functions: set[str] = field(default_factory=set)
    preferences: set[str] = field(default_factory=set)
    derived: set[str] = field(default_factory=set)
    features: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    values_needed: list[Formula] | None = None
    """that the object fluents in the effects of an action have values; None where it cannot be asked for"""
    choices: list[OneOf] = field(default_factory=list, init=False)
    """what is open in the effects that are read"""
    fits: dict[tuple[int, frozenset[str], frozenset[str]], bool] = field(default_factory=dict, init=False)
    """what ``may_be`` has found, by the number of types that were declared then"""
    plain: dict[str, tuple[Atom, tuple[tuple[str, frozenset[str]], ...]]] = field(default_factory=dict, init=False)
    """the atoms that were read without a warning, by their text, each with the types of its variables: they repeat"""
    is_declaring: bool = field(default=False, init=False)
    """whether what is read declares a predicate, a function or a constant, so that what it names as a type is one"""
    borrowed: frozenset[str] = frozenset()
    """objects that a domain may name though only the problem declares them"""
    types_only_warn: bool = True
    """whether an argument of another type than its predicate declares is noted, and not refused"""
    tolerated: dict[str, list[str]] = field(default_factory=dict, init=False)
    """what rules for published models took: by rule a text for each of the first places"""
    untold: dict[str, int] = field(default_factory=dict, init=False)
    """at how many more places a rule took something"""
    features_of: dict[str, set[str]] = field(default_factory=dict, init=False)
    """the features by the actions that use them; with an empty name, those that are used elsewhere"""
    within: str = field(default="", init=False)
    """the action that is read"""
    predefined: frozenset[str] = field(default=frozenset(), init=False)
    """the predefined names, such as ``?duration``, that mean something at the place that is read"""
    has_preferences: bool = field(init=False)
    """whether the word stands anywhere in the text"""

    def __post_init__(self) -> None:
        self.has_preferences = "preference" in self.source.text

    @contextmanager
    def defining(self, *names: str) -> Iterator[None]:
        """Let predefined names mean something in what is read inside."""
        before = self.predefined
        self.predefined = before.union(names)
        yield
        self.predefined = before

    def warn(self, message: str, offset: int) -> None:
        """Note a warning; equal ones once, and no more than twenty."""
        if len(self.warnings) < _MOST_WARNINGS:
            text = f"{self.source.place(offset)}: {message}"
            if text not in self.warnings:
                self.warnings.append(text)

    def tolerate(self, rule: str, message: str, offset: int, refusal: str = "") -> None:
        """Note what a rule for published models takes here; fail where the text is read strictly."""
        if self.is_strict:
            self.source.fail(refusal or message, offset)
        told = self.tolerated.setdefault(rule, [])
        if len(told) < _SHOWN:
            told.append(f"{self.source.place(offset)}: {message}")
        else:
            self.untold[rule] = self.untold.get(rule, 0) + 1

    def told(self) -> tuple[str, ...]:
        """Return the warnings, what was tolerated first: of each rule some places, and how many more there are."""
        found: list[str] = []
        for rule, told in self.tolerated.items():
            found += told
            if more := self.untold.get(rule):
                found[-1] += f" (and at {counted(more, 'more place')})"
        return (*found, *self.warnings)

    def feature(self, name: str, offset: int) -> None:
        """Note that the model uses what is beyond classical planning."""
        self.features_of.setdefault(self.within, set()).add(name)
        if name not in self.features:
            self.features[name] = self.source.place(offset)

    # --- names -------------------------------------------------------------------------------

    def word(self, node: Node, expected: str) -> Word:
        if isinstance(node, Word):
            return node
        return self.source.fail(f"{expected} was expected, not a group", node.offset)

    def group(self, node: Node, expected: str) -> Group:
        if isinstance(node, Group):
            return node
        return self.source.fail(f"{expected} was expected, not '{node.text}'", node.offset)

    def takes(self, group: Group, arguments: int) -> None:
        """Refuse a group that has not so many arguments."""
        if len(group.nodes) - 1 != arguments:
            self.source.fail(
                f"'{group.head}' takes {counted(arguments, 'argument')}, got {len(group.nodes) - 1}", group.offset
            )

    def known_type(self, word: Word) -> str:
        if word.text not in self.types:
            refusal = f"undeclared type '{word.text}'{did_you_mean(word.text, self.types)}"
            if not self.is_declaring:
                self.source.fail(refusal, word.offset)
            self.tolerate("undeclared-type", f"{refusal}; it is taken as declared", word.offset, refusal)
            self.types = Types({**self.types.parents, word.text: OBJECT})
        return word.text

    def term(self, node: Node, variables: Variables) -> str:
        """Return a bound variable or a declared object. A function as a term is an object fluent (PDDL 3.1)."""
        if isinstance(node, Group):
            self.feature("object-fluents", node.offset)
            return ""
        if node.text.startswith("?"):
            if node.text not in variables:
                self.source.fail(f"unbound variable '{node.text}'{did_you_mean(node.text, variables)}", node.offset)
        elif node.text not in self.objects:
            self._borrow(node)
        return node.text

    def _borrow(self, node: Word) -> None:
        """Take the name of an object that only the problem declares; fail for any other."""
        refusal = f"undeclared object '{node.text}'{did_you_mean(node.text, self.objects)}"
        if node.text not in self.borrowed:
            self.source.fail(refusal, node.offset, UndeclaredObjectError)
        self.tolerate("undeclared-constant", f"{refusal}; it is an object of the problem", node.offset, refusal)
        self.objects[node.text] = OBJECT

    def terms(
        self,
        nodes: Sequence[Node],
        declared: tuple[Parameter, ...],
        variables: Variables,
        name: Word,
        kind: str,
    ) -> tuple[str, ...]:
        """Return the arguments of a predicate or function after checking their number; types only warn."""
        if len(nodes) != len(declared):
            self.source.fail(
                f"{kind} '{name.text}' takes {counted(len(declared), 'argument')}, got {len(nodes)}", name.offset
            )
        found = tuple(self.term(node, variables) for node in nodes)
        for node, term, parameter in zip(nodes, found, declared, strict=True):
            if term and not self.may_be(variables[term] if term[0] == "?" else self.objects[term], parameter.types):
                expected = " or ".join(sorted(parameter.types))
                told: Callable[[str, int], None] = self.warn if self.types_only_warn else self.source.fail
                told(f"'{term}' is not of type {expected}, which {kind} '{name.text}' declares", node.offset)
        return found

    def may_be(self, given: frozenset[str], wanted: frozenset[str]) -> bool:
        """Return whether some object of the types ``given`` can also be of the types ``wanted``."""
        key = len(self.types.parents), given, wanted
        if key not in self.fits:
            below = not wanted.isdisjoint(self.types.ancestors(given))
            self.fits[key] = below or not given.isdisjoint(self.types.ancestors(wanted))
        return self.fits[key]

    def joined(self, nodes: Sequence[Node], where: str, refusal: str) -> Group:
        """Return formulas that stand side by side where one was expected as their conjunction."""
        self.tolerate(
            "missing-and", f"{where} has {len(nodes)} formulas; all of them are meant", nodes[1].offset, refusal
        )
        parts = tuple(node for node in nodes if isinstance(node, Group))
        return Nested((Run("and", nodes[0].offset), *parts), nodes[0].offset)

    def declared(self, section: Group) -> Iterator[Sequence[Node]]:
        """Yield what a section declares, and then by itself what is private to an agent.

        With ``:unfactored-privacy`` the agent stands before it.
        """
        nodes = section.nodes[1:]
        yield [node for node in nodes if not _is_private(node)]
        for group in nodes:
            if isinstance(group, Group) and _is_private(group):
                refusal = "':private' is not single-agent PDDL"
                self.tolerate("private", f"{refusal}; what it declares is taken as declared", group.offset, refusal)
                yield group.nodes[1:]

    # --- typed lists -------------------------------------------------------------------------

    def typed_list(self, nodes: Iterable[Node], expected: str) -> list[tuple[Word, frozenset[str] | None]]:
        """Return the names of ``a b - t c``, each with its types."""
        return self.typed(nodes, expected, self.word)

    def typed(
        self, nodes: Iterable[Node], expected: str, read: Callable[[Node, str], _Listed]
    ) -> list[tuple[_Listed, frozenset[str] | None]]:
        """Return what a list declares, each part with its types, None where none is given.

        The types are not checked here, since a list of types may name them before it declares them.
        """
        result: list[tuple[_Listed, frozenset[str] | None]] = []
        waiting: list[_Listed] = []
        dash: Word | None = None
        for node in self._with_blanks(nodes):
            if dash is not None:
                if not waiting:
                    refusal = f"{expected} was expected before '-'"
                    self.tolerate(
                        "empty-list", f"no name before '-'; it declares nothing ({refusal})", dash.offset, refusal
                    )
                types = self._type_names(node)
                result += [(each, types) for each in waiting]
                waiting, dash = [], None
            elif isinstance(node, Word) and node.text == "-":
                dash = node
            else:
                waiting.append(read(node, expected))
        if dash is not None:
            self.source.fail("a type was expected after '-'", dash.offset)
        return result + [(each, None) for each in waiting]

    def _with_blanks(self, nodes: Iterable[Node]) -> Iterator[Node]:
        """Yield the nodes of a typed list, in which no name begins with ``-``, but for numbers such as ``-1``."""
        for node in nodes:
            if isinstance(node, Word) and node.text[0] == "-" and len(node.text) > 1 and not node.text[1:].isdigit():
                message = f"a blank is missing between '-' and '{node.text[1:]}'; it is taken as the type"
                self.tolerate("missing-blank", message, node.offset)
                yield Word("-", node.offset)
                yield Word(node.text[1:], node.offset + 1)
            else:
                yield node

    def keys_apart(self, nodes: Sequence[Node], keys: Sequence[str]) -> tuple[Node, ...]:
        """Return the nodes with a key apart that stands after a word without a blank: ``go:effect (...)``.

        A key has a group after it; without one the word is a name that has a colon.
        """
        if not any(isinstance(node, Word) and ":" in node.text[1:] for node in nodes):
            return tuple(nodes)
        found: list[Node] = []
        for node, following in zip_longest(nodes, nodes[1:]):
            key = next((key for key in keys if isinstance(node, Word) and node.text.endswith(key)), "")
            if isinstance(node, Word) and 0 < len(key) < len(node.text) and isinstance(following, Group):
                name = node.text.removesuffix(key)
                place = node.offset + len(name)
                told = f"a blank is missing between '{name}' and '{key}'; they are taken as two words"
                self.tolerate("missing-blank", told, place)
                found += (Word(name, node.offset), Word(key, place))
            else:
                found.append(node)
        return tuple(found)

    def keyed(self, nodes: Sequence[Node], keys: Sequence[str], owner: str) -> dict[str, Node]:
        """Return the ``:key value`` pairs of ``owner`` in any order; conditions and effects side by side are joined."""
        parts: dict[str, Node] = {}
        position = 0
        while position < len(nodes):
            key = self.word(nodes[position], f"one of {', '.join(keys)}")
            if key.text not in keys:
                hint = did_you_mean(key.text, keys)
                self.source.fail(f"'{key.text}' is not a part of {owner}{hint}", key.offset)
            if key.text in parts:
                self.source.fail(f"duplicate '{key.text}' in {owner}", key.offset)
            value = nodes[position + 1] if position + 1 < len(nodes) else None
            if value is None or (isinstance(value, Word) and value.text in keys):
                self.source.fail(f"'{key.text}' of {owner} has no value", key.offset)
            end = position + 2
            while key.text in _FORMULAS and end < len(nodes) and isinstance(nodes[end], Group):
                end += 1
            if end > position + 2 and isinstance(value, Group):
                refusal = f"one of {', '.join(keys)} was expected, not a group"
                value = self.joined(nodes[position + 1 : end], f"'{key.text}' of {owner}", refusal)
            parts[key.text] = value
            position = end
        return parts

    def _type_names(self, node: Node) -> frozenset[str]:
        if isinstance(node, Word):
            return frozenset((node.text,))
        parts = node.nodes
        if node.head != "either" or len(parts) < 2:
            self.source.fail("a type or (either TYPE ...) was expected", node.offset)
        return frozenset(self.word(part, "a type").text for part in parts[1:])

    def check_types(self, types: frozenset[str] | None, offset: int) -> frozenset[str]:
        """Return the declared types, ``object`` where none is given."""
        if types is None:
            return OBJECT
        for name in sorted(types):
            self.known_type(Word(name, offset))
        return types

    def parameters(self, nodes: Iterable[Node]) -> tuple[Parameter, ...]:
        """Return the variables of a parameter list; a variable twice is an error."""
        seen: dict[str, Parameter] = {}
        for word, types in self.typed_list(nodes, "a variable"):
            if not word.text.startswith("?") or word.text == "?":
                self.source.fail(f"a variable such as ?x was expected, not '{word.text}'", word.offset)
            if word.text in seen:
                self.source.fail(f"duplicate parameter '{word.text}'", word.offset)
            seen[word.text] = Parameter(word.text, self.check_types(types, word.offset))
        return tuple(seen.values())

    def quantified(self, node: Node, variables: Variables) -> tuple[tuple[Parameter, ...], Variables]:
        """Return the variables of a quantifier, and all that are bound below it."""
        return self.bound(self.group(node, "a list of variables").nodes, variables)

    def bound(self, nodes: Sequence[Node], variables: Variables) -> tuple[tuple[Parameter, ...], Variables]:
        """Return the variables of a typed list, and all that are bound below it."""
        parameters = self.parameters(nodes)
        return parameters, {**variables, **{parameter.name: parameter.types for parameter in parameters}}

    def leaves(
        self, node: Node, variables: Variables, expected: str
    ) -> Iterator[tuple[Group, Variables, tuple[Parameter, ...]]]:
        """Yield the groups that ``and`` and ``forall`` join, with all that is bound there, and by the quantifiers."""
        group = self.group(node, expected)
        head = group.head
        if head == "and":
            for part in chained(group):
                yield from self.leaves(part, variables, expected)
        elif head == "forall" and len(group.nodes) == 3:
            parameters, inner = self.quantified(group.nodes[1], variables)
            for leaf, bound, others in self.leaves(group.nodes[2], inner, expected):
                yield leaf, bound, (*parameters, *others)
        elif head or group.nodes:
            yield group, variables, ()


def _is_private(node: Node) -> bool:
    return isinstance(node, Group) and node.head == ":private"
