"""Many plans at once: batches of records, published benchmarks, files of expected verdicts.

Records, answers or cases come in as files; verdicts, counts and tables go out. Open ``batch.batch`` first: it
spreads checks over processes or a cluster. ``planbench`` and ``eai`` grade two benchmarks beside their own grades,
``acpbench`` grades single questions and makes such benchmarks of any model, ``summary`` puts results into tables and
plots, and ``plan_tests`` runs regression files.
"""
