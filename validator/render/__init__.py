"""Reports as texts: for people, for programs, for Markdown."""

from validator.render.json import report_json
from validator.render.markdown import report_markdown
from validator.render.text import report_text

__all__ = ["report_json", "report_markdown", "report_text"]
