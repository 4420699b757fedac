"""Measurements of plan-validator, beside its peers: ``python -m benchmarks [SUITE]``.

Options come in, tables of figures and goals go out: onto the screen, and with ``--write-docs`` into ``results`` and
from there into the pages. Begin with ``__main__``: it names the suites, each a module or a package here with a function
``run``. ``table`` is what they return, ``measure`` counts CPU seconds, ``models`` and ``cases`` make plans and break
them, ``pages`` writes.
"""
