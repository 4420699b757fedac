"""Tests of ``validator.up``."""
