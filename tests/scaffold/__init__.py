"""Tests of ``validator.scaffold``."""
