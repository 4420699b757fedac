"""Sentences of steps, in a voice, and texts of sentences, in a style."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from benchmarks.free_texts.simulator import Model, Operator
from benchmarks.free_texts.worlds import World

__all__ = ["ENGLISH", "LISTS", "STYLES", "VOICES", "Clause", "Connectives", "sentence", "write"]

VOICES = ("imperative", "first person", "third person", "passive", "past")

_IRREGULAR = {
    "get": ("got", "got"),
    "take": ("took", "taken"),
    "put": ("put", "put"),
    "set": ("set", "set"),
    "stand": ("stood", "stood"),
    "shut": ("shut", "shut"),
    "swing": ("swung", "swung"),
    "fit": ("fitted", "fitted"),
    "unfit": ("unfitted", "unfitted"),
    "drive": ("drove", "driven"),
    "run": ("ran", "run"),
    "go": ("went", "gone"),
    "sweep": ("swept", "swept"),
    "give": ("gave", "given"),
    "hang": ("hung", "hung"),
    "unhang": ("unhung", "unhung"),
    "fly": ("flew", "flown"),
    "light": ("lit", "lit"),
    "bring": ("brought", "brought"),
    "strike": ("struck", "struck"),
    "draw": ("drew", "drawn"),
    "spin": ("spun", "spun"),
    "lend": ("lent", "lent"),
    "pick": ("picked", "picked"),
}
_DOUBLED = frozenset(("grab", "drop", "dim", "stop", "bed", "enrol", "clap"))


def _past(verb: str) -> tuple[str, str]:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        done = f"{verb}d"
    elif verb[-1] == "y" and verb[-2] not in "aeiou":
        done = f"{verb[:-1]}ied"
    else:
        done = f"{verb}{verb[-1] if verb in _DOUBLED else ''}ed"
    return done, done


def _third(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb[-1] == "y" and verb[-2] not in "aeiou" else f"{verb}s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One told step: who, does, what; ``denied`` is the same with "not"; ``words`` are its content words."""

    subject: str
    verb: str
    rest: str
    denied: str
    words: tuple[str, ...]
    named: frozenset[str]

    @property
    def text(self) -> str:
        return " ".join(part for part in (self.subject, self.verb, self.rest) if part)

    @property
    def negated(self) -> str:
        return " ".join(part for part in (self.subject, self.denied, self.rest) if part)


def sentence(
    draw: Random, world: World, model: Model, step: Operator, frame: str, voice: str, it: str | None
) -> Clause:
    """Return a step told by a frame; ``it`` is the object that may be told as a pronoun."""
    parameters = [name for name, _ in model.parameters[step.name]]
    values = dict(zip(parameters, step.args, strict=True))
    agent, _, told = frame.rpartition(": ")
    agent = agent.strip("{}")
    verb, _, rest = told.partition(" ")
    surfaces: dict[str, str] = {}
    named: set[str] = set()

    def said(match: re.Match[str]) -> str:
        name = match.group(1)
        value = values[name]
        if value == it and not surfaces:
            return "it"
        named.add(name)
        surfaces[name] = _named(draw, world, model, value)
        return surfaces[name]

    moved = re.match(r"((?:up|out|back|in|on|off|down|on hold) )?\{(\w+)\}(?: of \{(\w+)\})?(.*)", rest)
    subject = _named(draw, world, model, values[agent]) if agent else ""
    if agent:
        named.add(agent)
    if voice == "passive" and moved is not None:
        particle, patient, owner, after = moved.groups()
        start = re.sub(r"\{(\w+)\}", said, f"{{{patient}}}{f' of {{{owner}}}' if owner else ''}")
        tail = [(particle or "").strip(), re.sub(r"\{(\w+)\}", said, after).strip(), f"by {subject}" if agent else ""]
        done = _past(verb)[1]
        return Clause(
            subject=start,
            verb=f"is {done}",
            rest=" ".join(filter(None, tail)),
            denied=f"is not {done}",
            words=(done, *surfaces.values(), *([subject] if agent else [])),
            named=frozenset(named),
        )
    rest = re.sub(r"\{(\w+)\}", said, rest)
    does, words = verb, (*surfaces.values(), *([subject] if agent else []))
    if voice == "past":
        subject, does = subject or draw.choice(("I", world.agent)), _past(verb)[0]
        denied = f"did not {verb}"
    elif voice == "first person" and not agent:
        subject, denied = "I", f"do not {verb}"
    elif voice == "imperative" and not agent:
        denied = f"{draw.choice(('do not', 'never'))} {verb}"
    elif voice == "imperative" and draw.random() < 0.25:
        subject, denied = f"have {subject}", f"not {verb}"
    else:
        subject, does, denied = subject or world.agent, _third(verb), f"does not {verb}"
    return Clause(subject=subject, verb=does, rest=rest, denied=denied, words=(does, *words), named=frozenset(named))


def _named(draw: Random, world: World, model: Model, name: str) -> str:
    kind = model.objects[name]
    said = re.sub(r"[-_]", " ", name) if draw.random() < 0.4 else name
    if kind in world.articles and not name[-1].isdigit():
        return f"the {said}"
    noun = world.nouns.get(kind)
    if noun is not None and noun not in name and draw.random() < 0.3:
        return f"{draw.choice(('the ', ''))}{noun} {said}"
    return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Connectives:
    first: str
    next: tuple[str, ...]
    last: str


ENGLISH = Connectives(first="First", next=("Then", "Next", "After that", "Afterwards", "Now"), last="Finally")

LISTS = frozenset(("numbered", "bullets", "bold", "json", "table"))
"""styles in which a line of its own is a step of its own"""

_INTROS = (
    "Here is my plan:",
    "Sure! To reach the goal, follow these steps:",
    "**Plan**",
    "Let me think. The goal needs several things, so I take them one after the other.",
)
_OUTROS = (
    "This completes the task.",
    "After these steps the goal is reached.",
    "Let me know if you need anything else!",
)
_REMARKS = ("This comes first for a reason.", "That takes a moment.", "So far so good.", "Nothing else changes here.")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _joined(one: Clause, other: Clause, words: Sequence[str]) -> str:
    """Join two sentences by "and"; where both have the same subject it is said once."""
    if one.subject == other.subject and words[1].startswith(other.subject) and other.verb[:3] != "is ":
        return f"{words[0]} and {words[1].removeprefix(other.subject).strip()}"
    return f"{words[0]} and {words[1]}"


def _numbered(draw: Random, clauses: Sequence[Clause], words: Sequence[str], by: Connectives) -> str:
    mark = draw.choice(("{}. ", "{}) ", "Step {}: "))
    end = draw.choice(("", "."))
    return "\n".join(f"{mark.format(number)}{_capital(text)}{end}" for number, text in enumerate(words, 1))


def _bullets(draw: Random, clauses: Sequence[Clause], words: Sequence[str], by: Connectives) -> str:
    mark, end = draw.choice("-*"), draw.choice(("", "."))
    return "\n".join(f"{mark} {_capital(text)}{end}" for text in words)


def _bold(draw: Random, clauses: Sequence[Clause], words: Sequence[str], by: Connectives) -> str:
    return "\n".join(f"**Step {number}:** {_capital(text)}." for number, text in enumerate(words, 1))


def _lines(draw: Random, clauses: Sequence[Clause], words: Sequence[str], by: Connectives) -> str:
    return "\n".join(words if draw.random() < 0.5 else map(_capital, words))


def _paragraph(draw: Random, clauses: Sequence[Clause], words: Sequence[str], by: Connectives) -> str:
    told = [f"{by.first}, {words[0]}."]
    told += [f"{draw.choice(by.next)}, {text}." for text in words[1:-1]]
    return " ".join([*told, *(f"{by.last}, {text}." for text in words[-1:] if len(words) > 1)])


def _pairs(draw: Random, clauses: Sequence[Clause], words: Sequence[str], by: Connectives) -> str:
    told = [
        _joined(clauses[at], clauses[at + 1], words[at : at + 2]) if at + 1 < len(words) else words[at]
        for at in range(0, len(words), 2)
    ]
    return "\n".join(f"{number}. {_capital(text)}." for number, text in enumerate(told, 1))


def _remarks(draw: Random, clauses: Sequence[Clause], words: Sequence[str], by: Connectives) -> str:
    told = [f"{_capital(text)}.{' ' + draw.choice(_REMARKS) if draw.random() < 0.4 else ''}" for text in words]
    return "\n".join(f"{number}. {text}" for number, text in enumerate(told, 1))


def _phases(draw: Random, clauses: Sequence[Clause], words: Sequence[str], by: Connectives) -> str:
    half = (len(words) + 1) // 2
    parts = [words[:half], words[half:]]
    return "\n\n".join(
        f"### Phase {number}\n" + "\n".join(f"- {_capital(text)}" for text in part)
        for number, part in enumerate(parts, 1)
        if part
    )


def _commas(draw: Random, clauses: Sequence[Clause], words: Sequence[str], by: Connectives) -> str:
    return _capital(f", {by.next[0].lower()} ".join(words)) + "."


def _json(draw: Random, clauses: Sequence[Clause], words: Sequence[str], by: Connectives) -> str:
    told = [_capital(text) for text in words]
    if draw.random() < 0.5:
        return json.dumps({"plan": told}, indent=1)
    return json.dumps([{"step": number, "action": text} for number, text in enumerate(told, 1)], indent=1)


def _table(draw: Random, clauses: Sequence[Clause], words: Sequence[str], by: Connectives) -> str:
    """A table with a sentence in a cell, or with the verb and what follows it in two."""
    if draw.random() < 0.5 and all(clause.text == text for clause, text in zip(clauses, words, strict=True)):
        rows = [
            f"| {number} | {_capital(f'{clause.subject} {clause.verb}'.strip())} | {clause.rest} |"
            for number, clause in enumerate(clauses, 1)
        ]
        return "\n".join(("| Step | Action | Details |", "|---|---|---|", *rows))
    rows = [f"| {number} | {_capital(text)} |" for number, text in enumerate(words, 1)]
    return "\n".join(("| # | Action |", "|---|---|", *rows))


_Style = Callable[[Random, Sequence[Clause], Sequence[str], Connectives], str]

_WRITERS: Mapping[str, _Style] = {
    "numbered": _numbered,
    "bullets": _bullets,
    "bold": _bold,
    "lines": _lines,
    "paragraph": _paragraph,
    "pairs": _pairs,
    "remarks": _remarks,
    "phases": _phases,
    "commas": _commas,
    "json": _json,
    "table": _table,
}

STYLES = tuple(_WRITERS)


def write(
    draw: Random, style: str, clauses: Sequence[Clause], words: Sequence[str] | None = None, by: Connectives = ENGLISH
) -> str:
    """Return the text of the clauses; ``words`` are told in place of the clauses' own, one for each."""
    text = _WRITERS[style](draw, clauses, words or [clause.text for clause in clauses], by)
    if style != "json":
        before = f"{draw.choice(_INTROS)}\n\n" if draw.random() < 0.4 else ""
        after = f"\n\n{draw.choice(_OUTROS)}" if draw.random() < 0.3 else ""
        text = f"{before}{text}{after}"
    return text
