"""Laws of reading and printing plans: parts tile the text, what is printed is read back, limits hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import some
from validator import PlanError
from validator.reading.plan import MAX_STEPS, Dialect, Ignored, Step, Unparsed
from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.tokens.layout import MAX_CHARACTERS

BLOCKS = Vocabulary(
    actions={"pick-up": 1, "stack": 2, "wait": 0}, objects=frozenset("abc"), predicates=frozenset(("on", "clear"))
)
DIALECTS = (None, *Dialect)

_SIGNS = "( ) [ ] { } < > , : ; . = - * ** ` ``` \" ' 1 0.5: 1. [1] step 1: $x ? a b pick-up stack wait on pik-up"
_PIECES = st.sampled_from(
    [
        *_SIGNS.split(" "),
        *("\n", " ", "\t", "\r\n", "\u00a0", "\u2028", "\ufeff", "\x1c", "\x00", "[PLAN]", "[PLAN END]", "```pddl\n"),
        *("pick up a", "(wait)", "(stack a b)", "pick-up(a)", "assert ", "not ", "x = ", "No plan exists.", "[WALK]"),
        *('{"WALK": ["couch", "1"]', '"SIT": []', '[{"action": "OPEN", "object": "a"}', "a, {b, c}", "then", "É", "İ"),
        "<couch> (1)",
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(_PIECES, max_size=40).map("".join))


@settings(max_examples=100)
@given(text=TEXTS, dialect=st.sampled_from(DIALECTS), vocabulary=st.sampled_from([None, BLOCKS]))
def test_the_parts_tile_the_text_and_say_what_they_are(
    text: str, dialect: Dialect | None, vocabulary: Vocabulary | None
) -> None:
    plan = tokenize(text, vocabulary, dialect)
    assert plan.parts == tokenize(text, vocabulary, dialect).parts
    place = 0
    for part in plan.parts:
        start, end = part.span
        assert start == place < end
        place = end
        if isinstance(part, Step):
            assert part.name.strip() == part.name != ""
        elif isinstance(part, Ignored | Unparsed):
            assert part.text == text[start:end]
            assert isinstance(part, Ignored) or part.reason
    assert place == len(text)
    assert len(plan.places) == len(plan.tokens)
    assert list(plan.places) == sorted(plan.places)


@given(text=TEXTS)
def test_a_text_with_anything_but_layout_is_never_the_empty_plan(text: str) -> None:
    plan = tokenize(text, BLOCKS)
    if not plan.tokens and not plan.is_unreadable:
        rest = [part.text.strip() for part in plan.parts if isinstance(part, Ignored) and part.kind == "markup"]
        assert all(part.kind in ("space", "comment", "markup") for part in plan.parts if isinstance(part, Ignored))
        assert all(mark.startswith(("```", "[")) for mark in rest if mark)


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.deep
def test_as_many_steps_as_the_limit_are_read() -> None:
    assert len(tokenize("(a)\n" * MAX_STEPS).tokens) == MAX_STEPS


def test_more_steps_than_the_limit_are_refused_with_the_place() -> None:
    with pytest.raises(PlanError, match="more than 100000 steps") as caught:
        tokenize("(a)\n" * (MAX_STEPS + 1))
    assert caught.value.line == MAX_STEPS + 1


def test_a_text_over_the_limit_is_refused() -> None:
    with pytest.raises(PlanError, match="the limit is 16777216"):
        tokenize(" " * (MAX_CHARACTERS + 1))


@pytest.mark.parametrize(
    ("dialect", "item"),
    some(
        [
            (Dialect.FUNCTIONAL, "a()\n"),
            (Dialect.EAI_LIST, '{"action": "A", "object": "b"}, '),
            (Dialect.EAI_OBJECT, '"A": ["b", "1"], '),
            (Dialect.VIRTUALHOME, "[A]\n"),
            (Dialect.SETS, "a, "),
        ],
        1,
    ),
)
def test_the_limit_on_steps_holds_in_every_dialect(dialect: Dialect, item: str) -> None:
    with pytest.raises(PlanError, match="more than 100000"):
        tokenize(item * (MAX_STEPS + 1), None, dialect)


LONG = 2**17  # characters: what takes time in the square of the length takes minutes
_PIECE = "( () (( (a (a(b a( a(b, a, { {a, } [ [1 ] < ` ``` 1 1. 0.5: * ** - ; ;( = x= x, [PLAN] <a>( no step1:"
PIECES = [
    *_PIECE.split(),
    *('"', "'", '{"', '"a":[', '"a":["b",', "\ufeff", "\u2028", "é", "a-", "a_", "\\", "$"),
    *("( ", "(a ", '[{"action": ', "x = ", "assert ", "[WALK] ", "[WALK] <a> (1) ", "<a> (", "no ", "no plan"),
    *("\n(", "\t(", "a b ", "? ", "(a b)", "a(b) ", '"a": [', '"a": ["b", ', "step 1:"),
]


@pytest.mark.deep
@pytest.mark.parametrize("piece", PIECES)
def test_a_long_text_of_anything_ends_in_a_plan_or_a_plan_error(piece: str) -> None:
    text = piece * (LONG // len(piece))
    try:
        plan = tokenize(text, BLOCKS)
    except PlanError:
        return
    assert plan.text == text


@pytest.mark.parametrize("dialect", [Dialect.SETS, Dialect.EAI_OBJECT, Dialect.EAI_LIST, Dialect.PDDL])
@pytest.mark.parametrize("piece", some(["(", "{", "[", "{a,", '{"a": [', "a(b)", "(a(", "a, "], 2))
def test_a_long_text_in_a_dialect_asked_for(dialect: Dialect, piece: str) -> None:
    text = piece * (2**16 // len(piece))
    try:
        plan = tokenize(text, BLOCKS, dialect)
    except PlanError:
        return
    assert plan.text == text
