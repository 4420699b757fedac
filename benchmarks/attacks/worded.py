"""Attacks on what is said and read in words, and on what is told line by line: the same steps as in PDDL.

Templates are drawn at random, with several ways to say one thing, holes in another order, names of several words, and
names that two objects share. What a sentence may mean is told by filling in all templates with all names.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmarks.attacks.kind import Kind, has_solver, outcome
from tests.support.edit_oracle import CHEAP, DEAR, Oracle, State
from tests.support.random_schemas import Texts, random_schema
from tests.support.random_worlds import random_world, states_of, wrong_walk
from validator import check, prepare, repair_model
from validator.checking.about.words import in_words, said_plan
from validator.checking.prepared import Prepared
from validator.cli import main
from validator.model.pddl import read_model
from validator.model_repair.suspect import suspicion
from validator.model_repair.words import said
from validator.reading.tokens import tokenize
from validator.reading.understood import unclear

__all__ = ["KINDS"]

_MOST_STATES, _MOST_STEPS, _SECONDS = 300, 100, 5.0

_VERBS = ("stack", "lift", "move", "fetch", "put", "paint", "turn on", "pick up", "hand over", "wash")
_BETWEEN = ("to", "on", "from", "with", "onto", "next to", "using", "into", "at", "and")
_NAMES = (
    *("red block", "blue block", "red", "block", "kitchen table", "table", "box 1", "box 2", "box 12", "Ann", "Bob"),
    *(
        "the mug",
        "package 7",
        "big red block",
        "on",
        "to the left",
        "stack",
        "A",
        "B",
        "cup a",
        "room one",
        "C3",
        "c-3",
    ),
)
_HOLE = re.compile(r"\{(\d*)\}")

_Templates = Mapping[str, Mapping[str, Sequence[str]]]


def _case(draw: Random, seed: int) -> tuple[Texts, Oracle, list[State]] | None:
    texts = (random_schema, random_world)[seed % 2](seed, (CHEAP, DEAR)[seed // 2 % 2])
    oracle = Oracle(*texts)
    states = states_of(oracle, _MOST_STATES) if 0 < len(oracle.steps) <= _MOST_STEPS else None
    return None if states is None else (texts, oracle, states)


# --- words -----------------------------------------------------------------------------------------


def _templates(texts: Texts, draw: Random) -> _Templates:
    model = read_model(*texts)
    objects = {
        name: draw.sample(_NAMES, draw.choice((1, 1, 2))) for name in model.problem.objects if draw.random() < 0.8
    }
    actions = {
        name: [_sentence(len(action.parameters), draw) for _ in range(draw.choice((1, 1, 2, 3)))]
        for name, action in model.domain.actions.items()
    }
    return {"actions": actions, "objects": objects}


def _sentence(size: int, draw: Random) -> str:
    order, is_numbered = list(range(1, size + 1)), draw.random() < 0.5
    if is_numbered:
        draw.shuffle(order)
    words = [draw.choice(_VERBS)]
    for place, number in enumerate(order):
        words += [draw.choice(_BETWEEN)] if place else []
        words += ["the"] if draw.random() < 0.3 else []
        words.append(f"{{{number}}}" if is_numbered else "{}")
    return " ".join((*words, *draw.choice(((), (), (), ("again",), ("carefully",)))))


@dataclass(frozen=True)
class _Language:
    """What the steps of a model are called, and which steps a sentence may be."""

    ways: Mapping[str, Sequence[str]]
    steps: Mapping[str, set[str]]
    live: frozenset[str]
    """steps that some state allows: others may be told from these by what never holds"""

    def can_be(self, sentence: str) -> set[str]:
        return self.steps.get(_plain(sentence), set())


def _language(oracle: Oracle, states: Sequence[State], templates: _Templates) -> _Language:
    sentences = {name.lower(): texts for name, texts in templates["actions"].items()}
    names = {name.lower(): said for name, said in templates["objects"].items()}
    ways, steps = dict[str, list[str]](), defaultdict[str, set[str]](set)
    for step in {str(step).lower() for step in oracle.steps}:
        action, *args = step.strip("()").split()
        called = [(*names.get(arg, ()), arg) for arg in args]
        ways[step] = [
            step.strip("()"),
            *(_filled(text, each) for text in sentences[action] for each in product(*called)),
        ]
        for way in ways[step]:
            steps[_plain(way)].add(step)
    live = frozenset(str(step).lower() for state in states for step, _, _ in oracle.successors(state))
    return _Language(ways, steps, live)


def _filled(text: str, names: Sequence[str]) -> str:
    waiting = iter(names)
    return _HOLE.sub(lambda hole: names[int(hole[1]) - 1] if hole[1] else next(waiting), text)


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _words(seed: int) -> Iterator[str]:
    """Say every step, read it back, and check plans that somebody wrote in words."""
    draw = Random(f"worded {seed}")
    if (case := _case(draw, seed)) is None:
        return
    texts, oracle, states = case
    templates = _templates(texts, draw)
    language, prepared = _language(oracle, states, templates), prepare(*texts, templates=templates)
    _compare_said(prepared, language, oracle)
    for _ in range(4):
        yield _written(prepared, language, oracle, draw)


def _compare_said(prepared: Prepared, language: _Language, oracle: Oracle) -> None:
    seen = dict[str, str]()
    for step in tokenize("\n".join(map(str, oracle.steps)), prepared.vocabulary).steps:
        told, own = str(said_plan((step,), prepared.lexicon)[0]), str(step).lower()
        assert seen.setdefault(_plain(told), own) == own, (told, own, seen[_plain(told)])
        assert not (language.can_be(told) - {own}) & language.live, (told, own, language.can_be(told))
        assert _read(told, prepared) == [own], (told, own)


def _read(text: str, prepared: Prepared) -> list[str] | None:
    """Return the steps that are read of a text, None where it is not understood."""
    plan = tokenize(text, prepared.vocabulary)
    if plan.reading is None or unclear(plan):
        return None
    return [str(step).lower() for step in plan.steps]


def _written(prepared: Prepared, language: _Language, oracle: Oracle, draw: Random) -> str:
    """Check a plan in words, and tell the report in words."""
    known = {str(step).lower() for step in oracle.steps}
    walk = [step.lower() for step in wrong_walk(oracle, draw, draw.randint(1, 4), draw.choice((0, 1)), to_goal=True)]
    plan = [step for step in walk if step in known and step in language.live]
    if not plan:
        return outcome(False)
    lines = [draw.choice(language.ways[step]) for step in plan]
    text = "".join(f"{number}. {line}\n" for number, line in enumerate(lines, 1))
    read = _read(text, prepared)
    told = (plan, lines, read)
    is_open = any((language.can_be(line) - {step}) & language.live for step, line in zip(plan, lines, strict=True))
    assert read is None or (read == plan and not is_open), told
    report = check(prepared, None, text, time_limit=_SECONDS)
    if read is None:
        assert report.determination is not True and not report.proven, (told, report)
        return outcome(False)
    formal = check(prepared, None, "\n".join(plan), time_limit=_SECONDS)
    assert report.determination is formal.determination, (told, report, formal)
    assert [str(one) for one in report.failures] == [str(one) for one in formal.failures], (told, report, formal)
    if report.proven and formal.proven:  # which a limit may have left open of one of them
        changes = [sum(bool(diff.diff_type) for diff in one.plan_diff_obj) for one in (report, formal)]
        assert changes[0] == changes[1], (told, report, formal)
    worded = in_words(report, prepared.lexicon)
    assert [str(diff)[:1] for diff in worded.plan_diff_obj] == [str(diff)[:1] for diff in report.plan_diff_obj], told
    if report.repaired_plan:
        repaired = "".join(f"{step}\n" for step in worded.repaired_plan or ())
        assert _read(repaired, prepared) == [str(step).lower() for step in report.repaired_plan], (told, repaired)
        kept = [str(diff.step) for diff in worded.plan_diff_obj if str(diff)[:1] != "-"]
        assert kept == repaired.splitlines(), (told, worded)
    return outcome(report.proven)


# --- a stream of lines -------------------------------------------------------------------------------


_REMARKS = ("", " ; as planned", " ; then the next")


def _stream(seed: int) -> Iterator[str]:
    """Tell what happens in lines of one or two steps, and execute the rest after each."""
    draw = Random(f"stream {seed}")
    if (case := _case(draw, seed)) is None:
        return
    texts, oracle, _ = case
    known = {str(step) for step in oracle.steps}
    walk = wrong_walk(oracle, draw, draw.randint(1, 4), draw.choice((0, 1)), to_goal=True)
    plan = [step for step in walk if step in known]
    state, lines, expected = oracle.init, list[str](), [(list(plan), oracle.init)]
    rest = list(plan)
    for _ in range(draw.randint(1, 4)):
        steps = list[str]()
        for _ in range(draw.randint(1, 2)):
            ways = oracle.successors(state)
            if not ways:
                break
            planned = [each for each in ways if rest and str(each[0]) == rest[0]]
            step, state, _ = draw.choice(planned or ways)
            steps.append(str(step))
            rest = rest[1:] if rest and str(step) == rest[0] else rest
            expected.append((list(rest), state))
        if steps:  # behind a semicolon that no step follows at once all is a remark
            lines.append(";".join(steps) if draw.random() < 0.4 else f"{' '.join(steps)}{draw.choice(_REMARKS)}")
    with TemporaryDirectory() as name:
        files = [Path(name) / part for part in ("d.pddl", "p.pddl", "x.plan")]
        for file, text in zip(files, (*texts, "\n".join(plan) or "; empty plan"), strict=True):
            file.write_text(text)
        out, options = StringIO(), ("--follow", "--no-repair", "--format", "json")
        with patch("sys.stdin", StringIO("".join(f"{line}\n" for line in lines))), redirect_stdout(out):
            code = main(["check", *map(str, files), *options])
    events = list(map(json.loads, out.getvalue().splitlines()))
    told = (texts, plan, lines, events)
    assert len(events) == len(expected), (told, expected)
    for event, (left, now) in zip(events, expected, strict=True):
        end = Oracle(*texts, now).run(left)
        assert event["determination"] is (end is not None and oracle.is_goal(end[0])), (told, event, left)
        assert [step.lower() for step in event["rest"]] == [step.lower() for step in left], (told, event, left)
        yield outcome(event["proven"])
    assert code == (0 if events[-1]["determination"] else 1), told


# --- one edit of the domain --------------------------------------------------------------------------


def _suspected(seed: int) -> Iterator[str]:
    """Ask which one edit of the domain makes a plan valid, and execute the plan on each such domain."""
    draw = Random(f"suspected {seed}")
    if not has_solver() or (case := _case(draw, seed)) is None:
        return
    texts, oracle, _ = case
    plan = wrong_walk(oracle, draw, draw.randint(1, 4), draw.choice((0, 1, 1)), to_goal=True)
    end = oracle.run(plan)
    if not plan or (end is not None and oracle.is_goal(end[0])):
        return
    found = suspicion(*texts, ["\n".join(plan)])
    if not found:
        yield outcome(False)
        return
    repair = repair_model(*texts, "\n".join(plan), alternatives=199)
    told = (texts, plan, found)
    named = [one for one in (repair, *repair.alternatives) if len(one.edits) == 1 and said(one.edits[0]) in found]
    assert named, told
    for one in named:
        mended = Oracle(one.domain_text, texts[1])
        end = mended.run(plan)
        assert end is not None and mended.is_goal(end[0]), (told, one)
    yield outcome(True)


_FILLED = "all templates filled in with all names"

KINDS = (
    Kind(name="plans in words", against=_FILLED, attack=_words, share=8),
    Kind(name="streams of several steps a line", against="execution from each state", attack=_stream, share=4),
    Kind(name="one edit of a suspected domain", against="execution on the edited domain", attack=_suspected, share=3),
)
