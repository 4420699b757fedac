"""Policies as they are written: text, JSON and YAML. ``read_policy`` reads any of them."""

from validator.policies.language.read import read_policy

__all__ = ["read_policy"]
