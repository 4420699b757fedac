"""A reading beside its text, for a terminal, for programs, as a page."""

from __future__ import annotations

from validator.reading.annotated import annotate
from validator.reading.tokens import Vocabulary, read
from validator.render.annotated import annotated_text

KNOWN = Vocabulary(actions={"pick-up": 1, "stack": 2}, objects=frozenset("abc"))


def text(given_: str, **options: object) -> str:
    return annotated_text(annotate(read(given_, KNOWN), KNOWN), **options)  # type: ignore[arg-type]


def test_long_lines_are_broken_and_nothing_is_cut() -> None:
    line = "(pick-up a) " + "; " + "x" * 300 + " (stack a b"
    shown = text(f"{line}\n", width=60)
    table = shown.split("\n\n")[0].splitlines()
    assert max(map(len, table)) < 120 and sum(row.count("x") for row in table) == 300


def test_nothing_in_a_text_drives_the_terminal() -> None:
    shown = text("\x1b[31m(pick-up \x07a)\t\u202e\n", color=False)
    assert not {"\x1b", "\x07", "\t", "\u202e"} & set(shown)
    assert "\x1b[2m" in text("prose\n(pick-up a)\n", color=True)
