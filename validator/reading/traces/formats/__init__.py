"""The formats of traces, one file each: how it is told, and what in it is a call.

In: the value of a trace and a ``Recorder``. A format takes the objects that it accounts for; the format that accounts
for most of a trace reads it.
"""
