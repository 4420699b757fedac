"""Notations that are recognised and not read: each is a piece that was not understood, whatever else the text says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import reduce
from random import Random

import pytest

from tests.reading.test_printed_forms import PLAN, call, checked, lines
from tests.support.statement_forms import STATEMENTS, joined

_Step = tuple[str, ...]


def nodes(steps: Sequence[_Step], form: str) -> str:
    """Return the labels of a drawing in no order."""
    numbered = list(enumerate(steps))
    Random(3).shuffle(numbered)
    return "\n".join(form.format(n=n, c=call(step), a=step[0], o=" ".join(step[1:])) for n, step in numbered)


def edges(steps: Sequence[_Step], form: str) -> str:
    return "\n".join(form.format(n=n, m=n + 1) for n in range(len(steps) - 1))


DRAWINGS: dict[str, Callable[[list[_Step]], str]] = {
    "graph": lambda steps: (
        "digraph G {\n  node [shape=box];\n"
        + nodes(steps, '  n{n} [color=red, label="{c}"];')
        + "\n"
        + edges(steps, "  n{n} -> n{m};")
        + "\n}"
    ),
    "graph of ROSPlan": lambda steps: (
        "digraph plan {\n"
        + nodes(steps, '{n}[ label="{a}\\n({o})",style=filled];')
        + "\n"
        + edges(steps, '"{n}" -> "{m}" [ label="[0, 1]" , penwidth=2];')
        + "\n}"
    ),
    "flowchart": lambda steps: (
        "```mermaid\nflowchart TD\n    S([Start]) --> A0\n"
        + nodes(steps, '    A{n}["{c}"]')
        + "\n"
        + edges(steps, "    A{n} -->|then| A{m}")
        + f"\n    A{len(steps) - 1} --> E((End))\n```"
    ),
    "flowchart without quotes": lambda steps: (
        "graph LR\n"
        + "\n".join(f"A{n}[{call(s)}] --> A{n + 1}" for n, s in enumerate(steps[:-1]))
        + f"\nA{len(steps) - 1}[{call(steps[-1])}]"
    ),
}
OTHERS: dict[str, Callable[[list[_Step]], str]] = {
    "a chat": lambda steps: json.dumps(
        [
            {"role": "user", "content": "Pile e on o."},
            *({"role": "assistant", "tool_calls": [{"name": s[0], "arguments": list(s[1:])}]} for s in steps),
        ]
    ),
    "what a model says in a chat": lambda steps: json.dumps(
        [{"type": "human", "data": {"content": "Hi"}}, {"type": "ai", "data": {"content": lines(steps, "{g}")}}]
    ),
    "a diff": lambda steps: "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-(unpile o a)\n+(grab-up e)\n (set-down o)",
    "RDF": lambda steps: joined(steps, lambda n, s, a: f":s{n} a :{s} ; :args ( {' '.join(f':{x}' for x in a)} ) ."),
    "RDF with addresses": lambda steps: joined(
        steps, lambda n, s, a: f'<http://barn.example/{n}> <http://barn.example/does> "{s} {" ".join(a)}" .'
    ),
    "answer sets": lambda steps: " ".join(f"occurs({call(s)},{n})" for n, s in enumerate(steps, 1)),
    "times first": lambda steps: "\n".join(f"do({n}, {call(s)})." for n, s in enumerate(steps)),
    "event calculus": lambda steps: ", ".join(f"Happens({call(s)}, {n})" for n, s in enumerate(steps)),
    "times behind": lambda steps: " ".join(call([*s, str(n)]) for n, s in enumerate(steps)),
    "times before": lambda steps: " ".join(call([s[0], str(n), *s[1:]]) for n, s in enumerate(steps)),
    "clingo": lambda steps: "Answer: 1\n" + " ".join(f"do_it({call(s)})" for s in steps),
    "a situation": lambda steps: reduce(lambda said, step: f"do({call(step)}, {said})", steps, "s0"),
    "plasp": lambda steps: " ".join(
        f'''occurs(action(("{s[0]}",{",".join(f"constant({name})" for name in s[1:])})),{n})'''
        for n, s in enumerate(steps, 1)
    ),
    "Julia": lambda steps: "\n".join(f' var"{s[0]}"({", ".join(s[1:])})' for s in steps),
    "outcomes compiled away": lambda steps: "\n".join(f"({s[0]}_DETDUP_1 {' '.join(s[1:])})" for s in steps),
    "disjunctions compiled away": lambda steps: "\n".join(f"{s[0]}__DISJUNCT-0({','.join(s[1:])})" for s in steps),
    "PANDA": lambda steps: "SOLUTION SEQUENCE\n" + "\n".join(f"{n}: {call(s)}" for n, s in enumerate(steps)),
    "pandaPI": lambda steps: "\n".join(
        f"{2 * n} __method_precondition_m[{s[1]}]\n{2 * n + 1} {s[0]}[{','.join(s[1:])}]" for n, s in enumerate(steps)
    ),
    "elements": lambda steps: (
        "<plan>"
        + "".join(
            f"<step><action>{s[0]}</action>{''.join(f'<arg>{name}</arg>' for name in s[1:])}</step>" for s in steps
        )
        + "</plan>"
    ),
    "tags of actions": lambda steps: "\n".join(f"<{s[0]}>{' '.join(s[1:])}</{s[0]}>" for s in steps),
    "tree of behaviours": lambda steps: (
        '<root><BehaviorTree ID="Main"><Sequence>'
        + "".join(f"<{s[0].title().replace('-', '')} x='{s[1]}'/>" for s in steps)
        + "</Sequence></BehaviorTree></root>"
    ),
    "labelled arrows": lambda steps: "-[:NEXT]->".join(lines([s], "{g}") for s in steps),
    "causal links": lambda steps: " --[held o]--> ".join(lines([s], "{g}") for s in steps),
    "a trajectory": lambda steps: (
        "(:trajectory (:state (idle))\n"
        + "\n".join(f"(:action {lines([s], '{g}')})\n(:state (idle))" for s in steps)
        + ")"
    ),
    "a trajectory of observations": lambda steps: (
        "((:init (idle))\n" + "\n".join(f"(operator: {lines([s], '{g}')})\n(:state (idle))" for s in steps) + ")"
    ),
    "struck out": lambda steps: "\n".join(f"- ~~{lines([s], '{g}')}~~" for s in steps),
}
FORMS = {**DRAWINGS, **STATEMENTS, **OTHERS}


@pytest.mark.parametrize("steps", [PLAN, PLAN[1:], PLAN[::-1]], ids=["right", "short", "backwards"])
@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_said_of_a_plan_in_a_notation_that_is_not_read(form: str, steps: list[_Step]) -> None:
    report = checked(FORMS[form](steps))
    assert report.determination is None
    assert report.reading is not None and "not understood: " in report.reading.missed[0].reason


@pytest.mark.parametrize("steps", [PLAN, PLAN[1:], PLAN[::-1]], ids=["right", "short", "backwards"])
def test_facts_that_were_observed_between_steps_are_no_steps(steps: list[_Step]) -> None:
    observed = "\n".join(f"(:observations (idle) (free o))\n\n{lines([s], '{g}')}\n" for s in steps)
    report = checked(f"(solution\n(:objects a e o - bale)\n(:init (idle))\n{observed}\n(:goal (and (on a e))))")
    assert report.determination is None and report.reading is not None
    assert any("a recorded trajectory" in piece.reason for piece in report.reading.missed)


@pytest.mark.parametrize("language", ["mermaid", "dot", "sql", "toml", "ini", "csv", "http", "diff"])
def test_a_fenced_block_is_known_by_its_language(language: str) -> None:
    plan = lines(PLAN, "{g}")
    assert checked(plan).determination is True
    assert checked(f"{plan}\n\n```{language}\nunpile o a\n```").determination is None


@pytest.mark.parametrize(
    "text",
    [
        "The action\nAction\n" + lines(PLAN, "{n}. {c}"),
        "[PLAN]\n" + lines(PLAN, "{g}") + "\n[PLAN END]",
        "Do not POST it.\n" + lines(PLAN, "{g}"),
    ],
)
def test_words_of_other_notations_in_prose_are_prose(text: str) -> None:
    assert checked(text).determination is True


@pytest.mark.parametrize(
    "part",
    [
        "[a]\nx = [\n",
        "INSERT INTO p (a) VALUES (",
        "a {\n x: 1\n",
        "a {\n b {",
        "POST /x {",
        "x,y\n",
        ":a :b :c .\n",
        "```sql\n",
    ],
)
def test_long_texts_take_linear_time(part: str) -> None:
    assert checked(part * (40_000 // len(part))).determination is not True
