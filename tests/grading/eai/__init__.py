"""Tests of ``validator.grading.eai``."""
