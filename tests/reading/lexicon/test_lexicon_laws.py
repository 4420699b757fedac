"""Laws: what is said is read back, with templates and without; any text is read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicon_models import BLOCKS, CARGO, COLOURED, LOGISTICS, PACKED, PLAIN

from validator.model.values import Model
from validator.reading.lexicon import Lexicon, Said
from validator.reading.plan import Step


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
