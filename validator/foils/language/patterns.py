"""Steps as people see and type them, with open arguments: ``(move ?x a)``, ``move(_, a)``, ``move _ a``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from validator.automata.constraints import Pattern, Show, is_open
from validator.errors import InputError, did_you_mean
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.execution.trace import Failure
from validator.flow.compiled.names import NO_STEP
from validator.reading.plan import Constraint, Step, Token
from validator.records import dataclass, replace

__all__ = ["PDDL", "Names", "View", "joined", "names_of", "read_pattern", "shown"]

_JOINT = "\ue000"
"""what stands for a blank inside parentheses, so that a step or a condition is one word"""

_OR = re.compile(r"(?<=\))\s+or\s+(?=\()", re.IGNORECASE)
_WORD = re.compile(r"[^\s(),]+")


def _step_itself(step: Step) -> Step:
    return step


def _token_itself(token: Step | Constraint) -> Step | None:
    return token if isinstance(token, Step) else None


def _failure_itself(failure: Failure) -> Failure:
    return failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What a step may be called: each name with its numbers of arguments (None: any), and the arguments there are."""

    steps: Mapping[str, Collection[int] | None]
    objects: Collection[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """``show`` turns a step of the model into what people see, ``hidden`` does the reverse (None: no such step).

    ``told`` puts a failure into the words that people use; ``names`` say what steps may be called (None: as they are).
    """

    show: Show = _step_itself
    hidden: Callable[[Step | Constraint], Step | None] = _token_itself
    told: Callable[[Failure], Failure] = _failure_itself
    names: Names | None = None

    def seen(self, simulator: Simulator, token: Token) -> Token:
        """Return a token as people see it; what the model does not have stays as it was written."""
        if not isinstance(token, Step) or simulator.malformed(0, token):
            return token
        return self.show(Step(name=token.name, args=token.args))

    def sentences(self, simulator: Simulator, failures: Iterable[Failure], tokens: Sequence[Token]) -> list[str]:
        """Return failures of a plan of the model, a sentence each."""
        told = (self.told(failure) for failure in failures if failure.detail != NO_STEP)  # said already
        return sentences(told, [self.seen(simulator, token) for token in tokens])


PDDL = View()


def names_of(simulator: Simulator) -> Names:
    """Return the names of a PDDL model's steps."""
    steps = {name: (len(simulator.model.domain.actions[ways[0]].parameters),) for name, ways in simulator.ways.items()}
    return Names(steps=steps, objects=simulator.model.problem.objects)


def read_pattern(text: str, names: Names, *, source: str = "") -> Pattern:
    """Read a step whose arguments may be open, or several with ``or`` between them; ``(_ a)`` is any step with ``a``.

    ``source`` names the place of the text for errors. Raises InputError for what is no step, an unknown name or object
    and a wrong number of arguments.
    """
    first, *others = (_read_one(each, names, source) for each in _OR.split(text))
    return replace(first, others=tuple(others))


def _read_one(text: str, names: Names, source: str) -> Pattern:
    def fail(message: str, offset: int) -> InputError:
        return InputError(message, source=source, text=text, offset=offset)

    words = list(_WORD.finditer(text))
    if not words or re.sub(r"[\s,()]", "", text) != "".join(word[0] for word in words) or not _balanced(text):
        raise fail("a step such as (move ?x a) or move(_, a) was expected", 0)
    first, *rest = words
    if first[0] == "_":
        return Pattern(name="_", args=tuple(_object(word, names, fail) for word in rest))
    name = _known(first[0], names.steps)
    if name is None:
        raise fail(f"unknown step '{first[0]}'{did_you_mean(first[0].lower(), names.steps)}", first.start())
    numbers = names.steps[name]
    if numbers is not None and len(rest) not in numbers:
        wanted = " or ".join(map(str, sorted(numbers)))
        raise fail(f"'{name}' takes {wanted} arguments, got {len(rest)}; '_' stands for any", first.start())
    return Pattern(name=name, args=tuple(word[0] if is_open(word[0]) else _object(word, names, fail) for word in rest))


def _object(word: re.Match[str], names: Names, fail: Callable[[str, int], InputError]) -> str:
    arg = _known(word[0], names.objects)
    if arg is None:
        raise fail(f"unknown object '{word[0]}'{did_you_mean(word[0].lower(), names.objects)}", word.start())
    return arg


def _balanced(text: str) -> bool:
    """Return whether there are no parentheses, or one pair that ends the text."""
    stripped = text.strip()
    return stripped.count("(") == stripped.count(")") <= 1 and ("(" not in stripped or stripped.endswith(")"))


def _known(name: str, known: Collection[str]) -> str | None:
    """Return a known name in its own spelling, whatever case the text has."""
    if name in known:
        return name
    return next((each for each in known if each.lower() == name.lower()), None)


def joined(text: str) -> str:
    """Return a text with one blank between words, in which what stands in parentheses is one word.

    Raises InputError where the parentheses do not match.
    """
    depth, start, signs = 0, 0, list[str]()
    for place, sign in enumerate(text):
        start = place if sign == "(" and not depth else start
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        signs.append(_JOINT if depth and sign.isspace() else sign)
    if depth:
        raise InputError("the parentheses do not match", source="question", text=text, offset=start)
    return " ".join("".join(signs).split())


def shown(text: str) -> str:
    """Return a joined text as it was written."""
    return text.replace(_JOINT, " ")
