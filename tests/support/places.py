"""Where the tests find what they read."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
CONFORMANCE = TESTS / "conformance" / "cases"
"""Small PDDL models, each with plans and the answer that the standard gives."""
FLOWS = TESTS / "flow" / "data"
"""Flows with recorded plans."""
ORACLES = TESTS / "oracles"
"""What other programs said, recorded."""
ROOT = TESTS.parent
"""The project."""
SHARED = ROOT.parent / "shared"
"""Data that stands beside the project where it is developed; what reads it is skipped where it is not there."""
