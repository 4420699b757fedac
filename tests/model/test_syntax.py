"""The groups and words of a PDDL text: one meaning, by the reader and by the grammar that states it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lark import Lark, Token, Tree, UnexpectedInput

from tests.support.places import CONFORMANCE, ORACLES, ROOT, SHARED
from validator import ModelError
from validator.model.pddl.syntax import MAX_DEPTH, Group, Node, parse

Shape: TypeAlias = tuple[str, int] | tuple[int, tuple[Any, ...]]
"""a word with its offset, or a group with its offset and parts"""


@cache
def grammar() -> Lark:
    return Lark((ORACLES / "pddl.lark").read_text(encoding="utf-8"), parser="lalr", lexer="basic")


def stated(text: str) -> Shape | None:
    """Return what the grammar says of a text that is one group; None where it refuses it."""
    try:
        tree = grammar().parse(text)
    except UnexpectedInput:
        return None
    group = tree.children[0]
    assert isinstance(group, Tree)
    return _stated(group)


def _stated(group: Tree[Token]) -> Shape:
    opening, *parts, _ = group.children
    assert isinstance(opening, Token) and opening.start_pos is not None
    found = [_stated(part) if isinstance(part, Tree) else (str(part), part.start_pos) for part in parts]
    return opening.start_pos, tuple(found)


def read(text: str) -> Shape | None:
    """Return what the reader says of a text; None where it refuses it."""
    try:
        _, group, _ = parse(text, "text")
    except ModelError:
        return None
    return _read(group)


def _read(node: Node) -> Shape:
    if isinstance(node, Group):
        return node.offset, tuple(map(_read, node.nodes))
    return node.text, node.offset


@pytest.mark.parametrize("folder", [CONFORMANCE, ROOT / "domains"], ids=["conformance", "bundled"])
def test_models_are_read_as_the_grammar_says(folder: Path) -> None:
    files = sorted(folder.rglob("*.pddl"))
    assert files
    for file in files:
        assert_same(file)


@pytest.mark.deep
def test_every_model_at_hand_is_read_as_the_grammar_says() -> None:
    files = [file for file in sorted(SHARED.rglob("*.pddl")) if file.stat().st_size < 500_000]
    if not files:
        pytest.skip("no shared models here")
    for file in files:
        assert_same(file)


def assert_same(file: Path) -> None:
    text = file.read_bytes().decode("utf-8", "replace").lower()
    shape = stated(text)
    if shape and _depth(shape) > MAX_DEPTH:
        with pytest.raises(ModelError, match="nested"):
            parse(text, "text")
    else:
        assert read(text) == shape, file


def _depth(shape: Shape) -> int:
    _, parts = shape
    return 0 if isinstance(parts, int) else 1 + max(map(_depth, parts), default=0)


WORDS = "( ( ) ) a bc - ?x ? = 1.5 :k"
PIECES = st.sampled_from([*WORDS.split(), " ", "\n", "\t", ";x\n", "; ( ", "(= (f a) 1)", "(p a)"])


@example(["(", "(", "= ", "(", "f a", ")", " ?x", ")", ")"])
@example(["(", "= (f ?x) 1", ")"])
@example(["(", "(= ( ) 1)", ")"])
@example(["(", "p a ;c\n", ")", ")"])
@given(st.lists(PIECES, max_size=25))
def test_any_text_is_read_as_the_grammar_says(pieces: list[str]) -> None:
    text = "".join(["((d)", *pieces, ")"])  # the reader wants groups in the first one, as (define (domain d)) has
    assert read(text) == stated(text)
