"""Policies as they are written: text, JSON and YAML. ``read_policy`` reads any of them.

A file, a text or values come in, a ``Policy`` goes out; what cannot be read has its place and the nearest word. Open
``read`` first. ``text`` reads statements by the grammar ``policy.lark``, ``document`` reads JSON and YAML.
"""

from validator.policies.language.read import read_policy

__all__ = ["read_policy"]
