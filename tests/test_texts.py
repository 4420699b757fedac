"""Files as texts and JSON: what is wrong in them is said with its place, whatever it is."""

from __future__ import annotations

import gzip
import os
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest

from validator.errors import InputError, PlanError
from validator.texts import (
    decode,
    exact,
    read_plan_text,
    read_text,
    read_written_plan,
)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_what_has_two_or_four_bytes_a_letter_is_told_by_its_mark(codec: str) -> None:
    data = "\ufeff(go a)\r\n".encode(codec)
    assert decode(data, "") == "(go a)\r\n"
    assert decode(data, "", keep_mark=True) == "\ufeff(go a)\r\n"
    with pytest.raises(PlanError, match=f"x: not {codec[:6].upper()} text: byte"):
        decode(data[:-1], "x", PlanError)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-16", "utf-32-le", "utf-32-be", "utf-32"])
@pytest.mark.parametrize("text", ["(mk a)\r\n", "; \u4e00\u4e8c\n(mk \u00e9)\n"])
def test_what_has_two_or_four_bytes_a_letter_is_told_without_a_mark(codec: str, text: str, tmp_path: Path) -> None:
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


# --- numbers as they are written -----------------------------------------------------------------


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
    monkeypatch.setattr("validator.texts._MOST_BYTES", 10)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b" " * 11))
    with pytest.raises(InputError, match="unpacks to more than 10 bytes"):
        read_text(tmp_path / "a.gz")
