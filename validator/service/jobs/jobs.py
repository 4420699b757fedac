"""The jobs: what clients asked for, computed once where several asked the same, kept where they come back for it."""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from sys import getsizeof
from typing import Any

from validator import __version__
from validator.questions.question import Question
from validator.service.jobs.store import Store
from validator.service.jobs.worker import CANCELLED, STOPPED, Answer, busy, refusal, unanswered
from validator.service.operations.operations import OPERATIONS
from validator.service.operations.requests import reader
from validator.service.problems import ProblemError, problem_of
from validator.service.settings import Settings
from validator.workers.lanes import Lanes
from validator.workers.queue import BusyError, Work

BATCHES = "batches"
_RECENT_BYTES = 8 * 2**20
"""of answers that are remembered: for who asks again soon, not a store"""
_ENDS = {CANCELLED.body: "cancelled", STOPPED.body: "interrupted"}


@dataclass(eq=False, slots=True, kw_only=True)
class Job:
    """What one client asked for; ``answer`` is done when there is one. ``progress`` is what is known so far."""

    id: str
    operation: str
    client: str
    key: str = ""
    request: bytes = b""
    created: float = field(default_factory=time.time)
    status: str = "queued"
    progress: Mapping[str, Any] = field(default_factory=dict)
    answer: Future[Answer] = field(default_factory=Future)
    is_kept: bool = False
    is_ending: bool = False
    work: Shared | None = None


@dataclass(eq=False, slots=True, kw_only=True)
class Shared(Work):
    """Work that one or more jobs of equal requests wait for."""

    key: str
    jobs: list[Job] = field(default_factory=list)


def owner(client: str) -> str:
    """Return whose the jobs of a client are: its token's; without one, whose address may change, nobody's."""
    return client if client.startswith("token ") else ""


class Jobs:
    """All jobs of a service. Jobs are submitted in the event loop; the other methods may be called from any thread."""

    def __init__(self, settings: Settings, lanes: Lanes, store: Store) -> None:
        self.store = store
        self.counts: Counter[tuple[str, str]] = Counter()
        self.seconds: dict[str, float] = defaultdict(float)
        self._lanes = lanes
        self._settings = settings
        self._lock = threading.RLock()
        self._live: dict[str, Job] = {}
        self._shared: dict[str, Shared] = {}
        self._recent: OrderedDict[str, Answer] = OrderedDict()
        self._recent_bytes = 0
        self._keeping = ThreadPoolExecutor(1, "keeping")

    def submit(self, operation: str, request: Question, client: str, *, owed: bool = False) -> Job:
        """Start a job, unless the answer is known or on its way. Raises ProblemError when too much waits."""
        try:
            seconds = self._settings.bounds.seconds(request.time_limit)
        except ValueError as error:
            raise ProblemError(problem_of(error)) from None
        body: bytes = reader(type(request)).dump_json(request)
        # Another version may answer otherwise: what it kept is not taken for an answer of this one.
        key = blake2b(f"{__version__}\0{operation}\0".encode() + body, digest_size=20).hexdigest()
        job = Job(id=_name(), operation=operation, client=client, key=key, request=body)
        with self._lock:
            known = self._known(key)
            if known is None:
                self._join(job, request, seconds, owed=owed)
            else:
                self.counts[operation, "shared"] += 1
            self._live[job.id] = job
        if known is not None:
            self.finish(job, known)
        return job

    def open(self, operation: str, client: str) -> Job:
        """Start a kept job that is worked on elsewhere; ``finish`` ends it."""
        job = Job(id=_name(), operation=operation, client=client, request=b"{}", status="running")
        self._live[job.id] = job
        self.keep(job)
        return job

    def keep(self, job: Job) -> None:
        """Keep a job for a client that comes back for it. Raises ProblemError when the store takes nothing."""
        if job.is_kept:
            return
        try:
            self.store.add(job.id, job.key, job.operation, owner(job.client), job.created, job.request)
        except ProblemError:  # nobody can come back for it
            self.cancel(job)
            raise
        with self._lock:
            job.is_kept, has_ended = True, job.answer.done()
        if has_ended:
            self._store(job, job.status, job.answer.result())

    def stop(self) -> None:
        """End every job that is left: the service ends."""
        self._keeping.shutdown()
        for job in list(self._live.values()):
            self.finish(job, STOPPED)

    def live(self, name: str) -> Job | None:
        """Return a job that is not finished."""
        return self._live.get(name)

    def cancel(self, job: Job) -> None:
        """End a job; its work ends when no other job waits for it."""
        with self._lock:
            work, job.work = job.work, None
            if work is not None and job in work.jobs:
                work.jobs.remove(job)
            is_alone = work is not None and not work.jobs
            if work is not None and is_alone:
                self._forget(work)
        self.finish(job, CANCELLED)
        if work is not None and is_alone:
            self._lanes.cancel(work)

    # --- inside --------------------------------------------------------------------------------------

    def _known(self, key: str) -> Answer | None:
        found = self._recent.get(key)
        if found is not None:
            self._recent.move_to_end(key)
            return found
        kept = self.store.find(key)
        return None if kept is None else Answer(kept.http or 200, kept.body, is_final=True)

    def _join(self, job: Job, request: Question, seconds: float, *, owed: bool) -> None:
        """Let a job wait for the work of its request, which begins with the first one."""
        work = self._shared.get(job.key)
        if work is None:
            work = Shared(
                request=(job.operation, job.request),
                seconds=seconds,
                client=job.client,
                is_quick=OPERATIONS[job.operation].is_quick(request),
                finish=self._done,
                news=lambda work, value: self._each(work, progress=value),
                started=lambda work: self._each(work, status="running"),
                key=job.key,
            )
            try:
                self._lanes.submit(work, is_owed=owed)
            except BusyError as error:
                raise ProblemError(busy(error)) from None
            self._shared[job.key] = work
        else:
            self.counts[job.operation, "shared"] += 1
            job.status = work.jobs[0].status
        work.jobs.append(job)
        job.work = work

    def _forget(self, work: Shared) -> None:
        if self._shared.get(work.key) is work:
            del self._shared[work.key]

    def _done(self, work: Shared, found: Any) -> None:
        answer = found if isinstance(found, Answer) else unanswered(found)
        with self._lock:
            self._forget(work)
            if answer.is_final:
                self._remember(work.key, answer)
            jobs = tuple(work.jobs)
        for job in jobs:
            if job.is_kept:  # which writes to a disk: the event loop does not wait for that
                self._finish_later(job, answer)
            else:
                self.finish(job, answer)

    def _finish_later(self, job: Job, answer: Answer) -> None:
        try:
            self._keeping.submit(self.finish, job, answer)
        except RuntimeError:  # the service ends, and nobody is served in the meantime
            self.finish(job, answer)

    def finish(self, job: Job, answer: Answer) -> None:
        """Keep the answer, and only then let anybody see it; the disk is written to without the lock."""
        status = "done" if answer.status == 200 else _ENDS.get(answer.body, "failed")
        with self._lock:
            if job.is_ending:
                return
            job.is_ending = True
            if not job.is_kept:
                self._end(job, answer, status)
                return
        try:
            self._store(job, status, answer)
        except ProblemError as error:
            self._end(job, refusal(error.problem), "failed", is_stored=False)
        else:
            self._end(job, answer, status)

    def _end(self, job: Job, answer: Answer, status: str, *, is_stored: bool = True) -> None:
        """Let the answer be seen; a job that could not be stored stays live, as the store calls it unfinished."""
        with self._lock:
            if is_stored:
                self._live.pop(job.id, None)
            job.status = status
            self.counts[job.operation, status] += 1
            self.seconds[job.operation] += time.time() - job.created
            job.answer.set_result(answer)

    def _store(self, job: Job, status: str, answer: Answer) -> None:
        # An answer that another time may be another one is kept, and never taken for that of a later request.
        kept_as = "limited" if status == "done" and not answer.is_final else status
        self.store.finish(job.id, kept_as, answer.status, answer.body)

    def _each(self, work: Shared, **values: Any) -> None:
        with self._lock:
            for job in work.jobs:
                for name, value in values.items():
                    setattr(job, name, value)

    def _remember(self, key: str, answer: Answer) -> None:
        self._recent[key] = answer
        self._recent_bytes += _size(key, answer)
        while self._recent_bytes > _RECENT_BYTES:
            self._recent_bytes -= _size(*self._recent.popitem(last=False))


def _name() -> str:
    return secrets.token_urlsafe(16)


def _size(key: str, answer: Answer) -> int:
    """Return the bytes that a remembered answer takes."""
    return getsizeof(key) + getsizeof(answer) + getsizeof(answer.body)
