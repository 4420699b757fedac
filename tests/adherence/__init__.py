"""Tests of ``validator.adherence``."""
