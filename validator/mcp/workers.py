"""Processes that answer calls one at a time, each within its limits; one that is not waited for any more is ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, Executor
from typing import Any

from validator.alarms import OutOfTime
from validator.errors import ValidatorError
from validator.questions.job import Bounds, Job
from validator.workers.limits import guard
from validator.workers.pool import LocalPool

__all__ = ["RefusedError", "Workers"]


class RefusedError(ValidatorError):
    """A call that is not answered, with the reason."""


class Workers:
    """So many processes, started by the first call. Used within one event loop."""

    def __init__(self, size: int, bounds: Bounds) -> None:
        self._bounds = bounds
        self._pool = LocalPool(size)
        self._idle: asyncio.Queue[Executor | None] | None = None
        """processes without a call; None for one that was ended, in place of which a call starts another one"""
        self._starting = asyncio.Lock()

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what a tool answers. Raises RefusedError.

        A call waits until a process is idle. When it is cancelled, or its process dies, another process takes the
        place of that one, with the next call: a server that is stopped cancels its calls as well.
        """
        size, most = len(json.dumps(arguments)), self._bounds.most_characters
        if size > most:
            raise RefusedError(f"the arguments have {size:,} characters; the limit is {most:,}")
        idle = await self._started()
        executor = await self._awake(await idle.get(), idle)
        try:
            answer = await asyncio.wrap_future(executor.submit(_answer, tool, dict(arguments), self._bounds))
        except BaseException as error:
            self._pool.end(executor)
            idle.put_nowait(None)
            if isinstance(error, BrokenExecutor):
                raise RefusedError("the process that worked on this call died") from None
            raise
        idle.put_nowait(executor)
        if isinstance(answer, str):
            raise RefusedError(answer)
        return answer

    async def _awake(self, executor: Executor | None, idle: asyncio.Queue[Executor | None]) -> Executor:
        """Return a process that works, and leave the place of one to others that could not be started."""
        if executor is not None:
            return executor
        starting = asyncio.ensure_future(asyncio.to_thread(self._pool.another))
        try:
            return await asyncio.shield(starting)
        except BaseException:
            starting.add_done_callback(lambda done: idle.put_nowait(None if done.exception() else done.result()))
            raise

    async def _started(self) -> asyncio.Queue[Executor | None]:
        async with self._starting:
            if self._idle is None:
                executors = await asyncio.to_thread(self._pool.executors)
                self._idle = asyncio.Queue()
                for executor in executors:
                    self._idle.put_nowait(executor)
        return self._idle

    def close(self) -> None:
        """End the processes, whatever they are at."""
        self._pool.close(kill=True)


def _answer(tool: str, arguments: Mapping[str, Any], bounds: Bounds) -> Mapping[str, Any] | str:
    """Return the answer of a tool, or why there is none. Runs in a worker."""
    from validator.mcp.tools import TOOLS, asked_of

    try:
        asked = asked_of(TOOLS[tool], arguments)
        with guard(bounds.seconds(asked.time_limit), bounds.memory_limit):
            return TOOLS[tool].answer(asked, Job(bounds=bounds))
    except OutOfTime:
        return "the time limit was met before there was an answer"
    except MemoryError:
        return f"more than {bounds.memory_limit:,} bytes would be needed"
    except RecursionError:
        return "the text is nested too deeply"
    except (ValidatorError, ValueError) as error:
        return str(error)
