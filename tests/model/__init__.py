"""Tests of ``validator.model``."""
