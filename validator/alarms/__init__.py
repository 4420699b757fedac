"""Time limits that hold in code that looks at no clock.

``alarm`` raises ``OutOfTime`` inside of a ``with`` when its time is over: open ``ringing`` first. In threads, which no
signal reaches, the alarms of ``watched`` do so.
"""

from validator.alarms.ringing import OutOfTime, alarm

__all__ = ["OutOfTime", "alarm"]
