"""Tests of ``validator.render``."""
