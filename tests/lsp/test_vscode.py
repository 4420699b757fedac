"""The extension for VS Code: packaged by ``vsce``, and what is in the package asked against the language server."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.places import ROOT
from validator import __version__

EXTENSION = ROOT / "docs" / "editors" / "vscode"


def test_the_extension_has_the_version_of_the_package() -> None:
    about = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    assert about["version"] == __version__
    assert about["contributes"]["configuration"]["properties"]["plan-validator.command"]["default"][1:] == ["lsp"]


@pytest.mark.deep
@pytest.mark.planner
def test_the_packaged_extension_shows_faults_causes_and_repairs(tmp_path: Path) -> None:
    pytest.importorskip("pygls", reason="needs the extra lsp")
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("needs node and npm")
    folder = tmp_path / "vscode"
    shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns("node_modules"))
    shutil.copy(ROOT / "LICENSE", folder)
    _run(["npm", "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], folder)
    _run(["npm", "run", "--silent", "package"], folder)
    shutil.unpack_archive(folder / "plan-validator.vsix", tmp_path, format="zip")

    server = [sys.executable, "-W", "ignore", "-m", "validator", "lsp"]
    tried = ["node", str(folder / "try.js"), str(tmp_path / "extension"), str(ROOT / "domains" / "blocks")]
    found = json.loads(_run([*tried, *server], ROOT))
    assert [fault["line"] for fault in found["faults"]] == [8, 9, 9]
    assert "(clear b) is false (step 6 deleted it)" in found["faults"][0]["message"]
    assert found["causes"] == ["deleted: (clear b)", "deleted: (held b)"]
    assert "✗ `(clear b)`: step 6 made it false" in found["step"]
    assert "Apply the nearest valid plan" in found["actions"]
    assert found["repair"][0].splitlines()[4:6] == ["(lift b)", "(place b c)"]

    missing = json.loads(_run([*tried, "no-such-program"], ROOT))
    assert "pip install 'plan-validator[lsp]'" in missing["errors"][0]


def _run(command: Sequence[str], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True, timeout=900).stdout
