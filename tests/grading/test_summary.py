"""The command ``summary``: counts by tag as text, CSV and a page."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.support.batch_models import BAD, GOOD, record, write
from validator.cli import main
from validator.errors import InputError
from validator.grading.summary import read_rows, wilson

pytestmark = pytest.mark.usefixtures("in_threads")


def test_a_tag_that_no_result_has_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [record(f"A{n}", (GOOD, BAD)[n], model="A", n=n) for n in range(2)]
    file, out = write(tmp_path / "in.jsonl", [*records, {"id": "no", "model": "B"}]), str(tmp_path / "out.jsonl")
    assert main(["batch", str(file), "-o", out, "--no-repair", "--workers", "1"]) == 0
    assert main(["summary", out, "--by", "mdel"]) == 2
    assert "no result has a tag 'mdel' (did you mean 'model'?)" in capsys.readouterr().err
    assert main(["summary", out, "--by", "verdict", "--by", "n"]) == 0
    capsys.readouterr()
    assert main(["summary", out, "--by", "model", "--by", "n", "--format", "csv"]) == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    found = [(row["model"], row["n"], row["successes"]) for row in rows]
    assert found == [("A", "0", "1"), ("A", "1", "0"), ("B", "(none)", "0"), ("total", "", "1")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}\n", "line 1 is not a batch result (it has no 'verdict')"),
        ("[]\n", "line 1 is not a batch result"),
        ('{"id": 1, "li', "it is cut off: the batch that wrote it can be continued"),
        ("\0\n", "line 1 is not a batch result"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        list(read_rows([tmp_path / "x.jsonl"]))


@given(st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_of_a_share_is_wilsons(counts: tuple[int, int]) -> None:
    has, number = counts
    if number:
        expected = stats.binomtest(has, number).proportion_ci(method="wilson")
        assert wilson(has, number) == pytest.approx((expected.low, expected.high), abs=1e-6)
