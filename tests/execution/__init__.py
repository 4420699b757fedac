"""Tests of ``validator.execution``."""
