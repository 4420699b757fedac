"""The container's files: what must not get lost of them; ``docker/test-image.sh`` builds and runs the image itself."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
import yaml

from tests.support.places import ROOT

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


def test_the_image_leaves_out_what_nobody_runs() -> None:
    build = DOCKERFILE.partition("FROM ${BASE} AS build")[2].partition("\nFROM ")[0]
    assert "strip " in build and "uninstall -y pip" in build and "-name tests -prune" in build


def test_the_cluster_starts_only_when_it_is_asked_for() -> None:
    profiles = {name: service.get("profiles") for name, service in COMPOSE["services"].items()}
    assert profiles == {"service": None, "scheduler": ["cluster"], "worker": ["cluster"]}


def test_the_service_is_reached_from_this_machine_only() -> None:
    assert all(port.startswith("127.0.0.1:") for port in COMPOSE["services"]["service"]["ports"])


def test_the_image_does_not_run_as_root_and_copies_what_is_there() -> None:
    last = DOCKERFILE.rpartition("FROM ")[2]
    assert re.findall(r"^USER (\S+)", last, re.MULTILINE) == ["10001:10001"]
    allowed = (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for sources in re.findall(r"^COPY ((?!--from).*) \S+$", DOCKERFILE, re.MULTILINE):
        for source in sources.split():
            assert (DOCKER.parent / source).exists() and f"!{source}" in allowed, source


def test_the_script_is_one_that_bash_reads() -> None:
    subprocess.run(["bash", "-n", DOCKER / "test-image.sh"], check=True)
