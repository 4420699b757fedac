"""The collector of cycles stands still while much is read; a library without room is told as that."""

from __future__ import annotations

import gc
import resource as limits
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from validator.resources import loading, without_collection


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
