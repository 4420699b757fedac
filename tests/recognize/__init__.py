"""Tests of ``validator.recognize``."""
