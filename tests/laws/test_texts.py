"""Plans in texts: pieces that were not understood, two plans, words of templates, streams of lines."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any

from hypothesis import assume

from tests.support.laws import Case, case_of, has_quality, judged, law, scale_of, text_of
from validator import PlanError, Quality, Report, check, prepare, why_not
from validator.checking.explain import in_words, redundant_steps, said_plan
from validator.checking.monitoring.monitor import check_rest
from validator.checking.prepared import Prepared
from validator.metrics import compare
from validator.model.pddl import read_model
from validator.reading.tokens import tokenize
from validator.reading.understood import unclear
from validator.render.text import report_markdown, report_text
from validator.render.tools.findings import Level, Source, findings
from validator.service.operations.operations import operate

PIECES = ("put the thing over there", "(fly zz qq)", "do the same again", "(zz", "grab it; then turn around")


# --- a piece that was not understood ---------------------------------------------------------------


@law(4)
def test_what_is_said_of_a_plan_with_a_piece_holds_whatever_the_piece_means(seed: int) -> None:
    texts, oracle, _, draw = case = case_of(seed, "s", 200)
    plan = case.walk(3, (0, 0, 1))
    place = draw.randint(0, len(plan))
    lines = [*plan[:place], draw.choice(PIECES), *plan[place:]]
    text = "".join(f"{number}. {line}\n" for number, line in enumerate(lines, 1))
    prepared = prepare(*texts)
    read = tokenize(text, prepared.vocabulary)
    assume(read.reading is not None and read.reading.missed and list(map(str, read.steps)) == plan)
    quality, policy = draw.choice(list(Quality)), draw.choice(("edits", "keep"))
    report = check(*texts, text, quality=quality, policy=policy, trace=draw.random() < 0.2)
    told = (texts, text, quality, report)
    assume(not any(" was read as " in each for each in report.warnings))
    assert report.repaired_plan is None and not report.plan_diff_obj, told
    if report.determination is not None:
        steps = case.known()
        meant = (each for size in range(3 if len(steps) < 15 else 2) for each in product(steps, repeat=size))
        ways = ([*plan[:place], *each, *plan[place:]] for each in meant)
        assert all(has_quality(oracle, way, quality) is report.determination for way in ways), told
    if report.determination:
        return
    assert not report.proven, told
    if report.determination is False:
        assert all(failure.step is not None and failure.step < place for failure in report.failures), told
    else:
        assert not report.is_understood and not report.failures, told
    compare_faces(case, text, quality, report)
    compare_questions(prepared, text, plan, draw)
    literal = check(*texts, text, quality=quality, policy=policy, strict=True)
    assert literal.determination is False and literal.is_understood, (told, literal)
    pieces = list(map(str, literal.reference))  # which can only be dropped
    assert [each for each in pieces if each in case.known()] == plan, (told, literal)
    judged(literal, oracle, pieces, policy, scale_of(prepared))


def compare_faces(case: Case, text: str, quality: Quality, report: Report) -> None:
    """Compare what the formats, the service and a batch tell with the report."""
    word = "UNKNOWN" if report.determination is None else f"NOT {quality.value.upper()}"
    for said in (report_text(report), report_markdown(report)):
        assert said.lstrip("*").startswith(word) and "proven" not in said, (said, report)
    levels = [finding.level for finding in findings(report, Source(name="x", text=text))]
    assert (Level.ERROR in levels) is (report.determination is False) and Level.NOTE in levels, (levels, report)
    request = {"domain": case.texts[0], "problem": case.texts[1], "plan": text, "quality": quality.value}
    value = operate("validations", {**request, "explain": True, "states": True})
    assert value["determination"] is report.determination and not value["proven"], (value, report)
    assert value["is_understood"] is report.is_understood and value["repaired_plan"] is None, value
    assert not value["explanations"] and not value.get("goals"), value
    line = json.loads(operate("record", {"line": json.dumps({"id": "one", **request}), "number": 1})["line"])
    assert line["report"]["determination"] is report.determination and not line["report"]["proven"], (line, report)


def compare_questions(prepared: Prepared, text: str, plan: Sequence[str], draw: Random) -> None:
    """Ask about a plan in other ways: each knows nothing of one that was not understood."""
    rest = check_rest(prepared, text, executed=draw.randint(0, len(plan)), quality=draw.choice(list(Quality)))
    assert rest.determination is None and not rest.proven and rest.repaired_plan is None, (text, rest)
    given: Any
    for given in ({"plan": text, "constraints": ["at most 5 _"]}, {"foil": text}):
        try:
            answer = why_not(prepared, **given)
        except PlanError:
            continue
        assert answer.possible is None and answer.foil is None and answer.best is None, (text, given, answer)
    try:
        raise AssertionError((text, redundant_steps(prepared, tokenize(text, prepared.vocabulary))))
    except PlanError:
        pass
    compared = compare([text, "\n".join(plan) or "; empty plan"], prepared)
    assert compared.plans[0].is_sound is None and compared.plans[0].is_valid is None, (text, compared)
    for name in ("states", "links", "same-states", "same-effect", "cost"):
        assert compared.pairs[0].scores[name].value is None, (text, name, compared)


@law(4)
def test_of_two_plans_the_one_that_is_said_to_be_the_answer_counts_or_what_both_are(seed: int) -> None:
    texts, oracle, _, draw = case = case_of(seed, "s", 200)
    first, second = case.walk(3, (0, 0, 1)), case.walk(3, (0, 1))
    assume(first and second and first != second)
    is_marked = draw.random() < 0.5
    head = (
        "Final plan:"
        if is_marked
        else draw.choice(("Another plan:", "Alternatively:", "or", "Option 2:", "### Plan B"))
    )
    text = f"```\n{text_of(first)}```\n\n{head}\n\n```\n{text_of(second)}```\n"
    quality, prepared = draw.choice((Quality.SOUND, Quality.VALID)), prepare(*texts)
    report = check(prepared, None, text, quality=quality)
    has = [has_quality(oracle, plan, quality) for plan in (first, second)]
    told = (texts, text, quality, has, report)
    if is_marked:
        assert report.determination in ((has[1],) if report.is_understood else (None,)), told
    else:
        assert report.determination in (has[0] if has[0] is has[1] else None, None), told
        assert report.determination is not False or not has_quality(oracle, [*first, *second], quality), told
    if report.repaired_plan is not None:
        own = second if is_marked else first
        least = oracle.nearest(own, quality.value, "edits", 1)
        changes = sum(diff.diff_type is not None for diff in report.plan_diff_obj)
        assert least is not None and has_quality(oracle, list(map(str, report.repaired_plan)), quality), told
        assert list(map(str, report.reference)) != own or not report.proven or changes == least[0], (told, least)
    if unclear(tokenize(text, prepared.vocabulary)):
        rest = check_rest(prepared, text, executed=0)
        assert rest.determination is None and not rest.proven, (told, rest)


# --- words of templates ----------------------------------------------------------------------------

VERBS = ("stack", "lift", "move", "fetch", "put", "paint", "turn on", "pick up", "hand over", "wash")
BETWEEN = ("to", "on", "from", "with", "onto", "next to", "using", "into", "at", "and")
NAMES = (
    *("red block", "blue block", "red", "block", "kitchen table", "table", "box 1", "box 2", "box 12", "Ann", "Bob"),
    *("the mug", "package 7", "big red block", "on", "to the left", "stack", "A", "B", "cup a", "room one", "C3"),
)  # fmt: skip


class Language:
    """Templates with several ways to say one thing, and names that objects share: which steps a sentence may be.

    What a sentence may mean is told by filling in all templates with all names. ``live`` are steps that some state
    allows: others may be told from these by what never holds.
    """

    def __init__(self, case: Case) -> None:
        draw, model = case.draw, read_model(*case.texts)
        objects = {
            name: draw.sample(NAMES, draw.choice((1, 1, 2))) for name in model.problem.objects if draw.random() < 0.8
        }
        actions = {
            name: [sentence(len(action.parameters), draw) for _ in range(draw.choice((1, 1, 2, 3)))]
            for name, action in model.domain.actions.items()
        }
        self.templates = {"actions": actions, "objects": objects}
        sentences = {name.lower(): texts for name, texts in actions.items()}
        names = {name.lower(): said for name, said in objects.items()}
        self.ways, self._steps = dict[str, list[str]](), defaultdict[str, set[str]](set)
        for step in {line.lower() for line in case.known()}:
            action, *args = step.strip("()").split()
            called = list(product(*((*names.get(arg, ()), arg) for arg in args)))
            filled = [fill(text, each) for text in sentences[action] for each in called]
            self.ways[step] = [step.strip("()"), *filled]
            for way in self.ways[step]:
                self._steps[plain(way)].add(step)
        self.live = {str(step).lower() for state in case.states for step, _, _ in case.oracle.successors(state)}

    def others(self, sentence: str, step: str) -> set[str]:
        """Return the other steps that a sentence may be and that some state allows."""
        return (self._steps.get(plain(sentence), set()) - {step}) & self.live


def sentence(size: int, draw: Random) -> str:
    order, is_numbered = list(range(1, size + 1)), draw.random() < 0.5
    if is_numbered:
        draw.shuffle(order)
    words = [draw.choice(VERBS)]
    for place, number in enumerate(order):
        words += [draw.choice(BETWEEN)] if place else []
        words += ["the"] if draw.random() < 0.3 else []
        words.append(f"{{{number}}}" if is_numbered else "{}")
    return " ".join((*words, *draw.choice(((), (), (), ("again",), ("carefully",)))))


def fill(text: str, names: Sequence[str]) -> str:
    waiting = iter(names)
    return re.sub(r"\{(\d*)\}", lambda hole: names[int(hole[1]) - 1] if hole[1] else next(waiting), text)


def plain(text: str) -> str:
    return " ".join(text.lower().split())


def read_in(text: str, prepared: Prepared) -> list[str] | None:
    """Return the steps that are read of a text, None where it is not understood."""
    plan = tokenize(text, prepared.vocabulary)
    return None if plan.reading is None or unclear(plan) else [str(step).lower() for step in plan.steps]


@law(5)
def test_a_sentence_is_the_one_step_that_all_templates_and_names_make_it(seed: int) -> None:
    case = case_of(seed, "sw")
    assume(len(case.oracle.steps) <= 100)
    language = Language(case)
    prepared, seen = prepare(*case.texts, templates=language.templates), dict[str, str]()
    for step in tokenize("\n".join(case.known()), prepared.vocabulary).steps:
        said, own = str(said_plan((step,), prepared.lexicon)[0]), str(step).lower()
        assert seen.setdefault(plain(said), own) == own and not language.others(said, own), (said, own, case.texts)
        assert read_in(said, prepared) == [own], (said, own, case.texts)
    for _ in range(3):
        walk = [step.lower() for step in case.walk(4, (0, 1), 1.0)]
        if plan := [step for step in walk if step in language.live]:
            compare_words(prepared, language, plan, case.draw)


def compare_words(prepared: Prepared, language: Language, plan: list[str], draw: Random) -> None:
    """Check a plan in words, and tell the report in words."""
    lines = [draw.choice(language.ways[step]) for step in plan]
    text = "".join(f"{number}. {line}\n" for number, line in enumerate(lines, 1))
    read, told = read_in(text, prepared), (plan, lines, language.templates)
    is_open = any(language.others(line, step) for step, line in zip(plan, lines, strict=True))
    assert read is None or (read == plan and not is_open), (told, read)
    report, formal = (check(prepared, None, each, time_limit=5) for each in (text, "\n".join(plan)))
    if read is None:  # all meanings that execute agree, and what is meant is one of them
        executes = all(failure.step is None for failure in formal.failures)
        assert report.determination in (None, formal.determination) or not executes, (told, report)
        return
    assert report.determination is formal.determination, (told, report, formal)
    assert [str(one) for one in report.failures] == [str(one) for one in formal.failures], (told, report, formal)
    if report.proven and formal.proven:  # which a limit may have left open of one of them
        changes = [sum(bool(diff.diff_type) for diff in one.plan_diff_obj) for one in (report, formal)]
        assert changes[0] == changes[1], (told, report, formal)
    worded = in_words(report, prepared.lexicon)
    assert [str(diff)[:1] for diff in worded.plan_diff_obj] == [str(diff)[:1] for diff in report.plan_diff_obj], told
    if report.repaired_plan:
        repaired = "".join(f"{step}\n" for step in worded.repaired_plan or ())
        assert read_in(repaired, prepared) == [str(step).lower() for step in report.repaired_plan], (told, repaired)
        kept = "".join(f"{diff.step}\n" for diff in worded.plan_diff_obj if str(diff)[:1] != "-")
        assert read_in(kept, prepared) == read_in(repaired, prepared), (
            told,
            worded,
        )  # lines of the plan stay as they are


# --- a stream of lines -----------------------------------------------------------------------------
