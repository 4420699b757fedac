"""Tests of ``validator.guard``."""
