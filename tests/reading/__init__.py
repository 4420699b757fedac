"""Tests of ``validator.reading``."""
