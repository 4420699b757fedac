"""Tests of ``validator.checking``."""
