"""Adherence checks a second: traces of twenty calls and longer ones, and reading a trace in each format."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from benchmarks.measure import interleaved
from benchmarks.options import Options
from benchmarks.table import Goal, Table
from validator.adherence import adhere, read_trace

__all__ = ["run"]

STEPS = 20
CHECKS = 300
GOAL = 1_000.0

_TOOLS = ("search", "open", "read", "compare", "book", "pay", "confirm", "cancel")


def run(options: Options) -> list[Table]:
    """Measure checks of twenty steps by how plan and trace are given."""
    rng = random.Random(5)
    pairs = []
    for _ in range(CHECKS):
        plan = _calls(rng, STEPS)
        pairs.append((plan, _executed(rng, plan)))
    recorded = [(plan, read_trace(calls)) for plan, calls in pairs]
    texts = [(_text(plan), json.dumps(calls)) for plan, calls in pairs]
    chats = [json.dumps(_chat(plan, calls)) for plan, calls in pairs]
    contestants: dict[str, Callable[[], object]] = {
        "values: calls planned, calls executed": lambda: [adhere(plan, calls).score for plan, calls in pairs],
        "values, the trace read before": lambda: [adhere(plan, calls).score for plan, calls in recorded],
        "texts: a plan of PDDL steps, a trace of JSON": lambda: [adhere(plan, calls).score for plan, calls in texts],
        "a chat of JSON that states its plan as a list": lambda: [adhere(None, chat).score for chat in chats],
        "values, with every reason and the diff": lambda: [
            adhere(plan, calls).to_json()["score"] for plan, calls in pairs
        ],
    }
    samples = interleaved(contestants, options.runs or 5)
    first = next(iter(contestants))
    speeds = {name: CHECKS / sample.cpu for name, sample in samples.items()}
    wrong = [f"the scores differ: {name}" for name, sample in samples.items() if sample.result != samples[first].result]
    return [
        Table(
            title="adherence",
            about=f"{CHECKS} checks of plans of {STEPS} steps with traces of as many calls, one core",
            columns=("plan and trace", "checks a cpu s"),
            rows=tuple(speeds.items()),
            goals=tuple(
                Goal(what=name, measured=speeds[name], limit=GOAL, unit="checks a CPU second", at_least=True)
                for name in contestants
            ),
            notes=(f"mean score {sum(samples[first].result) / CHECKS:.3f}",),
            wrong=tuple(wrong),
        )
    ]


def _calls(rng: random.Random, length: int) -> list[dict[str, Any]]:
    return [
        {"name": rng.choice(_TOOLS), "arguments": {"item": rng.randrange(9), "place": rng.choice("abc")}}
        for _ in range(length)
    ]


def _executed(rng: random.Random, plan: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return an execution with some calls left out, added, changed and moved."""
    calls = [call for call in plan if rng.random() > 0.05]
    for index in range(len(calls) - 1):
        if rng.random() < 0.05:
            calls[index], calls[index + 1] = calls[index + 1], calls[index]
        if rng.random() < 0.05:
            calls[index] = _calls(rng, 1)[0]
    return calls + (_calls(rng, 1) if rng.random() < 0.3 else [])


def _chat(plan: list[dict[str, Any]], calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    stated = "\n".join(f"{number}. {step['name']}({_keywords(step)})" for number, step in enumerate(plan, start=1))
    chat: list[dict[str, Any]] = [{"role": "user", "content": "Do it"}, {"role": "assistant", "content": stated}]
    for index, call in enumerate(calls):
        function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        asked = {"id": f"c{index}", "type": "function", "function": function}
        chat.append({"role": "assistant", "tool_calls": [asked]})
        chat.append({"role": "tool", "tool_call_id": f"c{index}", "content": "done"})
    return chat


def _keywords(step: dict[str, Any]) -> str:
    return ", ".join(f"{name}={json.dumps(value)}" for name, value in step["arguments"].items())


def _text(plan: list[dict[str, Any]]) -> str:
    return "\n".join(f"({' '.join((step['name'], *map(str, step['arguments'].values())))})" for step in plan)
