"""Faults that keep a domain from being read, or a plan's steps from being steps of it, mended before it is repaired."""
