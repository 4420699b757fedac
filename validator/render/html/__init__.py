"""Pages without script and without net: a report, the course of a plan, and what every page has in common.

Reports, readings, repairs and traces come in, HTML goes out. Open ``report`` first. ``page`` and ``style`` are what all
pages have in common; ``beside``, ``reading``, ``course``, ``links``, ``listing``, ``edits`` and ``traces`` are sections
or pages of their own.
"""
