"""Values as texts: for people, for programs, for Markdown, for other tools.

A ``Report`` comes in, a text goes out; one module for each format. Open ``text`` first, or ``json``, which has every
field of a report and is what the pages of ``html`` are made from. ``tools`` writes SARIF, JUnit and GitHub's
annotations, ``timeline`` the course of a plan, ``reading`` what was not understood, ``beside`` a text beside what was
read of it. It stands below ``checking`` and knows a report by annotation only.
"""
