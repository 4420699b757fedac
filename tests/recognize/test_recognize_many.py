"""A folder of problems: found, told, gone on with; figures against those counted by hand."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from tests.recognize.test_recognize_reading import FILES
from validator.cli import main
from validator.errors import InputError
from validator.recognize import Method, Settings
from validator.recognize.datasets import Result, by_group, by_level, find_problems, recognize_all, summary_text
from validator.recognize.recognizer import Recognizer

BY_LANDMARKS = Settings(method=Method.LANDMARKS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return two problems, one of them an archive, and one that cannot be read."""
    found = tmp_path / "all"
    for place in ("rooms/50/rooms_hyp-0_50_1", "rooms/rooms_hyp-0_full", "broken/rooms_hyp-0_30_0"):
        (found / place).mkdir(parents=True)
        for name, text in FILES.items():
            (found / place / name).write_text(text)
    with tarfile.open(found / "rooms" / "rooms_hyp-0_70_2.tar.bz2", "w:bz2") as archive:
        for name in FILES:
            archive.add(found / "rooms/rooms_hyp-0_full" / name, arcname=name)
    (found / "broken/rooms_hyp-0_30_0/hyps.dat").write_text("(nowhere)\n")
    return found


def test_problems_are_found_with_their_observability(folder: Path) -> None:
    assert [path.name for path in find_problems(folder)] == [
        "rooms_hyp-0_30_0",
        "rooms_hyp-0_50_1",
        "rooms_hyp-0_70_2.tar.bz2",
        "rooms_hyp-0_full",
    ]


@pytest.mark.planner
def test_what_was_written_is_not_done_again(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "results.jsonl"
    first = list(recognize_all(folder, BY_LANDMARKS, output))
    assert [(one.group, one.level, one.hit) for one in first] == [
        ("broken", 30, None),
        ("rooms", 50, True),
        ("rooms", 70, True),
        ("rooms", 100, True),
    ]
    assert "unknown predicate" in first[0].error or "nowhere" in first[0].error
    lines = output.read_text().splitlines()
    output.write_text("\n".join(lines[:2]) + "\n" + lines[2][:20])  # stopped while it was writing
    again = list(recognize_all(folder, BY_LANDMARKS, output))
    assert [(one.name, one.cpu) for one in again[:2]] == [(one.name, one.cpu) for one in first[:2]]
    assert [json.loads(line)["name"] for line in output.read_text().splitlines()] == [one.name for one in first]
    with pytest.raises(InputError, match="other settings"):
        list(recognize_all(folder, Settings(method=Method.LINEAR), output))


@pytest.mark.planner
def test_a_run_that_is_interrupted_ends_and_keeps_no_answer_that_was_cut_off(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ended the searches of one problem, and the run went on with the next ones for as long as they took."""
    begun: list[object] = []

    def interrupted(self: Recognizer) -> None:
        begun.append(self)
        if len(begun) % 2 == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(Recognizer, "_rounds", interrupted)
    output = tmp_path / "results.jsonl"
    assert main(["recognize", str(folder), "--output", str(output)]) == 3
    told = capsys.readouterr()
    assert told.err == "plan-validator: interrupted after 2 problems\n"
    assert "rooms" in told.out
    assert [json.loads(line)["level"] for line in output.read_text().splitlines()] == [30, 50]


def test_a_folder_without_problems_and_a_file_of_something_else(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no recognition problem"):
        list(recognize_all(tmp_path / "nothing", BY_LANDMARKS))
    (tmp_path / "other").write_text("{}\n")
    with pytest.raises(InputError, match="not the results of recognition"):
        list(recognize_all(folder, BY_LANDMARKS, tmp_path / "other"))


def result(group: str, level: int, spread: int, *, hit: bool, error: str = "") -> Result:
    return Result(
        name="x",
        group=group,
        level=level,
        settings="",
        spread=spread,
        hit=hit,
        error=error,
        cpu=1.0,
    )


RESULTS = [
    result("a", 10, 4, hit=True),
    result("a", 50, 1, hit=True),
    result("b", 10, 1, hit=False),
    result("b", 50, 2, hit=True),
    result("b", 50, 0, hit=False, error="<no> answer"),
]


def test_the_figures() -> None:
    a, b, whole = by_group(RESULTS)
    assert (a.accuracy, a.spread, a.precision) == (1.0, 2.5, 0.625)
    assert (b.accuracy, b.spread, b.precision, b.problems, b.errors) == (0.5, 1.5, 0.25, 3, 1)
    assert (whole.accuracy, whole.spread) == (0.75, 2.0)
    assert [(row.name, row.accuracy) for row in by_level(RESULTS)] == [("10 %", 0.5), ("50 %", 1.0)]
    assert "no answer: x: <no> answer" in summary_text(RESULTS)


@pytest.mark.planner
def test_on_the_command_line(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "results.jsonl"
    arguments = ["recognize", str(folder), "--method", "landmarks", "--output", str(output)]
    assert main([*arguments, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(row["name"], row["accuracy"]) for row in told["groups"]] == [
        ("broken", None),
        ("rooms", 1.0),
        ("all", 1.0),
    ]
    assert main([*arguments]) == 0
    assert capsys.readouterr().out.startswith("group   problems  accuracy  spread")
