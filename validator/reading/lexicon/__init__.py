"""What a model's steps sound like: a model and templates in, a ``Lexicon`` out, which reads words and says steps.

Open ``lexicon.py`` first. ``line_words`` cuts a line, ``english`` knows the small words and the forms of verbs,
``kinds`` what may stand where, ``names`` and ``verbs`` how objects and actions are said, ``templates`` what users write
of it and ``synonyms`` which everyday verbs mean the same. ``clauses`` reads a text, and ``say`` goes the other way.
"""

from validator.reading.lexicon.clauses.patterns import Said, Unclear
from validator.reading.lexicon.lexicon import Lexicon
from validator.reading.lexicon.templates import (
    Templates,
    TemplateSource,
    is_template_text,
    read_templates,
    templates_of_text,
)

__all__ = [
    "Lexicon",
    "Said",
    "TemplateSource",
    "Templates",
    "Unclear",
    "is_template_text",
    "read_templates",
    "templates_of_text",
]
