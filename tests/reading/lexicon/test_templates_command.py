"""The command that writes a first file of templates."""

from __future__ import annotations

import pytest

from validator.cli import main
from validator.model.pddl import read_model
from validator.reading.lexicon import Lexicon, read_templates
from validator.reading.plan import Step
from validator.resources import resource

BLOCKS = resource("domains") / "blocks"


def test_a_first_file_has_a_sentence_for_each_action_and_a_name_for_each_object(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["templates", str(BLOCKS / "domain.pddl"), str(BLOCKS / "problem.pddl")]) == 0
    templates = read_templates(capsys.readouterr().out)
    model = read_model(BLOCKS / "domain.pddl", BLOCKS / "problem.pddl")
    assert set(templates.actions) == set(model.domain.actions)
    assert set(templates.predicates) == set(model.domain.predicates)
    assert all(templates.names(name) for name in model.problem.objects)


def test_without_a_problem_there_are_no_objects(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["templates", str(BLOCKS / "domain.pddl")]) == 0
    text = capsys.readouterr().out
    assert "objects: {}" in text
    assert read_templates(text).objects == {}


def test_an_edited_file_is_what_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    main(["templates", str(BLOCKS / "domain.pddl"), str(BLOCKS / "problem.pddl")])
    edited = capsys.readouterr().out.replace('  a: "a"', "  a: red block").replace('  b: "b"', "  b: the blue block")
    lexicon = Lexicon.of(read_model(BLOCKS / "domain.pddl", BLOCKS / "problem.pddl"), read_templates(edited))
    assert "red block" in lexicon.say(Step(name="take", args=("a", "b")))
