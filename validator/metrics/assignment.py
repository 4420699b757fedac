"""The heaviest assignment of rows to columns."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

_Weight = TypeVar("_Weight", int, Fraction)
"""Exact numbers; none is negative."""


def heaviest_assignment(weights: Sequence[Sequence[_Weight]]) -> list[tuple[int, int]]:
    """Return sorted pairs (row, column), each row and column once at most, of the greatest sum of weights.

    Kuhn 1955, The Hungarian method for the assignment problem, with potentials and shortest augmenting paths, a row at
    a time: exact, in time cubic in the number of rows. A row may also go to a column of its own that weighs nothing;
    such pairs, and others of weight 0, are left out.
    """
    columns = len(weights[0]) if weights else 0
    width = columns + len(weights)
    far = 4 * (width + 1) * (1 + max((max(row, default=0) for row in weights), default=0))
    of_row: list[int | Fraction] = [0] * len(weights)
    of_column: list[int | Fraction] = [0] * (width + 1)
    owner = [-1] * (width + 1)  # the row of each column; the last one is where a new row begins
    for new in range(len(weights)):
        owner[width] = new
        slack: list[int | Fraction] = [far] * width
        column, seen, back = width, [False] * (width + 1), [width] * width
        while owner[column] >= 0:
            seen[column] = True
            row, following = owner[column], width
            step: int | Fraction = far
            for other in range(width):
                if seen[other]:
                    continue
                cost = -weights[row][other] if other < columns else 0
                reduced = cost - of_row[row] - of_column[other]
                if reduced < slack[other]:
                    slack[other], back[other] = reduced, column
                if slack[other] < step:
                    step, following = slack[other], other
            for other in range(width + 1):
                if seen[other]:
                    of_row[owner[other]] += step
                    of_column[other] -= step
                elif other < width:
                    slack[other] -= step
            column = following
        while column != width:
            owner[column] = owner[back[column]]
            column = back[column]
    pairs = ((owner[column], column) for column in range(columns) if owner[column] >= 0)
    return sorted((row, column) for row, column in pairs if weights[row][column])
