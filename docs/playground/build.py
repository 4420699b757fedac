"""Build the playground: a static page on which plans are checked in the browser, with all that it needs beside it.

``python docs/playground/build.py OUT`` puts it into a directory, ``python -m http.server -d OUT`` serves it. Pyodide
comes from its npm package, and so npm must be there; the page asks no other host for anything.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ("index.html", "playground.css", "playground.js", "worker.js", "browser.py")
PYODIDE = "pyodide@314.0.7"
PARTS = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
LARK = "lark>=1.3,<2"


def build(out: Path) -> None:
    """Write the playground into a directory. Raises CalledProcessError where npm or pip fails."""
    sys.path.insert(0, str(ROOT))
    from validator.model.bundled import bundles
    from validator.render.html.style import REPORT_STYLE

    out.mkdir(parents=True, exist_ok=True)
    for name in PAGE:
        shutil.copy(HERE / name, out / name)
    (out / "report.css").write_text(REPORT_STYLE, encoding="utf-8")
    examples = [
        {
            "name": f"{found.name}: {plan.stem.replace('-', ' ')}",
            "domain": found.domain.read_text(encoding="utf-8"),
            "problem": found.problem.read_text(encoding="utf-8"),
            "plan": plan.read_text(encoding="utf-8"),
        }
        for found in sorted(bundles(), key=lambda each: each.name != "blocks")
        for plan in sorted(found.plans, key=lambda path: (path.stem != "broken-order", path.stem))
    ]
    (out / "examples.json").write_text(json.dumps(examples), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(out)]
    for old in out.glob("*.whl"):
        old.unlink()
    subprocess.run([*pip, str(ROOT)], check=True)
    subprocess.run([*pip, LARK], check=True)
    (out / "wheels.json").write_text(json.dumps(sorted(path.name for path in out.glob("*.whl"))), encoding="utf-8")
    _pyodide(out / "pyodide")


def _pyodide(out: Path) -> None:
    out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", PYODIDE], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        shutil.unpack_archive(next(Path(folder).glob("*.tgz")), folder)
        for name in PARTS:
            shutil.copy(Path(folder) / "package" / name, out / name)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
