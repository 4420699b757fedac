"""Alarms leave what is imported whole, ring again where they were lost, and end with what is inside."""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from validator.alarms import OutOfTime, alarm


def test_an_alarm_waits_for_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a module would stay where it was ended, and be an error of every later use."""
    name = "module_that_takes_a_while"
    (tmp_path / f"{name}.py").write_text("import time\ntime.sleep(0.05)\nvalue = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(OutOfTime), alarm(0.01):
        module = importlib.import_module(name)
        time.sleep(20)
    assert module.value == 1


def test_the_last_alarm_of_a_process_waits_for_no_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine what a command loads took a second beyond its limit."""
    name = "module_that_takes_long"
    (tmp_path / f"{name}.py").write_text("import time\ntime.sleep(60)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(OutOfTime), alarm(0.02, is_last=True):
        importlib.import_module(name)
    assert name not in sys.modules


def test_an_alarm_that_was_taken_for_another_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of a recognition was written for seconds behind the limit: an answer had taken the alarm for its own."""
    monkeypatch.setattr("validator.alarms._AGAIN", 1000.0)
    with pytest.raises(OutOfTime), alarm(0.02):
        with suppress(OutOfTime), alarm(1.0):
            time.sleep(20)
        time.sleep(20)


class _Slow:
    def __del__(self) -> None:
        time.sleep(20)


def test_an_alarm_that_is_lost_in_a_destructor_rings_again_and_nothing_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It rang two seconds later, below the traceback of an exception that was ignored."""
    monkeypatch.setattr("validator.alarms._AGAIN", 0.0)
    hook, each = sys.unraisablehook, _Slow()
    with pytest.raises(OutOfTime), alarm(0.05):
        del each
        time.sleep(20)
    assert (sys.unraisablehook, capsys.readouterr().err) == (hook, "")


def test_an_alarm_waits_for_the_start_of_a_process() -> None:
    """Ended half-way, it would close its pipes twice: the second time another thread's files of the same numbers."""
    started = []

    class Slow(subprocess.Popen[bytes]):
        def _execute_child(self, *given: Any) -> None:
            time.sleep(0.1)
            super()._execute_child(*given)  # type: ignore[misc]
            started.append(self)

    with pytest.raises(OutOfTime), alarm(0.02):
        Slow(["true"])
        time.sleep(5)
    assert [each.wait() for each in started] == [0]
