"""Tests of ``validator.flow``."""
