"""Tests of ``validator.grading``."""
