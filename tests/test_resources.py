"""The collector of cycles stands still while much is read; alarms leave what is imported whole."""

from __future__ import annotations

import gc
import importlib
import resource as limits
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from validator.resources import OutOfTime, alarm, loading, without_collection


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_collector_is_afterwards_as_it_was(is_enabled: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if is_enabled else gc.disable)()
        with pytest.raises(KeyError), without_collection():
            assert not gc.isenabled()
            raise KeyError
        assert gc.isenabled() is is_enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_an_alarm_that_is_set_within_an_import_rings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "module_that_sets_an_alarm"
    body = "from validator.resources import alarm\nwith alarm(0.02):\n    while True:\n        pass\n"
    (tmp_path / f"{name}.py").write_text(body)
    monkeypatch.syspath_prepend(tmp_path)
    with alarm(5), pytest.raises(OutOfTime):
        importlib.import_module(name)


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
    monkeypatch.setattr("validator.resources._AGAIN", 1000.0)
    with pytest.raises(OutOfTime), alarm(0.02):
        with suppress(OutOfTime), alarm(1.0):
            time.sleep(20)
        time.sleep(20)


def test_an_alarm_is_not_taken_for_one_that_did_not_ring() -> None:
    with alarm(100):
        with suppress(OutOfTime), alarm(1000):
            raise OutOfTime  # as from another process
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 50


def test_a_later_alarm_rings_again_and_again_as_well() -> None:
    with alarm(1000):
        with suppress(OutOfTime), alarm(0.02):
            time.sleep(20)
        assert signal.getitimer(signal.ITIMER_REAL)[1] == 2.0
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


class _Slow:
    def __del__(self) -> None:
        time.sleep(20)


def test_an_alarm_that_is_lost_in_a_destructor_rings_again_and_nothing_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It rang two seconds later, below the traceback of an exception that was ignored."""
    monkeypatch.setattr("validator.resources._AGAIN", 0.0)
    hook, each = sys.unraisablehook, _Slow()
    with pytest.raises(OutOfTime), alarm(0.05):
        del each
        time.sleep(20)
    assert (sys.unraisablehook, capsys.readouterr().err) == (hook, "")


def test_an_alarm_that_rings_while_it_is_taken_away_is_taken_away() -> None:
    """An error there would leave it set, and ring in what comes long after."""
    own, other = alarm(60), alarm(60)
    own._entered = None
    frames = [
        SimpleNamespace(f_code=alarm.__exit__.__code__, f_locals={"self": each}, f_back=None) for each in (own, other)
    ]
    own._ring(0, frames[0])  # type: ignore[arg-type]
    with pytest.raises(OutOfTime):
        own._ring(0, frames[1])  # type: ignore[arg-type]


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


@pytest.mark.parametrize(
    "error", [SyntaxError("half a file"), ImportError("failed to map segment"), RuntimeError("no thread")]
)
def test_a_library_without_room_is_told_as_that_only_where_room_is_bounded(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "getrlimit", lambda which: (limits.RLIM_INFINITY, limits.RLIM_INFINITY))
    with pytest.raises(type(error)), loading():
        raise error
    monkeypatch.setattr(limits, "getrlimit", lambda which: (2**28, limits.RLIM_INFINITY))
    with pytest.raises(MemoryError, match=str(error)), loading():
        raise error
    with pytest.raises(ModuleNotFoundError), loading():
        raise ModuleNotFoundError("No module named 'numpy'")


def test_a_library_that_would_end_the_process_is_not_begun_without_room_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what OpenBLAS needs it had too little: the process ended with 1, as if a plan were not valid, or never."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    room = pages * limits.getpagesize() + 50 * 2**20
    monkeypatch.setattr(limits, "getrlimit", lambda which: (room, limits.RLIM_INFINITY))
    for each in ("numpy", "scipy"):
        monkeypatch.delitem(sys.modules, each, raising=False)
    begun: list[str] = []
    for libraries in (("numpy",), ("numpy", "scipy")):
        with pytest.raises(MemoryError, match="no room for numpy"), loading(*libraries):
            begun.append("it")
    assert not begun
    monkeypatch.setitem(sys.modules, "numpy", SimpleNamespace())
    with loading("numpy"):
        begun.append("it is there already")
    monkeypatch.setattr(limits, "getrlimit", lambda which: (limits.RLIM_INFINITY, limits.RLIM_INFINITY))
    with loading("numpy", "scipy"):
        begun.append("there is room without bounds")
    assert len(begun) == 2


# --- in threads --------------------------------------------------------------------------------------


def _in_thread(run: Callable[[], object]) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result(60)


def _spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def test_an_alarm_rings_in_a_thread() -> None:
    def run() -> str:
        try:
            with alarm(0.05):
                _spin(50)
        except OutOfTime:
            return "rang"
        return "did not ring"

    assert _in_thread(run) == "rang"


def test_an_alarm_of_the_main_thread_is_none_of_another_one() -> None:
    def run() -> str:
        try:
            with alarm(40):
                _spin(0.1)
        except OutOfTime:
            return "rang"
        return "did not ring"

    with alarm(30):
        assert _in_thread(run) == "did not ring"


def test_alarms_in_threads_end_with_what_is_inside() -> None:
    """Nothing rings behind them, whenever they are taken away; the inner of two rings for itself."""
    draw = Random(1)

    def run() -> tuple[int, int]:
        rang = inner = 0
        for _ in range(300):
            try:
                with alarm(draw.uniform(0.001, 0.004)):
                    _spin(draw.uniform(0, 0.005))
            except OutOfTime:
                rang += 1
        for _ in range(20):
            with alarm(20):
                try:
                    with alarm(0.002):
                        _spin(20)
                except OutOfTime:
                    inner += 1
        _spin(0.1)
        return rang, inner

    with ThreadPoolExecutor(4) as pool:
        found = [each.result(100) for each in [pool.submit(run) for _ in range(4)]]
    assert all(0 < rang < 300 and inner == 20 for rang, inner in found)


def test_an_alarm_in_a_thread_waits_for_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "module_that_takes_long_in_a_thread"
    (tmp_path / f"{name}.py").write_text(
        "import time\nend = time.monotonic() + 0.2\nwhile time.monotonic() < end: pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def run() -> str:
        try:
            with alarm(0.02):
                importlib.import_module(name)
                _spin(20)
        except OutOfTime:
            return "rang"
        return "did not ring"

    assert _in_thread(run) == "rang"
    assert sys.modules[name].end > 0
