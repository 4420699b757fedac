"""What a release must have; ``.ci/release`` builds it, installs it alone, and runs what is bundled."""

from __future__ import annotations

import re
import runpy
import subprocess
import tomllib

import pytest

import validator
from tests.support.places import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_stands_in_one_place() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "validator/__init__.py"
    stated = re.compile(rf"""["']{re.escape(validator.__version__)}["']""")
    sources = [path for path in (ROOT / "validator").rglob("*.py") if stated.search(path.read_text(encoding="utf-8"))]
    assert sources == [ROOT / "validator" / "__init__.py"]


def test_the_changelog_begins_with_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0] == validator.__version__


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "validator" / "py.typed").read_bytes() == b""


def test_the_licences_come_with_the_package() -> None:
    for name in PROJECT["project"]["license-files"]:
        assert (ROOT / name).is_file()
    notice = (ROOT / "validator" / "NOTICE").read_text(encoding="utf-8")
    for needed in PROJECT["project"]["dependencies"]:
        assert re.split(r"[<>=]", needed)[0] in notice.lower()


def test_the_release_is_tried_with_every_python_that_is_promised() -> None:
    words = PROJECT["project"]["classifiers"]
    promised = [found[1] for word in words if (found := re.search(r":: Python :: (3\.\d+)$", word))]
    script = (ROOT / ".ci" / "release").read_text(encoding="utf-8")
    assert f"for version in {' '.join(promised)}; do" in script
    assert PROJECT["project"]["requires-python"] == f">={promised[0]}"


@pytest.mark.planner
def test_what_the_release_tries_of_an_installed_package_can_be_used() -> None:
    tried = runpy.run_path(str(ROOT / ".ci" / "installed.py"))
    assert tried["use_data_files"]().endswith(" templates")


@pytest.mark.parametrize("script", ["run", "release"])
def test_the_scripts_can_be_parsed(script: str) -> None:
    subprocess.run(["bash", "-n", ROOT / ".ci" / script], check=True)
