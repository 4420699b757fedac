"""Tests of ``validator.policies``."""
