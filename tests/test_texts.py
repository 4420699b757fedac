"""Files as texts and JSON: what is wrong in them is said with its place, whatever it is."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.errors import InputError, PlanError
from validator.texts import (
    decode,
    exact,
    is_path,
    json_lines,
    no_path,
    parse_json,
    read_json,
    read_plan_text,
    read_text,
    read_written_plan,
)


def test_a_byte_order_mark_is_left_out_or_kept() -> None:
    assert decode(b"\xef\xbb\xbf[]", "") == "[]"
    assert decode(b"\xef\xbb\xbf[]", "", keep_mark=True) == "\ufeff[]"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_is_told_by_its_mark(codec: str) -> None:
    data = "\ufeff(go a)\r\n".encode(codec)
    assert decode(data, "") == "(go a)\r\n"
    assert decode(data, "", keep_mark=True) == "\ufeff(go a)\r\n"
    with pytest.raises(PlanError, match="x: not UTF-16 text: byte"):
        decode(data[:-1], "x", PlanError)


def test_what_is_not_utf8_is_named_with_its_byte(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(PlanError, match="latin: not UTF-8 text: byte 3 is 0xe9"):
        read_text(tmp_path / "latin", PlanError)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-16"])
@pytest.mark.parametrize("text", ["(mk a)\r\n", "; \u4e00\u4e8c\n(mk \u00e9)\n"])
def test_utf16_is_told_without_a_mark(codec: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "plan").write_bytes(text.encode(codec))
    assert read_plan_text(tmp_path / "plan").removeprefix("\ufeff") == text


def test_a_plan_that_is_not_utf8_is_read_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "plan").write_bytes(b"(a b)\n; the \x93best\x94 plan\x81\n(caf\xe9)\n")
    text, warnings = read_written_plan(tmp_path / "plan")
    assert text == "(a b)\n; the \u201cbest\u201d plan?\n(caf\u00e9)\n"
    assert warnings == (f"{tmp_path}/plan:2:7: the text is not UTF-8, and is read as Windows-1252",)


def test_a_pipe_is_read_to_its_end_and_one_without_an_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("validator.texts._MOST_SILENCE", 0.3)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PlanError, match=r"pipe: nothing was written into it for 0\.3 seconds"):
        read_plan_text(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", f"sleep 0.1; echo '(a b)' > {tmp_path}/pipe"]):
        assert read_plan_text(tmp_path / "pipe") == "(a b)\n"
    with pytest.raises(PlanError, match=r"/dev/zero: it has more than 268,435,456 bytes"):
        read_plan_text(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("", "Expecting value", (1, 1)),
        ('{"a":\n  b}', "Expecting value", (2, 3)),
        ("1" * 5000, "Exceeds the limit", (1, 1)),
        ("[" * 100_000, "nested too deeply", (1, 1)),
    ],
)
def test_what_is_not_json_is_said_with_its_place(text: str, said: str, place: tuple[int, int], tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"x.json:.*not JSON: .*{said}") as caught:
        read_json(tmp_path / "x.json")
    assert (caught.value.line, caught.value.column) == place


def test_a_bad_line_is_named_by_its_number_in_the_file() -> None:
    lines = json_lines("1\n\n{}\n[1, oops]\n", "x.jsonl")
    assert [next(lines), next(lines)] == [(1, 1), (3, {})]
    with pytest.raises(InputError, match=r"x\.jsonl:4:5: not JSON"):
        next(lines)


@given(st.lists(st.text()), st.booleans())
def test_lines_are_read_as_they_were_written(texts: list[str], ascii_only: bool) -> None:
    written = "".join(json.dumps(text, ensure_ascii=ascii_only) + "\n" for text in texts)
    assert [value for _, value in json_lines(written)] == texts
    assert parse_json(json.dumps(texts, ensure_ascii=ascii_only)) == texts


# --- paths and texts -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["p.plan", "dl (1).plan", "a [b] {c}.plan", "(lift a)", "é ü"])
def test_a_text_that_names_a_file_is_a_path(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not is_path(name) and read_plan_text(name) == name
    Path(name).write_text("(a)\n", encoding="utf-8")
    assert is_path(name) and read_plan_text(name) == "(a)\n"
    assert not is_path(no_path(name)) and read_plan_text(no_path(name)) == f"{name}\n"


@pytest.mark.parametrize("text", ["", " ", "\n", "a\nb", "x" * 5000, "x" * 300, "\0", "\ud800", ".", "/"])
def test_what_can_name_no_file_is_a_text(text: str) -> None:
    assert not is_path(text) and read_plan_text(text) == text


# --- numbers as they are written -----------------------------------------------------------------


@pytest.mark.parametrize(
    "given", [0.001, "0.001", ".001", "1e-3", " 0.0010 ", Decimal("0.001"), Fraction(1, 1000), 1e-3]
)
def test_a_number_is_what_is_written(given: float | str | Decimal | Fraction) -> None:
    assert exact(given) == Fraction(1, 1000)


@given(st.decimals(-(10**6), 10**6, places=6))
def test_every_kind_of_number_says_the_same(number: Decimal) -> None:
    wanted = Fraction(number)
    assert exact(number) == exact(str(number)) == exact(wanted) == exact(float(number)) == wanted
    assert exact(int(number)) == int(number)


@pytest.mark.parametrize(
    "given", ["", "a", "1/2", "1e9999", "0x1", "١", "1" * 1000, float("nan"), float("inf"), Decimal("NaN"), True, None]
)
def test_what_is_no_number_is_refused(given: object) -> None:
    with pytest.raises(ValueError, match="a number"):
        exact(given)  # type: ignore[arg-type]


def test_a_file_may_be_packed(tmp_path: Path) -> None:
    (tmp_path / "a.pddl.gz").write_bytes(gzip.compress("(ä)".encode()))
    assert read_text(tmp_path / "a.pddl.gz") == read_plan_text(tmp_path / "a.pddl.gz") == "(ä)"
    for wrong in (b"(a)", gzip.compress(b"(a)")[:-9]):
        (tmp_path / "b.gz").write_bytes(wrong)
        with pytest.raises(InputError, match="not a whole gzip file"):
            read_text(tmp_path / "b.gz")


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.texts._MOST_UNPACKED", 10)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b" " * 11))
    with pytest.raises(InputError, match="unpacks to more than 10 bytes"):
        read_text(tmp_path / "a.gz")
