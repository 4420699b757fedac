"""The HTTP service under load, on loopback: nothing comes in but options, tables of rates and losses go out.

Begin with ``suite``, which runs the others: ``load`` is many clients, ``kills`` ends workers
and the service while they work. ``process`` starts and watches a service, ``wire`` asks it.
"""

from benchmarks.service.suite import run

__all__ = ["run"]
