"""One sentence to one step: words in, ``Said``, ``Unclear`` or None out.

Open ``sentence.py`` first: it finds the best reading of a verb. ``opening`` is what stands before that, ``phrases``
collects its arguments (``ahead`` looks what comes next), ``order`` tells which is which, ``behind`` what follows.
``chain`` parts a sentence that tells several steps, ``strange`` is for what looks like a step though no action is
called so.
"""

from validator.reading.lexicon.sentences.said import Said, Tongue, Unclear
from validator.reading.lexicon.sentences.sentence import read_sentence, read_sentences

__all__ = ["Said", "Tongue", "Unclear", "read_sentence", "read_sentences"]
