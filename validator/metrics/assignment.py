"""The heaviest assignment of rows to columns."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

__all__ = ["heaviest_assignment"]


def heaviest_assignment(weights: Sequence[Sequence[Fraction]]) -> list[tuple[int, int]]:
    """Return pairs (row, column), each at most once, of the greatest sum of weights; pairs of weight 0 are left out.

    Kuhn 1955, The Hungarian method for the assignment problem, with potentials and shortest augmenting paths: exact, in
    time cubic in the number of rows.
    """
    if not weights or not weights[0]:
        return []
    if len(weights) > len(weights[0]):
        return sorted((row, column) for column, row in heaviest_assignment(list(zip(*weights, strict=True))))
    rows, columns = len(weights), len(weights[0])
    # Row and column 0 stand for nothing; a column's row 0 means that it is free.
    of_row, of_column = [Fraction(0)] * (rows + 1), [Fraction(0)] * (columns + 1)
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], column = row, 0
        least: list[Fraction | None] = [None] * (columns + 1)
        came, used = [0] * (columns + 1), [False] * (columns + 1)
        while owner[column]:
            used[column] = True
            here, step, best = owner[column], None, 0
            for other in range(1, columns + 1):
                if used[other]:
                    continue
                slack = -weights[here - 1][other - 1] - of_row[here] - of_column[other]
                known = least[other]
                if known is None or slack < known:
                    least[other], came[other], known = slack, column, slack
                if step is None or known < step:
                    step, best = known, other
            assert step is not None
            for other in range(columns + 1):
                known = least[other]
                if used[other]:
                    of_row[owner[other]] += step
                    of_column[other] -= step
                elif known is not None:
                    least[other] = known - step
            column = best
        while column:
            owner[column] = owner[came[column]]
            column = came[column]
    pairs = ((owner[column] - 1, column - 1) for column in range(1, columns + 1) if owner[column])
    return sorted((row, column) for row, column in pairs if weights[row][column])
