"""A first file of templates, written from a model by rule, to be edited."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator

from validator.model.values import TRUE, Domain, Model, Problem
from validator.reading.lexicon.lexicon import Lexicon
from validator.reading.lexicon.say import fact_by_rule

__all__ = ["domain_alone", "draft_templates"]

_HEAD = """\
# How the actions, predicates and objects of {name} are said.
# Change the words and leave the holes: {{}} are the arguments in order; {{1}}, {{2}} name them for another order.
# Several ways to say one thing are a list; the first is the one that is printed.
"""
_FAMILY = re.compile(r"([^\W\d]+)([-_]?\d+)((?:[-_]\d+)*)")
_DIGITS = re.compile(r"\d+")
_PLAIN = re.compile(r"[A-Za-z_][\w-]*")
_TRUTHS = frozenset(("on", "off", "yes", "no", "true", "false", "null", "y", "n"))


def draft_templates(model: Model) -> str:
    """Return templates as YAML; read back, they say what is said without them."""
    lexicon = Lexicon.of(model)
    domain = model.domain
    actions = ((name, lexicon.sayings.by_rule(action)) for name, action in domain.actions.items())
    predicates = ((name, fact_by_rule(name, len(terms))) for name, terms in domain.predicates.items())
    pieces = [_HEAD.format(name=domain.name), *_section("actions", actions), *_section("predicates", predicates)]
    return "".join((*pieces, *_section("objects", _objects(model))))


def domain_alone(domain: Domain) -> Model:
    """Return a model with no objects but the constants of a domain."""
    problem = Problem(name="", objects=domain.constants, init=frozenset(), values={}, goal=TRUE)
    return Model(domain=domain, problem=problem)


def _section(key: str, entries: Iterator[tuple[str, str]]) -> Iterator[str]:
    lines = [f"  {_key(name)}: {json.dumps(text, ensure_ascii=False)}\n" for name, text in entries]
    yield f"{key}:{'' if lines else ' {}'}\n"
    yield from lines


def _key(name: str) -> str:
    """Return a name as a key of YAML, in quotes where it would be a truth or no plain text."""
    return name if _PLAIN.fullmatch(name) and name.lower() not in _TRUTHS else json.dumps(name, ensure_ascii=False)


def _objects(model: Model) -> Iterator[tuple[str, str]]:
    """Yield the names of objects, and one pattern for those with the same letters and numbers: ``l{}-{}``."""
    families: dict[str, set[str]] = defaultdict(set)
    for name in model.problem.objects:
        families[_letters(name)].add(_DIGITS.sub("{}", name))
    shared = {letters for letters, patterns in families.items() if letters and len(patterns) == 1}
    seen: set[str] = set()
    for name in model.problem.objects:
        letters = _letters(name)
        if letters not in shared or letters in model.problem.objects:
            yield name, name
        elif letters not in seen:
            seen.add(letters)
            yield letters, _DIGITS.sub("{}", name)


def _letters(name: str) -> str:
    """Return the letters of a name that has only numbers behind them."""
    match = _FAMILY.fullmatch(name)
    return match.group(1).rstrip("_") if match else ""
