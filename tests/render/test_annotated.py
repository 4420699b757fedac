"""A reading beside its text, for a terminal, for programs, as a page."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from tests.support.pages import body as shown_body
from validator.reading.annotated import annotate
from validator.reading.tokens import Vocabulary, read
from validator.render.annotated import annotated_text
from validator.render.html.reading import reading_tree

KNOWN = Vocabulary(actions={"pick-up": 1, "stack": 2}, objects=frozenset("abc"))


def text(given_: str, **options: object) -> str:
    return annotated_text(annotate(read(given_, KNOWN), KNOWN), **options)  # type: ignore[arg-type]


def test_the_columns_and_what_they_amount_to() -> None:
    assert text("My plan:\n(pick-up a)\n  (stack a b\n").splitlines() == [
        "1  My plan:              - prose",
        "2  (pick-up a)           1 (pick-up a)",
        "3    (stack a b          ? not understood: ')' was expected",
        "     ^",
        "",
        "partial: 1 step read; 1 piece not understood; skipped (lines or parts of lines): prose 1",
        "help: --templates FILE names actions and objects as the text says them; --dialect D says how its steps are "
        "written; --strict takes the text literally",
    ]


def test_long_lines_are_broken_and_nothing_is_cut() -> None:
    line = "(pick-up a) " + "; " + "x" * 300 + " (stack a b"
    shown = text(f"{line}\n", width=60)
    table = shown.split("\n\n")[0].splitlines()
    assert max(map(len, table)) < 120 and sum(row.count("x") for row in table) == 300


def test_nothing_in_a_text_drives_the_terminal() -> None:
    shown = text("\x1b[31m(pick-up \x07a)\t\u202e\n", color=False)
    assert not {"\x1b", "\x07", "\t", "\u202e"} & set(shown)
    assert "\x1b[2m" in text("prose\n(pick-up a)\n", color=True)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.cells.append("")
        self.inside = tag == "code" or (self.inside and tag == "span")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "code"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data


@given(st.lists(st.sampled_from(["(pick-up a)", "(stack a <b>", "&amp;", "<script>", "x", "```"]), max_size=6))
def test_the_page_shows_the_text_and_no_markup_of_it(parts: list[str]) -> None:
    given_ = "\n".join(parts)
    shown = shown_body(reading_tree(annotate(read(given_, KNOWN), KNOWN)))
    parser = _Text()
    parser.feed(shown)
    assert "script" not in parser.tags and "b>" not in parser.tags
    for number, line in enumerate(given_.split("\n")):
        if line:
            assert parser.cells[number + 1].startswith(line)
