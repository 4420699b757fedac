"""A reading beside its text: every character in one stretch, and each stretch with what it was taken for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reading.test_beside_steps import DOMAIN, OPEN, PROBLEM, RIGHT
from validator import check, prepare
from validator.checking.check import reading_in
from validator.reading.annotated import AnnotatedText, Taken, annotate
from validator.reading.tokens import Vocabulary, read

KNOWN = Vocabulary(actions={"pick-up": 1, "stack": 2}, objects=frozenset("abc"))
TEXT = """\
<think>
Perhaps (pick-up b) first.
</think>
First attempt:
1. (pick-up c)
That fails.

Final plan:
1. (pick-up a)  ; the hand
2. (stack a b

Explanation:
- (pick-up a) takes it.
"""


def of(text: str, known: Vocabulary | None = KNOWN) -> AnnotatedText:
    return annotate(read(text, known), known)


def taken(found: AnnotatedText) -> dict[str, Taken]:
    return {part.text.strip(): part.taken for part in found.stretches if part.taken is not Taken.SPACE}


def test_each_stretch_says_what_it_was_taken_for() -> None:
    found = taken(of(TEXT))
    assert found["Perhaps (pick-up b) first."] is found["(pick-up c)"] is Taken.OTHER_STEPS
    assert found["That fails."] is found["Final plan:"] is Taken.PROSE
    assert [part.taken for part in of(TEXT).stretches if part.text == "(pick-up a)"] == [Taken.STEP, Taken.OTHER_STEPS]
    assert found["; the hand"] is Taken.COMMENT
    assert found["(stack a b"] is Taken.MISSED
    assert found["takes it."] is Taken.PROSE


@pytest.mark.parametrize("text", ["", "\n", " ", "\ufeff(pick-up a)", "(pick-up a)\r\n(stack a b)\r\n", "a\x0b(\x85b"])
def test_odd_texts_are_tiled(text: str) -> None:
    assert "".join(part.text for part in of(text).stretches) == text


PIECES = ["(pick-up a)", "(stack a b", "<think>", "</think>", "```", "Plan:", "Try:", "pick up b", "x", "1. ", " ", ";"]


@given(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=12),
    st.sampled_from(["\n", " ", "\n\n"]),
    st.booleans(),
)
def test_the_stretches_tile_the_text(parts: list[str], between: str, with_model: bool) -> None:
    text = between.join(parts)
    found = of(text, KNOWN if with_model else None)
    assert "".join(part.text for part in found.stretches) == found.text == text
    place = 0
    for part in found.stretches:
        assert part.span[0] == place and text[slice(*part.span)] == part.text
        assert part.line == text.count("\n", 0, place) + 1 and part.column == place - text.rfind("\n", 0, place)
        place = part.span[1]


BESIDE = {
    "a remark": "(oil tim hatch)\nWander around.\n(unlock tim hatch)",
    "a comment": "(oil tim hatch)\n# unlock it\n(enter tim hatch attic)",
    "objects left out": "(oil tim hatch)\n(unlock tim hatch)\nTim enters.",
    "in JSON": '{"plan": ["(oil tim hatch)", "(unlock tim hatch)"], "note": "Tim enters."}',
}


@pytest.mark.parametrize("text", [*RIGHT.values(), *OPEN.values(), *BESIDE.values()])
def test_a_reading_shows_as_not_understood_what_a_check_does_not_understand(text: str) -> None:
    model = prepare(DOMAIN, PROBLEM)
    report = check(model, plan=f"{text}\n", repair=False)
    found = annotate(reading_in(model, read(f"{text}\n", model.vocabulary)), model.vocabulary)
    assert report.reading is not None
    lines = {part.line for part in found.stretches if part.taken is Taken.MISSED}
    assert lines == {piece.line for piece in report.reading.missed}
    assert found.is_clear is report.is_understood
