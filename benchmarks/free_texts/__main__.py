"""``python -m benchmarks.free_texts [--count N] [--seed S]``: print the texts as JSON, one a line."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from benchmarks.free_texts.generate import texts

parser = argparse.ArgumentParser(prog="python -m benchmarks.free_texts", description="Print generated texts as JSON.")
parser.add_argument("--count", type=int, default=5_000, metavar="N")
parser.add_argument("--seed", type=int, default=0, metavar="S")
given = parser.parse_args()
for told in texts(given.count, given.seed):
    print(json.dumps(asdict(told) | {"verdict": told.truth}, ensure_ascii=False))
