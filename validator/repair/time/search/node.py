"""What the search over orders is about: observed steps, places in an order, orders."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from validator.execution.time.acts.interference import Reads
from validator.execution.time.acts.parts import Planned
from validator.records import dataclass
from validator.repair.time.search.network import Constraint, Key, Network
from validator.repair.time.search.parts import Situated, Subject

__all__ = ["Node", "Order", "Running", "Timed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """A step of the observed plan with its times in units of the grid; None where the plan states none.

    ``rank`` orders such steps: the time where there is one, otherwise that of the step before.
    """

    subject: Subject
    rank: int
    time: int | None
    duration: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A plan without times: the steps that take place, and the network that their parts must obey.

    ``dropped`` are the numbers of the observed steps that do not take place.
    """

    subjects: tuple[Subject, ...]
    network: Network
    dropped: frozenset[int]


@dataclass(frozen=True, slots=True)
class Running:
    """A durative step between its start and its end; ``duration`` where something depends on it, otherwise None."""

    subject: Subject
    duration: Fraction | None
    reads: Reads


@dataclass(slots=True)
class Node:
    """A place in an order.

    - ``level``: how many steps were dropped and inserted so far; ``least`` how many in any plan beyond.
    - ``likely``: how far the order is from that of the observed times.
    - ``times``, ``constraints``: the network of the parts, with their earliest times.
    - ``pending``: the observed steps that have neither started nor been dropped, in order of time; ``postponed`` those
      of them that others have passed.
    - ``facts``: how many groups of timed facts have taken place.
    - ``tied``: the last part, where an invariant is broken that another part has to mend at the same time.
    - ``passed``: the states on the way, in as far as the rest depends on them; for the search for a cheapest plan.
    - ``watched``: start, end (None while it runs), and what the invariants read, of each durative step that has begun.
    """

    level: int
    least: int
    likely: int
    depth: int
    at: Situated
    times: dict[Key, int]
    constraints: frozenset[Constraint]
    pending: tuple[int, ...]
    postponed: frozenset[int]
    facts: int
    running: dict[int, Running]
    acts: tuple[tuple[Key, list[Planned]], ...]
    watched: tuple[tuple[Key, Key | None, Reads], ...]
    dropped: frozenset[int]
    inserted: tuple[Subject, ...]
    tied: Key | None = None
    passed: frozenset[Hashable] = frozenset()
