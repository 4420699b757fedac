"""Virtual environments of peers: made once in a folder that is kept, never beside this package."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from venv import EnvBuilder

__all__ = ["Environment", "environment"]

_SECONDS = 1_800
"""that an installation may take"""
_VERSIONS = """\
import json, sys
from importlib.metadata import version
print(json.dumps({name: version(name) for name in sys.argv[1:]}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """An environment with the packages that were asked for."""

    python: Path
    versions: dict[str, str]

    def program(self, name: str) -> str:
        return str(self.python.with_name(name))

    def __str__(self) -> str:
        return ", ".join(f"{name} {version}" for name, version in self.versions.items())


def environment(folder: Path, name: str, *packages: str) -> Environment | str:
    """Return the environment of that name with the packages, made if it is not there; else why it cannot be."""
    place = folder / name
    python = place / "bin" / "python"
    found = _versions(python, packages) if python.exists() else None
    if found is None:
        EnvBuilder(with_pip=True, clear=True).create(place)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"skipped: {name}: the installation took more than {_SECONDS} s"
        found = _versions(python, packages)
        if found is None:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            return f"skipped: {name}: {errors[-1] if errors else 'it cannot be installed'}"
    return Environment(python=python, versions=found)


def _versions(python: Path, packages: tuple[str, ...]) -> dict[str, str] | None:
    done = subprocess.run([python, "-c", _VERSIONS, *packages], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None
