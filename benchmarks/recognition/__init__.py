"""Goal recognition on a sample of the public data set, beside figures and costs that were found before.

A folder of problems in the data set's format with an ``index.json`` (``path``, ``domain``, ``noisy``, ``level``) and an
``expected.json``: for each path ``real`` (the index of the true goal), ``unmatched_obs``, ``base`` (cheapest costs),
and cost differences ``delta_strict``, ``delta_soft1``, ``delta_soft2``, each a list with an entry for each goal: a
number that was proven, "inf", or ``{"ge": bound}``.

What was answered is kept in ``build/recognition.jsonl`` until all is: the same command goes on where it stopped, as
long as recognition and these files are what they were. ``suite`` asks and counts, ``asked`` has the methods, ``proven``
compares costs.
"""

from benchmarks.recognition.suite import run

__all__ = ["run"]
