"""Another plan as edits to the observed one, of which none can be left out.

Leaving out steps of a plan while it stays valid is action elimination (Nakhost and Müller 2010).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from validator.reading.plan import Step, Token, bare
from validator.records import replace
from validator.repair.edit import Edit, Move, kept_steps
from validator.repair.sequences import common_pairs

__all__ = ["aligned", "minimal_edits"]


def minimal_edits(
    plan: Sequence[Step],
    tokens: Sequence[Token],
    accepted: Callable[[tuple[Step, ...]], bool],
    stop: Callable[[], bool] = lambda: False,
) -> tuple[Edit, ...] | None:
    """Return edits to a plan that is accepted, or to one nearer; None where it is not accepted.

    Each inserted step is left out, and each skipped one kept, where the plan is accepted all the same, from the end,
    until each one is needed or ``stop`` says so.
    """
    if not accepted(tuple(plan)):
        return None
    edits, is_new = list(aligned(tokens, plan)), True
    while is_new:
        is_new = False
        for place in reversed(range(len(edits))):
            if stop():
                return tuple(edits)
            nearer = _without(edits, place)
            if nearer is not None and accepted(kept_steps(nearer)):
                edits, is_new = nearer, True
    return tuple(edits)


def _without(edits: list[Edit], place: int) -> list[Edit] | None:
    """Return edits with one change less; None where there is none at a place."""
    edit = edits[place]
    if edit.move is Move.INSERT:
        return [*edits[:place], *edits[place + 1 :]]
    if edit.move is Move.SKIP and isinstance(edit.token, Step):
        return [*edits[:place], replace(edit, move=Move.KEEP), *edits[place + 1 :]]
    return None


def aligned(tokens: Sequence[Token], plan: Sequence[Step]) -> tuple[Edit, ...]:
    """Return edits from an observed plan to another one that keep a longest common subsequence of both."""
    old = [bare(token) if isinstance(token, Step) else None for token in tokens]
    edits, i, j = list[Edit](), 0, 0
    for place, other in (*common_pairs(old, plan), (len(old), len(plan))):
        edits += (Edit(move=Move.SKIP, token=token) for token in tokens[i:place])
        edits += (Edit(move=Move.INSERT, token=step) for step in plan[j:other])
        edits += (Edit(move=Move.KEEP, token=token) for token in tokens[place : place + 1])
        i, j = place + 1, other + 1
    return tuple(edits)
