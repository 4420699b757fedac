"""Tests of ``validator.grounding``."""
