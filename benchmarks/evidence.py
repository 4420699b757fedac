"""Asking a language model again, beside the nearest repair of its first invalid answer.

Reads PlanBench's recorded rounds of back-prompting, in which a sound validator told the model what was wrong, from a
checkout of the public repository karthikv792/LLMs-Planning below ``--data``, and copies nothing of it. What the rounds
came to is counted over all episodes; repairs are made on a sample, spread evenly over the first answers that are
invalid. Whether a model is helped by this package's feedback cannot be told from recorded rounds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.options import Options
from benchmarks.table import Cell, Table, skipped
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.errors import ModelError
from validator.grading.planbench.answers import model_of_prompt
from validator.reading.tokens import read

__all__ = ["Episode", "Repaired", "episodes", "run"]

CHECKOUT = "LLMs-Planning"
SAMPLE = 40
SECONDS = 10.0
"""of each repair"""
NEAR = 6
"""changed lines up to which an answer counts as a near miss"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One instance and the answers of a model in its rounds; ``recorded`` are the validator's verdicts on them.

    ``verdicts`` are ours: None for an answer that was not understood. ``seconds`` are what the rounds took.
    """

    id: str
    domain: str
    model: str
    pddl: tuple[str, str]
    answers: tuple[str, ...]
    recorded: tuple[bool | None, ...]
    seconds: tuple[float, ...]
    verdicts: tuple[bool | None, ...] = ()

    @property
    def round(self) -> int | None:
        """Return the first round, from 0, whose answer is valid."""
        return next((place for place, valid in enumerate(self.verdicts) if valid), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """``edits`` is the number of changed lines, None where no plan was found in time; ``lines`` those answered."""

    episode: Episode
    edits: int | None
    proven: bool
    lines: int
    seconds: float


def run(options: Options) -> list[Table]:
    """Judge all rounds, and repair a sample of the first answers that are invalid."""
    folder = options.data / CHECKOUT / "llm_planning_analysis"
    folders = (folder / name for name in ("results", "results_backprompting"))
    files = sorted(path for each in folders for path in each.glob("*/*/*backprompting*.json"))
    if not files:
        return [skipped("evidence", f"no rounds of back-prompting in {folder} (see --data)")]
    found = list(map(_judged, episodes(files)))
    invalid = [each for each in found if each.verdicts[0] is False]
    size = options.cases or SAMPLE
    chosen = [invalid[place * len(invalid) // size] for place in range(min(size, len(invalid)))]
    repairs = [_repaired(each) for each in chosen]
    return [_rounds(found), _beside(repairs)]


def episodes(files: Sequence[Path]) -> Iterator[Episode]:
    """Yield the episodes whose prompts show their PDDL and whose rounds are kept apart."""
    for path in files:
        value = json.loads(path.read_text(encoding="utf-8"))
        domain, model = path.parent.parent.name, path.parent.name
        for item in value["instances"]:
            rounds = [item["step_wise_dict"][key] for key in sorted(item.get("step_wise_dict") or {}, key=int)]
            prompts = [message["content"] for message in item.get("messages", ()) if message["role"] == "user"]
            pddl = model_of_prompt(prompts[0]) if prompts else None
            said = [message["content"] for message in item.get("messages", ()) if message["role"] == "assistant"]
            if rounds and pddl is not None and len(said) >= len(rounds):
                yield Episode(
                    id=f"{domain}/{model}/{item['instance_id']}",
                    domain=domain,
                    model=model,
                    pddl=pddl,
                    answers=tuple(said[: len(rounds)]),
                    recorded=tuple(map(_recorded, rounds)),
                    seconds=tuple(float(each.get("time_taken") or 0) for each in rounds),
                )


def _recorded(given: Mapping[str, Any]) -> bool | None:
    told = given.get("sound_verifier_json")
    return bool(told["validation_info"]["is_valid_plan"]) if isinstance(told, dict) else None


def _judged(episode: Episode) -> Episode:
    """Return an episode with our verdicts on its answers; a text without a plan is no valid plan."""
    try:
        model = prepare(*episode.pddl)
    except ModelError:
        return replace(episode, verdicts=(None,) * len(episode.answers))
    return replace(episode, verdicts=tuple(_verdict(model, text) for text in episode.answers))


def _verdict(model: Prepared, text: str) -> bool | None:
    if read(text, model.vocabulary).no_plan is not None:
        return None  # what it claims is another question, and a planner's
    report = check(model, None, text, repair=False)
    return report.determination if report.is_understood else None


def _repaired(episode: Episode) -> Repaired:
    begun = time.process_time()
    report = check(*episode.pddl, episode.answers[0], time_limit=SECONDS)
    edits = [diff for diff in report.plan_diff_obj if diff.diff_type is not None]
    found = report.repaired_plan is not None
    return Repaired(
        episode=episode,
        edits=len(edits) if found else None,
        proven=report.proven,
        lines=len(report.reference),
        seconds=time.process_time() - begun,
    )


# --- tables --------------------------------------------------------------------------------------


def _rounds(found: Sequence[Episode]) -> Table:
    """Return what asking came to, by domain and model."""
    groups: dict[tuple[str, str], list[Episode]] = {}
    for each in found:
        groups.setdefault((each.domain, each.model), []).append(each)
    rows = [(*names, *_counts(group)) for names, group in sorted(groups.items())]
    rows.append(("all", "", *_counts(found)))
    answers = [pair for each in found for pair in zip(each.recorded, each.verdicts, strict=True)]
    differ = sum(one is not other for one, other in answers if None not in (one, other))
    both = sum(None not in pair for pair in answers)
    return Table(
        title="evidence: rounds",
        about="what asking again came to, over all recorded episodes",
        columns=("domain", "model", "episodes", "valid at once", "valid later", "median rounds more", "never valid",
                 "first not understood", "seconds a round"),
        rows=tuple(rows),
        notes=(f"of {both:,} answers with the recorded verdict of a validator, {differ:,} are judged otherwise here",),
    )  # fmt: skip


def _counts(group: Sequence[Episode]) -> tuple[Cell, ...]:
    rounds = [each.round for each in group]
    later = [place for place in rounds if place]
    spent = [seconds for each in group for seconds in each.seconds if seconds]
    return (
        len(group),
        rounds.count(0),
        len(later),
        float(median(later)) if later else None,
        rounds.count(None),
        sum(each.verdicts[0] is None for each in group),
        float(median(spent)) if spent else None,
    )


def _beside(repairs: Sequence[Repaired]) -> Table:
    """Return asking beside repairing, on the same first answers that are invalid."""
    groups: dict[str, list[Repaired]] = {}
    for each in repairs:
        groups.setdefault(each.episode.model, []).append(each)
    rows = [(name, *_pair(group)) for name, group in sorted(groups.items())]
    return Table(
        title="evidence: asking and repairing",
        about=f"a sample of {len(repairs)} first answers that are invalid; repairs within {SECONDS:g} s each",
        columns=("model", "invalid answers", "valid after asking", "repaired", "proven nearest",
                 f"of these, at most {NEAR} lines", "median changed lines", "median lines answered", "median cpu s"),
        rows=(*rows, ("all", *_pair(repairs))),
    )  # fmt: skip


def _pair(group: Sequence[Repaired]) -> tuple[Cell, ...]:
    edits = [each.edits for each in group if each.edits is not None]
    return (
        len(group),
        sum(each.episode.round is not None for each in group),
        len(edits),
        sum(each.proven for each in group if each.edits is not None),
        sum(each.proven and each.edits <= NEAR for each in group if each.edits is not None),
        float(median(edits)) if edits else None,
        float(median(each.lines for each in group)),
        float(median(each.seconds for each in group)),
    )
