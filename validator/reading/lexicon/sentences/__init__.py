"""One sentence to one step: words in, ``Said``, ``Unclear`` or None out.

Open ``sentence.py`` first: it finds the verb. ``phrases`` collects what stands behind it, ``order`` tells which phrase
is which argument, ``strange`` what looks like a step though no action is called so.
"""

from validator.reading.lexicon.sentences.said import Said, Tongue, Unclear
from validator.reading.lexicon.sentences.sentence import read_sentence, read_sentences

__all__ = ["Said", "Tongue", "Unclear", "read_sentence", "read_sentences"]
