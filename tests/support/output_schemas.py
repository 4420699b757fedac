"""The formats that other tools read, checked: SARIF and JUnit XML by schemas, GitHub's commands by their grammar."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

SCHEMAS = Path(__file__).parent / "schemas"
COMMAND = re.compile(r"::(error|warning|notice) ((?:\w+=[^:,\r\n]*,?)+)::([^\r\n]*)")


def read_sarif(text: str) -> list[dict[str, Any]]:
    """Return the results of a SARIF document that fits its schema."""
    import jsonschema

    value = json.loads(text)
    schema = json.loads((SCHEMAS / "sarif.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(value)
    (run,) = value["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [result["ruleId"] for result in run["results"]]
    return run["results"]  # type: ignore[no-any-return]


def read_junit(text: str) -> ElementTree.Element:
    """Return the suite of a JUnit document that fits its schema."""
    import pytest

    etree = pytest.importorskip("lxml.etree")
    etree.XMLSchema(etree.parse(SCHEMAS / "junit.xsd")).assertValid(etree.fromstring(text.encode()))
    (suite,) = ElementTree.fromstring(text)
    cases = list(suite)
    assert int(suite.attrib["tests"]) == len(cases)
    for outcome in ("failure", "error"):
        assert int(suite.attrib[f"{outcome}s"]) == sum(case.find(outcome) is not None for case in cases)
    return suite


def read_github(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Return level, properties and message of each command; there is nothing but commands."""
    found = []
    for line in text.splitlines():
        match = COMMAND.fullmatch(line)
        assert match, line
        level, said, message = match.groups()
        properties = dict(each.split("=", 1) for each in said.split(","))
        found.append((level, {name: _unescaped(value) for name, value in properties.items()}, _unescaped(message)))
    return found


def _unescaped(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text
