"""Measurements of plan-validator, beside its peers: ``python -m benchmarks [SUITE]``."""
