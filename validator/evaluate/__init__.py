"""Grading what language models answered on planning benchmarks."""
