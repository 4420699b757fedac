"""The container's files: what must not get lost of them; ``docker/test-image.sh`` builds and runs the image itself."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from tests.support.places import ROOT
from validator.cli import _parser
from validator.service.settings import Settings

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
