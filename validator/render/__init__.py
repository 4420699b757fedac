"""Values as texts: for people, for programs, for Markdown, for other tools.

A ``Report`` comes in, a text goes out; one module for each format. Open ``text`` first, or ``json``, which has every
field of a report and is what the pages of ``html`` are made from. ``tools`` writes SARIF, JUnit and GitHub's
annotations, ``timeline`` the course of a plan. It stands below ``checking`` and knows a report by annotation only.
"""

from validator.render.json import report_json
from validator.render.markdown import report_markdown
from validator.render.text import report_text

__all__ = ["report_json", "report_markdown", "report_text"]
