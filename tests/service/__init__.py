"""Tests of ``validator.service``."""
