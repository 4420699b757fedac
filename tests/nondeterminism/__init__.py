"""Tests of plans and policies in models with several outcomes."""
