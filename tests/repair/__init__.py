"""Tests of ``validator.repair``."""
