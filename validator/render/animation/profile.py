"""Planimation profiles: for each predicate what it does to the objects in it, for each object how it looks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from validator.model.pddl.syntax import Group, Node, Source, Word, parse
from validator.records import dataclass
from validator.resources import cached_if_short
from validator.texts import read_text

Constant: TypeAlias = float | str | bool | None
"""None is a value that a predicate gives"""

FUNCTIONS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "distributex": (("width",),),
    "distributey": (("height",),),
    "distribute_grid_around_point": ((),),
    "distribute_within_objects_vertical": (("width", "height"), ("x", "y")),
    "distribute_within_objects_horizontal": (("width",), ("x",)),
    "distribute_within_objects_horizontal_v2": (("width",), ("x",)),
    "distribute_next_objects": (("height",), ("x", "y")),
    "align_middle": (("width",), ("x", "width")),
    "apply_smaller": (("width",), ()),
    "calculate_label": ((), ()),
    "draw_line": (("x", "y", "width", "height"), ("x", "y", "width", "height")),
}
"""which properties each function needs of each object that it takes"""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+=*")
_FORMATS = {"iVBOR": "png", "/9j/": "jpeg", "R0lGOD": "gif", "UklGR": "webp"}


@dataclass(frozen=True, slots=True)
class Reference:
    """A property of an object; ``term`` is a parameter or the name of an object."""

    term: str
    name: str


@dataclass(frozen=True, slots=True)
class Sum:
    """Numbers and properties added up."""

    parts: tuple[Reference | float, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function of objects that gives several properties of the first, or draws a line."""

    function: str
    terms: tuple[str, ...]
    settings: Mapping[str, Constant]


Value: TypeAlias = Constant | Reference | Sum | Call


@dataclass(frozen=True, slots=True)
class Effect:
    """Properties of an object that get a value; without an object, a line that is drawn."""

    term: str
    names: tuple[str, ...]
    value: Value


@dataclass(frozen=True, slots=True)
class Rule:
    """What an atom of a predicate does; ``terms`` are its parameters and then the objects of the picture alone."""

    terms: tuple[str, ...]
    custom: tuple[str, ...]
    effects: tuple[Effect, ...]
    priority: float


@dataclass(frozen=True, slots=True)
class Visual:
    """How objects look: those of some names (``%key``: that begin so), all others, or ones of the picture alone."""

    kind: str
    objects: tuple[str, ...]
    properties: Mapping[str, Constant]


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile; ``images`` are addresses with the data in them."""

    rules: Mapping[str, Rule]
    visuals: tuple[Visual, ...]
    images: Mapping[str, str]


def read_profile(given: str | Path) -> Profile:
    """Read a profile from a path or a text. Raises ModelError, or OSError for a file."""
    return _read(read_text(given) if isinstance(given, Path) else str(given))


@cached_if_short(4, characters=1_000_000)  # a page asks about one plan after another
def _read(text: str) -> Profile:
    source, group, _ = parse(text.lstrip("\N{BYTE ORDER MARK}"), "animation")
    nodes = group.nodes
    if group.head != "define" or len(nodes) < 2 or not isinstance(nodes[1], Group) or nodes[1].head != "animation":
        source.fail("(define (animation NAME) ...) was expected", group.offset)
    reader = _Reader(source)
    rules, visuals, images = dict[str, Rule](), list[Visual](), dict[str, str]()
    for section in nodes[2:]:
        if isinstance(section, Group) and section.head == ":predicate":
            name, rule = reader.rule(section)
            rules[name] = rule
        elif isinstance(section, Group) and section.head == ":visual":
            visuals.append(reader.visual(section))
        elif isinstance(section, Group) and section.head == ":image":
            images.update(reader.images(section))
        else:
            source.fail("(:predicate ...), (:visual ...) or (:image ...) was expected", section.offset)
    return Profile(rules, tuple(visuals), images)


class _Reader:
    """Reads the parts of a profile."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def _keys(self, nodes: Sequence[Node]) -> Iterator[tuple[str, Node]]:
        """Yield the keys of a section, each with what stands behind it."""
        waiting = ""
        for node in nodes:
            if isinstance(node, Word) and node.text.startswith(":"):
                waiting = f":{node.text.lstrip(':')}"
            elif waiting:
                yield waiting, node
                waiting = ""

    def _words(self, node: Node) -> tuple[str, ...]:
        """Return one word, or those of a group."""
        if isinstance(node, Word):
            return (node.text,)
        return tuple([self._word(one) for one in node.nodes])

    def _word(self, node: Node) -> str:
        if not isinstance(node, Word):
            self._source.fail("a word was expected", node.offset)
        return node.text

    def rule(self, section: Group) -> tuple[str, Rule]:
        _, name, *rest = section.nodes
        terms: tuple[str, ...] = ()
        custom: tuple[str, ...] = ()
        effects: list[Effect] = []
        priority = 10.0  # as Planimation has it
        for key, node in self._keys(rest):
            match key:
                case ":parameters":
                    terms = self._words(node)
                case ":custom":
                    custom = self._words(node)
                case ":effect" if isinstance(node, Group):
                    priority = self._effects(node, effects, priority)
                case ":priority" | ":priotity":  # as a published profile has it
                    priority = self._number(node)
                case _:
                    self._source.fail(f"'{key}' is not a part of a predicate's rule", node.offset)
        return self._word(name), Rule((*terms, *custom), custom, tuple(effects), priority)

    def _effects(self, group: Group, found: list[Effect], priority: float) -> float:
        """Read effects, among which a priority may stand, and return it."""
        nodes: Sequence[Node] = (group,) if group.head in ("equal", "assign", "action") else group.nodes
        keys = dict(self._keys(nodes))
        if ":priority" in keys:
            priority = self._number(keys[":priority"])
            nodes = [node for node in nodes if isinstance(node, Group)]
        found += map(self._effect, nodes)
        return priority

    def _effect(self, group: Node) -> Effect:
        match (group.head, group.nodes[1:]) if isinstance(group, Group) else ("", ()):
            case "action", [Group() as call]:
                return Effect("", (), self._call(call))
            case "equal" | "assign", [Group() as left, right]:
                term, *names = self._words(left)
                if not names:
                    self._source.fail(f"'{term}' needs the name of a property after it", left.offset)
                return Effect(term, tuple(names), self._value(right))
        return self._source.fail("(equal (OBJECT PROPERTY) VALUE) or (action ...) was expected", group.offset)

    def _value(self, node: Node) -> Value:
        if isinstance(node, Word):
            return _constant(node.text)
        match node.head:
            case "function":
                return self._call(node)
            case "add":
                return Sum(tuple([self._part(one) for one in node.nodes[1:]]))
        words = self._words(node)
        if len(words) < 2 or words[0] in ("sum", "subtract", "multiply"):
            self._source.fail("a word, (OBJECT PROPERTY), (add ...) or (function ...) was expected", node.offset)
        return Reference(words[0], " ".join(words[1:]))

    def _part(self, node: Node) -> Reference | float:
        if isinstance(node, Word):
            return self._number(node)
        found = self._value(node)
        if not isinstance(found, Reference):
            self._source.fail("a number or (OBJECT PROPERTY) was expected", node.offset)
        return found

    def _call(self, group: Group) -> Call:
        terms: tuple[str, ...] = ()
        settings: dict[str, Constant] = {}
        if group.head != "function" or len(group.nodes) < 2:
            self._source.fail("(function NAME (objects ...)) was expected", group.offset)
        name = self._word(group.nodes[1])
        for part in group.nodes[2:]:
            if isinstance(part, Group) and part.head == "objects":
                terms = tuple([self._word(one) for one in part.nodes[1:]])
            elif isinstance(part, Group) and part.head == "settings":
                settings = dict(map(self._property, part.nodes[1:]))
        if name not in FUNCTIONS:
            self._source.fail(f"the function '{name}' is not supported: {', '.join(FUNCTIONS)} are", group.offset)
        takes = len(FUNCTIONS[name])
        if len(terms) != takes:
            self._source.fail(f"{name} takes {takes} objects, not {len(terms)}", group.offset)
        return Call(name, terms, settings)

    def _number(self, node: Node) -> float:
        text = self._word(node)
        if not _NUMBER.fullmatch(text):
            self._source.fail(f"a number was expected, not '{text}'", node.offset)
        return float(text)

    def visual(self, section: Group) -> Visual:
        kind, objects = "default", tuple[str, ...]()
        properties: dict[str, Constant] = {}
        for key, node in self._keys(section.nodes[2:]):
            match key:
                case ":type":
                    kind = self._word(node)
                case ":objects" | ":object":
                    objects = self._words(node)
                case ":properties" if isinstance(node, Group):
                    properties = dict(map(self._property, node.nodes))
                case _:
                    self._source.fail(f"'{key}' is not a part of a visual", node.offset)
        if kind not in ("default", "custom", "predefine"):
            self._source.fail(f"a visual is default, custom or predefine, not '{kind}'", section.offset)
        return Visual(kind, objects or (self._word(section.nodes[1]),), properties)

    def _property(self, node: Node) -> tuple[str, Constant]:
        match node:
            case Group() if len(node.nodes) == 2 and isinstance(value := node.nodes[1], Group):
                if self._words(value) != ("function", "randomcolor"):
                    self._source.fail("a value was expected", value.offset)
                return node.head, "randomcolor"
            case Group() if len(node.nodes) == 2:
                return node.head, _constant(self._word(node.nodes[1]))
        return self._source.fail("(NAME VALUE) was expected", node.offset)

    def images(self, section: Group) -> Iterator[tuple[str, str]]:
        """Yield the images that a browser can show; the data is in the text as it was written."""
        for node in section.nodes[1:]:
            if not isinstance(node, Group) or len(node.nodes) < 2:
                self._source.fail("(NAME BASE64) was expected", node.offset)
            name, *parts = node.nodes
            data = "".join(self._source.written[one.offset : one.offset + len(self._word(one))] for one in parts)
            form = next((form for begin, form in _FORMATS.items() if data.startswith(begin)), None)
            if form is None or not _BASE64.fullmatch(data):
                self._source.fail("the image is not PNG, JPEG, GIF or WebP in base64", node.offset)
            yield self._word(name), f"data:image/{form};base64,{data}"


def _constant(text: str) -> Constant:
    if _NUMBER.fullmatch(text):
        return float(text)
    return {"null": None, "false": False, "true": True}.get(text, text)
