"""What a release and its container must have; ``.ci/release`` and ``docker/test-image.sh`` build and run them."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import validator
from tests.support.places import ROOT
from validator.cli import _parser
from validator.service.settings import Settings

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
    assert tried["use_data_files"]().endswith(" grammars")


@pytest.mark.parametrize("script", ["run", "release"])
def test_the_scripts_can_be_parsed(script: str) -> None:
    subprocess.run(["bash", "-n", ROOT / ".ci" / script], check=True)


# --- the light package, in a fresh environment ---------------------------------------------------


LIGHT = tomllib.loads((ROOT / ".ci" / "light" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WHOLE = PROJECT["project"]


def test_the_light_package_is_the_whole_one_without_some_dependencies() -> None:
    extras = {**LIGHT["optional-dependencies"]}
    assert sorted([*LIGHT["dependencies"], *extras.pop("full")]) == sorted(WHOLE["dependencies"])
    assert extras == {name: WHOLE["optional-dependencies"][name] for name in extras}
    assert LIGHT["scripts"] == WHOLE["scripts"] and LIGHT["entry-points"] == WHOLE["entry-points"]


def test_a_check_imports_nothing_that_the_light_package_leaves_out() -> None:
    left_out = [re.split("[<>=]", name)[0].replace("-", "_") for name in LIGHT["optional-dependencies"]["full"]]
    files = [str(ROOT / "domains" / "blocks" / name) for name in ("domain.pddl", "problem.pddl", "broken-order.plan")]
    code = f"import sys\nfrom validator.cli import main\nmain(['check', *{files!r}])\n"
    code += f"print(sys.modules.keys() & {{*{left_out!r}, 'fast_downward'}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "(proven)" in done.stdout and done.stdout.splitlines()[-1] == "set()"


@pytest.mark.deep
def test_the_light_package_answers_in_a_fresh_environment(tmp_path: Path) -> None:
    """It is built and installed from the package registry, as ``.ci/release`` does."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    built = subprocess.run([*pip, "wheel", "--no-deps", "-w", str(tmp_path), str(ROOT / ".ci" / "light")], check=False)
    if built.returncode:
        pytest.skip("no package registry is reached from here")
    (wheel,) = tmp_path.glob("*.whl")
    empty, home = tmp_path / "empty", tmp_path / "light"
    empty.mkdir()
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    subprocess.run([home / "bin" / "pip", "install", "--quiet", wheel], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    tried = [home / "bin" / "python", ROOT / ".ci" / "installed.py", "--light"]
    subprocess.run(tried, check=True, cwd=empty, env=environment)
    size = sum(path.lstat().st_size for path in home.rglob("*"))
    assert size < 60e6, f"{size / 1e6:.0f} MB"


# --- the container's files: what must not get lost of them ---------------------------------------


DOCKER = ROOT / "docker"
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
DOCKERFILE = (DOCKER / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_every_service_is_read_only_and_without_rights(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] and service["init"] and service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["user"].split(":")[0] not in ("", "0", "root") and service["mem_limit"]


def test_compose_takes_the_file() -> None:
    """The schema is compose-spec's own (Apache-2.0), which refuses what Docker would refuse."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "tests" / "support" / "schemas" / "compose-spec.json").read_text(encoding="utf-8"))
    compose = jsonschema.Draft7Validator(schema)
    assert [error.message for error in compose.iter_errors(COMPOSE)] == []
    wrong = {**COMPOSE, "services": {"service": {**COMPOSE["services"]["service"], "mem_limits": "8g"}}}
    assert any("mem_limits" in error.message for error in compose.iter_errors(wrong))


def test_the_service_is_started_with_what_the_command_knows_and_the_file_provides() -> None:
    """What would only be seen by starting it: options, where the secret and the volume stand, whose the volume is."""
    service = COMPOSE["services"]["service"]
    program, *words = service["command"]
    options = _parser(words).known(words)
    assert (program, options.host, options.port) == ("plan-validator", "0.0.0.0", int(service["ports"][0][-4:]))
    assert (
        str(options.token_file) == f"/run/secrets/{service['secrets'][0]}"
        and service["secrets"][0] in COMPOSE["secrets"]
    )
    volume, target = service["volumes"][0].split(":")
    assert volume in COMPOSE["volumes"] and str(options.store.parent) == target
    assert f"install -d -o {service['user'].replace(':', ' -g ')} {target}\n" in DOCKERFILE
    assert (ROOT / "docker" / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    assert float(service["stop_grace_period"].rstrip("s")) > Settings().grace


def test_the_image_does_not_run_as_root_and_copies_what_is_there() -> None:
    last = DOCKERFILE.rpartition("FROM ")[2]
    assert re.findall(r"^USER (\S+)", last, re.MULTILINE) == ["10001:10001"]
    allowed = (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for sources in re.findall(r"^COPY ((?!--from).*) \S+$", DOCKERFILE, re.MULTILINE):
        for source in sources.split():
            assert (DOCKER.parent / source).exists() and f"!{source}" in allowed, source
