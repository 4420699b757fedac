"""Execution in large scenes: indexed states, conditions as joins, and proofs that a condition stays false."""
