"""Attacks on what a user is told: files to the command line, with options and formats drawn together, and the service.

Each report is read from what was printed: the exit code, the verdict, the flags, the faults, and the diff, which is
applied to the plan's file by the command for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, Oracle, State, random_case
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.naive_flow import FlowReference
from tests.support.naive_reference import Reference, parse
from tests.support.output_schemas import read_github, read_junit, read_sarif
from tests.support.random_beyond import flowing, sequential, timed
from tests.support.random_schemas import Texts, random_schema
from tests.support.random_worlds import random_world, states_of, wrong_walk
from validator.cli import main
from validator.service.operations.operations import operate

__all__ = ["KINDS"]

_MOST_STATES = 400

_FORMATS = ("text", "markdown", "html", "sarif", "junit", "github")

_CODES: Mapping[bool | None, int] = {True: 0, False: 1, None: 3}


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """A question on the command line: the files by name, and the options beside them."""

    texts: Texts
    plan: str
    quality: str
    options: tuple[str, ...]
    is_repaired: bool

    def answer(self, folder: Path, *options: str) -> tuple[int, str]:
        """Return the exit code and what is printed."""
        names = ("d.pddl", "p.pddl", "x.plan")
        for name, text in zip(names, (*self.texts, self.plan), strict=True):
            (folder / name).write_text(text)
        files = [str(folder / name) for name in names]
        repair = () if self.is_repaired else ("--no-repair",)
        return _run("check", *files, "--quality", self.quality, *self.options, *repair, *options)


def _run(*words: str) -> tuple[int, str]:
    out, wrong = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(wrong):
        code = main(list(words))
    assert code in (0, 1, 3), (words, code, wrong.getvalue())
    return code, out.getvalue()


# --- classical models --------------------------------------------------------------------------------


def _case(seed: int, draw: Random) -> tuple[Texts, Oracle, list[str]] | None:
    prices = (CHEAP, DEAR)[seed // 3 % 2]
    if seed % 3 == 0:
        domain, problem, plan = random_case(MODELS[seed // 3 % 4], seed, prices)
        return (domain, problem), Oracle(domain, problem), plan
    texts = (random_schema, random_world)[seed % 3 - 1](seed, prices)
    oracle = Oracle(*texts)
    if states_of(oracle, _MOST_STATES) is None:
        return None
    return texts, oracle, wrong_walk(oracle, draw, draw.randint(0, 5), draw.choice((0, 1, 2)), to_goal=seed % 2 == 0)


def _checks(seed: int) -> Iterator[str]:
    """Ask for a plan or the rest of one, with any options, in JSON and in another format, and apply the diff."""
    draw = Random(f"told {seed}")
    if (case := _case(seed, draw)) is None:
        return
    texts, oracle, plan = case
    executed, here = draw.randint(0, len(plan)) if draw.random() < 0.4 else 0, oracle
    quality, policy = draw.choice(("sound", "valid", "optimal")), draw.choice(("edits", "edits", "keep"))
    with TemporaryDirectory() as name:
        folder, options = Path(name), ["--policy", policy, "--strict"]
        if executed:
            options += ["--executed", str(executed)]
            begun = _under_way(texts, oracle, plan[:executed], draw, folder, options)
            if begun is None:
                return
            here = begun
        options += [word for some in _OPTIONS if draw.random() < 0.3 for word in some]
        options += ["--cache", str(folder / "kept")] if draw.random() < 0.3 else []
        options += ["--trace"] if draw.random() < 0.3 and not executed else []
        asked = _Asked(
            texts=texts,
            plan=_written(plan, draw),
            quality=quality,
            options=tuple(options),
            is_repaired=draw.random() < 0.85,
        )
        value = _compared(asked, here, plan[executed:], policy, folder, executed)
        _compare_formats(asked, here, plan[executed:], value, folder, draw.choice(_FORMATS), executed)
    yield outcome(value["proven"])


_OPTIONS = (("--explain",), ("--unified", "0"), ("--unified", "1"), ("--dialect", "pddl"), ("--strict-pddl",))


def _under_way(
    texts: Texts, oracle: Oracle, happened: Sequence[str], draw: Random, folder: Path, options: list[str]
) -> Oracle | None:
    """Return the oracle of what is to come, and say what is not as planned; None where the first steps fail."""
    end = oracle.run(happened)
    if end is None:
        return None
    state: State = end[0]
    if draw.random() < 0.5:
        derived = {rule[1][0] for rule in oracle.reference.derived}
        seen = [atom for step in oracle.steps for atom in _changed(oracle, state, step.name) if atom[0] not in derived]
        flipped = set(draw.sample(sorted(set(seen)), min(len(set(seen)), draw.randint(1, 2))))
        if flipped:
            lines = [f"(not ({' '.join(atom)}))" if atom in state else f"({' '.join(atom)})" for atom in flipped]
            (folder / "now").write_text("\n".join(lines))
            options += ["--changes", str(folder / "now")]
            state = state ^ flipped
    found = Oracle(*texts, state)
    found.begun = Fraction(0)  # what was paid before belongs to what has happened
    return found


def _changed(oracle: Oracle, state: State, name: str) -> frozenset[tuple[str, ...]]:
    """Return the atoms that a step of some name would change."""
    return frozenset(atom for step, after, _ in oracle.successors(state) if step.name == name for atom in after ^ state)


def _written(plan: Sequence[str], draw: Random) -> str:
    """Return a plan as planners and people write it: with comments, empty lines, a cost."""
    lines = []
    for line in plan:
        lines += ["; a remark"] if draw.random() < 0.1 else []
        lines += [""] if draw.random() < 0.1 else []
        lines.append(draw.choice((line, line, line.upper(), f"  {line}", f"{line} ; here")))
    lines += ["; cost = 3 (unit cost)"] if draw.random() < 0.2 or not lines else []
    return "\n".join(lines) + draw.choice(("\n", "", "\n\n"))


def _compared(
    asked: _Asked, oracle: Oracle, plan: Sequence[str], policy: str, folder: Path, executed: int
) -> dict[str, Any]:
    """Compare the report in JSON with the oracle, and what the diff makes of the plan's file."""
    code, printed = asked.answer(folder, "--format", "json")
    value = json.loads(printed)
    nearest = oracle.nearest(plan, asked.quality, "edits" if asked.quality == "optimal" else policy, 1)
    nothing = (Fraction(0), Fraction(0))
    end = oracle.run(plan)
    is_sound = end is not None
    has = is_sound and (asked.quality == "sound" or oracle.is_goal(end[0]))  # type: ignore[index]
    own = None if end is None else sum(end[1]) + oracle.begun
    if asked.quality == "optimal":
        has = has and nearest is not None and own == nearest[0]
    told = (asked, plan, value, nearest)
    assert code == _CODES[value["determination"]], (told, code)
    assert value["determination"] in ((has,) if asked.quality != "optimal" else (has, None)), (told, has)
    assert value["report_type"] == asked.quality and value["is_understood"], told
    assert not is_sound or value["cost"] is None or Fraction(str(value["cost"])) == own, (told, own)
    assert not (value["planner_response"]["no_solution"] and nearest is not None), told
    if asked.quality != "optimal":
        assert (nearest == nothing) is has, told  # the oracle with itself
    if value["repaired_plan"] is None:
        is_proven = value["proven"] and value["determination"] is False and asked.is_repaired
        assert not (is_proven and nearest is not None), told
        assert not value["plan_diff_obj"] and not value["plan_diff_str"] and not value["explanations"], told
        return value  # type: ignore[no-any-return]
    assert asked.is_repaired and value["determination"] is False and nearest is not None, told
    repaired = value["repaired_plan"]
    _compare_repair(oracle, repaired[executed:], asked.quality, value, told)
    changes = [diff for diff in value["plan_diff_obj"] if diff["diff_type"]]
    signs = [diff["diff_type"] for diff in changes]
    if value["proven"] and asked.quality == "optimal":
        assert Fraction(str(value["repaired_cost"])) == nearest[0] and len(changes) == nearest[1], told
    elif value["proven"]:
        assert (len(changes) if policy == "edits" else signs.count("-")) == nearest[0], told
    if "--explain" in asked.options:
        _compare_explanations(value, changes, policy, asked.quality, told)
    (folder / "x.diff").write_text(value["plan_diff_str"])
    assert _run("apply", str(folder / "x.diff"), str(folder / "x.plan")) == (0, _lines(repaired)), told
    return value  # type: ignore[no-any-return]


def _compare_repair(oracle: Oracle, steps: Sequence[str], quality: str, value: Mapping[str, Any], told: object) -> None:
    end = oracle.run(steps)
    assert end is not None and (quality == "sound" or oracle.is_goal(end[0])), told
    cost = sum(end[1]) + oracle.begun
    assert value["repaired_cost"] is None or abs(Fraction(str(value["repaired_cost"])) - cost) < 1e-9, (told, cost)


def _compare_explanations(
    value: Mapping[str, Any], changes: Sequence[Mapping[str, Any]], policy: str, quality: str, told: object
) -> None:
    """Compare what each change is said to be for: without it, the nearest plan would not do."""
    said = value["explanations"]
    assert len(said) == len(changes), told
    for sentence, change in zip(said, changes, strict=True):
        assert sentence.startswith(f"{change['diff_type']}{change['step']} "), (told, sentence)
        is_idle = "the plan costs more" in sentence
        assert not (is_idle and value["proven"] and policy == "edits" and quality != "optimal"), (told, sentence)


def _lines(steps: Sequence[str]) -> str:
    return "".join(f"{step}\n" for step in steps)


# --- formats -----------------------------------------------------------------------------------------


def _compare_formats(
    asked: _Asked,
    oracle: Oracle,
    plan: Sequence[str],
    value: Mapping[str, Any],
    folder: Path,
    form: str,
    executed: int,
) -> None:
    """Compare another format with the report in JSON; what it says of a repair is executed."""
    code, printed = asked.answer(folder, "--format", form)
    told = (asked, form, printed, value)
    if value["proven"]:  # else more may be known now
        assert code == _CODES[value["determination"]], told
        _compare_form(form, printed, value, asked, told)
    if form == "text" and "\n--- plan\n" in printed:
        (folder / "x.diff").write_text(printed)
        applied, text = _run("apply", str(folder / "x.diff"), str(folder / "x.plan"))
        steps = text.splitlines()[executed:]
        end = oracle.run(steps)
        assert applied == 0 and end is not None, (told, text)
        assert asked.quality == "sound" or oracle.is_goal(end[0]), (told, text)
        if value["proven"] and "plan (proven): " in printed and "--policy edits" in " ".join(asked.options):
            number = re.search(r"(\d+) changed line", printed)
            assert number is not None and int(number[1]) == _distance(plan, steps), (told, text)


def _compare_form(form: str, printed: str, value: Mapping[str, Any], asked: _Asked, told: object) -> None:
    """Compare the verdict, the flags and the faults that a format tells."""
    word = {True: asked.quality.upper(), False: f"NOT {asked.quality.upper()}", None: "UNKNOWN"}[value["determination"]]
    messages = [failure["message"] for failure in value["failures"]]
    is_repaired = value["repaired_plan"] is not None
    match form:
        case "text" | "markdown":
            assert re.match(rf"\**{word}\**(:|\n)", printed), (told, word)
            assert ("plan (proven): " in printed) is is_repaired, told
            plain = printed.replace("\\", "")
            assert all(message in plain for message in messages), (told, messages)
        case "html":
            assert f"</span> {word}</strong>" in printed, (told, word)
            assert ("plan (proven): " in printed) is is_repaired and "not proven nearest" not in printed, told
        case "sarif":
            properties = json.loads(printed)["runs"][0]["properties"]
            for name in ("determination", "report_type", "proven", "is_understood"):
                assert properties[name] == value[name], (told, name)
            results = [result for result in read_sarif(printed) if result["level"] == "error"]
            assert [each["message"]["text"] for each in results] == _faults(value, messages), (told, results)
            assert any("fixes" in each for each in results) is is_repaired, told
        case "junit":
            suite = read_junit(printed)
            counts = {name: int(suite.attrib[name]) for name in ("failures", "errors")}
            wanted = {"failures": value["determination"] is False, "errors": value["determination"] is None}
            assert counts == wanted, (told, counts)
        case "github":
            found = [message for level, _, message in read_github(printed) if level == "error"]
            assert found == _faults(value, messages), (told, found)


def _faults(value: Mapping[str, Any], messages: Sequence[str]) -> list[str]:
    if value["determination"] is False and not messages:
        return [value["reason"]]  # a cheaper plan exists
    return list(messages)


def _distance(plan: Sequence[str], other: Sequence[str]) -> int:
    """Return the fewest insertions and deletions, by the textbook's recursion."""
    row = list(range(len(other) + 1))
    for number, line in enumerate(plan, 1):
        above, row = row, [number]
        for place, new in enumerate(other, 1):
            row.append(above[place - 1] if line == new else 1 + min(above[place], row[-1]))
    return row[-1]


# --- beyond classical planning -----------------------------------------------------------------------

_BEYOND: tuple[tuple[Callable[[int], Any], type[Reference]], ...] = (
    (sequential, Reference),
    (timed, Reference),
    (flowing, FlowReference),
)


def _beyond(seed: int) -> Iterator[str]:
    """Tell of plans with numbers, over time, with constraints and continuous change in every format."""
    draw = Random(f"told beyond {seed}")
    sample, reference = _BEYOND[seed % 3]
    case = sample(seed)
    expected = reference(case.domain, case.problem).verdict(case.plan)
    asked = _Asked(
        texts=(case.domain, case.problem),
        plan=case.plan + draw.choice(("\n", "")),
        quality="valid",
        options=("--strict", *(("--trace",) if draw.random() < 0.3 else ())),
        is_repaired=False,
    )
    with TemporaryDirectory() as name:
        folder = Path(name)
        code, printed = asked.answer(folder, "--format", "json")
        value = json.loads(printed)
        has = None if expected is None else expected[0]
        assert value["determination"] is has and code == _CODES[has], (asked, value, has)
        assert value["proven"] is (has is not None), (asked, value)
        for form in _FORMATS:
            code, printed = asked.answer(folder, "--format", form)
            assert code == _CODES[has], (asked, form, code)
            _compare_form(form, printed, value, asked, (asked, form, printed, value))
    yield outcome(has is not None)


# --- the service -------------------------------------------------------------------------------------


def _service(seed: int) -> Iterator[str]:
    """Send a request with any fields, to a check or to its page, and compare the answer."""
    draw = Random(f"told by the service {seed}")
    if (case := _case(seed, draw)) is None:
        return
    texts, oracle, plan = case
    quality, policy = draw.choice(("sound", "valid", "optimal")), draw.choice(("edits", "edits", "keep"))
    request: dict[str, Any] = {"domain": texts[0], "problem": texts[1], "quality": quality, "policy": policy}
    request |= {"plan": draw.choice((_written(plan, draw), plan or "; empty")), "strict": True}
    request |= {name: True for name in ("explain", "states", "trace") if draw.random() < 0.4}
    request |= {"context": draw.randint(0, 2)} if draw.random() < 0.3 else {}
    request |= {"repair": False} if draw.random() < 0.15 else {}
    value = operate(draw.choice(("validations", "validations", "check-page")), request)
    end, nearest = oracle.run(plan), oracle.nearest(plan, quality, "edits" if quality == "optimal" else policy, 1)
    has = end is not None and (quality == "sound" or oracle.is_goal(end[0]))
    if quality == "optimal":
        has = has and nearest is not None and sum(end[1]) + oracle.begun == nearest[0]  # type: ignore[index]
    told = (request, value, nearest)
    assert value["determination"] in ((has,) if quality != "optimal" else (has, None)), (told, has)
    said = {True: f"The plan is {quality}.", False: f"The plan is not {quality}.", None: "Whether the plan"}
    assert value["feedback"].startswith(said[value["determination"]]), told
    if value["repaired_plan"] is not None:
        _compare_repair(oracle, value["repaired_plan"], quality, value, told)
        changes = [diff["diff_type"] for diff in value["plan_diff_obj"] if diff["diff_type"]]
        number = changes.count("-") if (policy, quality) in (("keep", "sound"), ("keep", "valid")) else len(changes)
        assert nearest is not None, told
        assert not value["proven"] or number == nearest[quality == "optimal"], told
        assert ("The nearest plan that is:" in value["feedback"]) is value["proven"], told
        applied = operate("diffs", {"plan": "\n".join(plan) or "; empty", "diff": value["plan_diff_str"]})
        assert applied["plan"] == value["repaired_plan"], (told, applied)
    else:
        is_proven = value["proven"] and value["determination"] is False and request.get("repair", True)
        assert not (is_proven and nearest is not None), told
    if request.get("states"):
        _compare_states(oracle, plan, value, told)
    yield outcome(value["proven"])


def _compare_states(oracle: Oracle, plan: Sequence[str], value: Mapping[str, Any], told: object) -> None:
    """Compare what each step is said to change, which is nothing for one at fault, and which goals are said to hold."""
    state, said = oracle.init, value["states"]
    assert [each["step"] for each in said] == list(plan), told
    for line, change in zip(plan, said, strict=True):
        after = next((after for step, after, _ in oracle.successors(state) if str(step) == line), state)
        added = {f"({' '.join(atom)})" for atom in after - state}
        deleted = {f"({' '.join(atom)})" for atom in state - after}
        assert set(change["added"]) == added and set(change["deleted"]) == deleted, (told, line)
        state = after
    holds = [goal["holds"] for goal in value["goals"]]
    assert all(holds) is oracle.is_goal(state), (told, state)
    for goal in value["goals"]:
        if "(forall" not in goal["goal"] and "(exists" not in goal["goal"]:  # which are told without their types
            assert goal["holds"] is oracle.has(parse(goal["goal"]), state), (goal, value["goals"], told)


_DIJKSTRA = "Dijkstra over states and places of the plan"

KINDS = (
    Kind(name="command line: options, formats", against=_DIJKSTRA, attack=_checks, share=8),
    Kind(name="command line: numbers, time, formats", against="a second executor", attack=_beyond, share=5),
    Kind(name="service: fields of a request", against=_DIJKSTRA, attack=_service, share=6),
)
