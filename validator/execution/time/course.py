"""The timeline of an execution: what the trace table and the charts show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from validator.execution.time.execution import Execution
from validator.execution.time.happening import Part, is_temporal
from validator.execution.time.state import Moment
from validator.execution.trace import Bar, Row, Series, Timeline, Trace
from validator.model.pddl.write import atom_text
from validator.model.values import GroundAtom
from validator.reading.plan import Token


def timeline(execution: Execution) -> Timeline:
    """Return the course of an execution; only fluents that change have a series."""
    moments = [moment for moment, _ in execution.state.replay()]
    return Timeline(
        end=max(execution.makespan, max((moment.time for moment in moments), default=execution.makespan)),
        bars=tuple(_bars(execution)),
        rows=tuple(map(_row, execution.state.moments)),
        series=tuple(_series(execution, moments)),
        has_time=is_temporal(execution.state.model),
    )


def _bars(execution: Execution) -> Iterator[Bar]:
    faulty = {failure.step for failure in execution.failures}
    for happening in execution.happenings:
        for act in happening.acts:
            if act.part in (Part.WHOLE, Part.START) and act.place is not None:
                length = act.duration if act.part is Part.START and act.duration is not None else Fraction(0)
                yield Bar(
                    step=act.place,
                    label=str(act.step),
                    start=act.time,
                    end=act.time + length,
                    is_faulty=act.place in faulty,
                )


def _row(moment: Moment) -> Row:
    return Row(
        time=moment.time,
        acts=moment.acts,
        added=tuple(map(atom_text, sorted(moment.added))),
        deleted=tuple(map(atom_text, sorted(moment.deleted))),
        values=tuple((atom_text(key), value) for key, value in sorted(moment.values.items())),
    )


def _series(execution: Execution, moments: list[Moment]) -> Iterator[Series]:
    changed: set[GroundAtom] = {key for moment in moments for key in moment.values}
    for key in sorted(changed):
        start = execution.state.initial_values.get(key)
        points = [] if start is None else [(Fraction(0), start, False)]
        points += [(moment.time, moment.values[key], moment.flows) for moment in moments if key in moment.values]
        yield Series(fluent=atom_text(key), points=tuple(points))


def classical_timeline(trace: Trace, tokens: Sequence[Token], places: Sequence[int]) -> Timeline:
    """Return the course of a classical plan, in which time is the number of steps."""
    faulty = {failure.step for failure in trace.failures}
    bars, rows = [], []
    for token, place, change in zip(tokens, places, trace.changes, strict=True):
        now = Fraction(place + 1)
        bars.append(Bar(step=place, label=str(token), start=now, end=now, is_faulty=place in faulty))
        if place not in faulty:
            added, deleted = (tuple(map(atom_text, sorted(atoms))) for atoms in (change.added, change.deleted))
            rows.append(Row(time=now, acts=(f"step {place + 1} {token}",), added=added, deleted=deleted))
    end = max((bar.end for bar in bars), default=Fraction(0))
    return Timeline(end=end, bars=tuple(bars), rows=tuple(rows), series=(), has_time=False)
