"""Tool calls in the forms of models and frameworks: as plans, as lists of calls, as traces."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.wire_forms import FORMS, TYPELESS, written
from validator import check
from validator.errors import ModelError
from validator.flow.tools.check import check_tool_calls
from validator.model.bundled import bundle
from validator.reading.calls.wire import wire_calls
from validator.reading.traces.read import read_trace
from validator.reading.traces.recording import Sureness

MODEL = bundle("blocks")
DOMAIN, PROBLEM = (path.read_text(encoding="utf-8") for path in (MODEL.domain, MODEL.problem))
PARAMETERS = {
    found[1]: re.findall(r"\?(\w+)", found[2])
    for found in re.finditer(r":action (\S+)\s+:parameters \(([^)]*)\)", DOMAIN)
}
STEPS = ("take b d", "lower b", "take c a", "place c d", "lift b", "place b c", "lift a", "place a b")
TRIP: list[tuple[str, Mapping[str, str]]] = [("find", {"city": "Rome", "zone": "5"}), ("book", {"hotel": "Ritz's"})]
TOOLS = [
    {
        "name": name,
        "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in types.items()}},
    }
    for name, types in (("find", {"city": "string", "zone": "integer"}), ("book", {"hotel": "string"}))
]


def _call(step: str) -> tuple[str, Mapping[str, str]]:
    name, *args = step.split()
    return name, dict(zip(PARAMETERS[name], args, strict=True))


@pytest.mark.parametrize("form", FORMS)
def test_calls_are_a_plan(form: str) -> None:
    right = written(form, [_call(step) for step in STEPS])
    assert check(DOMAIN, PROBLEM, right, repair=False).determination is True
    assert check(DOMAIN, PROBLEM, f"I will build it.\n\n{right}\nThat is all.", repair=False).determination is True
    order = [0, 1, 2, 3, 6, 5, 4, 7]
    wrong = check(DOMAIN, PROBLEM, written(form, [_call(STEPS[place]) for place in order]), repair=False)
    assert wrong.determination is False and wrong.failures[0].step == 5


@pytest.mark.parametrize("form", FORMS)
def test_calls_are_checked_beside_tools(form: str) -> None:
    """A text for a whole number is a fault, but for where texts are not told from numbers."""
    report = check_tool_calls(TOOLS, written(form, [TRIP[0]]), repair=False)
    assert report.determination is (form in TYPELESS)


@pytest.mark.parametrize("form", FORMS)
def test_calls_are_a_trace(form: str) -> None:
    text = written(form, [_call(step) for step in STEPS])
    said = [{"role": "user", "content": "Build."}, {"role": "assistant", "content": f"Well.\n{text}"}]
    for found in (read_trace(text), read_trace(said)):
        assert [call.name for call in found.calls] == [step.split()[0] for step in STEPS]
        assert [each.text for each in found.calls[3].arguments or ()] == ["c", "d"]
        assert found.sureness is Sureness.GUESSED and not found.missed


_LAST = len(STEPS) - 1


@given(form=st.sampled_from(sorted(FORMS)), share=st.floats(0, 1))
def test_a_text_that_is_cut_off_is_not_called_wrong_for_what_it_lacks(form: str, share: float) -> None:
    before = written(form, [_call(step) for step in STEPS[:_LAST]])
    text = written(form, [_call(step) for step in STEPS])
    (last,) = wire_calls(text)[_LAST:]
    begins = _BEGUN.search(text, len(before))
    assert begins is not None
    cut = begins.end() + round(share * max(0, last.span[1] - 1 - begins.end()))
    report = check(DOMAIN, PROBLEM, text[:cut], repair=False)
    assert report.determination is None


_BEGUN = re.compile(
    r"<(?:x:)?invoke\b|<tool_call>|<function=|\[TOOL_CALLS\]|<｜tool▁call▁begin｜>|<\|tool_call(?:_begin)?\|>|"
    r"<\|python_tag\|>|to=functions|Invoking: `place` with|Calling (?:tool|function):? '?place'? with"
)


def test_what_begins_as_a_call_and_is_none_is_named() -> None:
    with pytest.raises(ModelError, match="could not be read") as caught:
        check_tool_calls(TOOLS, written("Hermes", TRIP) + "<tool_call>{find")
    assert caught.value.line == 7
