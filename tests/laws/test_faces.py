"""What users are told: files to the command line with options and formats, requests to the service, VAL's words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import assume

from tests.support.edit_oracle import Oracle
from tests.support.laws import Case, case_of, command, has_quality, law, text_of
from tests.support.naive_flow import FlowReference
from tests.support.naive_reference import Reference, parse
from tests.support.output_schemas import read_github, read_junit, read_sarif
from tests.support.random_nonclassical import flowing, sequential, timed
from validator import Quality
from validator.service.operations.operations import operate

FORMATS = ("text", "markdown", "html", "sarif", "junit", "github")
CODES: Mapping[bool | None, int] = {True: 0, False: 1, None: 3}
OPTIONS = (("--explain",), ("--unified", "0"), ("--unified", "1"), ("--dialect", "pddl"), ("--strict-pddl",))


def written(plan: Sequence[str], draw: Random) -> str:
    """Return a plan as planners and people write it: with comments, empty lines, a cost."""
    lines = []
    for line in plan:
        lines += ["; a remark"] if draw.random() < 0.1 else []
        lines += [draw.choice((line, line, line.upper(), f"  {line}", f"{line} ; here", f"\n{line}"))]
    lines += ["; cost = 3 (unit cost)"] if draw.random() < 0.2 or not lines else []
    return "\n".join(lines) + draw.choice(("\n", "", "\n\n"))


def files_of(folder: Path, texts: Sequence[str]) -> list[Path]:
    """Write a domain, a problem and a plan."""
    files = [folder / name for name in ("d.pddl", "p.pddl", "x.plan")]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    return files


# --- the command line ------------------------------------------------------------------------------


@law(5)
def test_reports_of_the_command_line_are_those_of_dijkstra_in_every_format(seed: int) -> None:
    """Of a plan or the rest of one, with any options; the diff is applied by the command for it."""
    case = case_of(seed)
    draw, plan = case.draw, case.walk(5)
    executed = draw.randint(0, len(plan)) if draw.random() < 0.4 else 0
    quality, policy = draw.choice(list(Quality)), draw.choice(("edits", "edits", "keep"))
    is_repaired, form = draw.random() < 0.85, draw.choice(FORMATS)
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = files_of(folder, (*case.texts, written(plan, draw)))
        words: list[Any] = ["check", *files, "--strict", "--quality", quality.value, "--nearest", policy]
        words += [word for some in OPTIONS if draw.random() < 0.3 for word in some]
        words += [] if is_repaired else ["--no-repair"]
        words += ["--timeline"] if draw.random() < 0.3 and not executed else []
        here = under_way(case, plan[:executed], folder, words) if executed else case.oracle
        code, printed = command(*words, "--format", "json")
        value, rest = json.loads(printed), plan[executed:]
        told = (case.texts, words, plan, value)
        assert code == CODES[value["determination"]] and value["is_understood"], (told, code)
        compare(value, here, rest, quality, policy, executed, told, is_repaired=is_repaired)
        if "--explain" in words and value["repaired_plan"] is not None:
            compare_explanations(value, policy, quality, told)
        if value["repaired_plan"] is not None:
            (folder / "x.diff").write_text(value["plan_diff_str"])
            applied = command("apply", folder / "x.diff", files[2])
            assert applied == (0, text_of(value["repaired_plan"]) if value["repaired_plan"] else ""), (told, applied)
        code, printed = command(*words, "--format", form)
        if value["proven"]:  # else more may be known now
            assert code == CODES[value["determination"]], (told, form)
            compare_form(form, printed, value, quality.value, (told, printed))
        if form == "text" and "\n--- plan\n" in printed:
            (folder / "x.diff").write_text(printed)
            code, text = command("apply", folder / "x.diff", files[2])
            wanted = Quality.SOUND if quality is Quality.SOUND else Quality.VALID
            assert code == 0 and has_quality(here, text.splitlines()[executed:], wanted), (told, text)


def under_way(case: Case, happened: Sequence[str], folder: Path, words: list[Any]) -> Oracle:
    """Return the oracle of what is to come, and say what is not as planned."""
    oracle, draw, end = case.oracle, case.draw, case.oracle.run(happened)
    assume(end is not None)
    state = end[0] if end else oracle.init
    words += ["--executed", len(happened)]
    derived = {rule[1][0] for rule in oracle.reference.derived}
    atoms = {atom for _, after, _ in oracle.successors(state) for atom in after ^ state if atom[0] not in derived}
    flipped = set(draw.sample(sorted(atoms), min(len(atoms), draw.randint(0, 2))))
    if flipped:
        lines = [f"(not ({' '.join(atom)}))" if atom in state else f"({' '.join(atom)})" for atom in flipped]
        (folder / "now").write_text("\n".join(lines))
        words += ["--changes", folder / "now"]
    found = Oracle(*case.texts, state ^ flipped)
    found.begun = Fraction(0)  # what was paid before belongs to what has happened
    return found


def compare(
    value: Mapping[str, Any],
    oracle: Oracle,
    plan: Sequence[str],
    quality: Quality,
    policy: str,
    executed: int,
    told: object,
    *,
    is_repaired: bool,
) -> None:
    """Compare a report in JSON with the oracle."""
    is_cheapest = quality is Quality.OPTIMAL
    nearest = oracle.nearest(plan, quality.value, "edits" if is_cheapest else policy, 1)
    has, end, told = has_quality(oracle, plan, quality), oracle.run(plan), (told, nearest)
    assert value["determination"] in ((has, None) if is_cheapest else (has,)), (told, has)
    if end is not None and value.get("cost") is not None:
        assert Fraction(str(value["cost"])) == sum(end[1]) + oracle.begun, told
    if value["repaired_plan"] is None:
        is_proven = value["proven"] and value["determination"] is False and is_repaired
        assert not (is_proven and nearest is not None) and not value["plan_diff_obj"], told
        return
    assert is_repaired and value["determination"] is False and nearest is not None, told
    repaired = value["repaired_plan"][executed:]
    assert has_quality(oracle, repaired, Quality.SOUND if quality is Quality.SOUND else Quality.VALID), told
    paid = sum(oracle.run(repaired)[1]) + oracle.begun  # type: ignore[index]
    assert value["repaired_cost"] is None or abs(Fraction(str(value["repaired_cost"])) - paid) < 1e-9, (told, paid)
    signs = [diff["diff_type"] for diff in value["plan_diff_obj"] if diff["diff_type"]]
    changed = len(signs) if policy == "edits" or is_cheapest else signs.count("-")
    if value["proven"]:
        assert changed == nearest[1 if is_cheapest else 0] and (not is_cheapest or paid == nearest[0]), told


def compare_explanations(value: Mapping[str, Any], policy: str, quality: Quality, told: object) -> None:
    """Compare what each change is said to be for: without it, the nearest plan would not do."""
    lines = value["plan_diff_obj"]
    sides = {sign: [diff for diff in lines if diff["diff_type"] in (None, sign)] for sign in "+-"}
    changes = [diff for diff in lines if diff["diff_type"]]
    for sentence, change in zip(value["explanations"], changes, strict=True):
        sign = change["diff_type"]
        number = 1 + next(place for place, diff in enumerate(sides[sign]) if diff is change)
        assert sentence.startswith(f"{sign}{number} {change['step']} "), (told, sentence)
        is_idle = "the plan costs more" in sentence
        assert not (is_idle and value["proven"] and policy == "edits" and quality is not Quality.OPTIMAL), told


def compare_form(form: str, printed: str, value: Mapping[str, Any], quality: str, told: object) -> None:
    """Compare the verdict, the flags and the faults that a format tells."""
    word = {True: quality.upper(), False: f"NOT {quality.upper()}", None: "UNKNOWN"}[value["determination"]]
    messages = [failure["message"] for failure in value["failures"]]
    is_repaired = value["repaired_plan"] is not None
    faults = messages or ([value["reason"]] if value["determination"] is False else [])  # a cheaper plan exists
    match form:
        case "text" | "markdown":
            assert re.match(rf"\**{word}\**(:|\n)", printed), (told, word)
            assert ("plan (proven): " in printed) is is_repaired, told
            assert all(message in printed.replace("\\", "") for message in messages), (told, messages)
        case "html":
            assert f"</span> {word}</strong>" in printed, (told, word)
            assert ("plan (proven): " in printed) is is_repaired and "not proven nearest" not in printed, told
        case "sarif":
            properties = json.loads(printed)["runs"][0]["properties"]
            for name in ("determination", "report_type", "proven", "is_understood"):
                assert properties[name] == value[name], (told, name)
            results = [result for result in read_sarif(printed) if result["level"] == "error"]
            assert [each["message"]["text"] for each in results] == faults, (told, results)
            assert any("fixes" in each for each in results) is is_repaired, told
        case "junit":
            counts = {name: int(read_junit(printed).attrib[name]) for name in ("failures", "errors")}
            assert counts == {"failures": value["determination"] is False, "errors": value["determination"] is None}, (
                told
            )
        case "github":
            assert [message for level, _, message in read_github(printed) if level == "error"] == faults, told


BEYOND: tuple[tuple[Callable[[int], Any], type[Reference]], ...] = (
    (sequential, Reference),
    (timed, Reference),
    (flowing, FlowReference),
)


@law(3)
def test_plans_with_numbers_and_over_time_are_told_in_every_format(seed: int) -> None:
    draw, (sample, reference) = Random(seed), BEYOND[seed % 3]
    case = sample(seed)
    expected = reference(case.domain, case.problem).verdict(case.plan)
    has = None if expected is None else expected[0]
    with TemporaryDirectory() as name:
        files = files_of(Path(name), (case.domain, case.problem, case.plan))
        words = ["check", *files, "--no-repair", "--strict", *(("--timeline",) if draw.random() < 0.3 else ())]
        code, printed = command(*words, "--format", "json")
        value = json.loads(printed)
        assert (value["determination"], code, value["proven"]) == (has, CODES[has], has is not None), (case, value)
        for form in FORMATS:
            code, printed = command(*words, "--format", form)
            assert code == CODES[has], (case, form, code)
            compare_form(form, printed, value, "valid", (case, form, printed, value))


# --- the service -----------------------------------------------------------------------------------


@law(5)
def test_answers_of_the_service_are_those_of_dijkstra_whatever_the_fields(seed: int) -> None:
    texts, oracle, _, draw = case = case_of(seed)
    plan, quality, policy = case.walk(5), draw.choice(list(Quality)), draw.choice(("edits", "edits", "keep"))
    request: dict[str, Any] = {"domain": texts[0], "problem": texts[1], "quality": quality.value, "nearest": policy}
    request |= {"plan": draw.choice((written(plan, draw), plan or "; empty")), "strict": True}
    request |= {name: True for name in ("explain", "states", "trace") if draw.random() < 0.4}
    request |= {"context": draw.randint(0, 2)} if draw.random() < 0.3 else {}
    request |= {"repair": False} if draw.random() < 0.15 else {}
    value = operate("validations", request)
    compare(value, oracle, plan, quality, policy, 0, (request, value), is_repaired=request.get("repair", True))
    told = (request, value)
    said = {True: f"The plan is {quality.value}.", False: f"The plan is not {quality.value}.", None: "Whether the plan"}
    assert value["feedback"].startswith(said[value["determination"]]), told
    if value["repaired_plan"] is not None:
        assert (f"The nearest {quality.value} plan:" in value["feedback"]) is value["proven"], told
        applied = operate("diffs", {"plan": "\n".join(plan) or "; empty", "diff": value["plan_diff_str"]})
        assert applied["plan"] == value["repaired_plan"], (told, applied)
    if request.get("states"):
        compare_states(oracle, plan, value, told)


def compare_states(oracle: Oracle, plan: Sequence[str], value: Mapping[str, Any], told: object) -> None:
    """Compare what each step is said to change, which is nothing for one at fault, and which goals are said to hold."""
    state = oracle.init
    for line, change in zip(plan, value["states"], strict=True):
        after = next((after for step, after, _ in oracle.successors(state) if str(step) == line), state)
        added, deleted = ({f"({' '.join(atom)})" for atom in atoms} for atoms in (after - state, state - after))
        assert change["step"] == line and set(change["added"]) == added and set(change["deleted"]) == deleted, told
        state = after
    assert all(goal["holds"] for goal in value["goals"]) is oracle.is_goal(state), told
    for goal in value["goals"]:
        if "(forall" not in goal["goal"] and "(exists" not in goal["goal"]:  # which are told without their types
            assert goal["holds"] is oracle.has(parse(goal["goal"]), state), (goal, told)


# --- in VAL's place --------------------------------------------------------------------------------

Told = tuple[bool, Fraction | None]
"""whether a plan is valid, and its value; None where the definitions leave it open"""


@law(5)
def test_in_the_place_of_val_plans_have_the_values_of_a_second_executor(seed: int) -> None:
    domain, problem, plans = (with_numbers if seed % 2 else of_steps)(seed)
    with TemporaryDirectory() as named:
        folder = Path(named)
        names = [folder / f"{number}.plan" for number in range(len(plans))]
        for file, text in zip(
            (folder / "d", folder / "p", *names), (domain, problem, *(text for text, _ in plans)), strict=True
        ):
            file.write_text(text)
        code, told = command("val-compat", folder / "d", folder / "p", *names)
        short_code, short = command("val-compat", "-S", folder / "d", folder / "p", *names)
    answers, about = [answer for _, answer in plans], (domain, problem, plans, told, short)
    failed = sum(not is_valid for is_valid, _ in answers)
    assert (code, short_code) == (failed, failed), about
    for printed, (is_valid, value) in zip(short.splitlines(), answers, strict=True):
        assert (printed == "failed") is not is_valid and (not is_valid or is_value(printed, value)), about
    parts = re.split(r"^Checking plan: (.*)$", told.partition("\nSuccessful plans:")[0], flags=re.MULTILINE)
    assert parts[1::2] == list(map(str, names)), about
    for (is_valid, value), part in zip(answers, parts[2::2], strict=True):
        values = re.findall(r"^Final value: (\S+) $", part, re.MULTILINE)
        assert bool(values) is is_valid is ("Plan valid" in part), about
        assert not values or is_value(values[0], value), about
    # The list at the end has the better plans first where costs are minimised.
    listed = told.partition("\nSuccessful plans:")[2].partition("\n\nFailed plans:")[0].split("\nValue: ")[1:]
    found = [(name, Fraction(part.split("\n")[0])) for part in listed for name in re.findall(r"(\S+\.plan) ", part)]
    valid = [str(name) for name, (is_valid, _) in zip(names, answers, strict=True) if is_valid]
    assert sorted(name for name, _ in found) == valid, about
    values_in_order = [value for _, value in found]
    assert values_in_order == sorted(values_in_order, reverse="(:metric minimize" not in problem), about


def is_value(printed: str, value: Fraction | None) -> bool:
    return value is None or abs(Fraction(printed.strip()) - value) <= abs(value) / 10**9


def with_numbers(seed: int) -> tuple[str, str, list[tuple[str, Told]]]:
    """Return a model with numbers, preferences and constraints, and plans of it."""
    case, draw, plans = sequential(seed), Random(f"values {seed}"), []
    for _ in range(draw.randint(1, 4)):
        lines = [line for line in case.plan.splitlines() if draw.random() < 0.8]
        text = "\n".join(draw.sample(lines, len(lines))) or "; empty plan"
        told = Reference(case.domain, case.problem).verdict(text)
        assume(told is not None and not (told[0] and told[1] is None and "(:metric" in case.problem))
        has, cost = told[:2] if told else (False, None)
        plans.append((text, (has, Fraction(len(lines)) if cost is None else cost)))
    return case.domain, case.problem, plans


def of_steps(seed: int) -> tuple[str, str, list[tuple[str, Told]]]:
    case, plans = case_of(seed, "w"), []
    for _ in range(case.draw.randint(1, 4)):
        lines = case.walk(4, (0, 0, 1), 0.8)
        end = case.oracle.run(lines)
        cost = None if end is None else case.oracle.begun + sum(end[1])
        plans.append((text_of(lines), (has_quality(case.oracle, lines, Quality.VALID), cost)))
    return *case.texts, plans
