"""Build the playground: the service's workbench as a static page, whose questions are answered in the browser.

``python docs/playground/build.py OUT`` puts it into a directory, ``python -m http.server -d OUT`` serves it. As a hook
of MkDocs it puts it into the site. Pyodide comes from its npm package, and so npm and node must be there; the page asks
no other host for anything.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OWN = ("backend.js", "worker.js", "browser.py")
PYODIDE = "pyodide@314.0.7"
PARTS = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
LARK = "lark>=1.3,<2"
UNUSED = ("commands", "grading", "integrations", "lsp", "mcp", "reward")
"""wings that answer none of the questions"""
QUESTIONS = ("check", "read", "follow")
"""what is answered without a planner"""


def build(out: Path) -> None:
    """Write the playground into a directory. Raises CalledProcessError where npm, node or pip fails."""
    sys.path.insert(0, str(ROOT))
    from validator.render.html.elements import style
    from validator.service.pages.page import STATIC, workbench

    out.mkdir(parents=True, exist_ok=True)
    for path in (*STATIC.iterdir(), *(HERE / name for name in OWN)):
        shutil.copy(path, out / path.name)
    (out / "style.css").write_text(style(), encoding="utf-8")
    shown = {**workbench(), "pages": [page for page in workbench()["pages"] if page["name"] in QUESTIONS]}
    (out / "workbench.json").write_text(json.dumps(shown), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        _pyodide(Path(folder), out / "pyodide")
        _package(Path(folder), out)


def _pyodide(folder: Path, out: Path) -> None:
    out.mkdir(exist_ok=True)
    subprocess.run(["npm", "pack", "--silent", PYODIDE], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    shutil.unpack_archive(next(folder.glob("*.tgz")), folder)
    for name in PARTS:
        shutil.copy(folder / "package" / name, out / name)


def _package(folder: Path, out: Path) -> None:
    """Write ``package.zip``: the package and Lark, compiled by the Python that runs them."""
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder)]
    subprocess.run([*pip, str(ROOT), LARK], check=True)
    for wheel in folder.glob("*.whl"):
        shutil.unpack_archive(wheel, folder / "wheels", "zip")
    for name in UNUSED:
        shutil.rmtree(folder / "wheels" / "validator" / name)
    archive = shutil.make_archive(str(folder / "source"), "zip", folder / "wheels")
    compiling = [
        "node",
        str(HERE / "compile.mjs"),
        str((folder / "package").resolve()),
        archive,
        str(out / "package.zip"),
    ]
    subprocess.run(compiling, check=True)


# --- what MkDocs calls ----------------------------------------------------------------------------


def on_files(files: Any, config: Any) -> Any:
    """Return the files of the site with the playground's page, so that others can link to it."""
    from mkdocs.structure.files import File

    page = ROOT / "validator" / "service" / "pages" / "static" / "index.html"
    files.append(File.generated(config, "playground/index.html", abs_src_path=str(page)))
    return files


def on_post_build(config: Any) -> None:
    """Put the playground into the site."""
    build(Path(config["site_dir"]) / "playground")


if __name__ == "__main__":
    build(Path(sys.argv[1]))
