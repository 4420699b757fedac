"""Many records through ``plan-validator batch``: rate, memory, and Dask beside the pool.

The records are the recorded answers of PlanBench, repeated to the number that is asked for.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import cycle, islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.options import Options
from benchmarks.process import Run, measured
from benchmarks.table import Cell, Goal, Table, absent, ratio
from validator.checking.check import check
from validator.checking.prepared import prepare
from validator.reading.tokens import tokenize

__all__ = ["run"]

RECORDS, FEW, MANY, SAMPLE = 5_000, 10_000, 100_000, 2_000
CORES = 2
_LIMIT = 3600
"""seconds of wall clock for a batch"""
RATE, DASK, GROWTH = 1_500.0, 1.3, 1.05

_BATCH = """
import resource, sys
from validator.cli import main
if __name__ == "__main__":
    code = main(sys.argv[1:])
    print(*(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
    sys.exit(code)
"""
_DASK = """
import os, sys, time
os.environ["DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED"] = "False"
from distributed import LocalCluster
from validator.cli import main
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        if sys.argv[1] == "idle":
            time.sleep(float(sys.argv[2]))
            code = 0
        else:
            code = main([*sys.argv[1:], "--cluster", cluster.scheduler_address])
    print(0, 0)
    sys.exit(code)
"""


def run(options: Options) -> list[Table]:
    """Measure batches of two workers; CPU seconds are of the run and all its processes."""
    data = options.data / "planbench"
    if missing := absent("records", data / "plans.jsonl"):
        return missing
    with TemporaryDirectory() as name:
        bench = _Bench(Path(name), data)
        decided = bench.ran(bench.batch, bench.file(RECORDS), "--no-repair", "--workers", str(CORES))
        return [bench.rates(decided), bench.memory(), _parts(data)]


class _Bench:
    """Runs batches in a directory of its own."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder, self.data = folder, data
        self.batch, self.dask = folder / "in_pool.py", folder / "on_dask.py"
        self.batch.write_text(_BATCH, encoding="utf-8")
        self.dask.write_text(_DASK, encoding="utf-8")

    def rates(self, pool: Run) -> Table:
        """Return the rate without repair, and what a Dask cluster of two workers costs beside the pool."""
        file = self.file(RECORDS)
        one, two = self.ran(self.batch, file, "--no-repair", "--workers", "1"), pool
        rate = CORES * RECORDS / two.cpu
        rows: list[tuple[Cell, ...]] = [
            ("one process", RECORDS, one.cpu, None, ratio(one.cpu, two.cpu), one.wall),
            ("two processes", RECORDS, two.cpu, rate, 1.0, two.wall),
        ]
        goals = [
            Goal(what="two processes", measured=rate, limit=RATE, unit="records a second on two cores", at_least=True)
        ]
        if find_spec("distributed") is not None:
            whole = self.ran(self.dask, file, "--no-repair")
            # An idle cluster looks after itself all the time: more on a busy machine, where the run takes longer.
            command = [sys.executable, str(self.dask), "idle", f"{whole.wall:.1f}"]
            idle = measured(command, self.folder, seconds=_LIMIT)
            cpu = whole.cpu - idle.cpu
            times = ratio(cpu, two.cpu)
            rows.append(
                ("Dask, two workers, less the same time idle", RECORDS, cpu, CORES * RECORDS / cpu, times, whole.wall)
            )
            goals.append(
                Goal(what="Dask beside the pool", measured=times or 0.0, limit=DASK, unit="times its CPU seconds")
            )
        return Table(
            title="records",
            about="recorded answers of language models, decided only",
            columns=("workers", "records", "cpu s", "records/s on two cores", "times the pool", "wall s"),
            rows=tuple(rows),
            goals=tuple(goals),
        )

    def memory(self) -> Table:
        """Return the largest resident size of the run and of a worker, for few records and for many."""
        rows: list[tuple[Cell, ...]] = []
        sizes = []
        for size in (FEW, MANY):
            ran = self.ran(self.batch, self.file(size), "--no-repair", "--workers", str(CORES))
            run, worker = (int(kibibytes) / 1024 for kibibytes in ran.stdout.split()[-2:])
            sizes.append((run, worker))
            rows.append((size, run, worker, ran.cpu))
        growth = max(many / few for few, many in zip(*sizes, strict=True))
        return Table(
            title="records, memory",
            about="largest resident size",
            columns=("records", "run, MiB", "worker, MiB", "cpu s"),
            rows=tuple(rows),
            goals=(
                Goal(what=f"{MANY:,} beside {FEW:,} records", measured=growth, limit=GROWTH, unit="times the memory"),
            ),
        )

    def file(self, size: int) -> Path:
        """Return a file of so many records."""
        path = self.folder / f"{size}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in islice(_records(self.data), size))
        return path

    def ran(self, script: Path, file: Path, *arguments: str) -> Run:
        """Run a batch to its end; its CPU seconds are those of the run and its workers."""
        out = file.with_suffix(".results")
        out.unlink(missing_ok=True)
        command = [sys.executable, str(script), "batch", str(file), "-o", str(out), *arguments]
        done = measured(command, self.folder, seconds=_LIMIT)
        if done.code != 0:
            raise RuntimeError(done.output)
        return done


def _parts(data: Path) -> Table:
    """Return where the time of a worker goes, on models that were read before."""
    chosen = list(islice(cycle(_rows(data)), SAMPLE))
    models = {
        files: prepare(*(data / file for file in files))
        for files in {(str(row["domain_file"]), str(row["problem_file"])) for row in chosen}
    }
    spent = dict.fromkeys(("reading the text", "execution and the report", "the report as JSON"), 0.0)
    for row in chosen:
        model = models[str(row["domain_file"]), str(row["problem_file"])]
        marks = [time.process_time()]
        plan = tokenize(str(row["raw_response"] or ""), model.vocabulary)
        marks.append(time.process_time())
        report = check(model, None, plan, repair=False)
        marks.append(time.process_time())
        json.dumps(report.to_json())
        marks.append(time.process_time())
        for part, (start, end) in zip(spent, pairwise(marks), strict=True):
            spent[part] += end - start
    whole = sum(spent.values())
    return Table(
        title="records, parts",
        about=f"CPU seconds of one process for {SAMPLE:,} recorded answers, decided only, models read before",
        columns=("part", "cpu s", "percent"),
        rows=tuple((part, cpu, 100 * cpu / whole) for part, cpu in spent.items()),
    )


def _records(data: Path) -> Iterator[str]:
    rows = _rows(data)
    for place, row in enumerate(cycle(rows)):
        yield json.dumps(
            {
                "id": place,
                "domain": str(data / str(row["domain_file"])),
                "problem": str(data / str(row["problem_file"])),
                "answer": row["raw_response"] or "",
                "model": row["model"],
            }
        )


def _rows(data: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (data / "plans.jsonl").read_text(encoding="utf-8").splitlines()]
