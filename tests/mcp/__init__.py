"""Tests of ``validator.mcp``."""
