"""The command ``summary``: counts by tag as text, CSV and a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.support.batch_models import BAD, GOOD, record, write
from validator.cli import main
from validator.errors import InputError
from validator.grading.summary import Row, read_rows, summarize, tables_text, wilson

pytestmark = pytest.mark.usefixtures("in_threads")


def row(has: bool | None = True, **more: Any) -> Row:
    given: dict[str, Any] = {
        "verdict": {True: "valid", False: "precondition", None: "unknown"}[has],
        "has": has,
        "is_error": False,
        "agrees": None,
        "tags": {},
        "domain": "d",
    }
    return Row(**(given | more))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    records = [
        record(f"{model}{n}", GOOD if n < good else BAD, model=model, n=n)
        for model, good in (("A", 3), ("B", 1))
        for n in range(4)
    ]
    path = write(tmp_path / "in.jsonl", [*records, {"id": "no", "model": "B"}])
    assert main(["batch", str(path), "-o", str(tmp_path / "out.jsonl"), "--no-repair", "--workers", "1"]) == 0
    return tmp_path / "out.jsonl"


def test_a_tag_that_no_result_has_is_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summary", str(file), "--by", "mdel"]) == 2
    assert "no result has a tag 'mdel' (did you mean 'model'?)" in capsys.readouterr().err
    assert main(["summary", str(file), "--by", "verdict", "--by", "n"]) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}\n", "line 1 is no result of a batch (it has no 'verdict')"),
        ("[]\n", "line 1 is no result of a batch"),
        ('{"id": 1, "li', "it is cut off: the batch that wrote it can be continued"),
        ("\0\n", "line 1 is no result"),
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


@given(st.lists(st.tuples(st.sampled_from((True, False, None)), st.text(max_size=5)), max_size=20))
def test_any_results_have_a_table(found: list[tuple[bool | None, str]]) -> None:
    table = summarize([row(has, tags={"model": name}) for has, name in found], ["model"])
    assert isinstance(tables_text([table]), str)
