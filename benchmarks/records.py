"""Many records through ``plan-validator batch``: rate, the planner's share, memory, and Dask beside the pool.

The records are the recorded answers of PlanBench, repeated to the number that is asked for.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Cost, cost_of, run_process
from benchmarks.options import ROOT, Options
from benchmarks.table import Cell, Goal, Table, ratio

__all__ = ["run"]

DATA = ROOT.parent / "shared" / "data" / "planbench"
RECORDS, REPAIRS, FEW, MANY = 5_000, 400, 10_000, 100_000
CORES = 2
RATE, PLANNER, DASK, GROWTH = 1_500.0, 0.7, 1.3, 1.05

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
    if not (DATA / "plans.jsonl").is_file():
        note = f"no recorded answers in {DATA}"
        return [Table(title="records", about="batches", columns=(), rows=(), notes=(note,))]
    with TemporaryDirectory() as name:
        bench = _Bench(Path(name))
        return [bench.rates(), bench.repairs(), bench.memory()]


class _Bench:
    """Runs batches in a directory of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.batch, self.dask = folder / "in_pool.py", folder / "on_dask.py"
        self.batch.write_text(_BATCH, encoding="utf-8")
        self.dask.write_text(_DASK, encoding="utf-8")

    def rates(self) -> Table:
        """Return the rate without repair, and what a Dask cluster of two workers costs beside the pool."""
        file = self.file(RECORDS)
        one, _, _ = self.cost(self.batch, file, "--no-repair", "--workers", "1")
        pool, _, _ = self.cost(self.batch, file, "--no-repair", "--workers", str(CORES))
        rate = CORES * RECORDS / pool.cpu
        rows: list[tuple[Cell, ...]] = [
            ("one process", RECORDS, one.cpu, None, ratio(one.cpu, pool.cpu), one.wall),
            ("two processes", RECORDS, pool.cpu, rate, 1.0, pool.wall),
        ]
        goals = [
            Goal(what="two processes", measured=rate, limit=RATE, unit="records a second on two cores", at_least=True)
        ]
        if find_spec("distributed") is not None:
            whole, _, _ = self.cost(self.dask, file, "--no-repair")
            # An idle cluster looks after itself all the time: more on a busy machine, where the run takes longer.
            command = [sys.executable, str(self.dask), "idle", f"{whole.wall:.1f}"]
            idle, _ = cost_of(lambda: run_process(command, directory=self.folder))
            cpu = whole.cpu - idle.cpu
            times = ratio(cpu, pool.cpu)
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

    def repairs(self) -> Table:
        """Return the planner's share of a batch that repairs."""
        cost, results, _ = self.cost(self.batch, self.file(REPAIRS), "--workers", str(CORES))
        planner = sum(json.loads(line).get("planner_cpu", 0.0) for line in results.open(encoding="utf-8"))
        share = planner / cost.cpu
        return Table(
            title="records, repaired",
            about=f"each of {REPAIRS} recorded answers once, on {_models(REPAIRS)} models",
            columns=("records", "cpu s", "planner cpu s", "ms a record"),
            rows=((REPAIRS, cost.cpu, planner, 1000 * cost.cpu / REPAIRS),),
            goals=(
                Goal(what="the planner's own", measured=share, limit=PLANNER, unit="of all CPU seconds", at_least=True),
            ),
        )

    def memory(self) -> Table:
        """Return the largest resident size of the run and of a worker, for few records and for many."""
        rows: list[tuple[Cell, ...]] = []
        sizes = []
        for number in (FEW, MANY):
            cost, _, resident = self.cost(self.batch, self.file(number), "--no-repair", "--workers", str(CORES))
            sizes.append(resident)
            rows.append((number, resident[0] / 1024, resident[1] / 1024, cost.cpu))
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

    def file(self, number: int) -> Path:
        """Return a file of so many records."""
        path = self.folder / f"{number}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in islice(_records(), number))
        return path

    def cost(self, script: Path, file: Path, *arguments: str) -> tuple[Cost, Path, tuple[int, int]]:
        """Return what a batch cost, its results, and the largest resident sizes in KiB, of the run and of a worker."""
        out = file.with_suffix(".results")
        out.unlink(missing_ok=True)
        command = [sys.executable, str(script), "batch", str(file), "-o", str(out), *arguments]
        cost, done = cost_of(lambda: run_process(command, directory=self.folder))
        if done.code != 0:
            raise RuntimeError(done.output)
        own, worker = map(int, done.output.splitlines()[-1].split())
        return cost, out, (own, worker)


def _records() -> Iterator[str]:
    rows = _rows()
    for number, row in enumerate(cycle(rows)):
        yield json.dumps(
            {
                "id": number,
                "domain": str(DATA / str(row["domain_file"])),
                "problem": str(DATA / str(row["problem_file"])),
                "answer": row["raw_response"] or "",
                "model": row["model"],
            }
        )


def _rows() -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / "plans.jsonl").read_text(encoding="utf-8").splitlines()]


def _models(number: int) -> int:
    return len({(row["domain_file"], row["problem_file"]) for row in islice(cycle(_rows()), number)})
