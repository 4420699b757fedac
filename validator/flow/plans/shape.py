"""Plans of flows as lines and in shorter shapes: mappings collapsed into the calls that use them, groups of steps.

``map(a_1, a)``, ``assert $a > 10``, ``y = agent_c(a)`` collapse to ``assert $a_1 > 10``, ``y = agent_c(a_1)``. A plan
that was written so is expanded before it is checked, and its repaired plan is collapsed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, pairwise

from validator.flow.compiled.analysis import Analysis
from validator.flow.model import Flow, FlowOptions, LifeCycle
from validator.flow.plans.tokens import BASIC, Call
from validator.reading.plan import Constraint, Token
from validator.records import dataclass, replace
from validator.repair.diff import DiffAction, StepDiff


@dataclass(frozen=True, slots=True)
class Expanded:
    """Tokens, each with the index of the written token that it comes from."""

    tokens: tuple[Token, ...]
    origins: tuple[int, ...]

    @classmethod
    def of(cls, pairs: Iterable[tuple[Token, int]]) -> Expanded:
        """Return tokens of pairs of a token and an index."""
        found = list(pairs)
        return cls(tuple(token for token, _ in found), tuple(index for _, index in found))


# --- lines ---------------------------------------------------------------------------------------


def code_like(
    flow: Flow, steps: Sequence[Token], *, collapse_maps: bool = False, show_output: bool = True
) -> list[str]:
    """Return a line for each step, as ``y = agent_b(a)``; where the flow labels its results, with a comment."""
    shown = group(collapse(steps) if collapse_maps else steps, flow.options)
    lines = [str(step if show_output or not isinstance(step, Call) else replace(step, outputs=())) for step in shown]
    if not flow.options.labels:
        return lines
    taken = {entry.label for entry in flow.memory}
    free = (label for number in count(1) if (label := f"var{number}") not in taken)
    return [
        f"{line}  # {next(free)}" if isinstance(step, Call) and step.name not in BASIC else line
        for step, line in zip(shown, lines, strict=True)
    ]


# --- groups --------------------------------------------------------------------------------------


def expand_groups(tokens: Sequence[Token], options: FlowOptions) -> Expanded:
    """Split the lines that ask, map or confirm several items at once, where the flow groups them."""
    return Expanded.of((part, index) for index, token in enumerate(tokens) for part in _parts(token, options))


def _parts(token: Token, options: FlowOptions) -> Iterator[Token]:
    if isinstance(token, Call) and not token.outputs:
        if (token.name == "ask" and options.group_slots) or (token.name == "confirm" and options.group_confirms):
            yield from (replace(token, args=(arg,)) for arg in token.args)
            return
        if token.name == "map" and options.group_maps and len(token.args) % 2 == 0:
            yield from (replace(token, args=pair) for pair in list(pairwise(token.args))[::2])
            return
    yield token


def group(tokens: Sequence[Token], options: FlowOptions) -> tuple[Token, ...]:
    """Join what stands before the first call of an operator to one line of each kind that the flow groups."""
    end = next(
        (place for place, token in enumerate(tokens) if not (isinstance(token, Call) and token.name in BASIC)),
        len(tokens),
    )
    start, rest = list(tokens[:end]), tokens[end:]
    for name, grouped in (
        ("confirm", options.group_confirms),
        ("map", options.group_maps),
        ("ask", options.group_slots),
    ):
        own = [token for token in start if isinstance(token, Call) and token.name == name]
        if grouped and own:
            joined = Call(name=name, args=tuple(arg for token in own for arg in token.args))
            start = [joined, *(token for token in start if token not in own)]
    return (*start, *rest)


# --- mappings ------------------------------------------------------------------------------------


def collapse(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Leave out the mappings; what was mapped to is called by the item that stands for it."""
    current: dict[str, str] = {}
    found: list[Token] = []
    for token in tokens:
        if isinstance(token, Constraint):
            found.append(replace(token, text=_renamed(token.text, current)))
        elif isinstance(token, Call):
            if token.name == "map" and len(token.args) == 2:
                source, target = token.args
                current[target] = source
                continue
            asked = token.args if token.name == "ask" else token.outputs
            current = {item: source for item, source in current.items() if item not in asked}
            found.append(replace(token, args=tuple(current.get(arg, arg) for arg in token.args)))
        else:
            found.append(token)
    return tuple(found)


def _renamed(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\$([A-Za-z\d_]+)", lambda match: f"${names.get(match[1], match[1])}", text)


def expand_maps(tokens: Sequence[Token], analysis: Analysis) -> Expanded:
    """Put back the mappings that a collapsed plan leaves out, before the first token that speaks of what was mapped."""
    expansion = _Expansion(list(tokens), analysis)
    for index, token in enumerate(tokens):
        if isinstance(token, Call) and token.name in analysis.flow.by_name:
            expansion.call(index, token)
    return expansion.result()


class _Expansion:
    def __init__(self, tokens: list[Token], analysis: Analysis) -> None:
        self.tokens = tokens
        self.analysis = analysis
        self.flow = analysis.flow
        self.before: dict[int, list[Token]] = {}
        self.mapped_at: dict[tuple[str, str], int] = {}

    def call(self, index: int, token: Call) -> None:
        inputs = self.flow.by_name[token.name].input_items
        if len(inputs) != len(token.args):
            return
        args = []
        for arg, item in zip(token.args, inputs, strict=True):
            stands = arg != item and arg in self.analysis.sources(item)
            if stands:
                self._map(arg, item, index)
            args.append(item if stands else arg)
        self.tokens[index] = replace(token, args=tuple(args))

    def _map(self, source: str, target: str, index: int) -> None:
        """Map a source to an input before the call at an index, unless it still stands for it."""
        start = max((place + 1 for place in range(index) if self._gets(place, source)), default=0)
        last = self.mapped_at.get((source, target), -1)
        others = [at for (_, item), at in self.mapped_at.items() if item == target]
        if last >= start and last == max(others) and not any(self._gets(place, target) for place in range(last, index)):
            return
        spoken = [place for place in range(start, index) if self._speaks(place, source, target)]
        confirms = [place for place in spoken if isinstance(self.tokens[place], Call)]
        mine = [place for place in spoken if place not in confirms[:-1]]
        for place in mine:
            self._rename(place, source, target)
        at = min([*mine, index])
        self.before.setdefault(at, []).append(Call(name="map", args=(source, target)))
        self.mapped_at[source, target] = at

    def _gets(self, place: int, item: str) -> bool:
        token = self.tokens[place]
        return isinstance(token, Call) and item in (token.args if token.name == "ask" else token.outputs)

    def _speaks(self, place: int, source: str, target: str) -> bool:
        """Return whether a token is about the input while it names the source."""
        token = self.tokens[place]
        if isinstance(token, Constraint):
            renamed = _renamed(token.text, {source: target})
            return token.text not in self.flow.constraints and renamed in self.flow.constraints
        doubted = LifeCycle.CONFIRM_ON_MAPPING in self.flow.options.life_cycle
        return doubted and isinstance(token, Call) and token.name == "confirm" and token.args == (source,)

    def _rename(self, place: int, source: str, target: str) -> None:
        token = self.tokens[place]
        if isinstance(token, Constraint):
            self.tokens[place] = replace(token, text=_renamed(token.text, {source: target}))
        elif isinstance(token, Call):
            self.tokens[place] = replace(token, args=(target,))

    def result(self) -> Expanded:
        return Expanded.of(
            (part, index) for index, token in enumerate(self.tokens) for part in (*self.before.get(index, ()), token)
        )


# --- diffs ----------------------------------------------------------------------------------------


def by_steps(diffs: Iterable[StepDiff], written: Sequence[Token], repaired: Sequence[Token]) -> Iterator[StepDiff]:
    """Yield the diffs of the model's steps in the steps that people see, one for one."""
    old, new = iter(written), iter(repaired)
    for diff in diffs:
        before = next(old) if diff.diff_type is not DiffAction.ADD else None
        after = next(new) if diff.diff_type is not DiffAction.DELETE else None
        step = after or before
        assert step is not None
        yield StepDiff(diff_type=diff.diff_type, step=step)
