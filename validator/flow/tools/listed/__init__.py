"""Lists of calls: each call against the tools, and what is wrong with it before anything is executed.

Lists as they were read and tools come in, faults go out. Open ``faults`` first: ``faults.faults``. ``references`` reads
``$var1.city$`` and its kin, ``labels`` says which call one means, ``calls`` binds what was read to the tools.
"""
