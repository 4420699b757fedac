"""Processes that score texts, held open between the calls of a trainer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self

from validator.resources import cores
from validator.reward.score import DEFAULT_LIMIT, PlanningModel, Score, listed, score
from validator.workers.pool import LocalPool

_PATIENCE = 30.0
"""seconds that a worker has beside the limits of its texts: it reads the model in them"""


class ScorePool:
    """Worker processes for ``score``, with its options; a context that ends them.

    A text at which a worker dies or does not come back is unknown, and another worker takes its place. Limits hold
    whatever thread asks; threads that ask at once share the workers.
    """

    def __init__(
        self,
        size: int | None = None,
        *,
        distance: bool = True,
        steps: bool = True,
        time_limit: float = DEFAULT_LIMIT,
        unknown: float = 0.0,
    ) -> None:
        self._score = partial(score, distance=distance, steps=steps, time_limit=time_limit, unknown=unknown)
        self._limit, self._unknown = time_limit, unknown
        self._pool = LocalPool(size or cores())
        self._workers = self._pool.executors()
        self._free = SimpleQueue[int]()
        for number in range(len(self._workers)):
            self._free.put(number)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        self._pool.close(kill=True)

    def score(self, model: PlanningModel, texts: Iterable[str]) -> list[Score]:
        """Return the score of each text, in order, by the workers that are free, of which it waits for the first.

        Raises ModelError for a model that cannot be read.
        """
        waiting = listed(texts)
        taken = [self._free.get()]
        with suppress(Empty):
            while len(taken) < len(waiting):
                taken.append(self._free.get_nowait())
        try:
            return self._scored(model, waiting, taken)
        finally:
            for number in taken:
                self._free.put(number)

    def _scored(self, model: PlanningModel, waiting: Sequence[str], workers: Sequence[int]) -> list[Score]:
        size = len(workers)
        parts = [waiting[place::size] for place in range(size)]
        futures = [self._ask(number, model, part) for number, part in zip(workers, parts, strict=True)]
        found: list[Score | None] = [None] * len(waiting)
        for place, (number, part, future) in enumerate(zip(workers, parts, futures, strict=True)):
            found[place::size] = self._part(number, model, part, future)
        return [each for each in found if each is not None]

    def _ask(self, number: int, model: PlanningModel, texts: Sequence[str]) -> Future[list[Score]]:
        try:
            return self._workers[number].submit(self._score, model, texts)
        except BrokenExecutor:  # it has died since
            self._renew(number)
            return self._workers[number].submit(self._score, model, texts)

    def _part(
        self, number: int, model: PlanningModel, texts: Sequence[str], future: Future[list[Score]]
    ) -> list[Score]:
        """Wait for the scores of texts; where they cost a worker, each is tried by itself."""
        try:
            return future.result(_PATIENCE + 2 * self._limit * len(texts))
        except (BrokenExecutor, TimeoutError):
            self._renew(number)
        if len(texts) == 1:
            return [Score(valid=None, value=self._unknown, reason="the worker ended, or did not come back")]
        return [one for text in texts for one in self._part(number, model, [text], self._ask(number, model, [text]))]

    def _renew(self, number: int) -> None:
        self._workers[number] = self._pool.restart(self._workers[number])
