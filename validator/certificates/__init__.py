"""Certificates of optimality."""
