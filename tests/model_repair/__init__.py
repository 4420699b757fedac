"""Tests of model repair."""
