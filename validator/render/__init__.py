"""Values as texts: for people, for programs, for Markdown, for other tools.

A ``Report`` comes in, a text goes out; one module for each format. Open ``text`` first, or ``json``; the pages of
``html`` are made from what a report says of itself as plain values. ``verdict`` is the answer in a word, ``reading``
what was not understood, ``annotated`` a text beside what was read of it, ``timeline`` the course of a plan; ``tools``
writes SARIF, JUnit and GitHub's annotations. It stands below ``checking`` and knows a report by annotation only.
"""
