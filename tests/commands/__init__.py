"""Tests of ``validator.commands``."""
