"""Calls of tools, each answered by a process within its limits; one that is not waited for any more is ended."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from validator.alarms import OutOfTime
from validator.errors import ValidatorError
from validator.grounding.limits import hard_limit, left_until
from validator.questions.job import Bounds, Job
from validator.workers.lanes import Lanes, Unanswered
from validator.workers.limits import guard
from validator.workers.process import Tell
from validator.workers.queue import BusyError, Work

_MOST_WAITING = 10_000


class RefusedError(ValidatorError):
    """A call that is not answered, with the reason."""


class Calls:
    """Answers calls by so many processes, each started by a call. Used within one event loop."""

    def __init__(self, size: int, bounds: Bounds) -> None:
        self._size, self._bounds = size, bounds
        self._lanes: Lanes | None = None

    async def answer(self, tool: str, arguments: Mapping[str, Any], client: str = "") -> Mapping[str, Any]:
        """Return what a tool answers, when a process has time. Raises RefusedError.

        Clients take turns; one without a name is the only one.
        """
        size, most = len(json.dumps(arguments)), self._bounds.most_characters
        if size > most:
            raise RefusedError(f"the arguments have {size:,} characters; the limit is {most:,}")
        answered = asyncio.get_running_loop().create_future()

        def finish(work: Work, found: Any) -> None:
            if not answered.done():
                answered.set_result(found)

        work = Work(
            request=(tool, dict(arguments)),
            seconds=self._bounds.time_limit,
            client=client,
            is_quick=False,
            finish=finish,
        )
        lanes = self._started()
        lanes.try_to_submit(work)
        try:
            found = await answered
        except asyncio.CancelledError:
            lanes.cancel(work)
            raise
        if isinstance(found, BusyError):
            whose = "of your calls" if found.is_own else "calls"
            raise RefusedError(f"too many {whose} are waiting: {found}")
        if isinstance(found, Unanswered):
            raise RefusedError(f"the call has no answer: {found}")
        if isinstance(found, str):
            raise RefusedError(found)
        return found  # type: ignore[no-any-return]

    def _started(self) -> Lanes:
        if self._lanes is None:
            answer = partial(_answer, self._bounds)
            self._lanes = Lanes(answer, _prepare, quick=0, slow=self._size, most=_MOST_WAITING)
            self._lanes.start()
        return self._lanes

    async def close(self) -> None:
        """End the processes, whatever they are at."""
        if self._lanes is not None:
            await self._lanes.close()


def _prepare() -> None:
    import validator.mcp.tools  # noqa: F401


def _answer(
    bounds: Bounds, call: tuple[str, Mapping[str, Any]], is_quick: bool, spent: float, tell: Tell
) -> Mapping[str, Any] | str:
    """Return the answer of a tool, or why there is none."""
    from validator.mcp.tools import TOOLS, read_call

    tool, arguments = call
    try:
        asked = read_call(TOOLS[tool], arguments)
        seconds = bounds.seconds(asked.time_limit)
        left = partial(left_until, time.monotonic() + seconds)
        with guard(hard_limit(seconds), bounds.memory_limit) as bell:  # a check ends itself by then
            return TOOLS[tool].answer(asked, Job(bounds=bounds, left=left, known=bell.end))
    except OutOfTime:
        return "the time limit was met before there was an answer"
    except MemoryError:
        return f"more than {bounds.memory_limit:,} bytes would be needed"
    except RecursionError:
        return "the text is nested too deeply"
    except (ValidatorError, ValueError) as error:
        return str(error)
