"""The command as users start it: a service in a folder of its own, links with the names of VAL's programs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.places import ROOT
from tests.support.processes import PATIENCE, wait_for

_COMMAND = "import sys; from validator.cli import main; sys.exit(main())"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[str]:
    """Yield where the service answers; its files are in a folder, which is empty again when it has ended."""
    port = str(free_port())
    words = ["serve", "--port", port, "--workers", "1", "--time-limit", "20"]
    command = [sys.executable, "-c", _COMMAND, *words, *options]
    with subprocess.Popen(command, cwd=folder, env={**os.environ, "TMPDIR": str(folder)}) as process:
        where = f"http://127.0.0.1:{port}"
        wait_for(lambda: process.poll() is not None or _answers(f"{where}/ready"))
        assert process.poll() is None
        yield where
        process.terminate()
        assert process.wait(PATIENCE) in (0, -signal.SIGTERM)  # the server passes the signal on when all is done


def _answers(where: str) -> bool:
    try:
        return bool(urllib.request.urlopen(where).status == 200)
    except OSError:
        return False


def programmed(folder: Path) -> dict[str, str]:
    """Put the program into a folder, and return variables under which a shell finds it."""
    program = folder / "plan-validator"
    start = 'if __name__ == "__main__":  # worker processes import this file\n    raise SystemExit(main())\n'
    program.write_text(f"#!{sys.executable}\nfrom validator.cli import main\n{start}", encoding="utf-8")
    program.chmod(0o755)
    return os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def linked(folder: Path) -> Path:
    """Put links with the names of VAL's programs into a folder, as a user does."""
    programmed(folder)
    for name in ("validate", "Parser"):
        (folder / name).symlink_to(folder / "plan-validator")
    return folder
