"""Another plan as edits to the observed one, of which none can be left out.

Leaving out steps of a plan while it stays valid is action elimination (Nakhost and Müller 2010). Longest common
subsequences and edit distances keep a whole row of the dynamic programme in one integer, a bit a cell, so that a row
costs a few operations on integers of ``len(one)`` bits.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from validator.reading.plan import Step, Token, bare
from validator.records import replace
from validator.repair.edit import Edit, Move, kept_steps


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


# --- sequences of anything hashable ---------------------------------------------------------------


def lcs_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the length of a longest common subsequence.

    Hyyrö 2004, Bit-parallel LCS-length computation revisited: a zero bit is a cell that is one more than the cell
    before it in its row.
    """
    places = _places(one)
    full = (1 << len(one)) - 1
    row = full
    for item in other:
        matches = row & places.get(item, 0)
        if matches:
            row = ((row + matches) | (row - matches)) & full
    return len(one) - row.bit_count()


def common_pairs(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the places (in one, in other) of a longest common subsequence, in order.

    Of several, the one that takes equal items as early as it can, and passes over items of ``one`` first. The rows of
    ``lcs_length`` are kept: ``len(one) * len(other)`` bits.
    """
    # From behind: bit b of row i tells of one[i:] and the last b + 1 items of other.
    places = _places(other[::-1])
    full = (1 << len(other)) - 1
    rows = [full]
    for item in reversed(one):
        row = rows[-1]
        matches = row & places.get(item, 0)
        rows.append(((row + matches) | (row - matches)) & full if matches else row)
    rows.reverse()
    pairs = []
    i = j = 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif _length(rows[i + 1], len(other) - j) >= _length(rows[i], len(other) - j - 1):
            i += 1
        else:
            j += 1
    return pairs


def _length(row: int, bits: int) -> int:
    """Return how many of the first bits of a row are zero: the length that it stands for."""
    return bits - (row & ((1 << bits) - 1)).bit_count()


def edit_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the least number of insertions, deletions and replacements that turn one sequence into the other.

    Levenshtein 1966, Binary codes capable of correcting deletions, insertions and reversals; computed as in Myers 1999
    and Hyyrö 2003: two integers hold the cells that are one more, and one less, than the cell above them.
    """
    if not one:
        return len(other)
    places = _places(one)
    full, last = (1 << len(one)) - 1, 1 << (len(one) - 1)
    more, less, distance = full, 0, len(one)
    for item in other:
        matches = places.get(item, 0)
        diagonal = ((((matches & more) + more) ^ more) | matches | less) & full
        right_more = less | (full & ~(diagonal | more))
        right_less = diagonal & more
        distance += bool(right_more & last) - bool(right_less & last)
        right_more = ((right_more << 1) | 1) & full
        right_less = (right_less << 1) & full
        more = right_less | (full & ~(diagonal | right_more))
        less = right_more & diagonal
    return distance


def _places(sequence: Sequence[Hashable]) -> dict[Hashable, int]:
    """Return for each item the bits of its places."""
    found: dict[Hashable, list[int]] = {}
    for index, item in enumerate(sequence):
        found.setdefault(item, []).append(index)
    return {item: _bits(places) for item, places in found.items()}


def _bits(places: Sequence[int]) -> int:
    """Return an integer with these bits, in order; in one go, as each single bit would cost the length of the whole."""
    octets = bytearray(places[-1] // 8 + 1)
    for place in places:
        octets[place // 8] |= 1 << place % 8
    return int.from_bytes(octets, "little")
