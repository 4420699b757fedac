"""Action sequencing: sequences executed, and the first fault put into a class, as the benchmark does or proven."""
