"""Batches: the records of a JSONL body, a few at a time through the workers, their lines kept as they come."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator

from validator.service.jobs.jobs import BATCHES, Job, Jobs
from validator.service.jobs.worker import Answer, refusal
from validator.service.operations.checks import Record
from validator.service.problems import Problem, ProblemError
from validator.service.settings import Settings

_AHEAD = 4
"""Records of a batch that may be at the workers at once: the others stay out of the way of other clients."""


class Batches:
    """The batches that run, each a task of the event loop."""

    def __init__(self, settings: Settings, jobs: Jobs) -> None:
        self._settings = settings
        self._jobs = jobs
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, body: bytes, client: str) -> Job:
        """Start a batch. Raises ProblemError for a body that is no text, and when too many batches run."""
        if len(self._tasks) >= self._settings.most_batches:
            problem = Problem(
                kind="busy", status=503, title="Too many batches are running", detail="try again later", retry_after=30
            )
            raise ProblemError(problem)
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError as error:
            said = f"byte {error.start} is {error.object[error.start]:#04x}"
            raise ProblemError(Problem(kind="json", status=400, title="The body is not UTF-8", detail=said)) from None
        records = [Record(line=line, number=number) for number, line in _lines(text)]
        if not records:
            raise ProblemError(Problem(kind="request", status=422, title="The batch has no records"))
        job = self._jobs.open(BATCHES, client)
        job.progress = {"done": 0, "of": len(records)}
        task = asyncio.create_task(self._run(job, records))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))
        return job

    async def stop(self) -> None:
        """End all batches; what they have done is kept."""
        for task in list(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _run(self, job: Job, records: list[Record]) -> None:
        verdicts: Counter[str] = Counter()
        waiting = iter(records)
        own: set[asyncio.Task[tuple[int, str]]] = set()
        try:
            while not job.answer.done():
                for record in waiting:
                    own.add(asyncio.create_task(self._record(job, record)))
                    if len(own) >= _AHEAD:
                        break
                if not own:
                    break
                done, own = await asyncio.wait(own, return_when=asyncio.FIRST_COMPLETED)
                lines = [task.result() for task in done]
                self._jobs.store.add_lines(job.id, lines)
                verdicts.update(json.loads(line)["verdict"] for _, line in lines)
                job.progress = {"done": sum(verdicts.values()), "of": len(records), "verdicts": dict(verdicts)}
            body = json.dumps(job.progress).encode()
            self._jobs.finish(job, Answer(200, body))
        except Exception as error:
            self._jobs.finish(
                job, refusal(Problem(kind="internal", status=500, title="The batch failed", detail=str(error)))
            )
        finally:
            for task in own:
                task.cancel()

    async def _record(self, job: Job, record: Record) -> tuple[int, str]:
        """Return a record's number and result line; what the service could not do is its result as well."""
        own = self._jobs.submit("record", record, job.client, owed=True)
        try:
            answer = await asyncio.shield(asyncio.wrap_future(own.answer))
        except asyncio.CancelledError:
            self._jobs.cancel(own)
            raise
        value = json.loads(answer.body)
        if answer.status == 200:
            return record.number, value["line"]
        error = {"kind": "service", "message": value.get("detail") or value["title"]}
        name = f"line:{record.number}"
        return record.number, json.dumps(
            {"id": name, "line": record.number, "verdict": "error", "error": error, "tags": {}}
        )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line
