"""The command ``summary``: counts by tag, comparisons of two models, text, CSV and the page."""

from __future__ import annotations

import csv
import io
import random
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.support.batch_models import BAD, GOOD, record, write
from validator.cli import main
from validator.errors import InputError, ValidatorError
from validator.grading.summary import Row, compare, read_rows, summarize
from validator.grading.summary.compare import _interval
from validator.grading.summary.html import COLOURS, page, stacked
from validator.grading.summary.tables import comparison_text, quantile, step_bin, tables_csv, tables_text, wilson


def row(has: bool | None = True, **more: Any) -> Row:
    given: dict[str, Any] = {
        "verdict": {True: "valid", False: "precondition", None: "unknown"}[has],
        "has": has,
        "is_error": False,
        "agrees": None,
        "tags": {},
        "domain": "d",
        "task": "t",
        "step": 1 if has is False else None,
        "cost": None,
        "optimum": None,
        "cpu": 0.001,
        "planner_cpu": 0.0,
    }
    return Row(**(given | more))


def cells(rows: list[Row], title: str, *by: str) -> dict[str, dict[str, str]]:
    """Return a table of a summary by group and column, from its CSV."""
    read = csv.DictReader(io.StringIO(tables_csv(summarize(rows, by).tables())))
    found: dict[str, dict[str, str]] = {}
    for line in read:
        if line["table"] == title:
            found.setdefault(line["group"], {})[line["column"]] = line["value"]
    return found


# --- from results to tables ----------------------------------------------------------------------


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


def test_a_summary_of_what_a_batch_wrote(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["summary", str(file), "--compare", "A", "B"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "Success\n"
        "  model  records  has it  share  95% from     to  has it not  not understood  no answer  errors\n"
        "  A            4       3  75.0%     30.1%  95.4%           1               0          0       0\n"
        "  B            5       1  20.0%      3.6%  62.4%           3               0          0       1\n"
    )
    assert (
        "A and B on 4 tasks (1 more with results of one only)\n  success: 75.0% and 25.0%, difference +50.0 points"
        in shown
    )
    assert "both 1, only A 2, only B 0, neither 1; McNemar's exact p = 0.5\n" in shown


def test_formats(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["summary", str(file), "--format", "csv", "--by", "model", "--by", "domain"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {"table": "Success", "group": "A / d", "column": "has it", "value": "3"} in rows
    assert main(["summary", str(file), "--format", "html", "--compare", "A", "B"]) == 0
    assert '<td class="key">McNemar&#x27;s exact p</td><td>0.5</td>' in capsys.readouterr().out


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


def test_counts_by_tag() -> None:
    rows = [row(model) for model in (True, False, None)] + [row(None, is_error=True, verdict="error")]
    rows += [row(None, verdict="not_understood")] * 2
    counts = {"has it not": "1", "not understood": "2", "no answer": "1", "errors": "1"}
    first = {"records": "6", "has it": "1", "share": str(1 / 6)}
    interval = {"95% from": str(wilson(1, 6)[0]), "to": str(wilson(1, 6)[1])}
    assert cells(rows, "Success")[""] == first | interval | counts


def test_texts_without_a_plan_are_counted_by_themselves() -> None:
    claims = {"right": True, "wrong": False, "open": None, "given up": None}
    rows = [row(has, verdict="no_plan", claim=claim, step=None) for claim, has in claims.items()]
    found = cells(rows, "Success")[""]
    assert (found["has it"], found["has it not"], found["no plan"], found["no answer"]) == ("1", "1", "2", "0")
    assert cells(rows, "Verdict")[""] == {f"no_plan {claim}": "1" for claim in claims}


def test_groups_of_several_tags_and_their_total() -> None:
    rows = [row(tags={"model": "m", "shots": 1}), row(False, tags={"model": "m", "shots": 2}), row(tags={"shots": 2})]
    found = cells(rows, "Success", "model", "shots")
    assert {group: line["has it"] for group, line in found.items()} == {
        "(none) / 2": "1",
        "m / 1": "1",
        "m / 2": "0",
        "total": "2",
    }


def test_verdicts_and_steps() -> None:
    rows = [
        row(),
        row(False),
        row(False, step=7),
        row(False, step=None, verdict="goal"),
        row(False, step=None, verdict="syntax"),
    ]
    assert cells(rows, "Verdict")[""] == {"precondition": "2", "valid": "1", "goal": "1", "syntax": "1"}
    assert cells(rows, "First fault at step")[""] == {"1": "1", "6-10": "1", "goal": "1"}


@pytest.mark.parametrize(
    ("step", "name"),
    [(1, "1"), (5, "5"), (6, "6-10"), (10, "6-10"), (11, "11-20"), (50, "21-50"), (51, "51+"), (None, "goal")],
)
def test_bins_of_steps(step: int | None, name: str) -> None:
    assert step_bin(step) == name


def test_costs_by_the_cheapest() -> None:
    pairs = [(4.0, 4.0), (6.0, 4.0), (5.0, 5.0), (0.0, 0.0), (2.0, 0.0)]
    rows = [row(cost=cost, optimum=optimum) for cost, optimum in pairs]
    assert cells([*rows, row(False)], "Cost by the cheapest cost")[""] == {
        "compared": "5",
        "optimal": "3",
        "share": "0.6",
        "mean gap": "0.8",
        "median ratio": "1.0",
        "worst ratio": "1.5",
    }


@pytest.mark.planner
def test_the_gap_of_a_plan_that_is_not_optimal(tmp_path: Path) -> None:
    file = write(tmp_path / "in.jsonl", [record(1, "(a)\n(a)\n(b)\n")])
    out = tmp_path / "out.jsonl"
    assert main(["batch", str(file), "-o", str(out), "--quality", "optimal", "--no-repair", "--workers", "1"]) == 0
    [found] = read_rows([out])
    assert (found.cost, found.optimum, found.verdict) == (3.0, 2.0, "not_optimal")


@given(st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_of_a_share_is_wilsons(counts: tuple[int, int]) -> None:
    has, number = counts
    if number:
        expected = stats.binomtest(has, number).proportion_ci(method="wilson")
        assert wilson(has, number) == pytest.approx((expected.low, expected.high), abs=1e-6)


@given(st.lists(st.integers(1, 9), min_size=1), st.floats(0, 1))
def test_quantiles_are_those_of_the_sorted_values(values: list[int], share: float) -> None:
    expected = numpy.quantile(values, share, method="inverted_cdf")
    assert quantile(Counter(map(float, values)), share) == expected


# --- comparisons ---------------------------------------------------------------------------------


def pairs(outcomes: list[tuple[bool | None, bool | None]]) -> list[Row]:
    rows = []
    for place, outcome in enumerate(outcomes):
        rows += [row(has, tags={"model": name, "n": place}) for name, has in zip("AB", outcome, strict=True)]
    return rows


def test_mcnemars_test_is_on_the_discordant_tasks() -> None:
    found = compare(
        pairs([(True, False)] * 9 + [(False, True)] * 2 + [(True, True)] * 4 + [(False, None)]), "model", "A", "B"
    )
    assert (found.tasks, found.both, found.only_first, found.only_second, found.neither) == (16, 4, 9, 2, 1)
    assert found.p_value == pytest.approx(0.0654297)  # 2 * (1 + 11 + 55) / 2**11
    assert found.difference == pytest.approx(7 / 16)
    assert found.low < found.difference < found.high


def test_the_bootstrap_interval_agrees_with_scipys() -> None:
    choose = random.Random(3)
    differences = [float(choose.choice((-1, 0, 0, 0, 1, 1))) for _ in range(300)]
    expected = stats.bootstrap(
        (numpy.array(differences),), numpy.mean, method="percentile", random_state=numpy.random.default_rng(1)
    ).confidence_interval
    assert _interval(differences) == pytest.approx((expected.low, expected.high), abs=0.01)


def test_several_answers_to_a_task_count_by_their_share() -> None:
    rows = pairs([(True, True), (False, True)])
    found = compare([*rows, row(True, tags={"model": "A", "n": 1})], "model", "A", "B")
    assert (found.success_first, found.success_second, found.only_second) == (0.75, 1.0, 1)


def test_tasks_are_told_apart_by_model_and_other_tags() -> None:
    rows = [
        row(tags={"model": "A"}, task="t"),
        row(tags={"model": "B"}, task="t"),
        row(tags={"model": "B"}, task="u"),
        row(tags={"model": "A", "shots": 1}, task="u"),
    ]
    found = compare(rows, "model", "A", "B")
    assert (found.tasks, found.unpaired) == (1, 2)


@pytest.mark.parametrize(
    ("names", "message"),
    [(("A", "C"), "no result has model 'C'"), (("A", "B"), "no task has results of both 'A' and 'B'")],
)
def test_what_cannot_be_compared(names: tuple[str, str], message: str) -> None:
    rows = [row(tags={"model": "A"}, task="t"), row(tags={"model": "B"}, task="u")]
    with pytest.raises(ValidatorError, match=message):
        compare(rows, "model", *names)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_a_comparison_turned_round_is_the_same(outcomes: list[tuple[bool | None, bool | None]]) -> None:
    rows = pairs(outcomes)
    one, other = compare(rows, "model", "A", "B"), compare(rows, "model", "B", "A")
    assert one.difference == pytest.approx(-other.difference)
    assert one.p_value == pytest.approx(other.p_value)
    assert one.low == pytest.approx(-other.high, abs=max(0.06, 1.01 / len(outcomes)))  # one outcome, as samples have it
    assert "A and B on" in comparison_text(one)


# --- the page ------------------------------------------------------------------------------------


class _Balanced(HTMLParser):
    """Fails on a tag that is closed where it was not opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_escapes_what_is_in_the_results() -> None:
    rows = [row(tags={"model": "<script>&"}, domain="<b>"), row(False, domain='"x"', cost=None)]
    rows.append(row(cost=3.0, optimum=2.0, tags={"model": "m" * 80}))
    text = page(summarize(rows, ["model"]), title="<i>")
    parser = _Balanced()
    parser.feed(text)
    assert parser.open == []
    assert "<script>" not in text and "<b>" not in text
    assert {"Success", "Success by domain", "Verdicts", "First fault", "Cost by the cheapest cost"} <= set(parser.texts)
    assert text.count('class="plot"') == 6


def test_verdicts_beyond_the_colours_are_one() -> None:
    names = [f"v{n}" for n in range(14)]
    text = stacked([("a", [1] * 14)], names)
    assert "a, other: 5 of 14" in text
    assert text.count(COLOURS[-1]) == 2  # in the legend and in the bar


def test_a_page_shows_every_group() -> None:
    text = page(summarize([row(tags={"model": f"m{n:03}"}, domain=f"d{n}") for n in range(100)], ["model"]))
    assert all(text.count(f">m{n:03}<") >= 3 for n in range(100)), "success, what was found, verdicts"


def test_a_page_tells_what_was_not_understood() -> None:
    rows = [row(), row(False), row(None, verdict="not_understood"), row(None, is_error=True, verdict="error")]
    text = page(summarize(rows, ["model"]))
    assert "4 results, 1 have the quality asked for; has it not 1, not understood 1, errors 1." in text
    assert "What was found" in text and "(none), not understood: 1 of 4" in text


def test_what_was_not_understood_is_told_beside_a_comparison() -> None:
    rows = [row(True, tags={"model": "A"}), row(None, verdict="not_understood", tags={"model": "B"})]
    found = compare(rows, "model", "A", "B")
    assert comparison_text(found).endswith("  not understood, and no success: 0 and 1\n")


@given(
    st.lists(
        st.tuples(st.sampled_from((True, False, None)), st.text(max_size=5), st.none() | st.integers(1, 99)),
        max_size=20,
    )
)
def test_any_results_have_tables_and_a_page(found: list[tuple[bool | None, str, int | None]]) -> None:
    rows = [row(has, tags={"model": name}, step=step) for has, name, step in found]
    summary = summarize(rows, ["model"])
    assert summary.total.records == len(rows)
    assert isinstance(tables_text(summary.tables()), str)
    _Balanced().feed(page(summary))


def test_the_memory_of_a_summary_is_that_of_its_groups() -> None:
    summary = summarize((row(False, step=n % 70 + 1, cost=float(n), optimum=7.0) for n in range(3000)), [])
    assert len(summary.total.steps) == 9
    assert summary.total.compared == 3000


def test_no_results_have_no_tables() -> None:
    assert summarize([], ["model"]).tables() == []
