"""Laws: what is said is read back, with templates and without; any text is read."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicon_models import BLOCKS, CARGO, COLOURED, LOGISTICS, PACKED, PLAIN

from validator.model.pddl import read_model
from validator.model.values import Model
from validator.reading.lexicon import Lexicon, Said, read_templates
from validator.reading.plan import Step

ANSWERS = Path(__file__).parents[4] / "shared" / "data" / "answers"


@st.composite
def _steps(draw: st.DrawFn, model: Model) -> Step:
    action = draw(st.sampled_from(list(model.domain.actions.values())))
    kinds = [model.objects_of(parameter.types) or tuple(model.problem.objects) for parameter in action.parameters]
    return Step(name=action.name, args=tuple(draw(st.sampled_from(names)) for names in kinds))


def _is_read_back(lexicon: Lexicon, step: Step) -> None:
    text = lexicon.say(step)
    said = lexicon.sentence(text, 0)
    assert isinstance(said, Said), (text, said)
    assert said.step == step


@pytest.mark.parametrize("lexicon", [PLAIN, COLOURED, CARGO, PACKED], ids=["plain", "coloured", "cargo", "packed"])
@settings(max_examples=30)
@given(data=st.data())
def test_what_templates_say_is_read_back(lexicon: Lexicon, data: st.DataObject) -> None:
    _is_read_back(lexicon, data.draw(_steps(lexicon.model)))


WORDS = """pick up put down stack unstack the a b red block on top of from and it ( ) , . : - ** ` is not then load
    drive truck_0 package 0 location_0_0 to at in city because which that 1. -> _ \\_ PickUp purple"""


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join) | st.text(max_size=60))
def test_any_text_is_read_and_what_is_read_stands_in_it(text: str) -> None:
    for lexicon in (PLAIN, COLOURED, CARGO, PACKED):
        for read in lexicon.sentences(text, 0):
            assert 0 <= read.span[0] < read.span[1] <= len(text)
        said = lexicon.sentence(text, 5)
        if isinstance(said, Said):
            assert said.step.span == said.span
            assert said.step.name in lexicon.model.domain.actions
            assert len(said.step.args) == len(lexicon.model.domain.actions[said.step.name].parameters)


@given(st.text(max_size=40))
def test_any_name_means_known_things_or_nothing(name: str) -> None:
    for model, lexicon in ((BLOCKS, COLOURED), (LOGISTICS, PACKED)):
        assert set(lexicon.action(name)) <= set(model.domain.actions)
        lexicon.object(name)


@pytest.mark.deep
@pytest.mark.skipif(not ANSWERS.exists(), reason="the real answers are not here")
def test_real_answers_hold_their_plans() -> None:
    """Of the answers whose plan is known, nearly all hold it in sentences that begin with a step."""
    found = known = 0
    for line in (ANSWERS / "answers.jsonl").read_text(encoding="utf-8").splitlines()[::7]:
        answer = json.loads(line)
        if answer["plan"]:
            known += 1
            _are_read_back(answer)
            said = [read.step for read in _lines(answer) if isinstance(read, Said)]
            plan = answer["plan"]
            found += any(list(map(str, said[start:]))[: len(plan)] == plan for start in range(len(said)))
    assert found >= 0.97 * known


def _lines(answer: dict[str, str]) -> list[object]:
    lines = (line.strip().lstrip("0123456789.-*• )") for line in answer["raw_response"].splitlines())
    return [_of(answer).sentence(line, 0) for line in lines]


def _are_read_back(answer: dict[str, str]) -> None:
    """Check the law with the benchmark's own templates."""
    for step in answer["plan"]:
        name, *args = step[1:-1].split()
        _is_read_back(_of(answer), Step(name=name, args=tuple(args)))


def _of(answer: dict[str, str]) -> Lexicon:
    file = ANSWERS / "templates" / f"{answer['benchmark_domain']}.yaml"
    return _lexicon(ANSWERS / answer["domain_file"], ANSWERS / answer["problem_file"], file)


@lru_cache(maxsize=4)
def _lexicon(domain: Path, problem: Path, templates: Path) -> Lexicon:
    return Lexicon.of(read_model(domain, problem), read_templates(templates) if templates.exists() else None)
