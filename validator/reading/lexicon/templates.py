"""Templates: how one user says the actions, predicates and objects of a domain, as YAML.

    actions: {stack: "stack the {} on top of the {}", unstack: ["take {1} off {2}", "from {2} take {1}"]}
    predicates: {on: "the {} is on top of the {}"}
    objects: {a: red block, b: [blue block, blue one]}        # or PlanBench's name, encoded_objects
    encoded_objects: {p: "package_{}", l: "location_{}_{}"}   # p0 is package_0, l1-0 is location_1_0

Holes are the arguments in order, or by number. Keys besides these are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from validator.errors import InputError, did_you_mean
from validator.model.values import Model
from validator.reading.lexicon.line_words import LONGEST_SENTENCE, grouped, parts
from validator.records import dataclass, field
from validator.texts import read_text

HOLE = re.compile(r"\{(\d*)\}")
_NUMBERS = re.compile(r"\d+")
_OBJECTS = ("encoded_objects", "objects")
_Texts = Mapping[str, tuple[str, ...]]
Filled: TypeAlias = tuple[str, tuple[str, ...]]
"""an action and the objects in the holes of its template, in the order of its parameters"""


@dataclass(frozen=True)
class Templates:
    """The sentences of actions and predicates, and the names of objects; ``text`` alone tells two apart.

    A key of ``objects`` is an object's name or, when what it is called has holes, the letters before its numbers.
    """

    text: str
    source: str = field(default="", compare=False)
    actions: _Texts = field(default_factory=dict, compare=False)
    predicates: _Texts = field(default_factory=dict, compare=False)
    objects: _Texts = field(default_factory=dict, compare=False)
    places: Mapping[tuple[str, str], int] = field(default_factory=dict, compare=False)
    """where each key stands in the text"""

    @property
    def nouns(self) -> frozenset[str]:
        """Return the nouns of the names: block of "red block", object of "object a", package of "package_{}"."""
        said = [(words, "{" in name) for names in self.objects.values() for name in names if (words := _words(name))]
        firsts = [words[0] for words, _ in said]
        found = {words[-1] for words, _ in said if len(words) > 1}
        found |= {words[0] for words, is_pattern in said if is_pattern or (words[1:] and firsts.count(words[0]) > 1)}
        return frozenset(word for word in found if word.isalpha() and len(word) > 1)

    def names(self, name: str) -> tuple[str, ...]:
        """Return what an object is called: by its own entry, or by the one of its letters and numbers."""
        for key, said in self.objects.items():
            if key.lower() == name.lower():
                return said
        numbers = _NUMBERS.findall(name)
        letters = name[: _NUMBERS.search(name).start()] if numbers else ""  # type: ignore[union-attr]
        said = self.objects.get(letters.rstrip("-_"), ())
        return tuple(pattern.format(*numbers) for pattern in said if len(HOLE.findall(pattern)) == len(numbers) > 0)

    def letters(self, noun: str, numbers: int) -> str:
        """Return the letters for which a noun with so many numbers stands: p for package with one."""
        for letters, said in self.objects.items():
            for pattern in said:
                if len(HOLE.findall(pattern)) == numbers > 0 and _words(pattern)[:1] == (noun,):
                    return letters.lower()
        return ""

    def checked(self, model: Model) -> Templates:
        """Return the templates if they fit a model. Raises InputError for unknown names and wrong holes."""
        known = {name.lower(): len(action.parameters) for name, action in model.domain.actions.items()}
        predicates = {name.lower(): len(terms) for name, terms in model.domain.predicates.items()}
        for kind, texts, sizes in (("action", self.actions, known), ("predicate", self.predicates, predicates)):
            for name, said in texts.items():
                if name.lower() not in sizes:
                    raise self._error(
                        f"the model has no {kind} {name!r}{did_you_mean(name.lower(), sizes)}", kind, name
                    )
                for text in said:
                    self._check_holes(kind, name, text, sizes[name.lower()])
        return self

    def _check_holes(self, kind: str, name: str, text: str, size: int) -> None:
        holes = HOLE.findall(text)
        if not holes:
            return  # only the word that is said: `attack`
        numbers = [int(number) for number in holes if number] or list(range(1, len(holes) + 1))
        if sorted(numbers) != list(range(1, size + 1)) or (any(holes) and not all(holes)):
            wanted = f"{size} argument{'s' * (size != 1)}"
            raise self._error(
                f"{kind} {name!r} has {wanted}, and its template {len(holes)} holes: {text!r}", kind, name
            )

    def _error(self, message: str, kind: str, name: str) -> InputError:
        offset = self.places.get((f"{kind}s", name))
        return InputError(message, source=self.source, text=self.text if offset is not None else None, offset=offset)


TemplateSource: TypeAlias = Templates | str | Path | Mapping[str, Any]
"""Templates, or what they are read from: a path, a YAML text, its value."""


def read_templates(source: TemplateSource) -> Templates:
    """Read templates: a path, a YAML text or its value. Raises InputError with line and column, OSError for a file."""
    if isinstance(source, Templates):
        return source
    if isinstance(source, Mapping):
        import json

        return _templates(source, json.dumps(source, sort_keys=True, default=str), "", {})
    if isinstance(source, str) and is_template_text(source):
        return templates_of_text(source)
    return templates_of_text(read_text(Path(source)), str(source))


def is_template_text(source: str) -> bool:
    """Return whether templates are given as their text; a path has no line ends, colons and braces."""
    return any(sign in source for sign in "\n:{")


@lru_cache(maxsize=16)
def templates_of_text(text: str, source: str = "") -> Templates:
    """Read templates from a YAML text that nothing takes for a path. Raises InputError with line and column."""
    import yaml

    try:
        # Every scalar is a text: `on` is the name of a predicate, not a truth.
        root = yaml.compose(text, Loader=yaml.BaseLoader)
        value = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = " ".join(filter(None, (error.context, error.problem)))
        raise InputError(f"not YAML: {said}", source=source, text=text, offset=mark and mark.index) from None
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"not YAML: {error}", source=source) from None
    if not isinstance(value, Mapping):
        raise InputError("templates are a mapping: actions, predicates, objects", source=source, text=text, offset=0)
    return _templates(value, text, source, dict(_places(root)))


def _places(root: Any) -> Iterator[tuple[tuple[str, str], int]]:
    for key, value in root.value:
        yield (str(key.value), ""), key.start_mark.index
        if value.id == "mapping":
            for inner, _ in value.value:
                yield (str(key.value), str(inner.value)), inner.start_mark.index


def _templates(value: Mapping[str, Any], text: str, source: str, places: Mapping[tuple[str, str], int]) -> Templates:
    def texts(key: str) -> dict[str, tuple[str, ...]]:
        entries = value.get(key) or {}
        if key == "objects" and "encoded_objects" in value and not isinstance(entries, Mapping):
            return {}  # PlanBench's list of names, beside what they are called
        if not isinstance(entries, Mapping):
            raise wrong(f"{key} are a mapping of names to texts", key, "")
        return {
            str(name): tuple(said) for name, entry in entries.items() if (said := list(sayings(key, str(name), entry)))
        }

    def sayings(key: str, name: str, entry: object) -> Iterator[str]:
        for said in entry if isinstance(entry, list | tuple) else [entry]:
            if isinstance(said, Mapping | list | tuple):
                raise wrong(f"{name}: a text or a list of texts was expected", key, name)
            if said is not None and str(said).strip():
                yield str(said)

    def wrong(message: str, key: str, name: str) -> InputError:
        offset = places.get((key, name))
        return InputError(message, source=source, text=text if offset is not None else None, offset=offset)

    objects = {name: said for key in _OBJECTS for name, said in texts(key).items()}
    return Templates(
        text=text,
        source=source,
        actions=texts("actions"),
        predicates=texts("predicates"),
        objects=objects,
        places=places,
    )


def _words(name: str) -> tuple[str, ...]:
    return parts(HOLE.sub(" ", name))


# --- sentences that are a template word for word ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A template of an action: what stands before, between and behind its holes, and which argument each hole is."""

    action: str
    pieces: tuple[str, ...]
    order: tuple[int, ...]


@dataclass(frozen=True)
class Verbatim:
    """The sentences that the templates of a model make, to be taken apart again."""

    model: Model
    templates: Templates

    def said(self, text: str) -> tuple[Filled, ...]:
        """Return all that a sentence can be by the templates, whatever the kinds of the objects are."""
        plain = _plain(text)
        if not 0 < len(plain) <= LONGEST_SENTENCE:
            return ()
        return tuple(dict.fromkeys(found for sentence in self._sentences for found in self._taken(sentence, plain)))

    def _taken(self, sentence: _Sentence, text: str) -> Iterator[Filled]:
        for names in self._holes(sentence.pieces, text):
            args = [""] * len(names)
            for place, name in zip(sentence.order, names, strict=True):
                args[place] = name
            yield sentence.action, tuple(args)

    def _holes(self, pieces: Sequence[str], text: str) -> Iterator[tuple[str, ...]]:
        """Yield the objects in the holes between pieces that make up a text, for every way to cut it."""
        first, *others = pieces
        if not others:
            if text == first:
                yield ()
            return
        if not text.startswith(first):
            return
        text, behind = text[len(first) :], others[0]
        end = text.find(behind, 1)
        while end > 0:
            if known := self._names.get(text[:end]):
                for rest in self._holes(others, text[end:]):
                    yield from ((name, *rest) for name in known)
            end = text.find(behind, end + 1) if end < len(text) else -1

    @cached_property
    def _sentences(self) -> tuple[_Sentence, ...]:
        sizes = {name.lower(): (name, len(action.parameters)) for name, action in self.model.domain.actions.items()}
        return tuple(
            _Sentence(
                action=sizes[name.lower()][0],
                pieces=_pieces(text),
                order=tuple(int(hole) - 1 if hole else place for place, hole in enumerate(HOLE.findall(text))),
            )
            for name, texts in self.templates.actions.items()
            for text in texts
            if len(HOLE.findall(text)) == sizes[name.lower()][1]  # without holes it is only the verb
        )

    @cached_property
    def _names(self) -> Mapping[str, tuple[str, ...]]:
        objects = self.model.problem.objects
        return grouped((_plain(said), name) for name in objects for said in (*self.templates.names(name), name))


def _plain(text: str) -> str:
    """Return a text in lower case without "the", with one space for several."""
    return " ".join(word for word in text.lower().split() if word != "the")


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(HOLE.split(_plain(text))[::2])
