"""Tests of ``validator.judge``."""
