"""Tests of ``validator.foils``."""
