"""Batches of plans of models that differ in one small thing, by several processes."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.laws import Case, case_of, command, law, mutated_model, readable, text_of
from validator import ModelError
from validator.checking.prepared import prepare
from validator.model.pddl import read_model


def alike(seed: int) -> list[Case]:
    """Return a model and others that differ from it a little, those of them that can be read and have few states."""
    case = case_of(seed, "sw")
    found = [case]
    for texts in [mutated_model(case.texts, case.draw) for _ in range(6)]:
        with suppress(ModelError):  # a name too many, or a type that has none of what is named
            prepare(read_model(*texts))
            oracle = readable(texts)
            if oracle is not None and oracle.steps:
                found.append(Case(texts, oracle, [], case.draw))
    return found


@law(1)
def test_each_plan_of_a_batch_has_the_result_that_it_has_alone(seed: int) -> None:
    models = alike(seed)
    draw = models[0].draw
    asked = [(draw.choice(models), draw.choice(models).walk(3, (0, 1), 1.0)) for _ in range(8)]
    quality = draw.choice(("sound", "valid"))
    with TemporaryDirectory() as name:
        folder = Path(name)
        records = [
            {"id": number, "domain": case.texts[0], "problem": case.texts[1], "plan": text_of(plan)}
            for number, (case, plan) in enumerate(asked)
        ]
        (folder / "records.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
        words = ["--quality", quality, "--workers", draw.choice((1, 2, 3)), "--nearest", "edits"]
        command("batch", folder / "records.jsonl", "-o", folder / "results.jsonl", *words)
        results = {
            each["id"]: each["report"] for each in map(json.loads, (folder / "results.jsonl").read_text().splitlines())
        }
    assert sorted(results) == list(range(8))
    for number, (case, plan) in enumerate(asked):
        report, nearest = results[number], case.oracle.nearest(plan, quality, "edits", 1)
        changes = sum(diff["diff_type"] in ("+", "-") for diff in report["plan_diff_obj"])
        told = (case.texts, plan, quality, report, nearest)
        assert report["determination"] is (nearest is not None and nearest[0] == 0), told
        if report["determination"]:
            continue
        if report["repaired_plan"] is None:
            assert nearest is None or not report["proven"], told
        else:
            assert nearest is not None and changes >= nearest[0], told
            assert changes == nearest[0] or not report["proven"], told
