"""Execution beyond classical planning: numbers, durations, processes and events, trajectories, preferences.

``execution`` is the way in. ``machine`` goes from happening to happening, ``happening``, ``parts`` and ``effects`` say
what takes place in one, ``interference`` what cannot at once, and ``flow`` lets the time between two of them pass.
"""
