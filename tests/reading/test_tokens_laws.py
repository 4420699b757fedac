"""Laws of reading and printing plans: parts tile the text, what is printed is read back, limits hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import some
from validator import PlanError
from validator.reading.plan import Constraint, Dialect, Ignored, Step, TimedStep, Token, Unparsed
from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.tokens.layout import MAX_CHARACTERS, MAX_STEPS

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


def test_an_unparsed_part_keeps_its_byte_order_mark() -> None:
    (token,) = tokenize("\ufeff)", None, Dialect.SETS).tokens
    assert isinstance(token, Unparsed)
    assert token.text == "\ufeff)"


@given(text=TEXTS)
def test_a_text_with_anything_but_layout_is_never_the_empty_plan(text: str) -> None:
    plan = tokenize(text, BLOCKS)
    if not plan.tokens and not plan.is_unreadable:
        rest = [part.text.strip() for part in plan.parts if isinstance(part, Ignored) and part.kind == "markup"]
        assert all(part.kind in ("space", "comment", "markup") for part in plan.parts if isinstance(part, Ignored))
        assert all(mark.startswith(("```", "[")) for mark in rest if mark)


# --- what is written is read ---------------------------------------------------------------------


def call(step: Step) -> str:
    return f"{step.name}({', '.join(step.args)})"


def numbered(step: Step) -> list[tuple[str, str]]:
    """Return the objects of a step apart from their numbers."""
    return [(name, number) for name, _, number in (arg.rpartition("_") for arg in step.args)]


LINES: dict[Dialect, Callable[[Step], str]] = {
    Dialect.PDDL: str,
    Dialect.FUNCTIONAL: call,
    Dialect.CODE: lambda step: f"{', '.join(step.outputs)} = {call(step)}" if step.outputs else call(step),
    Dialect.WORDS: lambda step: str(step)[1:-1],
    Dialect.VIRTUALHOME: lambda step: " ".join(
        (f"[{step.name.upper()}]", *(f"<{name}> ({number})" for name, number in numbered(step)))
    ),
}


def written(tokens: Iterable[Token], dialect: Dialect) -> str:
    """Return a plan in a dialect."""
    if dialect is Dialect.EAI_LIST:
        rows = [{"action": str(each.name).upper(), "object": ", ".join(each.args)} for each in steps_of(tokens)]
        return json.dumps(rows)
    if dialect is Dialect.EAI_OBJECT:
        pairs = ((step.name.upper(), [part for pair in numbered(step) for part in pair]) for step in steps_of(tokens))
        return f"{{{', '.join(f'{json.dumps(name)}: {json.dumps(given)}' for name, given in pairs)}}}"
    if dialect is Dialect.SETS:
        groups = [
            (number, list(map(call, group))) for number, group in groupby(steps_of(tokens), lambda s: s.concurrent)
        ]
        return ", ".join(", ".join(g) if number is None else f"{{{', '.join(g)}}}" for number, g in groups)
    return "".join(f"{LINES[dialect](token) if isinstance(token, Step) else token}\n" for token in tokens)


def steps_of(tokens: Iterable[Token]) -> list[Step]:
    return [token for token in tokens if isinstance(token, Step)]


_NAME = st.from_regex(r"[a-z][a-z0-9_-]{0,6}", fullmatch=True)
_TIMES = st.integers(min_value=0, max_value=10**6).map(lambda value: Fraction(value, 1000))


@st.composite
def _steps(draw: st.DrawFn, names: st.SearchStrategy[str], *, outputs: bool = False) -> Step:
    return Step(
        name=draw(names),
        args=tuple(draw(st.lists(names, max_size=3))),
        outputs=tuple(draw(st.lists(names, max_size=2))) if outputs else (),
    )


@given(tokens=st.lists(_steps(_NAME), min_size=1, max_size=8))
@pytest.mark.parametrize("dialect", [Dialect.PDDL, Dialect.FUNCTIONAL, Dialect.EAI_LIST])
def test_a_written_plan_is_read_and_its_dialect_is_recognised(dialect: Dialect, tokens: list[Step]) -> None:
    text = written(tokens, dialect)
    assert tokenize(text).dialect is dialect
    assert tokenize(text, None, dialect).tokens == tuple(tokens)


@given(
    steps=st.lists(_steps(_NAME), max_size=6),
    times=st.lists(_TIMES, min_size=6, max_size=6),
    durations=st.lists(st.none() | _TIMES, min_size=6, max_size=6),
)
def test_stamps_and_durations_are_read_back(
    steps: list[Step], times: list[Fraction], durations: list[Fraction | None]
) -> None:
    rows = zip(steps, sorted(times), durations, strict=False)
    tokens = tuple(TimedStep(name=step.name, args=step.args, time=time, duration=last) for step, time, last in rows)
    assert list(map(TimedStep.of, tokenize(written(tokens, Dialect.PDDL)).steps)) == list(tokens)


@given(
    tokens=st.lists(
        _steps(_NAME, outputs=True)
        | st.builds(
            Constraint,
            text=st.from_regex(r"\$[a-z]{1,5} [<>=]= [0-9]{1,3}", fullmatch=True),
            holds=st.booleans(),
        ),
        max_size=8,
    )
)
def test_outputs_and_constraints_are_read_back(tokens: list[Token]) -> None:
    assert tokenize(written(tokens, Dialect.CODE), None, Dialect.CODE).tokens == tuple(tokens)


@given(
    steps=st.lists(
        st.builds(
            Step,
            name=st.from_regex(r"[a-z]{1,8}", fullmatch=True),
            args=st.lists(st.from_regex(r"[a-z]{1,6}_[0-9]{1,3}", fullmatch=True), max_size=2).map(tuple),
        ),
        min_size=1,
        max_size=6,
    )
)
@pytest.mark.parametrize("dialect", [Dialect.VIRTUALHOME, Dialect.EAI_OBJECT])
def test_scripts_with_numbered_objects_are_read_back(dialect: Dialect, steps: list[Step]) -> None:
    assert tokenize(written(steps, dialect), None, dialect).tokens == tuple(steps)


@given(steps=st.lists(_steps(_NAME), max_size=6))
def test_plain_words_are_read_back(steps: list[Step]) -> None:
    assert tokenize(written(steps, Dialect.WORDS), None, Dialect.WORDS).tokens == tuple(steps)


@given(groups=st.lists(st.lists(_steps(_NAME), min_size=1, max_size=3) | _steps(_NAME), min_size=1, max_size=5))
def test_sets_are_read_back(groups: list[list[Step] | Step]) -> None:
    tokens: list[Step] = []
    number = 0
    for group in groups:
        if isinstance(group, Step):
            tokens.append(group)
        else:
            tokens += [Step(name=step.name, args=step.args, concurrent=number) for step in group]
            number += 1
    assert tokenize(written(tokens, Dialect.SETS), None, Dialect.SETS).tokens == tuple(tokens)


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
