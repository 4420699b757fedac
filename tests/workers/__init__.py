"""Processes that answer within limits."""
