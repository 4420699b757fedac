"""Work that takes a while: what the workers run, jobs and batches that are kept, and where."""
