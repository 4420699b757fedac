"""Tests of ``validator.reward``."""
