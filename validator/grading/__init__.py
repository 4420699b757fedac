"""Many plans at once: batches of records and published benchmarks.

Records or answers come in as files; verdicts, counts and tables go out. Open ``batch.batch`` first: it spreads checks
over processes or a cluster. ``planbench`` and ``eai`` grade two benchmarks beside their own grades, ``acpbench`` grades
single questions, and ``summary`` counts results.
"""
