"""Lists of calls: each call against the tools, and what is wrong with it before anything is executed.

Open ``faults`` first: ``faults.faults``; ``references`` reads ``$var1.city$`` and its kin, ``calls`` binds what was
read to the tools.
"""
