"""What people read: turns of phrase that stay away, and suggestions that help."""

from __future__ import annotations

import argparse
import re
from importlib import import_module

import pytest
import re2

from tests.support.places import ROOT
from validator import check
from validator.cli import COMMANDS
from validator.commands.grading.eval import SUITES, add_suite
from validator.errors import did_you_mean

TURNS = re2.compile(
    "(?i)"
    + "|".join(
        (
            r"has not the\b",  # does not have
            r"have not the\b",
            r"of one's own",  # your own
            r"what is told of",  # what is reported of
            r"so it is for",  # this also holds for
            r"\bas one types",  # while you type
            r"means nothing here",  # cannot be explained
            r"and not so:",  # but not met
            r"how alike",  # how similar
            r"\blikest\b",  # most similar
            r"is to be called",  # must, may be called
            r"(?:proven|are) that many\b",
            r"no fewer will do",  # the fewest
            r"(?:effect|condition|fact|parameter|\}) is too many",  # superfluous
            r"hang together",  # combine
            r"speak for another",
            r"what is against the grammar",
            r"observations speak for",  # point to
            r"(?:\ba (?:call|record|row)|with a step|: a step) a line\b",  # one step per line
            r"\bone a (?:core|line)\b",  # one per core
            r"of which nothing can be said",  # that cannot be judged
            r"goes on where it (?:stopped|was ended)",  # resumes
        )
    )
)
"""turns of phrase that an engineer has to read twice, each with what to write"""

PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
MODULES = sorted((ROOT / "validator").rglob("*.py"))


def test_pages_are_in_plain_english() -> None:
    for page in PAGES:
        text = re.sub(r"<!-- benchmarks: .*?<!-- end -->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert [found[0] for found in TURNS.finditer(" ".join(text.split()))] == [], page


def test_docstrings_and_messages_are_in_plain_english() -> None:
    """Looked for in the whole text, with strings joined that follow each other: no name has the form of a turn."""
    texts = ((path.name, re.sub(r'"\s+f?"', "", path.read_text(encoding="utf-8"))) for path in MODULES)
    found = {f"{name}: {turn[0]}" for name, text in texts for turn in TURNS.finditer(" ".join(text.split()))}
    assert found == set()


def test_help_texts_are_in_plain_english() -> None:
    for name in (*(name for name in COMMANDS if name != "eval"), *SUITES):
        parser = argparse.ArgumentParser(prog=f"plan-validator {name}")
        if name in SUITES:
            add_suite(name, parser)
        else:
            import_module(f"validator.commands.{COMMANDS[name][0]}.{name.replace('-', '_')}").add_arguments(parser)
        assert [found[0] for found in TURNS.finditer(" ".join(parser.format_help().split()))] == [], name


# --- suggestions ---------------------------------------------------------------------------------

DOMAIN = """(define (domain garden) (:types place can)
  (:predicates (at ?p - place) (filled ?c - can)) (:constants tap1 roses - place can1 - can)
  (:action walk :parameters (?from ?to - place) :precondition (at ?from) :effect (and (not (at ?from)) (at ?to)))
  (:action fill :parameters (?c - can) :effect (filled ?c)))"""
PROBLEM = "(define (problem g) (:domain garden) (:init (at tap1)) (:goal (at roses)))"


def test_a_suggestion_is_never_the_word_that_was_said() -> None:
    assert did_you_mean("wakl", ["walk", "talk"]) == " (did you mean 'walk'?)"
    assert did_you_mean("walk", ["walk", "talk"]) == ""  # it is known, so that something else is wrong


@pytest.mark.parametrize(
    ("step", "suggested"),
    [
        ("(wlak tap1 roses)", {"walk"}),
        ("(walk tap roses)", {"tap1"}),
        ("(walk walks roses)", set()),  # near an action only
        ("(walk filled roses)", set()),  # near a predicate and an action
        ("(tap2 roses)", set()),  # near an object only
        ("(filed can1)", {"fill"}),
        ("(walk tap1)", set()),
        ("(fill walk)", set()),
    ],
)
def test_a_suggestion_is_of_the_kind_that_was_expected(step: str, suggested: set[str]) -> None:
    told = check(DOMAIN, PROBLEM, step, repair=False, strict=True).feedback()
    assert set(re.findall(r"did you mean '([^']*)'", told)) == suggested, told
