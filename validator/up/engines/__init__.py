"""Engines of unified-planning: which are installed, what they are given, and the process that each runs in."""
