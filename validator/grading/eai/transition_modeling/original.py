"""The original evaluator's reading and counting, quirk for quirk, so that published figures can be compared.

What differs from ``matching``: operators are cut out by a search for words after all line ends were deleted, so that
a comment swallows the rest of the answer; literals are compared as texts, parameter names and all; parts are
aligned by position before they are compared; a predicate counts once per part, however many literals it has; what
cannot be read counts nowhere; and a right literal that stands after wrong ones is counted as wrong too (the index
bug).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from typing import TypeAlias

from validator.model.pddl.syntax import end_of_group
from validator.records import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """The three texts of an operator, each with its parentheses."""

    parameters: str
    precondition: str
    effect: str

    def text(self, name: str) -> str:
        """Return the operator as PDDL."""
        parts = f":parameters {self.parameters} :precondition {self.precondition} :effect {self.effect}"
        return f"(:action {name} {parts})"


# --- reading answers -----------------------------------------------------------------------------


def definitions(answer: str) -> dict[str, Definition] | None:
    """Return the operators of an answer by name, None where the original reports a wrong format."""
    text = answer.strip().removeprefix("```json").strip().strip("`").replace("\n", "").replace("'", '"')
    with suppress(ValueError, KeyError, TypeError, IndexError, RecursionError):
        text = json.loads(text)["output"]
    if not isinstance(text, str):
        return None
    text = re.sub(r"\s+", " ", re.sub(r";.*", "", text))
    found: dict[str, Definition] = {}
    for match in re.finditer(r"\(:action (\w+)", text):
        blocks = [_block(text, keyword, match.start()) for keyword in (":parameters", ":precondition", ":effect")]
        if all(blocks):
            found[match[1]] = Definition(parameters=blocks[0], precondition=blocks[1], effect=blocks[2])
    return found


def _block(text: str, keyword: str, start: int) -> str:
    """Return the group after a keyword, wherever the next one stands; the rest of the text if it never closes."""
    at = text.find(keyword, start)
    opening = text.find("(", at) if at >= 0 else -1
    if opening < 0:
        return ""
    return text[opening : end_of_group(text, opening)]


# --- trees ---------------------------------------------------------------------------------------

_Nested: TypeAlias = "str | list[_Nested]"


@dataclass(slots=True)
class _Tree:
    """``kind`` is a connective, or ``literal`` with its text; ``variables`` is the text of a quantifier's list."""

    kind: str
    text: str = ""
    variables: str = ""
    parts: list[_Tree] = field(default_factory=list)

    def names(self) -> set[str]:
        if self.kind == "literal":
            return {self.text.split()[0]}
        return {name for part in self.parts for name in part.names()}

    def rename(self, old: str, new: str) -> None:
        self.text = _renamed(self.text, old, new)
        self.variables = _renamed(self.variables, old, new)
        for part in self.parts:
            part.rename(old, new)


class _UnreadableError(ValueError):
    """What makes the original count nothing at all."""


def _renamed(text: str, old: str, new: str) -> str:
    return " ".join(new if word == old else word for word in text.split())


def _read(text: str) -> _Tree:
    tokens = iter(re.findall(r"[()]|[^\s()]+", text))
    if next(tokens, "") != "(":
        raise _UnreadableError
    return _tree(_nested(tokens))


def _nested(tokens: Iterator[str]) -> list[_Nested]:
    """Return what stands in a group whose parenthesis was read."""
    stack: list[list[_Nested]] = [[]]
    for token in tokens:
        if token == "(":
            stack.append([])
            if len(stack) > _DEEPEST:
                raise _UnreadableError
        elif token == ")":
            done = stack.pop()
            if not stack:
                return done
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    raise _UnreadableError


_DEEPEST = 150
_PARTS = {"not": 1, "when": 2, "forall": 2, "exists": 2}


def _tree(found: _Nested) -> _Tree:
    if isinstance(found, str):
        return _Tree("literal", found)
    if not found or found == ["and"]:
        return _Tree("literal", "()")
    head, rest = found[0], found[1:]
    if head in ("and", "or"):
        return _Tree(str(head), parts=list(map(_tree, rest)))
    if isinstance(head, str) and head in _PARTS:
        if len(rest) != _PARTS[head]:
            raise _UnreadableError
        if head in ("not", "when"):
            return _Tree(head, parts=list(map(_tree, rest)))
        return _Tree(head, variables=_words(rest[0]), parts=[_tree(rest[1])])
    text = " ".join(part if isinstance(part, str) else _words(part) for part in found)
    if not text.strip():
        raise _UnreadableError
    return _Tree("literal", text)


def _words(found: _Nested) -> str:
    if isinstance(found, str) or any(not isinstance(part, str) for part in found):
        raise _UnreadableError
    return " ".join(map(str, found))


# --- comparing -----------------------------------------------------------------------------------


def compare_texts(predicted: str, gold: str) -> tuple[set[str], set[str], set[str]]:
    """Return the predicates that are right, wrong and missed in a predicted condition or effect.

    ``()`` is what fills up a shorter list of parts.
    """
    try:
        ours, theirs = _read(predicted), _read(gold)
    except _UnreadableError:
        return set(), set(), set()
    _align(ours, theirs, count())
    if ours.kind not in ("and", "or") or ours.kind != theirs.kind:
        is_same = _is_match(ours, theirs)
        return (ours.names(), set(), set()) if is_same else (set(), ours.names(), theirs.names())
    matched = _matching(ours.parts, theirs.parts)
    golden = set(matched.values())
    return (
        _names(part for part in ours.parts if any(_is_match(part, other) for other in theirs.parts)),
        _names(part for place, part in enumerate(ours.parts) if place not in matched or place not in golden),
        _names(part for place, part in enumerate(theirs.parts) if place not in golden),
    )


def _names(parts: Iterable[_Tree]) -> set[str]:
    return {name for part in parts for name in part.names()}


def _align(ours: _Tree, theirs: _Tree, fresh: Iterator[int]) -> None:
    """Fill up the shorter of two junctions, and give quantifiers at the same place the same variable."""
    if ours.kind in ("and", "or") and theirs.kind in ("and", "or"):
        for one, other in ((ours, theirs), (theirs, ours)):
            one.parts += [_Tree("literal", "()") for _ in range(len(other.parts) - len(one.parts))]
    elif ours.kind in ("exists", "forall") and theirs.kind in ("exists", "forall"):
        common = f"?aligned{next(fresh)}"
        for tree in (ours, theirs):
            if tree.variables:
                tree.rename(tree.variables.split()[0], common)
        ours.variables = theirs.variables
    elif ours.kind != theirs.kind:
        return
    for one, other in zip(ours.parts, theirs.parts, strict=False):
        _align(one, other, fresh)


def _is_match(ours: _Tree, theirs: _Tree) -> bool:
    """Return whether two parts count as the same: a part of a negation or a quantifier is enough."""
    if ours.kind != theirs.kind:
        return False
    if ours.kind == "literal":
        return ours.text == theirs.text
    if ours.kind in ("and", "or"):
        return _score(ours, theirs) == 1
    if ours.kind == "when":
        return all(_score(one, other) == 1 for one, other in zip(ours.parts, theirs.parts, strict=True))
    return ours.variables == theirs.variables and _score(ours.parts[0], theirs.parts[0]) > 0


def _score(ours: _Tree, theirs: _Tree) -> float:
    if ours.kind not in ("and", "or") or ours.kind != theirs.kind:
        return float(_is_match(ours, theirs))
    most = max(len(ours.parts), len(theirs.parts))
    return len(_matching(ours.parts, theirs.parts)) / most if most else 0.0


def _matching(ours: Sequence[_Tree], theirs: Sequence[_Tree]) -> dict[int, int]:
    """Return a largest matching, our place to theirs, by augmenting paths in order (Kuhn 1955)."""
    near = [[place for place, other in enumerate(theirs) if _is_match(part, other)] for part in ours]
    taken: dict[int, int] = {}

    def assign(place: int, seen: set[int]) -> bool:
        for other in near[place]:
            if other not in seen:
                seen.add(other)
                if other not in taken or assign(taken[other], seen):
                    taken[other] = place
                    return True
        return False

    for place in range(len(ours)):
        assign(place, set())
    return {place: other for other, place in taken.items()}
