"""Execution beyond classical planning: numbers, durations, processes and events, trajectories, preferences.

``execution`` is the way in. ``machine`` goes from happening to happening, ``acts`` say what takes place in one, and
``flow`` lets the time between two of them pass.
"""
