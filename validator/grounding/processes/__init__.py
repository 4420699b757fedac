"""Processes of Fast Downward: how one is started, limited and ended, and what killed ones left behind.

A command comes in, its exit code and its files go out. Open ``process`` first; ``reached`` is a program beside the
translator, ``leftovers`` ends and removes what nobody ends any more.
"""
