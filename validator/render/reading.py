"""How a text was understood, as plain values, and what helps where it was not."""

from __future__ import annotations

from validator.reading.plan import Reading

__all__ = ["HELP", "HELP_IN_WORDS", "reading_value"]

HELP = (
    "--templates FILE names actions and objects as the text says them; --dialect D says how its steps are written; "
    "--strict takes the text literally"
)
"""What can be done where a text was not understood."""

HELP_IN_WORDS = (
    "What helps: steps written as (action object ...), with the names of the model; or templates, which say how the "
    "text names actions and objects; or a dialect, which says how its steps are written; or to take the text literally."
)
"""The same where there is no command line."""


def reading_value(reading: Reading | None) -> dict[str, object] | None:
    """Return how a text was understood as plain values; None where no text was read."""
    if reading is None:
        return None
    return {
        "completeness": reading.completeness.value,
        "missed": [
            {
                "text": missed.text,
                "reason": missed.reason,
                "line": missed.line,
                "column": missed.column,
                "nearest": missed.nearest,
            }
            for missed in reading.missed
        ],
        "candidates": [
            {"said": one.said, "steps": list(map(str, one.plan.steps)), "is_marked": one.is_marked}
            for one in reading.candidates
        ],
        "no_plan": None if reading.no_plan is None else reading.no_plan.value,
        "passed_over": list(reading.passed_over),
    }
