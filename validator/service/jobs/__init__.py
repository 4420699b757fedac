"""Work that takes a while: workers, the queue before them, jobs and batches that are kept, what is left at the end."""
