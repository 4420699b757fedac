"""What questions are made from: one problem, chance, and drafts in each form from what was proven."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from validator.grading.acpbench.prover import Prover
from validator.grading.acpbench.questions import Form, Task
from validator.model.values import GroundAtom
from validator.reading.plan import Step
from validator.records import dataclass, field

__all__ = ["MOST_FACTS", "SAID", "TRIED", "Asking", "Draft", "Drafts", "drawn", "two_forms"]

TRIED = 60
"""facts, steps or pairs that are tried for one question"""

MOST_FACTS = 500
"""beyond, only facts are asked about that are in reach when nothing is ever lost"""


SAID = 8
"""of what is so, and of what is not, that much is put into words for a question"""


@dataclass
class Asking:
    """One problem that is asked about; ``left_out`` counts the questions without a proven key, by task and form."""

    name: str
    prover: Prover
    domain: str
    problem: str
    chance: random.Random
    templates: str = ""
    left_out: Counter[tuple[Task, Form]] = field(default_factory=Counter)

    def say(self, atom: GroundAtom) -> str:
        return self.prover.space.model.lexicon.say_fact(atom)

    def do(self, step: Step) -> str:
        return self.prover.space.model.lexicon.say(step)

    def shuffled(self, items: Iterable[Any]) -> list[Any]:
        found = list(items)
        self.chance.shuffle(found)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A question before it is worded whole; ``key`` is in the form of the data, or the place of the right choice."""

    form: Form
    text: str
    key: Any
    proof: str
    choices: tuple[str, ...] = ()


Drafts: TypeAlias = Iterator[Draft]


Proven: TypeAlias = Sequence[tuple[str, str]]
"""texts, each with how it is known that what it says is so, or is not"""


def two_forms(asking: Asking, right: Proven, wrong: Proven, asked: str, chosen: str) -> Drafts:
    """Yield a yes-no question, with either answer as likely, and one with a right choice and three wrong ones."""
    sides = [(side, key) for side, key in ((right, "yes"), (wrong, "no")) if side]
    if sides:
        side, key = asking.chance.choice(sides)
        yield Draft(form=Form.BOOL, text=asked.format(side[0][0]), key=key, proof=side[0][1])
    others = list(dict(wrong).items())[:3]
    if right and len(others) == 3:
        shown = (right[-1], *others)
        how = "; ".join(dict.fromkeys(proof for _, proof in shown))
        yield Draft(form=Form.CHOICE, text=chosen, key=0, choices=tuple(text for text, _ in shown), proof=how)


def drawn(asking: Asking, found: dict[bool, list[tuple[str, str]]], asked: str, chosen: str) -> Drafts:
    """Yield both forms from what was proven to be so, and not, each with how that is known."""
    yield from two_forms(asking, found[True], found[False], asked, chosen)
