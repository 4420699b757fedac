"""The time limit of a command counts for all it does: what is never read to the end ends at it, in words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from validator import cli

_COMMANDS = (
    "check {slow} {slow} {plan}",
    "check {slow} {slow} {plan} --format json",
    "check {slow_flow} {plan}",
    "plan {slow} {slow}",
    "plan {slow_flow}",
    "redundant {slow} {slow} {plan}",
    "recognize {slow} {slow} {plan} --goals {plan}",
    "why-not {slow} {slow} {plan}",
    "adhere {plan} {slow}",
    "conform {slow} {plan}",
    "calls {slow} {plan}",
    "repair-model {slow} {slow} {plan}",
)


@pytest.mark.parametrize("command", _COMMANDS)
def test_a_file_that_never_ends_is_not_waited_for(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("validator.commands.options.with_patience", lambda seconds: seconds)
    files = {"slow": tmp_path / "slow.pddl", "slow_flow": tmp_path / "slow.json", "plan": tmp_path / "a.plan"}
    for name in ("slow", "slow_flow"):
        os.mkfifo(files[name])  # nobody writes to it
    files["plan"].write_text("(a)\n")
    assert cli.main([*command.format(**files).split(), "--time-limit", "0.05"]) == 3
    assert capsys.readouterr().err == "plan-validator: no answer: the time limit of 0.05 s was met\n"


def test_a_modified_problem_is_not_written_beyond_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("domain", "problem"):
        (tmp_path / name).write_text(Path(f"domains/blocks/{name}.pddl").read_text())
    (tmp_path / "plan").write_text("(lift b)\n")
    monkeypatch.setattr("validator.up.pddl.read_up", lambda *_: os.open(_pipe(tmp_path), os.O_RDONLY))
    monkeypatch.setattr("validator.commands.options.with_patience", lambda seconds: 1.0)
    files = [str(tmp_path / name) for name in ("domain", "problem", "plan")]
    dumping = ["--dump-problem", str(tmp_path / "dumped"), "--time-limit", "1"]
    assert cli.main(["check", *files, *dumping]) == 3
    assert "the modified problem was not written: the time limit of 1 s was met" in capsys.readouterr().err
    assert not (tmp_path / "dumped").exists()


def _pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"
