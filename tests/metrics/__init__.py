"""Tests of ``validator.metrics``."""
