"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["machine"]

_PACKAGES = (
    *("plan-validator", "lark", "unified-planning", "up-fast-downward", "up-pyperplan", "up-symk", "tarski"),
    "pddl-pyvalidator",
)


def machine() -> dict[str, object]:
    """Return month, cores, CPU model, system, Python and the versions of the packages that take part."""
    return {
        "month": time.strftime("%B %Y"),
        "cores": os.cpu_count(),
        "cpu": _cpu(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 2),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
